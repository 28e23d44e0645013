/*
 * lowrank_row.h: one row of kernels/operator_lowrank.h: sums over its
 * neighbours' records, and its own half of its weights.
 *
 * All is inlined with the sizes of a shape as constants where they are common:
 * two, three and four classes, four alternations.
 */
#ifndef KITH_KERNELS_LOWRANK_ROW_H
#define KITH_KERNELS_LOWRANK_ROW_H

#include "kernels/operator_lowrank.h"

enum {
    KITH__LOWRANK_COLUMNS = 2 * KITH__LOWRANK_CLASSES - 1, /* of z: p, x */
    KITH__GATHER_CHUNK = 1024, /* neighbours summed together: hubs lose no
                                  digits */
    KITH__GATHER_AHEAD = 48 /* neighbours whose records are asked for early */
};

typedef struct kith__shape {
    int C, n, V; /* classes, carried, vectors */
} kith__shape;

#define KITH__WITH_SHAPE(I, CALL)                                    \
    do {                                                             \
        const kith__shape s_ = {(I)->C, (I)->carried, (I)->vectors}; \
        if (s_.C == 2 && s_.n == 1 && s_.V == 2)                     \
            CALL(((kith__shape){2, 1, 2}));                          \
        else if (s_.C == 3 && s_.n == 2 && s_.V == 3)                \
            CALL(((kith__shape){3, 2, 3}));                          \
        else if (s_.C == 4 && s_.n == 3 && s_.V == 4)                \
            CALL(((kith__shape){4, 3, 4}));                          \
        else                                                         \
            CALL(s_);                                                \
    } while (0)

/* Ask for the record of the neighbour that comes some places after p. */
KITH__ALWAYS_INLINE void kith__ask_ahead(const kith__lowrank *I, int V,
                                         int64_t p)
{
    const int64_t last = I->start.rows[I->start.n] - 1;
    const int64_t soon = p + KITH__GATHER_AHEAD < last ? p + KITH__GATHER_AHEAD
                                                       : last;

    __builtin_prefetch(I->records +
                       (int64_t)I->start.neighbours[soon] * V * KITH__LANES);
}

/* ---- a row's own half ---------------------------------------------------- */

/* c_u: lanes as in a record, and what stands before sum_v z_v. */
typedef struct kith__half {
    kith__v4 lane[KITH__LOWRANK_VECTORS];
    float constant;
} kith__half;

/*
 * How c_u follows from u's record r.  With two classes every x_t has a lane of
 * its own, so that it does lane by lane:
 *
 *     c_u = by o r + plus,    constant = by_r . r + alone
 */
typedef struct kith__halving {
    kith__v4 by[KITH__LOWRANK_VECTORS], plus[KITH__LOWRANK_VECTORS];
    kith__v4 by_r[KITH__LOWRANK_VECTORS];
    float alone;
} kith__halving;

/* Empty for more classes. */
static inline kith__halving kith__halving_of(const kith__lowrank *I)
{
    kith__halving h = {.by = {{1, 0, 0, 0}}};

    for (int t = 0; I->C == 2 && t < I->terms; t++) {
        const float *M = I->M[t];
        const int at = 1 + I->carried + t;
        const int i = at / KITH__LANES, lane = at % KITH__LANES;

        h.by[i][lane] = M[0];
        h.plus[i][lane] = M[2];
        h.by_r[i][lane] = M[1];
        h.alone += M[3];
    }
    return h;
}

/* x_t M_t of every term, with three classes or more. */
KITH__ALWAYS_INLINE void kith__mix_terms(const kith__lowrank *I, kith__shape s,
                                         const float *r, kith__half *out)
{
    float lane[KITH__LANES * KITH__LOWRANK_VECTORS] = {r[0]};

    out->constant = 0;
    for (int t = 0; t < I->terms; t++) {
        const int at = 1 + s.n + (s.C - 1) * t;
        const float *M = I->M[t], *x = r + at;

        for (int c = 0; c < s.C; c++) {
            float xM = M[(s.C - 1) * s.C + c];

            for (int k = 0; k < s.C - 1; k++)
                xM += x[k] * M[k * s.C + c];
            if (c < s.C - 1)
                lane[at + c] = xM;
            else
                out->constant += xM;
        }
    }
    for (int i = 0; i < s.V; i++)
        out->lane[i] = kith__v4_load(lane + KITH__LANES * i);
}

KITH__ALWAYS_INLINE void kith__half_of(const kith__lowrank *I, kith__shape s,
                                       const kith__halving *how, int32_t u,
                                       kith__half *out)
{
    const float *r = I->records + (int64_t)u * s.V * KITH__LANES;
    kith__v4 constant = kith__v4_all(0);

    if (s.C > 2) {
        kith__mix_terms(I, s, r, out);
        return;
    }
    for (int i = 0; i < s.V; i++) {
        const kith__v4 lanes = kith__v4_load(r + KITH__LANES * i);

        out->lane[i] = how->by[i] * lanes + how->plus[i];
        constant += how->by_r[i] * lanes;
    }
    out->constant = kith__v4_sum(constant) + how->alone;
}

/* c_u . sum_v r_v z_v, and sum_v z_v by the constant. */
KITH__ALWAYS_INLINE float kith__apply_half(const kith__half *h, kith__shape s,
                                           const kith__v4 *rz, float sum)
{
    kith__v4 dot = h->lane[0] * rz[0];

    for (int i = 1; i < s.V; i++)
        dot += h->lane[i] * rz[i];
    return kith__v4_sum(dot) + h->constant * sum;
}

/* w_uv without D, for the half of u and the record of v. */
KITH__ALWAYS_INLINE float kith__weight_of(kith__shape s, const kith__half *h,
                                          const float *r)
{
    kith__v4 lanes[KITH__LOWRANK_VECTORS] = {{0}};

    for (int i = 0; i < s.V; i++)
        lanes[i] = kith__v4_load(r + KITH__LANES * i);
    return kith__apply_half(h, s, lanes, 1);
}

/* ---- sums over a row's neighbours ---------------------------------------- */

/* sum_v r_v, and sum_v z_v r_v for each column z. */
typedef struct kith__record_sums {
    kith__v4 plain[KITH__LOWRANK_VECTORS];
    kith__v4 by[KITH__LOWRANK_COLUMNS][KITH__LOWRANK_VECTORS];
} kith__record_sums;

/* Where column z stands in a record: p, then x_t. */
KITH__ALWAYS_INLINE int kith__column_at(kith__shape s, int z, int t)
{
    return z < s.n ? 1 + z : 1 + z + (s.C - 1) * t;
}

/* Lane i of a vector of them. */
KITH__ALWAYS_INLINE float kith__lane_of(const kith__v4 *v, int i)
{
    /* kith__clear_sums() set as many as the shape has */
    return v[i / KITH__LANES][i % KITH__LANES]; // NOLINT
}

KITH__ALWAYS_INLINE void kith__clear_sums(kith__shape s, int Z,
                                          kith__record_sums *a)
{
    for (int i = 0; i < s.V; i++) {
        a->plain[i] = kith__v4_all(0);
        for (int z = 0; z < Z; z++)
            a->by[z][i] = kith__v4_all(0);
    }
}

KITH__ALWAYS_INLINE void kith__add_sums(kith__shape s, int Z,
                                        const kith__record_sums *a,
                                        kith__record_sums *to)
{
    for (int i = 0; i < s.V; i++) {
        to->plain[i] += a->plain[i];
        for (int z = 0; z < Z; z++)
            to->by[z][i] += a->by[z][i];
    }
}

/* Over the neighbours at p .. end - 1. */
KITH__ALWAYS_INLINE void kith__sum_some(const kith__lowrank *I, kith__shape s,
                                        int Z, int t, int64_t p, int64_t end,
                                        kith__record_sums *out)
{
    kith__clear_sums(s, Z, out);
    for (; p < end; p++) {
        const float *r = I->records +
                         (int64_t)I->start.neighbours[p] * s.V * KITH__LANES;

        kith__ask_ahead(I, s.V, p);
        for (int i = 0; i < s.V; i++) {
            const kith__v4 lanes = kith__v4_load(r + KITH__LANES * i);

            out->plain[i] += lanes;
            for (int z = 0; z < Z; z++)
                out->by[z][i] += r[kith__column_at(s, z, t)] * lanes;
        }
    }
}

/* The first Z columns over all neighbours of u. */
KITH__ALWAYS_INLINE void kith__sum_row(const kith__lowrank *I, kith__shape s,
                                       int Z, int t, int32_t u,
                                       kith__record_sums *out)
{
    const int64_t end = I->start.rows[u + 1];
    int64_t p = I->start.rows[u];

    if (end - p <= KITH__GATHER_CHUNK) {
        kith__sum_some(I, s, Z, t, p, end, out);
        return;
    }
    kith__clear_sums(s, Z, out);
    for (; p < end; p += KITH__GATHER_CHUNK) {
        kith__record_sums a;

        kith__sum_some(
            I, s, Z, t, p,
            end - p < KITH__GATHER_CHUNK ? end : p + KITH__GATHER_CHUNK, &a);
        kith__add_sums(s, Z, &a, out);
    }
}

#endif
