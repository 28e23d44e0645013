/*
 * operator_lowrank.h: LCM's learnt weights W, which are not stored per edge.
 *
 * After T alternations with beliefs P_1 .. P_T and S_t = softmax(P_t),
 *
 *     w_uv = a_uv / sqrt(d_u d_v) + sum_t s_t,u M_t s_t,v'  +  D_uv
 *
 * where D is not 0 only at edges of training nodes (training_edges.h).  A row s
 * is a distribution, so it has C - 1 coordinates and a constant:
 *
 *     x = (s_1 - 1/C, ..., s_{C-1} - 1/C, 1),    s = B x,    s M s' = x B'MB x'
 *
 * and M is kept as B'MB.  A row p of beliefs is centred, p_C = - sum of the
 * others, so C - 1 of it are carried; or all C where that does not hold
 * ("as written").
 *
 * What a pass over the edges reads of a node lies together in its record, so
 * that a neighbour costs one gather: in vectors of four floats
 *
 *     (d^-1/2, p, x_1, x_2, ..., x_T)
 *
 * without the constants.  With two classes and four alternations that is 32
 * bytes.  With c_u = (d_u^-1/2, 0, x_1,u M_1, ..) the row's own half, w_uv =
 * c_u . r_v and
 *
 *     (W z)_u = sum_v w_uv z_v = c_u . ( sum_v r_v z_v )
 *
 * for any column z: unweighted sums of products, gathered once.
 */
#ifndef KITH_KERNELS_OPERATOR_LOWRANK_H
#define KITH_KERNELS_OPERATOR_LOWRANK_H

#include <stdbool.h>

#include "kernels/operator.h"
#include "kernels/simd.h"
#include "kernels/training_edges.h"

enum {
    KITH__LOWRANK_CLASSES = 4, /* most */
    KITH__LOWRANK_VECTORS = 5, /* most in a record */
    KITH__LOWRANK_TERMS = 16,  /* most */
    /* Cells of what a learning pass sums over all nodes. */
    KITH__LOWRANK_PAIRS = KITH__LOWRANK_CLASSES * (KITH__LOWRANK_CLASSES + 1) /
                          2
};

/* M in coordinates, C x C. */
typedef float kith__lowrank_term[KITH__LOWRANK_CLASSES * KITH__LOWRANK_CLASSES];

typedef struct kith__lowrank {
    kith__operator start; /* separable: the first part of W */
    int C;
    int carried; /* of a row of beliefs: C - 1 or C */
    int vectors; /* of a record */
    int terms;   /* of W so far */
    kith__lowrank_term M[KITH__LOWRANK_TERMS];
    kith__training_edges D;
    float *records;
    void *block; /* that they lie in */
} kith__lowrank;

/* What one learning pass sums over all nodes u; x is of the last beliefs, B_u =
 * sum_v x_v' x_v, and W is before the term of this x. */
typedef struct kith__lowrank_totals {
    double K[KITH__LOWRANK_CLASSES * KITH__LOWRANK_CLASSES]; /* X'W X */
    /* T[ik][lj] = sum_u x_i x_k B_lj, for i <= k, l <= j */
    double T[KITH__LOWRANK_PAIRS * KITH__LOWRANK_PAIRS];
} kith__lowrank_totals;

/* Vectors of a record; more than KITH__LOWRANK_VECTORS is too many. */
int kith__lowrank_vectors(int C, int carried, int terms);

/* Room for `terms` terms, none yet, and D = 0; start and train are borrowed. */
kith_status kith__lowrank_new(const kith__operator *start, int C, int carried,
                              int terms, const int32_t *train, int32_t n_train,
                              kith__lowrank *out, kith_error *err);
void kith__lowrank_release(kith__lowrank *I); /* a zeroed one is fine */

/* ---- records ------------------------------------------------------------- */

static inline float *kith__lowrank_record(const kith__lowrank *I, int32_t u)
{
    return I->records + (int64_t)u * I->vectors * KITH__LANES;
}

/* The beliefs p in u's record, as carried. */
static inline float *kith__lowrank_p(const kith__lowrank *I, int32_t u)
{
    return kith__lowrank_record(I, u) + 1;
}

/* x_t there without its constant, t from 0. */
static inline float *kith__lowrank_x(const kith__lowrank *I, int32_t u, int t)
{
    return kith__lowrank_p(I, u) + I->carried + (I->C - 1) * t;
}

/* All C of a row of beliefs, from the n of it that are carried. */
KITH__ALWAYS_INLINE void kith__lowrank_widen(int C, int n, const float *p,
                                             float *full)
{
    float rest = 0;

    for (int c = 0; c < n; c++)
        rest -= full[c] = p[c];
    if (n < C)
        full[n] = rest;
}

/* Put rows first .. last - 1 of P (n x C) into the records. */
void kith__lowrank_put(kith__lowrank *I, int32_t first, int32_t last,
                       const float *P);

/* Put x_t of the beliefs there beside them. */
void kith__lowrank_put_x(kith__lowrank *I, int32_t first, int32_t last, int t);

/* B'MB of a C x C matrix, and B K B' of the totals. */
void kith__lowrank_to_coordinates(int C, const double *M, double *out);
void kith__lowrank_from_coordinates(int C, const double *K, double *out);

/* ---- passes over the edges: 4 bytes a stored neighbour and its record ---- */

/* Floats that a learning pass leaves of a node: (W p)_u, and R_u = sum_v x_v'
 * p_v with C rows. */
static inline int kith__lowrank_width(int C, int carried)
{
    return carried * (C + 1);
}

/*
 * Learning: with x_t in the records and I->terms = t terms known,
 *
 *   sums    n x width: (W p)_u and R_u
 *   totals  over all nodes
 *   PP      n_train x carried x carried: sum_v p_v'p_v of the training nodes
 *
 * The order of every sum depends on the graph alone.  False if there is no
 * memory.
 */
bool kith__lowrank_gather(const kith__lowrank *I, float *sums,
                          kith__lowrank_totals *totals, float *PP);

/* (W p)_u of rows first .. last - 1 into out, (last - first) x carried, for the
 * p in the records. */
void kith__lowrank_apply(const kith__lowrank *I, int32_t first, int32_t last,
                         float *out);

/* ---- as an operator ------------------------------------------------------ */

/*
 * The operator of W, to be coupled with H for blocks of C columns; X is centred
 * unless all C of a row are carried.  A pass puts X into the records, so that
 * there is one at a time.
 */
kith__operator kith__lowrank_operator(kith__lowrank *I);

/* The same for one pass of bounds over all rows, which writes their weights out
 * on its way. */
typedef struct kith__lowrank_writing {
    const kith__lowrank *I;
    float *weights; /* per stored neighbour */
} kith__lowrank_writing;
kith__operator kith__lowrank_writer(kith__lowrank_writing *w);

#endif
