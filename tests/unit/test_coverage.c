/*
 * test_coverage.c: sets of classes: scores by hand, and the share that they
 * hold, which must be what was asked for however poor the probabilities are.
 */
#include "check.h"
#include "core/rng.h"
#include "eval/coverage.h"
#include "generated.h"
#include "models/conformal.h"
#include "models/model_object.h"

enum { C = 3 };

/* A model that keeps these scores and nothing else. */
static kith_model keeping(double *scores, int32_t n, int32_t classes)
{
    return (kith_model){.classes = classes,
                        .conformal = {.coverage = .9, .n = n, .score = scores}};
}

/* With the one score t, coverage 1/2 takes t itself: k = ceil(2 / 2). */
static void expect_set(double t, const float *row, const char *set)
{
    kith_model m = keeping(&t, 1, C);
    uint8_t in[C];
    kith_error err;

    CHECK_OK(kith_sets(&m, row, NULL, 1, .5, in, &err));
    for (int c = 0; c < C; c++)
        if (in[c] != (set[c] == '1'))
            check_failed(__FILE__, __LINE__, "t %g, class %d: not as in %s", t,
                         c, set);
}

/* .5 .3 .2 scores 1 - .5, 1 + .5, 1 + .8 + .02; of .4 .4 .2 two are the
 * likeliest, and the third has two before it. */
TEST(classes_come_in_as_the_mass_before_them_allows)
{
    const float row[] = {.3f, .5f, .2f}, even[] = {.4f, .2f, .4f};

    expect_set(.49, row, "000");
    expect_set(.51, row, "010");
    expect_set(1.49, row, "010");
    expect_set(1.51, row, "110");
    expect_set(1.81, row, "110");
    expect_set(1.83, row, "111");
    expect_set(.59, even, "000");
    expect_set(.61, even, "101");
    expect_set(1.81, even, "101");
    expect_set(1.83, even, "111");
}

TEST(the_score_taken_is_the_one_that_n_plus_1_asks_for)
{
    double scores[] = {0, .1, .2, .3, .4, .5, .6, .7, .8};
    const float sure[] = {.25f, .05f, .7f}, less[] = {.1f, .19f, .71f};
    kith_model m = keeping(scores, 9, C);
    uint8_t in[C];
    kith_error err;

    CHECK_INT(kith_coverage_least(.9), 9);
    CHECK_INT(kith_coverage_least(.95), 19);
    CHECK_INT(kith_coverage_least(.5), 1);
    /* k = 3 of .3: t = .2, and 1 - .7 is above, as is 1 - .71; k = 4: .3 */
    CHECK_OK(kith_sets(&m, less, NULL, 1, .3, in, &err));
    CHECK_INT(in[2], 0);
    CHECK_OK(kith_sets(&m, less, NULL, 1, .4, in, &err));
    CHECK_INT(in[2], 1);
    /* k = 9: t = .8 holds the likeliest alone; k = 10 > 9: all of them */
    CHECK_OK(kith_sets(&m, sure, NULL, 1, .9, in, &err));
    CHECK(!in[0] && !in[1] && in[2]);
    CHECK_OK(kith_sets(&m, sure, NULL, 1, .95, in, &err));
    CHECK(in[0] && in[1] && in[2]);
}

TEST(a_node_without_evidence_gets_all_classes_and_calibrates_nothing)
{
    const uint8_t evidence[] = {KITH_EVIDENCE_NONE, KITH_EVIDENCE_WEAK};
    const float p[] = {.8f, .1f, .1f, .8f, .1f, .1f};
    const int32_t nodes[] = {0, 1}, truth[] = {0, 0};
    kith__conformal own = {.coverage = .5};
    kith_model m = {.classes = C};
    uint8_t in[2 * C];
    kith_error err;

    CHECK_OK(kith__conformal_add(&own, p, evidence, C, nodes, truth, 2, &err));
    CHECK_INT(own.n, 1);
    CHECK_NEAR(own.score[0], .2, 1e-6);
    kith__conformal_keep(&m, &own);
    CHECK(!own.score && own.n == 0);
    CHECK_OK(kith_sets(&m, p, evidence, 2, .5, in, &err));
    CHECK(in[0] && in[1] && in[2]);
    CHECK(in[3] && !in[4] && !in[5]);
    kith__conformal_release(&m.conformal);
}

/* Nodes whose probabilities lean to the truth or against it, and are far too
 * sure: n from one law. */
static void draw(kith__rng *r, double lean, int32_t n, float *p, int32_t *of)
{
    for (int32_t u = 0; u < n; u++) {
        double x[C], sum = 0;

        of[u] = (int32_t)kith__rng_below(r, C);
        for (int c = 0; c < C; c++) {
            x[c] = exp(lean * (c == of[u]) + 6 * kith__rng_real(r));
            sum += x[c];
        }
        for (int c = 0; c < C; c++)
            p[u * C + c] = (float)(x[c] / sum);
    }
}

/* By the theorem the mean lies from .9 to .9 + 1/200.  Of 300 repeats, each
 * with a deviation of sqrt(.09/199 + .09/200) = .03, the mean has .0018. */
TEST(the_share_held_is_what_was_asked_for_whatever_the_probabilities)
{
    enum { CALIBRATION = 199, ASKED = 200, REPEATS = 300 };
    static const double leans[] = {-2, 0, 2, 8};
    static float p[ASKED * C];
    static int32_t of[ASKED], nodes[ASKED];
    static uint8_t sets[ASKED * C];
    const kith_labels labels = {.nodes = ASKED, .classes = C, .of = of};
    kith_error err;

    for (int32_t u = 0; u < ASKED; u++)
        nodes[u] = u;
    for (int i = 0; i < 4; i++) {
        double held = 0;

        for (int t = 0; t < REPEATS; t++) {
            kith__rng r = kith__rng_start((uint64_t)t, (uint64_t)i);
            kith__conformal own = {.coverage = .9};
            kith_model m = {.classes = C};

            draw(&r, leans[i], CALIBRATION, p, of);
            CHECK_OK(kith__conformal_add(&own, p, NULL, C, nodes, of,
                                         CALIBRATION, &err));
            kith__conformal_sort(&own);
            kith__conformal_keep(&m, &own);
            draw(&r, leans[i], ASKED, p, of);
            CHECK_OK(kith_sets(&m, p, NULL, ASKED, .9, sets, &err));
            held += kith_coverage_of(sets, &labels, nodes, ASKED).share;
            kith__conformal_release(&m.conformal);
        }
        held /= REPEATS;
        if (held < .9 - .0055 || held > .905 + .0055)
            check_failed(__FILE__, __LINE__, "lean %g holds %.4f", leans[i],
                         held);
    }
}

TEST(what_is_held_is_counted)
{
    int32_t of[] = {0, 1, -1, 2};
    const int32_t nodes[] = {0, 1, 2, 3};
    const uint8_t sets[] = {1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1};
    const kith_labels labels = {.nodes = 4, .classes = C, .of = of};
    const kith_coverage c = kith_coverage_of(sets, &labels, nodes, 4);

    CHECK_INT(c.nodes, 3); /* one has no label */
    CHECK_NEAR(c.share, 2.0 / 3, 1e-12);
    CHECK_NEAR(c.size, 6.0 / 3, 1e-12);
    CHECK_INT(c.empty, 0);
    CHECK_INT(c.full, 1);
    CHECK_NEAR(c.interval.low, kith_share_interval(2, 3).low, 1e-12);
    CHECK(isnan(kith_coverage_of(sets, &labels, nodes, 0).share));
}

TEST(names_of_classes_do_not_matter)
{
    enum { N = 50 };
    float p[N * C], turned[N * C];
    int32_t of[N];
    double score = 1.5;
    kith_model m = keeping(&score, 1, C);
    uint8_t in[N * C], turned_in[N * C];
    kith__rng r = kith__rng_start(3, 4);
    kith_error err;

    draw(&r, 1, N, p, of);
    for (int u = 0; u < N; u++) {
        p[u * C] = p[u * C + u % C]; /* equals too */
        for (int c = 0; c < C; c++)
            turned[u * C + (c + 1) % C] = p[u * C + c];
    }
    CHECK_OK(kith_sets(&m, p, NULL, N, .5, in, &err));
    CHECK_OK(kith_sets(&m, turned, NULL, N, .5, turned_in, &err));
    for (int u = 0; u < N; u++)
        for (int c = 0; c < C; c++)
            CHECK_INT(turned_in[u * C + (c + 1) % C], in[u * C + c]);
}

TEST(validation_labels_enter_no_fit_where_sets_are_asked_for)
{
    kith_train_options o;

    kith_train_options_init(&o);
    CHECK_INT(kith__cover_options(&o).fit, KITH_FIT_TRAIN_VAL);
    o.coverage = .9;
    CHECK_INT(kith__cover_options(&o).fit, KITH_FIT_TRAIN);
}

TEST(refusals_and_memory)
{
    const float p[] = {.5f, .3f, .2f};
    double score = 1.5;
    kith_model m = keeping(&score, 1, C), none = {.classes = C};
    kith__conformal own = {.coverage = .5};
    const int32_t node = 0, truth = 1;
    uint8_t in[C];
    kith_error err;

    CHECK_INT(kith_sets(&none, p, NULL, 1, .9, in, &err), KITH_ERR_ARGUMENT);
    CHECK_INT(kith_sets(&m, p, NULL, 1, 1, in, &err), KITH_ERR_ARGUMENT);
    CHECK_INT(kith_sets(&m, p, NULL, 1, (double)NAN, in, &err),
              KITH_ERR_ARGUMENT);
    CHECK_OOM(st = kith_sets(&m, p, NULL, 1, .5, in, &err), (void)in);
    CHECK_OOM(
        st = kith__conformal_add(&own, p, NULL, C, &node, &truth, 1, &err);
        if (st != KITH_OK) kith__conformal_release(&own),
        kith__conformal_release(&own));
}

/* Kept by a model, written, read, and the same sets chosen; a model whose
 * scores do not ascend is not written. */
TEST(a_model_file_keeps_what_sets_are_chosen_by)
{
    kith_dataset *d = generated_with(200, 3, 0, .6, 20);
    kith_classification *c = NULL;
    kith_protocol p = {0};
    kith_split split = {0};
    kith_model *m = NULL;
    kith_train_options o;
    bool folds = false;
    kith_error err;

    kith_train_options_init(&o);
    o.coverage = .7;
    CHECK_OK(kith_split_read(d, "0", &split, &err));
    CHECK_OK(kith_protocol_make(d, &split, 0, 1, &p, &err));
    CHECK_OK(kith_classify(d, "linbp", &p, &o, 0, &c, &err));
    CHECK_NEAR(kith_model_coverage(c->model), .7, 0);
    CHECK_INT(kith_model_coverage_nodes(c->model, &folds), p.whole.n_val);
    CHECK(!folds);
    CHECK_OK(kith_model_save(c->model, check_path("sets.km"), &err));
    CHECK_OK(kith_model_open(check_path("sets.km"), &m, &err));
    CHECK_INT(m->conformal.n, c->model->conformal.n);
    CHECK(memcmp(m->conformal.score, c->model->conformal.score,
                 (size_t)m->conformal.n * sizeof(double)) == 0);
    m->conformal.score[0] = 5;
    CHECK_INT(kith_model_save(m, check_path("wrong.km"), &err),
              KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "'sets'"));
    kith_model_free(m);
    kith_classification_free(c);
    kith_protocol_release(&p);
    kith_split_release(&split);
    kith_dataset_free(d);
}

/* Folds: every training node scores once, and memory may run out anywhere. */
TEST(without_validation_nodes_every_training_node_scores_once)
{
    kith_dataset *d = generated_with(60, 2, 0, .8, 0);
    kith_classification *c = NULL;
    kith_protocol p = {0};
    kith_split split = {0};
    kith_train_options o;
    bool folds = false;
    kith_error err;

    kith_train_options_init(&o);
    o.coverage = .7;
    o.fixed = KITH_FIX_ALL;
    o.params.iterations = 3;
    o.job.threads = 1;
    CHECK_OK(kith_split_read(d, "0", &split, &err));
    CHECK_OK(kith_protocol_make(d, &split, 0, 1, &p, &err));
    CHECK_OK(kith_classify(d, "linbp", &p, &o, 0, &c, &err));
    CHECK_INT(kith_model_coverage_nodes(c->model, &folds), p.whole.n_train);
    CHECK(folds);
    kith_classification_free(c);
    CHECK_OOM(st = kith_classify(d, "linbp", &p, &o, 0, &c, &err),
              kith_classification_free(c));
    kith_protocol_release(&p);
    kith_split_release(&split);
    kith_dataset_free(d);
}
