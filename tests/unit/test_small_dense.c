/*
 * test_small_dense.c: factors and eigenvalues, by what defines them.
 */
#include "kernels/small_dense.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "core/rng.h"

enum { MOST = 20 };

static void random_symmetric(double *A, int n, uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 5);

    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i * n + j] = A[j * n + i] = kith__rng_real(&r) - .5;
}

/* out = X X' + shift */
static void gram(const double *X, int n, double shift, double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            out[i * n + j] = i == j ? shift : 0;
            for (int m = 0; m < n; m++)
                out[i * n + j] += X[i * n + m] * X[j * n + m];
        }
}

TEST(a_factor_times_its_transpose_is_the_matrix)
{
    for (int n = 1; n <= MOST; n++) {
        double X[MOST * MOST], A[MOST * MOST], R[MOST * MOST];
        double again[MOST * MOST];

        random_symmetric(X, n, (uint64_t)n);
        gram(X, n, .1, A);
        memcpy(R, A, sizeof(R));
        CHECK(isfinite(kith__cholesky(R, n, 0)));
        gram(R, n, 0, again); /* zeros above are part of it */
        for (int i = 0; i < n * n; i++)
            CHECK_NEAR(again[i], A[i], 1e-12);
    }
}

/* [4 2; 2 5] = [2 0; 1 2] [2 1; 0 2], of determinant 16. */
TEST(a_factor_by_hand)
{
    double A[] = {4, 9, 2, 5}; /* above the diagonal nothing is read */

    CHECK_NEAR(kith__cholesky(A, 2, 0), log(16), 1e-12);
    CHECK_NEAR(A[0], 2, 1e-15);
    CHECK_NEAR(A[1], 0, 0);
    CHECK_NEAR(A[2], 1, 1e-15);
    CHECK_NEAR(A[3], 2, 1e-15);
}

/* The second row is twice the first: its column is left out. */
TEST(a_singular_matrix_leaves_columns_out)
{
    double A[] = {1, 0, 0, 2, 4, 0, 1, 2, 5};
    double x[] = {3, 6, 7};

    CHECK(isinf(kith__cholesky(A, 3, 1e-10)));
    CHECK_NEAR(A[4], 0, 0);
    CHECK_NEAR(A[7], 0, 0);
    CHECK_NEAR(A[8], 2, 1e-15);
    kith__solve_lower(A, 3, 1, x);
    CHECK_NEAR(x[0], 3, 1e-15);
    CHECK_NEAR(x[1], 0, 0);
    CHECK_NEAR(x[2], 2, 1e-15);
}

TEST(negative_matrices_have_no_factor)
{
    double A[] = {1, 0, 2, 1}; /* eigenvalues 3 and -1 */

    CHECK(!isfinite(kith__cholesky(A, 2, 0)));
}

TEST(triangular_systems_are_solved)
{
    enum { N = 7, K = 3 };
    double X[N * N], R[N * N], Y[N * K], Z[N * K];

    random_symmetric(X, N, 3);
    gram(X, N, .2, R);
    (void)kith__cholesky(R, N, 0);
    for (int i = 0; i < N * K; i++)
        Y[i] = Z[i] = sin(i);
    kith__solve_lower(R, N, K, Y);
    kith__solve_upper(R, N, K, Z);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < K; c++) {
            double lower = 0, upper = 0;

            for (int j = 0; j < N; j++) {
                lower += R[i * N + j] * Y[j * K + c];
                upper += R[j * N + i] * Z[j * K + c];
            }
            CHECK_NEAR(lower, sin(i * K + c), 1e-12);
            CHECK_NEAR(upper, sin(i * K + c), 1e-12);
        }
}

/* A V = V diag(values), V'V = I. */
TEST(eigenvectors_are_what_they_are_called)
{
    for (int n = 1; n <= MOST; n++) {
        double A[MOST * MOST], spent[MOST * MOST], V[MOST * MOST];
        double values[MOST];

        random_symmetric(A, n, (uint64_t)n + 40);
        memcpy(spent, A, sizeof(A));
        kith__jacobi(spent, n, values, V);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double image = 0, product = 0;

                for (int m = 0; m < n; m++) {
                    image += A[i * n + m] * V[m * n + j];
                    product += V[m * n + i] * V[m * n + j];
                }
                CHECK_NEAR(image, values[j] * V[i * n + j], 1e-11);
                CHECK_NEAR(product, i == j, 1e-12);
            }
    }
}
