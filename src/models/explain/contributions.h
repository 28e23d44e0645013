/*
 * contributions.h: what labelled nodes add to the beliefs of several nodes, by
 * the same passes over the edges.
 */
#ifndef KITH_MODELS_CONTRIBUTIONS_H
#define KITH_MODELS_CONTRIBUTIONS_H

#include "models/solution.h"

enum { KITH__TOGETHER = 8 }; /* columns that a pass serves at once */

/* Of `count` nodes explained together, side by side in every row. */
typedef struct kith__contributions {
    int count;
    const int32_t *node;
    double itself[KITH__TOGETHER]; /* the node's own potential, and its echo;
                                      without what stands beside the sum */
    double others[KITH__TOGETHER]; /* nodes that were not learnt from */
    double *labelled; /* n_train x KITH__TOGETHER: training nodes, but for the
                         node itself */
} kith__contributions;

kith_status kith__contributions_new(const kith_solution *s,
                                    kith__contributions *c, kith_error *err);
void kith__contributions_release(kith__contributions *c); /* zeroed: fine */

/*
 * Fill c for c->node: W is symmetric, so with e_u = 1 at u and 0 elsewhere
 *
 *     p_u t = sum_v sum_j  (W^j e_u)_v  q_v H^j t
 *
 * and only the number W^j e_u of each node has to be passed on, whatever the
 * classes.  t (classes) chooses the class.  Of a fixed point the terms are
 * summed until they add nothing.  Cost: the run's iterations, each O(8 m).
 */
kith_status kith__contribute(const kith_solution *s, const double *to,
                             kith__contributions *c, kith_error *err);

#endif
