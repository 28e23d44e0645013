/*
 * test_several.c: passes over several W side by side, against their words.
 */
#include <math.h>

#include "check.h"
#include "core/rng.h"
#include "kernels/several.h"
#include "small_graphs.h"

enum {
    N = 40,
    EDGES = 160,
    LEAVES = 2600,
    MOST = KITH__SEVERAL * KITH__SEVERAL_COLUMNS
};

static float random_float(kith__rng *r)
{
    return (float)(2 * kith__rng_real(r) - 1);
}

/* Sums of products of some tens of numbers below 1. */
static void compare(const kith__operator *W, int count, int k, const float *w,
                    const float *x, const float *y)
{
    for (int32_t u = 0; u < N; u++) {
        double sum[MOST] = {0}, norm[KITH__SEVERAL] = {0};
        double got_norm[KITH__SEVERAL];
        float got[MOST];

        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
            for (int j = 0; j < count; j++) {
                const int64_t at = (int64_t)W->neighbours[p] * count + j;
                const double here = (double)w[p * count + j];

                for (int c = 0; c < k; c++)
                    sum[j * k + c] += here * (double)x[at * k + c];
                norm[j] += fabs(here) * (double)y[at];
            }
        kith__several_pull(W, count, w, x, k, u, got);
        kith__several_norm(W, count, w, y, u, got_norm);
        for (int c = 0; c < count * k; c++)
            CHECK_NEAR(got[c], sum[c], 2e-6);
        for (int j = 0; j < count; j++)
            CHECK_NEAR(got_norm[j], norm[j], 2e-6);
    }
}

TEST(several_products_are_those_of_each)
{
    enum { CELLS = N * MOST + KITH__LANES };
    static float w[2 * EDGES * KITH__SEVERAL + KITH__LANES];
    static float x[CELLS], y[CELLS];
    kith_graph *g = small_graph(N, EDGES, false, 3);
    const kith__operator W = {.n = N,
                              .rows = kith_graph_rows(g),
                              .neighbours = kith_graph_neighbours(g),
                              .threads = 1};
    kith__rng r = kith__rng_start(1, 1);

    CHECK(W.rows[N] > 2 * N && W.rows[N] <= 2 * EDGES);
    for (size_t i = 0; i < sizeof(w) / sizeof(*w); i++)
        w[i] = random_float(&r);
    for (int i = 0; i < CELLS; i++) {
        x[i] = random_float(&r);
        y[i] = fabsf(random_float(&r));
    }
    for (int count = 1; count <= KITH__SEVERAL; count++)
        for (int k = 1; k <= KITH__SEVERAL_COLUMNS; k++)
            compare(&W, count, k, w, x, y);
    kith_graph_free(g);
}

/* The hub's first `degree` leaves weigh 1, 2 and -3 by pieces of 1024; those
 * after them are of another row. */
static void check_hub(int degree, int count, int k, const float *w,
                      const float *x, const int32_t *neighbours)
{
    const int64_t rows[] = {0, degree, LEAVES};
    const kith__operator W = {
        .n = 2, .rows = rows, .neighbours = neighbours, .threads = 1};
    double norm[KITH__SEVERAL], sum = 0, size = 0;
    float got[MOST];

    for (int p = 0; p < degree; p++) {
        sum += (double)w[p * count];
        size += fabs((double)w[p * count]);
    }
    kith__several_pull(&W, count, w, x, k, 0, got);
    for (int c = 0; c < count * k; c++)
        CHECK_NEAR(got[c], (1 + c) * sum, 0);
    if (k > 1)
        return;
    kith__several_norm(&W, count, w, x, 0, norm);
    for (int j = 0; j < count; j++)
        CHECK_NEAR(norm[j], (1 + j) * size, 0);
}

/* Sums of a hub come in pieces of 1024; all are whole numbers below 2^24, so
 * that they are exact, and one too many or too few shows. */
TEST(a_hub_is_the_sum_of_all_its_leaves)
{
    enum { CELLS = (LEAVES + 1) * MOST + KITH__LANES };
    const int degrees[] = {1023, 1024, 1025, 2047, 2048, 2049, 2500};
    static float w[LEAVES * KITH__SEVERAL + KITH__LANES], x[CELLS];
    static int32_t neighbours[LEAVES];

    for (int p = 0; p < LEAVES; p++)
        neighbours[p] = p + 1;
    for (int count = 1; count <= KITH__SEVERAL; count++)
        for (int k = 1; k <= KITH__SEVERAL_COLUMNS; k++) {
            for (int p = 0; p < LEAVES * count; p++)
                w[p] = p / count < 1024 ? 1 : p / count < 2048 ? 2 : -3;
            for (int i = 0; i < (LEAVES + 1) * count * k; i++)
                x[i] = (float)(1 + i % (count * k));
            for (int i = 0; i < 7; i++)
                check_hub(degrees[i], count, k, w, x, neighbours);
        }
}
