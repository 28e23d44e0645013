#include "nn/attention.h"

#include <math.h>
#include <string.h>

#include "kernels/gemm.h"

/* What is stored of a node, K floats each. */
enum { ES, FS, ET, FT, INVERSE, DOT, DS, DT };

static inline float dot(const float *x, const float *y, int k)
{
    float sum = 0;

    for (int c = 0; c < k; c++)
        sum += x[c] * y[c];
    return sum;
}

static float cut(float x)
{
    return fminf(fmaxf(x, -35), 35);
}

static void score_nodes(const kith__attention *a, int32_t n)
{
    const int K = a->heads, D = a->size;

#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t i = 0; i < kith__row_count(a->in, n); i++) {
        const int64_t u = kith__nth_row(a->in, i);
        const float *h = a->H + u * K * D;
        float *x = a->node + u * KITH__ATTENTION_NODE * K;

        for (int k = 0; k < K; k++) {
            const float s = cut(dot(h + k * D, a->from + k * D, D));
            const float t = cut(dot(h + k * D, a->to + k * D, D));

            x[ES * K + k] = expf(s);
            x[FS * K + k] = expf(s / 5);
            x[ET * K + k] = expf(t);
            x[FT * K + k] = expf(t / 5);
        }
    }
}

/* exp(e_uv) for all heads. */
static inline void weigh(const float *u, const float *v, int K,
                         float *restrict out)
{
    for (int k = 0; k < K; k++) {
        const float above = u[ES * K + k] * v[ET * K + k];
        const float below = u[FS * K + k] * v[FT * K + k];

        out[k] = above > below ? above : below;
    }
}

/* 0 or the scale for all heads of (u, v). */
static inline void drop_heads(const kith__dropout *d, int32_t u, int32_t v,
                              int K, float *restrict out)
{
    const uint64_t at = (uint64_t)u << 32 | (uint32_t)v;
    uint64_t bits = 0;

    for (int k = 0; k < K; k++) {
        if (d->below && k % 4 == 0)
            bits = kith__dropout_bits(d, at * 2 + (uint64_t)k / 4);
        out[k] = (bits & 0xffff) >= d->below ? d->scale : 0;
        bits >>= 16;
    }
}

/* Y_u += drop(exp(e_uv)) H_v, sum += exp(e_uv) */
static inline __attribute__((always_inline)) void meet(const kith__attention *a,
                                                       int32_t u, int32_t v,
                                                       int K, int D, float *sum,
                                                       float *restrict y)
{
    const int64_t each = (int64_t)KITH__ATTENTION_NODE * K;
    const float *h = a->H + (int64_t)v * K * D;
    float w[KITH__HEADS_MOST], kept[KITH__HEADS_MOST];

    weigh(a->node + u * each, a->node + v * each, K, w);
    drop_heads(&a->drop, u, v, K, kept);
    for (int k = 0; k < K; k++) {
        const float x = w[k] * kept[k];

        sum[k] += w[k];
#pragma omp simd
        for (int c = 0; c < D; c++)
            y[k * D + c] += x * h[k * D + c];
    }
}

static inline __attribute__((always_inline)) void
forward_row(const kith__attention *a, int32_t u, int K, int D,
            float *restrict y)
{
    const int64_t *rows = kith_graph_rows(a->graph);
    const int32_t *neighbours = kith_graph_neighbours(a->graph);
    float sum[KITH__HEADS_MOST] = {0};
    float *x = a->node + (int64_t)u * KITH__ATTENTION_NODE * K;

    memset(y, 0, (size_t)(K * D) * sizeof(*y));
    meet(a, u, u, K, D, sum, y);
    for (int64_t p = rows[u]; p < rows[u + 1]; p++)
        meet(a, u, neighbours[p], K, D, sum, y);
    for (int k = 0; k < K; k++) {
        x[INVERSE * K + k] = 1 / sum[k];
        for (int c = 0; c < D; c++)
            y[k * D + c] /= sum[k];
    }
}

void kith__attention_forward(const kith__attention *a, float *restrict Y)
{
    const int32_t n = kith_graph_nodes(a->graph);
    const int K = a->heads, D = a->size;

    score_nodes(a, n);
#pragma omp parallel for num_threads(a->threads) schedule(dynamic, 128)
    for (int64_t i = 0; i < kith__row_count(a->out, n); i++) {
        const int32_t u = (int32_t)kith__nth_row(a->out, i);

        if (K == 8 && D == 8) /* constants, so that loops become registers */
            forward_row(a, u, 8, 8, Y + (int64_t)u * 64);
        else
            forward_row(a, u, K, D, Y + (int64_t)u * K * D);
    }
}

/* The weight a_uv, and g_uv given dY_u.H_v, of one head. */
static inline float pull_back(const float *u, const float *v, int K, int k,
                              float kept, float product, float *g)
{
    const float above = u[ES * K + k] * v[ET * K + k];
    const float below = u[FS * K + k] * v[FT * K + k];
    const float w = (above > below ? above : below) * u[INVERSE * K + k];

    *g = w * (kept * product - u[DOT * K + k]) * (above > below ? 1 : .2f);
    return w * kept;
}

/* What the pair of u and v, either way, adds to dH_u, ds_u, dt_u. */
static inline __attribute__((always_inline)) void
meet_back(const kith__attention *a, const float *dY, int32_t u, int32_t v,
          int K, int D, float *restrict x, float *restrict dh)
{
    const int64_t each = (int64_t)KITH__ATTENTION_NODE * K;
    const float *nv = a->node + v * each;
    const float *hu = a->H + (int64_t)u * K * D,
                *hv = a->H + (int64_t)v * K * D;
    const float *yu = dY + (int64_t)u * K * D, *yv = dY + (int64_t)v * K * D;
    const bool u_counts = kith__has_row(a->out, u),
               v_counts = kith__has_row(a->out, v); /* else dY is 0 */
    float kept[KITH__HEADS_MOST], back[KITH__HEADS_MOST];

    if (u_counts)
        drop_heads(&a->drop, u, v, K, kept);
    for (int k = 0; u_counts && k < K; k++) {
        float g;

        pull_back(x, nv, K, k, kept[k], dot(yu + k * D, hv + k * D, D), &g);
        x[DS * K + k] += g;
    }
    if (v_counts)
        drop_heads(&a->drop, v, u, K, back);
    for (int k = 0; v_counts && k < K; k++) {
        float g, w;

        w = pull_back(u == v ? x : nv, x, K, k, back[k],
                      dot(yv + k * D, hu + k * D, D), &g);
        x[DT * K + k] += g;
#pragma omp simd
        for (int c = 0; c < D; c++)
            dh[k * D + c] += w * yv[k * D + c];
    }
}

static inline __attribute__((always_inline)) void
backward_row(const kith__attention *a, const float *dY, int32_t u, int K, int D,
             float *restrict dh)
{
    const int64_t *rows = kith_graph_rows(a->graph);
    const int32_t *neighbours = kith_graph_neighbours(a->graph);
    float *x = a->node + (int64_t)u * KITH__ATTENTION_NODE * K;

    memset(dh, 0, (size_t)(K * D) * sizeof(*dh));
    meet_back(a, dY, u, u, K, D, x, dh);
    for (int64_t p = rows[u]; p < rows[u + 1]; p++)
        meet_back(a, dY, u, neighbours[p], K, D, x, dh);
    for (int k = 0; k < K; k++)
        for (int c = 0; c < D; c++)
            dh[k * D + c] += x[DS * K + k] * a->from[k * D + c] +
                             x[DT * K + k] * a->to[k * D + c];
}

/* sum_u x_u H_u, head by head, x being DS or DT; both are 0 beyond `in`. */
static void sum_heads(const kith__attention *a, int32_t n, int what,
                      float *partial, float *out)
{
    const int K = a->heads, D = a->size;
    const int64_t count = kith__row_count(a->in, n);

#pragma omp parallel for num_threads(a->threads) schedule(dynamic, 1)
    for (int p = 0; p < KITH__GEMM_PARTS; p++) {
        float *sum = partial + (int64_t)p * K * D;

        memset(sum, 0, (size_t)(K * D) * sizeof(*sum));
        for (int64_t i = kith__part_begin(count, p);
             i < kith__part_begin(count, p + 1); i++) {
            const int64_t u = kith__nth_row(a->in, i);
            const float *x = a->node + (u * KITH__ATTENTION_NODE + what) * K;

            for (int k = 0; k < K; k++)
                for (int c = 0; c < D; c++)
                    sum[k * D + c] += x[k] * a->H[u * K * D + k * D + c];
        }
    }
    kith__add_parts(partial, (int64_t)K * D, out, a->threads);
}

void kith__attention_backward(const kith__attention *a, const float *Y,
                              const float *dY, float *restrict dH, float *dfrom,
                              float *dto, float *partial)
{
    const int32_t n = kith_graph_nodes(a->graph);
    const int K = a->heads, D = a->size;

#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t i = 0; i < kith__row_count(a->in, n); i++) {
        const int64_t u = kith__nth_row(a->in, i), at = u * K * D;
        float *x = a->node + u * KITH__ATTENTION_NODE * K;

        for (int k = 0; k < K; k++) {
            x[DS * K + k] = x[DT * K + k] = 0;
            if (kith__has_row(a->out, u))
                x[DOT * K + k] = dot(Y + at + k * D, dY + at + k * D, D);
        }
    }
#pragma omp parallel for num_threads(a->threads) schedule(dynamic, 128)
    for (int64_t i = 0; i < kith__row_count(a->in, n); i++) {
        const int32_t u = (int32_t)kith__nth_row(a->in, i);

        if (K == 8 && D == 8)
            backward_row(a, dY, u, 8, 8, dH + (int64_t)u * 64);
        else
            backward_row(a, dY, u, K, D, dH + (int64_t)u * K * D);
    }
    sum_heads(a, n, DS, partial, dfrom);
    sum_heads(a, n, DT, partial, dto);
}
