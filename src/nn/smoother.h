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
#include "kernels/coupled.h"

typedef struct kith__smoother {
    kith__coupled W;
    float *scale, *weights; /* of W; one of them */
    float *own;             /* n: weight of the self-loop; NULL without */
} kith__smoother;

kith_status kith__smoother_new(const kith_graph *g, bool self_loops,
                               int threads, kith__smoother *out,
                               kith_error *err);
void kith__smoother_release(kith__smoother *s); /* a zeroed one is fine */

/* Y = a A^ X + b B, all n x k; B may be NULL, or Y itself; rows that are not
 * near (NULL: all are) come out as 0.  Cost: O(m k) */
void kith__smooth(const kith__smoother *s, float a, const float *X, float b,
                  const float *B, int k, const uint8_t *near, float *Y);

/*
 * Which nodes matter to the results of some: new arrays of n marks for the
 * nodes themselves, those and their neighbours, and theirs too.  A pass that is
 * asked about a few nodes computes no other rows.
 */
kith_status kith__near_new(const kith_graph *g, const int32_t *nodes,
                           int32_t count, uint8_t *near[3], kith_error *err);
void kith__near_release(uint8_t *near[3]);

#endif
