/*
 * em_search.c: which EM to run: how features are prepared, how far they are
 * smoothed, where to start, how confident the targets.  The grids are those
 * that did well on several graphs; all choices are made on the validation
 * nodes, by accuracy, then by log-loss.
 *
 * Features through the graph: for each preparation a logistic regression on the
 * training nodes, the penalty the smallest that is nearly best; then, with the
 * best preparation, other reaches and the grid of EM parameters.  All runs take
 * one round, the better ones two, the best of those four; better is a log-loss
 * within a standard error of the least.
 *
 * From labels: propagated labels alone; then, if there are features, EM from
 * there, with features as they are, since most nodes may have none.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "models/explain/logits.h"
#include "models/lcm_em/candidate.h"
#include "models/potentials/logreg.h"
#include "models/tune.h"

enum { HOPS = 10 }; /* of PageRank */

static const kith_prep preps[] = {KITH_PREP_L2, KITH_PREP_TFIDF,
                                  KITH_PREP_ROOT}; /* roots last */
/* Of PageRank, the first for choosing how features are prepared; 0 is two hops
 * without restart. */
static const float alphas[] = {.2f, .3f, 0};
/* The largest first: each fit starts from the one before. */
static const double starts[] = {10, 3, 1, .3, .1, .03, .01};
static const kith__em_params grid[] = {
    /* h, kappa, unknown, penalty, balance, beta, hops */
    {.5f, .75f, .3f, 1, 0, 1, 12},
    {.5f, .85f, 1, 1, .25f, 1, 12},
    {.5f, .9f, .1f, .1f, .25f, 1, 12},
    {.8f, .75f, 1, 1, 0, 1, 12},
};
static const float label_h[] = {.5f, .8f, .95f};
static const int label_hops[KITH__REACHES] = {4, 12};
static const float label_beta[] = {.001f, .01f, .1f};

#define LENGTH(array) ((int)(sizeof(array) / sizeof(*(array))))

enum {
    PREPS = LENGTH(preps),
    ALPHAS = LENGTH(alphas),
    STARTS = LENGTH(starts),
    GRID = LENGTH(grid),
    RUNS = ALPHAS * GRID,
    LABEL_RUNS = KITH__REACHES * LENGTH(label_beta)
};

/* Rounds that all runs take, that the better take, that the best take. */
enum { STAGES = 3 };
static const int stage_to[STAGES] = {1, 2, 4};
static const int stage_runs[STAGES] = {RUNS, 6, 3};
static const int label_to[STAGES] = {1, 2, 3};
static const int label_runs[STAGES] = {LABEL_RUNS, 3, 2};

/* ---- features through the graph ------------------------------------------ */

/* Rows of F for the training nodes: F'E with E their indicators. */
static kith_status train_rows(const kith__task *t,
                              const kith__feature_operator *map,
                              kith__csr_matrix *out, kith_error *err)
{
    enum { AT_ONCE = 64 };
    const int64_t d = map->columns;
    kith_status st = KITH_OK;
    kith__feature_workspace room = {0};
    float *E = NULL, *G = NULL;

    *out = (kith__csr_matrix){.n = t->n_train, .columns = (int32_t)d};
    TRY(kith__feature_workspace_new(map, AT_ONCE, &room, err));
    TRY_NEW(out->value, kith__alloc(d * t->n_train, sizeof(float)));
    TRY_NEW(E, kith__alloc_big((int64_t)t->n * AT_ONCE, sizeof(float)));
    TRY_NEW(G, kith__alloc((d + 1) * AT_ONCE, sizeof(float)));
    for (int32_t from = 0; from < t->n_train; from += AT_ONCE) {
        const int many = t->n_train - from < AT_ONCE ? t->n_train - from
                                                     : AT_ONCE;

        memset(E, 0, (size_t)t->n * AT_ONCE * sizeof(*E));
        for (int i = 0; i < many; i++)
            E[(int64_t)t->train[from + i] * AT_ONCE + i] = 1;
        kith__feature_transpose(map, E, AT_ONCE, &room, G);
        for (int i = 0; i < many; i++)
            for (int64_t j = 0; j < d; j++)
                out->value[(from + i) * d + j] = G[j * AT_ONCE + i];
    }
out:
    kith__feature_workspace_release(&room);
    kith__free(E);
    kith__free(G);
    return st;
}

/* With few training nodes their rows are fitted; with many F is. */
enum { FEW_NODES = 1000 };

/* One B for each penalty, the largest first; rows as above if the training
 * nodes are few.  B are zeros. */
static kith_status fit_starts(const kith__task *t,
                              const kith__feature_operator *map,
                              const double *penalty, int many, float *const *B,
                              kith_error *err)
{
    const int C = t->classes;
    const int64_t size = (map->columns + 1) * C;
    kith_status st = KITH_OK;
    float *target = NULL, *weight = NULL;
    kith__csr_matrix rows = {0};

    if (t->n_train <= FEW_NODES) {
        TRY(train_rows(t, map, &rows, err));
        TRY(kith__logreg_fit_each(&rows, t->truth, C, penalty, many, false, B,
                                  err));
        goto out;
    }
    TRY_NEW(target, kith__alloc_zeroed((int64_t)t->n * C, sizeof(float)));
    TRY_NEW(weight, kith__alloc_zeroed(t->n, sizeof(float)));
    for (int32_t l = 0; l < t->n_train; l++) {
        target[(int64_t)t->train[l] * C + t->truth[l]] = 1;
        weight[t->train[l]] = 1;
    }
    for (int i = 0; i < many; i++) {
        if (i > 0)
            memcpy(B[i], B[i - 1], (size_t)size * sizeof(float));
        TRY(kith__soft_fit(map, &(kith__soft_rows){target, weight}, C,
                           penalty[i], 100, 1e-4, B[i], err));
    }
out:
    kith__csr_matrix_release(&rows);
    kith__free(target);
    kith__free(weight);
    return st;
}

/* A start: the weights for one preparation and one a. */
typedef struct start {
    float *B;
    float penalty;
    kith__score score; /* of the best penalty */
    float *loss;       /* of each validation node, at that */
} start;

/* Within 3 of 500 validation nodes of the best, the smallest penalty wins: EM
 * takes confident potentials better than timid ones. */
static const double NEARLY = 3.0 / 500;

static kith_status find_start(const kith__search_context *q,
                              const kith__feature_operator *map, start *out,
                              kith_error *err)
{
    const kith__task *t = q->task;
    const int C = t->classes;
    const int64_t size = (map->columns + 1) * C;
    kith__score s[STARTS], best = {-1, 0};
    float *B[STARTS] = {0}, *Z = NULL, *loss = NULL;
    kith__feature_workspace room = {0};
    kith_status st = KITH_OK;
    int chosen = STARTS - 1;

    for (int i = 0; i < STARTS; i++)
        TRY_NEW(B[i], kith__alloc_zeroed(size, sizeof(float)));
    TRY(fit_starts(t, map, starts, STARTS, B, err));
    TRY(kith__feature_workspace_new(map, C, &room, err));
    TRY_NEW(Z, kith__alloc_big((int64_t)t->n * C, sizeof(float)));
    TRY_NEW(loss, kith__alloc(q->val->n, sizeof(*loss)));
    TRY_NEW(out->loss, kith__alloc(q->val->n, sizeof(*loss)));
    for (int i = STARTS - 1; i >= 0; i--) {
        kith__feature_apply(map, B[i], C, &room, Z);
        s[i] = kith__score_losses(Z, C, q->val, loss);
        if (kith__better(&s[i], &best)) {
            best = s[i];
            memcpy(out->loss, loss, (size_t)q->val->n * sizeof(*loss));
        }
    }
    while (s[chosen].accuracy < best.accuracy - NEARLY)
        chosen--;
    out->B = B[chosen];
    out->penalty = (float)starts[chosen];
    out->score = best;
    B[chosen] = NULL;
out:
    for (int i = 0; i < STARTS; i++)
        kith__free(B[i]);
    kith__free(Z);
    kith__free(loss);
    kith__feature_workspace_release(&room);
    return st;
}

/* Features in one preparation, and how they are seen for each a. */
typedef struct prepared {
    kith__csc_matrix x;
    kith__feature_operator map[ALPHAS];
    start start[ALPHAS];
} prepared;

static void release_prepared(prepared *p)
{
    for (int a = 0; a < ALPHAS; a++) {
        kith__feature_operator_release(&p->map[a]);
        kith__free(p->start[a].B);
        kith__free(p->start[a].loss);
    }
    kith__csc_matrix_release(&p->x);
    *p = (prepared){0};
}

static kith_status new_table(const kith_features *f, kith_prep prep,
                             kith__csc_matrix *out, kith_error *err)
{
    kith__csr_matrix m = {0};
    float *idf = NULL;
    kith_status st = kith__prepare_features(f, prep, NULL, &m, &idf, err);

    kith__free(idf);
    return st == KITH_OK ? kith__csc_matrix_new(&m, out, err) : st;
}

/* Features seen through the graph, by one a. */
static kith_status look_through(const kith__csc_matrix *x,
                                const kith__smoother *s, float a, int threads,
                                kith__feature_operator *map, kith_error *err)
{
    return kith__feature_smooth_each(x, s, a > 0 ? HOPS : 2, &a, 1, threads,
                                     map, err);
}

static void find_own(const kith__search_context *q, prepared *p, int alpha,
                     bool wide, kith_status *st, kith_error *err)
{
    kith__feature_operator map = p->map[alpha];
    kith_error why = {0};
    kith_status got;

    if (wide)
        map.threads = 1;
    got = find_start(q, &map, &p->start[alpha], &why);
    kith__note_failure(got, &why, st, err);
}

/* A start that is to be found. */
typedef struct sought {
    prepared *p;
    int alpha;
} sought;

/* All of them, one per thread at a time; or one by one and not by a team of
 * one, see try_points(). */
static kith_status find_starts(const kith__search_context *q,
                               const sought *list, int n, kith_error *err)
{
    const bool wide = kith__side_by_side(q->task);
    kith_status st = KITH_OK;

    for (int i = 0; i < n && !wide; i++)
        find_own(q, list[i].p, list[i].alpha, false, &st, err);
#pragma omp parallel for num_threads(q->task->threads) schedule(dynamic, 1)
    for (int i = 0; i < (wide ? n : 0); i++)
        find_own(q, list[i].p, list[i].alpha, true, &st, err);
    return st;
}

/* Every preparation at the first a; *best is the one that validates best. */
static kith_status choose_prep(const kith__search_context *q,
                               const kith__smoother *s, prepared *all, int n,
                               int *best, kith_error *err)
{
    sought list[PREPS];
    kith_status st = KITH_OK;

    *best = 0;
    for (int i = 0; i < n; i++) {
        list[i] = (sought){&all[i], 0};
        TRY(new_table(q->features, preps[i], &all[i].x, err));
        TRY(look_through(&all[i].x, s, alphas[0], q->task->threads,
                         &all[i].map[0], err));
        TRY(kith__progress(q->task->job, "preparing", i + 1, n, "features",
                           err));
    }
    TRY(find_starts(q, list, n, err));
    for (int i = 1; i < n; i++)
        if (kith__better(&all[i].start[0].score, &all[*best].start[0].score))
            *best = i;
out:
    return st;
}

/* The other a of the chosen preparation. */
static kith_status see_further(const kith__search_context *q,
                               const kith__smoother *s, prepared *p,
                               kith_error *err)
{
    sought list[ALPHAS];
    kith_status st = KITH_OK;

    for (int a = 1; a < ALPHAS; a++) {
        list[a - 1] = (sought){p, a};
        TRY(look_through(&p->x, s, alphas[a], q->task->threads, &p->map[a],
                         err));
    }
    TRY(find_starts(q, list, ALPHAS - 1, err));
out:
    return st;
}

/* ---- runs ---------------------------------------------------------------- */

/* One EM with its weights, as far as it has come. */
typedef struct em_run {
    kith__em em;
    kith__candidate candidate;
    float *B;
    double least;        /* log-loss of all its rounds */
    kith__score best;    /* of all its rounds */
    float *loss, *spare; /* of each validation node: at the least, and room */
} em_run;

static kith_status start_run(const kith__search_context *q, em_run *run,
                             kith_error *err)
{
    kith_status st = KITH_OK;

    run->best.accuracy = -1;
    run->least = INFINITY;
    TRY_NEW(run->loss, kith__alloc(q->val->n, sizeof(float)));
    TRY_NEW(run->spare, kith__alloc(q->val->n, sizeof(float)));
out:
    return st;
}

static void release_runs(em_run *runs, int n)
{
    for (int i = 0; i < n; i++) {
        kith__free(runs[i].B);
        kith__free(runs[i].loss);
        kith__free(runs[i].spare);
    }
}

typedef struct visit {
    const kith__search_context *q;
    em_run *run;
    kith__best_candidate *found;
    int order;
} visit;

static void see(void *user, int round, const float *Q, const float *P)
{
    const visit *v = user;
    const kith__task *t = v->run->em.task;
    const kith__score s = kith__score_losses(P, t->classes, v->q->val,
                                             v->run->spare);
    kith__candidate r = v->run->candidate;
    float *loss = v->run->spare;

    r.rounds = round;
    r.propagated = Q != NULL;
    kith__consider(v->found,
                   &(kith__offer){&r, s, loss, P, Q, (int64_t)t->n * t->classes,
                                  v->q->val->n,
                                  v->order * 16 + round * 2 + r.propagated});
    if (kith__better(&s, &v->run->best))
        v->run->best = s;
    if (s.log_loss < v->run->least) {
        v->run->least = s.log_loss;
        v->run->spare = v->run->loss;
        v->run->loss = loss;
    }
}

/* Take a run from one round to another; its number breaks ties. */
static void advance_own(const kith__search_context *q, em_run *run, int number,
                        const int rounds[2], bool wide,
                        kith__best_candidate *found, kith_status *st,
                        kith_error *err)
{
    kith__task task = *q->task;
    kith__feature_operator map = run->em.map ? *run->em.map
                                             : (kith__feature_operator){0};
    kith__em em = {&task, run->em.map ? &map : NULL, run->em.has,
                   run->em.labels};
    em_run own = *run;
    visit v = {q, &own, found, number};
    kith_error why = {0};
    kith_status got;

    if (wide)
        task.threads = task.W.threads = map.threads = 1;
    own.em = em;
    got = kith__em_run(&em, &run->candidate.em, rounds[0], rounds[1], run->B,
                       see, &v, &why);
    own.em = run->em;
    *run = own;
    kith__note_failure(got, &why, st, err);
}

/* Take the runs of a list from one round to another. */
static kith_status advance(const kith__search_context *q, em_run *runs,
                           const int *list, int n, int from, int to,
                           kith__best_candidate *found, kith_error *err)
{
    const bool wide = kith__side_by_side(q->task) && n > 1;
    const int rounds[2] = {from, to};
    kith_status st = KITH_OK;

    for (int i = 0; i < n && !wide; i++)
        advance_own(q, &runs[list[i]], list[i], rounds, false, found, &st, err);
#pragma omp parallel for num_threads(q->task->threads) schedule(dynamic, 1)
    for (int i = 0; i < (wide ? n : 0); i++)
        advance_own(q, &runs[list[i]], list[i], rounds, true, found, &st, err);
    if (st == KITH_OK)
        st = kith__progress(q->task->job, "learning", to, stage_to[STAGES - 1],
                            "rounds", err);
    return st;
}

/* Order a list of runs by the least log-loss, the best first. */
static void order_runs(const em_run *runs, int *list, int n)
{
    for (int i = 1; i < n; i++) {
        const int x = list[i];
        int at = i;

        for (; at > 0 && runs[x].least < runs[list[at - 1]].least; at--)
            list[at] = list[at - 1];
        list[at] = x;
    }
}

/* How many runs of an ordered list may still win: at most `most`, and no more
 * than a standard error behind the first. */
static int worth_going_on(const em_run *runs, const int *list, int most,
                          int32_t nodes)
{
    int n = 1;

    while (n < most && kith__paired_gain(runs[list[n]].loss, runs[list[0]].loss,
                                         nodes) <= 1)
        n++;
    return n;
}

/* Multiplications that a search may take: half a minute on two cores. */
static const double BUDGET = 6e10;
enum { EVALUATIONS = 12 }; /* of an M-step */

/* How many M-steps fit into the budget. */
static double steps_allowed(const kith__task *t,
                            const kith__feature_operator *map)
{
    const kith__feature_block *b = &map->block[0];
    const double entries = (double)kith__row_begin(&b->x->x, map->n);
    const double edges = b->O ? (double)b->O->rows[map->n] : 0;
    const double one = 2.0 * t->classes * (entries + b->hops * edges);

    return BUDGET / (EVALUATIONS * (one + 1));
}

static kith_status copy_start(const kith__task *t, const prepared *p, int a,
                              float **B, kith_error *err)
{
    const int64_t size = (p->map[a].columns + 1) * t->classes;
    kith_status st = KITH_OK;

    TRY_NEW(*B, kith__alloc(size, sizeof(float)));
    memcpy(*B, p->start[a].B, (size_t)size * sizeof(float));
out:
    return st;
}

/* All runs of a list some rounds, the better some more, the best to the end. */
static kith_status run_stages(const kith__search_context *q, em_run *runs,
                              int *list, int n, const int to[STAGES],
                              const int most[STAGES],
                              kith__best_candidate *found, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int s = 0; s < STAGES; s++) {
        if (s > 0)
            n = worth_going_on(runs, list, n < most[s] ? n : most[s],
                               q->val->n);
        TRY(advance(q, runs, list, n, s > 0 ? to[s - 1] : 0, to[s], found,
                    err));
        order_runs(runs, list, n);
    }
out:
    return st;
}

/* Runs to be tried; if there are no rounds those that differ before any. */
static kith_status list_runs(const kith__search_context *q, const prepared *p,
                             kith_prep prep, bool rounds, em_run *runs,
                             int *list, int *count, kith_error *err)
{
    kith_status st = KITH_OK;

    *count = 0;
    for (int i = 0; i < RUNS; i++) {
        const int a = i / GRID, row = i % GRID;

        runs[i].em = (kith__em){.task = q->task, .map = &p->map[a]};
        runs[i].candidate = (kith__candidate){.kind = KITH__EM_FEATURES,
                                              .prep = prep,
                                              .a = alphas[a],
                                              .start = p->start[a].penalty,
                                              .em = grid[row]};
        if (!rounds && row > 0 && grid[row].h == grid[row - 1].h)
            continue;
        list[(*count)++] = i;
        TRY(start_run(q, &runs[i], err));
        TRY(copy_start(q->task, p, a, &runs[i].B, err));
    }
out:
    return st;
}

static kith_status run_grid(const kith__search_context *q, const prepared *p,
                            kith_prep prep, kith__best_candidate *found,
                            kith_error *err)
{
    /* On too large a graph for EM the starts alone. */
    const bool rounds = steps_allowed(q->task, &p->map[0]) >= 2 * RUNS;
    em_run runs[RUNS] = {0};
    int list[RUNS], n;
    kith_status st = KITH_OK;

    TRY(list_runs(q, p, prep, rounds, runs, list, &n, err));
    TRY(rounds ? run_stages(q, runs, list, n, stage_to, stage_runs, found, err)
               : advance(q, runs, list, n, 0, 0, found, err));
out:
    release_runs(runs, RUNS);
    return st;
}

kith_status kith__em_search_features(const kith__search_context *q,
                                     const kith__best_candidate *rival,
                                     kith__best_candidate *found,
                                     kith_error *err)
{
    const int n = kith__features_binary(q->features) ? PREPS - 1
                                                     : PREPS; /* no roots */
    kith_status st = KITH_OK;
    prepared all[PREPS] = {0};
    kith__smoother s = {0};
    int best = 0;

    TRY(kith__smoother_new(q->task->graph, true, q->task->threads, &s, err));
    TRY(choose_prep(q, &s, all, n, &best, err));
    for (int i = 0; i < n; i++)
        if (i != best)
            release_prepared(&all[i]);
    if (rival && kith__paired_gain(all[best].start[0].loss, rival->loss,
                                   q->val->n) > KITH__FAR_BEHIND)
        goto out;
    TRY(see_further(q, &s, &all[best], err));
    TRY(run_grid(q, &all[best], preps[best], found, err));
out:
    for (int i = 0; i < PREPS; i++)
        release_prepared(&all[i]);
    kith__smoother_release(&s);
    return st;
}

/* ---- from labels --------------------------------------------------------- */

/* Features as they are, and who has any. */
static kith_status take_plain(const kith__search_context *q, kith__logits *p,
                              kith_error *err)
{
    const int32_t n = q->task->n;
    kith_status st = KITH_OK;

    TRY(new_table(q->features, KITH_PREP_TFIDF, &p->x, err));
    TRY_NEW(p->has, kith__alloc(n, sizeof(*p->has)));
    for (int32_t u = 0; u < n; u++) {
        const int64_t to = kith__row_begin(&p->x.x, u + 1);

        p->has[u] = false;
        for (int64_t i = kith__row_begin(&p->x.x, u); i < to; i++)
            p->has[u] = p->has[u] || p->x.x.value[i] != 0;
    }
    p->map = (kith__feature_operator){.n = n,
                                      .threads = q->task->threads,
                                      .columns = p->x.x.columns,
                                      .blocks = 1,
                                      .block = {{.x = &p->x}}};
out:
    return st;
}

/* Labels alone: for each reach the best h. */
kith_status kith__em_search_reach(const kith__search_context *q,
                                  kith__em_params best[KITH__REACHES],
                                  kith__best_candidate *found, kith_error *err)
{
    enum { H = LENGTH(label_h), ALL = KITH__REACHES * H };
    em_run runs[ALL] = {0};
    kith_status st = KITH_OK;
    int list[ALL];

    for (int i = 0; i < ALL; i++) {
        list[i] = i;
        runs[i].em = (kith__em){.task = q->task, .labels = true};
        runs[i].candidate = (kith__candidate){
            .kind = KITH__EM_LABELS,
            .em = {.h = label_h[i % H], .hops = label_hops[i / H]}};
        TRY(start_run(q, &runs[i], err));
    }
    TRY(advance(q, runs, list, ALL, 0, 0, found, err));
    for (int r = 0; r < KITH__REACHES; r++) {
        int at = r * H;

        for (int i = at + 1; i < (r + 1) * H; i++)
            if (kith__better(&runs[i].best, &runs[at].best))
                at = i;
        best[r] = runs[at].candidate.em;
    }
out:
    release_runs(runs, ALL);
    return st;
}

kith_status kith__em_search_labels(const kith__search_context *q,
                                   const kith__em_params reach[KITH__REACHES],
                                   kith__best_candidate *found, kith_error *err)
{
    em_run runs[LABEL_RUNS] = {0};
    kith_status st = KITH_OK;
    int list[LABEL_RUNS];
    kith__logits p = {0};

    TRY(take_plain(q, &p, err));
    if (steps_allowed(q->task, &p.map) < 3 * LABEL_RUNS)
        goto out;
    for (int i = 0; i < LABEL_RUNS; i++) {
        const kith__em_params *r = &reach[i / LENGTH(label_beta)];

        list[i] = i;
        runs[i].em = (kith__em){q->task, &p.map, p.has, true};
        runs[i].candidate = (kith__candidate){
            .kind = KITH__EM_LABELS,
            .em = {r->h, .9f, .3f, .03f, .5f,
                   label_beta[i % LENGTH(label_beta)], r->hops}};
        TRY(start_run(q, &runs[i], err));
        TRY_NEW(runs[i].B,
                kith__alloc_zeroed((p.map.columns + 1) * q->task->classes,
                                   sizeof(float)));
    }
    TRY(run_stages(q, runs, list, LABEL_RUNS, label_to, label_runs, found,
                   err));
out:
    release_runs(runs, LABEL_RUNS);
    kith__logits_release(&p);
    return st;
}

/* ---- following ----------------------------------------------------------- */

typedef struct wanted {
    const kith__candidate *r;
    kith__beliefs *out;
    size_t bytes;
} wanted;

static void keep(void *user, int round, const float *Q, const float *P)
{
    const wanted *w = user;

    if (round != w->r->rounds || (Q != NULL) != w->r->propagated)
        return;
    memcpy(w->out->P, P, w->bytes);
    if (Q && w->out->Q)
        memcpy(w->out->Q, Q, w->bytes);
}

kith_status kith__em_logits(const kith__search_context *q,
                            const kith__candidate *r, kith__logits *l,
                            kith_error *err)
{
    const kith__task *t = q->task;
    kith_status st = KITH_OK;

    if (r->kind == KITH__EM_LABELS) {
        TRY(take_plain(q, l, err));
    } else {
        TRY(kith__smoother_new(t->graph, true, t->threads, &l->smoother, err));
        TRY(new_table(q->features, r->prep, &l->x, err));
        TRY(look_through(&l->x, &l->smoother, r->a, t->threads, &l->map, err));
    }
    TRY_NEW(l->B, kith__alloc_zeroed((l->map.columns + 1) * t->classes,
                                     sizeof(float)));
out:
    return st;
}

/* The B to start from, of features through the graph: by the way that the
 * search takes to that penalty. */
static kith_status start_features(const kith__task *t, const kith__candidate *r,
                                  kith__logits *l, kith_error *err)
{
    const int64_t size = (l->map.columns + 1) * t->classes;
    double way[STARTS + 1];
    float *B[STARTS + 1] = {0};
    kith_status st = KITH_OK;
    int n = 0;

    while (n < STARTS && starts[n] > 1.001 * (double)r->start) {
        way[n] = starts[n];
        n++;
    }
    way[n] = n < STARTS && starts[n] > .999 * (double)r->start
                 ? starts[n]
                 : (double)r->start;
    B[n] = l->B;
    for (int i = 0; i < n; i++)
        TRY_NEW(B[i], kith__alloc_zeroed(size, sizeof(float)));
    TRY(fit_starts(t, &l->map, way, n + 1, B, err));
out:
    for (int i = 0; i < n; i++)
        kith__free(B[i]);
    return st;
}

kith_status kith__em_evaluate(const kith__search_context *q,
                              const kith__candidate *r, kith__beliefs *out,
                              kith_error *err)
{
    const kith__task *t = q->task;
    wanted w = {r, out, (size_t)t->n * (size_t)t->classes * sizeof(float)};
    kith__em em = {.task = t, .labels = r->kind == KITH__EM_LABELS};
    kith_status st = KITH_OK;
    kith__logits *l = NULL;

    if (kith__em_has_logits(r)) {
        TRY_NEW(l, kith__alloc_zeroed(1, sizeof(*l)));
        TRY(kith__em_logits(q, r, l, err));
        if (!em.labels)
            TRY(start_features(t, r, l, err));
        em.map = &l->map;
        em.has = l->has;
    }
    TRY(kith__em_run(&em, &r->em, 0, r->rounds, l ? l->B : NULL, keep, &w,
                     err));
    out->linear = r->propagated ? KITH__SUM : KITH__LOGITS;
    out->roots = em.labels && r->propagated;
    if (out->Q) {
        if (!r->propagated)
            memset(out->Q, 0, w.bytes);
        out->logits = l;
        l = NULL;
    }
out:
    kith__logits_free(l);
    return st;
}
