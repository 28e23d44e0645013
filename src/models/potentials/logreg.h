/*
 * logreg.h: multinomial logistic regression.
 */
#ifndef KITH_MODELS_LOGREG_H
#define KITH_MODELS_LOGREG_H

#include "models/potentials/feature_matrix.h"

/*
 * Fit B ((columns + 1) x k, the last row the biases, zeros on entry) to rows
 * with classes `truth`.
 */
kith_status kith__logreg_fit(const kith__csr_matrix *rows, const int32_t *truth,
                             int k, double penalty, bool balance, float *B,
                             kith_error *err);

/* The same for several penalties, one B for each: what hangs on the rows alone
 * is made once, and a fit starts from the one before it.  The largest penalty
 * first is quickest. */
kith_status kith__logreg_fit_each(const kith__csr_matrix *rows,
                                  const int32_t *truth, int k,
                                  const double *penalties, int many,
                                  bool balance, float *const *B,
                                  kith_error *err);

/* The objective and its gradient at B (doubles), for tests too; truth and
 * weight per row, weight NULL = 1 each. */
double kith__logreg_objective(const kith__csr_matrix *rows,
                              const int32_t *truth, const double *weight, int k,
                              double penalty, const double *B,
                              double *gradient);

#endif
