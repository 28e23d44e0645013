/*
 * test_net_method.c: what networks are trained with, when training stops and
 * which epoch is kept, with a network that answers as it is told.
 */
#include <math.h>

#include "models/baselines/net_method.h"
#include "small_graphs.h"

/* ---- grids --------------------------------------------------------------- */

typedef struct documented {
    const kith__net_type *type;
    int hidden, heads, hops, points;
    double alpha[6], dropout[6], rate[6], decay[6];
    int layers[6];
    bool shared[6];
} documented;

/* As docs/methods/baselines.md has them. */
static const documented all[] = {
    {&kith__gcn_type,
     64,
     0,
     0,
     6,
     {0},
     {.5, .5, .8, .5, .2, .5},
     {.01, .01, .01, .01, .005, .005},
     {5e-4, 5e-3, 5e-4, 0, 0, 5e-4},
     {0, 0, 0, 0, 2, 3},
     {0}},
    {&kith__appnp_type,
     64,
     0,
     10,
     4,
     {.1, .1, .2, .1},
     {.5, .5, .5, .5},
     {.01, .01, .01, .01},
     {5e-3, 5e-4, 5e-3, 0},
     {0},
     {0}},
    {&kith__cheb_type,
     32,
     0,
     2,
     4,
     {0},
     {.5, .5, .8, .5},
     {.01, .01, .01, .01},
     {5e-3, 5e-4, 5e-3, 0},
     {0},
     {0}},
    {&kith__sage_type,
     64,
     0,
     0,
     6,
     {0},
     {.5, .5, .5, .5, .2, .5},
     {.01, .01, .01, .01, .005, .005},
     {5e-4, 5e-3, 5e-4, 0, 0, 5e-4},
     {0, 0, 0, 0, 2, 3},
     {false, false, true, true}},
    {&kith__gat_type,
     8,
     8,
     0,
     4,
     {0},
     {.6, .6, .6, .2},
     {.005, .01, .01, .005},
     {5e-4, 1e-3, 0, 0},
     {0, 0, 0, 2},
     {0}},
    {&kith__manireg_type,
     0,
     0,
     0,
     4,
     {1, .1, 10, 1},
     {0},
     {.1, .1, .1, .1},
     {1e-4, 1e-4, 1e-4, 1e-5},
     {0},
     {0}},
    {&kith__semiemb_type,
     64,
     0,
     0,
     3,
     {1, 10, 10},
     {.5, .5, .5},
     {.01, .01, .01},
     {5e-4, 5e-4, 5e-5},
     {0},
     {0}},
    {&kith__planetoid_type,
     64,
     0,
     0,
     4,
     {1, 1, .5, .5},
     {.5, .5, .5, .5},
     {.01, .01, .01, .01},
     {5e-4, 5e-3, 5e-4, 5e-3},
     {0},
     {0}},
    {&kith__planetoid_i_type,
     64,
     0,
     0,
     2,
     {1, 3},
     {.5, .5},
     {.01, .01},
     {5e-4, 5e-5},
     {0},
     {0}},
};

TEST(grids_are_as_documented)
{
    const double decay[] = {5e-5, 5e-6, 5e-4, 5e-5};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        const documented *d = &all[i];

        CHECK_INT(d->type->grid, d->points);
        for (int p = 0; p < d->points; p++) {
            const kith__net_settings *s = &d->type->settings[p];

            CHECK_INT(s->hidden, d->hidden);
            CHECK_INT(s->heads, d->heads);
            CHECK_INT(s->hops, d->hops);
            CHECK_NEAR(s->alpha, d->alpha[p], 0);
            CHECK_NEAR(s->dropout, d->dropout[p], 0);
            CHECK_NEAR(s->rate, d->rate[p], 0);
            CHECK_NEAR(s->decay, d->decay[p], 0);
            CHECK_INT(s->layers, d->layers[p]);
            CHECK(s->shared == d->shared[p]);
        }
    }
    CHECK_INT(kith__sgc_type.grid, 4);
    for (int p = 0; p < 4; p++) {
        CHECK_INT(kith__sgc_type.settings[p].hops, p < 3 ? 2 : 3);
        CHECK_NEAR(kith__sgc_type.settings[p].rate, .2, 0);
        CHECK_NEAR(kith__sgc_type.settings[p].decay, decay[p], 0);
        CHECK_NEAR(kith__sgc_type.settings[p].dropout, 0, 0);
    }
}

/* ---- a network that is told what to say ---------------------------------- */

enum { N = 12, C = 2, VAL = 4, MOST = 400 };

static struct {
    int epochs[2];         /* seen with each setting */
    float weight[2][MOST]; /* after each of them */
    void (*answer)(int setting, int epoch, int *wrong, double *sure);
} seen;

static kith_status build_told(kith__net *net, kith_error *err)
{
    return kith__net_weights(net, "w", 1, 1, false, err);
}

/* Validation nodes say the truth but for the first `wrong`, all as surely. */
static void forward_told(kith__net *net)
{
    const int setting = net->how.alpha > 1;
    int wrong = 0, e;
    double sure = 0;

    memset(net->Z, 0, N * C * sizeof(*net->Z));
    if (net->training || !net->near)
        return;
    e = ++seen.epochs[setting];
    CHECK(e < MOST);
    seen.weight[setting][e] = net->weights[0].value[0];
    seen.answer(setting, e, &wrong, &sure);
    for (int i = 0; i < VAL; i++)
        net->Z[(8 + i) * C + (i < wrong ? 1 : 0)] = (float)sure;
}

static void backward_told(kith__net *net)
{
    net->weights[0].gradient[0] = 1;
}

static const kith__net_settings told_grid[] = {
    {.hidden = 3, .alpha = 1, .rate = .01, .decay = .25},
    {.hidden = 5, .alpha = 2, .rate = .02, .decay = .5}};

static const kith__net_type told = {.name = "told",
                                    .grid = 2,
                                    .settings = told_grid,
                                    .build = build_told,
                                    .forward = forward_told,
                                    .backward = backward_told};

static void fit(uint32_t fixed, int iterations, int n_val,
                kith__fit_state *state)
{
    static const int32_t node[] = {8, 9, 10, 11}, truth[VAL] = {0};
    static float x[N];
    const kith_features f = {
        .nodes = N, .columns = 1, .entries = N, .value = x};
    const kith__labelled_nodes val = {node, truth, n_val};
    kith_graph *g = small_graph(N, 20, false, 3);
    float P[N * C];
    kith__beliefs out = {.P = P};
    kith_train_options o;
    kith_error err;
    small_task t;

    seen.epochs[0] = seen.epochs[1] = 0;
    small_task_new(&t, g, C, 4, 1);
    kith_train_options_init(&o);
    o.fixed = fixed;
    o.params.iterations = iterations;
    CHECK_OK(kith__net_fit(&told, &t.task, &f, &o, &val, state, &out, &err));
    CHECK_INT(out.certificate.iterations,
              (int)kith__fit_state_number(state, "epochs", -1));
    small_task_release(&t);
    kith_graph_free(g);
}

static void check_kept(const kith__fit_state *state, int setting, int epoch)
{
    const float *w = kith__fit_state_values(state, "w", 1, 1);

    CHECK_NEAR(kith__fit_state_number(state, "epochs", -1), epoch, 0);
    CHECK_NEAR(kith__fit_state_number(state, "hidden", -1), setting ? 5 : 3, 0);
    CHECK_NEAR(kith__fit_state_number(state, "rate", -1), setting ? .02 : .01,
               0);
    CHECK_NEAR(kith__fit_state_number(state, "decay", -1), setting ? .5 : .25,
               0);
    CHECK_NEAR(kith__fit_state_number(state, "alpha", -1), setting ? 2 : 1, 0);
    CHECK_NEAR(kith__fit_state_number(state, "features", -1), 1, 0);
    CHECK(w && w[0] == seen.weight[setting][epoch]);
}

/* The first grows surer until epoch 10 and then stays; the second is more
 * accurate in epoch 30 alone, where it is too sure, and never as good again. */
static void answer_peak(int setting, int e, int *wrong, double *sure)
{
    *wrong = setting == 0 ? 2 : e == 30 ? 1 : 3;
    *sure = setting == 0 ? (e > 10 ? .1 : .2 - .01 * e)
            : e == 30    ? 5 /* but for a temperature */
                         : 1 - e * .001;
}

TEST(the_best_epoch_is_kept_and_fifty_without_a_better_are_enough)
{
    kith__fit_state state = {0};

    seen.answer = answer_peak;
    fit(0, 200, VAL, &state);
    CHECK_INT(seen.epochs[0], 60);
    CHECK_INT(seen.epochs[1], 80);
    check_kept(&state, 1, 30);
    kith__fit_state_release(&state);
    fit(KITH_FIX_ITERATIONS, 20, VAL, &state);
    CHECK_INT(seen.epochs[0], 20);
    CHECK_INT(seen.epochs[1], 20);
    check_kept(&state, 0, 10);
    kith__fit_state_release(&state);
}

/* As accurate: less loss wins; as much loss: the first.  Accuracy that grows
 * goes on as well. */
static void answer_ties(int setting, int e, int *wrong, double *sure)
{
    *wrong = e < 40 ? 3 : e < 80 ? 2 : 1;
    *sure = setting == 0 || e < 100 ? 1 : e == 100 ? 1.1 : 2;
}

TEST(among_equals_the_less_loss_then_the_first)
{
    kith__fit_state state = {0};

    seen.answer = answer_ties;
    fit(0, 200, VAL, &state);
    CHECK_INT(seen.epochs[0], 80 + 50);
    CHECK_INT(seen.epochs[1], 100 + 50);
    check_kept(&state, 1, 100); /* of one wrong in four log 3 is best */
    kith__fit_state_release(&state);
    fit(KITH_FIX_ITERATIONS, 90, VAL, &state);
    check_kept(&state, 0, 80);
    kith__fit_state_release(&state);
}

/* Nothing to choose by: the first settings, for as many epochs as are given. */
TEST(without_validation_nodes_the_first_settings_are_taken)
{
    kith__fit_state state = {0};
    const float *w;

    seen.answer = answer_ties;
    fit(0, 7, 0, &state);
    CHECK_INT(seen.epochs[0] + seen.epochs[1], 0); /* nobody looked */
    CHECK_NEAR(kith__fit_state_number(&state, "epochs", -1), 7, 0);
    CHECK_NEAR(kith__fit_state_number(&state, "hidden", -1), 3, 0);
    w = kith__fit_state_values(&state, "w", 1, 1);
    CHECK(w != NULL);
    kith__fit_state_release(&state);
}

/* Numbers of a model file out of their range are as if they were not there. */
TEST(senseless_settings_are_not_taken)
{
    const struct {
        const char *name;
        double bad[2], good, usual;
    } numbers[] = {{"hidden", {-1, 1025}, 7, 3},    {"alpha", {-1, 1e7}, 4, 1},
                   {"dropout", {-.1, .995}, .3, 0}, {"rate", {-1, 11}, .5, .01},
                   {"decay", {-1, 1e7}, 3, .25},    {"epochs", {0, 2e6}, 4, 6}};

    seen.answer = answer_ties;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        for (int j = 0; j < 3; j++) {
            kith__fit_state state = {0};

            CHECK(kith__fit_state_set(&state, numbers[i].name,
                                      j < 2 ? numbers[i].bad[j]
                                            : numbers[i].good));
            fit(KITH_FIX_ALL, 6, 0, &state);
            CHECK_NEAR(kith__fit_state_number(&state, numbers[i].name, -7),
                       j < 2 ? numbers[i].usual : numbers[i].good, 0);
            kith__fit_state_release(&state);
        }
}

TEST(each_point_of_a_grid_makes_a_network)
{
    kith_graph *g = small_graph(N, 20, false, 3);
    float Z[N * C];
    kith_error err;

    for (size_t i = 0; i <= sizeof(all) / sizeof(*all); i++) {
        const bool last = i == sizeof(all) / sizeof(*all);
        const kith__net_type *type = last ? &kith__sgc_type : all[i].type;

        for (int p = 0; p < type->grid; p++) {
            kith__net net;

            CHECK_OK(kith__net_new(type, &type->settings[p], g, NULL, C, 1,
                                   true, Z, &net, &err));
            kith__net_predict(&net, NULL);
            for (int j = 0; j < N * C; j++)
                CHECK(Z[j] == 0); /* all weights are */
            kith__net_release(&net);
        }
    }
    kith_graph_free(g);
}
