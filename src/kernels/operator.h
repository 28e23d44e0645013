/*
 * operator.h: the coupled operator X -> W X H, which everything else uses.
 *
 *     Y = Q + W X H,    y_u = q_u + ( sum_v w_uv x_v ) H
 *
 *   W  n x n  symmetric, the graph's pattern     Q, X, Y  n x k, row-major
 *   H  k x k
 *
 * Two forms of W: separable, w_uv = scale_u scale_v (nothing stored per edge),
 * or explicit, one weight per stored neighbour.
 */
#ifndef KITH_KERNELS_OPERATOR_H
#define KITH_KERNELS_OPERATOR_H

#include "kernels/file_stream.h"

/* Rows of this many classes live on the stack of the kernels. */
enum { KITH__CLASSES_MOST = 4096 };

/*
 * Call CALL(k) with k a constant where it is 1 .. 8, so that loops over the
 * classes, inlined there, become registers.
 */
#define KITH__WITH_CONSTANT(k, CALL) \
    do {                             \
        switch (k) {                 \
        case 1:                      \
            CALL(1);                 \
            break;                   \
        case 2:                      \
            CALL(2);                 \
            break;                   \
        case 3:                      \
            CALL(3);                 \
            break;                   \
        case 4:                      \
            CALL(4);                 \
            break;                   \
        case 5:                      \
            CALL(5);                 \
            break;                   \
        case 6:                      \
            CALL(6);                 \
            break;                   \
        case 7:                      \
            CALL(7);                 \
            break;                   \
        case 8:                      \
            CALL(8);                 \
            break;                   \
        default:                     \
            CALL(k);                 \
        }                            \
    } while (0)

typedef struct kith__operator {
    int32_t n;
    const int64_t *rows;
    const int32_t *neighbours;
    const float *scale;   /* n, or NULL if W is explicit */
    const float *weights; /* per stored neighbour, or NULL if separable */
    struct kith__scratch
        *scratch;             /* memory for one step at a time, may be NULL */
    kith__file_stream stream; /* of the neighbours, if they exceed memory */
    double rho;               /* rho(W) where it is known, else negative */
    int threads;
} kith__operator;

/* Where the edge from u to v, which there is, stands in row v; of a graph that
 * is not symmetric after all, some entry. */
int64_t kith__reverse_of(const kith__operator *W, int32_t u, int32_t v);

/* out_u = sum_v w_uv x_v for one row u. */
void kith__neighbour_sum(const kith__operator *W, const float *X, int k,
                         int32_t u, float *restrict out);

/*
 * Y = Q + W X H; returns max |Y - X|.
 *
 * Cost: O(m k + n k^2); k gathered floats a stored neighbour, and 4 bytes read
 * in order for it, 8 with explicit weights.
 */
float kith__operator_apply(const kith__operator *W, const float *X, int k,
                           const float *H, const float *Q, float *restrict Y);

/* The same on purpose without AVX2, for the same bits. */
float kith__operator_apply_on(_Bool avx2, const kith__operator *W,
                              const float *X, int k, const float *H,
                              const float *Q, float *restrict Y);

/*
 * W of a graph as propagation starts: w_uv = a_uv / sqrt(d_u d_v), d the sum of
 * a row.  Without edge weights it is separable and *scale (n) is all that is
 * made, in one piece of memory with n x 8 floats for steps to work in (pages
 * that no step needs are never touched); with them *weights (2m).  One of the
 * two is a new array, the other NULL; false if there is no memory.  rho(W) = 1:
 * W v = v for v_u = sqrt(d_u), and W is similar to a stochastic matrix.
 */
_Bool kith__operator_start(const kith_graph *g, int threads, kith__operator *W,
                           float **scale, float **weights);

#endif
