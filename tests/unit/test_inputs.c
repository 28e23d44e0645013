/*
 * test_inputs.c: the first layer's products, forward and backward, against
 * dense matrices.  What is dropped is seen in the product with the identity.
 */
#include <math.h>

#include "check.h"
#include "core/rng.h"
#include "nn/inputs.h"

/* More rows than a block and than parts have; K is odd on purpose. */
enum { N = 150, D = 9, K = 5 };

typedef struct scene {
    float dense[N * D], value[N * D];
    int64_t row[N + 1];
    int32_t column[N * D], node[N];
    uint8_t mark[N];
    kith_features full, sparse, ones;
    kith__row_set near;
} scene;

static void scene_new(scene *s)
{
    kith__rng r = kith__rng_start(8, 3);
    int64_t at = 0;

    *s = (scene){0};
    for (int u = 0; u < N; u++) {
        s->row[u] = at;
        for (int j = 0; j < D; j++) {
            if (u % 17 == 5 || kith__rng_real(&r) < .5)
                continue;
            /* rows that sum to less than 1 and to more */
            s->value[at] =
                (float)((kith__rng_real(&r) - .4) * (u % 2 ? .1 : 3));
            s->dense[u * D + j] = s->value[at];
            s->column[at++] = j;
        }
        s->mark[u] = u % 3 != 1;
        if (s->mark[u])
            s->node[s->near.count++] = u;
    }
    s->row[N] = at;
    s->near.node = s->node;
    s->near.mark = s->mark;
    s->full = (kith_features){
        .nodes = N, .columns = D, .entries = N * D, .value = s->dense};
    s->sparse = (kith_features){.nodes = N,
                                .columns = D,
                                .entries = at,
                                .row = s->row,
                                .column = s->column,
                                .value = s->value};
    s->ones = s->sparse;
    s->ones.value = NULL;
}

/* X, N x columns: rows that sum to 1 in absolute value. */
static void literal_inputs(const scene *s, const kith_features *f, double *X)
{
    const int columns = f ? D : N;

    for (int u = 0; u < N; u++) {
        double sum = 0;

        for (int j = 0; j < columns; j++) {
            const double x = (double)s->dense[u * D + j % D];

            X[u * columns + j] = !f ? u == j : f == &s->ones ? x != 0 : x;
            sum += fabs(X[u * columns + j]);
        }
        for (int j = 0; sum > 0 && j < columns; j++)
            X[u * columns + j] /= sum;
    }
}

/* X <- drop(X), as it is multiplied: each cell is gone or scaled. */
static void drop(const kith__inputs *x, const kith__dropout *d, double rate,
                 double *X)
{
    const int columns = x->columns;
    static float I[N * N], Y[N * N];
    int gone = 0, cells = 0;

    memset(I, 0, sizeof(I));
    for (int j = 0; j < columns; j++)
        I[j * columns + j] = 1;
    kith__inputs_forward(x, I, columns, d, NULL, Y);
    for (int i = 0; i < N * columns; i++) {
        const bool dropped = rate > 0 && Y[i] == 0;

        X[i] *= dropped ? 0 : 1 / (1 - rate);
        CHECK_NEAR(Y[i], X[i], 2e-5);
        X[i] = (double)Y[i];
        cells += !x->features || x->scale[i / columns] > 0;
        gone += dropped && (!x->features || x->scale[i / columns] > 0);
    }
    CHECK(rate == 0 || gone > cells / 4);
}

static void compare(const scene *s, const kith_features *f, double rate,
                    const kith__row_set *near)
{
    const kith__dropout d = kith__dropout_at(rate, 4, 1);
    const int columns = f ? D : N;
    static double X[N * N];
    static float W[N * K], Y[N * K], dY[N * K], dW[N * K];
    kith__rng r = kith__rng_start(1, 1);
    kith__inputs x;
    kith_error err;

    for (int i = 0; i < N * K; i++) {
        W[i] = (float)kith__rng_real(&r);
        dY[i] = (float)kith__rng_real(&r) - .5f;
        Y[i] = dW[i] = 77;
    }
    CHECK_OK(kith__inputs_new(f, false, N, 2, columns, &x, &err));
    CHECK_INT(x.columns, columns);
    literal_inputs(s, f, X);
    drop(&x, &d, rate, X);
    kith__inputs_forward(&x, W, K, &d, near, Y);
    kith__inputs_backward(&x, dY, K, &d, near, dW);
    for (int u = 0; u < N; u++)
        for (int c = 0; c < K; c++) {
            double sum = 0;

            for (int j = 0; j < columns; j++)
                sum += X[u * columns + j] * (double)W[j * K + c];
            CHECK_NEAR(Y[u * K + c], near && !s->mark[u] ? 77 : sum, 2e-6);
        }
    for (int j = 0; j < columns; j++)
        for (int c = 0; c < K; c++) {
            double sum = 0;

            for (int u = 0; u < N; u++)
                if (!near || s->mark[u])
                    sum += X[u * columns + j] * (double)dY[u * K + c];
            CHECK_NEAR(dW[j * K + c], sum, 2e-5);
        }
    kith__inputs_release(&x);
}

TEST(products_with_inputs_equal_dense_ones)
{
    static scene s;

    scene_new(&s);
    for (int some = 0; some < 2; some++)
        for (int drops = 0; drops < 2; drops++) {
            const kith__row_set *near = some ? &s.near : NULL;
            const double rate = drops ? .4 : 0;

            compare(&s, &s.full, rate, near);
            compare(&s, &s.sparse, rate, near);
            compare(&s, &s.ones, rate, near);
            compare(&s, NULL, rate, near);
        }
}

/* Where nothing is learnt all rows of dense inputs come out. */
TEST(inputs_that_do_not_learn_give_all_rows)
{
    const kith__dropout d = kith__dropout_at(0, 0, 0);
    static float W[D * K], all[N * K], some[N * K];
    static scene s;
    kith__inputs x;
    kith_error err;

    scene_new(&s);
    for (int i = 0; i < D * K; i++)
        W[i] = (float)(i % 7) - 3;
    CHECK_OK(kith__inputs_new(&s.full, false, N, 1, 0, &x, &err));
    CHECK(!x.partial);
    kith__inputs_forward(&x, W, K, &d, NULL, all);
    kith__inputs_forward(&x, W, K, &d, &s.near, some);
    CHECK(memcmp(all, some, sizeof(all)) == 0);
    kith__inputs_release(&x);
}

TEST(inputs_survive_every_failed_allocation)
{
    static scene s;
    kith__inputs x;
    kith_error err;

    scene_new(&s);
    CHECK_OOM(st = kith__inputs_new(&s.full, false, N, 2, K, &x, &err),
              kith__inputs_release(&x));
    CHECK_OOM(st = kith__inputs_new(&s.sparse, false, N, 2, K, &x, &err),
              kith__inputs_release(&x));
}
