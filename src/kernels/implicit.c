#include "kernels/implicit.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "kernels/softmax.h"
#include "kernels/vector.h"

enum {
    MOST_C = KITH__IMPLICIT_CLASSES,
    POINTS = KITH__IMPLICIT_POINTS,
    VECTORS = KITH__IMPLICIT_VECTORS,
    COLUMNS = 2 * MOST_C - 1, /* of z: p, x */
    LINE = 64,
    CHUNK = 1024, /* neighbours summed together: hubs lose no digits */
    AHEAD = 24    /* neighbours whose records are asked for early */
};

/* ---- records ------------------------------------------------------------- */

int kith__implicit_vectors(int C, int carried, int terms)
{
    return kith__vectors(carried + (C - 1) * (terms > 1 ? terms - 1 : 0));
}

bool kith__implicit_new(const kith__coupled *start, int C, int carried,
                        int points, int terms, kith__implicit *out)
{
    const int vectors = kith__implicit_vectors(C, carried, terms);
    const int stride = KITH__LANES * (1 + vectors * points);
    int64_t cells = 0;

    *out = (kith__implicit){.start = *start,
                            .C = C,
                            .carried = carried,
                            .points = points,
                            .vectors = vectors,
                            .stride = stride};
    if (kith__multiply(start->n, stride, &cells) &&
        kith__add(cells, LINE / (int)sizeof(float), &cells))
        out->block = kith__alloc_big(cells, sizeof(float));
    if (!out->block)
        return false;
    out->records = (float *)(((uintptr_t)out->block + LINE - 1) / LINE * LINE);
#pragma omp parallel for num_threads(start->threads) schedule(static)
    for (int32_t u = 0; u < start->n; u++) {
        float *r = kith__implicit_record(out, u);

        memset(r, 0, (size_t)stride * sizeof(*r));
        r[0] = start->scale[u];
    }
    return true;
}

void kith__implicit_release(kith__implicit *I)
{
    kith__free(I->block);
    I->block = NULL;
}

void kith__implicit_put(kith__implicit *I, int32_t u, int point, int t,
                        const float *p)
{
    float *r = kith__implicit_record(I, u), s[MOST_C];
    float *x = r + kith__implicit_x_at(I, point, t < 0 ? 0 : t);

    memcpy(r + kith__implicit_p_at(I, point), p,
           (size_t)I->carried * sizeof(*r));
    if (t < 0)
        return;
    kith__softmax(p, I->C, s);
    for (int c = 0; c < I->C - 1; c++)
        x[c] = s[c] - 1 / (float)I->C;
}

/* Column j of B, entry i: s = B x. */
static double basis(int C, int i, int j)
{
    if (j == C - 1)
        return 1.0 / C;
    return i == j ? 1 : i == C - 1 ? -1 : 0;
}

void kith__implicit_to_coordinates(int C, const double *M, double *out)
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

void kith__implicit_from_coordinates(int C, const double *K, double *out)
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

/* ---- sums over a row's neighbours ---------------------------------------- */

/* Which sums: of every point its columns z, as places in a record. */
typedef struct shape {
    int points, vectors, columns;
    int z[POINTS][COLUMNS];
} shape;

/* r = (common, own): sum r, and sum z r for each column. */
typedef struct sums {
    kith__v4 common, own[POINTS][VECTORS];
    kith__v4 z_common[POINTS][COLUMNS], z_own[POINTS][COLUMNS][VECTORS];
} sums;

/* Add the records of neighbours[from .. to - 1]; J, V and Z are constants
 * where it matters. */
KITH__ALWAYS_INLINE void add_chunk(const kith__implicit *I, const shape *s,
                                   int J, int V, int Z, int64_t from,
                                   int64_t to, sums *out)
{
    const int32_t *at = I->start.neighbours;
    const int64_t last = I->start.rows[I->start.n] - 1;
    const float *records = I->records;
    const int64_t stride = KITH__LANES * (1 + V * J);
    sums a;

    a.common = kith__v4_all(0);
    for (int j = 0; j < J; j++) {
        for (int i = 0; i < V; i++)
            a.own[j][i] = kith__v4_all(0);
        for (int z = 0; z < Z; z++) {
            a.z_common[j][z] = kith__v4_all(0);
            for (int i = 0; i < V; i++)
                a.z_own[j][z][i] = kith__v4_all(0);
        }
    }
    for (int64_t p = from; p < to; p++) {
        const float *r = records + at[p] * stride;
        const kith__v4 c = kith__v4_load(r);

        __builtin_prefetch(records +
                           at[p + AHEAD < last ? p + AHEAD : last] * stride);
        a.common += c;
        for (int j = 0; j < J; j++)
            for (int i = 0; i < V; i++) {
                const kith__v4 o =
                    kith__v4_load(r + KITH__LANES * (1 + V * j + i));

                a.own[j][i] += o;
                for (int z = 0; z < Z; z++)
                    a.z_own[j][z][i] += r[s->z[j][z]] * o;
            }
        for (int j = 0; j < J; j++)
            for (int z = 0; z < Z; z++)
                a.z_common[j][z] += r[s->z[j][z]] * c;
    }
    out->common += a.common;
    for (int j = 0; j < J; j++)
        for (int i = 0; i < V; i++)
            out->own[j][i] += a.own[j][i];
    for (int j = 0; j < J; j++)
        for (int z = 0; z < Z; z++) {
            out->z_common[j][z] += a.z_common[j][z];
            for (int i = 0; i < V; i++)
                out->z_own[j][z][i] += a.z_own[j][z][i];
        }
}

static void sum_row(const kith__implicit *I, const shape *s, int32_t u,
                    sums *out)
{
    const int64_t end = I->start.rows[u + 1];

    out->common = kith__v4_all(0);
    for (int j = 0; j < s->points; j++) {
        memset(out->own[j], 0, sizeof(out->own[j][0]) * (size_t)s->vectors);
        memset(out->z_common[j], 0,
               sizeof(out->z_common[j][0]) * (size_t)s->columns);
        for (int z = 0; z < s->columns; z++)
            memset(out->z_own[j][z], 0,
                   sizeof(out->z_own[j][z][0]) * (size_t)s->vectors);
    }
    for (int64_t p = I->start.rows[u]; p < end; p += CHUNK) {
        const int64_t to = end - p < CHUNK ? end : p + CHUNK;

#define ADD(J, V, Z)                                                \
    if (s->points == (J) && s->vectors == (V) && s->columns == (Z)) \
    add_chunk(I, s, J, V, Z, p, to, out)
        ADD(1, 1, 2); /* two classes: learning, then propagating */
        else ADD(1, 1, 1);
        else ADD(3, 1, 2);
        else ADD(3, 1, 1);
        else ADD(1, 2, 4); /* three */
        else ADD(1, 2, 2);
        else ADD(1, 3, 6); /* four */
        else ADD(1, 3, 3);
        else add_chunk(I, s, s->points, s->vectors, s->columns, p, to, out);
#undef ADD
    }
}

/* Columns p of every point, and x_t of them unless t is negative. */
static shape shape_of(const kith__implicit *I, int t)
{
    shape s = {.points = I->points,
               .vectors = I->vectors,
               .columns = I->carried + (t < 0 ? 0 : I->C - 1)};

    for (int j = 0; j < s.points; j++)
        for (int z = 0; z < s.columns; z++)
            s.z[j][z] = z < I->carried
                            ? kith__implicit_p_at(I, j) + z
                            : kith__implicit_x_at(I, j, t) + z - I->carried;
    return s;
}

/* ---- a row's own half ---------------------------------------------------- */

/* c_u: lanes as in a record, and what stands before sum_v z_v. */
typedef struct half {
    kith__v4 common, own[VECTORS];
    float constant;
} half;

static void half_of(const kith__implicit *I, int point, int32_t u, half *out)
{
    const float *r = kith__implicit_record(I, u);
    const int C = I->C, first = kith__implicit_p_at(I, point);
    float lane[KITH__LANES * (1 + VECTORS)] = {0};

    lane[0] = r[0];
    out->constant = 0;
    for (int t = 0; t < I->terms; t++) {
        const float *M = I->term[point].M[t];
        const int at = kith__implicit_x_at(I, point, t);
        float *to = t == 0 ? lane + 1 : lane + KITH__LANES + (at - first);

        for (int c = 0; c < C; c++) {
            float xM = M[(C - 1) * C + c];

            for (int k = 0; k < C - 1; k++)
                xM += r[at + k] * M[k * C + c];
            if (c < C - 1)
                to[c] = xM;
            else
                out->constant += xM;
        }
    }
    out->common = kith__v4_load(lane);
    for (int i = 0; i < I->vectors; i++)
        out->own[i] = kith__v4_load(lane + KITH__LANES * (1 + i));
}

/* c_u . sum_v r_v z_v, and sum_v z_v by the constant. */
static float apply_half(const half *h, int vectors, kith__v4 common,
                        const kith__v4 *own, float sum)
{
    kith__v4 dot = h->common * common;

    for (int i = 0; i < vectors; i++)
        dot += h->own[i] * own[i];
    return kith__v4_sum(dot) + h->constant * sum;
}

void kith__implicit_pull(const kith__implicit *I, int32_t u, float *out)
{
    const shape s = shape_of(I, -1);
    sums a;

    sum_row(I, &s, u, &a);
    for (int j = 0; j < I->points; j++) {
        half h;

        half_of(I, j, u, &h);
        for (int c = 0; c < I->carried; c++)
            out[j * I->carried + c] =
                apply_half(&h, I->vectors, a.z_common[j][c], a.z_own[j][c],
                           a.own[j][c / KITH__LANES][c % KITH__LANES]);
    }
}

/* w_uv for the half of u. */
static inline float weight(const kith__implicit *I, int point, const half *h,
                           int32_t v)
{
    const float *r = kith__implicit_record(I, v);
    const float *own = r + kith__implicit_p_at(I, point);
    kith__v4 dot = h->common * kith__v4_load(r);

    for (int i = 0; i < I->vectors; i++)
        dot += h->own[i] * kith__v4_load(own + KITH__LANES * i);
    return kith__v4_sum(dot) + h->constant;
}

float kith__implicit_weight(const kith__implicit *I, int point, int32_t u,
                            int32_t v)
{
    half h;

    half_of(I, point, u, &h);
    return weight(I, point, &h, v);
}

void kith__implicit_weights(const kith__implicit *I, int point, float *out)
{
    const kith__coupled *W = &I->start;

#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < W->n; u++) {
        half h;

        half_of(I, point, u, &h);
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
            out[p] = weight(I, point, &h, W->neighbours[p]);
    }
}

double kith__implicit_pull_norm(const kith__implicit *I, int point, int32_t u,
                                const double *y)
{
    double sum = 0;
    half h;

    half_of(I, point, u, &h);
    for (int64_t p = I->start.rows[u]; p < I->start.rows[u + 1]; p++) {
        const int32_t v = I->start.neighbours[p];

        sum += fabs((double)weight(I, point, &h, v)) * y[v];
    }
    return sum;
}

/* ---- learning ------------------------------------------------------------ */

/* Lane `at` of the record in a sum of records: common lanes, then own ones. */
static inline float lane_of(kith__v4 common, const kith__v4 *own, int at)
{
    return at < KITH__LANES ? common[at]
                            : own[at / KITH__LANES - 1][at % KITH__LANES];
}

/* B_u = sum_v x_v'x_v, full: `at` is where x lies among the point's lanes. */
static void products_of_x(const sums *a, int j, int C, int carried, int at,
                          float degree, float *B)
{
    for (int l = 0; l < C - 1; l++) {
        for (int k = 0; k < C - 1; k++)
            B[l * C + k] = lane_of(a->z_common[j][carried + k],
                                   a->z_own[j][carried + k], at + l);
        B[l * C + C - 1] = B[(C - 1) * C + l] = lane_of(a->common, a->own[j],
                                                        at + l);
    }
    B[C * C - 1] = degree;
}

/* K += x'(W x), T += (x'x) (x) B, upper triangles of T's. */
static void add_totals(int C, const float *x, const float *Wx, const float *B,
                       kith__implicit_totals *to)
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

/* One row and point: what the pass leaves of it. */
static void finish_row(const kith__implicit *I, const sums *a, int j, int32_t u,
                       float *out, kith__implicit_totals *totals)
{
    const int C = I->C, carried = I->carried, t = I->terms;
    const int at = t == 0 ? 1
                          : KITH__LANES + kith__implicit_x_at(I, j, t) -
                                kith__implicit_p_at(I, j);
    const float degree = (float)(I->start.rows[u + 1] - I->start.rows[u]);
    float x[MOST_C], Wx[MOST_C], B[MOST_C * MOST_C];
    half h;

    half_of(I, j, u, &h);
    kith__implicit_x(I, u, j, t, x);
    for (int c = 0; c < carried; c++) {
        const float sum = a->own[j][c / KITH__LANES][c % KITH__LANES];

        out[c] = apply_half(&h, I->vectors, a->z_common[j][c], a->z_own[j][c],
                            sum);
        for (int b = 0; b < C - 1; b++)
            out[carried * (1 + b) + c] = lane_of(a->z_common[j][c],
                                                 a->z_own[j][c], at + b);
        out[carried * C + c] = sum;
    }
    products_of_x(a, j, C, carried, at, degree, B);
    for (int c = 0; c < C - 1; c++)
        Wx[c] = apply_half(&h, I->vectors, a->z_common[j][carried + c],
                           a->z_own[j][carried + c], B[c * C + C - 1]);
    Wx[C - 1] = apply_half(&h, I->vectors, a->common, a->own[j], degree);
    add_totals(C, x, Wx, B, totals);
}

/* sum_v p_v'p_v of a row and point. */
static void keep_products(const kith__implicit *I, const sums *a, int j,
                          float *out)
{
    for (int c = 0; c < I->carried; c++)
        for (int d = 0; d < I->carried; d++)
            out[c * I->carried + d] =
                a->z_own[j][c][d / KITH__LANES][d % KITH__LANES];
}

/* Partial sums over at least 256 rows, at most 1024 of them: their number
 * depends on n alone. */
static int64_t count_parts(int64_t n)
{
    const int64_t wished = n / 256;

    return wished > 1024 ? 1024 : wished < 1 ? 1 : wished;
}

bool kith__implicit_gather(const kith__implicit *I, float *out,
                           kith__implicit_totals *totals, const int32_t *rows,
                           int32_t n_rows, float *PP)
{
    const int J = I->points, width = kith__implicit_width(I);
    const int64_t n = I->start.n, parts = count_parts(n);
    const int64_t square = (int64_t)I->carried * I->carried;
    const shape s = shape_of(I, I->terms);
    kith__implicit_totals *partial = kith__alloc_zeroed(parts * J,
                                                        sizeof(*partial));

    if (!partial)
        return false;
#pragma omp parallel for num_threads(I->start.threads) schedule(dynamic, 1)
    for (int64_t part = 0; part < parts; part++) {
        const int32_t from = (int32_t)(n * part / parts);
        const int32_t to = (int32_t)(n * (part + 1) / parts);
        int32_t listed = (int32_t)kith__first_from(rows, n_rows, from);
        sums a;

        for (int32_t u = from; u < to; u++) {
            sum_row(I, &s, u, &a);
            for (int j = 0; j < J; j++)
                finish_row(I, &a, j, u, out + ((int64_t)u * J + j) * width,
                           &partial[part * J + j]);
            if (listed == n_rows || rows[listed] != u)
                continue;
            for (int j = 0; j < J; j++)
                keep_products(I, &a, j,
                              PP + (j * (int64_t)n_rows + listed) * square);
            listed++;
        }
    }
    memset(totals, 0, (size_t)J * sizeof(*totals));
    for (int64_t part = 0; part < parts * J; part++) {
        kith__implicit_totals *to = &totals[part % J];

        for (int i = 0; i < MOST_C * MOST_C; i++)
            to->K[i] += partial[part].K[i];
        for (int i = 0; i < KITH__IMPLICIT_PAIRS * KITH__IMPLICIT_PAIRS; i++)
            to->T[i] += partial[part].T[i];
    }
    kith__free(partial);
    return true;
}
