#include "models/tune.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"

/* ---- the grids ----------------------------------------------------------- */

static const kith_prep preps[] = {KITH_PREP_L2, KITH_PREP_TFIDF};
static const int32_t smooths[] = {0, 2};
static const double penalties[] = {0.05, 0.5, 5};
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

/* Run a method for its kith__score alone. */
static kith_status try_point(const kith__task *task, const kith__method *method,
                             const kith_params *p, const float *potentials,
                             const kith__labelled_nodes *val, kith__score *out,
                             kith_error *err)
{
    const int C = task->classes;
    kith_status st = KITH_OK;
    kith__beliefs b = {0};

    TRY_NEW(b.P, kith__alloc_big((int64_t)task->n * C, sizeof(float)));
    TRY_NEW(b.coupling, kith__alloc((int64_t)C * C, sizeof(float)));
    TRY(method->run(task, p, potentials, &b, err));
    *out = kith__score_of(b.P, C, val);
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
                    const kith__labelled_nodes *val, bool wide,
                    kith__score *score, kith_status *st, kith_error *err)
{
    kith__task own = *task;
    kith_error why = {0};
    kith_status got;

    own.checkpoint = NULL; /* a fit's state is for the last one */
    if (wide) {            /* progress is for the calling thread alone */
        own.threads = own.W.threads = 1;
        own.job = kith__thread_number() == 0 ? task->job : NULL;
    }
    got = try_point(&own, method, point, potentials, val, score, &why);
    kith__note_failure(got, &why, st, err);
}

/* Of less loss, the finer measure where many points differ little; but those
 * less accurate than `floor` come last. */
static bool better_by_loss(const kith__score *a, const kith__score *b,
                           double floor)
{
    const bool a_low = a->accuracy < floor, b_low = b->accuracy < floor;

    return a_low == b_low ? a->log_loss < b->log_loss : b_low;
}

/* Is this the point of not learning? */
static bool learns_nothing(const kith_params *p)
{
    return p->g1 == 0 && p->g2 == 0;
}

/* The accuracy of not learning, where it is the first point that is tried. */
static double floor_of(const kith_params *points, const kith__score *scores)
{
    return learns_nothing(points) ? scores[0].accuracy : 0;
}

/* The best of n points: by accuracy, or by loss of those that are no less
 * accurate than not learning. */
static int best_of(const kith_params *points, const kith__score *scores, int n,
                   bool by_loss)
{
    const double floor = floor_of(points, scores);
    int best = 0;

    for (int i = 1; i < n; i++)
        if (by_loss ? better_by_loss(&scores[i], &scores[best], floor)
                    : kith__better(&scores[i], &scores[best]))
            best = i;
    return best;
}

/* Score many points. */
static kith_status score_points(const kith__task *task,
                                const kith__method *method,
                                const kith_params *points, int n,
                                const float *potentials,
                                const kith__labelled_nodes *val,
                                kith__score *scores, kith_error *err)
{
    const bool wide = kith__side_by_side(task) && n > 1;
    kith_status st = KITH_OK;
    bool done = false;
    int tried = 0;

    while (tried < n &&
           kith__checkpoint_scores(task->checkpoint, 1, &scores[tried]))
        tried++;
    if (tried == 0 && !wide && n > 1 && method->grid)
        TRY(method->grid(task, method, points, n, potentials, val, scores,
                         &done, err));
    /* Not by a team of one: the teams within it would start their threads
     * anew each time, and there may be no room for them. */
    for (; tried < n && !wide && !done; tried++) {
        try_own(task, method, &points[tried], potentials, val, false,
                &scores[tried], &st, err);
        if (st != KITH_OK)
            goto out;
        TRY(kith__checkpoint_add(task->checkpoint, 1, &scores[tried], err));
        TRY(kith__progress(task->job, "tuning", tried + 1, n, "points", err));
    }
#pragma omp parallel for num_threads(task->threads) schedule(dynamic, 1)
    for (int i = tried; i < (wide && !done ? n : 0); i++)
        try_own(task, method, &points[i], potentials, val, true, &scores[i],
                &st, err);
    if (st != KITH_OK)
        goto out;
    if (tried < n)
        TRY(kith__checkpoint_add(task->checkpoint, n - tried, scores + tried,
                                 err));
out:
    return st;
}

/* Score many points; *best is the index of the best. */
static kith_status
try_points(const kith__task *task, const kith__method *method,
           const kith_params *points, int n, const float *potentials,
           const kith__labelled_nodes *val, bool by_loss, int *best,
           kith__score *best_score, kith_error *err)
{
    kith__score scores[MOST_POINTS] = {{0}};
    kith_status st = KITH_OK;

    TRY(score_points(task, method, points, n, potentials, val, scores, err));
    *best = best_of(points, scores, n, by_loss);
    *best_score = scores[*best];
out:
    return st;
}

/* ---- potentials ---------------------------------------------------------- */

/* Iterations at which potentials are judged, before that number is tuned. */
enum { JUDGED_AT = 10 };

/* With and without clamping. */
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
    kith__tuned *best;
    kith__score best_score;
    bool any;
} search;

/* Judge one set of potentials, which is handed over. */
static kith_status consider(search *s, const kith_params *p,
                            kith__tuned *candidate, kith_error *err)
{
    kith_params points[MOST_POINTS];
    const int n = clamp_points(p, s->options->fixed, s->judge, points);
    kith_status st = KITH_OK;
    kith__score got = {0};
    int at = 0;

    if (s->val->n > 0 && (n > 1 || s->candidates > 1))
        TRY(try_points(s->task, s->judge, points, n, candidate->potentials,
                       s->val, false, &at, &got, err));
    if (!s->any || kith__better(&got, &s->best_score)) {
        kith__tuned_release(s->best);
        *s->best = *candidate;
        s->best->params = s->val->n > 0 ? points[at] : *p;
        *candidate = (kith__tuned){0};
        s->best_score = got;
        s->any = true;
    }
out:
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
static int second_rung(kith_params *points, const kith__score *scores, int n,
                       uint32_t fixed)
{
    const double floor = floor_of(points, scores);
    const int kept = count_kept(n, fixed), first = learns_nothing(points);
    int all = n;

    for (int i = first; i < n; i++) {
        int before = 0;

        for (int j = first; j < n; j++)
            before += better_by_loss(&scores[j], &scores[i], floor) ||
                      (j < i && !better_by_loss(&scores[i], &scores[j], floor));
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
    kith__score scores[MOST_POINTS] = {{0}};
    const int n = first_rung(p, fixed, points);
    kith_status st = KITH_OK;
    int all, best;

    if (n == 1) /* all fixed */
        goto out;
    TRY(score_points(task, method, points, n, potentials, val, scores, err));
    all = second_rung(points, scores, n, fixed);
    if (all > n)
        TRY(score_points(task, method, points + n, all - n, potentials, val,
                         scores + n, err));
    best = best_of(points, scores, all, true);
    *p = points[best];
    *score = scores[best];
out:
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
    TRY(features ? search_features(&s, features, err) : search_labels(&s, err));
    if (exact)
        TRY(kith__out_of_fold_new(task, features, &out->params,
                                  &out->out_of_fold, err));
    own.out_of_fold = &out->out_of_fold;
    if (exact && !(given.fixed & KITH_FIX_ITERATIONS)) {
        out->params.iterations = options->params.iterations;
    } else if (method->uses_graph && !(given.fixed & KITH_FIX_ITERATIONS)) {
        n = iteration_points(&out->params, points);
        TRY(try_points(task, s.judge, points, n, out->potentials, val, false,
                       &at, &ignored, err));
        out->params = points[at];
    }
    /* Many points within a node or two of each other: by loss. */
    n = exact ? exact_points(&out->params, given.fixed, points) : 1;
    if (method->learns && n > 1) {
        TRY(try_points(&own, method, points, n, out->potentials, val, true, &at,
                       &ignored, err));
        out->params = points[at];
    } else if (method->learns && !exact) {
        TRY(choose_steps(&own, method, given.fixed, out->potentials, val,
                         &out->params, &ignored, err));
    }
out:
    if (st != KITH_OK)
        kith__tuned_release(out);
    return st;
}
