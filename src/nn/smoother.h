/*
 * smoother.h: the graph as a network layer, by the coupled operator's rows:
 *
 *     with self-loops     A^ = D~^-1/2 (A + I) D~^-1/2,   D~ = D + I
 *     without             A^ = D^-1/2 A D^-1/2
 *
 * Symmetric, so that its own transpose serves the backward pass.
 */
#ifndef KITH_NN_SMOOTHER_H
#define KITH_NN_SMOOTHER_H

#include <stdbool.h>

#include "core/status.h"
#include "kernels/operator.h"
#include "kernels/row_set.h"

typedef struct kith__smoother {
    kith__operator W;
    float *scale, *weights; /* of W; one of them */
    float *own;             /* n: weight of the self-loop; NULL without */
} kith__smoother;

kith_status kith__smoother_new(const kith_graph *g, bool self_loops,
                               int threads, kith__smoother *out,
                               kith_error *err);
void kith__smoother_release(kith__smoother *s); /* a zeroed one is fine */

/* Y = a A^ X + b B, all n x k; B may be NULL, or Y itself; rows of Y that are
 * not near are left as they are.  Cost: O(m k) */
void kith__smooth(const kith__smoother *s, float a, const float *X, float b,
                  const float *B, int k, const kith__row_set *near, float *Y);

/* Y = a A^ X in the rows `to`, where X stands for a matrix that is 0 but in the
 * rows `from`: a gradient on its way back. */
void kith__smooth_back(const kith__smoother *s, float a, const float *X, int k,
                       const kith__row_set *from, const kith__row_set *to,
                       float *Y);

enum { KITH__HOPS = 3 };

/*
 * Which nodes matter to the results of some: the nodes themselves, those and
 * their neighbours, and theirs too.  A pass that is asked about a few nodes
 * computes no other rows.
 */
typedef struct kith__near {
    kith__row_set hop[KITH__HOPS];
} kith__near;

kith_status kith__near_new(const kith_graph *g, const int32_t *nodes,
                           int32_t count, kith__near *out, kith_error *err);
void kith__near_release(kith__near *near); /* a zeroed one is fine */

#endif
