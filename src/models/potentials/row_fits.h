/*
 * row_fits.h: logistic regressions on the same few rows of a feature map, many
 * times over: for many penalties, and without some of the rows.
 *
 *     min_B  sum_l a_l loss(x_l B + b, y_l)  +  penalty/2 |B|^2
 *
 *   x_l  row of F of training node l: formed once; no other row is looked at
 *
 * With fewer rows than half the columns they are turned, also once: X X' = R R'
 * (Cholesky) and B = X'R^-T B~, so that x_l B = r_l B~ and |B| = |B~|: the same
 * problem with as many columns as rows, whatever a and the penalty.
 */
#ifndef KITH_MODELS_ROW_FITS_H
#define KITH_MODELS_ROW_FITS_H

#include "models/potentials/calibrate.h"
#include "models/potentials/feature_operator.h"

/* Rows of F for some nodes, sparse unless most of their entries are there. */
kith_status kith__feature_rows(const kith__feature_operator *map,
                               const int32_t *nodes, int32_t n,
                               kith__csr_matrix *out, kith_error *err);

typedef struct kith__row_fits {
    kith__csr_matrix x;          /* of the training nodes */
    kith__csc_matrix own, asked; /* what fits look at: theirs, and others' */
    kith__feature_operator fit, ask;
    double *R; /* NULL if nothing is turned */
    float *target;
    int classes;
} kith__row_fits;

/* Rows of the training nodes and of others, of which it is only asked what fits
 * say. */
kith_status kith__row_fits_new(const kith__feature_operator *map,
                               const kith__labelled_nodes *train,
                               const kith__labelled_nodes *others, int classes,
                               kith__row_fits *out, kith_error *err);
void kith__row_fits_release(kith__row_fits *f); /* a zeroed one is fine */

/* Floats of a fit's weights. */
int64_t kith__row_fits_size(const kith__row_fits *f);

/* Fit `weights` from where they are, a_l the weight of training node l, in at
 * most `most` steps or as near as kith__soft_fit() says; logits of the training
 * nodes and of the others.  Threads may call it. */
kith_status kith__row_fits_fit(const kith__row_fits *f, const float *a,
                               double penalty, int most, double epsilon,
                               float *weights, float *Z_train, float *Z_others,
                               kith_error *err);

/* B of the map, (columns + 1) x classes, of a fit's weights. */
kith_status kith__row_fits_unfold(const kith__row_fits *f, const float *weights,
                                  float *B, kith_error *err);

#endif
