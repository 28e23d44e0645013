/*
 * linbp_together.h: LinBP of several tasks of two classes on labels alone, in
 * passes over the edges that they share.
 */
#ifndef KITH_MODELS_LINBP_TOGETHER_H
#define KITH_MODELS_LINBP_TOGETHER_H

#include "kernels/fixed_point.h"

enum { KITH__TOGETHER_MOST = 8 }; /* columns that the kernels are quick at */

/* The training nodes of one task. */
typedef struct kith__column_labels {
    const int32_t *node;
    const uint8_t *is; /* 1 of the class, 0 not */
    int32_t n;
    float weight[2]; /* of a label that is not, that is of the class */
} kith__column_labels;

/* What came of a task, for whoever goes on with it (train.h). */
typedef struct kith__given {
    const float *column; /* belief in the class of node u at u * stride */
    int64_t stride;
    const float *mass; /* n: the labels' mass (evidence.h); NULL: not told */
    kith_certificate certificate;
} kith__given;

/*
 * Beliefs of `count` tasks side by side in P (n x count), as linbp's of the
 * second class of two: those of the first are the same with the other sign.
 *
 * Cost: O(m count) an iteration, for all of them in one pass over the edges.
 */
kith_status kith__linbp_together(const kith__operator *W,
                                 const kith__column_labels *labels, int count,
                                 const kith__stopping *stopping, float *P,
                                 kith_certificate *c, kith_error *err);

/* S of nodes that are learnt from with weight 1: evidence.h. */
kith_status kith__linbp_mass(const kith__operator *W, const int32_t *node,
                             int32_t n_node, const kith__stopping *stopping,
                             float *S, kith_error *err);

#endif
