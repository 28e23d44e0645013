#include "kernels/operator_lowrank.h"

#include <math.h>

#include "kernels/lowrank_row.h"

enum { MOST_C = KITH__LOWRANK_CLASSES };

/* ---- W p ----------------------------------------------------------------- */

/* out += D p in row `touched`. */
static void add_training_edges(const kith__lowrank *I, int64_t touched,
                               float *out)
{
    const int64_t terms = kith__training_edges_terms(&I->D, touched);
    double sum[MOST_C] = {0};

    for (int64_t i = 0; i < terms; i++) {
        int32_t v;
        const float D = kith__training_edges_term(&I->D, touched, i, &v);
        const float *p = kith__lowrank_p(I, v);

        for (int c = 0; c < I->carried; c++)
            sum[c] += (double)(D * p[c]);
    }
    for (int c = 0; c < I->carried; c++)
        out[c] += (float)sum[c];
}

KITH__ALWAYS_INLINE void apply_rows(const kith__lowrank *I, kith__shape s,
                                    int32_t first, int32_t last, float *out)
{
    const kith__halving how = kith__halving_of(I);

    for (int32_t u = first; u < last; u++, out += s.n) {
        const int64_t touched = kith__training_edges_find(&I->D, u);
        kith__record_sums a;
        kith__half h;

        kith__sum_row(I, s, s.n, 0, u, &a);
        kith__half_of(I, s, &how, u, &h);
        for (int c = 0; c < s.n; c++)
            out[c] = kith__apply_half(&h, s, a.by[c],
                                      kith__lane_of(a.plain, 1 + c));
        if (touched >= 0)
            add_training_edges(I, touched, out);
    }
}

void kith__lowrank_apply(const kith__lowrank *I, int32_t first, int32_t last,
                         float *out)
{
#define APPLY(s) apply_rows(I, s, first, last, out)
    KITH__WITH_SHAPE(I, APPLY);
#undef APPLY
}

/* ---- weights ------------------------------------------------------------- */

static double weight(const kith__operator *op, int32_t u, int64_t p)
{
    const kith__lowrank *I = op->of;
    const kith__shape s = {I->C, I->carried, I->vectors};
    const kith__halving how = kith__halving_of(I);
    const int64_t touched = kith__training_edges_find(&I->D, u);
    const float D = touched < 0
                        ? 0
                        : kith__training_edges_weight(&I->D, touched, p);
    kith__half h;

    kith__half_of(I, s, &how, u, &h);
    return (double)(D + kith__weight_of(
                            s, &h,
                            kith__lowrank_record(I, I->start.neighbours[p])));
}

/* What D brings to sum_v |w_uv| y_v in row `touched`, of which h is the half:
 * of a training node D is at all neighbours, else at few. */
KITH__ALWAYS_INLINE double norm_of_D(const kith__lowrank *I, kith__shape s,
                                     const kith__half *h, int64_t touched,
                                     const float *y)
{
    const kith__training_edges *b = &I->D;
    const int64_t from = b->rows[b->node[touched]];
    const bool all = b->trained[touched] >= 0;
    const int64_t count = all ? b->rows[b->node[touched] + 1] - from
                              : kith__training_edges_terms(b, touched);
    double sum = 0;

    for (int64_t i = 0; i < count; i++) {
        int32_t v = all ? b->neighbours[from + i] : 0;
        const float D = all ? kith__training_edges_weight(b, touched, from + i)
                            : kith__training_edges_term(b, touched, i, &v);
        const double w = (double)kith__weight_of(s, h,
                                                 kith__lowrank_record(I, v));

        sum += (fabs(w + (double)D) - fabs(w)) * (double)y[v];
    }
    return sum;
}

/* sum_v |w_uv| y_v of a row, its weights written out unless NULL. */
KITH__ALWAYS_INLINE double norm_row(const kith__lowrank *I, kith__shape s,
                                    const kith__halving *how, int32_t u,
                                    const float *y, float *weights)
{
    const int64_t touched = kith__training_edges_find(&I->D, u);
    const int64_t from = I->start.rows[u], end = I->start.rows[u + 1];
    const int64_t last = I->start.rows[I->start.n] - 1;
    const int32_t *at = I->start.neighbours;
    double sum = 0;
    kith__half h;

    kith__half_of(I, s, how, u, &h);
    for (int64_t p = from; p < end; p++) {
        const int64_t soon = p + KITH__GATHER_AHEAD;
        const float w = kith__weight_of(
            s, &h, I->records + (int64_t)at[p] * s.V * KITH__LANES);

        kith__ask_ahead(I, s.V, p);
        __builtin_prefetch(y + at[soon < last ? soon : last]);
        sum += fabs((double)w) * (double)y[at[p]];
        if (weights)
            weights[p] = w;
    }
    if (touched >= 0)
        sum += norm_of_D(I, s, &h, touched, y);
    if (touched >= 0 && weights)
        kith__training_edges_add(&I->D, touched, weights);
    return sum;
}

KITH__ALWAYS_INLINE void norm_rows(const kith__lowrank *I, kith__shape s,
                                   int32_t first, int32_t last, const float *y,
                                   float *weights, double *out)
{
    const kith__halving how = kith__halving_of(I);

    for (int32_t u = first; u < last; u++)
        out[u - first] = norm_row(I, s, &how, u, y, weights);
}

static void bound(const kith__operator *op, int32_t first, int32_t last,
                  const float *y, double *out)
{
    const kith__lowrank *I = op->of;

#define NORM(s) norm_rows(I, s, first, last, y, NULL, out)
    KITH__WITH_SHAPE(I, NORM);
#undef NORM
}

static void bound_writing(const kith__operator *op, int32_t first, int32_t last,
                          const float *y, double *out)
{
    const kith__lowrank_writing *w = op->of;

#define WRITE(s) norm_rows(w->I, s, first, last, y, w->weights, out)
    KITH__WITH_SHAPE(w->I, WRITE);
#undef WRITE
}

/* ---- as an operator ------------------------------------------------------ */

enum { BLOCK = 128 }; /* rows together */

/* Columns at .. at + C - 1 of X, as carried, into the records. */
static void put_columns(const kith__operator *op, int64_t at, const float *X)
{
    const kith__lowrank *I = op->of;
    const int64_t columns = kith__columns(op);

#pragma omp parallel for num_threads(op->threads) schedule(static)
    for (int32_t u = 0; u < op->n; u++)
        for (int c = 0; c < I->carried; c++)
            kith__lowrank_p(I, u)[c] = X[u * columns + at + c];
}

/* y = q + wp H of one row and block, wp as carried; returns max |y - x|. */
static float couple_row(const kith__lowrank *I, const float *H, const float *wp,
                        const float *x, const float *q, float *y)
{
    float full[MOST_C] = {0}, change = 0;

    kith__lowrank_widen(I->C, I->carried, wp, full);
    for (int c = 0; c < I->C; c++) {
        float to = q ? q[c] : 0;

        for (int k = 0; k < I->C; k++)
            to += full[k] * H[k * I->C + c]; // NOLINT: all of H is set
        y[c] = to;
        to = fabsf(to - x[c]);
        change = to > change ? to : change;
    }
    return change;
}

/* Rows from .. to - 1 of one block. */
static float apply_block(const kith__operator *op, const float *H, int64_t at,
                         int32_t from, int32_t to, const float *X,
                         const float *Q, float *Y)
{
    const kith__lowrank *I = op->of;
    const int64_t columns = kith__columns(op);
    float wp[BLOCK * MOST_C], change = 0;

    kith__lowrank_apply(I, from, to, wp);
    for (int32_t u = from; u < to; u++) {
        const int64_t row = u * columns + at;
        const float here = couple_row(I, H,
                                      wp + (int64_t)(u - from) * I->carried,
                                      X + row, Q ? Q + row : NULL, Y + row);

        change = here > change ? here : change;
    }
    return change;
}

static float apply(const kith__operator *op, int32_t first, int32_t last,
                   const float *X, const float *Q, float *Y)
{
    const kith__lowrank *I = op->of;
    const int C = I->C;
    float change = 0, H[MOST_C * MOST_C];

    for (int b = 0; b < op->blocks; b++) {
        const int64_t at = (int64_t)b * C;

        put_columns(op, at, X);
        for (int i = 0; i < C * C; i++)
            H[i] = (float)kith__coupling_at(op, b, i / C, i % C);
#pragma omp parallel for num_threads(op->threads) schedule(dynamic, 4) \
    reduction(max                                                      \
              : change)
        for (int32_t from = first; from < last; from += BLOCK) {
            const int32_t to = last - from < BLOCK ? last : from + BLOCK;
            const float here = apply_block(op, H, at, from, to, X, Q, Y);

            change = here > change ? here : change;
        }
    }
    return change;
}

kith__operator kith__lowrank_operator(kith__lowrank *I)
{
    static const kith__operator_form form = {apply, bound, weight};
    kith__operator op = kith__weighted(&I->start, NULL);

    op.form = &form;
    op.of = I;
    return op;
}

kith__operator kith__lowrank_writer(kith__lowrank_writing *w)
{
    static const kith__operator_form form = {NULL, bound_writing, NULL};
    kith__operator op = kith__weighted(&w->I->start, NULL);

    op.form = &form;
    op.of = w;
    return op;
}
