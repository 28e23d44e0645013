/*
 * consistency.h: how far neighbours agree under a coupling, LCM's consistency.
 *
 *     R = sum_{(u,v) in E} w_uv s_u H s_v'
 *
 *     dR/dw_uv = s_u H s_v'       dR/dH = 1/2 S'W S  (where H is symmetric)
 *
 *   W  n x n  symmetric, explicit      S  n x k  rows are distributions
 *   H  k x k  symmetric
 */
#ifndef KITH_KERNELS_CONSISTENCY_H
#define KITH_KERNELS_CONSISTENCY_H

#include "kernels/operator.h"

/*
 * In one pass over the edges, K (k x k) = S'W S and then
 *
 *     w_uv += rate (s_u H s_v' + centre)
 *
 * where w are W's weights.  K is summed in an order that does not depend on the
 * threads.  False if there is no memory.  Cost: O(m k + n k^2).
 */
_Bool kith__consistency_step(const kith__operator *W, float *w, const float *S,
                             int k, const float *H, float rate, float centre,
                             double *K);

#endif
