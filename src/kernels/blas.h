/*
 * blas.h: OpenBLAS, loaded when it is first needed.  Few data sets have so many
 * classes, and loading it takes longer than most commands do.
 */
#ifndef KITH_KERNELS_BLAS_H
#define KITH_KERNELS_BLAS_H

#include <stdbool.h>

/*
 * C = A B, or C += A B, row-major: A is m x k (turned: k x m), B is k x n
 * (turned: n x k), rows lda, ldb and ldc floats apart.  Returns false, and does
 * nothing, if there is no BLAS.  Threads: safe.
 */
bool kith__blas_multiply(bool turn_a, bool turn_b, int m, int n, int k,
                         const float *A, int lda, const float *B, int ldb,
                         bool add, float *C, int ldc);

#endif
