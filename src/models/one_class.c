/*
 * one_class.c: nodes of one class are known, and none of any other.
 *
 * Two steps (after Liu, Lee, Yu, Li, ICML 2002, whose first step finds reliable
 * negatives for text):
 *
 *     F1 = sum_j (.8 W)^j 1_known          u = F1 / sqrt(d)
 *     N  = the 30 % of the unknown nodes that F1 reaches with the least u
 *     F0 = sum_j (.8 W)^j 1_N
 *     g  = F / mean F                      gb = (g0 + g1) / 2
 *     x  = log( (.1 gb + g1) / (.1 gb + g0) )
 *
 * x ranks.  It is 0 for what nothing reaches.  What x means is learnt from
 * known nodes held out in five folds, each with an F1, N and F0 of its own:
 * held_positives.h.  So no probability is 1: e = 1 / (known + 2) of each is the
 * share of positives.  Where that share is not told, not by --prevalence, not
 * by validation nodes of several classes, not by the held-out nodes, there are
 * no probabilities, and what stands for them is the share of nodes that rank
 * lower.
 *
 *   W  a_uv / sqrt(d_u d_v)     Cost: O(12 m) an iteration, all folds at once
 */
#include "models/one_class.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "core/sort.h"
#include "graph/draw.h"
#include "graph/graph_object.h"
#include "models/held_positives.h"
#include "models/model_object.h"

enum { FOLDS = 5, COLUMNS = 1 + FOLDS };

static const float REACH = .8f;
static const double NEGATIVES = .3;

int32_t kith__only_class(const kith_labels *labels, const int32_t *nodes,
                         int32_t n)
{
    int32_t only = -1;

    for (int32_t i = 0; i < n; i++) {
        const int32_t u = nodes[i];
        const int32_t c = u >= 0 && u < labels->nodes ? labels->of[u] : -1;

        if (c >= 0 && only >= 0 && c != only)
            return -1;
        only = c >= 0 ? c : only;
    }
    return only;
}

/* ---- masses -------------------------------------------------------------- */

/* Column 0 knows all training nodes, column 1 + f not those of fold f. */
typedef struct run {
    const kith__task *t;
    int columns;
    int32_t iterations;
    double tolerance;
    int8_t *fold;         /* n: of training nodes, -1 of others */
    float *near, *far;    /* n x columns: F1, F0; then x is in `near` */
    float *seeds, *other; /* n x columns */
    uint32_t *sorted;     /* n: room */
    kith_certificate certificate;
} run;

static void release(run *r)
{
    kith__free(r->fold);
    kith__free(r->near);
    kith__free(r->far);
    kith__free(r->seeds);
    kith__free(r->other);
    kith__free(r->sorted);
}

/* Does this column know node u for a positive? */
static bool knows(const run *r, int32_t u, int column)
{
    return r->fold[u] >= 0 && (column == 0 || r->fold[u] != column - 1);
}

static kith_status begin(const kith__task *t, int columns, int32_t iterations,
                         double tolerance, run *r, kith_error *err)
{
    const int64_t cells = (int64_t)t->n * columns;
    kith_status st = KITH_OK;
    int *part = NULL;

    r->t = t;
    r->columns = columns;
    r->iterations = iterations;
    r->tolerance = tolerance;
    TRY_NEW(r->fold, kith__alloc(t->n, sizeof(*r->fold)));
    TRY_NEW(r->near, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(r->far, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(r->seeds, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(r->other, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(r->sorted, kith__alloc_big(t->n, sizeof(*r->sorted)));
    TRY_NEW(part, kith__alloc(t->n_train, sizeof(*part)));
    TRY(kith__draw_parts(t->graph, t->train, t->truth, t->n_train, FOLDS, FOLDS,
                         part, err));
    memset(r->fold, -1, (size_t)t->n);
    for (int32_t l = 0; l < t->n_train; l++)
        r->fold[t->train[l]] = (int8_t)part[l];
out:
    kith__free(part);
    return st;
}

/* F = sum_j (.8 W)^j seeds, of all columns. */
static kith_status spread(run *r, float *F, kith_error *err)
{
    const int64_t cells = (int64_t)r->t->n * r->columns;
    const kith__operator op = kith__scaled(&r->t->W, r->columns, REACH);
    const kith__stopping stopping = kith__stopping_of(r->t, r->iterations,
                                                      r->tolerance);

    memcpy(F, r->seeds, (size_t)cells * sizeof(*F));
    return kith__iterate(&op, &stopping, r->seeds, F, r->other, &r->certificate,
                         err);
}

static double root_degree(const kith_graph *g, int32_t u)
{
    double d = 0;

    for (int64_t p = g->rows[u]; p < g->rows[u + 1]; p++)
        d += g->weights ? (double)g->weights[p] : 1;
    return sqrt(d);
}

/* Bits that sort as floats do, and back. */
static uint32_t order_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float float_of(uint32_t order)
{
    const uint32_t bits = order & 0x80000000u ? order & 0x7fffffffu : ~order;
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Sort what a column has (`of` its n x columns) for the unknown nodes that are
 * reached; how many.  All nodes with `all`. */
static int32_t sort_column(run *r, const float *of, int column, bool all)
{
    int32_t n = 0;

    for (int32_t u = 0; u < r->t->n; u++) {
        const int64_t at = (int64_t)u * r->columns + column;

        /* `other` is F1 whenever something is sorted */
        if (all || (r->other[at] > 0 && !knows(r, u, column)))
            r->sorted[n++] = order_of(of[at]);
    }
    kith__sort_u32(r->sorted, n);
    return n;
}

/* Step one: seeds of step two are the unknown nodes with the least u. */
static void seed_negatives(run *r)
{
    for (int64_t i = 0; i < (int64_t)r->t->n * r->columns; i++)
        r->other[i] = r->near[i]; /* above 0 where anything reaches */
    for (int32_t u = 0; u < r->t->n; u++) {
        const double root = root_degree(r->t->graph, u);

        for (int c = 0; c < r->columns; c++)
            r->seeds[(int64_t)u * r->columns + c] =
                root > 0 ? (float)(r->near[(int64_t)u * r->columns + c] / root)
                         : 0;
    }
    for (int c = 0; c < r->columns; c++) {
        const int32_t n = sort_column(r, r->seeds, c, false);
        const uint32_t most = n > 0 ? r->sorted[(int32_t)(NEGATIVES * (n - 1))]
                                    : 0;

        for (int32_t u = 0; u < r->t->n; u++) {
            float *s = &r->seeds[(int64_t)u * r->columns + c];

            *s = r->other[(int64_t)u * r->columns + c] > 0 && !knows(r, u, c) &&
                 order_of(*s) <= most;
        }
    }
}

/* x in place of F1; `other` keeps what of F1 is above 0. */
static void compare(run *r)
{
    const int32_t n = r->t->n;

    for (int c = 0; c < r->columns; c++) {
        double near = 0, far = 0;

        for (int32_t u = 0; u < n; u++) {
            near += (double)r->near[(int64_t)u * r->columns + c];
            far += (double)r->far[(int64_t)u * r->columns + c];
        }
        for (int32_t u = 0; u < n; u++) {
            const int64_t at = (int64_t)u * r->columns + c;
            const double g1 = near > 0 ? (double)r->near[at] / near : 0;
            const double g0 = far > 0 ? (double)r->far[at] / far : 0;
            const double some = .05 * (g0 + g1);

            r->other[at] = r->near[at];
            r->near[at] = g0 + g1 > 0 ? (float)log((some + g1) / (some + g0))
                                      : 0;
        }
    }
}

static kith_status score(run *r, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int32_t u = 0; u < r->t->n; u++)
        for (int c = 0; c < r->columns; c++)
            r->seeds[(int64_t)u * r->columns + c] = knows(r, u, c);
    TRY(spread(r, r->near, err));
    seed_negatives(r);
    TRY(spread(r, r->far, err));
    compare(r);
out:
    return st;
}

/* ---- what scores mean ---------------------------------------------------- */

/* Share of n sorted keys that are x or more, equal ones counting half. */
static double share_above(const uint32_t *sorted, int32_t n, float x)
{
    const uint32_t key = order_of(x);
    int32_t less = 0, most = n, upto;

    while (less < most) {
        const int32_t middle = less + (most - less) / 2;

        if (sorted[middle] < key)
            less = middle + 1;
        else
            most = middle;
    }
    for (upto = less; upto < n && sorted[upto] == key;)
        upto++;
    return n > 0 ? (n - upto + (upto - less) / 2.0) / n : 0;
}

/* Known nodes by the columns that do not know them, where these reach them. */
static int32_t hold_out(run *r, kith__held_positive *held)
{
    const kith__task *t = r->t;
    int32_t k = 0;

    for (int f = 0; f + 1 < r->columns; f++) {
        const int32_t n = sort_column(r, r->near, f + 1, false);

        for (int32_t l = 0; l < t->n_train; l++) {
            const int64_t at = (int64_t)t->train[l] * r->columns + f + 1;

            if (r->fold[t->train[l]] == f && r->other[at] > 0)
                held[k++] = (kith__held_positive){
                    r->near[at], share_above(r->sorted, n, r->near[at])};
        }
    }
    return k;
}

/* The share of positives among validation nodes, if they are of several
 * classes: those who name them know others.  Else 0. */
static double share_of(const kith__task *t, const kith__labelled_nodes *val)
{
    int32_t positive = 0;

    for (int32_t i = 0; i < val->n; i++)
        positive += val->truth[i] == t->truth[0];
    return positive < val->n ? (positive + 1.0) / (val->n + 2.0) : 0;
}

static kith_status put(kith__fit_state *s, const char *from,
                       const kith__positive_share *share, const double b[2],
                       kith_error *err)
{
    const bool told = strcmp(from, "not known") != 0;
    const bool estimated = strcmp(from, "estimated") == 0;

    if (!kith__fit_state_choose(s, "prevalence_from", from) ||
        (!isnan(share->auc) &&
         !kith__fit_state_set(s, "held_out_auc", share->auc)) ||
        (told && (!kith__fit_state_set(s, "prevalence", share->share) ||
                  !kith__fit_state_set(s, "b0", b[0]) ||
                  !kith__fit_state_set(s, "b1", b[1]))) ||
        (estimated &&
         (!kith__fit_state_set(s, "prevalence_low", share->low) ||
          !kith__fit_state_set(s, "prevalence_high", share->high))))
        return kith__no_memory(err);
    return KITH_OK;
}

static kith_status calibrate(run *r, const kith_params *p,
                             const kith__labelled_nodes *val,
                             kith__fit_state *state, kith_error *err)
{
    const double seen = share_of(r->t, val);
    const char *from = "estimated";
    kith_status st = KITH_OK;
    kith__held_positive *held = NULL;
    kith__positive_share share;
    double b[2] = {0, 1};
    float *x = NULL;
    int32_t k, n;

    TRY_NEW(held, kith__alloc(r->t->n_train, sizeof(*held)));
    k = hold_out(r, held);
    share = kith__estimate_share(held, k);
    if (p->prevalence > 0 || seen > 0) {
        from = p->prevalence > 0 ? "given" : "validation nodes";
        share.share = p->prevalence > 0 ? p->prevalence : seen;
    } else if (!kith__share_is_told(&share, k)) {
        from = "not known";
    }
    n = sort_column(r, r->near, 0, false);
    TRY_NEW(x, kith__alloc(n, sizeof(*x)));
    for (int32_t i = 0; i < n; i++)
        x[i] = float_of(r->sorted[i]);
    if (!kith__fit_sigmoid(x, n, held, k, share.share, &b[0], &b[1]))
        TRY(kith__no_memory(err));
    TRY(put(state, from, &share, b, err));
out:
    kith__free(x);
    kith__free(held);
    return st;
}

/* ---- beliefs ------------------------------------------------------------- */

static void put_row(const kith__task *t, double p, float *row)
{
    for (int c = 0; c < t->classes; c++)
        row[c] = (float)log(c == t->truth[0] ? p : (1 - p) / (t->classes - 1));
}

static void put_probabilities(const run *r, const kith__fit_state *s, float *P)
{
    const kith__task *t = r->t;
    const double share = kith__fit_state_number(s, "prevalence", .5);
    const double b0 = kith__fit_state_number(s, "b0", 0);
    const double b1 = kith__fit_state_number(s, "b1", 1);
    const double e = 1 / (t->n_train + 2.0);

    for (int32_t u = 0; u < t->n; u++) {
        const double x = (double)r->near[u];
        const double p = 1 / (1 + exp(-(b0 + b1 * x)));

        put_row(t, r->other[u] > 0 ? (1 - e) * p + e * share : share,
                P + (int64_t)u * t->classes);
    }
}

static void put_places(run *r, float *P)
{
    const kith__task *t = r->t;
    const int32_t n = sort_column(r, r->near, 0, true);

    for (int32_t u = 0; u < t->n; u++)
        put_row(t,
                ((1 - share_above(r->sorted, n, r->near[u])) * n + .5) /
                    (n + 1.0),
                P + (int64_t)u * t->classes);
}

kith_status kith__one_class_apply(const kith__task *task,
                                  const kith_features *features,
                                  const kith__fit_state *state,
                                  kith__beliefs *out, kith_error *err)
{
    const double iterations = kith__fit_state_number(state, "iterations", 100);
    kith_status st = KITH_OK;
    run r = {0};

    (void)features;
    TRY(begin(task, 1,
              iterations >= 1 && iterations <= 1000 ? (int32_t)iterations : 100,
              kith__fit_state_number(state, "tolerance", 1e-5), &r, err));
    TRY(score(&r, err));
    if (strcmp(kith__fit_state_text(state, "prevalence_from"), "not known") !=
        0)
        put_probabilities(&r, state, out->P);
    else
        put_places(&r, out->P);
    out->has_coupling = false;
    out->certificate = r.certificate;
    out->certificate.rho = (double)REACH;
out:
    release(&r);
    return st;
}

kith_status kith__one_class_fit(const kith__task *task,
                                const kith_features *features,
                                const kith_train_options *options,
                                const kith__labelled_nodes *val,
                                kith__fit_state *state, kith__beliefs *out,
                                kith_error *err)
{
    const kith_params *p = &options->params;
    kith_status st = KITH_OK;
    run r = {0};

    for (int32_t l = 1; l < task->n_train; l++)
        if (task->truth[l] != task->truth[0])
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                           "method '" KITH__ONE_CLASS
                           "' learns from labels of one class, there are "
                           "several: name another method"));
    if (!kith__fit_state_find(state, "prevalence_from")) {
        TRY(begin(task, COLUMNS, p->iterations, p->tolerance, &r, err));
        TRY(score(&r, err));
        TRY(calibrate(&r, p, val, state, err));
        if (!kith__fit_state_set(state, "iterations", p->iterations) ||
            !kith__fit_state_set(state, "tolerance", p->tolerance))
            TRY(kith__no_memory(err));
    }
    release(&r);
    r = (run){0};
    TRY(kith__one_class_apply(task, features, state, out, err));
out:
    release(&r);
    return st;
}

/* ---- what is told -------------------------------------------------------- */

bool kith_model_one_class(const kith_model *m, kith_one_class *out)
{
    const kith__fit_state *s = &m->state;
    const char *from;

    if (m->train.n == 0 || strcmp(m->method, KITH__ONE_CLASS) != 0)
        return false;
    from = kith__fit_state_text(s, "prevalence_from");
    out->known = m->train_class[0];
    out->prevalence = kith__fit_state_number(s, "prevalence", (double)NAN);
    out->low = kith__fit_state_number(s, "prevalence_low", (double)NAN);
    out->high = kith__fit_state_number(s, "prevalence_high", (double)NAN);
    out->probabilities = strcmp(from, "not known") != 0;
    out->estimated = strcmp(from, "estimated") == 0;
    return true;
}

kith_status kith__one_class_say(kith_model *m, int32_t n_train, kith_error *err)
{
    char line[400], share[160];
    kith_status st = KITH_OK;
    kith_one_class c;

    if (!kith_model_one_class(m, &c))
        return KITH_OK;
    if (!c.probabilities)
        kith__print(share, sizeof(share),
                    "how many of the others are cannot be told, so ranks "
                    "without probabilities; give --prevalence if you know");
    else if (c.estimated)
        kith__print(share, sizeof(share),
                    "of the others at most about %.2g are, an estimate (%.2g "
                    "to %.2g); give --prevalence if you know better",
                    c.prevalence, c.low, c.high);
    else
        kith__print(share, sizeof(share), "of the others %.3g are, by %s",
                    c.prevalence,
                    strcmp(kith__fit_state_text(&m->state, "prevalence_from"),
                           "given") == 0
                        ? "--prevalence"
                        : "the validation nodes");
    kith__print(line, sizeof(line), "all %d labels are of class %.60s: %s",
                (int)n_train, m->names[c.known], share);
    kith__free(m->why);
    TRY_NEW(m->why, kith__copy_string(line, strlen(line)));
out:
    return st;
}
