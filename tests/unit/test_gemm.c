/*
 * test_gemm.c: products with small matrices against plain loops.
 */
#include "check.h"
#include "core/rng.h"
#include "kernels/gemm.h"

static void random_floats(float *x, int n, uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 3);

    for (int i = 0; i < n; i++)
        x[i] = (float)(kith__rng_real(&r) - 0.5);
}

TEST(gram_of_many_classes_equals_plain_loops)
{
    float X[64 * 20], Y[64 * 20], scratch[400];
    double G[400] = {0};

    random_floats(X, 1280, 6);
    random_floats(Y, 1280, 7);
    kith__add_gram(X, Y, 64, 20, G, scratch);
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++) {
            double sum = 0;

            for (int u = 0; u < 64; u++)
                sum += (double)X[u * 20 + i] * (double)Y[u * 20 + j];
            CHECK_NEAR(G[i * 20 + j], sum, 1e-5);
        }
}

TEST(gram_and_small_product_equal_plain_loops)
{
    float X[30 * 5], Y[30 * 5], H[25], Z[30 * 5] = {0};
    double G[25] = {0};

    random_floats(X, 150, 6);
    random_floats(Y, 150, 7);
    random_floats(H, 25, 8);
    kith__add_gram(X, Y, 30, 5, G, NULL);
    kith__add_product(X, 30, 5, 5, 1, H, false, Z);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            double sum = 0;

            for (int u = 0; u < 30; u++)
                sum += (double)X[u * 5 + i] * (double)Y[u * 5 + j];
            CHECK_NEAR(G[i * 5 + j], sum, 1e-12);
        }
    for (int u = 0; u < 30; u++)
        for (int c = 0; c < 5; c++) {
            double sum = 0;

            for (int j = 0; j < 5; j++)
                sum += (double)X[u * 5 + j] * (double)H[j * 5 + c];
            CHECK_NEAR(Z[u * 5 + c], sum, 1e-6);
        }
}

/* Rows of 19 in rows of 25, h X H or h X H'; of 19 by BLAS, of 5 without. */
TEST(products_of_rows_that_lie_apart_and_of_turned_matrices)
{
    for (int k = 5; k <= 19; k += 14)
        for (int turned = 0; turned < 2; turned++) {
            float X[30 * 25], H[19 * 19], Y[30 * 25], Q[30 * 25];

            random_floats(X, 750, 1);
            random_floats(Q, 750, 2);
            random_floats(H, k * k, 3);
            memcpy(Y, Q, sizeof(Y));
            kith__add_product(X, 30, k, 25, .5f, H, turned, Y);
            for (int u = 0; u < 30; u++)
                for (int c = 0; c < 25; c++) {
                    double want = (double)Q[u * 25 + c];

                    for (int i = 0; c < k && i < k; i++)
                        want += .5 * (double)X[u * 25 + i] *
                                (double)H[turned ? c * k + i : i * k + c];
                    CHECK_NEAR(Y[u * 25 + c], want, 2e-6);
                }
        }
}
