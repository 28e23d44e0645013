#include "models/tune.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"

/* ---- the grids ----------------------------------------------------------- */

/* The default first: it stays unless another is better by more than chance. */
static const kith_prep preps[] = {KITH_PREP_L2, KITH_PREP_TFIDF};
static const int32_t smooths[] = {2, 0};
static const double penalties[] = {0.5, 0.05, 5};
static const int32_t iterations[] = {5, 10, 15, 20, 100};
/* The paper's (its appendix, "Parameter Setting"). */
static const double g1s[] = {.02, .05, .1, .2};
static const double g2s[] = {.0002, .0005, .001, .002};
static const double lambdas[] = {.02, .05, .1, .2};

/* Of steps: none, every pair (g1, g2) at one lambda, the better half of the
 * pairs at the other three. */
enum { PAIRS = 4 * 4, MOST_POINTS = 1 + PAIRS + PAIRS / 2 * 3 };

/* How many values of a grid are tried: all, or the fixed one. */
#define LENGTH(grid)            ((int)(sizeof(grid) / sizeof(*(grid))))
#define COUNT(fixed, bit, grid) ((fixed) & (bit) ? 1 : LENGTH(grid))

/* ---- running one point --------------------------------------------------- */

void kith__tuned_release(kith__tuned *t)
{
    kith__free(t->weights);
    kith__free(t->idf);
    kith__free(t->potentials);
    kith__out_of_fold_release(&t->out_of_fold);
    *t = (kith__tuned){0};
}

/* Run a method to be judged alone. */
static kith_status try_point(const kith__task *task, const kith__method *method,
                             const kith_params *p, const float *potentials,
                             const kith__judge *judge, kith__valued *out,
                             kith_error *err)
{
    const int C = task->classes;
    kith_status st = KITH_OK;
    kith__beliefs b = {0};

    TRY_NEW(b.P, kith__alloc_big((int64_t)task->n * C, sizeof(float)));
    TRY_NEW(b.coupling, kith__alloc((int64_t)C * C, sizeof(float)));
    TRY(method->run(task, p, potentials, &b, err));
    TRY(kith__judge_beliefs(judge, b.P, out, err));
out:
    kith__free(b.P);
    kith__free(b.coupling);
    return st;
}

bool kith__side_by_side(const kith__task *task)
{
    const double cells = (double)task->n * task->classes;
    const double one = 4 * (8 * cells + (double)task->W.rows[task->n]);

    return task->threads > 1 && one * task->threads < 1e9;
}

/* What try_points() does with each point: with one thread if others are tried
 * beside it. */
static void try_own(const kith__task *task, const kith__method *method,
                    const kith_params *point, const float *potentials,
                    const kith__judge *judge, bool wide, kith__valued *out,
                    kith_status *st, kith_error *err)
{
    kith__task own = *task;
    kith_error why = {0};
    kith_status got;

    own.checkpoint = NULL; /* a fit's state is for the last one */
    if (wide) {            /* progress is for the calling thread alone */
        own.threads = own.W.threads = 1;
        own.job = kith__thread_number() == 0 ? task->job : NULL;
    }
    got = try_point(&own, method, point, potentials, judge, out, &why);
    kith__note_failure(got, &why, st, err);
}

/* Is this the point of not learning? */
static bool learns_nothing(const kith_params *p)
{
    return p->g1 == 0 && p->g2 == 0;
}

/* The points of a grid, as they are judged. */
typedef struct judged_points {
    kith__judge judge;
    kith__valued of[MOST_POINTS];
    double *worth;
} judged_points;

static void points_release(judged_points *s)
{
    kith__free(s->worth);
    kith__judge_release(&s->judge);
}

static kith_status points_new(const kith__task *t, kith_optimise measure,
                              const kith__labelled_nodes *val, int most,
                              judged_points *s, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__judge_new(t->graph, measure, t->classes, val, &s->judge, err));
    TRY_NEW(s->worth,
            kith__alloc((int64_t)most * s->judge.groups, sizeof(*s->worth)));
    for (int i = 0; i < most; i++)
        s->of[i].worth = s->worth + (int64_t)i * s->judge.groups;
out:
    return st;
}

/* Judge many points, those from `first` on. */
static kith_status judge_points(const kith__task *task,
                                const kith__method *method,
                                const kith_params *points, int first, int n,
                                const float *potentials, judged_points *s,
                                kith_error *err)
{
    const bool wide = kith__side_by_side(task) && n - first > 1;
    const int32_t groups = s->judge.groups;
    kith_status st = KITH_OK;
    bool done = false;
    int tried = first;

    while (tried < n &&
           kith__checkpoint_scores(task->checkpoint, 1, groups, &s->of[tried]))
        tried++;
    if (tried == first && !wide && n - first > 1 && method->grid)
        TRY(method->grid(task, method, points + first, n - first, potentials,
                         &s->judge, s->of + first, &done, err));
    /* Not by a team of one: the teams within it would start their threads
     * anew each time, and there may be no room for them. */
    for (; tried < n && !wide && !done; tried++) {
        try_own(task, method, &points[tried], potentials, &s->judge, false,
                &s->of[tried], &st, err);
        if (st != KITH_OK)
            goto out;
        TRY(kith__checkpoint_add(task->checkpoint, 1, groups, &s->of[tried],
                                 err));
        TRY(kith__progress(task->job, "tuning", tried + 1, n, "points", err));
    }
#pragma omp parallel for num_threads(task->threads) schedule(dynamic, 1)
    for (int i = tried; i < (wide && !done ? n : 0); i++)
        try_own(task, method, &points[i], potentials, &s->judge, true,
                &s->of[i], &st, err);
    if (st != KITH_OK)
        goto out;
    if (tried < n)
        TRY(kith__checkpoint_add(task->checkpoint, n - tried, groups,
                                 &s->of[tried], err));
out:
    return st;
}

/* Judge many points; *best is the index of the one to take. */
static kith_status
try_points(const kith__task *task, const kith__method *method,
           const kith_params *points, int n, int usual, const float *potentials,
           const kith__labelled_nodes *val, int *best, kith_error *err)
{
    kith_status st = KITH_OK;
    judged_points s = {0};

    TRY(points_new(task, points[0].optimise, val, n, &s, err));
    TRY(judge_points(task, method, points, 0, n, potentials, &s, err));
    *best = kith__choose(&s.judge, s.of, n, usual);
out:
    points_release(&s);
    return st;
}

/* ---- potentials ---------------------------------------------------------- */

/* Iterations at which potentials are judged, before that number is tuned. */
enum { JUDGED_AT = 10 };

/* With and without clamping, the default first. */
static int clamp_points(const kith_params *p, uint32_t fixed,
                        const kith__method *method, kith_params *points)
{
    const int n = method->uses_graph && !(fixed & KITH_FIX_CLAMP) ? 2 : 1;

    for (int i = 0; i < n; i++) {
        points[i] = *p;
        if (n > 1)
            points[i].clamp = i == 0;
        if (!(fixed & KITH_FIX_ITERATIONS))
            points[i].iterations = JUDGED_AT;
    }
    return n;
}

/* The last, until nothing changes, is the default. */
static int iteration_points(const kith_params *p, kith_params *points)
{
    const int n = LENGTH(iterations);

    for (int i = 0; i < n; i++) {
        points[i] = *p;
        points[i].iterations = iterations[i];
    }
    return n;
}

/* The best so far while potentials are tuned. */
typedef struct search {
    const kith__task *task;
    const kith__method *judge; /* whose accuracy counts */
    const kith_train_options *options;
    const kith__labelled_nodes *val;
    int candidates; /* how many potentials there will be to judge */
    kith__judge by;
    kith__tuned *best;
    double *usual, *most; /* what the first one and the best are worth */
    bool any;
} search;

static void search_release(search *s)
{
    kith__judge_release(&s->by);
    kith__free(s->usual);
    kith__free(s->most);
}

/* The first point of all is the usual one; another must beat it, and be better
 * than the best so far. */
static bool takes_over(search *s, const double *worth)
{
    const int32_t n = s->by.groups;

    if (s->any &&
        (!kith__beats(&s->by, worth, s->usual) ||
         kith__worth_mean(&s->by, worth) <= kith__worth_mean(&s->by, s->most)))
        return false;
    memcpy(s->any ? s->most : s->usual, worth, (size_t)n * sizeof(*worth));
    if (!s->any)
        memcpy(s->most, worth, (size_t)n * sizeof(*worth));
    s->any = true;
    return true;
}

/* Judge one set of potentials, which is handed over. */
static kith_status consider(search *s, const kith_params *p,
                            kith__tuned *candidate, kith_error *err)
{
    kith_params points[MOST_POINTS];
    const int n = clamp_points(p, s->options->fixed, s->judge, points);
    kith_status st = KITH_OK;
    judged_points judged = {0};
    int at = -1;

    if (s->val->n == 0 || (n == 1 && s->candidates == 1)) {
        at = 0;
    } else {
        TRY(points_new(s->task, p->optimise, s->val, n, &judged, err));
        TRY(judge_points(s->task, s->judge, points, 0, n, candidate->potentials,
                         &judged, err));
        for (int i = 0; i < n; i++)
            if (takes_over(s, judged.of[i].worth))
                at = i;
    }
    if (at >= 0) {
        kith__tuned_release(s->best);
        *s->best = *candidate;
        s->best->params = s->val->n > 0 ? points[at] : *p;
        *candidate = (kith__tuned){0};
    }
out:
    points_release(&judged);
    kith__tuned_release(candidate);
    return st;
}

/* All penalties for one way of preparing the features. */
static kith_status search_penalties(search *s, const kith_features *features,
                                    kith_params p, kith_error *err)
{
    const kith__task *t = s->task;
    const int n = COUNT(s->options->fixed, KITH_FIX_PENALTY, penalties);
    kith_status st = KITH_OK;
    kith__feature_matrix design = {0};
    kith__tuned c = {0};

    TRY(kith__feature_matrix_new(t->graph, features, p.prep, p.smooth, NULL,
                                 t->job, &design, err));
    for (int i = 0; i < n; i++) {
        if (n > 1)
            p.penalty = penalties[i];
        TRY_NEW(c.potentials,
                kith__alloc_big((int64_t)t->n * t->classes, sizeof(float)));
        TRY(kith__potentials_fit(t, &design, &p, &c.weights, err));
        TRY(kith__potentials_of_features(t, &design, c.weights, c.potentials,
                                         err));
        if (design.idf) {
            TRY_NEW(c.idf, kith__alloc(features->columns, sizeof(float)));
            memcpy(c.idf, design.idf,
                   (size_t)features->columns * sizeof(float));
        }
        TRY(consider(s, &p, &c, err));
        TRY(kith__progress(t->job, "tuning", i + 1, n, "penalties", err));
    }
out:
    kith__tuned_release(&c);
    kith__feature_matrix_release(&design);
    return st;
}

static kith_status search_features(search *s, const kith_features *features,
                                   kith_error *err)
{
    const uint32_t fixed = s->options->fixed;
    const int n_prep = COUNT(fixed, KITH_FIX_PREP, preps);
    const int n_smooth = COUNT(fixed, KITH_FIX_SMOOTH, smooths);
    kith_status st = KITH_OK;

    s->candidates = n_prep * n_smooth *
                    COUNT(fixed, KITH_FIX_PENALTY, penalties);
    for (int a = 0; a < n_prep; a++)
        for (int b = 0; b < n_smooth; b++) {
            kith_params p = s->options->params;

            if (n_prep > 1)
                p.prep = preps[a];
            if (n_smooth > 1)
                p.smooth = smooths[b];
            TRY(search_penalties(s, features, p, err));
        }
out:
    return st;
}

/* Without features the labels are all there is: clamped by nature. */
static kith_status search_labels(search *s, kith_error *err)
{
    const kith__task *t = s->task;
    kith_params p = s->options->params;
    kith__tuned c = {0};

    p.clamp = true;
    s->candidates = 1;
    c.potentials = kith__alloc_big((int64_t)t->n * t->classes, sizeof(float));
    if (!c.potentials)
        return kith__no_memory(err);
    kith__potentials_of_labels(t, c.potentials);
    return consider(s, &p, &c, err);
}

/* ---- steps --------------------------------------------------------------- */

/* L-BFGS iterations of the exact gradient are outer times these. */
static const int32_t inners[] = {1, 4};

/* lcm by the exact gradient has no step sizes. */
static int exact_points(const kith_params *p, uint32_t fixed,
                        kith_params *points)
{
    const int n_lambda = COUNT(fixed, KITH_FIX_LAMBDA, lambdas);
    int n = 0;

    points[n++] = *p;
    if (fixed == KITH_FIX_ALL)
        return n;
    points[0].g1 = points[0].g2 = 0; /* not to learn at all may be best */
    for (int i = 0; i < LENGTH(inners); i++)
        for (int k = 0; k < n_lambda; k++) {
            points[n] = *p;
            points[n].inner = inners[i];
            if (n_lambda > 1)
                points[n].lambda = lambdas[k];
            n++;
        }
    return n;
}

/*
 * Steps are tried in two rungs: every pair (g1, g2) at the paper's usual
 * lambda, which matters least; then the better half of the pairs at the other
 * lambdas.  On the data that we have, trying the whole grid chose no better
 * (docs/methods/README.md).
 */
enum { USUAL_LAMBDA = 1 };

/* The first rung, or all points where lambda or the pair is fixed. */
static int first_rung(const kith_params *p, uint32_t fixed, kith_params *points)
{
    const int n1 = COUNT(fixed, KITH_FIX_G1, g1s);
    const int n2 = COUNT(fixed, KITH_FIX_G2, g2s);
    const bool tunes_lambda = !(fixed & KITH_FIX_LAMBDA);
    const int n3 = tunes_lambda && n1 * n2 == 1 ? LENGTH(lambdas) : 1;
    int n = 0;

    if (n1 > 1 && n2 > 1) { /* not to learn at all may be best: LinBP */
        points[n] = *p;
        points[n].g1 = points[n].g2 = 0;
        n++;
    }
    for (int i = 0; i < n1 * n2 * n3; i++, n++) {
        points[n] = *p;
        if (n1 > 1)
            points[n].g1 = g1s[i / (n2 * n3)];
        if (n2 > 1)
            points[n].g2 = g2s[i / n3 % n2];
        if (tunes_lambda)
            points[n].lambda = lambdas[n3 > 1 ? i : USUAL_LAMBDA];
    }
    return n;
}

/* How many of n points of the first rung go on to the second. */
static int count_kept(int n, uint32_t fixed)
{
    const uint32_t pair = KITH_FIX_G1 | KITH_FIX_G2;

    return fixed & KITH_FIX_LAMBDA || (fixed & pair) == pair ? 0 : n / 2;
}

int kith__step_points(uint32_t fixed)
{
    const kith_params any = {0};
    kith_params points[MOST_POINTS];
    const int n = first_rung(&any, fixed, points);

    return n + count_kept(n, fixed) * (LENGTH(lambdas) - 1);
}

/* The second rung after the n points of the first; returns how many there are
 * in all. */
static int second_rung(kith_params *points, const judged_points *s, int n,
                       uint32_t fixed)
{
    const int kept = count_kept(n, fixed), first = learns_nothing(points);
    double mean[MOST_POINTS] = {0};
    int all = n;

    for (int i = 0; i < n; i++)
        mean[i] = kith__worth_mean(&s->judge, s->of[i].worth);
    for (int i = first; i < n; i++) {
        int before = 0;

        for (int j = first; j < n; j++)
            before += mean[j] > mean[i] || (j < i && mean[j] == mean[i]);
        for (int k = 0; before < kept && k < LENGTH(lambdas); k++)
            if (k != USUAL_LAMBDA) {
                points[all] = points[i];
                points[all++].lambda = lambdas[k];
            }
    }
    return all;
}

/* Choose among the steps that are not fixed, from *p. */
static kith_status choose_steps(const kith__task *task,
                                const kith__method *method, uint32_t fixed,
                                const float *potentials,
                                const kith__labelled_nodes *val, kith_params *p,
                                kith__score *score, kith_error *err)
{
    kith_params points[MOST_POINTS];
    const int n = first_rung(p, fixed, points);
    kith_status st = KITH_OK;
    judged_points s = {0};
    int all, best;

    if (n == 1) /* all fixed */
        goto out;
    TRY(points_new(task, p->optimise, val, MOST_POINTS, &s, err));
    TRY(judge_points(task, method, points, 0, n, potentials, &s, err));
    all = second_rung(points, &s, n, fixed);
    if (all > n)
        TRY(judge_points(task, method, points, n, all, potentials, &s, err));
    best = kith__choose(&s.judge, s.of, all, 0);
    *p = points[best];
    *score = s.of[best].score;
out:
    points_release(&s);
    return st;
}

kith_status kith__tune_steps(const kith__task *task, const kith__method *method,
                             const float *potentials,
                             const kith__labelled_nodes *val, kith_params *p,
                             kith__score *score, kith_error *err)
{
    return choose_steps(task, method, 0, potentials, val, p, score, err);
}

kith_status kith__tune(const kith__task *task, const kith_features *features,
                       const kith__method *method,
                       const kith_train_options *options,
                       const kith__labelled_nodes *val, kith__tuned *out,
                       kith_error *err)
{
    search s = {.task = task,
                .judge = method->learns ? kith__method_find("linbp") : method,
                .options = options,
                .val = val,
                .best = out};
    kith_params points[MOST_POINTS];
    kith_train_options given = *options;
    const bool exact = kith__uses_out_of_fold(method, &options->params);
    kith__task own = *task;
    kith_status st = KITH_OK;
    kith__score ignored;
    int n, at;

    *out = (kith__tuned){0};
    if (val->n == 0)
        given.fixed = KITH_FIX_ALL;
    s.options = &given;
    TRY(kith__judge_new(task->graph, options->params.optimise, task->classes,
                        val, &s.by, err));
    TRY_NEW(s.usual, kith__alloc(s.by.groups, sizeof(*s.usual)));
    TRY_NEW(s.most, kith__alloc(s.by.groups, sizeof(*s.most)));
    TRY(features ? search_features(&s, features, err) : search_labels(&s, err));
    if (exact)
        TRY(kith__out_of_fold_new(task, features, &out->params,
                                  &out->out_of_fold, err));
    own.out_of_fold = &out->out_of_fold;
    if (exact && !(given.fixed & KITH_FIX_ITERATIONS)) {
        out->params.iterations = options->params.iterations;
    } else if (method->uses_graph && !(given.fixed & KITH_FIX_ITERATIONS)) {
        n = iteration_points(&out->params, points);
        TRY(try_points(task, s.judge, points, n, n - 1, out->potentials, val,
                       &at, err));
        out->params = points[at];
    }
    n = exact ? exact_points(&out->params, given.fixed, points) : 1;
    if (method->learns && n > 1) {
        TRY(try_points(&own, method, points, n, 0, out->potentials, val, &at,
                       err));
        out->params = points[at];
    } else if (method->learns && !exact) {
        TRY(choose_steps(&own, method, given.fixed, out->potentials, val,
                         &out->params, &ignored, err));
    }
out:
    search_release(&s);
    if (st != KITH_OK)
        kith__tuned_release(out);
    return st;
}
