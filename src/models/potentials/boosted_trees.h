/*
 * boosted_trees.h: gradient-boosted trees, by XGBoost (Chen, Guestrin, KDD
 * 2016), which is loaded when it is first asked for.
 *
 * A fit takes one thread, so that no sum depends on how many there are; fits
 * may run side by side.  What it draws (rows and columns of a tree) goes by the
 * order of the rows: give them in one that hangs on the ids (graph/draw.h).
 */
#ifndef KITH_MODELS_BOOSTED_TREES_H
#define KITH_MODELS_BOOSTED_TREES_H

#include "core/job.h"
#include "models/potentials/feature_matrix.h"

typedef struct kith__trees kith__trees; /* fitted */

typedef struct kith__tree_options {
    int classes;
    int rounds; /* trees (of each class, if there are more than two) at most */
    int patience;   /* rounds without gain on `watch` until it stops */
    double columns; /* share of them that a tree looks at */
} kith__tree_options;

/* Rows, sparse, with their classes and, unless NULL, weights. */
typedef struct kith__tree_rows {
    const kith__csr_matrix *x;
    const int32_t *truth;
    const float *weight;
} kith__tree_rows;

/* Is XGBoost there?  Its version if so, like "1.7.4"; else NULL. */
const char *kith__trees_version(void);

/*
 * Fit to `rows`; with `watch` (rows not learnt from; NULL = none) as many
 * rounds are kept as have the least log-loss there, else all.  *rounds is how
 * many.
 *
 * Errors: KITH_ERR_ARGUMENT if there is no XGBoost; KITH_ERR_NOMEM,
 * KITH_ERR_CANCELLED.
 */
kith_status kith__trees_fit(const kith__tree_options *o,
                            const kith__tree_rows *rows,
                            const kith__tree_rows *watch, const kith_job *job,
                            kith__trees **out, int *rounds, kith_error *err);
void kith__trees_free(kith__trees *t); /* NULL is fine */

/* Logits of every row of x, n x classes, rows centred; `threads` at once. */
kith_status kith__trees_predict(kith__trees *t, const kith__csr_matrix *x,
                                int threads, float *Z, kith_error *err);

#endif
