/*
 * test_evaluate.c: several methods and splits are as many trials.
 */
#include "small_graphs.h"

static char A[] = "a", B[] = "b", *names[] = {A, B};
static char one[] = "one", two[] = "two";

enum { N = 40 };

typedef struct fixture {
    kith_dataset data;
    kith_labels labels;
    int32_t of[N];
    int32_t train[2][8], val[4], test[6];
    kith_split split[2];
    kith_evaluation_options o;
    kith_evaluation *e;
} fixture;

static const char *const methods[] = {"linbp", "lp"};

static void set_up(fixture *f)
{
    memset(f, 0, sizeof(*f));
    for (int i = 0; i < N; i++)
        f->of[i] = i < 39 ? i % 2 : -1;
    f->labels = (kith_labels){
        .nodes = N, .classes = 2, .labelled = 39, .of = f->of, .names = names};
    f->data.labels = &f->labels;
    f->data.graph = small_graph(N, 120, false, 11);
    for (int i = 0; i < 8; i++) {
        f->train[0][i] = i;
        f->train[1][i] = 8 + i;
    }
    for (int i = 0; i < 4; i++)
        f->val[i] = 20 + i;
    for (int i = 0; i < 6; i++)
        f->test[i] = 34 + i; /* 39 has no label */
    for (int s = 0; s < 2; s++)
        f->split[s] = (kith_split){.name = s ? two : one,
                                   .train = f->train[s],
                                   .val = f->val,
                                   .test = f->test,
                                   .n_train = 8,
                                   .n_val = 4,
                                   .n_test = 6};
    kith_evaluation_options_init(&f->o);
    f->o.train.job.threads = 1;
    f->o.train.fixed = KITH_FIX_ALL;
    f->o.positive = 0;
}

static void tear_down(fixture *f)
{
    kith_evaluation_free(f->e);
    kith_graph_free(f->data.graph);
}

TEST(an_evaluation_is_a_trial_for_every_method_and_split)
{
    float p[2 * N];
    double accuracy[2][2];
    kith_error err;
    fixture f;

    set_up(&f);
    f.o.precision_at = 2;
    CHECK_OK(kith_evaluate(&f.data, methods, 2, f.split, 2, &f.o, &f.e, &err));
    for (int m = 0; m < 2; m++)
        for (int s = 0; s < 2; s++) {
            const kith_result *r = &f.e->result[2 * m + s];
            kith_model *model;
            kith_trial t;
            double precision;

            CHECK_OK(kith_trial_run(&f.data, methods[m], &f.split[s],
                                    &f.o.train, KITH_POSITIVE_AUTO, p, &t,
                                    &model, &err));
            CHECK_OK(kith_precision_at(p, &f.labels, f.test, 6, 0, 2,
                                       &precision, NULL, &err));
            CHECK_NEAR(r->trial.scores.accuracy, t.scores.accuracy, 0);
            CHECK_NEAR(r->trial.scores.log_loss, t.scores.log_loss, 0);
            CHECK_NEAR(r->precision, precision, 0);
            accuracy[m][s] = t.scores.accuracy;
            kith_model_free(model);
        }
    CHECK_INT(f.e->unlabelled[0], 1);
    CHECK_NEAR(kith_evaluation_spread(f.e, 1, KITH_ACCURACY).mean,
               (accuracy[1][0] + accuracy[1][1]) / 2, 1e-15);
    CHECK_NEAR(
        kith_evaluation_spread(f.e, 1, KITH_DIFFERENCE).mean,
        (accuracy[1][0] - accuracy[0][0] + accuracy[1][1] - accuracy[0][1]) / 2,
        1e-15);
    CHECK_INT(kith_evaluation_spread(f.e, 0, KITH_PRECISION_AT).n, 2);
    tear_down(&f);
}

TEST(an_evaluation_as_json)
{
    char *json = NULL;
    size_t length = 0;
    kith_error err;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_evaluate(&f.data, methods, 1, f.split, 2, &f.o, &f.e, &err));
    CHECK_OK(kith_evaluation_json(f.e, "toy", "a/toy", false, 0, &json, &length,
                                  &err));
    CHECK_INT(length, strlen(json));
    CHECK(strstr(json, "{\n  \"dataset\": \"toy\",\n  \"path\": \"a/toy\",\n"
                       "  \"nodes\": 40,\n") == json);
    CHECK(strstr(json, "\"seed\": null") != NULL);
    CHECK(strstr(json, "          \"params\": {\n"
                       "            \"method\": \"linbp\",\n"
                       "            \"prep\": \"l2\",\n") != NULL);
    CHECK(strstr(json, "\"unlabelled\": 1\n") != NULL);
    kith_array_free(json);
    CHECK_OOM(st = kith_evaluation_json(f.e, "toy", "t", true, 3, &json,
                                        &length, NULL),
              kith_array_free(json));
    tear_down(&f);
}

typedef struct seen {
    int after; /* calls, then stop */
    char stage[64];
} seen;

static int look(void *user, const kith_progress *step)
{
    seen *s = user;

    snprintf(s->stage, sizeof(s->stage), "%s", step->stage);
    return --s->after == 0;
}

TEST(progress_names_the_method_and_the_split_and_may_cancel)
{
    seen s = {.after = 1};
    kith_error err;
    fixture f;

    set_up(&f);
    f.o.train.job.progress = look;
    f.o.train.job.user = &s;
    CHECK_INT(kith_evaluate(&f.data, methods, 2, f.split, 2, &f.o, &f.e, &err),
              KITH_ERR_CANCELLED);
    CHECK(strncmp(s.stage, "linbp 1/2 ", 10) == 0);
    CHECK(!f.e);
    tear_down(&f);
}

TEST(senseless_evaluations_are_refused)
{
    const char *const unknown[] = {"none"};
    int32_t dark[] = {39};
    kith_error err;
    fixture f;

    set_up(&f);
    CHECK_INT(kith_evaluate(&f.data, unknown, 1, f.split, 2, &f.o, &f.e, &err),
              KITH_ERR_ARGUMENT);
    f.split[1].test = dark;
    f.split[1].n_test = 1;
    CHECK_INT(kith_evaluate(&f.data, methods, 1, f.split, 2, &f.o, &f.e, &err),
              KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "split 'two' leaves no labelled node to test on");
    f.data.labels = NULL;
    CHECK_INT(kith_evaluate(&f.data, methods, 1, f.split, 2, &f.o, &f.e, &err),
              KITH_ERR_ARGUMENT);
    tear_down(&f);
}

TEST(an_evaluation_survives_every_failed_allocation)
{
    fixture f;

    set_up(&f);
    CHECK_OOM(
        st = kith_evaluate(&f.data, methods, 1, f.split, 1, &f.o, &f.e, NULL),
        kith_evaluation_free(f.e));
    f.e = NULL;
    tear_down(&f);
}
