#include "nn/smoother.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"

void kith__smoother_release(kith__smoother *s)
{
    kith__free(s->scale);
    kith__free(s->weights);
    kith__free(s->own);
    *s = (kith__smoother){0};
}

/* own_u = 1 / d~_u; scale_u its root. */
static kith_status add_self_loops(const kith_graph *g, int threads,
                                  kith__smoother *s, kith_error *err)
{
    const int64_t *rows = kith_graph_rows(g);
    const float *a = kith_graph_weights(g);
    const int32_t n = kith_graph_nodes(g);
    kith_status st = KITH_OK;

    TRY_NEW(s->scale, kith__alloc(n, sizeof(float)));
    TRY_NEW(s->own, kith__alloc(n, sizeof(float)));
    if (a)
        TRY_NEW(s->weights, kith__alloc(rows[n], sizeof(float)));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t u = 0; u < n; u++) {
        double d = a ? 1 : 1 + (double)(rows[u + 1] - rows[u]);

        for (int64_t p = rows[u]; a && p < rows[u + 1]; p++)
            d += (double)a[p];
        s->own[u] = (float)(1 / d);
        s->scale[u] = (float)sqrt(1 / d);
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < n; u++)
        for (int64_t p = rows[u]; a && p < rows[u + 1]; p++)
            s->weights[p] = a[p] * s->scale[u] * s->scale[s->W.neighbours[p]];
    s->W.weights = s->weights;
    s->W.scale = a ? NULL : s->scale;
out:
    return st;
}

kith_status kith__smoother_new(const kith_graph *g, bool self_loops,
                               int threads, kith__smoother *out,
                               kith_error *err)
{
    kith_status st = KITH_OK;

    *out = (kith__smoother){.W = {.n = kith_graph_nodes(g),
                                  .rows = kith_graph_rows(g),
                                  .neighbours = kith_graph_neighbours(g),
                                  .rho = 1,
                                  .threads = threads}};
    if (self_loops)
        TRY(add_self_loops(g, threads, out, err));
    else if (!kith__coupled_start(g, threads, &out->W, &out->scale,
                                  &out->weights))
        TRY(kith__no_memory(err));
out:
    if (st != KITH_OK)
        kith__smoother_release(out);
    return st;
}

void kith__smooth(const kith__smoother *s, float a, const float *X, float b,
                  const float *B, int k, const uint8_t *near, float *Y)
{
#pragma omp parallel for num_threads(s->W.threads) schedule(dynamic, 256)
    for (int32_t u = 0; u < s->W.n; u++) {
        const int64_t at = (int64_t)u * k;
        const float *x = X + at;
        float *y = Y + at, pulled[KITH__CLASSES_MOST];
        const float own = s->own ? s->own[u] : 0;

        if (near && !near[u]) {
            memset(y, 0, (size_t)k * sizeof(*y));
            continue;
        }
        kith__pull_row(&s->W, X, k, u, pulled);
        if (B)
            for (int c = 0; c < k; c++)
                y[c] = a * (pulled[c] + own * x[c]) + b * B[at + c];
        else
            for (int c = 0; c < k; c++)
                y[c] = a * (pulled[c] + own * x[c]);
    }
}

kith_status kith__near_new(const kith_graph *g, const int32_t *nodes,
                           int32_t count, uint8_t *near[3], kith_error *err)
{
    const int64_t *rows = kith_graph_rows(g);
    const int32_t *neighbours = kith_graph_neighbours(g);
    const int32_t n = kith_graph_nodes(g);
    kith_status st = KITH_OK;

    for (int hop = 0; hop < 3; hop++)
        TRY_NEW(near[hop], kith__alloc_zeroed(n, 1));
    for (int32_t i = 0; i < count; i++)
        near[0][nodes[i]] = 1;
    for (int hop = 1; hop < 3; hop++)
        for (int32_t u = 0; u < n; u++)
            if (near[hop - 1][u]) {
                near[hop][u] = 1;
                for (int64_t p = rows[u]; p < rows[u + 1]; p++)
                    near[hop][neighbours[p]] = 1;
            }
out:
    return st;
}

void kith__near_release(uint8_t *near[3])
{
    for (int hop = 0; hop < 3; hop++)
        kith__free(near[hop]);
}
