#include "kernels/coupled.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/dense.h"
#include "kernels/vector.h"

/* ---- few classes: rows in registers -------------------------------------- */

/*
 * Neighbours' rows lie anywhere: they are asked for so many entries ahead, over
 * the ends of rows, that they have come when their turn is.
 */
enum { AHEAD = 48 };

KITH__ALWAYS_INLINE void ask_ahead(const kith__coupled *W, const float *X,
                                   int k, int64_t p, int64_t all)
{
    const int32_t v = W->neighbours[p + AHEAD < all ? p + AHEAD : all - 1];

    __builtin_prefetch(X + (int64_t)v * k);
    if (!W->weights)
        __builtin_prefetch(W->scale + v);
}

/* out = sum_v w_uv x_v */
KITH__ALWAYS_INLINE void pull_few(const kith__coupled *W, const float *X, int k,
                                  int32_t u, kith__v4 *out)
{
    const int64_t end = W->rows[u + 1], cells = (int64_t)W->n * k;
    const int64_t all = W->rows[W->n];
    const float s = W->weights ? 1 : W->scale[u];
    const int V = kith__vectors(k);
    float spare[KITH__FEW];

    for (int i = 0; i < V; i++)
        out[i] = kith__v4_all(0);
    for (int64_t p = W->rows[u]; p < end; p++) {
        const int32_t v = W->neighbours[p];
        const float w = W->weights ? W->weights[p] : W->scale[v];
        const float *x = kith__row_at(X, (int64_t)v * k, cells, k, spare);

        ask_ahead(W, X, k, p, all);
        for (int i = 0; i < V; i++)
            out[i] += w * kith__v4_load(x + i * KITH__LANES);
    }
    for (int i = 0; i < V; i++)
        out[i] *= s;
}

/* Rows first .. last - 1 of Y = Q + W X H; returns max |Y - X|. */
KITH__ALWAYS_INLINE float step_few(const kith__coupled *W, const float *X,
                                   int k, const float *H, const float *Q,
                                   float *restrict Y, int32_t first,
                                   int32_t last)
{
    const int64_t cells = (int64_t)W->n * k, end = (int64_t)last * k;
    kith__v4 h[KITH__FEW][KITH__FEW_VECTORS], change = {0};
    float spare[KITH__FEW];

    kith__load_small(H, k, h);
    for (int32_t u = first; u < last; u++) {
        const int64_t at = (int64_t)u * k;
        kith__v4 pulled[KITH__FEW_VECTORS], y[KITH__FEW_VECTORS];
        const float *row = kith__row_at(Q, at, cells, k, spare);

        pull_few(W, X, k, u, pulled);
        for (int i = 0; i < kith__vectors(k); i++)
            y[i] = kith__v4_load(row + i * KITH__LANES);
        kith__row_times(pulled, k, h, y);
        kith__row_put(Y, at, end, k, y);
        row = kith__row_at(X, at, cells, k, spare);
        for (int i = 0; i < kith__vectors(k); i++) {
            const kith__v4 d = y[i] - kith__v4_load(row + i * KITH__LANES);

            change = kith__v4_max(
                change, kith__v4_and(kith__v4_abs(d), kith__v4_within(k, i)));
        }
    }
    return kith__v4_top(change);
}

/* ---- many classes -------------------------------------------------------- */

static void pull_many(const kith__coupled *W, const float *X, int k, int32_t u,
                      float *restrict out)
{
    const int64_t end = W->rows[u + 1];
    const float s = W->weights ? 1 : W->scale[u];

    for (int c = 0; c < k; c++)
        out[c] = 0;
    for (int64_t p = W->rows[u]; p < end; p++) {
        const int32_t v = W->neighbours[p];
        const float w = W->weights ? W->weights[p] : W->scale[v];
        const float *x = X + (int64_t)v * k;

#pragma omp simd
        for (int c = 0; c < k; c++)
            out[c] += w * x[c];
    }
    for (int c = 0; c < k; c++)
        out[c] *= s;
}

static float largest_change(const float *a, const float *b, int64_t n)
{
    float change = 0;

    for (int64_t i = 0; i < n; i++) {
        const float d = fabsf(a[i] - b[i]);

        change = d > change ? d : change;
    }
    return change;
}

static float step_many(const kith__coupled *W, const float *X, int k,
                       const float *H, const float *Q, float *restrict Y,
                       int32_t first, int32_t last)
{
    const int64_t at = (int64_t)first * k, n = last - first;
    float pulled[KITH__TOGETHER];

    for (int32_t i = 0; i < n; i++)
        pull_many(W, X, k, first + i, pulled + (int64_t)i * k);
    memcpy(Y + at, Q + at, (size_t)n * (size_t)k * sizeof(*Y));
    kith__add_product(pulled, n, k, H, Y + at);
    return largest_change(Y + at, X + at, n * k);
}

/* ---- either -------------------------------------------------------------- */

void kith__pull_row(const kith__coupled *W, const float *X, int k, int32_t u,
                    float *restrict out)
{
    kith__v4 row[KITH__FEW_VECTORS];

    if (k > KITH__FEW) {
        pull_many(W, X, k, u, out);
        return;
    }
#define PULL(K) pull_few(W, X, K, u, row)
    KITH__WITH_CONSTANT(k, PULL);
#undef PULL
    kith__row_put(out, 0, k, k, row);
}

float kith__coupled_step(const kith__coupled *W, const float *X, int k,
                         const float *H, const float *Q, float *restrict Y)
{
    const int32_t block = kith__rows_at_once(k);
    float change = 0;

#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 8) \
    reduction(max                                                     \
              : change)
    for (int32_t first = 0; first < W->n; first += block) {
        const int32_t last = W->n - first < block ? W->n : first + block;
        float here = 0;

#define STEP(K) here = step_few(W, X, K, H, Q, Y, first, last)
        if (k > KITH__FEW)
            here = step_many(W, X, k, H, Q, Y, first, last);
        else
            KITH__WITH_CONSTANT(k, STEP);
#undef STEP
        change = here > change ? here : change;
    }
    return change;
}

/* d_u^-1/2, 0 for a node without (weighted) edges. */
static float *inverse_roots(const kith_graph *g, int threads)
{
    const int64_t *rows = kith_graph_rows(g);
    const float *a = kith_graph_weights(g);
    const int32_t n = kith_graph_nodes(g);
    float *scale = kith__alloc(n, sizeof(*scale));

    if (!scale)
        return NULL;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t u = 0; u < n; u++) {
        double d = a ? 0 : (double)(rows[u + 1] - rows[u]);

        for (int64_t p = rows[u]; a && p < rows[u + 1]; p++)
            d += (double)a[p];
        scale[u] = d > 0 ? (float)(1 / sqrt(d)) : 0;
    }
    return scale;
}

_Bool kith__coupled_start(const kith_graph *g, int threads, kith__coupled *W,
                          float **scale, float **weights)
{
    const float *a = kith_graph_weights(g);

    *W = (kith__coupled){.n = kith_graph_nodes(g),
                         .rows = kith_graph_rows(g),
                         .neighbours = kith_graph_neighbours(g),
                         .rho = kith_graph_edges(g) > 0 ? 1 : 0,
                         .threads = threads};
    *weights = NULL;
    *scale = inverse_roots(g, threads);
    if (!*scale)
        return 0;
    if (!a) {
        W->scale = *scale;
        return 1;
    }
    *weights = kith__alloc(W->rows[W->n], sizeof(**weights));
    if (!*weights)
        return 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < W->n; u++)
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
            (*weights)[p] = a[p] * (*scale)[u] * (*scale)[W->neighbours[p]];
    W->weights = *weights;
    kith__free(*scale);
    *scale = NULL;
    return 1;
}
