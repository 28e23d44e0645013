/*
 * stored.c: learning passes with the weights of two classes stored.
 *
 * One point: a record is a vector (a, x, p, 1), a the x of the alternation
 * before or at first d^-1/2, and the lanes of its sums are what they are of.
 *
 * Four points side by side: a record is three vectors a, x and p, whose lanes
 * are the points; so are those of four weights per stored neighbour.  The x of
 * the first alternation is the same for all, so that after it a is
 * (x, d^-1/2, .., ..), and the first weights need not be read.
 *
 * A pass reads and writes the weights in order and gathers a record: of one
 * point 12 bytes and 16, of four 36 and 48.
 */
#include "core/sort.h"
#include "kernels/lowrank_parts.h"
#include "kernels/spectral_bound.h"

enum {
    CHUNK = KITH__GATHER_CHUNK,
    AHEAD = KITH__GATHER_AHEAD,
    RECORD = KITH__STORED_RECORD
};

/* What a weight w_uv of row u gains by the last term: by x_v + alone. */
typedef struct gain {
    float by, alone;
} gain;

static gain last_gain(const kith__lowrank *I, int point, float x_u)
{
    const float *M = I->term[point].M[I->terms - 1];

    return (gain){x_u * M[0] + M[2], x_u * M[1] + M[3]};
}

/* The same of four points. */
typedef struct gains {
    kith__v4 by, alone;
} gains;

static gains last_gains(const kith__lowrank *I, const float *x_u)
{
    gains g;

    for (int j = 0; j < KITH__LANES; j++) {
        const gain one = last_gain(I, j, x_u[j]);

        g.by[j] = one.by;
        g.alone[j] = one.alone;
    }
    return g;
}

/* ---- one point ----------------------------------------------------------- */

/* Of r = (a, x, p, 1): sum r, sum w r, sum x r. */
typedef struct one_sums {
    kith__v4 plain, weighted, by_x;
} one_sums;

/* Over the neighbours at p .. end - 1, whose weights become by a + alone, and
 * unless they are the first what they were before beside. */
KITH__ALWAYS_INLINE void sum_one(const kith__lowrank *I, bool first, gain g,
                                 int64_t p, int64_t end, one_sums *to)
{
    const int64_t last = I->start.rows[I->start.n] - 1;
    const int32_t *at = I->start.neighbours;
    one_sums a = {0};

    for (; p < end; p++) {
        const int64_t soon = p + AHEAD < last ? p + AHEAD : last;
        kith__v4 r;
        float w;

        __builtin_prefetch(I->records + KITH__LANES * (int64_t)at[soon]);
        r = kith__v4_load(I->records + KITH__LANES * (int64_t)at[p]);
        w = (first ? 0 : I->weights[p]) + g.alone + g.by * r[0];
        I->weights[p] = w;
        a.plain += r;
        a.weighted += w * r;
        a.by_x += r[1] * r;
    }
    to->plain += a.plain;
    to->weighted += a.weighted;
    to->by_x += a.by_x;
}

KITH__ALWAYS_INLINE void gather_one(const kith__lowrank *I, bool first,
                                    int32_t from, int32_t end,
                                    const kith__gathered *to,
                                    kith__lowrank_totals *totals)
{
    for (int32_t u = from; u < end; u++) {
        const int64_t begin = I->start.rows[u], stop = I->start.rows[u + 1];
        const float *r = kith__lowrank_record(I, u);
        const gain g = first ? (gain){r[0], 0} : last_gain(I, 0, r[0]);
        float *out = to->sums + 3 * (int64_t)u;
        one_sums a = {0};

        for (int64_t p = begin; p < stop; p += CHUNK)
            sum_one(I, first, g, p, stop - p < CHUNK ? stop : p + CHUNK, &a);
        out[0] = a.weighted[2];
        out[1] = a.by_x[2];
        out[2] = a.plain[2];
        kith__add_totals(
            2, (float[]){r[1], 1}, (float[]){a.weighted[1], a.weighted[3]},
            (float[]){a.by_x[1], a.plain[1], a.plain[1], (float)(stop - begin)},
            totals);
    }
}

static void complete_one(const kith__lowrank *I, int32_t u, double *out)
{
    const int64_t last = I->start.rows[I->start.n] - 1;
    const int32_t *at = I->start.neighbours;
    const gain g = last_gain(I, 0, kith__lowrank_record(I, u)[1]);
    double sum = 0;

    for (int64_t p = I->start.rows[u]; p < I->start.rows[u + 1]; p++) {
        const int64_t soon = p + AHEAD < last ? p + AHEAD : last;
        const float *r = I->records + KITH__LANES * (int64_t)at[p];
        const float w = I->weights[p] + (g.alone + g.by * r[1]);

        __builtin_prefetch(I->records + KITH__LANES * (int64_t)at[soon]);
        I->weights[p] = w;
        sum += fabs((double)w) * (double)r[0];
    }
    *out = sum;
}

/* ---- four points --------------------------------------------------------- */

typedef struct four_sums {
    kith__v4 p, x, xp, xx, w, wp, wx;
} four_sums;

/* Records do not lie within lines of the cache: ask for both ends of what is
 * read of one. */
KITH__ALWAYS_INLINE void ask_for(const float *record, int floats)
{
    __builtin_prefetch(record);
    __builtin_prefetch(record + floats - 1);
}

/* As above; first: the weights become those of the graph and by a_0 + alone. */
KITH__ALWAYS_INLINE void sum_four(const kith__lowrank *I, bool first,
                                  float scale, gains g, int64_t p, int64_t end,
                                  four_sums *to)
{
    const int64_t last = I->start.rows[I->start.n] - 1;
    const int32_t *at = I->start.neighbours;
    four_sums s = {0};

    for (; p < end; p++) {
        const int64_t soon = p + AHEAD < last ? p + AHEAD : last;
        const float *r = I->records + RECORD * (int64_t)at[p];
        const kith__v4 a = kith__v4_load(r);
        const kith__v4 x = kith__v4_load(r + KITH__LANES);
        const kith__v4 b = kith__v4_load(r + 2 * KITH__LANES);
        float *weights = I->weights + KITH__LANES * p;
        kith__v4 w = g.alone + g.by * (first ? kith__v4_all(a[0]) : a);

        ask_for(I->records + RECORD * (int64_t)at[soon], RECORD);
        w += first ? kith__v4_all(scale * a[1]) : kith__v4_load(weights);
        kith__v4_store(weights, w);
        s.p += b;
        s.x += x;
        s.xp += x * b;
        s.xx += x * x;
        s.w += w;
        s.wp += w * b;
        s.wx += w * x;
    }
    to->p += s.p;
    to->x += s.x;
    to->xp += s.xp;
    to->xx += s.xx;
    to->w += s.w;
    to->wp += s.wp;
    to->wx += s.wx;
}

/* What a row leaves of each point. */
KITH__ALWAYS_INLINE void finish_four(const four_sums *s, const float *x,
                                     float degree, float *out,
                                     kith__lowrank_totals *totals)
{
    for (int j = 0; j < KITH__LANES; j++) {
        out[3 * j] = s->wp[j];
        out[3 * j + 1] = s->xp[j];
        out[3 * j + 2] = s->p[j];
        kith__add_totals(2, (float[]){x[j], 1}, (float[]){s->wx[j], s->w[j]},
                         (float[]){s->xx[j], s->x[j], s->x[j], degree},
                         &totals[j]);
    }
}

KITH__ALWAYS_INLINE void gather_four(const kith__lowrank *I, bool first,
                                     int32_t from, int32_t end,
                                     const kith__gathered *to,
                                     kith__lowrank_totals *totals)
{
    for (int32_t u = from; u < end; u++) {
        const int64_t begin = I->start.rows[u], stop = I->start.rows[u + 1];
        const float *r = kith__lowrank_record(I, u);
        const float shared[] = {r[0], r[0], r[0], r[0]};
        gains g = {kith__v4_all(0), kith__v4_all(0)};
        four_sums s = {0};

        if (I->terms > 0)
            g = last_gains(I, first ? shared : r);
        for (int64_t p = begin; p < stop; p += CHUNK)
            sum_four(I, first, I->start.scale[u], g, p,
                     stop - p < CHUNK ? stop : p + CHUNK, &s);
        finish_four(&s, r + KITH__LANES, (float)(stop - begin),
                    to->sums + 3 * KITH__LANES * (int64_t)u, totals);
    }
}

static void complete_four(const kith__lowrank *I, int32_t u, double *out)
{
    typedef double v4d __attribute__((vector_size(32)));
    const int64_t last = I->start.rows[I->start.n] - 1;
    const int32_t *at = I->start.neighbours;
    const gains g = last_gains(I, kith__lowrank_record(I, u) + KITH__LANES);
    v4d sum = {0, 0, 0, 0};

    for (int64_t p = I->start.rows[u]; p < I->start.rows[u + 1]; p++) {
        const int64_t soon = p + AHEAD < last ? p + AHEAD : last;
        const float *r = I->records + RECORD * (int64_t)at[p];
        float *weights = I->weights + KITH__LANES * p;
        const kith__v4 w = kith__v4_load(weights) +
                           (g.alone + g.by * kith__v4_load(r + KITH__LANES));

        ask_for(I->records + RECORD * (int64_t)at[soon], 2 * KITH__LANES);
        kith__v4_store(weights, w);
        sum += __builtin_convertvector(kith__v4_abs(w) * r[0], v4d);
    }
    memcpy(out, &sum, sizeof(sum));
}

/* ---- either -------------------------------------------------------------- */

/* sum_v p_v^2 of listed row l, in every point */
static void sum_squares(const kith__lowrank *I, int64_t l,
                        const kith__gathered *to)
{
    const int64_t *rows = I->start.rows;
    const int32_t u = to->rows[l];
    float sum[KITH__LANES] = {0};

    for (int64_t i = rows[u]; i < rows[u + 1]; i++) {
        const float *p = kith__lowrank_record(I, I->start.neighbours[i]) +
                         kith__lowrank_p_at(I, 0);

        for (int j = 0; j < I->points; j++)
            sum[j] += p[j] * p[j];
    }
    for (int j = 0; j < I->points; j++)
        to->PP[(int64_t)j * to->n_rows + l] = sum[j];
}

void kith__stored_gather(const kith__lowrank *I, int32_t from, int32_t end,
                         const kith__gathered *to, kith__lowrank_totals *totals)
{
    if (I->points == 1 && I->terms == 0)
        gather_one(I, true, from, end, to, totals);
    else if (I->points == 1)
        gather_one(I, false, from, end, to, totals);
    else if (I->terms <= 1)
        gather_four(I, true, from, end, to, totals);
    else
        gather_four(I, false, from, end, to, totals);
    for (int64_t l = kith__first_from(to->rows, to->n_rows, from);
         l < to->n_rows && to->rows[l] < end; l++)
        sum_squares(I, l, to);
}

void kith__stored_begin_completing(const kith__lowrank *I)
{
    const int64_t *rows = I->start.rows;

#pragma omp parallel for num_threads(I->start.threads) schedule(static)
    for (int32_t u = 0; u < I->start.n; u++)
        kith__lowrank_record(I, u)[0] = kith__rho_start(rows[u + 1] - rows[u]);
}

void kith__stored_complete(const kith__lowrank *I, int32_t from, int32_t to,
                           double *out)
{
    for (int32_t u = from; u < to; u++, out += I->points)
        if (I->points == 1)
            complete_one(I, u, out);
        else
            complete_four(I, u, out);
}

void kith__stored_keep_x(const kith__lowrank *I, int32_t first, int32_t last,
                         int t)
{
    for (int32_t u = first; u < last; u++) {
        float *a = kith__lowrank_record(I, u);

        if (I->points == 1) {
            a[0] = t > 0 ? a[1] : a[0];
        } else if (t > 1) {
            kith__v4_store(a, kith__v4_load(a + KITH__LANES));
        } else {
            a[0] = t > 0 ? a[KITH__LANES] : 0;
            a[1] = I->start.scale[u];
        }
    }
}
