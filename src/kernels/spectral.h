/*
 * spectral.h: how strongly W and H can amplify.
 */
#ifndef KITH_KERNELS_SPECTRAL_H
#define KITH_KERNELS_SPECTRAL_H

#include "kernels/coupled.h"

/*
 * An upper bound of rho(W) that cannot be too small: for any v > 0,
 *
 *     rho(W) <= rho(|W|) <= max_u ( |W| v )_u / v_u      (Collatz, Wielandt)
 *
 * and power iteration of |W| + I from v_u = sqrt(d_u) tightens it; that start
 * is exact for W = D^-1/2 A D^-1/2.  It stops once the bound is at most
 * `enough`, or hardly falls any more, or after `most` passes over the edges.
 * Negative if there is no memory.
 */
double kith__rho_bound(const kith__coupled *W, int most, double enough);

/* The same for weights that lie elsewhere: norm gives sum_v |w_uv| y_v, and of
 * `shape` only the rows and the threads are used. */
typedef double kith__norm_fn(const void *W, int32_t u, const double *y);
double kith__rho_bound_of(const kith__coupled *shape, kith__norm_fn *norm,
                          const void *W, int most, double enough);

/* rho(H) of a small symmetric matrix, by power iteration of H^2, with a
 * relative error far below float's. */
double kith__rho_small(const float *H, int k);

#endif
