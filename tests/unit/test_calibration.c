/*
 * test_calibration.c: probabilities of whole runs: what holds for any data.
 */
#include <math.h>

#include "check.h"
#include "core/rng.h"
#include "kith/kith.h"

enum { N = 90, FAR = 12, ALL = N + FAR, C = 3, EDGES = 5 * N };

static const char *const methods[] = {"linbp", "lcm", "bp", "lp"};

enum { METHODS = sizeof(methods) / sizeof(*methods) };

/* A graph whose nodes are mostly linked within their class, and a ring that no
 * label reaches.  Class c is number (c + turn) % C.  Half of the nodes have a
 * label. */
static kith_dataset *data_turned(int turn)
{
    kith__rng r = kith__rng_start(5, 1);
    static int32_t u[EDGES + FAR], v[EDGES + FAR], of[ALL];
    const kith_coo coo = {.u = {u, KITH_I32, EDGES + FAR},
                          .v = {v, KITH_I32, EDGES + FAR},
                          .nodes = ALL};
    const kith_array classes = {of, KITH_I32, ALL};
    kith_dataset *d = NULL;
    kith_labels *l = NULL;
    kith_graph *g = NULL;
    kith_error err;

    for (int i = 0; i < EDGES; i++) {
        u[i] = (int32_t)kith__rng_below(&r, N);
        v[i] = (int32_t)kith__rng_below(&r, N);
        if (kith__rng_real(&r) < .7)
            v[i] = (v[i] - v[i] % C + u[i] % C) % N;
    }
    for (int i = 0; i < FAR; i++) {
        u[EDGES + i] = N + i;
        v[EDGES + i] = N + (i + 1) % FAR;
    }
    for (int i = 0; i < ALL; i++)
        of[i] = i < N && i / C % 2 == 0 ? (i % C + turn) % C : -1;
    CHECK_OK(kith_graph_from_coo(&coo, NULL, NULL, &g, NULL, &err));
    CHECK_OK(kith_labels_from_array(&classes, C, NULL, &l, &err));
    CHECK_OK(kith_dataset_new(g, l, NULL, NULL, &d, &err));
    return d;
}

static kith_classification *classified(const kith_dataset *d, int method,
                                       const kith_train_options *o)
{
    kith_classification *c = NULL;
    kith_protocol p = {0};
    kith_error err;

    CHECK_OK(kith_protocol_make(d, NULL, .2, 1, &p, &err));
    CHECK_OK(kith_classify(d, methods[method], &p, o, 0, &c, &err));
    kith_protocol_release(&p);
    return c;
}

TEST(probabilities_sum_to_one_and_are_the_prior_where_nothing_reaches)
{
    kith_dataset *d = data_turned(0);
    kith_train_options o;

    kith_train_options_init(&o);
    for (int m = 0; m < METHODS; m++)
        for (int how = 0; how < 3; how++) {
            kith_classification *c;

            o.params.calibrate = (kith_calibrate)how;
            c = classified(d, m, &o);
            for (int i = 0; i < ALL; i++) {
                const float *p = c->probabilities + i * C;
                double sum = 0;

                for (int k = 0; k < C; k++) {
                    CHECK(p[k] >= 0 && p[k] <= 1);
                    sum += (double)p[k];
                    /* as many labels of each class: the prior is even */
                    if (i >= N)
                        CHECK_NEAR(p[k], 1. / C, 1e-6);
                }
                CHECK_NEAR(sum, 1, 1e-5);
                CHECK((c->evidence[i] == KITH_EVIDENCE_NONE) == (i >= N));
            }
            kith_classification_free(c);
        }
    kith_dataset_free(d);
}

TEST(turning_the_classes_turns_the_answer_and_nothing_else)
{
    kith_dataset *d = data_turned(0), *turned = data_turned(1);
    kith_train_options o;

    kith_train_options_init(&o);
    for (int m = 0; m < METHODS; m++) {
        kith_classification *a = classified(d, m, &o);
        kith_classification *b = classified(turned, m, &o);

        for (int i = 0; i < ALL; i++)
            for (int k = 0; k < C; k++)
                CHECK_NEAR(a->probabilities[i * C + k],
                           b->probabilities[i * C + (k + 1) % C], 2e-5);
        CHECK(memcmp(a->evidence, b->evidence, ALL) == 0);
        CHECK_NEAR(a->validation, b->validation, 1e-12);
        kith_classification_free(a);
        kith_classification_free(b);
    }
    kith_dataset_free(d);
    kith_dataset_free(turned);
}

TEST(any_number_of_threads_gives_the_same_bytes)
{
    kith_dataset *d = data_turned(0);
    kith_train_options o;

    kith_train_options_init(&o);
    for (int m = 0; m < METHODS; m++) {
        kith_classification *one, *three;

        o.job.threads = 1;
        one = classified(d, m, &o);
        o.job.threads = 3;
        three = classified(d, m, &o);
        CHECK(memcmp(one->probabilities, three->probabilities,
                     sizeof(float) * ALL * C) == 0);
        kith_classification_free(one);
        kith_classification_free(three);
    }
    kith_dataset_free(d);
}

/* A model file holds all that its probabilities are made of. */
TEST(a_model_from_a_file_gives_the_same_bytes)
{
    kith_dataset *d = data_turned(0);
    kith_train_options o;
    float p[ALL * C];
    kith_error err;

    kith_train_options_init(&o);
    for (int m = 0; m < METHODS; m++) {
        kith_classification *c = classified(d, m, &o);
        kith_model *back = NULL;

        CHECK_OK(kith_model_save(c->model, check_path("k.km"), &err));
        CHECK_OK(kith_model_open(check_path("k.km"), &back, &err));
        CHECK_OK(kith_model_predict(back, d, NULL, p, NULL, NULL, &err));
        CHECK(memcmp(p, c->probabilities, sizeof(p)) == 0);
        kith_model_free(back);
        kith_classification_free(c);
    }
    kith_dataset_free(d);
}

/* Two classes, of which one is said to be rare: odds change by as much. */
TEST(a_prevalence_shifts_the_odds)
{
    static int32_t u[N], v[N], of[N];
    const kith_coo coo = {.u = {u, KITH_I32, N}, .v = {v, KITH_I32, N}};
    const kith_array classes = {of, KITH_I32, N};
    kith_classification *plain, *rare;
    double factor = 0;
    kith_train_options o;
    kith_dataset *d = NULL;
    kith_labels *l = NULL;
    kith_graph *g = NULL;
    kith_error err;

    for (int i = 0; i < N; i++) {
        u[i] = i;
        v[i] = (i + 1) % N;
        of[i] = i % 3 == 0 ? (i > N / 2) : -1;
    }
    CHECK_OK(kith_graph_from_coo(&coo, NULL, NULL, &g, NULL, &err));
    CHECK_OK(kith_labels_from_array(&classes, 2, NULL, &l, &err));
    CHECK_OK(kith_dataset_new(g, l, NULL, NULL, &d, &err));
    kith_train_options_init(&o);
    plain = classified(d, 0, &o);
    o.params.prevalence = .01;
    rare = classified(d, 0, &o);
    for (int i = 0; i < N; i++) {
        const float *a = plain->probabilities + 2 * i;
        const float *b = rare->probabilities + 2 * i;
        const double own = (double)b[1] / (double)b[0] * (double)a[0] /
                           (double)a[1];

        if (i == 0)
            factor = own;
        CHECK_NEAR(own / factor, 1, 1e-3);
    }
    CHECK(factor < .02);
    kith_classification_free(plain);
    kith_classification_free(rare);
    kith_dataset_free(d);
}

TEST(calibration_survives_every_failed_allocation)
{
    kith_dataset *d = data_turned(0);
    kith_classification *c = NULL;
    kith_protocol p = {0};
    kith_train_options o;
    kith_error err;

    kith_train_options_init(&o);
    o.job.threads = 1;
    CHECK_OK(kith_protocol_make(d, NULL, .2, 1, &p, &err));
    CHECK_OOM(st = kith_classify(d, "linbp", &p, &o, 0, &c, NULL),
              kith_classification_free(c));
    kith_protocol_release(&p);
    kith_dataset_free(d);
}
