/*
 * test_explain_lists.c: sums and largest parts of explanations, against a sort
 * of all of them.
 */
#include <math.h>

#include "core/alloc.h"
#include "models/explain/explain_lists.h"
#include "models/explain/paths.h"
#include "small_graphs.h"

enum { N = 30, C = 3 };

/* Values with repeats, zeros and both signs. */
static double some_value(int v)
{
    return (double)(v * 7 % 11 - 5) / 4;
}

static int of_class(int v)
{
    return v % 4 == 3 ? -1 : v % 4;
}

static int by_size(const void *a, const void *b)
{
    const kith_part *x = a, *y = b;
    const double d = fabs(y->value) - fabs(x->value);

    return d > 0 ? 1 : d < 0 ? -1 : x->node - y->node;
}

static void check_list(const kith_part *got, int count, kith_part *all, int n,
                       int most)
{
    qsort(all, (size_t)n, sizeof(*all), by_size);
    while (n > 0 && all[n - 1].value == 0)
        n--;
    CHECK_INT(count, n < most ? n : most);
    for (int i = 0; i < count; i++) {
        CHECK_INT(got[i].node, all[i].node);
        CHECK_INT(got[i].label, all[i].label);
        CHECK_NEAR(got[i].value, all[i].value, 0);
    }
}

/* Every node but the explained one is in the sum of its kind, and in its list
 * if it is among the largest; of equals the first. */
static void check_parts(int node, int most)
{
    kith_explanation e = {.node = node, .nodes = N, .classes = C, .own = .125};
    kith_part labelled[N], others[N];
    int32_t trained[N];
    const kith_solution s = {.trained = trained};
    double by_class[C] = {0}, sum[2] = {0};
    int n[2] = {0};
    kith_error err;

    CHECK_OK(kith__new_parts(&e, most, &err));
    for (int v = 0; v < N; v++) {
        const kith_part p = {v, of_class(v), some_value(v)};

        trained[v] = p.label;
        e.contribution[v] = p.value;
        if (p.label >= 0)
            by_class[p.label] += p.value;
        if (v == node)
            continue;
        sum[p.label >= 0] += p.value;
        if (p.label >= 0)
            labelled[n[1]++] = p;
        else
            others[n[0]++] = p;
    }
    kith__sum_parts(&s, most, &e);
    CHECK_NEAR(e.echo, some_value(node) - .125, 1e-12);
    CHECK_NEAR(e.labelled, sum[1], 1e-12);
    CHECK_NEAR(e.others, sum[0], 1e-12);
    for (int c = 0; c < C; c++)
        CHECK_NEAR(e.by_class[c], by_class[c], 1e-12);
    check_list(e.top_labelled, e.n_labelled, labelled, n[1], most);
    check_list(e.top_others, e.n_others, others, n[0], most);
    kith__free(e.contribution);
    kith__free(e.by_class);
    kith__free(e.top_labelled);
    kith__free(e.top_others);
}

TEST(parts_are_summed_and_the_largest_listed)
{
    for (int most = 1; most <= N; most += 3) {
        check_parts(2, most);
        check_parts(7, most);
    }
}

TEST(the_largest_columns_are_listed)
{
    for (int most = 1; most <= N; most += 4) {
        kith_feature_part kept[N];
        kith_explanation e = {.features = kept};
        kith_part all[N];
        double sum = 0;
        int n = N;

        for (int v = 0; v < N; v++) {
            all[v] = (kith_part){v, 0, some_value(v)};
            sum += some_value(v);
            kith__keep_feature(
                &e, most,
                (kith_feature_part){.column = v, .value = some_value(v)});
        }
        CHECK_NEAR(e.feature_sum, sum, 1e-12);
        qsort(all, N, sizeof(*all), by_size);
        while (all[n - 1].value == 0)
            n--;
        CHECK_INT(e.n_features, n < most ? n : most);
        for (int i = 0; i < e.n_features; i++)
            CHECK_INT(kept[i].column, all[i].node);
    }
}

TEST(weights_are_centred_over_classes)
{
    const float B[] = {1, 2, 6, -1, 0, 4};

    CHECK_NEAR(kith__centred_weight(B, 0, 3, 2), 3, 1e-12);
    CHECK_NEAR(kith__centred_weight(B, 1, 3, 0), -2, 1e-12);
    CHECK_NEAR(kith__centred_weight(B, 2, 2, 1), 2, 1e-12);
}

/* What each neighbour passes on: w_uv x_v H t, by dense matrices. */
TEST(neighbours_pass_on_what_they_have)
{
    for (int weighted = 0; weighted < 2; weighted++)
        for (int most = 1; most < 8; most += 2) {
            kith_graph *g = small_graph(N, 90, weighted, 5);
            const float H[C * C] = {.5f, -.2f, .1f, -.2f, .3f, 0, .1f, 0, -.4f};
            const double to[C] = {1, -.5, .25};
            float X[N * C];
            double W[N * N], sum = 0;
            kith_part all[N];
            kith_explanation e = {.node = 4, .nodes = N, .classes = C};
            small_task t;
            kith_error err;
            int n = 0;

            small_task_new(&t, g, C, 5, 1);
            random_potentials(X, N, C, 3);
            dense_weights(&t.task.W, W);
            for (int v = 0; v < N; v++) {
                kith_part p = {v, 0, 0};

                if (W[4 * N + v] == 0)
                    continue;
                for (int i = 0; i < C; i++)
                    for (int c = 0; c < C; c++)
                        p.value += W[4 * N + v] * (double)X[v * C + i] *
                                   (double)H[i * C + c] * to[c];
                sum += p.value;
                all[n++] = p;
            }
            CHECK_OK(kith__find_neighbours(
                &(kith__walk){.W = &t.task.W, .classes = C, .H = H, .to = to},
                X, most, &e, &err));
            CHECK(n > 4);
            CHECK_NEAR(e.through_neighbours, sum, 1e-6);
            qsort(all, (size_t)n, sizeof(*all), by_size);
            CHECK_INT(e.n_neighbours, n < most ? n : most);
            for (int i = 0; i < e.n_neighbours; i++) {
                CHECK_INT(e.neighbours[i].node, all[i].node);
                CHECK_NEAR(e.neighbours[i].value, all[i].value, 1e-6);
                CHECK_NEAR(e.neighbours[i].weight, W[4 * N + all[i].node],
                           1e-6);
            }
            kith__free(e.neighbours);
            small_task_release(&t);
            kith_graph_free(g);
        }
}

/* ---- in words ------------------------------------------------------------ */

typedef struct said {
    kith_sum_kind kind;
    const char *name, *words; /* the latter a part of what is said */
    int summands;
} said;

static const said all_said[] = {
    {KITH_SUM_STEPS, "steps", "iterations that were done", 4},
    {KITH_SUM_FIXED_POINT, "fixed-point", "of the fixed point", 5},
    {KITH_SUM_FEATURES, "features", "node's own features", 2},
    {KITH_SUM_OWN, "own", "ignores the graph", 2},
    {KITH_SUM_BESIDE, "beside", "fitted coupling", 4},
    {KITH_SUM_LOGITS, "logits", "features of all nodes", 5}};

/* The summands of each kind are those of the sum in explain.h that it can
 * have: a power of ten each. */
TEST(each_kind_says_what_it_is_a_sum_of)
{
    const double sums[] = {1111, 101111, 10001, 10001, 11101, 11111};

    for (int i = 0; i < 6; i++) {
        kith_explanation e = {.kind = all_said[i].kind,
                              .own = 1,
                              .echo = 10,
                              .labelled = 100,
                              .others = 1000,
                              .constant = 10000,
                              .unconverged = 100000};
        kith_summand s[KITH_SUMMANDS_MOST];
        const int n = kith_explanation_summands(&e, s);
        double sum = 0;

        CHECK_TEXT(kith_sum_name(e.kind), all_said[i].name);
        CHECK(strstr(kith_explanation_words(&e), all_said[i].words) != NULL);
        CHECK(!strstr(kith_explanation_words(&e), "root"));
        CHECK_INT(n, all_said[i].summands);
        for (int j = 0; j < n; j++)
            sum += s[j].value;
        CHECK_NEAR(sum, sums[i], 0);
        CHECK_NEAR(s[0].value, 1, 0);
        e.roots = true;
        CHECK(strstr(kith_explanation_words(&e), "fourth root") != NULL);
    }
}

TEST(the_own_part_is_named_for_what_it_is)
{
    kith_explanation e = {.own = 1};
    kith_summand s[KITH_SUMMANDS_MOST];

    kith_explanation_summands(&e, s);
    CHECK_TEXT(s[0].what, "the bias, as of any node");
    e.n_features = 1;
    kith_explanation_summands(&e, s);
    CHECK_TEXT(s[0].what, "the node's own features");
    e.kind = KITH_SUM_OWN;
    kith_explanation_summands(&e, s);
    CHECK_TEXT(s[0].what, "what is known of the node itself");
    e.clamped = true;
    kith_explanation_summands(&e, s);
    CHECK_TEXT(s[0].what, "the node's own label");
    e.kind = KITH_SUM_FEATURES;
    kith_explanation_summands(&e, s);
    CHECK_TEXT(s[0].what, "the node's features");
}
