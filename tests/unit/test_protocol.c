/*
 * test_protocol.c: which nodes are learnt from, and that a classification is
 * two trainings that one could make by hand.
 */
#include "small_graphs.h"

static char A[] = "a", B[] = "b", *names[] = {A, B};

/* 40 nodes, of which those below 20 are labelled: even a, odd b. */
enum { N = 40, LABELLED = 20 };

typedef struct fixture {
    kith_dataset data;
    kith_labels labels;
    int32_t of[N];
} fixture;

static void set_up(fixture *f)
{
    memset(f, 0, sizeof(*f));
    for (int i = 0; i < N; i++)
        f->of[i] = i < LABELLED ? i % 2 : -1;
    f->labels = (kith_labels){.nodes = N,
                              .classes = 2,
                              .labelled = LABELLED,
                              .of = f->of,
                              .names = names};
    f->data.labels = &f->labels;
    f->data.graph = small_graph(N, 120, false, 7);
}

static void check_list(const int32_t *got, int32_t n, const int32_t *wanted,
                       int32_t n_wanted)
{
    CHECK_INT(n, n_wanted);
    for (int32_t i = 0; i < n && i < n_wanted; i++)
        CHECK_INT(got[i], wanted[i]);
}

TEST(a_split_says_what_is_learnt_from_and_tuned_on)
{
    int32_t train[] = {1, 4, 30}, val[] = {2, 31}, test[] = {5, 33};
    const int32_t learnt[] = {1, 4}, tuned[] = {2};
    const kith_split s = {.train = train,
                          .val = val,
                          .test = test,
                          .n_train = 3,
                          .n_val = 2,
                          .n_test = 2};
    kith_protocol p;
    kith_error err;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_protocol_make(&f.data, &s, .2, 1, &p, &err));
    check_list(p.whole.train, p.whole.n_train, learnt, 2); /* 30: no label */
    check_list(p.whole.val, p.whole.n_val, tuned, 1);
    check_list(p.whole.test, p.whole.n_test, test, 2); /* as given */
    CHECK_INT(p.tuning.n_val, 0); /* nodes are named, none is held out */
    CHECK(kith_protocol_first(&p) == &p.whole);
    kith_protocol_release(&p);
    kith_graph_free(f.data.graph);
}

TEST(without_training_nodes_all_labelled_ones_are_but_those_tuned_on)
{
    int32_t val[] = {0, 3};
    const kith_split s = {.val = val, .n_val = 2};
    kith_protocol p;
    kith_error err;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_protocol_make(&f.data, &s, .2, 1, &p, &err));
    CHECK_INT(p.whole.n_train, LABELLED - 2);
    CHECK_INT(p.whole.train[0], 1);
    CHECK_INT(p.whole.train[2], 4);
    kith_protocol_release(&p);
    kith_graph_free(f.data.graph);
}

/* Ten of each class: 2 of each are held out, the rest kept. */
TEST(what_is_held_out_is_the_share_of_each_class)
{
    int of_class[2] = {0};
    kith_protocol p;
    kith_error err;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_protocol_make(&f.data, NULL, .2, 1, &p, &err));
    CHECK_INT(p.whole.n_train, LABELLED);
    CHECK_INT(p.tuning.n_val, 4);
    CHECK_INT(p.tuning.n_train, 16);
    for (int i = 0; i < 4; i++)
        of_class[f.of[p.tuning.val[i]]]++;
    CHECK_INT(of_class[0], 2);
    CHECK(kith_protocol_first(&p) == &p.tuning);
    kith_protocol_release(&p);
    CHECK_OK(kith_protocol_make(&f.data, NULL, 0, 1, &p, &err));
    CHECK_INT(p.tuning.n_val + p.tuning.n_train, 0);
    kith_protocol_release(&p);
    kith_graph_free(f.data.graph);
}

TEST(one_node_a_class_is_too_few_to_hold_out)
{
    int32_t train[] = {0, 1};
    const kith_split s = {.train = train, .n_train = 2};
    kith_protocol p;
    kith_error err;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_protocol_make(&f.data, &s, .2, 1, &p, &err));
    CHECK_INT(p.tuning.n_train, 0);
    CHECK(kith_protocol_first(&p) == &p.whole);
    kith_protocol_release(&p);
    kith_graph_free(f.data.graph);
}

TEST(senseless_protocols_are_refused)
{
    int32_t beyond[] = {N}, below[] = {-1}, dark[] = {30};
    const kith_split wrong[] = {
        {.train = beyond, .n_train = 1},
        {.val = below, .n_val = 1},
        {.train = dark, .n_train = 1}, /* none has a label */
    };
    const double shares[] = {-.1, 1, (double)NAN};
    kith_protocol p;
    fixture f;

    set_up(&f);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(kith_protocol_make(&f.data, &wrong[i], .2, 1, &p, NULL),
                  KITH_ERR_ARGUMENT);
        CHECK(!p.whole.train && !p.tuning.train);
        CHECK_INT(kith_protocol_make(&f.data, NULL, shares[i], 1, &p, NULL),
                  KITH_ERR_ARGUMENT);
    }
    f.data.labels = NULL;
    CHECK_INT(kith_protocol_make(&f.data, NULL, .2, 1, &p, NULL),
              KITH_ERR_ARGUMENT);
    kith_graph_free(f.data.graph);
}

/* The literal twin: hold out, tune, take the choices, fit all. */
TEST(a_classification_is_two_trainings)
{
    float *first = malloc(sizeof(float) * 2 * N), *last = malloc(8 * N);
    kith_classification *c = NULL;
    kith_train_options o, again;
    kith_model *tuned, *model;
    kith_split part = {0};
    kith_protocol p;
    kith_error err;
    fixture f;

    set_up(&f);
    kith_train_options_init(&o);
    /* shares would be calibrated on five folds of all */
    o.params.calibrate = KITH_CALIBRATE_TEMPERATURE;
    CHECK_OK(kith_protocol_make(&f.data, NULL, .3, 5, &p, &err));
    CHECK_OK(kith_classify(&f.data, "linbp", &p, &o,
                           KITH_KEEP_UNSEEN | KITH_KEEP_SOLUTION, &c, &err));
    CHECK_OK(kith_hold_out(f.data.graph, &f.labels, p.whole.train, LABELLED, .3,
                           5, &part.train, &part.n_train, &part.val,
                           &part.n_val, &err));
    CHECK_OK(
        kith_model_train(&f.data, "linbp", &part, &o, &tuned, first, &err));
    again = kith_options_like(&o, tuned);
    CHECK_OK(kith_model_train(&f.data, "linbp", &p.whole, &again, &model, last,
                              &err));
    CHECK(memcmp(c->unseen, first, sizeof(float) * 2 * N) == 0);
    CHECK(memcmp(c->probabilities, last, sizeof(float) * 2 * N) == 0);
    CHECK_NEAR(c->validation, kith_model_validation(tuned), 0);
    CHECK_INT(c->n_validation, part.n_val);
    CHECK_NEAR(kith_model_temperature(c->model), kith_model_temperature(tuned),
               0);
    CHECK_INT(kith_solution_trained(c->solution, 3), 1);
    kith_model_free(tuned);
    kith_model_free(model);
    kith_split_release(&part);
    kith_classification_free(c);
    kith_protocol_release(&p);
    kith_graph_free(f.data.graph);
    free(first);
    free(last);
}

TEST(nothing_held_out_is_one_training)
{
    kith_classification *c = NULL;
    kith_train_options o;
    kith_protocol p;
    kith_error err;
    fixture f;

    set_up(&f);
    kith_train_options_init(&o);
    CHECK_OK(kith_protocol_make(&f.data, NULL, 0, 1, &p, &err));
    CHECK_OK(
        kith_classify(&f.data, "linbp", &p, &o, KITH_KEEP_UNSEEN, &c, &err));
    CHECK(c->model && !c->tuned && !c->unseen && !c->solution);
    CHECK(isnan(c->validation));
    kith_classification_free(c);
    CHECK_INT(kith_classify(&f.data, "none", &p, &o, 0, &c, NULL),
              KITH_ERR_ARGUMENT);
    CHECK(!c);
    kith_classification_free(NULL);
    kith_protocol_release(&p);
    kith_graph_free(f.data.graph);
}

TEST(both_checkpoints_are_removed)
{
    const char *path = check_file("state", "x"),
               *last = check_path("state.last");

    check_file("state.last", "x");
    kith_classify_forget(path);
    CHECK(access(path, F_OK) != 0 && access(last, F_OK) != 0);
    kith_classify_forget(NULL);
}

TEST(a_protocol_and_a_classification_survive_every_failed_allocation)
{
    kith_classification *c = NULL;
    kith_train_options o;
    kith_protocol p;
    kith_error err;
    fixture f;

    set_up(&f);
    kith_train_options_init(&o);
    o.job.threads = 1;
    o.fixed = KITH_FIX_ALL;
    CHECK_OOM(st = kith_protocol_make(&f.data, NULL, .2, 1, &p, NULL),
              kith_protocol_release(&p));
    CHECK_OK(kith_protocol_make(&f.data, NULL, .2, 1, &p, &err));
    CHECK_OOM(st = kith_classify(&f.data, "linbp", &p, &o,
                                 KITH_KEEP_UNSEEN | KITH_KEEP_SOLUTION, &c,
                                 NULL),
              kith_classification_free(c));
    kith_protocol_release(&p);
    kith_graph_free(f.data.graph);
}
