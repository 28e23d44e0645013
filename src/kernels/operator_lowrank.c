#include "kernels/operator_lowrank.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "kernels/lowrank_parts.h"

enum {
    MOST_C = KITH__LOWRANK_CLASSES,
    POINTS = KITH__LOWRANK_SHARED,
    VECTORS = KITH__LOWRANK_VECTORS,
    COLUMNS = 2 * MOST_C - 1, /* of z: p, x */
    SQUARE = MOST_C * MOST_C,
    LINE = 64,
    CHUNK = KITH__GATHER_CHUNK,
    AHEAD = KITH__GATHER_AHEAD
};

/* ---- records ------------------------------------------------------------- */

int kith__lowrank_vectors(int C, int carried, int terms)
{
    return kith__vectors(carried + (C - 1) * (terms > 1 ? terms - 1 : 0));
}

/* Records of I->stride floats: d^-1/2 first, and 0, but for the last. */
static bool new_records(kith__lowrank *I, float last)
{
    const kith__operator *start = &I->start;
    const int stride = I->stride;
    int64_t cells = 0;

    if (kith__multiply(start->n, stride, &cells) &&
        kith__add(cells, LINE / (int)sizeof(float), &cells))
        I->block = kith__alloc_big(cells, sizeof(float));
    if (!I->block)
        return false;
    I->records = (float *)(((uintptr_t)I->block + LINE - 1) / LINE * LINE);
#pragma omp parallel for num_threads(start->threads) schedule(static)
    for (int32_t u = 0; u < start->n; u++) {
        float *r = kith__lowrank_record(I, u);

        memset(r, 0, (size_t)stride * sizeof(*r));
        r[0] = start->scale[u];
        r[stride - 1] = last;
    }
    return true;
}

bool kith__lowrank_new(const kith__operator *start, int C, int carried,
                       int points, int terms, kith__lowrank *out)
{
    const int vectors = kith__lowrank_vectors(C, carried, terms);

    *out = (kith__lowrank){.start = *start,
                           .C = C,
                           .carried = carried,
                           .points = points,
                           .vectors = vectors,
                           .stride = KITH__LANES * (1 + vectors * points)};
    return new_records(out, 0);
}

bool kith__lowrank_new_stored(const kith__operator *start, int points,
                              float *weights, kith__lowrank *out)
{
    const bool one = points == 1;

    *out = (kith__lowrank){.start = *start,
                           .C = 2,
                           .carried = 1,
                           .points = one ? 1 : KITH__LANES,
                           .stride = one ? KITH__LANES : KITH__STORED_RECORD,
                           .weights = weights};
    return new_records(out, one);
}

void kith__lowrank_release(kith__lowrank *I)
{
    kith__free(I->block);
    I->block = NULL;
}

void kith__lowrank_put(kith__lowrank *I, int32_t first, int32_t last, int point,
                       const float *P)
{
    const int at = kith__lowrank_p_at(I, point);

    for (int32_t u = first; u < last; u++)
        for (int c = 0; c < I->carried; c++)
            kith__lowrank_record(I, u)[at + c] = P[(int64_t)u * I->C + c];
}

/* x of a row p of C, without its constant: softmax(p) - 1/C. */
static void x_of(int C, const float *p, float *x)
{
    float s[MOST_C] = {-100, -100, -100, -100}, top = p[0];
    kith__v4 e;

    for (int c = 1; c < C; c++)
        top = p[c] > top ? p[c] : top;
    for (int c = 0; c < C; c++)
        s[c] = p[c] - top;
    e = kith__v4_exp(kith__v4_load(s));
    e /= kith__v4_sum(e);
    for (int c = 0; c < C - 1; c++)
        x[c] = e[c] - 1 / (float)C;
}

/* The same of two classes, 1 / (1 + exp(p_1 - p_0)) - 1/2, for four rows from r
 * on at once. */
static void put_pairs(const kith__lowrank *I, float *r, int p_at, int x_at)
{
    kith__v4 apart = kith__v4_all(0), x;

    for (int i = 0; i < KITH__LANES; i++) {
        const float *p = r + (int64_t)i * I->stride + p_at;

        apart[i] = I->carried == 1 ? -2 * p[0] : p[1] - p[0];
    }
    x = 1 / (1 + kith__v4_exp(kith__v4_min(apart, kith__v4_all(80)))) - 0.5f;
    for (int i = 0; i < KITH__LANES; i++)
        r[(int64_t)i * I->stride + x_at] = x[i];
}

static void put_x_of(kith__lowrank *I, int32_t first, int32_t last, int point,
                     int t)
{
    const int p_at = kith__lowrank_p_at(I, point);
    const int x_at = kith__lowrank_x_at(I, point, t);
    int32_t u = first;

    for (; I->C == 2 && u + KITH__LANES <= last; u += KITH__LANES)
        put_pairs(I, kith__lowrank_record(I, u), p_at, x_at);
    for (; u < last; u++) {
        float *r = kith__lowrank_record(I, u), p[MOST_C] = {0};

        kith__lowrank_widen(I->C, I->carried, r + p_at, p);
        x_of(I->C, p, r + x_at);
    }
}

void kith__lowrank_put_x(kith__lowrank *I, int32_t first, int32_t last, int t)
{
    const int apart = t == 0 && !I->weights ? 1 : I->points; /* x_0 is shared */

    if (I->weights)
        kith__stored_keep_x(I, first, last, t);
    for (int j = 0; j < apart; j++)
        put_x_of(I, first, last, j, t);
}

/* Column j of B, entry i: s = B x. */
static double basis(int C, int i, int j)
{
    if (j == C - 1)
        return 1.0 / C;
    return i == j ? 1 : i == C - 1 ? -1 : 0;
}

void kith__lowrank_to_coordinates(int C, const double *M, double *out)
{
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++) {
            double sum = 0;

            for (int k = 0; k < C; k++)
                for (int l = 0; l < C; l++)
                    sum += basis(C, k, i) * M[k * C + l] * basis(C, l, j);
            out[i * C + j] = sum;
        }
}

void kith__lowrank_from_coordinates(int C, const double *K, double *out)
{
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++) {
            double sum = 0;

            for (int k = 0; k < C; k++)
                for (int l = 0; l < C; l++)
                    sum += basis(C, i, k) * K[k * C + l] * basis(C, j, l);
            out[i * C + j] = sum;
        }
}

/*
 * The loops below are inlined with the sizes of a shape as constants where they
 * are common: two, three and four classes, four alternations.
 */
typedef struct shape {
    int C, n, J, V; /* classes, carried, points, vectors */
} shape;

#define WITH_SHAPE(I, CALL)                                                 \
    do {                                                                    \
        const shape s_ = {(I)->C, (I)->carried, (I)->points, (I)->vectors}; \
        if (is_shape(s_, 2, 1, 1, 1))                                       \
            CALL(((shape){2, 1, 1, 1}));                                    \
        else if (is_shape(s_, 2, 1, 3, 1))                                  \
            CALL(((shape){2, 1, 3, 1}));                                    \
        else if (is_shape(s_, 3, 2, 1, 2))                                  \
            CALL(((shape){3, 2, 1, 2}));                                    \
        else if (is_shape(s_, 4, 3, 1, 3))                                  \
            CALL(((shape){4, 3, 1, 3}));                                    \
        else                                                                \
            CALL(s_);                                                       \
    } while (0)

static bool is_shape(shape s, int C, int n, int J, int V)
{
    return s.C == C && s.n == n && s.J == J && s.V == V;
}

/* ---- sums over a row's neighbours ---------------------------------------- */

/* r = (common, own): sum r, and sum z r for each column z of a point. */
typedef struct sums {
    kith__v4 common, own[POINTS][VECTORS];
    kith__v4 z_common[POINTS][COLUMNS], z_own[POINTS][COLUMNS][VECTORS];
} sums;

KITH__ALWAYS_INLINE void clear_sums(shape s, int Z, sums *a)
{
    a->common = kith__v4_all(0);
    for (int j = 0; j < s.J; j++)
        for (int i = 0; i < s.V; i++)
            a->own[j][i] = kith__v4_all(0);
    for (int j = 0; j < s.J; j++)
        for (int z = 0; z < Z; z++) {
            a->z_common[j][z] = kith__v4_all(0);
            for (int i = 0; i < s.V; i++)
                a->z_own[j][z][i] = kith__v4_all(0);
        }
}

KITH__ALWAYS_INLINE void add_sums(shape s, int Z, const sums *a, sums *to)
{
    to->common += a->common;
    for (int j = 0; j < s.J; j++)
        for (int i = 0; i < s.V; i++)
            to->own[j][i] += a->own[j][i];
    for (int j = 0; j < s.J; j++)
        for (int z = 0; z < Z; z++) {
            to->z_common[j][z] += a->z_common[j][z];
            for (int i = 0; i < s.V; i++)
                to->z_own[j][z][i] += a->z_own[j][z][i];
        }
}

/* Where column z of a point lies in a record: p, then x_t. */
KITH__ALWAYS_INLINE int column_at(shape s, int j, int z, int t)
{
    const int p_at = KITH__LANES * (1 + s.V * j);

    if (z < s.n)
        return p_at + z;
    return (t == 0 ? 1 : p_at + s.n + (s.C - 1) * (t - 1)) + z - s.n;
}

/* Add one record. */
KITH__ALWAYS_INLINE void add_record(shape s, int Z, int t, const float *r,
                                    sums *a)
{
    const kith__v4 c = kith__v4_load(r);

    a->common += c;
    for (int j = 0; j < s.J; j++) {
        kith__v4 own[VECTORS] = {kith__v4_all(0)};

        for (int i = 0; i < s.V; i++) {
            own[i] = kith__v4_load(r + KITH__LANES * (1 + s.V * j + i));
            a->own[j][i] += own[i];
        }
        for (int z = 0; z < Z; z++) {
            const kith__v4 x = kith__v4_all(r[column_at(s, j, z, t)]);

            a->z_common[j][z] += x * c;
            for (int i = 0; i < s.V; i++)
                a->z_own[j][z][i] += x * own[i];
        }
    }
}

/* Sums over the neighbours at p .. end - 1. */
KITH__ALWAYS_INLINE void sum_some(const kith__lowrank *I, shape s, int Z, int t,
                                  int64_t p, int64_t end, sums *out)
{
    const int64_t last = I->start.rows[I->start.n] - 1;
    const int64_t stride = KITH__LANES * (1 + s.V * s.J);
    const int32_t *at = I->start.neighbours;

    clear_sums(s, Z, out);
    for (; p < end; p++) {
        const int64_t soon = p + AHEAD < last ? p + AHEAD : last;

        __builtin_prefetch(I->records + at[soon] * stride);
        add_record(s, Z, t, I->records + at[p] * stride, out);
    }
}

/* Columns p and, with `learning`, x_t, over the neighbours of u. */
KITH__ALWAYS_INLINE void sum_row(const kith__lowrank *I, shape s, bool learning,
                                 int t, int32_t u, sums *out)
{
    const int64_t end = I->start.rows[u + 1];
    const int Z = s.n + (learning ? s.C - 1 : 0);
    int64_t p = I->start.rows[u];

    if (end - p <= CHUNK) {
        sum_some(I, s, Z, t, p, end, out);
        return;
    }
    clear_sums(s, Z, out);
    for (; p < end; p += CHUNK) {
        sums a;

        sum_some(I, s, Z, t, p, end - p < CHUNK ? end : p + CHUNK, &a);
        add_sums(s, Z, &a, out);
    }
}

/* ---- a row's own half ---------------------------------------------------- */

/* c_u: lanes as in a record, and what stands before sum_v z_v. */
typedef struct half {
    kith__v4 lane[1 + VECTORS];
    float constant;
} half;

/*
 * How c_u follows from u's record r.  With two classes every x_t has a lane of
 * its own, so that it does lane by lane:
 *
 *     c_u = by o r + plus,    constant = by_r . r + alone
 */
typedef struct halving {
    kith__v4 by[1 + VECTORS], plus[1 + VECTORS], by_r[1 + VECTORS];
    float alone;
} halving;

/* Of a point; empty for more classes. */
static halving halving_of(const kith__lowrank *I, int j)
{
    halving h = {.by = {{1, 0, 0, 0}}};

    for (int t = 0; I->C == 2 && t < I->terms; t++) {
        const float *M = I->term[j].M[t];
        const int at = t == 0 ? 1 : KITH__LANES + I->carried + t - 1;
        const int i = at / KITH__LANES, lane = at % KITH__LANES;

        h.by[i][lane] = M[0];
        h.plus[i][lane] = M[2];
        h.by_r[i][lane] = M[1];
        h.alone += M[3];
    }
    return h;
}

static void halve_all(const kith__lowrank *I, halving *how)
{
    for (int j = 0; j < I->points; j++)
        how[j] = halving_of(I, j);
}

/* Lane i of a vector of them. */
KITH__ALWAYS_INLINE float lane_of(const kith__v4 *v, int i)
{
    return v[i / KITH__LANES][i % KITH__LANES];
}

/* x_t M_t of every term, with three classes or more. */
KITH__ALWAYS_INLINE void mix_terms(const kith__lowrank *I, shape s, int j,
                                   const float *r, half *out)
{
    float lane[KITH__LANES * (1 + VECTORS)] = {r[0]};

    out->constant = 0;
    for (int t = 0; t < I->terms; t++) {
        const float *M = I->term[j].M[t], *x = r + column_at(s, j, s.n, t);
        float *to = lane +
                    (t == 0 ? 1 : KITH__LANES + s.n + (s.C - 1) * (t - 1));

        for (int c = 0; c < s.C; c++) {
            float xM = M[(s.C - 1) * s.C + c];

            for (int k = 0; k < s.C - 1; k++)
                xM += x[k] * M[k * s.C + c];
            if (c < s.C - 1)
                to[c] = xM;
            else
                out->constant += xM;
        }
    }
    for (int i = 0; i <= s.V; i++)
        out->lane[i] = kith__v4_load(lane + KITH__LANES * i);
}

KITH__ALWAYS_INLINE void half_of(const kith__lowrank *I, shape s, int j,
                                 const halving *how, int32_t u, half *out)
{
    const float *r = I->records + (int64_t)u * I->stride;
    kith__v4 constant = kith__v4_all(0);

    if (s.C > 2) {
        mix_terms(I, s, j, r, out);
        return;
    }
    for (int i = 0; i <= s.V; i++) {
        const int at = i == 0 ? 0 : 1 + s.V * j + i - 1;
        const kith__v4 own = kith__v4_load(r + KITH__LANES * at);

        out->lane[i] = how->by[i] * own + how->plus[i];
        constant += how->by_r[i] * own;
    }
    out->constant = kith__v4_sum(constant) + how->alone;
}

/* c_u . sum_v r_v z_v, and sum_v z_v by the constant. */
KITH__ALWAYS_INLINE float apply_half(const half *h, shape s, kith__v4 common,
                                     const kith__v4 *own, float sum)
{
    kith__v4 dot = h->lane[0] * common;

    for (int i = 0; i < s.V; i++)
        dot += h->lane[1 + i] * own[i];
    return kith__v4_sum(dot) + h->constant * sum;
}

KITH__ALWAYS_INLINE void sum_rows(const kith__lowrank *I, shape s, int32_t from,
                                  int32_t to, float *out)
{
    halving how[POINTS];

    halve_all(I, how);
    for (int32_t u = from; u < to; u++) {
        sums a;

        sum_row(I, s, false, 0, u, &a);
        for (int j = 0; j < s.J; j++) {
            half h;

            half_of(I, s, j, &how[j], u, &h);
            for (int c = 0; c < s.n; c++)
                *out++ = apply_half(&h, s, a.z_common[j][c], a.z_own[j][c],
                                    lane_of(a.own[j], c));
        }
    }
}

void kith__lowrank_pull(const kith__lowrank *I, int32_t from, int32_t to,
                        float *out)
{
#define PULL(s) sum_rows(I, s, from, to, out)
    WITH_SHAPE(I, PULL);
#undef PULL
}

/* w_uv for the half of u and the record of v. */
KITH__ALWAYS_INLINE float weight(shape s, int j, const half *h, const float *r)
{
    kith__v4 dot = h->lane[0] * kith__v4_load(r);

    for (int i = 0; i < s.V; i++)
        dot += h->lane[1 + i] *
               kith__v4_load(r + KITH__LANES * (1 + s.V * j + i));
    return kith__v4_sum(dot) + h->constant;
}

static shape any_shape(const kith__lowrank *I)
{
    return (shape){I->C, I->carried, I->points, I->vectors};
}

float kith__lowrank_weight(const kith__lowrank *I, int point, int32_t u,
                           int32_t v)
{
    const shape s = any_shape(I);
    const halving how = halving_of(I, point);
    half h;

    half_of(I, s, point, &how, u, &h);
    return weight(s, point, &h, kith__lowrank_record(I, v));
}

KITH__ALWAYS_INLINE void weigh_row(const kith__lowrank *I, shape s,
                                   const halving *how, int32_t u, float *out)
{
    const int64_t last = I->start.rows[I->start.n] - 1;
    const int64_t stride = KITH__LANES * (1 + s.V * s.J);
    const int32_t *at = I->start.neighbours;
    half h[POINTS];

    for (int j = 0; j < s.J; j++)
        half_of(I, s, j, &how[j], u, &h[j]);
    for (int64_t p = I->start.rows[u]; p < I->start.rows[u + 1]; p++) {
        const int64_t soon = p + AHEAD < last ? p + AHEAD : last;

        __builtin_prefetch(I->records + at[soon] * stride);
        for (int j = 0; j < s.J; j++)
            out[p * s.J + j] = weight(s, j, &h[j], I->records + at[p] * stride);
    }
}

void kith__lowrank_weights(const kith__lowrank *I, float *out)
{
    halving how[POINTS];

    halve_all(I, how);
#pragma omp parallel for num_threads(I->start.threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < I->start.n; u++) {
#define WEIGH(s) weigh_row(I, s, how, u, out)
        WITH_SHAPE(I, WEIGH);
#undef WEIGH
    }
}

KITH__ALWAYS_INLINE void norm_row(const kith__lowrank *I, shape s,
                                  const halving *how, int32_t u, const float *y,
                                  double *out)
{
    const int64_t last = I->start.rows[I->start.n] - 1;
    const int64_t stride = KITH__LANES * (1 + s.V * s.J);
    const int32_t *at = I->start.neighbours;
    half h[POINTS];

    for (int j = 0; j < s.J; j++) {
        half_of(I, s, j, &how[j], u, &h[j]);
        out[j] = 0;
    }
    for (int64_t p = I->start.rows[u]; p < I->start.rows[u + 1]; p++) {
        const int64_t v = at[p], soon = at[p + AHEAD < last ? p + AHEAD : last];
        const float *r = I->records + v * stride;

        __builtin_prefetch(I->records + soon * stride);
        __builtin_prefetch(y + soon * s.J);
        for (int j = 0; j < s.J; j++)
            out[j] += fabs((double)weight(s, j, &h[j], r)) *
                      (double)y[v * s.J + j];
    }
}

void kith__lowrank_pull_norm(const kith__lowrank *I, int32_t from, int32_t to,
                             const float *y, double *out)
{
    halving how[POINTS];

    halve_all(I, how);
    for (int32_t u = from; u < to; u++, out += I->points) {
#define NORM(s) norm_row(I, s, how, u, y, out)
        WITH_SHAPE(I, NORM);
#undef NORM
    }
}

/* ---- learning ------------------------------------------------------------ */

/* sum_v x_l z, x_l the coordinate l of x_t: a lane of the point's sums. */
KITH__ALWAYS_INLINE float of_x(shape s, int t, kith__v4 common,
                               const kith__v4 *own, int l)
{
    return t == 0 ? common[1 + l] : lane_of(own, s.n + (s.C - 1) * (t - 1) + l);
}

/* B_u = sum_v x_v'x_v, the constants' too. */
KITH__ALWAYS_INLINE void products_of_x(shape s, int t, const sums *a, int j,
                                       float degree, float *B)
{
    const int C = s.C;

    for (int l = 0; l < C - 1; l++) {
        for (int k = 0; k < C - 1; k++)
            B[l * C + k] = of_x(s, t, a->z_common[j][s.n + k],
                                a->z_own[j][s.n + k], l);
        B[l * C + C - 1] = B[(C - 1) * C + l] = of_x(s, t, a->common, a->own[j],
                                                     l);
    }
    B[C * C - 1] = degree;
}

/* One row and point: what the pass leaves of it. */
KITH__ALWAYS_INLINE void finish_row(const kith__lowrank *I, shape s, int t,
                                    const halving *how, const sums *a, int j,
                                    int32_t u, float *out,
                                    kith__lowrank_totals *totals)
{
    const float degree = (float)(I->start.rows[u + 1] - I->start.rows[u]);
    const float *r = I->records + (int64_t)u * I->stride;
    float x[MOST_C], Wx[MOST_C], B[SQUARE];
    half h;

    half_of(I, s, j, how, u, &h);
    for (int c = 0; c < s.C - 1; c++)
        x[c] = r[column_at(s, j, s.n + c, t)];
    x[s.C - 1] = 1;
    for (int c = 0; c < s.n; c++) {
        const float sum = lane_of(a->own[j], c);

        out[c] = apply_half(&h, s, a->z_common[j][c], a->z_own[j][c], sum);
        for (int b = 0; b < s.C - 1; b++)
            out[s.n * (1 + b) + c] = of_x(s, t, a->z_common[j][c],
                                          a->z_own[j][c], b);
        out[s.n * s.C + c] = sum;
    }
    products_of_x(s, t, a, j, degree, B);
    for (int c = 0; c < s.C - 1; c++)
        Wx[c] = apply_half(&h, s, a->z_common[j][s.n + c], a->z_own[j][s.n + c],
                           B[c * s.C + s.C - 1]);
    Wx[s.C - 1] = apply_half(&h, s, a->common, a->own[j], degree);
    kith__add_totals(s.C, x, Wx, B, totals);
}

/* sum_v p_v'p_v of listed row i. */
KITH__ALWAYS_INLINE void keep_products(shape s, const sums *a, int32_t i,
                                       const kith__gathered *to)
{
    const int64_t square = (int64_t)s.n * s.n;

    for (int j = 0; j < s.J; j++)
        for (int c = 0; c < s.n; c++)
            for (int d = 0; d < s.n; d++)
                to->PP[((int64_t)j * to->n_rows + i) * square + c * s.n + d] =
                    lane_of(a->z_own[j][c], d);
}

KITH__ALWAYS_INLINE void gather_rows(const kith__lowrank *I, shape s,
                                     int32_t from, int32_t end,
                                     const kith__gathered *to,
                                     kith__lowrank_totals *totals)
{
    const int64_t width = (int64_t)s.n * (s.C + 1);
    int64_t listed = kith__first_from(to->rows, to->n_rows, from);
    halving how[POINTS];

    halve_all(I, how);
    for (int32_t u = from; u < end; u++) {
        sums a;

        sum_row(I, s, true, I->terms, u, &a);
        for (int j = 0; j < s.J; j++)
            finish_row(I, s, I->terms, &how[j], &a, j, u,
                       to->sums + ((int64_t)u * s.J + j) * width, &totals[j]);
        if (listed < to->n_rows && to->rows[listed] == u)
            keep_products(s, &a, (int32_t)listed++, to);
    }
}

/* ---- either -------------------------------------------------------------- */

static void gather_part(const kith__lowrank *I, int32_t from, int32_t end,
                        const kith__gathered *to, kith__lowrank_totals *totals)
{
#define GATHER(s) gather_rows(I, s, from, end, to, totals)
    if (I->weights)
        kith__stored_gather(I, from, end, to, totals);
    else
        WITH_SHAPE(I, GATHER);
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

bool kith__lowrank_gather(const kith__lowrank *I, float *sums_out,
                          kith__lowrank_totals *totals, const int32_t *rows,
                          int32_t n_rows, float *PP)
{
    const int J = I->points;
    const int64_t n = I->start.n, parts = count_parts(n);
    const kith__gathered to = {sums_out, PP, rows, n_rows};
    kith__lowrank_totals *partial = kith__alloc_zeroed(parts * J,
                                                       sizeof(*partial));

    if (!partial)
        return false;
#pragma omp parallel for num_threads(I->start.threads) schedule(dynamic, 1)
    for (int64_t part = 0; part < parts; part++) {
        const int32_t from = (int32_t)(n * part / parts);
        const int32_t end = (int32_t)(n * (part + 1) / parts);

        gather_part(I, from, end, &to, partial + part * J);
    }
    memset(totals, 0, (size_t)J * sizeof(*totals));
    for (int64_t i = 0; i < parts * J; i++)
        add_partial(&partial[i], &totals[i % J]);
    kith__free(partial);
    return true;
}
