/*
 * kith/report.h: one self-contained HTML page about a model on a graph, or
 * about one node.  No network, no other file; under 1 MB whatever the size of
 * the graph; all that came from the user's data is text, never markup.
 */
#ifndef KITH_REPORT_H
#define KITH_REPORT_H

#include "kith/eval.h"
#include "kith/explain.h"
#include "kith/words.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kith_report_input {
    const kith_solution *solution;
    const kith_verdict *verdict; /* on the same model and data */
    const char *title;           /* name of the data */
    double validation;           /* accuracy, NaN = unknown */
    int32_t n_validation;
    const char *how;     /* how it was trained and tuned, a sentence; NULL */
    const char *command; /* that makes this page again; NULL */
} kith_report_input;

/*
 * The page, *length bytes at *html, to be freed with kith_array_free().
 *
 * Errors: KITH_ERR_ARGUMENT (no verdict, or one on something else),
 * KITH_ERR_NOMEM, KITH_ERR_CANCELLED.  Cost: two passes over the edges,
 * at most 40 propagations, and kith_explain() of at most 40 nodes (fewer the
 * larger the graph is, none of a billion edges).
 */
KITH_API kith_status kith_report(const kith_report_input *in, char **html,
                                 size_t *length, kith_error *err);

/* The same for an explanation of the solution. */
KITH_API kith_status kith_report_explanation(const kith_solution *s,
                                             const kith_explanation *e,
                                             char **html, size_t *length,
                                             kith_error *err);

/* The same for programs: JSON as in kith/eval.h. */
KITH_API kith_status kith_explanation_json(const kith_solution *s,
                                           const kith_explanation *e,
                                           char **json, size_t *length,
                                           kith_error *err);

/* ---- model cards --------------------------------------------------------- */

/* Keep with a model what came of it, so that its card can say it; it goes to
 * the model's file.  Errors: KITH_ERR_NOMEM. */
KITH_API kith_status kith_model_keep_verdict(kith_model *m,
                                             const kith_verdict *v,
                                             kith_error *err);

/*
 * What a review of a model asks for, in Markdown or as JSON (kith/eval.h):
 * purpose, data with hashes, method and choices, scores with intervals,
 * calibration, limits, evidence counts, versions.  Nothing but the model is
 * read; what was not kept with it is said to be unknown.
 *
 * purpose  what the model is for, a sentence; NULL: what it does is said
 *
 * *length bytes and a NUL at *text, to be freed with kith_array_free(). Errors:
 * KITH_ERR_NOMEM, KITH_ERR_CORRUPT (of what was kept).
 */
KITH_API kith_status kith_card(const kith_model *m, const char *purpose,
                               bool json, char **text, size_t *length,
                               kith_error *err);

#ifdef __cplusplus
}
#endif
#endif
