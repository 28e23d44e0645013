/*
 * held_positives.h: from scores of nodes to probabilities, where positives are
 * known and negatives are not.
 */
#ifndef KITH_MODELS_HELD_POSITIVES_H
#define KITH_MODELS_HELD_POSITIVES_H

#include "core/status.h"

/* What is told of a positive by a run that did not know it for one. */
typedef struct kith__held_positive {
    float x;      /* its score */
    double above; /* share of that run's unknown nodes that score as much or
                     more, equal ones counting half */
} kith__held_positive;

/* The share of positives among unknown nodes, with a 95 % interval. */
typedef struct kith__positive_share {
    double share, low, high;
    double above; /* mean of the held positives' */
    double auc;   /* of held positives against unknown nodes that are none: a
                     guess by that share; NaN without any */
} kith__positive_share;

/*
 * The most positives that there can be: if those held are like those that are
 * not known, a share `above` of all unknown nodes that scores as the best
 * fraction r of the positives holds r of these,
 *
 *     share of positives <= above / r,     for any r
 *
 * and the least of that over r = .2 to .9 is as good as the scores are at some
 * place.  Orders held.
 */
kith__positive_share kith__estimate_share(kith__held_positive *held, int32_t k);

/* Can that estimate be used? */
bool kith__share_is_told(const kith__positive_share *s, int32_t k);

/*
 * p = 1 / (1 + exp(-(b0 + b1 x))): for every slope b1 in [0, 8] b0 is such that
 * the mean of p over the n unknown nodes (x ascending) is `share`; b1 has the
 * largest sum of log p over held positives, less (b1 - 1)^2 / 8.
 *
 * Cost: O(n) and a constant.  false: no memory.
 */
bool kith__fit_sigmoid(const float *x, int32_t n,
                       const kith__held_positive *held, int32_t k, double share,
                       double *b0, double *b1);

#endif
