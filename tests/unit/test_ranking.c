/*
 * test_ranking.c: a list and what to expect of it, against counting.
 */
#include "small_graphs.h"

static char A[] = "a", B[] = "b", *names[] = {A, B};

/* 60 nodes, of which those below 30 are labelled: every third is b. */
enum { N = 60, LABELLED = 30 };

typedef struct fixture {
    kith_dataset data;
    kith_labels labels;
    int32_t of[N];
    kith_train_options train;
    kith_rank_options rank;
    kith_protocol p;
    kith_ranking *r;
} fixture;

static void set_up(fixture *f, const kith_split *split)
{
    kith_error err;

    memset(f, 0, sizeof(*f));
    for (int i = 0; i < N; i++)
        f->of[i] = i < LABELLED ? i % 3 == 0 : -1;
    f->labels = (kith_labels){.nodes = N,
                              .classes = 2,
                              .labelled = LABELLED,
                              .of = f->of,
                              .names = names};
    f->data.labels = &f->labels;
    f->data.graph = small_graph(N, 200, false, 3);
    kith_train_options_init(&f->train);
    f->train.fixed = KITH_FIX_ALL;
    f->train.job.threads = 1;
    kith_rank_options_init(&f->rank);
    f->rank.positive = 1;
    CHECK_OK(kith_protocol_make(&f->data, split, 0, 1, &f->p, &err));
}

static void tear_down(fixture *f)
{
    kith_ranking_free(f->r);
    kith_protocol_release(&f->p);
    kith_graph_free(f->data.graph);
}

/* How many of the nodes that are not known p puts above node u. */
static int above(const fixture *f, const float *p, int32_t u)
{
    int count = 0;

    for (int32_t v = 0; v < N; v++)
        count += f->of[v] < 0 && p[2 * v + 1] > p[2 * u + 1];
    return count;
}

/* Named nodes: one model, and its places counted one by one. */
TEST(named_nodes_are_scored_by_the_places_above_them)
{
    int32_t val[] = {0, 1, 2, 3, 4, 5};
    const kith_split split = {.val = val, .n_val = 6};
    float p[2 * N];
    kith_train_options o;
    kith_model *m;
    kith_error err;
    fixture f;

    set_up(&f, &split);
    f.rank.budget = 7;
    CHECK_OK(kith_rank(&f.data, "linbp", &f.p, &f.train, &f.rank, &f.r, &err));
    o = f.train;
    CHECK_OK(kith_model_train(&f.data, "linbp", &f.p.whole, &o, &m, p, &err));
    CHECK(!f.r->crossed);
    CHECK_INT(f.r->known, 6);
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(f.r->score[i], -above(&f, p, val[i]), 0);
        CHECK(f.r->is[i] == (i % 3 == 0));
    }
    CHECK_INT(f.r->nodes, N - LABELLED);
    CHECK_INT(f.r->listed, 7);
    for (int i = 0; i < f.r->nodes; i++) {
        CHECK(f.of[f.r->node[i]] < 0);
        CHECK(f.r->probability[i] == p[2 * f.r->node[i] + 1]);
        CHECK(i == 0 || f.r->probability[i] <= f.r->probability[i - 1]);
    }
    kith_model_free(m);
    tear_down(&f);
}

/* Without: ten models, each without its tenth of each class. */
TEST(learnt_nodes_are_scored_by_a_model_without_their_tenth)
{
    int32_t left[LABELLED], n_left = LABELLED, at = 0;
    kith_train_options o;
    kith_model *first;
    kith_error err;
    fixture f;

    set_up(&f, NULL);
    CHECK_OK(kith_rank(&f.data, "linbp", &f.p, &f.train, &f.rank, &f.r, &err));
    CHECK(f.r->crossed);
    CHECK_INT(f.r->known, LABELLED);
    o = f.train;
    CHECK_OK(
        kith_model_train(&f.data, "linbp", &f.p.whole, &o, &first, NULL, &err));
    o = kith_options_like(&o, first);
    memcpy(left, f.p.whole.train, sizeof(left));
    for (int fold = 10; fold > 0 && n_left > 0; fold--) {
        int32_t rest[LABELLED], n_rest = 0, *kept, *held, n_kept, n_held;
        float p[2 * N];
        kith_model *m;

        if (fold > 1)
            CHECK_OK(kith_hold_out(f.data.graph, &f.labels, left, n_left,
                                   1.0 / fold, 2, &kept, &n_kept, &held,
                                   &n_held, &err));
        else
            CHECK_OK(kith_hold_out(f.data.graph, &f.labels, left, 0, .5, 2,
                                   &kept, &n_kept, &held, &n_held, &err));
        if (fold == 1) { /* all that is left */
            kith_array_free(held);
            held = malloc(sizeof(left));
            memcpy(held, left, sizeof(left));
            n_held = n_left;
        }
        for (int32_t u = 0; u < LABELLED; u++) {
            bool is_held = false;

            for (int32_t i = 0; i < n_held; i++)
                is_held |= held[i] == u;
            if (!is_held)
                rest[n_rest++] = u;
        }
        CHECK_OK(kith_model_train(
            &f.data, "linbp", &(kith_split){.train = rest, .n_train = n_rest},
            &o, &m, p, &err));
        for (int32_t i = 0; i < n_held; i++, at++)
            CHECK_NEAR(f.r->score[at], -above(&f, p, held[i]), 0);
        kith_model_free(m);
        memcpy(left, kept, (size_t)n_kept * sizeof(*kept));
        n_left = n_kept;
        kith_array_free(kept);
        kith_array_free(held);
    }
    CHECK_INT(at, LABELLED);
    kith_model_free(first);
    tear_down(&f);
}

TEST(a_list_is_cut_where_the_threshold_says)
{
    kith_threshold t;
    kith_error err;
    fixture f;

    set_up(&f, NULL);
    f.rank.goal = KITH_GOAL_RECALL;
    f.rank.wish = .5;
    CHECK_OK(kith_rank(&f.data, "linbp", &f.p, &f.train, &f.rank, &f.r, &err));
    CHECK_OK(kith_threshold_choose(f.r->score, f.r->is, LABELLED, (double)NAN,
                                   KITH_GOAL_RECALL, .5, &t, &err));
    CHECK_INT(f.r->listed, (int)fmin(N - LABELLED, floor(-t.threshold) + 1));
    CHECK_NEAR(f.r->cut.recall, t.recall, 0);
    CHECK_NEAR(f.r->prevalence, 1. / 3, 1e-12); /* 10 of 30 */
    CHECK_INT(f.r->n_lengths, 2);               /* 10, 20 of 30 nodes */
    CHECK_OK(kith_ranking_after(f.r, 20, &t, &err));
    CHECK_NEAR(f.r->lengths[1].holds.recall, t.recall, 0);
    CHECK(f.r->lengths[1].probability == f.r->probability[19]);
    tear_down(&f);
}

/* 30 unknown nodes with 1 in 100 positive hold 0.3 of them. */
TEST(a_list_holds_no_more_than_there_are)
{
    kith_error err;
    fixture f;

    set_up(&f, NULL);
    f.rank.prevalence = .01;
    f.rank.budget = 3;
    CHECK_OK(kith_rank(&f.data, "linbp", &f.p, &f.train, &f.rank, &f.r, &err));
    CHECK(3 * f.r->cut.precision_high <= .3 + 1e-12);
    CHECK_NEAR(f.r->prevalence, .01, 0);
    tear_down(&f);
}

TEST(test_nodes_are_counted_as_far_as_the_list_goes)
{
    int32_t train[LABELLED], test[6] = {24, 25, 26, 27, 28, 40}, hits = 0;
    kith_split split = {.train = train, .test = test, .n_test = 6};
    kith_error err;
    fixture f;

    for (int32_t i = 0; i < 24; i++)
        train[split.n_train++] = i;
    set_up(&f, &split);
    f.rank.budget = N;
    CHECK_OK(kith_rank(&f.data, "linbp", &f.p, &f.train, &f.rank, &f.r, &err));
    CHECK_INT(f.r->nodes, N - 24);
    CHECK_INT(f.r->listed, N - 24); /* no more than there are */
    CHECK_INT(f.r->n_test, 6);
    for (int i = 0; i < 5; i++)
        hits += f.of[test[i]];
    CHECK_INT(f.r->test.positives, hits);
    CHECK_INT(f.r->test.hits, hits); /* all are listed */
    CHECK_INT(f.r->test.listed, 5);  /* node 40 has no label */
    CHECK_NEAR(f.r->test.recall, 1, 0);
    tear_down(&f);
}

TEST(a_ranking_as_json)
{
    char *json = NULL;
    size_t length = 0;
    kith_error err;
    fixture f;

    set_up(&f, NULL);
    f.rank.budget = 4;
    CHECK_OK(kith_rank(&f.data, "linbp", &f.p, &f.train, &f.rank, &f.r, &err));
    CHECK_OK(kith_ranking_json(f.r, f.data.graph, &json, &length, &err));
    CHECK_INT(length, strlen(json));
    CHECK(strstr(json, "{\n  \"positive\": \"b\",\n  \"method\": \"linbp\",\n"
                       "  \"balanced\": false,\n  \"wish\": {\n"
                       "    \"budget\": 4.0\n  },\n  \"listed\": 4,\n"
                       "  \"unknown\": 30,\n") == json);
    CHECK(strstr(json, "\"test\": {\n    \"precision\": null") != NULL);
    kith_array_free(json);
    CHECK_OOM(st = kith_ranking_json(f.r, f.data.graph, &json, &length, NULL),
              kith_array_free(json));
    tear_down(&f);
}

TEST(senseless_rankings_are_refused)
{
    const kith_rank_options wrong[] = {
        {.positive = 2},
        {.positive = -1},
        {.positive = 1, .budget = -1},
        {.positive = 1, .goal = KITH_GOAL_RECALL, .wish = 2},
    };
    kith_error err;
    fixture f;

    set_up(&f, NULL);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(
            kith_rank(&f.data, "linbp", &f.p, &f.train, &wrong[i], &f.r, &err),
            KITH_ERR_ARGUMENT);
        CHECK(!f.r);
    }
    kith_protocol_release(&f.p);
    for (int i = LABELLED; i < N; i++)
        f.of[i] = 0;
    f.labels.labelled = N;
    CHECK_OK(kith_protocol_make(&f.data, NULL, 0, 1, &f.p, &err));
    CHECK_INT(kith_rank(&f.data, "linbp", &f.p, &f.train, &f.rank, &f.r, &err),
              KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "no node is left to rank") != NULL);
    tear_down(&f);
}

TEST(a_ranking_survives_every_failed_allocation)
{
    int32_t val[] = {0, 1, 2, 3};
    const kith_split split = {.val = val, .n_val = 4};
    fixture f;

    set_up(&f, &split);
    CHECK_OOM(
        st = kith_rank(&f.data, "linbp", &f.p, &f.train, &f.rank, &f.r, NULL),
        kith_ranking_free(f.r));
    f.r = NULL;
    tear_down(&f);
}
