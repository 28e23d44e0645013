/*
 * gemm.h: products of tall matrices with small ones, all row-major.  BLAS where
 * it is built in and pays, else plain loops.  Which rows are summed together
 * depends on the shapes alone, so results do not depend on the number of
 * threads.
 *
 * OpenBLAS is loaded when it is first needed: few data sets have so many
 * classes, and loading it takes longer than most commands do.
 */
#ifndef KITH_KERNELS_GEMM_H
#define KITH_KERNELS_GEMM_H

#include "kernels/row_set.h"

/* Sums over all rows are made of at most this many partial sums. */
enum { KITH__GEMM_PARTS = 16 };

/*
 * C (m x n) = op(A) op(B) (+ C if add), by the calling thread alone; op turns a
 * matrix if its flag is set, lda, ldb, ldc are the lengths of stored rows.
 */
void kith__gemm_block(bool turn_a, bool turn_b, int64_t m, int64_t n, int64_t k,
                      const float *A, int64_t lda, const float *B, int64_t ldb,
                      bool add, float *restrict C, int64_t ldc);

/* Y (n x k) = X (n x j) W (j x k) (+ Y if add), in the rows asked for. */
void kith__gemm(const float *X, const float *W, int64_t n,
                const kith__row_set *rows, int j, int k, bool add,
                float *restrict Y, int threads);

/* Y (n x j) = X (n x k) W' (+ Y if add) with W j x k, in the rows asked for. */
void kith__gemm_turned(const float *X, const float *W, int64_t n,
                       const kith__row_set *rows, int j, int k, bool add,
                       float *restrict Y, int threads);

/* G (j x k) = X'Y over the rows asked for, X n x j, Y n x k; partial has room
 * for KITH__GEMM_PARTS x j x k. */
void kith__gemm_over_rows(const float *X, const float *Y, int64_t n,
                          const kith__row_set *rows, int j, int k,
                          float *restrict G, float *partial, int threads);

/* s_c = sum_u X_uc over them; partial as above with j = 1. */
void kith__column_sums(const float *X, int64_t n, const kith__row_set *rows,
                       int k, float *restrict s, float *partial, int threads);

/* ---- blocks of rows with a square matrix, by the calling thread ---------- */

/* Floats of the rows handled together: they stay in the cache for the product
 * by H, and BLAS gets enough of them. */
enum { KITH__TOGETHER = 16384 };

/* Rows handled together; it depends on k alone, so that results do not depend
 * on how threads share the rows. */
static inline int32_t kith__rows_at_once(int k)
{
    return k * 64 <= KITH__TOGETHER ? 64 : KITH__TOGETHER / k;
}

/* Y += h X H for n rows of k, or h X H' if it is turned; rows of X and Y are ld
 * floats apart. */
void kith__add_product(const float *X, int64_t n, int k, int64_t ld, float h,
                       const float *H, bool turned, float *restrict Y);

/* G (k x k) += X'Y over n rows: summed in double, or with many classes in
 * float, in `scratch` of k x k, and then added. */
void kith__add_gram(const float *X, const float *Y, int64_t n, int k,
                    double *restrict G, float *scratch);

/* ---- sums in parts ------------------------------------------------------- */

/* The first row of part i of n rows. */
static inline int64_t kith__part_begin(int64_t n, int i)
{
    return n / KITH__GEMM_PARTS * i +
           n % KITH__GEMM_PARTS * i / KITH__GEMM_PARTS;
}

/* G = the sum of the parts, in their order; `cells` of each. */
void kith__add_parts(const float *partial, int64_t cells, float *restrict G,
                     int threads);

#endif
