/*
 * spectral_bound.h: how strongly W and H can amplify.
 */
#ifndef KITH_KERNELS_SPECTRAL_BOUND_H
#define KITH_KERNELS_SPECTRAL_BOUND_H

#include <math.h>

#include "kernels/operator.h"

/*
 * An upper bound of rho(W) that cannot be too small: for any v > 0,
 *
 *     rho(W) <= rho(|W|) <= max_u ( |W| v )_u / v_u      (Collatz, Wielandt)
 *
 * and power iteration of |W| + s I from v_u = sqrt(d_u) tightens it; that start
 * is exact for W = D^-1/2 A D^-1/2.  The s I is for graphs of two sides, and
 * the stars of training nodes with large weights, where |W| alone would go back
 * and forth; a sixth of the bound so far was found to be a good s.  It stops
 * once the bound is at most `enough`, or falls by less than 2 % in two passes
 * over the edges, or after `most` passes; where few rows are above `enough`, v
 * is raised at these alone.  Negative if there is no memory.
 */
double kith__rho_bound(const kith__operator *W, int most, double enough);

/* sum_v |w_uv| y_v of rows first .. last - 1 into out. */
typedef void kith__norm_fn(const void *W, int32_t first, int32_t last,
                           const float *y, double *out);

/* Of an explicit or separable W, a kith__operator. */
void kith__norm_of_rows(const void *W, int32_t first, int32_t last,
                        const float *y, double *out);

/* A W whose weights lie elsewhere. */
typedef struct kith__rho_of {
    const kith__operator *shape; /* only its rows and threads are used */
    kith__norm_fn *norm;
    kith__norm_fn *first; /* in place of it in the first pass, which asks for
                             every row once; or NULL */
    const void *W;
    float *room; /* for 2 n floats; or NULL */
} kith__rho_of;

/* The same of it. */
double kith__rho_bound_of(const kith__rho_of *of, int most, double enough);

/* rho(H) of a small symmetric matrix, by power iteration of H^2, with a
 * relative error far below float's. */
double kith__rho_small(const float *H, int k);

#endif
