/*
 * test_tune.c: which points are tried and which is taken, with methods that
 * write down what they are asked and answer as they are told.
 */
#include <math.h>

#include "models/tune.h"
#include "small_graphs.h"

enum { N = 24, C = 2, VAL = 16, MOST = 200 };

/* ---- a method that writes down ------------------------------------------- */

static struct {
    kith_params asked[MOST];
    int count;
    /* how good an answer is: wrong on `wrong` nodes, a loss that falls with
     * `sure` */
    void (*answer)(const kith_params *p, int *wrong, double *sure);
    int surer; /* so many nodes say it by `sure` */
} note = {.surer = VAL / 2};

static const int32_t val_node[VAL] = {8,  9,  10, 11, 12, 13, 14, 15,
                                      16, 17, 18, 19, 20, 21, 22, 23};
static const int32_t val_truth[VAL] = {0, 1, 0, 1, 0, 1, 0, 1,
                                       0, 1, 0, 1, 0, 1, 0, 1};
static const kith__labelled_nodes val = {val_node, val_truth, VAL};

/* Beliefs such that a temperature cannot mend it: the first nodes are wrong,
 * the last of all say the truth as much as `sure`. */
static kith_status told(const kith__task *task, const kith_params *p,
                        const float *potentials, kith__beliefs *out,
                        kith_error *err)
{
    int wrong = 0;
    double sure = 0;

    (void)potentials, (void)err;
    CHECK(note.count < MOST);
    note.asked[note.count++] = *p;
    note.answer(p, &wrong, &sure);
    memset(out->P, 0, (size_t)task->n * C * sizeof(*out->P));
    for (int i = 0; i < VAL; i++) {
        const int says = i < wrong ? 1 - val_truth[i] : val_truth[i];

        out->P[val_node[i] * C + says] = i >= VAL - note.surer ? (float)sure
                                                               : 1;
    }
    return KITH_OK;
}

typedef struct scene {
    kith_graph *g;
    small_task task;
    float features[N * 3];
    kith_features f;
    kith_train_options options;
} scene;

static void scene_new(scene *s)
{
    kith__rng r = kith__rng_start(1, 4);

    s->g = small_graph(N, 20, false, 2);
    small_task_new(&s->task, s->g, C, 4, 1);
    for (int i = 0; i < N * 3; i++)
        s->features[i] = (float)kith__rng_real(&r);
    s->f = (kith_features){
        .nodes = N, .columns = 3, .entries = N * 3, .value = s->features};
    kith_train_options_init(&s->options);
    s->options.params.iterations = 33;
    s->options.params.penalty = 7;
    s->options.params.smooth = 1;
    s->options.params.prep = KITH_PREP_NONE;
    s->options.params.clamp = true;
    note.count = 0;
}

static void scene_release(scene *s)
{
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

/* ---- steps --------------------------------------------------------------- */

static const double g1s[] = {.02, .05, .1, .2};
static const double g2s[] = {.0002, .0005, .001, .002};
static const double lambdas[] = {.02, .05, .1, .2};
static kith_params wished;
static int wrong_if_wished;

/* The loss falls towards the wished pair (g1, g2), and less towards the wished
 * lambda: the pairs that are better at one lambda are so at all. */
static void answer_steps(const kith_params *p, int *wrong, double *sure)
{
    const double far = fabs(log(p->g1 / wished.g1)) +
                       fabs(log(p->g2 / wished.g2)) +
                       .1 * fabs(log(p->lambda / wished.lambda));

    *wrong = p->g1 == wished.g1 && p->g2 == wished.g2 &&
                     p->lambda == wished.lambda
                 ? wrong_if_wished
                 : 1;
    *sure = p->g1 == 0 ? .1 : .9 - .03 * far;
}

/* Not to learn, then every pair (g1, g2) at one lambda, then the better half of
 * them at the others: where lambda matters least that finds what the whole grid
 * would. */
TEST(the_better_half_of_the_steps_is_tried_at_every_lambda)
{
    const kith__method method = {.run = told};

    note.answer = answer_steps;
    for (int i = 0; i < 64; i += 7) {
        kith_params p;
        kith__score score;
        kith_error err;
        scene s;

        scene_new(&s);
        p = s.options.params;
        wished = p;
        wished.g1 = g1s[i / 16];
        wished.g2 = g2s[i / 4 % 4];
        wished.lambda = lambdas[i % 4];
        wrong_if_wished = 1;
        CHECK_OK(kith__tune_steps(&s.task.task, &method, NULL, &val, &p, &score,
                                  &err));
        CHECK_INT(note.count, 1 + 16 + 8 * 3);
        CHECK(note.asked[0].g1 == 0 && note.asked[0].g2 == 0);
        for (int k = 0; k < 16; k++) {
            CHECK(note.asked[k + 1].g1 == g1s[k / 4]);
            CHECK(note.asked[k + 1].g2 == g2s[k % 4]);
            CHECK(note.asked[k + 1].lambda == lambdas[1]);
        }
        for (int k = 17; k < note.count; k++) {
            const int others[] = {0, 2, 3};

            CHECK(note.asked[k].lambda == lambdas[others[(k - 17) % 3]]);
        }
        CHECK(p.g1 == wished.g1 && p.g2 == wished.g2);
        CHECK(p.lambda == wished.lambda);
        CHECK_NEAR(score.accuracy, 15. / 16, 1e-12);
        scene_release(&s);
    }
}

TEST(what_is_chosen_does_not_depend_on_threads)
{
    enum { NODES = 60 };
    kith_graph *g = small_graph(NODES, 150, false, 3);
    const kith__method *lcm = kith__method_find("lcm");
    const kith__labelled_nodes some = {val_node, val_truth, VAL};
    kith_params first = {0};
    kith__score least = {0};
    float Q[NODES * C];

    random_potentials(Q, NODES, C, 3);
    for (int threads = 1; threads <= 3; threads++) {
        kith_train_options o;
        kith__score score;
        kith_error err;
        small_task t;

        kith_train_options_init(&o);
        small_task_new(&t, g, C, 6, threads);
        CHECK_OK(
            kith__tune_steps(&t.task, lcm, Q, &some, &o.params, &score, &err));
        if (threads == 1) {
            first = o.params;
            least = score;
        }
        CHECK(memcmp(&o.params, &first, sizeof(first)) == 0);
        CHECK(memcmp(&score, &least, sizeof(least)) == 0);
        small_task_release(&t);
    }
    kith_graph_free(g);
}

/* Nothing is learnt where that has the least loss. */
static void answer_nothing(const kith_params *p, int *wrong, double *sure)
{
    *wrong = 1;
    *sure = p->g1 == 0 ? .9 : .5;
}

TEST(not_to_learn_may_be_best)
{
    const kith__method method = {.run = told};
    kith__score score;
    kith_params p;
    kith_error err;
    scene s;

    note.answer = answer_nothing;
    scene_new(&s);
    p = s.options.params;
    CHECK_OK(
        kith__tune_steps(&s.task.task, &method, NULL, &val, &p, &score, &err));
    CHECK(p.g1 == 0 && p.g2 == 0);
    scene_release(&s);
}

/* Killed after any number of points, tuning asks for the others alone, in the
 * same order, and takes the same. */
TEST(tuning_goes_on_after_any_point)
{
    const kith__method method = {.run = told};
    const char *file = check_path("c");
    kith_params asked[MOST], chosen = {0};
    static double worth[41][VAL];
    kith__valued points[41];
    int all = 0;

    note.answer = answer_steps;
    wrong_if_wished = 1;
    for (int i = 0; i < 41; i++)
        points[i].worth = worth[i];
    for (int kept = 41; kept >= 0; kept--) { /* the first keeps none yet */
        kith__checkpoint *c = NULL;
        kith__score score;
        kith_params p;
        kith_error err;
        scene s;

        scene_new(&s);
        p = wished = s.options.params;
        wished.g1 = .1;
        wished.g2 = .001;
        wished.lambda = .2;
        remove(file);
        CHECK_OK(kith__checkpoint_open(file, 1, &c, &err));
        if (all > 0) {
            CHECK_OK(kith__checkpoint_add(c, kept, VAL, points, &err));
            kith__checkpoint_free(c);
            CHECK_OK(kith__checkpoint_open(file, 1, &c, &err));
        }
        s.task.task.checkpoint = c;
        CHECK_OK(kith__tune_steps(&s.task.task, &method, NULL, &val, &p, &score,
                                  &err));
        kith__checkpoint_free(c);
        if (all == 0) {
            all = note.count;
            CHECK_INT(all, 41);
            memcpy(asked, note.asked, sizeof(asked));
            chosen = p;
            CHECK_OK(kith__checkpoint_open(file, 1, &c, &err));
            CHECK(kith__checkpoint_scores(c, 41, VAL, points));
            kith__checkpoint_free(c);
            kept++; /* all of them next */
        } else {
            CHECK_INT(note.count, all - kept);
            for (int k = 0; k < note.count; k++)
                CHECK(note.asked[k].g1 == asked[kept + k].g1 &&
                      note.asked[k].g2 == asked[kept + k].g2 &&
                      note.asked[k].lambda == asked[kept + k].lambda);
            CHECK(memcmp(&p, &chosen, sizeof(p)) == 0);
        }
        scene_release(&s);
    }
    remove(file);
}

static void answer_one(const kith_params *p, int *wrong, double *sure)
{
    const bool it = p->g1 == wished.g1 && p->g2 == wished.g2;

    *wrong = it ? wrong_if_wished : 1;
    *sure = it ? .9 : .5;
}

/* What is better at one node alone may be so by chance: nothing is learnt. */
TEST(steps_better_by_chance_are_not_taken)
{
    const kith__method method = {.run = told};
    kith_params p;
    kith__score score;
    kith_error err;
    scene s;

    note.answer = answer_one;
    wrong_if_wished = 1;
    for (int surer = 1; surer <= VAL / 2; surer *= VAL / 2) {
        scene_new(&s);
        note.surer = surer;
        p = s.options.params;
        wished = p;
        wished.g1 = .1;
        wished.g2 = .001;
        CHECK_OK(kith__tune_steps(&s.task.task, &method, NULL, &val, &p, &score,
                                  &err));
        CHECK((p.g1 == 0 && p.g2 == 0) == (surer == 1));
        scene_release(&s);
    }
}

TEST(what_is_fixed_is_not_tried)
{
    CHECK_INT(kith__step_points(0), 41);
    CHECK_INT(kith__step_points(KITH_FIX_G1), 4 + 2 * 3);
    CHECK_INT(kith__step_points(KITH_FIX_G2), 4 + 2 * 3);
    CHECK_INT(kith__step_points(KITH_FIX_LAMBDA), 17);
    CHECK_INT(kith__step_points(KITH_FIX_G1 | KITH_FIX_G2), 4);
    CHECK_INT(kith__step_points(KITH_FIX_ALL), 1);
}

/* ---- potentials ---------------------------------------------------------- */

static int best_prep, best_smooth, best_iterations;
static double best_penalty;
static bool best_clamp;

static void answer_potentials(const kith_params *p, int *wrong, double *sure)
{
    const bool it = (int)p->prep == best_prep && p->smooth == best_smooth &&
                    p->penalty == best_penalty && p->clamp == best_clamp;

    *wrong = it && p->iterations == best_iterations ? 0 : it ? 4 : 8;
    *sure = 1;
}

static void tune(scene *s, const kith__method *method, bool features,
                 kith__tuned *out)
{
    kith_error err;

    CHECK_OK(kith__tune(&s->task.task, features ? &s->f : NULL, method,
                        &s->options, &val, out, &err));
}

/* Two ways of preparing, two of smoothing, three penalties, clamped or not, at
 * ten iterations; then those. */
TEST(all_potentials_are_tried_and_the_best_are_taken)
{
    const kith__method method = {.uses_graph = true, .run = told};
    const kith_prep preps[] = {KITH_PREP_L2, KITH_PREP_TFIDF};
    const double penalties[] = {.5, .05, 5};
    const int iterations[] = {5, 10, 15, 20, 100};

    note.answer = answer_potentials;
    for (int i = 0; i < 24; i += 5) {
        kith__tuned t;
        scene s;

        scene_new(&s);
        best_prep = (int)preps[i / 12];
        best_smooth = 2 - 2 * (i / 6 % 2);
        best_penalty = penalties[i / 2 % 3];
        best_clamp = i % 2 == 0;
        best_iterations = iterations[i / 5];
        tune(&s, &method, true, &t);
        CHECK_INT(note.count, 24 + 5);
        for (int k = 0; k < 24; k++) {
            CHECK(note.asked[k].prep == preps[k / 12]);
            CHECK_INT(note.asked[k].smooth, 2 - 2 * (k / 6 % 2));
            CHECK(note.asked[k].penalty == penalties[k / 2 % 3]);
            CHECK(note.asked[k].clamp == (k % 2 == 0));
            CHECK_INT(note.asked[k].iterations, 10);
        }
        for (int k = 0; k < 5; k++)
            CHECK_INT(note.asked[24 + k].iterations, iterations[k]);
        CHECK((int)t.params.prep == best_prep);
        CHECK_INT(t.params.smooth, best_smooth);
        CHECK(t.params.penalty == best_penalty);
        CHECK(t.params.clamp == best_clamp);
        CHECK_INT(t.params.iterations, best_iterations);
        CHECK((t.idf != NULL) == (best_prep == KITH_PREP_TFIDF));
        CHECK(t.weights != NULL);
        kith__tuned_release(&t);
        scene_release(&s);
    }
}

/* Each bit keeps the value that was given, at which all else is tried. */
TEST(each_fixed_value_stays)
{
    const kith__method method = {.uses_graph = true, .run = told};
    const uint32_t bits[] = {KITH_FIX_PREP, KITH_FIX_SMOOTH, KITH_FIX_PENALTY,
                             KITH_FIX_CLAMP, KITH_FIX_ITERATIONS};
    const int tried[] = {12 + 5, 12 + 5, 8 + 5, 12 + 5, 24};

    note.answer = answer_potentials;
    best_prep = -1;
    for (int i = 0; i < 5; i++) {
        kith__tuned t;
        scene s;

        scene_new(&s);
        s.options.fixed = bits[i];
        tune(&s, &method, true, &t);
        CHECK_INT(note.count, tried[i]);
        for (int k = 0; k < note.count; k++) {
            CHECK(i != 0 || note.asked[k].prep == KITH_PREP_NONE);
            CHECK(i != 1 || note.asked[k].smooth == 1);
            CHECK(i != 2 || note.asked[k].penalty == 7);
            CHECK(i != 3 || note.asked[k].clamp);
            CHECK(i != 4 || note.asked[k].iterations == 33);
        }
        kith__tuned_release(&t);
        scene_release(&s);
    }
}

/* Without features only iterations are left, and labels are kept. */
TEST(without_features_labels_are_the_potentials)
{
    const kith__method method = {.uses_graph = true, .run = told};
    kith__tuned t;
    scene s;

    note.answer = answer_potentials;
    best_prep = -1;
    scene_new(&s);
    s.options.params.clamp = false;
    s.options.fixed = KITH_FIX_CLAMP;
    tune(&s, &method, false, &t);
    CHECK_INT(note.count, 5);
    CHECK(t.params.clamp);
    CHECK(!t.weights && !t.idf);
    for (int u = 0; u < N; u++)
        for (int c = 0; c < C; c++)
            CHECK_NEAR(t.potentials[u * C + c],
                       u >= 4       ? .5
                       : c == u % C ? 1
                                    : 0,
                       1e-7);
    kith__tuned_release(&t);
    scene_release(&s);
}

/* Nothing to tune on, or everything fixed: nothing is tried. */
TEST(nothing_is_tried_where_nothing_can_be_chosen)
{
    const kith__method method = {.uses_graph = true, .run = told};
    const kith__labelled_nodes none = {val_node, val_truth, 0};
    kith_error err;

    note.answer = answer_potentials;
    for (int i = 0; i < 2; i++) {
        kith__tuned t;
        scene s;

        scene_new(&s);
        s.options.fixed = i ? KITH_FIX_ALL : 0;
        CHECK_OK(kith__tune(&s.task.task, &s.f, &method, &s.options,
                            i ? &val : &none, &t, &err));
        CHECK_INT(note.count, 0);
        CHECK(t.params.prep == KITH_PREP_NONE);
        CHECK_INT(t.params.smooth, 1);
        CHECK_INT(t.params.iterations, 33);
        CHECK(t.params.penalty == 7 && t.params.clamp);
        kith__tuned_release(&t);
        scene_release(&s);
    }
}

/* A method that learns has its steps tried at the potentials that LinBP likes.
 */
TEST(steps_of_a_method_that_learns_come_last)
{
    const kith__method method = {
        .uses_graph = true, .learns = true, .run = told};
    kith__tuned t;
    scene s;

    note.answer = answer_steps;
    scene_new(&s);
    wished = s.options.params;
    wished.g1 = .2;
    wished.g2 = .0002;
    wished.lambda = .05;
    wrong_if_wished = 0;
    tune(&s, &method, true, &t);
    CHECK_INT(note.count, 41);
    CHECK(t.params.g1 == .2 && t.params.g2 == .0002 && t.params.lambda == .05);
    CHECK(t.params.prep == KITH_PREP_L2 || t.params.prep == KITH_PREP_TFIDF);
    for (int k = 1; k < note.count; k++)
        CHECK_INT(note.asked[k].iterations, note.asked[0].iterations);
    kith__tuned_release(&t);
    scene_release(&s);
}

static void answer_inner(const kith_params *p, int *wrong, double *sure)
{
    *wrong = 1;
    *sure = p->inner == wished.inner && p->lambda == wished.lambda ? .9 : .5;
}

/* By the exact gradient there are no steps: not to learn, then one and four
 * times `outer` iterations with each lambda. */
TEST(the_exact_gradient_is_tried_for_two_lengths)
{
    const kith__method method = {
        .uses_graph = true, .learns = true, .run = told};
    kith__tuned t;
    scene s;

    note.answer = answer_inner;
    scene_new(&s);
    s.options.params.gradient = KITH_GRADIENT_EXACT;
    wished.inner = 4;
    wished.lambda = .1;
    tune(&s, &method, true, &t);
    CHECK_INT(note.count, 9);
    CHECK(note.asked[0].g1 == 0 && note.asked[0].g2 == 0);
    for (int k = 0; k < 8; k++) {
        CHECK_INT(note.asked[k + 1].inner, k < 4 ? 1 : 4);
        CHECK(note.asked[k + 1].lambda == lambdas[k % 4]);
        CHECK(note.asked[k + 1].g1 == s.options.params.g1);
        CHECK_INT(note.asked[k + 1].iterations, 33);
    }
    CHECK_INT(t.params.inner, 4);
    CHECK(t.params.lambda == .1);
    kith__tuned_release(&t);
    scene_release(&s);
}
