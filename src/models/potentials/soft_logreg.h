/*
 * soft_logreg.h: multinomial logistic regression on a feature map, for targets
 * that are distributions and rows that weigh differently.
 */
#ifndef KITH_MODELS_SOFT_LOGREG_H
#define KITH_MODELS_SOFT_LOGREG_H

#include "models/potentials/feature_operator.h"

typedef struct kith__soft_rows {
    const float *target; /* n x k, rows are distributions */
    const float *weight; /* n; 0 = the row does not count */
} kith__soft_rows;

/*
 * Fit B ((columns + 1) x k, the last row the biases) from where it is, with at
 * most `most` steps of L-BFGS or until the gradient is below `epsilon` times
 * |B|.
 */
kith_status kith__soft_fit(const kith__feature_operator *map,
                           const kith__soft_rows *rows, int k, double penalty,
                           int most, double epsilon, float *B, kith_error *err);

/* Floats of a row inside: k, rounded up to whole vectors. */
int kith__soft_width(int k);

/* The objective and its gradient, for tests too: room, Z (n rows) and G
 * (columns + 1 rows) are that wide; B and the gradient have k columns. */
double kith__soft_objective(const kith__feature_operator *map,
                            const kith__soft_rows *rows, int k, double penalty,
                            const double *B, double *gradient,
                            kith__feature_workspace *room, float *Z, float *G);

#endif
