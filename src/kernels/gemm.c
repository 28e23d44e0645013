#include "kernels/gemm.h"

#include <string.h>

#include "kernels/blas.h"

/*
 * Tiles of at most 64 x 64 x 64: OpenBLAS computes those in the thread that
 * calls, however many it could use, so its own threads never change a sum.
 */
enum { TILE = 64, ROWS = 64 };

static int64_t at_most(int64_t a, int64_t most)
{
    return a < most ? a : most;
}

static void tile(bool turn_a, bool turn_b, int64_t m, int64_t n, int64_t k,
                 const float *A, int64_t lda, const float *B, int64_t ldb,
                 bool add, float *restrict C, int64_t ldc)
{
    if (kith__blas_multiply(turn_a, turn_b, (int)m, (int)n, (int)k, A, (int)lda,
                            B, (int)ldb, add, C, (int)ldc))
        return;
    for (int64_t i = 0; i < m; i++) {
        float *c = C + i * ldc;

        if (!add)
            memset(c, 0, (size_t)n * sizeof(*c));
        for (int64_t l = 0; l < k; l++) {
            const float a = turn_a ? A[l * lda + i] : A[i * lda + l];

            for (int64_t j = 0; j < n; j++)
                c[j] += a * (turn_b ? B[j * ldb + l] : B[l * ldb + j]);
        }
    }
}

void kith__gemm_block(bool turn_a, bool turn_b, int64_t m, int64_t n, int64_t k,
                      const float *A, int64_t lda, const float *B, int64_t ldb,
                      bool add, float *restrict C, int64_t ldc)
{
    for (int64_t l = 0; l < k; l += TILE)
        for (int64_t i = 0; i < m; i += TILE)
            for (int64_t j = 0; j < n; j += TILE)
                tile(turn_a, turn_b, at_most(m - i, TILE), at_most(n - j, TILE),
                     at_most(k - l, TILE),
                     turn_a ? A + l * lda + i : A + i * lda + l, lda,
                     turn_b ? B + j * ldb + l : B + l * ldb + j, ldb,
                     add || l > 0, C + i * ldc + j, ldc);
}

void kith__gemm(const float *X, const float *W, int64_t n, int j, int k,
                float *restrict Y, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t u = 0; u < n; u += ROWS)
        kith__gemm_block(false, false, at_most(n - u, ROWS), k, j, X + u * j, j,
                         W, k, false, Y + u * k, k);
}

void kith__gemm_turned(const float *X, const float *W, int64_t n, int j, int k,
                       bool add, float *restrict Y, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t u = 0; u < n; u += ROWS)
        kith__gemm_block(false, true, at_most(n - u, ROWS), j, k, X + u * k, k,
                         W, k, add, Y + u * j, j);
}

void kith__add_parts(const float *partial, int64_t cells, float *restrict G,
                     int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < cells; i++) {
        double sum = 0;

        for (int p = 0; p < KITH__GEMM_PARTS; p++)
            sum += (double)partial[p * cells + i];
        G[i] = (float)sum;
    }
}

void kith__gemm_over_rows(const float *X, const float *Y, int64_t n, int j,
                          int k, float *restrict G, float *partial, int threads)
{
    const int64_t cells = (int64_t)j * k;

#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int p = 0; p < KITH__GEMM_PARTS; p++) {
        const int64_t from = kith__part_begin(n, p),
                      to = kith__part_begin(n, p + 1);

        memset(partial + p * cells, 0, (size_t)cells * sizeof(*partial));
        kith__gemm_block(true, false, j, k, to - from, X + from * j, j,
                         Y + from * k, k, true, partial + p * cells, k);
    }
    kith__add_parts(partial, cells, G, threads);
}

void kith__column_sums(const float *X, int64_t n, int k, float *restrict s,
                       float *partial, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int p = 0; p < KITH__GEMM_PARTS; p++) {
        float *sum = partial + (int64_t)p * k;

        memset(sum, 0, (size_t)k * sizeof(*sum));
        for (int64_t u = kith__part_begin(n, p); u < kith__part_begin(n, p + 1);
             u++)
            for (int c = 0; c < k; c++)
                sum[c] += X[u * k + c];
    }
    kith__add_parts(partial, k, s, threads);
}
