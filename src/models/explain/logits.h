/*
 * logits.h: logits Z = F B + 1 b' with all that they are made of, so that they
 * can be asked about later.
 */
#ifndef KITH_MODELS_LOGITS_H
#define KITH_MODELS_LOGITS_H

#include "models/method.h"
#include "models/potentials/feature_blocks.h"
#include "models/potentials/feature_operator.h"

/* The map points into the others, so it stays where it was made. */
struct kith__logits {
    kith__smoother smoother;
    kith__csc_matrix x;
    kith__feature_blocks blocks;
    kith__feature_operator map;
    bool *has; /* nodes that have features; NULL = all */
    /* (columns + 1) x classes; behind it as many for each of `folds`: training
     * node l has the logits of fold[l] */
    float *B;
    int folds;
    int *fold; /* NULL without folds */
};

/* The B of a node's logits. */
const float *kith__logits_of(const kith__logits *l, const kith__task *task,
                             int32_t node);

void kith__logits_release(kith__logits *l); /* a zeroed one is fine */
void kith__logits_free(kith__logits *l);    /* NULL is fine */

#endif
