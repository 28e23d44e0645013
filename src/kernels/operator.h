/*
 * operator.h: the operator X -> W X H, the only way to the edges for
 * propagation.
 *
 *     Y = Q + W X H,    y_u = q_u + ( sum_v w_uv x_v ) H
 *
 *   W  n x n  symmetric, the graph's pattern     Q, X, Y  n x columns, by rows
 *   H  k x k, times a number h
 *
 * X may have several blocks of k columns side by side, as of many tasks or many
 * candidates: one pass over the edges serves them all, with one H for every
 * block or one for each.
 *
 * Forms of W: node scales, w_uv = scale_u scale_v (nothing stored per edge), or
 * a weight per stored neighbour (operator_csr.c); LCM's learnt weights, which
 * are not stored (operator_lowrank.c).
 *
 * What is summed over all rows is summed in blocks that depend on n alone, so
 * that no result depends on the number of threads.
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

typedef struct kith__operator kith__operator;

/* How a form of W that is not stored answers; see the functions below. */
typedef struct kith__operator_form {
    float (*apply)(const kith__operator *op, int32_t first, int32_t last,
                   const float *X, const float *Q, float *Y);
    void (*bound)(const kith__operator *op, int32_t first, int32_t last,
                  const float *y, double *out);
    double (*weight)(const kith__operator *op, int32_t u, int64_t p);
} kith__operator_form;

struct kith__operator {
    /* W */
    int32_t n;
    const int64_t *rows;
    const int32_t *neighbours;
    const float *scale;              /* n: node scales, or NULL */
    const float *weights;            /* per stored neighbour, or NULL */
    const kith__operator_form *form; /* NULL: one of these two */
    void *of;                        /* what the form makes W of */
    struct kith__scratch
        *scratch;             /* memory for one pass at a time, may be NULL */
    kith__file_stream stream; /* of the neighbours, if they exceed memory */
    double rho;               /* rho(W) where it is known, else negative */
    int threads;
    _Bool portable; /* on purpose without AVX2, for the same bits */
    /* H: see kith__coupled(); none yet if k is 0 */
    int k, blocks;
    const float *H; /* k x k, or one for each block; NULL: the unit matrix */
    float h;        /* a factor of H */
    _Bool each;     /* is there an H for each block? */
    _Bool transposed;
};

/* Columns of X. */
static inline int64_t kith__columns(const kith__operator *op)
{
    return (int64_t)op->k * op->blocks;
}

/* Entry i, j of a block's H, as it stands in the formula. */
static inline double kith__coupling_at(const kith__operator *op, int block,
                                       int i, int j)
{
    const int64_t k = op->k, at = op->transposed ? j * k + i : i * k + j;

    if (!op->H)
        return i == j ? (double)op->h : 0;
    return (double)(op->h * op->H[(op->each ? block * k * k : 0) + at]);
}

/* ---- made ---------------------------------------------------------------- */

/*
 * W of a graph as propagation starts: w_uv = a_uv / sqrt(d_u d_v), d the sum of
 * a row.  Without edge weights these are node scales and *scale (n) is all that
 * is made, with them *weights (2m); in one piece of memory with n x 8 floats
 * for passes to work in (pages that no pass needs are never touched).  One of
 * the two is a new array, the other NULL; false if there is no memory.
 * rho(W) = 1: W v = v for v_u = sqrt(d_u), and W is similar to a stochastic
 * matrix.
 */
_Bool kith__operator_start(const kith_graph *g, int threads, kith__operator *W,
                           float **scale, float **weights);

/* The same edges with a weight for each, in both directions alike. */
kith__operator kith__weighted(const kith__operator *W, const float *weights);

/* The same edges as the graph has them: its weights, or 1 each (`ones`, n). */
kith__operator kith__adjacency(const kith__operator *W, const kith_graph *g,
                               const float *ones);

/* W with the coupling H, or h I, for one block of k columns; H is borrowed. */
kith__operator kith__coupled(const kith__operator *W, int k, const float *H);
kith__operator kith__scaled(const kith__operator *W, int k, float h);

/* ---- asked --------------------------------------------------------------- */

/*
 * Rows first .. last - 1 of Y = Q + W X H; Q may be NULL, for 0.  Returns
 * max |Y - X| of these rows.  The library's threads share them.
 *
 * Two classes and a centred H, which has rank one, are summed as one column.
 *
 * Cost: O(m k + n k^2); k gathered floats a stored neighbour, and 4 bytes read
 * in order for it, 8 with a weight for each.
 */
float kith__operator_apply(const kith__operator *op, int32_t first,
                           int32_t last, const float *X, const float *Q,
                           float *restrict Y);

/* The same with H', as an adjoint needs it; W is symmetric. */
float kith__operator_apply_transposed(const kith__operator *op, int32_t first,
                                      int32_t last, const float *X,
                                      const float *Q, float *restrict Y);

/* sum_v |w_uv| y_v of rows first .. last - 1, by the calling thread. */
void kith__operator_bound(const kith__operator *op, int32_t first, int32_t last,
                          const float *y, double *out);

/*
 * Where few rows of X changed: Y_u += w_uv x_v H for the nodes v listed and all
 * their neighbours u, which are listed in `touched` as often as they were
 * (there is room for the sum of the degrees); returns how many.
 */
int64_t kith__operator_push(const kith__operator *op, const int32_t *nodes,
                            int32_t count, const float *X, float *Y,
                            int32_t *touched);

/* w of the stored neighbour p of u. */
static inline double kith__operator_weight(const kith__operator *op, int32_t u,
                                           int64_t p)
{
    if (op->form)
        return op->form->weight(op, u, p);
    return op->weights
               ? (double)op->weights[p]
               : (double)op->scale[u] * (double)op->scale[op->neighbours[p]];
}

/* Where the edge from u to v, which there is, stands in row v; of a graph that
 * is not symmetric after all, some entry. */
int64_t kith__reverse_of(const kith__operator *W, int32_t u, int32_t v);

/* out_u = sum_v w_uv x_v for one row u. */
void kith__neighbour_sum(const kith__operator *W, const float *X, int k,
                         int32_t u, float *restrict out);

/* ---- numbers of all rows ------------------------------------------------- */

/* Most numbers that are reduced together. */
enum { KITH__REDUCED = 4 };

/* Add to sums, or raise maxima, by rows first .. last - 1. */
typedef void kith__rows_fn(void *user, int32_t first, int32_t last,
                           double *out);

/* out: sums, then maxima (of numbers that are not negative), over all n rows,
 * in blocks that depend on n alone. */
void kith__reduce(const kith__operator *op, kith__rows_fn *of, void *user,
                  int sums, int maxima, double *out);

static inline double kith__reduce_sum(const kith__operator *op,
                                      kith__rows_fn *of, void *user)
{
    double sum;

    kith__reduce(op, of, user, 1, 0, &sum);
    return sum;
}

static inline double kith__reduce_max(const kith__operator *op,
                                      kith__rows_fn *of, void *user)
{
    double most;

    kith__reduce(op, of, user, 0, 1, &most);
    return most;
}

#endif
