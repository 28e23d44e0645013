#include "kernels/consistency.h"

#include <string.h>

#include "core/alloc.h"
#include "kernels/gemm.h"
#include "kernels/simd.h"

typedef struct job {
    const kith__operator *W;
    const float *S, *H;
    float rate, centre;
    float *w;
} job;

/*
 * Rows first .. last - 1 of up to KITH__FEW classes, in registers:
 *
 *     ws = sum_v w_uv s_v,  w_uv += rate (s_u H . s_v + centre),  K += s_u' ws
 */
KITH__ALWAYS_INLINE void few(const job *shared, int k, int32_t first,
                             int32_t last, double *K)
{
    const job own = *shared, *j = &own; /* not where a store could change it */
    const int64_t *rows = j->W->rows, cells = (int64_t)j->W->n * k;
    const int32_t *neighbours = j->W->neighbours;
    const int V = kith__vectors(k);
    kith__v4 h[KITH__FEW][KITH__FEW_VECTORS];
    kith__v4 sum[KITH__FEW][KITH__FEW_VECTORS] = {{{0}}};
    float scratch[2][KITH__FEW];

    kith__load_small(j->H, k, h);
    for (int32_t u = first; u < last; u++) {
        const float *s = kith__row_at(j->S, (int64_t)u * k, cells, k,
                                      scratch[0]);
        kith__v4 sh[KITH__FEW_VECTORS] = {{0}}, ws[KITH__FEW_VECTORS] = {{0}};

        for (int c = 0; c < k; c++)
            for (int i = 0; i < V; i++)
                sh[i] += s[c] * h[c][i];
        for (int64_t p = rows[u]; p < rows[u + 1]; p++) {
            const float *sv = kith__row_at(j->S, (int64_t)neighbours[p] * k,
                                           cells, k, scratch[1]);
            const float w = j->w[p];
            kith__v4 dot = {0};

            for (int i = 0; i < V; i++) {
                const kith__v4 x = kith__v4_load(sv + i * KITH__LANES);

                ws[i] += w * x;
                dot += sh[i] * x;
            }
            j->w[p] = w + j->rate * (kith__v4_sum(dot) + j->centre);
        }
        for (int c = 0; c < k; c++)
            for (int i = 0; i < V; i++)
                sum[c][i] += s[c] * ws[i];
    }
    for (int c = 0; c < k; c++)
        for (int d = 0; d < k; d++)
            K[c * k + d] += (double)sum[c][d / KITH__LANES][d % KITH__LANES];
}

/* The same for any number of classes, a block at a time. */
static void many(const job *j, int k, int32_t first, int32_t last, double *K,
                 float *scratch)
{
    const int64_t *rows = j->W->rows, n = last - first;
    const float *S = j->S + (int64_t)first * k;
    float SH[KITH__TOGETHER], WS[KITH__TOGETHER];

    memset(SH, 0, (size_t)(n * k) * sizeof(*SH));
    memset(WS, 0, (size_t)(n * k) * sizeof(*WS));
    kith__add_product(S, n, k, k, 1, j->H, false, SH);
    for (int64_t r = 0; r < n; r++) {
        const float *sh = SH + r * k;
        float *restrict ws = WS + r * k;

        for (int64_t p = rows[first + r]; p < rows[first + r + 1]; p++) {
            const float *sv = j->S + (int64_t)j->W->neighbours[p] * k;
            const float w = j->w[p];
            float agree = j->centre;

#pragma omp simd reduction(+ : agree)
            for (int c = 0; c < k; c++) {
                ws[c] += w * sv[c];
                agree += sh[c] * sv[c];
            }
            j->w[p] = w + j->rate * agree;
        }
    }
    kith__add_gram(S, WS, n, k, K, scratch);
}

/* Rows first .. last - 1, in blocks. */
static void part(const job *j, int k, int32_t first, int32_t last, double *K,
                 float *scratch)
{
    const int32_t block = kith__rows_at_once(k);

    for (int32_t from = first; from < last; from += block) {
        const int32_t to = last - from < block ? last : from + block;

#define FEW(C) few(j, C, from, to, K)
        if (k > KITH__FEW)
            many(j, k, from, to, K, scratch);
        else
            KITH__WITH_CONSTANT(k, FEW);
#undef FEW
    }
}

/* Partial sums: of at least 512 rows, at most 64, fewer if they are large;
 * their number depends on n and k alone. */
static int64_t count_parts(int64_t n, int k)
{
    const int64_t most = k <= 64 ? 64 : 16, wished = n / 512;

    return wished > most ? most : wished < 1 ? 1 : wished;
}

_Bool kith__consistency_step(const kith__operator *W, float *w, const float *S,
                             int k, const float *H, float rate, float centre,
                             double *K)
{
    const job j = {W, S, H, rate, centre, w};
    const int64_t n = W->n, kk = (int64_t)k * k, parts = count_parts(n, k);
    double *partial = kith__alloc_zeroed(parts * kk, sizeof(*partial));
    float *scratch = kith__alloc(k > KITH__FEW ? parts * kk : 0,
                                 sizeof(*scratch));
    const _Bool good = partial && scratch;

    if (good) {
#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 1)
        for (int64_t b = 0; b < parts; b++)
            part(&j, k, (int32_t)(n * b / parts),
                 (int32_t)(n * (b + 1) / parts), partial + b * kk,
                 k > KITH__FEW ? scratch + b * kk : NULL);
        memset(K, 0, (size_t)kk * sizeof(*K));
        for (int64_t b = 0; b < parts; b++)
            for (int64_t i = 0; i < kk; i++)
                K[i] += partial[b * kk + i];
    }
    kith__free(partial);
    kith__free(scratch);
    return good;
}
