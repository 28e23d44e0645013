/*
 * result.h: one result, and the file that keeps it.
 *
 *     kith paper result 1
 *     key graph 0123... data ... split ... method gcn how tuned kith 0.1.0
 *     accuracy 0.815
 *     validation 0.802
 *     seconds 1.25
 *     weights 0.22 0.19 0.35 0.26
 *     chosen rate=0.01 decay=0.0005
 *     coupling 2
 *     0.4 -0.4
 *     -0.4 0.4
 *     sum 89abcdef01234567
 *
 * The file's name is the hash of its key.  The last line is the hash of all
 * before it, so that a file that was cut or changed is known for what it is.
 */
#ifndef KITH_PAPER_RESULT_H
#define KITH_PAPER_RESULT_H

#include "core/status.h"
#include "kith/model.h"

enum { KITH__KEY = 400, KITH__CHOSEN = 1500 };

typedef struct kith__result {
    double accuracy, validation, seconds;
    double weights[4]; /* as of kith_model_average_weights(); else NaN */
    char *chosen;      /* "name=value ..." */
    int32_t classes;   /* of the coupling, 0 = there is none */
    float *coupling;
} kith__result;

void kith__result_release(kith__result *r); /* a zeroed one is fine */

/* FOLDER/HASH-OF-KEY and the ending; NULL without memory. */
char *kith__result_path(const char *folder, const char *key,
                        const char *ending);

/* Whole or not at all. */
kith_status kith__result_write(const char *path, const char *key,
                               const kith__result *r, kith_error *err);

/*
 * Errors: KITH_ERR_CORRUPT if the file is damaged, of another key or not ours,
 * with the reason; KITH_ERR_IO if it cannot be read; *out is then zeroed.
 */
kith_status kith__result_read(const char *path, const char *key,
                              kith__result *out, kith_error *err);

/* What a model uses, as text; NULL without memory. */
char *kith__result_chosen(const kith_model *m);

#endif
