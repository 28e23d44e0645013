/*
 * around.h: how far the labelled nodes are from a node.
 */
#ifndef KITH_MODELS_AROUND_H
#define KITH_MODELS_AROUND_H

#include "models/solution.h"

/* Steps from the node to a labelled one. */
enum { KITH__SELF = 0, KITH__LINKED = 1, KITH__TWO_STEPS = 2, KITH__FAR = 3 };

/* One byte for each training node, and one for each node to work in. */
typedef struct kith__around {
    uint8_t *steps; /* n_train */
    uint8_t *mark;  /* n, zeros between calls */
} kith__around;

kith_status kith__around_new(const kith_solution *s, kith__around *a,
                             kith_error *err);
void kith__around_release(kith__around *a); /* a zeroed one is fine */

/* The steps from `node` to every training node, by links alone, whatever
 * weight they have.  Cost: the degrees of the neighbours or those of the
 * training nodes, whichever are fewer. */
void kith__look_around(const kith_solution *s, int32_t node, kith__around *a);

#endif
