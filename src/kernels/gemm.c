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

/* ---- rows that lie apart ------------------------------------------------- */

/* `columns` of m rows of X, side by side in rows of TILE; and back. */
static void collect(const float *X, int64_t width, const int32_t *row,
                    int64_t m, int64_t columns, float *restrict out)
{
    for (int64_t i = 0; i < m; i++)
        memcpy(out + i * TILE, X + row[i] * width,
               (size_t)columns * sizeof(*out));
}

static void spread(const float *from, int64_t width, const int32_t *row,
                   int64_t m, int64_t columns, float *restrict Y)
{
    for (int64_t i = 0; i < m; i++)
        memcpy(Y + row[i] * width, from + i * TILE,
               (size_t)columns * sizeof(*Y));
}

/* Rows of Y (width n) = rows of X (width k) op(W) (+ Y if add), m <= TILE. */
static void multiply_apart(const float *X, bool turn, const float *W,
                           int64_t ldw, const int32_t *row, int64_t m,
                           int64_t n, int64_t k, bool add, float *restrict Y)
{
    float x[TILE * TILE], y[TILE * TILE];

    for (int64_t j = 0; j < n; j += TILE) {
        const int64_t columns = at_most(n - j, TILE);

        if (add)
            collect(Y + j, n, row, m, columns, y);
        for (int64_t l = 0; l < k; l += TILE) {
            collect(X + l, k, row, m, at_most(k - l, TILE), x);
            tile(false, turn, m, columns, at_most(k - l, TILE), x, TILE,
                 turn ? W + j * ldw + l : W + l * ldw + j, ldw, add || l > 0, y,
                 TILE);
        }
        spread(y, n, row, m, columns, Y + j);
    }
}

/* G (j x k) += X'Y over m <= TILE rows. */
static void add_apart(const float *X, const float *Y, const int32_t *row,
                      int64_t m, int64_t j, int64_t k, float *restrict G)
{
    float x[TILE * TILE], y[TILE * TILE];

    for (int64_t a = 0; a < j; a += TILE) {
        collect(X + a, j, row, m, at_most(j - a, TILE), x);
        for (int64_t c = 0; c < k; c += TILE) {
            collect(Y + c, k, row, m, at_most(k - c, TILE), y);
            tile(true, false, at_most(j - a, TILE), at_most(k - c, TILE), m, x,
                 TILE, y, TILE, true, G + a * k + c, k);
        }
    }
}

/* ---- products ------------------------------------------------------------ */

void kith__gemm(const float *X, const float *W, int64_t n,
                const kith__row_set *rows, int j, int k, bool add,
                float *restrict Y, int threads)
{
    const int64_t count = kith__row_count(rows, n);

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t u = 0; u < count; u += ROWS)
        if (rows)
            multiply_apart(X, false, W, k, rows->node + u,
                           at_most(count - u, ROWS), k, j, add, Y);
        else
            kith__gemm_block(false, false, at_most(n - u, ROWS), k, j,
                             X + u * j, j, W, k, add, Y + u * k, k);
}

void kith__gemm_turned(const float *X, const float *W, int64_t n,
                       const kith__row_set *rows, int j, int k, bool add,
                       float *restrict Y, int threads)
{
    const int64_t count = kith__row_count(rows, n);

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t u = 0; u < count; u += ROWS)
        if (rows)
            multiply_apart(X, true, W, k, rows->node + u,
                           at_most(count - u, ROWS), j, k, add, Y);
        else
            kith__gemm_block(false, true, at_most(n - u, ROWS), j, k, X + u * k,
                             k, W, k, add, Y + u * j, j);
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

void kith__gemm_over_rows(const float *X, const float *Y, int64_t n,
                          const kith__row_set *rows, int j, int k,
                          float *restrict G, float *partial, int threads)
{
    const int64_t cells = (int64_t)j * k, count = kith__row_count(rows, n);

#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int p = 0; p < KITH__GEMM_PARTS; p++) {
        const int64_t from = kith__part_begin(count, p),
                      to = kith__part_begin(count, p + 1);
        float *sum = partial + p * cells;

        memset(sum, 0, (size_t)cells * sizeof(*sum));
        for (int64_t u = from; rows && u < to; u += ROWS)
            add_apart(X, Y, rows->node + u, at_most(to - u, ROWS), j, k, sum);
        if (!rows)
            kith__gemm_block(true, false, j, k, to - from, X + from * j, j,
                             Y + from * k, k, true, sum, k);
    }
    kith__add_parts(partial, cells, G, threads);
}

void kith__column_sums(const float *X, int64_t n, const kith__row_set *rows,
                       int k, float *restrict s, float *partial, int threads)
{
    const int64_t count = kith__row_count(rows, n);

#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int p = 0; p < KITH__GEMM_PARTS; p++) {
        float *sum = partial + (int64_t)p * k;

        memset(sum, 0, (size_t)k * sizeof(*sum));
        for (int64_t i = kith__part_begin(count, p);
             i < kith__part_begin(count, p + 1); i++) {
            const float *x = X + kith__nth_row(rows, i) * k;

            for (int c = 0; c < k; c++)
                sum[c] += x[c];
        }
    }
    kith__add_parts(partial, k, s, threads);
}
