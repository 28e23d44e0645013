/*
 * test_choice.c: a candidate's worth at its nodes against kith_score() and
 * against what leaving a node out does; chance by hand.
 */
#include <math.h>

#include "kith/eval.h"
#include "models/choice.h"
#include "small_graphs.h"

enum { N = 60, CLASSES_MOST = 3 };

static const kith_optimise measures[] = {
    KITH_OPTIMISE_LOG_LOSS, KITH_OPTIMISE_ACCURACY, KITH_OPTIMISE_AUC,
    KITH_OPTIMISE_AP, KITH_OPTIMISE_MACRO_F1};

/* Probabilities in steps, so that some are equal; truths that they tell
 * something of. */
static void draw(int classes, uint64_t seed, float *p, int32_t *truth)
{
    kith__rng r = kith__rng_start(seed, 1);

    for (int i = 0; i < N; i++) {
        float sum = 0, *row = p + i * classes;

        for (int c = 0; c < classes; c++) {
            row[c] = 1 + (float)(int)(8 * kith__rng_real(&r));
            sum += row[c];
        }
        truth[i] = (int32_t)(kith__rng_real(&r) * classes);
        row[truth[i]] += 2;
        for (int c = 0; c < classes; c++)
            row[c] /= sum + 2;
    }
}

static double scored(kith_optimise measure, const kith_scores *s)
{
    switch (measure) {
    case KITH_OPTIMISE_LOG_LOSS:
        return -s->log_loss;
    case KITH_OPTIMISE_ACCURACY:
        return s->accuracy;
    case KITH_OPTIMISE_AUC:
        return s->auc;
    case KITH_OPTIMISE_AP:
        return s->average_precision;
    case KITH_OPTIMISE_MACRO_F1:
        return s->macro_f1;
    }
    return (double)NAN;
}

static double score_without(kith_optimise measure, const float *p, int classes,
                            const int32_t *truth, int without)
{
    int32_t of[N], node[N], n = 0;
    kith_labels l = {.nodes = N, .labelled = N, .classes = classes, .of = of};
    kith_scores s;
    kith_error err;

    memcpy(of, truth, sizeof(of));
    for (int i = 0; i < N; i++)
        if (i != without)
            node[n++] = i;
    CHECK_OK(kith_score(p, &l, node, n, KITH_POSITIVE_AUTO, &s, &err));
    return scored(measure, &s);
}

TEST(the_mean_of_what_nodes_are_worth_is_the_score)
{
    for (int classes = 2; classes <= CLASSES_MOST; classes++)
        for (int m = 0; m < 5; m++) {
            float p[N * CLASSES_MOST];
            int32_t truth[N], node[N];
            const kith__labelled_nodes at = {node, truth, N};
            double worth[N];
            kith__judge j;
            kith_error err;

            draw(classes, (uint64_t)(classes + m), p, truth);
            for (int i = 0; i < N; i++)
                node[i] = i;
            CHECK_OK(
                kith__judge_new(NULL, measures[m], classes, &at, &j, &err));
            CHECK_INT(j.groups, N);
            CHECK_OK(kith__judge_probabilities(&j, p, worth, &err));
            CHECK_NEAR(kith__worth_mean(&j, worth),
                       score_without(measures[m], p, classes, truth, -1), 1e-6);
            kith__judge_release(&j);
        }
}

/* A node's influence is about (n - 1) times what the score loses without it
 * (the jackknife). */
TEST(what_a_node_is_worth_is_its_influence)
{
    for (int m = 0; m < 5; m++) {
        float p[N * 2];
        int32_t truth[N], node[N];
        const kith__labelled_nodes at = {node, truth, N};
        double worth[N], all, off = 0, size = 0;
        kith__judge j;
        kith_error err;

        draw(2, 7, p, truth);
        for (int i = 0; i < N; i++)
            node[i] = i;
        CHECK_OK(kith__judge_new(NULL, measures[m], 2, &at, &j, &err));
        CHECK_OK(kith__judge_probabilities(&j, p, worth, &err));
        all = kith__worth_mean(&j, worth);
        for (int i = 0; i < N; i++) {
            const double less = score_without(measures[m], p, 2, truth, i);

            off += fabs(worth[i] - all - (N - 1) * (all - less));
            size += fabs(worth[i] - all);
        }
        CHECK(off < .15 * size);
        kith__judge_release(&j);
    }
}

/* Of beliefs the same as of their softmax at the best temperature. */
TEST(beliefs_are_judged_by_their_probabilities)
{
    float p[N * 2], P[N * 2];
    int32_t truth[N], node[N];
    const kith__labelled_nodes at = {node, truth, N};
    double of_p[N], of_P[N];
    kith__valued v = {.worth = of_P};
    double T;
    kith__judge j;
    kith_error err;

    draw(2, 3, p, truth);
    for (int i = 0; i < N; i++)
        node[i] = i;
    for (int i = 0; i < N * 2; i++)
        P[i] = 5 * logf(p[i]);
    T = kith__fit_temperature(P, 2, &at);
    for (int i = 0; i < N; i++) {
        const double a = exp(P[2 * i] / T), b = exp(P[2 * i + 1] / T);

        p[2 * i] = (float)(a / (a + b));
        p[2 * i + 1] = (float)(b / (a + b));
    }
    CHECK_OK(kith__judge_new(NULL, KITH_OPTIMISE_LOG_LOSS, 2, &at, &j, &err));
    CHECK_OK(kith__judge_beliefs(&j, P, &v, &err));
    CHECK_OK(kith__judge_probabilities(&j, p, of_p, &err));
    for (int i = 0; i < N; i++)
        CHECK_NEAR(of_P[i], of_p[i], 1e-5);
    CHECK_NEAR(v.score.log_loss, -kith__worth_mean(&j, of_p), 1e-5);
    kith__judge_release(&j);
}

/* Differences 1, 1, 1, -1: mean .5, standard error .5: just not; 2, 1, 1, -1
 * have .75 and .63. */
TEST(better_means_by_more_than_the_standard_error)
{
    const int32_t none[4] = {0};
    const kith__labelled_nodes at = {none, none, 4};
    const double a[] = {0, 0, 0, 0}, b[] = {1, 1, 1, -1}, c[] = {2, 1, 1, -1};
    kith__judge j;
    kith_error err;

    CHECK_OK(kith__judge_new(NULL, KITH_OPTIMISE_ACCURACY, 2, &at, &j, &err));
    CHECK(!kith__beats(&j, b, a));
    CHECK(kith__beats(&j, c, a));
    CHECK(!kith__beats(&j, a, c));
    CHECK(!kith__beats(&j, a, a));
    CHECK(kith__beats(&j, (double[]){1, 1, 1, 1}, a)); /* no doubt at all */
    kith__judge_release(&j);
}

TEST(the_usual_one_stays_unless_it_is_beaten)
{
    const int32_t none[4] = {0};
    const kith__labelled_nodes at = {none, none, 4};
    double a[] = {0, 0, 0, 0}, b[] = {3, 1, 1, -3}, c[] = {.1, .1, .1, .1},
           d[] = {.2, .1, .1, .1};
    const kith__valued of[] = {
        {{0, 0}, b}, {{0, 0}, a}, {{0, 0}, c}, {{0, 0}, d}};
    kith__judge j;
    kith_error err;

    CHECK_OK(kith__judge_new(NULL, KITH_OPTIMISE_ACCURACY, 2, &at, &j, &err));
    CHECK_INT(kith__choose(&j, of, 2, 1), 1); /* better, but by chance */
    CHECK_INT(kith__choose(&j, of, 3, 1), 2);
    CHECK_INT(kith__choose(&j, of, 4, 1), 3);
    CHECK_INT(kith__choose(&j, of, 2, 0), 0);
    kith__judge_release(&j);
}

/* Of many nodes groups are told, by their ids: sums of their worth. */
TEST(many_nodes_are_judged_by_groups)
{
    enum { MANY = 5000 };
    static int32_t node[MANY], truth[MANY];
    static float p[MANY * 2];
    static double worth[MANY];
    const kith__labelled_nodes at = {node, truth, MANY};
    double right = 0;
    kith__judge j;
    kith_error err;

    for (int i = 0; i < MANY; i++) {
        node[i] = i;
        truth[i] = i % 3 == 0;
        p[2 * i] = i % 7 == 0 ? .3f : .6f;
        p[2 * i + 1] = 1 - p[2 * i];
        right += truth[i] == (i % 7 == 0);
    }
    CHECK_OK(kith__judge_new(NULL, KITH_OPTIMISE_ACCURACY, 2, &at, &j, &err));
    CHECK_INT(j.groups, 1024);
    CHECK_OK(kith__judge_probabilities(&j, p, worth, &err));
    CHECK_NEAR(kith__worth_mean(&j, worth), right / MANY, 1e-12);
    kith__judge_release(&j);
}

TEST(judging_survives_every_failed_allocation)
{
    float p[N * 2];
    int32_t truth[N], node[N];
    const kith__labelled_nodes at = {node, truth, N};
    double worth[N];
    kith__judge j = {0};

    draw(2, 1, p, truth);
    for (int i = 0; i < N; i++)
        node[i] = i;
    CHECK_OOM({
        st = kith__judge_new(NULL, KITH_OPTIMISE_AUC, 2, &at, &j, NULL);
        if (st == KITH_OK)
            st = kith__judge_probabilities(&j, p, worth, NULL);
        kith__judge_release(&j);
    }, );
}
