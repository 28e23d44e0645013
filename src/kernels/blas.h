/*
 * blas.h: OpenBLAS, loaded when it is first needed.  Few data sets have so many
 * classes, and loading it takes longer than most commands do.
 */
#ifndef KITH_KERNELS_BLAS_H
#define KITH_KERNELS_BLAS_H

#include <stdbool.h>

/*
 * C += A B (or A' B), row-major: A is m x k (k x m), B is k x n.  Returns
 * false, and does nothing, if there is no BLAS.  Threads: safe.
 */
bool kith__blas_add(bool transposed, int m, int n, int k, const float *A,
                    const float *B, float *C);

#endif
