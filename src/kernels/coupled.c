#include "kernels/coupled.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/blas.h"

/* Floats of the rows handled together: they stay in the cache for the product
 * by H, and BLAS gets enough of them. */
enum { TOGETHER = 16384 };

/* Rows handled together; it depends on k alone, so that results do not depend
 * on how threads share the rows. */
static int32_t rows_at_once(int k)
{
    return k * 64 <= TOGETHER ? 64 : TOGETHER / k;
}

/* Above this many classes BLAS beats the loop. */
enum { SMALL = 16 };

/* out_u = sum_v w_uv x_v */
static inline __attribute__((always_inline)) void
pull_row(const kith__coupled *W, const float *X, int k, int32_t u,
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

void kith__pull_row(const kith__coupled *W, const float *X, int k, int32_t u,
                    float *restrict out)
{
#define PULL(K) pull_row(W, X, K, u, out)
    KITH__WITH_CONSTANT(k, PULL);
#undef PULL
}

/* Is H = a I + b 11'?  The coupling is, as it starts. */
static _Bool is_uniform(const float *H, int k, float *a, float *b)
{
    *b = k > 1 ? H[1] : 0;
    *a = H[0] - *b;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            if (H[(int64_t)i * k + j] != (i == j ? H[0] : *b))
                return 0;
    return 1;
}

/* Y += X (a I + b 11'), in O(n k) instead of O(n k^2). */
static void add_uniform(const float *X, int64_t n, int k, float a, float b,
                        float *restrict Y)
{
    for (int64_t u = 0; u < n; u++) {
        const float *x = X + u * k;
        float *y = Y + u * k, sum = 0;

        for (int c = 0; c < k; c++)
            sum += x[c];
#pragma omp simd
        for (int c = 0; c < k; c++)
            y[c] += a * x[c] + b * sum;
    }
}

/* Y += X H, plainly. */
static inline __attribute__((always_inline)) void
add_rows(const float *X, int64_t n, int k, const float *H, float *restrict Y)
{
    for (int64_t u = 0; u < n; u++) {
        const float *x = X + u * k;
        float *y = Y + u * k;

        for (int j = 0; j < k; j++) {
            const float *h = H + (int64_t)j * k;

#pragma omp simd
            for (int c = 0; c < k; c++)
                y[c] += x[j] * h[c];
        }
    }
}

/* Y += X H for few rows. */
static void add_product(const float *X, int64_t n, int k, const float *H,
                        float *restrict Y)
{
    float a, b;

    if (k > SMALL && is_uniform(H, k, &a, &b)) {
        add_uniform(X, n, k, a, b, Y);
        return;
    }
    if (k > SMALL && kith__blas_add(false, (int)n, k, k, X, H, Y))
        return;
#define ADD(K) add_rows(X, n, K, H, Y)
    KITH__WITH_CONSTANT(k, ADD);
#undef ADD
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

float kith__coupled_step(const kith__coupled *W, const float *X, int k,
                         const float *H, const float *Q, float *restrict Y)
{
    const int32_t block = rows_at_once(k);
    float change = 0;

#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 8) \
    reduction(max                                                     \
              : change)
    for (int32_t first = 0; first < W->n; first += block) {
        const int32_t n = W->n - first < block ? W->n - first : block;
        const int64_t at = (int64_t)first * k;
        float pulled[TOGETHER];

        for (int32_t i = 0; i < n; i++)
            kith__pull_row(W, X, k, first + i, pulled + (int64_t)i * k);
        memcpy(Y + at, Q + at, (size_t)n * (size_t)k * sizeof(*Y));
        add_product(pulled, n, k, H, Y + at);
        change = fmaxf(change, largest_change(Y + at, X + at, (int64_t)n * k));
    }
    return change;
}

void kith__times_small(const float *X, int64_t n, int k, const float *H,
                       float *restrict Y, int threads)
{
    const int32_t block = rows_at_once(k);

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t first = 0; first < n; first += block) {
        const int64_t rows = n - first < block ? n - first : block;

        memset(Y + first * k, 0, (size_t)(rows * k) * sizeof(*Y));
        add_product(X + first * k, rows, k, H, Y + first * k);
    }
}

enum { GRAM_ROWS = 1024 };

/* G += X' Y of few rows, in double; with many classes in blocks of float. */
static void add_gram(const float *X, const float *Y, int64_t n, int k,
                     double *restrict G, float *block)
{
    int64_t u = 0;

    for (; k > SMALL && u < n; u += GRAM_ROWS) {
        const int rows = (int)(n - u < GRAM_ROWS ? n - u : GRAM_ROWS);

        memset(block, 0, (size_t)k * (size_t)k * sizeof(*block));
        if (!kith__blas_add(true, k, k, rows, X + u * k, Y + u * k, block))
            break;
        for (int64_t i = 0; i < (int64_t)k * k; i++)
            G[i] += (double)block[i];
    }
    for (; u < n; u++) {
        const float *x = X + u * k, *y = Y + u * k;

        for (int i = 0; i < k; i++) {
            double *g = G + (int64_t)i * k;
            const double xi = (double)x[i];

#pragma omp simd
            for (int j = 0; j < k; j++)
                g[j] += xi * (double)y[j];
        }
    }
}

_Bool kith__gram(const float *X, const float *Y, int64_t n, int k, double *G,
                 int threads)
{
    /* At most 64 partial sums, in blocks that depend on n alone. */
    const int64_t wished = (n + GRAM_ROWS - 1) / GRAM_ROWS;
    const int64_t parts = wished > 64 ? 64 : wished < 1 ? 1 : wished;
    const int64_t kk = (int64_t)k * k;
    double *partial = kith__alloc_zeroed(parts * kk, sizeof(*partial));
    float *blocks = kith__alloc(parts * kk, sizeof(*blocks));

    if (!partial || !blocks) {
        kith__free(partial);
        kith__free(blocks);
        return 0;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int64_t b = 0; b < parts; b++) {
        const int64_t from = n * b / parts, to = n * (b + 1) / parts;

        add_gram(X + from * k, Y + from * k, to - from, k, partial + b * kk,
                 blocks + b * kk);
    }
    memset(G, 0, (size_t)kk * sizeof(*G));
    for (int64_t b = 0; b < parts; b++)
        for (int64_t i = 0; i < kk; i++)
            G[i] += partial[b * kk + i];
    kith__free(partial);
    kith__free(blocks);
    return 1;
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
