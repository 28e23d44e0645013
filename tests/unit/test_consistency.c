/*
 * test_consistency.c: the fused pass against plain loops in double.
 */
#include "kernels/consistency.h"

#include <math.h>

#include "check.h"
#include "core/rng.h"

/* A ring of n nodes with chords to the seventh, weights of any sign. */
enum { N = 2500, DEGREE = 4, ENTRIES = N * DEGREE };

typedef struct ring {
    int64_t rows[N + 1];
    int32_t neighbours[ENTRIES];
    float w[ENTRIES];
    kith__operator W;
} ring;

static void start_ring(ring *r, int threads)
{
    static const int steps[] = {-7, -1, 1, 7};

    for (int u = 0; u <= N; u++)
        r->rows[u] = (int64_t)u * DEGREE;
    for (int p = 0; p < ENTRIES; p++) {
        const int u = p / DEGREE, v = (u + N + steps[p % DEGREE]) % N;

        r->neighbours[p] = v;
        r->w[p] = (float)sin(u + v);
    }
    r->W = (kith__operator){.n = N,
                            .rows = r->rows,
                            .neighbours = r->neighbours,
                            .weights = r->w,
                            .threads = threads};
}

static void random_floats(float *x, int n, uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 3);

    for (int i = 0; i < n; i++)
        x[i] = (float)kith__rng_real(&r);
}

static void check_step(int k)
{
    static ring r, was;
    float *S = malloc(sizeof(float) * (size_t)(N * k));
    float *H = malloc(sizeof(float) * (size_t)(k * k));
    double *K = malloc(sizeof(double) * (size_t)(k * k));
    double *want = calloc((size_t)(k * k), sizeof(double));

    random_floats(S, N * k, 1);
    random_floats(H, k * k, 2);
    start_ring(&r, 2);
    start_ring(&was, 2);
    CHECK(kith__consistency_step(&r.W, r.w, S, k, H, .25f, .5f, K));
    for (int p = 0; p < ENTRIES; p++) {
        const float *su = S + p / DEGREE * k, *sv = S + r.neighbours[p] * k;
        double agree = .5;

        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++) {
                agree += (double)su[i] * (double)H[i * k + j] * (double)sv[j];
                want[i * k + j] += (double)was.w[p] * (double)su[i] *
                                   (double)sv[j];
            }
        CHECK_NEAR(r.w[p], (double)was.w[p] + .25 * agree, 1e-6 * k * k);
    }
    for (int i = 0; i < k * k; i++)
        CHECK_NEAR(K[i], want[i], 1e-3);
    free(S);
    free(H);
    free(K);
    free(want);
}

TEST(a_step_equals_plain_loops)
{
    for (int k = 1; k <= 9; k++)
        check_step(k);
    check_step(16);
    check_step(17);
    check_step(33);
}

TEST(the_same_bytes_for_any_number_of_threads)
{
    static const int classes[] = {3, 7, 12, 20};
    static ring r, first;
    static float S[N * 20], H[400];
    double K[400], K1[400];

    random_floats(S, N * 20, 1);
    random_floats(H, 400, 2);
    for (int i = 0; i < 4; i++) {
        const size_t bytes = sizeof(*K) * (size_t)(classes[i] * classes[i]);

        start_ring(&first, 1);
        CHECK(kith__consistency_step(&first.W, first.w, S, classes[i], H, .1f,
                                     0, K1));
        for (int threads = 2; threads <= 8; threads++) {
            start_ring(&r, threads);
            CHECK(
                kith__consistency_step(&r.W, r.w, S, classes[i], H, .1f, 0, K));
            CHECK(memcmp(K, K1, bytes) == 0);
            CHECK(memcmp(r.w, first.w, sizeof(r.w)) == 0);
        }
    }
}
