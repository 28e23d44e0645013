/*
 * spectral_bound.h: how strongly W and H can amplify.
 */
#ifndef KITH_KERNELS_SPECTRAL_BOUND_H
#define KITH_KERNELS_SPECTRAL_BOUND_H

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
 * once the bound is at most `rho_target`, or falls by less than 2 % in two
 * passes over the edges, or after `most` passes; where few rows are above
 * `rho_target`, v is raised at these alone.  Negative if there is no memory.
 */
double kith__rho_bound(const kith__operator *W, int most, double rho_target);

/* The same, with `first` in place of W in the first pass, which asks for every
 * row once (NULL: W too); in a workspace of 2 n floats, or NULL. */
double kith__rho_bound_from(const kith__operator *first,
                            const kith__operator *W, int most,
                            double rho_target, float *workspace);

/* rho(H) of a small symmetric matrix, by power iteration of H^2, with a
 * relative error far below float's. */
double kith__rho_small(const float *H, int k);

#endif
