/*
 * coupling_fit.h: the coupling matrix from labelled nodes, by a convex fit.
 */
#ifndef KITH_MODELS_COUPLING_FIT_H
#define KITH_MODELS_COUPLING_FIT_H

#include "core/status.h"
#include "models/potentials/calibrate.h"

/* P = alpha L + M H + 1 b', H symmetric. */
typedef struct kith__fitted_coupling {
    double alpha;
    float *H; /* k x k */
    float *b; /* k */
} kith__fitted_coupling;

/*
 * L, M n x k, looked at in the rows of `at` alone.  lambda: penalty on how far
 * H is from h0 (I - 11'/k); infinite = not at all.  out's arrays are the
 * caller's.
 */
kith_status kith__coupling_fit(const float *L, const float *M, int k,
                               const kith__labelled_nodes *at, double lambda,
                               kith__fitted_coupling *out, kith_error *err);

/* P of all n rows. */
void kith__coupling_apply(const float *L, const float *M, int64_t n, int k,
                          const kith__fitted_coupling *f, float *P);

/* The objective and its gradient by theta = (alpha, h0, b, lower triangle of
 * Delta), for tests. */
double kith__coupling_objective(const float *L, const float *M, int k,
                                const kith__labelled_nodes *at, double lambda,
                                const double *theta, double *gradient);

#endif
