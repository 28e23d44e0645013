/*
 * small_dense.h: small symmetric matrices in double, row-major: factors,
 * triangular systems, eigenvalues.
 */
#ifndef KITH_KERNELS_SMALL_DENSE_H
#define KITH_KERNELS_SMALL_DENSE_H

#include <stdint.h>

/*
 * A = R R' (Cholesky), R lower and in place of A, zeros above it; of A the
 * lower triangle is read.  A pivot that is not above `least` makes its column
 * of R 0: what depends on columns before it, but for rounding, is left out.
 * Returns log det A, negative infinity where that happened.
 */
double kith__cholesky(double *A, int64_t n, double least);

/* Solve R Y = X, or R' Y = X, in place for X n x k; rows of Y that belong to
 * columns left out are 0. */
void kith__solve_lower(const double *R, int64_t n, int k, double *X);
void kith__solve_upper(const double *R, int64_t n, int k, double *X);

/* Eigenvalues and eigenvectors (columns of V) of a symmetric matrix, by cyclic
 * Jacobi rotations; A is destroyed.  k x k each. */
void kith__jacobi(double *A, int k, double *values, double *V);

#endif
