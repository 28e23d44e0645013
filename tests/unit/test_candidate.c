/*
 * test_candidate.c: recipes of lcm-em in a model's state: each number arrives
 * where it belongs, what is out of its range is refused, and what is followed
 * is told.
 */
#include <math.h>

#include "core/alloc.h"
#include "models/explain/logits.h"
#include "models/lcm_em/candidate.h"
#include "models/lcm_em/lcm_em.h"
#include "models/solution.h"
#include "small_graphs.h"

enum { N = 30, D = 4, C = 3, TRAIN = 12, VAL = 9 };

typedef struct scene {
    kith_graph *g;
    small_task task;
    float x[N * D];
    kith_features f;
    kith__search_context q;
    kith__labelled_nodes none;
} scene;

static void scene_new(scene *s)
{
    kith__rng r = kith__rng_start(2, 2);
    kith_error err;

    *s = (scene){.g = small_graph(N, 60, true, 31)};
    small_task_new(&s->task, s->g, C, TRAIN, 1);
    for (int i = 0; i < N * D; i++)
        s->x[i] = (float)kith__rng_real(&r);
    s->f = (kith_features){
        .nodes = N, .columns = D, .entries = N * D, .value = s->x};
    CHECK_OK(kith__search_context_new(&s->task.task, &s->f, &s->none,
                                      KITH_FIT_TRAIN, &s->q, &err));
}

static void scene_release(scene *s)
{
    kith__search_context_release(&s->q);
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

static kith_status apply(const scene *s, const kith__fit_state *state,
                         bool features, float *P, float *H, kith__beliefs *out,
                         kith_error *err)
{
    *out = (kith__beliefs){.P = P, .coupling = H};
    return kith__lcm_em_apply(&s->task.task, features ? &s->f : NULL, state,
                              out, err);
}

/* A number of a recipe, and its range. */
typedef struct number {
    const char *name;
    double value, low, high;
} number;

static const number em_numbers[] = {{"h", .4, 0, .999},
                                    {"hops", 3, 0, 1000},
                                    {"rounds", 2, 0, 100},
                                    {"a", .25, 0, 1},
                                    {"start_penalty", .2, 1e-6, 1e6},
                                    {"kappa", .8, 0, 1},
                                    {"unknown", .5, 0, 1e6},
                                    {"penalty", .3, 1e-6, 1e6},
                                    {"balance", .6, 0, 10},
                                    {"beta", .7, 0, 1e6}};
static const number beside_numbers[] = {{"blocks", 1, 1, 127},
                                        {"penalty", .3, 1e-6, 1e6},
                                        {"strength", .6, 0, .999},
                                        {"lambda", 0, 0, 1e31}};

#define COUNT(list) ((int)(sizeof(list) / sizeof(*(list))))

static void fill(kith__fit_state *s, const char *kind, const number *list,
                 int n)
{
    *s = (kith__fit_state){0};
    CHECK(kith__fit_state_choose(s, "potentials", kind));
    CHECK(kith__fit_state_choose(s, "prep", "l2"));
    CHECK(kith__fit_state_choose(s, "beliefs", "P"));
    CHECK(kith__fit_state_choose(s, "graph", "homophily"));
    for (int i = 0; i < n; i++)
        CHECK(kith__fit_state_set(s, list[i].name, list[i].value));
}

/* What fill() says, as a recipe. */
static kith__candidate filled(kith__candidate_kind kind)
{
    return (kith__candidate){.kind = kind,
                             .prep = KITH_PREP_L2,
                             .a = .25f,
                             .start = .2f,
                             .em = {.4f, .8f, .5f, .3f, .6f, .7f, 3},
                             .rounds = 2,
                             .propagated = true,
                             .blocks = KITH__X,
                             .penalty = .3f,
                             .graph = KITH__GRAPH_PRIOR,
                             .strength = .6f};
}

static void check_coupling(const float *H, double h)
{
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++)
            CHECK_NEAR(H[i * C + j], h * ((i == j) - 1.0 / C), 1e-6);
}

TEST(recipes_of_em_arrive_whole)
{
    const char *const kinds[] = {"em-features", "em-labels"};
    float P[N * C], wanted[N * C], H[C * C];
    kith_error err;
    scene s;

    scene_new(&s);
    for (int kind = 0; kind < 2; kind++)
        for (int propagated = 0; propagated < 2; propagated++) {
            kith__candidate r = filled((kith__candidate_kind)kind);
            kith__beliefs out, same = {.P = wanted};
            kith__fit_state state;

            r.propagated = propagated;
            fill(&state, kinds[kind], em_numbers, COUNT(em_numbers));
            CHECK(kith__fit_state_choose(&state, "beliefs",
                                         propagated ? "P" : "p"));
            CHECK_OK(apply(&s, &state, true, P, H, &out, &err));
            CHECK_OK(kith__em_evaluate(&s.q, &r, &same, &err));
            CHECK(memcmp(P, wanted, sizeof(P)) == 0);
            CHECK(out.has_coupling && out.certificate.converged);
            check_coupling(H, .4);
            if (propagated) {
                CHECK_NEAR(out.certificate.rho, .4, 1e-6);
                CHECK_NEAR(out.certificate.residual, pow(.4, 3), 1e-6);
            } else {
                CHECK(isnan(out.certificate.rho));
                CHECK(isnan(out.certificate.residual));
            }
            CHECK_INT(out.certificate.iterations, propagated ? 3 : 0);
            kith__fit_state_release(&state);
        }
    scene_release(&s);
}

TEST(recipes_beside_arrive_whole)
{
    const char *const uses[] = {"ignored", "homophily"};
    float P[N * C], wanted[N * C], H[C * C];
    kith_error err;
    scene s;

    scene_new(&s);
    for (int use = 0; use < 2; use++) {
        kith__candidate r = filled(KITH__HETEROPHILY);
        kith__beliefs out, same = {.P = wanted};
        kith__kept_coupling kept = {0};
        kith__fit_state state;

        r.graph = (kith__graph_use)use;
        fill(&state, "beside", beside_numbers, COUNT(beside_numbers));
        CHECK(kith__fit_state_choose(&state, "graph", uses[use]));
        CHECK_OK(apply(&s, &state, true, P, H, &out, &err));
        CHECK_OK(kith__heterophily_evaluate(&s.q, &r, &kept, &same, &err));
        CHECK(memcmp(P, wanted, sizeof(P)) == 0);
        check_coupling(H, .6);
        CHECK_INT(out.certificate.iterations, use ? 12 : 0);
        CHECK(use ? fabs(out.certificate.residual - pow(.6, 12)) < 1e-8
                  : isnan(out.certificate.residual));
        kith__fit_state_release(&state);
    }
    scene_release(&s);
}

/* P = alpha L + W S H + b: a step with the coupling that the state holds. */
TEST(a_fitted_coupling_comes_from_the_state)
{
    const float given[C * C] = {.5f, .1f, -.2f, .1f, .4f, 0, -.2f, 0, .3f};
    const float bias[C] = {.1f, -.3f, .2f};
    float P[N * C], L[N * C], H[C * C];
    double W[N * N], S[N * C];
    kith__beliefs out;
    kith__fit_state state;
    kith_error err;
    scene s;

    scene_new(&s);
    fill(&state, "beside", beside_numbers, COUNT(beside_numbers));
    CHECK(kith__fit_state_choose(&state, "graph", "ignored"));
    CHECK_OK(apply(&s, &state, true, L, H, &out, &err));
    CHECK(kith__fit_state_choose(&state, "graph", "fitted"));
    CHECK(apply(&s, &state, true, P, H, &out, &err) == KITH_ERR_CORRUPT);
    memcpy(kith__fit_state_array(&state, "H", C, C), given, sizeof(given));
    CHECK(apply(&s, &state, true, P, H, &out, &err) == KITH_ERR_CORRUPT);
    memcpy(kith__fit_state_array(&state, "b", 1, C), bias, sizeof(bias));
    CHECK(kith__fit_state_set(&state, "alpha", 1.5));
    CHECK_OK(apply(&s, &state, true, P, H, &out, &err));
    CHECK_INT(out.certificate.iterations, 1);
    CHECK(memcmp(H, given, sizeof(H)) == 0);
    dense_weights(&s.task.task.W, W);
    for (int u = 0; u < N; u++) {
        double all = 0;

        for (int c = 0; c < C; c++)
            all += exp((double)L[u * C + c]);
        for (int c = 0; c < C; c++)
            S[u * C + c] = u < TRAIN ? c == u % C
                                     : exp((double)L[u * C + c]) / all;
    }
    for (int u = 0; u < N; u++)
        for (int c = 0; c < C; c++) {
            double sum = 1.5 * (double)L[u * C + c] + (double)bias[c];

            for (int v = 0; v < N; v++)
                for (int i = 0; i < C; i++)
                    sum += W[u * N + v] * S[v * C + i] *
                           (double)given[i * C + c];
            CHECK_NEAR(P[u * C + c], sum, 1e-5);
        }
    kith__fit_state_release(&state);
    scene_release(&s);
}

enum { COLUMNS = 100 };

/* Logits of the regression with penalty .3 on the first TRAIN rows of F, by
 * plain steps down the gradient, in double; the length of its weights. */
static double regress(const double (*F)[COLUMNS], int columns, double (*Z)[C])
{
    static double B[COLUMNS][C];
    double step = 0, square = 0;

    memset(B, 0, sizeof(B));
    for (int l = 0; l < TRAIN; l++) /* one over the curvature's bound */
        for (int j = 0; j < columns; j++)
            step += F[l][j] * F[l][j];
    step = 1 / (step / 2 + .3);
    for (int round = 0; round < 20000; round++) {
        double G[COLUMNS][C] = {{0}};

        for (int l = 0; l < TRAIN; l++) {
            double z[C] = {0}, sum = 0;

            for (int j = 0; j < columns; j++)
                for (int c = 0; c < C; c++)
                    z[c] += F[l][j] * B[j][c];
            for (int c = 0; c < C; c++)
                sum += exp(z[c]);
            for (int c = 0; c < C; c++)
                for (int j = 0; j < columns; j++)
                    G[j][c] += F[l][j] * (exp(z[c]) / sum - (c == l % C));
        }
        for (int j = 0; j < columns; j++) /* the last is the bias */
            for (int c = 0; c < C; c++)
                B[j][c] -=
                    step *
                    (G[j][c] + (j < columns - 1 ? (double).3f * B[j][c] : 0));
    }
    for (int u = 0; u < N; u++)
        for (int c = 0; c < C; c++) {
            Z[u][c] = 0;
            for (int j = 0; j < columns; j++)
                Z[u][c] += F[u][j] * B[j][c];
        }
    for (int j = 0; j < columns; j++)
        for (int c = 0; c < C; c++)
            square += B[j][c] * B[j][c];
    return sqrt(square);
}

/* The rows of a map, from what it makes of unit vectors; the last column is
 * the bias'. */
static void form(const kith__feature_operator *map, double (*F)[COLUMNS])
{
    kith__feature_workspace room;
    kith_error err;

    CHECK(map->columns + 1 < COLUMNS);
    CHECK_OK(kith__feature_workspace_new(map, 1, &room, &err));
    for (int j = 0; j <= map->columns; j++) {
        float unit[COLUMNS] = {0}, column[N];

        unit[j] = 1;
        kith__feature_apply(map, unit, 1, &room, column);
        for (int u = 0; u < N; u++)
            F[u][j] = (double)column[u];
    }
    kith__feature_workspace_release(&room);
}

/* The graph ignored: centred logits, at nodes that were not trained on those
 * of one fit to all training nodes.  It stops where the gradient is 1e-5 of the
 * weights' length, so that weights are off by that by the penalty, logits by
 * the length of a row as much. */
TEST(beside_is_logistic_regression_on_its_blocks)
{
    static double F[N][COLUMNS], Z[N][C];
    float P[N * C], H[C * C];
    kith__feature_operator map;
    kith__feature_blocks blocks;
    kith__beliefs out;
    kith__fit_state state;
    double length;
    kith_error err;
    scene s;

    scene_new(&s);
    fill(&state, "beside", beside_numbers, COUNT(beside_numbers));
    CHECK(kith__fit_state_choose(&state, "graph", "ignored"));
    CHECK_OK(apply(&s, &state, true, P, H, &out, &err));
    CHECK_OK(kith__feature_blocks_new(&s.task.task, &s.f, &blocks, &err));
    CHECK_OK(kith__feature_blocks_operator(&blocks, KITH__X, &map, &err));
    form(&map, F);
    length = regress(F, (int)map.columns + 1, Z);
    for (int u = 0; u < N; u++) {
        const double mean = (Z[u][0] + Z[u][1] + Z[u][2]) / C;
        double row = 0;

        for (int j = 0; j <= map.columns; j++)
            row += F[u][j] * F[u][j];
        CHECK_NEAR(P[u * C] + P[u * C + 1] + P[u * C + 2], 0, 1e-5);
        for (int c = 0; u >= TRAIN && c < C; c++)
            CHECK_NEAR(P[u * C + c], Z[u][c] - mean,
                       1e-5 * length / .3 * sqrt(row));
    }
    kith__feature_operator_release(&map);
    kith__feature_blocks_release(&blocks);
    kith__fit_state_release(&state);
    scene_release(&s);
}

static void check_ranges(const scene *s, const char *kind, const number *list,
                         int n)
{
    for (int i = 0; i < n; i++) {
        const double wide = list[i].high - list[i].low;
        const double bad[] = {list[i].low - (list[i].low > 0 ? 9e-7 : 1e-3),
                              list[i].high + wide * 1e-3, (double)NAN};
        float P[N * C], H[C * C];
        kith__beliefs out;
        kith__fit_state state;
        kith_error err = {0};

        for (int j = 0; j < 3; j++) {
            fill(&state, kind, list, n);
            CHECK(kith__fit_state_set(&state, list[i].name, bad[j]));
            CHECK(apply(s, &state, true, P, H, &out, &err) == KITH_ERR_CORRUPT);
            kith__fit_state_release(&state);
        }
        fill(&state, kind, list, n);
        CHECK(kith__fit_state_set(&state, list[i].name, list[i].low));
        if (strcmp(list[i].name, "h") != 0) /* P needs one above 0 */
            CHECK_OK(apply(s, &state, true, P, H, &out, &err));
        kith__fit_state_release(&state);
    }
}

/* A model file is not trusted. */
/* A model file is not trusted. */
TEST(numbers_out_of_range_are_refused)
{
    scene s;

    scene_new(&s);
    check_ranges(&s, "em-features", em_numbers, COUNT(em_numbers));
    check_ranges(&s, "beside", beside_numbers, COUNT(beside_numbers));
    scene_release(&s);
}

/* One text of a recipe changed. */
static kith_status with(const scene *s, const char *kind, const char *name,
                        const char *text, double rounds, bool features)
{
    float P[N * C], H[C * C];
    kith__beliefs out;
    kith__fit_state state;
    kith_error err = {0};
    kith_status st;

    fill(&state, kind,
         strcmp(kind, "beside") == 0 ? beside_numbers : em_numbers,
         strcmp(kind, "beside") == 0 ? COUNT(beside_numbers)
                                     : COUNT(em_numbers));
    if (rounds >= 0)
        CHECK(kith__fit_state_set(&state, "rounds", rounds));
    if (name)
        CHECK(kith__fit_state_choose(&state, name, text));
    st = apply(s, &state, features, P, H, &out, &err);
    kith__fit_state_release(&state);
    return st;
}

TEST(recipes_that_are_none_are_refused)
{
    scene s;

    scene_new(&s);
    CHECK(with(&s, "em", NULL, NULL, -1, true) == KITH_ERR_CORRUPT);
    CHECK(with(&s, "em-features", "prep", "l3", -1, true) == KITH_ERR_CORRUPT);
    CHECK(with(&s, "em-labels", "prep", "l3", -1, true) == KITH_OK);
    CHECK(with(&s, "beside", "graph", "x", -1, true) == KITH_ERR_CORRUPT);
    /* labels alone have no logits */
    CHECK(with(&s, "em-labels", "beliefs", "p", 0, true) == KITH_ERR_CORRUPT);
    CHECK(with(&s, "em-labels", "beliefs", "p", 1, true) == KITH_OK);
    CHECK(with(&s, "em-features", "beliefs", "p", 0, true) == KITH_OK);
    scene_release(&s);
}

TEST(features_are_missed_where_they_are_needed)
{
    scene s;

    scene_new(&s);
    CHECK(with(&s, "em-features", NULL, NULL, -1, false) == KITH_ERR_ARGUMENT);
    CHECK(with(&s, "em-labels", NULL, NULL, 1, false) == KITH_ERR_ARGUMENT);
    CHECK(with(&s, "em-labels", NULL, NULL, 0, false) == KITH_OK);
    CHECK(with(&s, "beside", NULL, NULL, -1, false) == KITH_ERR_ARGUMENT);
    scene_release(&s);
}

/* ---- fitting ------------------------------------------------------------- */

static void fit(const scene *s, bool features, const kith__labelled_nodes *val,
                uint32_t fixed, kith__fit_state *state, float *P, float *H,
                double *validation)
{
    kith__beliefs out = {.P = P, .coupling = H, .validation = (double)NAN};
    kith_train_options o;
    kith_error err;

    kith_train_options_init(&o);
    o.fixed = fixed;
    CHECK_OK(kith__lcm_em_fit(&s->task.task, features ? &s->f : NULL, &o, val,
                              state, &out, &err));
    if (validation)
        *validation = out.validation;
    kith__free(out.val_loss);
}

/* Nothing to choose by: the recipe of docs/methods/lcm-em.md. */
TEST(without_validation_nodes_a_recipe_is_given)
{
    static const number labels[] = {{"h", .8, 0, 0}, {"hops", 12, 0, 0}};
    static const number features[] = {
        {"h", .5, 0, 0},        {"kappa", .85, 0, 0},
        {"unknown", 1, 0, 0},   {"penalty", 1, 0, 0},
        {"balance", .25, 0, 0}, {"beta", 1, 0, 0},
        {"hops", 12, 0, 0},     {"rounds", 2, 0, 0},
        {"a", .2, 0, 0},        {"start_penalty", .1, 0, 0}};
    scene s;

    scene_new(&s);
    for (int has = 0; has < 2; has++) {
        const number *list = has ? features : labels;
        kith__fit_state state = {0};
        float P[N * C], H[C * C], again[N * C];
        kith__beliefs out;
        kith_error err;

        fit(&s, has, &s.none, 0, &state, P, H, NULL);
        for (int i = 0; i < (has ? COUNT(features) : COUNT(labels)); i++)
            CHECK_NEAR(kith__fit_state_number(&state, list[i].name, -1),
                       list[i].value, 0);
        CHECK_TEXT(kith__fit_state_text(&state, "potentials"),
                   has ? "em-features" : "em-labels");
        CHECK_TEXT(kith__fit_state_text(&state, "beliefs"), has ? "p" : "P");
        CHECK_OK(apply(&s, &state, has, again, H, &out, &err));
        CHECK(memcmp(P, again, sizeof(P)) == 0);
        kith__fit_state_release(&state);
    }
    scene_release(&s);
}

/* Whatever is found on the validation nodes is as good as it says, and is
 * followed again from the state to the same bytes. */
TEST(what_was_found_is_followed_again)
{
    int32_t node[VAL], truth[VAL];
    const kith__labelled_nodes val = {node, truth, VAL};
    scene s;

    scene_new(&s);
    for (int how = 0; how < 3; how++)
        for (int has = 0; has < 2; has++) {
            float P[N * C], H[C * C], again[N * C];
            kith__fit_state state = {0};
            kith__beliefs out;
            double validation;
            kith_error err;

            for (int i = 0; i < VAL; i++) {
                node[i] = TRAIN + 2 * i;
                truth[i] = how == 0   ? i % C
                           : how == 1 ? node[i] % C
                                      : s.x[node[i] * D] > .5f;
            }
            fit(&s, has, &val, 0, &state, P, H, &validation);
            if (strcmp(kith__fit_state_text(&state, "potentials"), "beside") !=
                0)
                CHECK_NEAR(validation, kith__accuracy(P, C, &val), 1e-9);
            CHECK_OK(apply(&s, &state, has, again, H, &out, &err));
            CHECK(memcmp(P, again, sizeof(P)) == 0);
            free(out.weights);
            kith__fit_state_release(&state);
        }
    scene_release(&s);
}
