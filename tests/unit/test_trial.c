/* One method on one split, and values of several splits together. */
#include "generated.h"

TEST(a_spread_leaves_out_what_is_no_number)
{
    const double x[] = {1, (double)NAN, 2, 3};
    const kith_spread s = kith_spread_of(x, 4);

    CHECK_NEAR(s.mean, 2, 0);
    CHECK_NEAR(s.std, 1, 1e-15); /* ((1 + 0 + 1) / 2)^1/2 */
    CHECK_INT(s.n, 3);
}

TEST(one_value_has_no_deviation_and_none_no_mean)
{
    const double one = .25, none = (double)NAN;

    CHECK_NEAR(kith_spread_of(&one, 1).mean, .25, 0);
    CHECK_NEAR(kith_spread_of(&one, 1).std, 0, 0);
    CHECK(isnan(kith_spread_of(&none, 1).mean));
    CHECK(isnan(kith_spread_of(&none, 1).std));
    CHECK_INT(kith_spread_of(NULL, 0).n, 0);
}

/* ---- a trial, step by step ----------------------------------------------- */

/* What kith_trial_run() says is what `p` and `m`, made by hand, say. */
static void check_same(const kith_dataset *d, const kith_split *s,
                       const kith_train_options *o, const kith_model *m,
                       const float *p)
{
    float *q = room(d);
    kith_model *got = NULL;
    kith_scores scores;
    kith_trial t;
    kith_error err;

    CHECK_OK(kith_trial_run(d, "linbp", s, o, KITH_POSITIVE_AUTO, q, &t, &got,
                            &err));
    CHECK_OK(kith_score(p, d->labels, s->test, s->n_test, KITH_POSITIVE_AUTO,
                        &scores, &err));
    CHECK(memcmp(p, q, bytes_of(d)) == 0);
    CHECK_NEAR(t.scores.accuracy, scores.accuracy, 0);
    CHECK_NEAR(t.temperature, kith_model_temperature(m), 0);
    CHECK_INT(t.certificate.iterations, kith_model_certificate(m)->iterations);
    CHECK(t.validation == kith_model_validation(m) ||
          (isnan(t.validation) && isnan(kith_model_validation(m))));
    CHECK_NEAR(kith_model_params(got)->smooth, kith_model_params(m)->smooth, 0);
    CHECK_NEAR(kith_model_params(got)->penalty, kith_model_params(m)->penalty,
               0);
    CHECK(t.seconds >= 0);
    kith_model_free(got);
    free(q);
}

typedef struct scene {
    kith_dataset *d;
    kith_split s;
    kith_train_options o;
    float *p;
} scene;

static void scene_new(scene *x)
{
    kith_error err;

    x->d = generated_with(300, 3, 60, .6, 20);
    CHECK_OK(kith_split_read(x->d, "0", &x->s, &err));
    kith_train_options_init(&x->o);
    x->o.job.threads = 1;
    x->p = room(x->d);
}

static void scene_release(scene *x)
{
    kith_split_release(&x->s);
    kith_dataset_free(x->d);
    free(x->p);
}

static kith_model *train(scene *x, const kith_split *s,
                         const kith_train_options *o)
{
    kith_model *m = NULL;
    kith_error err;

    CHECK_OK(kith_model_train(x->d, "linbp", s, o, &m, x->p, &err));
    return m;
}

TEST(with_validation_nodes_a_trial_trains_once)
{
    kith_model *m;
    scene x;

    scene_new(&x);
    m = train(&x, &x.s, &x.o);
    check_same(x.d, &x.s, &x.o, m, x.p);
    kith_model_free(m);
    scene_release(&x);
}

/* Tuned without a fifth of the training nodes, then fitted to all. */
TEST(without_validation_nodes_a_part_is_held_out)
{
    kith_model *tuned, *m, *plain;
    kith_train_options again;
    kith_split part = {0};
    kith_error err;
    float *q;
    scene x;

    scene_new(&x);
    q = room(x.d);
    x.s.n_val = 0;
    CHECK_OK(kith_hold_out(x.d->graph, x.d->labels, x.s.train, x.s.n_train, .2,
                           1, &part.train, &part.n_train, &part.val,
                           &part.n_val, &err));
    CHECK_INT(part.n_val, 3); /* one of each five */
    tuned = train(&x, &part, &x.o);
    again = kith_options_like(&x.o, tuned);
    m = train(&x, &x.s, &again);
    check_same(x.d, &x.s, &x.o, m, x.p);
    /* choices that are given or fixed need nobody held out */
    again.fixed = 0;
    memcpy(q, x.p, bytes_of(x.d));
    kith_model_free(m);
    m = train(&x, &x.s, &again);
    check_same(x.d, &x.s, &again, m, x.p);
    x.o.fixed = KITH_FIX_ALL;
    plain = train(&x, &x.s, &x.o);
    check_same(x.d, &x.s, &x.o, plain, x.p);
    CHECK(memcmp(q, x.p, bytes_of(x.d)) != 0);
    kith_model_free(tuned);
    kith_model_free(m);
    kith_model_free(plain);
    kith_array_free(part.train);
    kith_array_free(part.val);
    free(q);
    scene_release(&x);
}

TEST(one_node_a_class_cannot_be_held_out)
{
    int32_t one[3];
    kith_model *m;
    kith_split s;
    scene x;

    scene_new(&x);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < x.s.n_train; i++)
            if (x.d->labels->of[x.s.train[i]] == c)
                one[c] = x.s.train[i];
    s = x.s;
    s.train = one;
    s.n_train = 3;
    s.n_val = 0;
    m = train(&x, &s, &x.o);
    check_same(x.d, &s, &x.o, m, x.p);
    kith_model_free(m);
    scene_release(&x);
}
