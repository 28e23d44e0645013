/*
 * paths.h: the neighbours and the paths by which most of a belief arrives.
 */
#ifndef KITH_MODELS_PATHS_H
#define KITH_MODELS_PATHS_H

#include "models/solution.h"

/*
 * How what is known of each node reaches the explained one: over j edges,
 * v_j .. v_1 u, arrives
 *
 *     w(v_j, v_j-1) .. w(v_1, u)  q_v H^j t
 */
typedef struct kith__walk {
    const kith__operator *W;
    int classes;      /* columns of Q */
    const float *Q;   /* n x classes */
    const float *H;   /* classes x classes */
    const double *to; /* t, classes */
    int longest;      /* edges of the paths looked for, <= KITH_PATH_MOST */
    bool longer;      /* there are longer ones */
} kith__walk;

/*
 * The `most` paths (no node twice, at most walk->longest edges) that add most
 * to the belief of e->node, into e->paths.
 */
kith_status kith__find_paths(const kith__walk *walk, int32_t most,
                             kith_explanation *e, kith_error *err);

/* The `most` neighbours v of e->node by w_uv x_v H t, into e->neighbours. */
kith_status kith__find_neighbours(const kith__walk *walk, const float *X,
                                  int32_t most, kith_explanation *e,
                                  kith_error *err);

#endif
