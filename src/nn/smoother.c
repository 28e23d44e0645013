#include "nn/smoother.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/simd.h"

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
    else if (!kith__operator_start(g, threads, &out->W, &out->scale,
                                   &out->weights))
        TRY(kith__no_memory(err));
out:
    if (st != KITH_OK)
        kith__smoother_release(out);
    return st;
}

void kith__smooth(const kith__smoother *s, float a, const float *X, float b,
                  const float *B, int k, const kith__row_set *near, float *Y)
{
#pragma omp parallel for num_threads(s->W.threads) schedule(dynamic, 256)
    for (int64_t i = 0; i < kith__row_count(near, s->W.n); i++) {
        const int64_t u = kith__nth_row(near, i), at = u * k;
        const float own = s->own ? s->own[u] : 0;
        const float *x = X + at;
        float *y = Y + at, pulled[KITH__CLASSES_MOST];

        kith__neighbour_sum(&s->W, X, k, (int32_t)u, pulled);
        if (B)
            for (int c = 0; c < k; c++)
                y[c] = a * (pulled[c] + own * x[c]) + b * B[at + c];
        else
            for (int c = 0; c < k; c++)
                y[c] = a * (pulled[c] + own * x[c]);
    }
}

void kith__smooth_back(const kith__smoother *s, float a, const float *X, int k,
                       const kith__row_set *from, const kith__row_set *to,
                       float *Y)
{
    const kith__operator *W = &s->W;

    if (!from) {
        kith__smooth(s, a, X, 0, NULL, k, to, Y);
        return;
    }
#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 256)
    for (int64_t i = 0; i < kith__row_count(to, W->n); i++) {
        const int64_t u = kith__nth_row(to, i);
        const float ours = W->weights ? a : a * W->scale[u];
        float *y = Y + u * k;

        memset(y, 0, (size_t)k * sizeof(*y));
        if (s->own && from->mark[u])
            kith__add_scaled(y, a * s->own[u], X + u * k, k);
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
            const int64_t v = W->neighbours[p];

            if (from->mark[v])
                kith__add_scaled(
                    y, ours * (W->weights ? W->weights[p] : W->scale[v]),
                    X + v * k, k);
        }
    }
}

static kith_status list_marked(kith__row_set *r, int32_t n, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int32_t u = 0; u < n; u++)
        r->count += r->mark[u];
    TRY_NEW(r->node, kith__alloc(r->count, sizeof(*r->node)));
    for (int32_t u = 0, i = 0; u < n; u++)
        if (r->mark[u])
            r->node[i++] = u;
out:
    return st;
}

kith_status kith__near_new(const kith_graph *g, const int32_t *nodes,
                           int32_t count, kith__near *out, kith_error *err)
{
    const int64_t *rows = kith_graph_rows(g);
    const int32_t *neighbours = kith_graph_neighbours(g);
    const int32_t n = kith_graph_nodes(g);
    kith__row_set *near = out->hop;
    kith_status st = KITH_OK;

    *out = (kith__near){0};
    for (int hop = 0; hop < KITH__HOPS; hop++)
        TRY_NEW(near[hop].mark, kith__alloc_zeroed(n, 1));
    for (int32_t i = 0; i < count; i++)
        near[0].mark[nodes[i]] = 1;
    TRY(list_marked(&near[0], n, err));
    for (int hop = 1; hop < KITH__HOPS; hop++) {
        for (int32_t i = 0; i < near[hop - 1].count; i++) {
            const int32_t u = near[hop - 1].node[i];

            near[hop].mark[u] = 1;
            for (int64_t p = rows[u]; p < rows[u + 1]; p++)
                near[hop].mark[neighbours[p]] = 1;
        }
        TRY(list_marked(&near[hop], n, err));
    }
out:
    if (st != KITH_OK)
        kith__near_release(out);
    return st;
}

void kith__near_release(kith__near *near)
{
    for (int hop = 0; hop < KITH__HOPS; hop++) {
        kith__free(near->hop[hop].mark);
        kith__free(near->hop[hop].node);
    }
    *near = (kith__near){0};
}
