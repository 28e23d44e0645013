/*
 * test_em_search.c: which runs of EM are tried, how they are scored and which
 * go on.  The kith__consider() of this program takes the library's place and
 * writes down what is offered; what a recipe is worth is what following it
 * gives.
 */
#include <math.h>

#include "models/explain/logits.h"
#include "models/lcm_em/candidate.h"
#include "small_graphs.h"

enum { N = 40, D = 6, C = 3, TRAIN = 9, VAL = 16, MOST = 400 };
enum { GRID = 4, RUNS = 3 * GRID, JUDGES = 64 };

static struct {
    kith__candidate candidate[MOST];
    kith__score score[MOST];
    float loss[MOST][JUDGES];
    int order[MOST], count;
} offers;

void kith__consider(kith__best_candidate *f, const kith__offer *o)
{
    (void)f;
    CHECK(offers.count < MOST && o->nodes <= JUDGES);
    CHECK(o->P != NULL);
    offers.candidate[offers.count] = *o->candidate;
    offers.score[offers.count] = o->score;
    memcpy(offers.loss[offers.count], o->loss,
           (size_t)o->nodes * sizeof(*o->loss));
    offers.order[offers.count++] = o->order;
}

/* ---- a graph whose features say something -------------------------------- */

typedef struct scene {
    kith_graph *g;
    small_task task;
    float x[N * D];
    kith_features f;
    int32_t node[VAL], truth[VAL];
    kith__labelled_nodes val;
    kith__search_context q;
} scene;

static void scene_new(scene *s, uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 9);
    kith_error err;

    s->g = small_graph(N, 70, false, seed);
    small_task_new(&s->task, s->g, C, TRAIN, 1);
    for (int u = 0; u < N; u++)
        for (int j = 0; j < D; j++)
            s->x[u * D + j] =
                (float)(kith__rng_real(&r) < .3
                            ? 0
                            : kith__rng_real(&r) + .3 * (j % C == u % C));
    s->f = (kith_features){
        .nodes = N, .columns = D, .entries = N * D, .value = s->x};
    for (int i = 0; i < VAL; i++) {
        s->node[i] = TRAIN + i;
        s->truth[i] = s->node[i] % C;
    }
    s->val = (kith__labelled_nodes){s->node, s->truth, VAL};
    CHECK_OK(kith__search_context_new(&s->task.task, &s->f, &s->val,
                                      KITH_FIT_TRAIN, &s->q, &err));
    offers.count = 0;
}

static void scene_release(scene *s)
{
    kith__search_context_release(&s->q);
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

static kith__score worth(const scene *s, const kith__candidate *r)
{
    float P[N * C];
    kith__beliefs out = {.P = P};
    kith_error err;

    CHECK_OK(kith__em_evaluate(&s->q, r, &out, &err));
    return kith__score_of(P, C, &s->val);
}

static void check_worth(const scene *s, int i)
{
    const kith__score w = worth(s, &offers.candidate[i]);

    CHECK_NEAR(offers.score[i].accuracy, w.accuracy, 1e-12);
    CHECK_NEAR(offers.score[i].log_loss, w.log_loss, 1e-4);
}

/* ---- features through the graph ------------------------------------------ */

/* One set for all graphs: a change here changes what every model learns. */
static const float alphas[] = {.2f, .3f, 0};
static const float starts[] = {.01f, .03f, .1f, .3f, 1, 3, 10};
static const kith__em_params grid[GRID] = {
    {.h = .5f, .kappa = .75f, .unknown = .3f, .penalty = 1},
    {.h = .5f, .kappa = .85f, .unknown = 1, .penalty = 1, .balance = .25f},
    {.h = .5f, .kappa = .9f, .unknown = .1f, .penalty = .1f, .balance = .25f},
    {.h = .8f, .kappa = .75f, .unknown = 1, .penalty = 1}};

static void check_params(const kith__em_params *got,
                         const kith__em_params *wanted)
{
    CHECK_NEAR(got->h, wanted->h, 0);
    CHECK_NEAR(got->kappa, wanted->kappa, 0);
    CHECK_NEAR(got->unknown, wanted->unknown, 0);
    CHECK_NEAR(got->penalty, wanted->penalty, 0);
    CHECK_NEAR(got->balance, wanted->balance, 0);
    CHECK_NEAR(got->beta, 1, 0);
    CHECK_INT(got->hops, 12);
}

/* Of one preparation and one a: the smallest penalty within 3 of 500 of the
 * best; and the best, in *score. */
static float literal_start(const scene *s, kith_prep prep, float a,
                           kith__score *score)
{
    kith__score all[7];
    int chosen = 0;

    *score = (kith__score){-1, 0};
    for (int i = 0; i < 7; i++) {
        const kith__candidate r = {.kind = KITH__EM_FEATURES,
                                   .prep = prep,
                                   .a = a,
                                   .start = starts[i],
                                   .em = {.hops = 12}};

        all[i] = worth(s, &r);
        if (kith__better(&all[i], score))
            *score = all[i];
    }
    while (all[chosen].accuracy < score->accuracy - .006)
        chosen++;
    return starts[chosen];
}

/* The preparation that is best at the first a, and its starts at all. */
static kith_prep literal_starts(const scene *s, int preps, float *start)
{
    const kith_prep all[] = {KITH_PREP_L2, KITH_PREP_TFIDF, KITH_PREP_ROOT};
    kith__score best = {-1, 0}, score;
    kith_prep chosen = KITH_PREP_NONE;

    for (int p = 0; p < preps; p++) {
        (void)literal_start(s, all[p], alphas[0], &score);
        if (kith__better(&score, &best)) {
            best = score;
            chosen = all[p];
        }
    }
    for (int a = 0; a < 3; a++)
        start[a] = literal_start(s, chosen, alphas[a], &score);
    return chosen;
}

/* What a run has reached: the offer of least loss. */
typedef struct reached {
    double least;
    int offer;
} reached;

/* The offers of one run from one round to another, in order; its best. */
static int check_run(const scene *s, int at, int run, int from, int to,
                     kith_prep prep, const float *start, reached *best)
{
    const kith__em_params *p = &grid[run % GRID];

    for (int round = from; round <= to; round++)
        for (int propagated = 0; propagated < 2; propagated++) {
            const kith__candidate *r = &offers.candidate[at];

            CHECK(r->kind == KITH__EM_FEATURES && r->prep == prep);
            CHECK_NEAR(r->a, alphas[run / GRID], 0);
            CHECK_NEAR(r->start, start[run / GRID], 0);
            check_params(&r->em, p);
            CHECK_INT(r->rounds, round);
            CHECK_INT(r->propagated, propagated);
            check_worth(s, at);
            CHECK(at == 0 || offers.order[at] != offers.order[at - 1]);
            if (offers.score[at].log_loss < best->least)
                *best = (reached){offers.score[at].log_loss, at};
            at++;
        }
    return at;
}

/* The first `n` of a list by what they reached; equals stay in order. */
static void best_first(const reached *best, int *list, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = n - 1; j > i; j--)
            if (best[list[j]].least < best[list[j - 1]].least) {
                const int swap = list[j];

                list[j] = list[j - 1];
                list[j - 1] = swap;
            }
}

/* How many of an ordered list go on: no more than a standard error behind the
 * first, node by node. */
static int going_on(const reached *best, const int *list, int most)
{
    const float *first = offers.loss[best[list[0]].offer];
    int n = 1;

    for (; n < most; n++) {
        const float *own = offers.loss[best[list[n]].offer];
        double sum = 0, square = 0;

        for (int i = 0; i < VAL; i++)
            sum += (double)own[i] - (double)first[i];
        for (int i = 0; i < VAL; i++)
            square += pow((double)own[i] - (double)first[i] - sum / VAL, 2);
        if (square > 0 && sum / VAL > sqrt(square / (VAL - 1) / VAL))
            break;
    }
    return n;
}

static void check_search(uint64_t seed, bool binary)
{
    static const int most[] = {6, 3}, from[] = {2, 3}, to[] = {2, 4};
    static scene s;
    reached best[RUNS];
    float start[3] = {0};
    int list[RUNS], at = 0, n = RUNS;
    kith_prep prep;
    kith_error err;

    scene_new(&s, seed);
    for (int i = 0; binary && i < N * D; i++)
        s.x[i] = s.x[i] > .6f;
    CHECK_OK(
        kith__em_search_features(&s.q, NULL, &(kith__best_candidate){0}, &err));
    prep = literal_starts(&s, binary ? 2 : 3, start);
    for (int i = 0; i < RUNS; i++) {
        list[i] = i;
        best[i] = (reached){INFINITY, 0};
        at = check_run(&s, at, i, 0, 1, prep, start, &best[i]);
    }
    for (int stage = 0; stage < 2; stage++) {
        best_first(best, list, n);
        n = going_on(best, list, n < most[stage] ? n : most[stage]);
        for (int i = 0; i < n; i++)
            at = check_run(&s, at, list[i], from[stage], to[stage], prep, start,
                           &best[list[i]]);
    }
    CHECK_INT(offers.count, at);
    scene_release(&s);
}

TEST(the_better_runs_go_on)
{
    check_search(5, false);
    check_search(6, true);
}

/* A rival that is sure of every node leaves nothing to be tried. */
TEST(features_far_behind_are_left)
{
    static scene s;
    float loss[VAL];
    const kith__best_candidate rival = {.loss = loss, .any = true};
    kith_error err;

    scene_new(&s, 5);
    for (int i = 0; i < VAL; i++)
        loss[i] = 0;
    CHECK_OK(kith__em_search_features(&s.q, &rival, &(kith__best_candidate){0},
                                      &err));
    CHECK_INT(offers.count, 0);
    scene_release(&s);
}

/* By hand: differences 1, 3, 1, 3 have the mean 2 and the standard error
 * sqrt(4/3 / 4). */
TEST(gains_are_told_in_standard_errors)
{
    const float a[] = {2, 4, 2, 4}, b[] = {1, 1, 1, 1};

    CHECK_NEAR(kith__paired_gain(a, b, 4), 2 / sqrt(1.0 / 3), 1e-6);
    CHECK_NEAR(kith__paired_gain(b, a, 4), -2 / sqrt(1.0 / 3), 1e-6);
    CHECK_NEAR(kith__paired_gain(a, a, 4), 0, 0);
    CHECK_NEAR(kith__paired_gain(a, b, 1), 0, 0);
}

/* ---- from labels --------------------------------------------------------- */

static const float label_h[] = {.5f, .8f, .95f};

static void check_labels(int at, float h, int hops, int round, bool propagated)
{
    const kith__candidate *r = &offers.candidate[at];

    CHECK(r->kind == KITH__EM_LABELS);
    CHECK_NEAR(r->em.h, h, 0);
    CHECK_INT(r->em.hops, hops);
    CHECK_INT(r->rounds, round);
    CHECK_INT(r->propagated, propagated);
}

/* The offers of one run with features from one round to another. */
static int check_label_run(const scene *s, int at, int run, int from, int to,
                           const float *h, reached *best)
{
    const float betas[] = {.001f, .01f, .1f};

    for (int round = from; round <= to; round++)
        for (int propagated = round == 0; propagated < 2; propagated++, at++) {
            const kith__em_params *em = &offers.candidate[at].em;

            check_labels(at, h[run / 3], run < 3 ? 4 : 12, round, propagated);
            CHECK_NEAR(em->beta, betas[run % 3], 0);
            CHECK_NEAR(em->kappa, .9f, 0);
            CHECK_NEAR(em->unknown, .3f, 0);
            CHECK_NEAR(em->penalty, .03f, 0);
            CHECK_NEAR(em->balance, .5f, 0);
            check_worth(s, at);
            if (offers.score[at].log_loss < best->least)
                *best = (reached){offers.score[at].log_loss, at};
        }
    return at;
}

/* Two reaches with three h each; then, at the best h of each, three betas,
 * of which the better take three rounds. */
TEST(labels_alone_then_with_features)
{
    static scene s;
    kith__em_params reaches[KITH__REACHES];
    reached runs[6];
    float best[2] = {0};
    int list[6], at = 0, n = 6;
    kith_error err;

    scene_new(&s, 7);
    CHECK_OK(
        kith__em_search_reach(&s.q, reaches, &(kith__best_candidate){0}, &err));
    CHECK_OK(kith__em_search_labels(&s.q, reaches, &(kith__best_candidate){0},
                                    &err));
    for (int reach = 0; reach < 2; reach++) {
        kith__score top = {-1, 0};

        for (int h = 0; h < 3; h++, at++) {
            check_labels(at, label_h[h], reach ? 12 : 4, 0, true);
            check_worth(&s, at);
            if (kith__better(&offers.score[at], &top)) {
                top = offers.score[at];
                best[reach] = label_h[h];
            }
        }
    }
    for (int run = 0; run < 6; run++) {
        runs[run] = (reached){INFINITY, 0};
        list[run] = run;
        at = check_label_run(&s, at, run, 0, 1, best, &runs[run]);
    }
    for (int stage = 2; stage <= 3; stage++) {
        best_first(runs, list, n);
        n = going_on(runs, list, n < 5 - stage ? n : 5 - stage);
        for (int i = 0; i < n; i++)
            at = check_label_run(&s, at, list[i], stage, stage, best,
                                 &runs[list[i]]);
    }
    CHECK_INT(offers.count, at);
    scene_release(&s);
}

/* ---- following ----------------------------------------------------------- */

/* Logits are F B + b of what came with them, at every node. */
TEST(what_is_followed_says_what_it_is_made_of)
{
    static scene s;
    float P[N * C], Q[N * C], Z[N * C];
    kith__candidate r = {.kind = KITH__EM_FEATURES,
                         .prep = KITH_PREP_L2,
                         .a = .2f,
                         .start = .1f,
                         .em = grid[1],
                         .rounds = 2};
    kith_error err;

    scene_new(&s, 9);
    r.em.beta = 1;
    r.em.hops = 12;
    for (int propagated = 0; propagated < 2; propagated++) {
        kith__beliefs out = {.P = P, .Q = Q};
        kith__feature_workspace room;

        r.propagated = propagated;
        memset(Q, 7, sizeof(Q));
        CHECK_OK(kith__em_evaluate(&s.q, &r, &out, &err));
        CHECK(out.linear == (propagated ? KITH__SUM : KITH__LOGITS));
        CHECK(!out.roots && out.logits);
        CHECK_OK(kith__feature_workspace_new(&out.logits->map, C, &room, &err));
        kith__feature_apply(&out.logits->map, out.logits->B, C, &room, Z);
        for (int i = 0; !propagated && i < N * C; i++) {
            CHECK_NEAR(P[i], Z[i], 1e-5);
            CHECK_NEAR(Q[i], 0, 0);
        }
        for (int u = TRAIN; propagated && u < N; u++) {
            double all = 0;

            for (int c = 0; c < C; c++)
                all += exp((double)Z[u * C + c]);
            for (int c = 0; c < C; c++)
                CHECK_NEAR(Q[u * C + c],
                           .5 * (exp((double)Z[u * C + c]) / all - 1.0 / C),
                           1e-5);
        }
        kith__feature_workspace_release(&room);
        kith__logits_free(out.logits);
    }
    scene_release(&s);
}

/* Many training nodes are fitted through the map, few by their rows: either
 * way to where the gradient of the same objective is 0. */
TEST(a_start_is_the_optimum_for_few_nodes_and_for_many)
{
    enum { LARGE = 1100, WIDE = 3 };
    const int trains[] = {30, 1000, 1001};
    static float x[LARGE * WIDE], target[LARGE * C], weight[LARGE];
    static int32_t nodes[LARGE], truth[LARGE];
    static char text[LARGE * 16];
    kith__candidate r = {.kind = KITH__EM_FEATURES,
                         .prep = KITH_PREP_ROOT,
                         .a = .3f,
                         .start = .5f,
                         .em = {.hops = 12}};
    const kith_features f = {
        .nodes = LARGE, .columns = WIDE, .entries = LARGE * WIDE, .value = x};
    kith__rng random = kith__rng_start(1, 1);
    const kith__labelled_nodes none = {0};
    kith_graph *g = NULL;
    kith_error err;
    size_t at = 0;
    small_task t;

    for (int u = 0; u < LARGE; u++) {
        at += (size_t)snprintf(text + at, 16, "%d\t%d\n", u,
                               (u * 7 + 1) % LARGE);
        nodes[u] = u;
        truth[u] = (int32_t)kith__rng_below(&random, C);
        for (int j = 0; j < WIDE; j++)
            x[u * WIDE + j] = (float)kith__rng_real(&random) +
                              (float)(truth[u] == j);
    }
    CHECK_OK(
        kith_graph_read(check_file("large.tsv", text), NULL, &g, NULL, &err));
    CHECK_INT(kith_graph_nodes(g), LARGE);
    small_task_new(&t, g, C, 0, 2);
    t.task.train = nodes;
    t.task.truth = truth;
    for (int i = 0; i < 3; i++) {
        const kith__search_context q = {
            .task = &t.task, .features = &f, .val = &none};
        static float P[LARGE * C], Q[LARGE * C], Z[LARGE * 4], G[4 * 4];
        kith__beliefs out = {.P = P, .Q = Q};
        const kith__soft_rows rows = {target, weight};
        double B[4 * C], gradient[4 * C];
        kith__feature_workspace room;

        t.task.n_train = trains[i];
        for (int u = 0; u < LARGE; u++) {
            weight[u] = u < trains[i];
            for (int c = 0; c < C; c++)
                target[u * C + c] = c == truth[u];
        }
        CHECK_OK(kith__em_evaluate(&q, &r, &out, &err));
        CHECK_INT(out.logits->map.columns, WIDE);
        for (int j = 0; j < 4 * C; j++)
            B[j] = (double)out.logits->B[j];
        CHECK_OK(kith__feature_workspace_new(&out.logits->map, 4, &room, &err));
        kith__soft_objective(&out.logits->map, &rows, C, .5, B, gradient, &room,
                             Z, G);
        for (int j = 0; j < 4 * C; j++)
            CHECK_NEAR(gradient[j], 0, .02);
        kith__feature_workspace_release(&room);
        kith__logits_free(out.logits);
    }
    small_task_release(&t);
    kith_graph_free(g);
}

/* ---- beside -------------------------------------------------------------- */

enum { PLANTED = 120, LEARNT = 40, JUDGED = 60 };

typedef struct field {
    float x[PLANTED * 2];
    int32_t nodes[PLANTED], truth[PLANTED];
    kith_features f;
    kith__labelled_nodes val;
    kith_graph *g;
    small_task t;
} field;

/*
 * Two classes; `same` of 10 edges join nodes of one class, and a feature tells
 * the class with a noise of `noise`: what the graph is good for is known.
 */
static void field_new(field *s, int same, double noise)
{
    static char text[PLANTED * 64];
    kith__rng r = kith__rng_start(77, (uint64_t)same);
    kith_error err;
    size_t at = 0;

    s->f = (kith_features){
        .nodes = PLANTED, .columns = 2, .entries = PLANTED * 2, .value = s->x};
    s->val = (kith__labelled_nodes){s->nodes + LEARNT, s->truth + LEARNT,
                                    JUDGED};
    for (int u = 0; u < PLANTED; u++) {
        s->nodes[u] = u;
        s->truth[u] = u % 2;
        s->x[u * 2] = (float)(u % 2 + noise * (kith__rng_real(&r) - .5));
        s->x[u * 2 + 1] = (float)kith__rng_real(&r);
        for (int i = 0; i < 5; i++) {
            const bool alike = (int)kith__rng_below(&r, 10) < same;
            const int v = (int)kith__rng_below(&r, PLANTED / 2) * 2 +
                          (alike ? u % 2 : 1 - u % 2);

            at += (size_t)snprintf(text + at, 12, "%d\t%d\n", u,
                                   v == u ? (v + 2) % PLANTED : v);
        }
    }
    CHECK_OK(kith_graph_read(check_file("planted.tsv", text), NULL, &s->g, NULL,
                             &err));
    CHECK_INT(kith_graph_nodes(s->g), PLANTED);
    small_task_new(&s->t, s->g, 2, 0, 1);
    s->t.task.train = s->nodes;
    s->t.task.truth = s->truth;
    s->t.task.n_train = LEARNT;
}

static void field_release(field *s)
{
    small_task_release(&s->t);
    kith_graph_free(s->g);
}

static void planted(int same, double noise, bool with_features, kith_fit fit,
                    kith__candidate *out)
{
    float H[2 * 2], b[2];
    kith__kept_coupling kept = {.H = H, .b = b};
    kith__search_context q;
    kith_error err;
    field s;

    field_new(&s, same, noise);
    offers.count = 0;
    CHECK_OK(kith__search_context_new(&s.t.task, with_features ? &s.f : NULL,
                                      &s.val, fit, &q, &err));
    CHECK_OK(kith__heterophily_search(&q, NULL, &kept,
                                      &(kith__best_candidate){0}, &err));
    kith__search_context_release(&q);
    CHECK_INT(offers.count, 1);
    CHECK(offers.candidate[0].kind == KITH__HETEROPHILY);
    CHECK(offers.candidate[0].penalty > 0);
    *out = offers.candidate[0];
    field_release(&s);
}

/* Beliefs by a coupling that is fitted, with the labels of validation nodes as
 * they are or all turned round. */
static void fitted(kith_fit fit, bool turned, float *P)
{
    const kith__candidate r = {.kind = KITH__HETEROPHILY,
                               .blocks = KITH__X,
                               .penalty = .1f,
                               .graph = KITH__GRAPH_FITTED,
                               .lambda = 1};
    float H[2 * 2], b[2], coupling[2 * 2];
    kith__kept_coupling kept = {.H = H, .b = b};
    kith__beliefs out = {.P = P, .coupling = coupling};
    kith__search_context q;
    kith_error err;
    field s;

    field_new(&s, 9, 1);
    for (int i = 0; turned && i < JUDGED; i++)
        s.truth[LEARNT + i] ^= 1;
    CHECK_OK(kith__search_context_new(&s.t.task, &s.f, &s.val, fit, &q, &err));
    CHECK_OK(kith__heterophily_evaluate(&q, &r, &kept, &out, &err));
    kith__search_context_release(&q);
    field_release(&s);
}

/* Told not to, the fit does not see a single validation label. */
TEST(labels_of_validation_nodes_enter_the_coupling_only_if_they_may)
{
    float P[PLANTED * 2], turned[PLANTED * 2];

    fitted(KITH_FIT_TRAIN, false, P);
    fitted(KITH_FIT_TRAIN, true, turned);
    CHECK(memcmp(P, turned, sizeof(P)) == 0);
    fitted(KITH_FIT_TRAIN_VAL, false, P);
    fitted(KITH_FIT_TRAIN_VAL, true, turned);
    CHECK(memcmp(P, turned, sizeof(P)) != 0);
}

static const kith_fit fits[] = {KITH_FIT_TRAIN, KITH_FIT_TRAIN_VAL};

/* Features tell much and edges are drawn at random: homophily is no use. */
TEST(over_a_graph_that_says_nothing_nothing_spreads)
{
    kith__candidate r;

    for (int i = 0; i < 2; i++) {
        planted(5, 2, true, fits[i], &r);
        CHECK(r.graph != KITH__GRAPH_PRIOR);
        CHECK(r.blocks & KITH__X);
        CHECK(r.strength == 0);
    }
}

/* Features tell nothing, all neighbours are alike, or all differ. */
TEST(a_graph_that_says_all_is_used)
{
    kith__candidate r;

    for (int i = 0; i < 2; i++) {
        planted(10, 50, true, fits[i], &r);
        CHECK(r.graph != KITH__GRAPH_IGNORED);
        planted(0, 50, true, fits[i], &r);
        CHECK(r.graph == KITH__GRAPH_FITTED);
        CHECK(r.lambda > 0 && r.strength == 0);
    }
}

/* Then the places of nodes in the graph are all that is known of them. */
TEST(without_features_places_are_known)
{
    kith__candidate r;

    planted(9, 1, false, KITH_FIT_TRAIN_VAL, &r);
    CHECK((r.blocks & (KITH__X | KITH__LEN | KITH__AX | KITH__A2X)) == 0);
    CHECK(r.blocks & (KITH__SPECA | KITH__SPECS));
}
