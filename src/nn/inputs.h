/*
 * inputs.h: the features as a network's first layer sees them: rows that sum to
 * 1 (in absolute value), sparse or dense; without features the identity, so
 * that the first layer's weights are a vector for every node.  Where asked, and
 * an entry in eight or more is there, columns of mean 0 and variance 1 instead,
 * in an array of their own: numbers of different kinds, not counts.
 */
#ifndef KITH_NN_INPUTS_H
#define KITH_NN_INPUTS_H

#include "core/status.h"
#include "kernels/row_set.h"
#include "kith/data.h"
#include "nn/dropout.h"

typedef struct kith__inputs {
    const kith_features *features; /* NULL: the identity */
    kith_features standard;        /* its value is ours, or NULL */
    int32_t n, columns;
    int threads, most;
    float *scale; /* n: 1 / sum of a row's absolute values, 0 if it is empty */
    /* sparse: the same by columns */
    int64_t *begin;
    int32_t *row;
    float *value;   /* scaled */
    float *scratch; /* dense: blocks of rows for each thread */
    float *partial; /* dense: KITH__GEMM_PARTS x columns x most */
} kith__inputs;

/* `most` is the largest k of a gradient; 0 if there will be none. */
kith_status kith__inputs_new(const kith_features *features, bool standard,
                             int32_t n, int threads, int most,
                             kith__inputs *out, kith_error *err);
void kith__inputs_release(kith__inputs *x); /* a zeroed one is fine */

/* The mean length of the rows that are not empty; 1 without features.  Cost:
 * O(nonzeros). */
double kith__inputs_length(const kith__inputs *x);

/*
 * Y (n x k) = drop(X) W,  W columns x k.   Cost: O(nonzeros k)
 * Rows that are not near are left as they are (or, of dense features in a net
 * that does not learn, computed too).
 */
void kith__inputs_forward(const kith__inputs *x, const float *W, int k,
                          const kith__dropout *d, const kith__row_set *near,
                          float *restrict Y);

/* dW = drop(X)' dY, with the same d, of the rows of dY that are near. */
void kith__inputs_backward(const kith__inputs *x, const float *dY, int k,
                           const kith__dropout *d, const kith__row_set *near,
                           float *restrict dW);

#endif
