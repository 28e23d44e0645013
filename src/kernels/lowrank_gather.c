/*
 * lowrank_gather.c: the learning pass of kernels/operator_lowrank.h.
 */
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "kernels/lowrank_row.h"

enum {
    MOST_C = KITH__LOWRANK_CLASSES,
    COLUMNS = KITH__LOWRANK_COLUMNS,
    SQUARE = MOST_C * MOST_C
};

/* Where results of a pass go. */
typedef struct gathered {
    float *sums, *PP;
} gathered;

/* Wz += D z in row `touched`, of the columns p, x_t and the constant 1. */
static void add_training_edges(const kith__lowrank *I, int t, int64_t touched,
                               float *Wz)
{
    const kith__shape s = {I->C, I->carried, I->vectors};
    const int64_t terms = kith__training_edges_terms(&I->D, touched);
    const int Z = s.n + s.C - 1;
    double sum[COLUMNS + 1] = {0};

    for (int64_t i = 0; i < terms; i++) {
        int32_t v;
        const float D = kith__training_edges_term(&I->D, touched, i, &v);
        const float *r = kith__lowrank_record(I, v);

        for (int z = 0; z < Z; z++)
            sum[z] += (double)(D * r[kith__column_at(s, z, t)]);
        sum[Z] += (double)D;
    }
    for (int z = 0; z <= Z; z++)
        Wz[z] += (float)sum[z];
}

/* Lane of x_l in a record. */
KITH__ALWAYS_INLINE int lane_of_x(kith__shape s, int t, int l)
{
    return 1 + s.n + (s.C - 1) * t + l;
}

/* B_u = sum_v x_v'x_v, the constants' too. */
KITH__ALWAYS_INLINE void products_of_x(kith__shape s, int t,
                                       const kith__record_sums *a, float degree,
                                       float *B)
{
    const int C = s.C;

    for (int l = 0; l < C - 1; l++) {
        const int lane = lane_of_x(s, t, l);

        for (int k = 0; k < C - 1; k++)
            B[l * C + k] = kith__lane_of(a->by[s.n + k], lane);
        B[l * C + C - 1] = B[(C - 1) * C + l] = kith__lane_of(a->plain, lane);
    }
    B[C * C - 1] = degree;
}

/* K += x'(W x), T += (x'x) (x) B, upper triangles of T's. */
KITH__ALWAYS_INLINE void add_totals(int C, const float *x, const float *Wx,
                                    const float *B, kith__lowrank_totals *to)
{
    double *T = to->T;

    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++)
            to->K[i * C + j] += (double)(x[i] * Wx[j]);
    for (int i = 0; i < C; i++)
        for (int k = i; k < C; k++) {
            const float xx = x[i] * x[k];

            for (int l = 0; l < C; l++)
                for (int j = l; j < C; j++)
                    *T++ += (double)(xx * B[l * C + j]);
        }
}

/* What the pass leaves of row u: W p and R, and its share of the totals. */
KITH__ALWAYS_INLINE void finish_row(const kith__lowrank *I, kith__shape s,
                                    int t, const kith__halving *how,
                                    const kith__record_sums *a, int32_t u,
                                    float *out, kith__lowrank_totals *totals)
{
    const float degree = (float)(I->start.rows[u + 1] - I->start.rows[u]);
    const int64_t touched = t > 0 ? kith__training_edges_find(&I->D, u) : -1;
    const int Z = s.n + s.C - 1;
    float x[MOST_C], Wz[COLUMNS + 1], B[SQUARE]; /* z: p, x, 1 */
    kith__half h;

    kith__half_of(I, s, how, u, &h);
    for (int z = 0; z < Z; z++)
        Wz[z] = kith__apply_half(
            &h, s, a->by[z], kith__lane_of(a->plain, kith__column_at(s, z, t)));
    Wz[Z] = kith__apply_half(&h, s, a->plain, degree);
    if (touched >= 0)
        add_training_edges(I, t, touched, Wz);
    for (int c = 0; c < s.n; c++) {
        out[c] = Wz[c];
        for (int l = 0; l < s.C - 1; l++)
            out[s.n * (1 + l) + c] = kith__lane_of(a->by[c],
                                                   lane_of_x(s, t, l));
        out[s.n * s.C + c] = kith__lane_of(a->plain, 1 + c);
    }
    for (int c = 0; c < s.C - 1; c++)
        x[c] = kith__lowrank_x(I, u, t)[c];
    x[s.C - 1] = 1;
    products_of_x(s, t, a, degree, B);
    add_totals(s.C, x, Wz + s.n, B, totals);
}

/* sum_v p_v'p_v of training node l. */
KITH__ALWAYS_INLINE void
keep_products(kith__shape s, const kith__record_sums *a, int64_t l, float *PP)
{
    for (int c = 0; c < s.n; c++)
        for (int d = 0; d < s.n; d++)
            PP[(l * s.n + c) * s.n + d] = kith__lane_of(a->by[c], 1 + d);
}

KITH__ALWAYS_INLINE void gather_rows(const kith__lowrank *I, kith__shape s,
                                     int32_t first, int32_t last,
                                     const gathered *to,
                                     kith__lowrank_totals *totals)
{
    const int64_t width = kith__lowrank_width(s.C, s.n);
    const int32_t *train = I->D.train, n_train = I->D.n_train;
    int64_t l = kith__first_from(train, n_train, first);
    const kith__halving how = kith__halving_of(I);

    for (int32_t u = first; u < last; u++) {
        kith__record_sums a;

        kith__sum_row(I, s, s.n + s.C - 1, I->terms, u, &a);
        finish_row(I, s, I->terms, &how, &a, u, to->sums + u * width, totals);
        if (l < n_train && train[l] == u)
            keep_products(s, &a, l++, to->PP);
    }
}

static void gather_part(const kith__lowrank *I, int32_t first, int32_t last,
                        const gathered *to, kith__lowrank_totals *totals)
{
#define GATHER(s) gather_rows(I, s, first, last, to, totals)
    KITH__WITH_SHAPE(I, GATHER);
#undef GATHER
}

/* Partial sums over at least 256 rows, at most 1024 of them: their number
 * depends on n alone. */
static int64_t count_parts(int64_t n)
{
    const int64_t wished = n / 256;

    return wished > 1024 ? 1024 : wished < 1 ? 1 : wished;
}

static void add_partial(const kith__lowrank_totals *from,
                        kith__lowrank_totals *to)
{
    for (int i = 0; i < SQUARE; i++)
        to->K[i] += from->K[i];
    for (int i = 0; i < KITH__LOWRANK_PAIRS * KITH__LOWRANK_PAIRS; i++)
        to->T[i] += from->T[i];
}

bool kith__lowrank_gather(const kith__lowrank *I, float *sums,
                          kith__lowrank_totals *totals, float *PP)
{
    const int64_t n = I->start.n, parts = count_parts(n);
    const gathered to = {sums, PP};
    kith__lowrank_totals *partial = kith__alloc_zeroed(parts, sizeof(*partial));

    if (!partial)
        return false;
#pragma omp parallel for num_threads(I->start.threads) schedule(dynamic, 1)
    for (int64_t part = 0; part < parts; part++)
        gather_part(I, (int32_t)(n * part / parts),
                    (int32_t)(n * (part + 1) / parts), &to, &partial[part]);
    memset(totals, 0, sizeof(*totals));
    for (int64_t i = 0; i < parts; i++)
        add_partial(&partial[i], totals);
    kith__free(partial);
    return true;
}
