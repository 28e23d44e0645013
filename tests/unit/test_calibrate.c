/*
 * test_calibrate.c: scores by their formulas, and a temperature that no other
 * beats.
 */
#include <math.h>

#include "check.h"
#include "core/rng.h"
#include "models/potentials/calibrate.h"

enum { N = 12, C = 3 };

typedef struct example {
    float P[N * C];
    int32_t node[N], truth[N];
    kith__labelled_nodes at;
} example;

/* Beliefs that are right about two times in three. */
static void example_new(example *e, int n)
{
    kith__rng r = kith__rng_start(6, 6);

    for (int i = 0; i < N * C; i++)
        e->P[i] = (float)(kith__rng_real(&r) - .5);
    for (int i = 0; i < n; i++) {
        e->node[i] = N - 1 - i;
        e->truth[i] = i % C;
        if (i % 3 != 2)
            e->P[e->node[i] * C + e->truth[i]] += .8f;
    }
    e->at = (kith__labelled_nodes){e->node, e->truth, n};
}

/* -sum of target x log softmax(P / T): the class 1 - e, others the rest. */
static double literal_loss(const example *x, double t, double e)
{
    double loss = 0;

    for (int i = 0; i < x->at.n; i++) {
        const float *p = x->P + x->node[i] * C;
        const double top = (double)fmaxf(p[0], fmaxf(p[1], p[2]));
        double all = 0;

        for (int c = 0; c < C; c++)
            all += exp(((double)p[c] - top) / t);
        for (int c = 0; c < C; c++)
            loss -= (c == x->truth[i] ? 1 - e : e / (C - 1)) *
                    (((double)p[c] - top) / t - log(all));
    }
    return loss;
}

TEST(the_loss_is_the_mean_of_logarithms)
{
    example x;

    example_new(&x, 7);
    for (double t = .1; t < 10; t *= 3)
        CHECK_NEAR(kith__log_loss(x.P, C, &x.at, t), literal_loss(&x, t, 0) / 7,
                   1e-7);
    x.at.n = 0;
    CHECK_NEAR(kith__log_loss(x.P, C, &x.at, 1), 0, 0);
}

TEST(no_temperature_is_better_than_the_fitted)
{
    for (int n = 1; n <= N; n++) {
        const double e = 1 / (n + 2.0);
        example x;
        double t, best;

        example_new(&x, n);
        t = kith__fit_temperature(x.P, C, &x.at);
        best = literal_loss(&x, t, e);
        CHECK(t > 1e-3 && t < 1e3);
        for (double other = 1.2e-3; other < 900; other *= 1.01)
            CHECK(literal_loss(&x, other, e) > best - 1e-6);
        CHECK(literal_loss(&x, t * 1.02, e) > best);
        CHECK(literal_loss(&x, t / 1.02, e) > best);
    }
}

/* Beliefs 1e4 times as large or small are beyond the range. */
TEST(temperatures_stay_within_their_range)
{
    example x;
    const float scales[] = {1e-6f, 1e6f};
    const double ends[] = {1e-3, 1e3};

    for (int i = 0; i < 2; i++) {
        example_new(&x, N);
        for (int j = 0; j < N * C; j++)
            x.P[j] *= scales[i];
        CHECK_NEAR(kith__fit_temperature(x.P, C, &x.at) / ends[i], 1, 1e-3);
    }
    x.at.n = 0;
    CHECK_NEAR(kith__fit_temperature(x.P, C, &x.at), 1, 0);
}

TEST(a_score_is_accuracy_and_loss)
{
    const float P[] = {.1f, .3f, .3f, 0, 0, 0, .5f, .2f, .6f};
    const int32_t node[] = {0, 1, 2}, truth[] = {1, 0, 0};
    const kith__labelled_nodes at = {node, truth, 3}, none = {node, truth, 0};
    kith__score s;

    CHECK_NEAR(kith__accuracy(P, 3, &at), 2.0 / 3, 1e-12); /* ties: the first */
    CHECK(isnan(kith__accuracy(P, 3, &none)));
    s = kith__score_of(P, 3, &at);
    CHECK_NEAR(s.accuracy, 2.0 / 3, 1e-12);
    CHECK_NEAR(s.log_loss,
               kith__log_loss(P, 3, &at, kith__fit_temperature(P, 3, &at)),
               1e-12);
}

TEST(accuracy_comes_first_then_loss)
{
    const kith__score low = {.5, 1}, high = {.6, 9}, tie = {.5, .9};

    CHECK(kith__better(&high, &low) && !kith__better(&low, &high));
    CHECK(kith__better(&tie, &low) && !kith__better(&low, &tie));
    CHECK(!kith__better(&low, &low));
    CHECK(!kith__better(&tie, &high));
}

/* At a mean of .55 on 25 nodes the standard error is .0995; on 24 it is .1016;
 * where all are right it is at least sqrt(1e-4 / n). */
TEST(between_methods_a_standard_error_decides)
{
    const kith__score low = {.5, 1}, high = {.6, 9};
    const kith__score all = {1, 2}, most = {.998, 1};

    CHECK(kith__clearly_better(&high, &low, 25));
    CHECK(!kith__clearly_better(&low, &high, 25));
    CHECK(!kith__clearly_better(&high, &low, 24));
    CHECK(kith__clearly_better(&low, &high, 24));
    CHECK(!kith__clearly_better(&low, &low, 24));
    CHECK(!kith__clearly_better(&all, &most, 20)); /* .0022 */
    CHECK(kith__clearly_better(&most, &all, 20));
    CHECK(kith__clearly_better(&all, &most, 1000)); /* by .0010 */
}
