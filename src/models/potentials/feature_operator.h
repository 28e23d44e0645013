/*
 * feature_operator.h: logits as a linear function of node features, seen
 * through the graph, without forming the features so seen, unless they are few.
 *
 *     Z = sum_b F_b B_b + 1 b',   F_b = diag(r) poly(O) diag(c) X_b - q mu'
 *
 *   X_b  n x columns  features of a block, sparse or dense
 *   O    n x n        a symmetric operator on the graph
 *   poly              y <- (1 - a) O y + a x, `hops` times, from y = x
 *   r, c, q           n, a factor per node;  mu  a number per column
 *
 * With O = D~^-1/2 (A + I) D~^-1/2 and a > 0 that is personalised PageRank;
 * a = 0 is a power of O; 0 hops is X itself.  Neighbours' means come from
 * D^-1 A = D^-1/2 S D^1/2.  F and F' cost the same: a product with X and `hops`
 * passes over the edges.
 */
#ifndef KITH_MODELS_FEATURE_OPERATOR_H
#define KITH_MODELS_FEATURE_OPERATOR_H

#include "kernels/operator.h"
#include "models/potentials/feature_matrix.h"
#include "nn/smoother.h"

/* Features by row and, if sparse, by column, so that X B and X'E both gather.
 */
typedef struct kith__csc_matrix {
    kith__csr_matrix x;
    int64_t *start; /* columns + 1; NULL if dense */
    int32_t *row;
    float *value;
} kith__csc_matrix;

/* Takes x over, also on failure. */
kith_status kith__csc_matrix_new(kith__csr_matrix *x, kith__csc_matrix *out,
                                 kith_error *err);
void kith__csc_matrix_release(kith__csc_matrix *t); /* a zeroed one is fine */

typedef struct kith__feature_block {
    const kith__csc_matrix *x;
    const kith__operator *O; /* NULL if there are no hops */
    float *diagonal;         /* of O, not owned; NULL = 0 */
    int hops;
    float a;
    float *r, *c, *q; /* NULL = 1; q only with mu */
    float *mu;        /* NULL = 0 */
    const char *what; /* whose columns these are, for people; NULL = seen
                         through the graph, or as they are */
    int each;         /* columns of x that a feature has; 0 = 1 */
    bool structural;  /* of the graph, not of the features */
    /* poly(O) diag(c) X, dense, where products with it are cheaper than passes
     * over the edges: few columns and many edges.  Else empty. */
    kith__csc_matrix formed;
} kith__feature_block;

enum { KITH__BLOCKS_MOST = 8 };

typedef struct kith__feature_operator {
    int32_t n;
    int64_t columns; /* of all blocks */
    int blocks;
    kith__feature_block block[KITH__BLOCKS_MOST];
    int threads;
} kith__feature_operator;

void kith__feature_operator_release(kith__feature_operator *m);

/* Room for products with k columns: three n x k arrays. */
typedef struct kith__feature_workspace {
    float *now, *next, *start;
} kith__feature_workspace;

kith_status kith__feature_workspace_new(const kith__feature_operator *m, int k,
                                        kith__feature_workspace *out,
                                        kith_error *err);
void kith__feature_workspace_release(kith__feature_workspace *r);

/* The two halves of one block's poly(O) diag(c) X B, n x k, in room->now:
 * now = diag(c) X B, and now <- poly(O) now. */
void kith__feature_block_times(const kith__feature_block *b, const float *B,
                               int k, kith__feature_workspace *room,
                               int threads);
void kith__feature_block_smooth(const kith__feature_block *b, int32_t n, int k,
                                kith__feature_workspace *room, int threads);

/* Z = F B + 1 b'; B is (columns + 1) x k, the last row b. */
void kith__feature_apply(const kith__feature_operator *m, const float *B, int k,
                         kith__feature_workspace *room, float *Z);

/* G = F'E and, in the last row, 1'E: (columns + 1) x k. */
void kith__feature_transpose(const kith__feature_operator *m, const float *E,
                             int k, kith__feature_workspace *room, float *G);

/*
 * Maps of PageRank (hops, a) of x, one for each a: rows scaled to length 1,
 * less the mean row, rows scaled to length 1 again.  out is zeroed on entry
 * and to be released also on failure.
 */
kith_status kith__feature_smooth_each(const kith__csc_matrix *x,
                                      const kith__smoother *s, int hops,
                                      const float *a, int many, int threads,
                                      kith__feature_operator *out,
                                      kith_error *err);

/*
 * Add x itself (hops = 0) or the mean over neighbours that many hops away, all
 * scaled so that the mean of a row's squared length is 1.  S is D^-1/2 A D^-1/2
 * and root sqrt(d), n each.
 */
kith_status kith__feature_add_means(kith__feature_operator *m,
                                    const kith__csc_matrix *x,
                                    const kith__operator *S, const float *root,
                                    int hops, kith_error *err);

#endif
