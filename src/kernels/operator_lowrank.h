/*
 * operator_lowrank.h: LCM's learnt weights W, which are never stored per edge.
 *
 * After T alternations with beliefs P_1 .. P_T and S_t = softmax(P_t),
 *
 *     w_uv = a_uv / sqrt(d_u d_v) + sum_t s_t,u M_t s_t,v'  +  D_uv
 *
 * where D is not 0 only at edges of training nodes, and is the caller's.  A row
 * s is a distribution, so it has C - 1 coordinates and a constant:
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
 *     (d^-1/2, x_1)  and of each point  (p, x_2, ..., x_T)
 *
 * Points are settings of the learner that share their passes: P_1 is the same
 * for all of them.  With two classes, four alternations and one point a record
 * has 32 bytes, with three points 64.
 *
 * With c_u = (d_u^-1/2, x_1,u M_1, ..) the row's own half, w_uv = c_u . r_v and
 *
 *     (W z)_u = sum_v w_uv z_v = c_u . ( sum_v r_v z_v )
 *
 * for any column z: unweighted sums of products, gathered once.
 *
 * Where there is room for the weights of two classes, of one point or of four
 * side by side, they are stored after all: records then are smaller, and a pass
 * adds the last term to the weights and sums with them (stored.c).
 */
#ifndef KITH_KERNELS_OPERATOR_LOWRANK_H
#define KITH_KERNELS_OPERATOR_LOWRANK_H

#include <stdbool.h>

#include "kernels/operator.h"
#include "kernels/simd.h"

enum {
    KITH__LOWRANK_CLASSES = 4, /* most */
    /* Most points in one pass: with stored weights one in each lane; without,
     * more would need longer records. */
    KITH__LOWRANK_POINTS = KITH__LANES,
    KITH__LOWRANK_SHARED = 3,
    KITH__LOWRANK_VECTORS = 4,             /* most of a point in a record */
    KITH__LOWRANK_TERMS = 16,              /* most */
    KITH__STORED_RECORD = 3 * KITH__LANES, /* floats, of four points */
    /* Cells of what a learning pass sums over all nodes. */
    KITH__LOWRANK_PAIRS = KITH__LOWRANK_CLASSES * (KITH__LOWRANK_CLASSES + 1) /
                          2
};

/* M of one point, in coordinates; C x C each. */
typedef struct kith__lowrank_terms {
    float M[KITH__LOWRANK_TERMS][KITH__LOWRANK_CLASSES * KITH__LOWRANK_CLASSES];
} kith__lowrank_terms;

typedef struct kith__lowrank {
    kith__operator start; /* separable: the first part of W */
    int C;
    int carried; /* of a row of beliefs: C - 1 or C */
    int points;
    int vectors;    /* of one point in a record */
    int stride;     /* floats of a record */
    int terms;      /* of W so far */
    float *weights; /* stored, all but the last term; or NULL */
    float *records;
    void *block; /* that they lie in */
    kith__lowrank_terms term[KITH__LOWRANK_POINTS];
} kith__lowrank;

/* What one learning pass sums over all nodes u, of one point; x is of the last
 * beliefs, B_u = sum_v x_v' x_v, and W is before the term of this x. */
typedef struct kith__lowrank_totals {
    double K[KITH__LOWRANK_CLASSES * KITH__LOWRANK_CLASSES]; /* X'W X */
    /* T[ik][lj] = sum_u x_i x_k B_lj, for i <= k, l <= j */
    double T[KITH__LOWRANK_PAIRS * KITH__LOWRANK_PAIRS];
} kith__lowrank_totals;

/* Vectors that a point takes; more than KITH__LOWRANK_VECTORS is too many. */
int kith__lowrank_vectors(int C, int carried, int terms);

/* Room for `terms` terms; false if there is no memory. */
bool kith__lowrank_new(const kith__operator *start, int C, int carried,
                       int points, int terms, kith__lowrank *out);

/* The same of two classes with p_1 = - p_0, of one point or else four, with
 * room of the caller's for the weights: per stored neighbour those of every
 * point. */
bool kith__lowrank_new_stored(const kith__operator *start, int points,
                              float *weights, kith__lowrank *out);
void kith__lowrank_release(kith__lowrank *I); /* a zeroed one is fine */

/* Floats that a learning pass leaves of a node and a point: (W p)_u, and
 * R_u = sum_v x_v' p_v with C rows. */
static inline int kith__lowrank_width(const kith__lowrank *I)
{
    return I->carried * (I->C + 1);
}

/* ---- records ------------------------------------------------------------- */

static inline float *kith__lowrank_record(const kith__lowrank *I, int32_t u)
{
    return I->records + (int64_t)u * I->stride;
}

/* Where p of a point lies in a record. */
static inline int kith__lowrank_p_at(const kith__lowrank *I, int point)
{
    if (I->weights)
        return I->points == 1 ? 2 : 2 * KITH__LANES + point;
    return KITH__LANES * (1 + I->vectors * point);
}

/* Where x_t lies, t from 0. */
static inline int kith__lowrank_x_at(const kith__lowrank *I, int point, int t)
{
    if (I->weights)
        return I->points == 1 ? 1 : KITH__LANES + point;
    return t == 0 ? 1
                  : kith__lowrank_p_at(I, point) + I->carried +
                        (I->C - 1) * (t - 1);
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

/* x of node u and alternation t, with its constant. */
static inline void kith__lowrank_x(const kith__lowrank *I, int32_t u, int point,
                                   int t, float *x)
{
    const float *at = kith__lowrank_record(I, u) +
                      kith__lowrank_x_at(I, point, t);

    for (int c = 0; c < I->C - 1; c++)
        x[c] = at[c];
    x[I->C - 1] = 1;
}

/* Put rows first .. last - 1 of P (n x C) into the records of a point. */
void kith__lowrank_put(kith__lowrank *I, int32_t first, int32_t last, int point,
                       const float *P);

/* Put x_t of the beliefs there beside them, in all points; t one after the
 * other. */
void kith__lowrank_put_x(kith__lowrank *I, int32_t first, int32_t last, int t);

/* B'MB of a C x C matrix, and B K B' of the totals. */
void kith__lowrank_to_coordinates(int C, const double *M, double *out);
void kith__lowrank_from_coordinates(int C, const double *K, double *out);

/* ---- passes over the edges: 4 bytes a stored neighbour and its record ---- */

/*
 * Learning: with x_t in the records and `terms` = t terms known, W without D,
 *
 *   sums    n x points x width: (W p)_u and R_u
 *   totals  of each point
 *   PP      points x n_rows x carried x carried: sum_v p_v'p_v for the rows
 *           listed, ascending
 *
 * The order of every sum depends on the graph alone.  False if there is no
 * memory.
 */
bool kith__lowrank_gather(const kith__lowrank *I, float *sums,
                          kith__lowrank_totals *totals, const int32_t *rows,
                          int32_t n_rows, float *PP);

/*
 * Stored weights lack the last term.  Completing adds it, once for all rows; on
 * its way a bound of rho(W) (spectral_bound.h) takes its first step: sum_v
 * |w_uv| y_v of every point, y as at the start, which _begin_ puts where x of
 * the alternation before was.  What the caller adds to weights it does between.
 */
void kith__stored_begin_completing(const kith__lowrank *I);
void kith__stored_complete(const kith__lowrank *I, int32_t from, int32_t to,
                           double *out);

/* Of weights that are not stored. */

/* (W p)_u of rows from .. to - 1 and every point, without D, into out:
 * (to - from) x points x carried. */
void kith__lowrank_pull(const kith__lowrank *I, int32_t from, int32_t to,
                        float *out);

/* sum_v |w_uv| y_v of rows from .. to - 1 and every point, y n x points;
 * without D. */
void kith__lowrank_pull_norm(const kith__lowrank *I, int32_t from, int32_t to,
                             const float *y, double *out);

/* One of them, without D. */
float kith__lowrank_weight(const kith__lowrank *I, int point, int32_t u,
                           int32_t v);

/* All weights with the last term, without D; per stored neighbour those of
 * every point. */
void kith__lowrank_weights(const kith__lowrank *I, float *out);

#endif
