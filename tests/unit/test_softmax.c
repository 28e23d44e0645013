/*
 * test_softmax.c: softmax and its sums beside plain words.
 */
#include <math.h>

#include "check.h"
#include "core/rng.h"
#include "kernels/softmax.h"

static void random_floats(float *x, int n, uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 3);

    for (int i = 0; i < n; i++)
        x[i] = (float)(kith__rng_real(&r) - 0.5);
}

TEST(softmax_is_safe_for_large_numbers)
{
    const float x[3] = {1000, 999, -1e30f};
    float s[3];

    kith__softmax(x, 3, s);
    CHECK_NEAR(s[0], 1 / (1 + exp(-1)), 1e-6);
    CHECK_NEAR(s[0] + s[1] + s[2], 1, 1e-6);
    CHECK_NEAR(kith__log_sum_exp(x, 3, 1), 1000 + log(1 + exp(-1)), 1e-6);
    CHECK_NEAR(kith__log_sum_exp(x, 2, 2), 500 + log(1 + exp(-.5)), 1e-6);
}

/* Rows through the vector exp against the C library's, in double. */
TEST(softmax_of_rows_equals_plain_loops)
{
    for (int k = 1; k <= 20; k++) {
        enum { N = 700 };
        static float X[N * 20], S[N * 20];

        random_floats(X, N * k, (uint64_t)k);
        for (int i = 0; i < N * k; i++)
            X[i] *= 60;
        kith__softmax_rows(X, N, k, .5, S, 2);
        for (int u = 0; u < N; u++) {
            double sum = 0;

            for (int i = 0; i < k; i++)
                sum += exp(((double)X[u * k + i] - (double)X[u * k]) / .5);
            for (int i = 0; i < k; i++)
                CHECK_NEAR(S[u * k + i],
                           exp(((double)X[u * k + i] - (double)X[u * k]) / .5) /
                               sum,
                           2e-7);
        }
    }
}
