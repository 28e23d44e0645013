/*
 * suggest.c: which node to label next.  With features: suggest_features.c; here
 * of the graph alone.
 *
 * Beliefs as a Gaussian field over the nodes without a label: its covariance is
 * G = (I - h W)^-1, h = rho(H), labelled nodes left out of W since they stop
 * what others say.  With a_u = 1 - the largest probability of u a label at v
 * takes
 *
 *     y_v^2 / G_vv,     y = G a:   y = a + h W y
 *
 * of the variance of sum_u a_u p_u, all nodes counted at once (the "Sigma" of
 * Ma, Garnett, Schneider, NeurIPS 2013): much for the middle of an unknown
 * region, little for a node beside known ones or one that mirrors itself.  For
 * G_vv stands 1 / (1 - h^2 sum_u w_uv^2), exact on stars.  A node's score is
 * a_v y_v^2 / G_vv.  The one taken is then left out too, and y is solved again
 * from where it was; on large graphs after several, whose neighbours are passed
 * over meanwhile.
 *
 * Classes take turns, each as often as the model expects it: else what is
 * learnt next would see mostly the class of the hubs.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/softmax.h"
#include "kernels/spectral_bound.h"
#include "models/explain/suggest_features.h"
#include "models/model_object.h"

enum { FIRST_MOST = 60, AGAIN_MOST = 12, APPLICATIONS_MOST = 140 };
static const double LARGE = 4e6; /* stored neighbours */

typedef struct search {
    const kith_solution *s;
    const kith__operator *W;
    double h;
    float *a, *y, *next;
    float *loop;     /* sum_u w_uv^2 over nodes without a label */
    bool *open;      /* may be suggested */
    bool *done;      /* labelled, or suggested already */
    bool *crowded;   /* beside one that was, since the last solve */
    int32_t *likely; /* n: the likeliest class */
    double *share;   /* classes: of the nodes without a label, as expected */
    double *given;   /* classes: suggestions of that likeliest class */
    int32_t *best;   /* classes: the best node left of each */
} search;

/* to = a + h |W| from, 0 where there is a label. */
static float sweep(void *user, const float *from, float *to)
{
    enum { BLOCK = 256 };
    const search *x = user;
    const kith__operator *W = x->W;
    double most = 0;

#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 4) \
    reduction(max                                                     \
              : most)
    for (int32_t first = 0; first < W->n; first += BLOCK) {
        const int32_t last = W->n - first < BLOCK ? W->n : first + BLOCK;
        double sum[BLOCK];

        kith__operator_bound(W, first, last, from, sum);
        for (int32_t u = first; u < last; u++) {
            to[u] = x->done[u]
                        ? 0
                        : (float)((double)x->a[u] + x->h * sum[u - first]);
            most = fmax(most, fabs((double)to[u] - (double)from[u]));
        }
    }
    return (float)most;
}

static kith_status solve(search *x, int most, kith_error *err)
{
    const kith__stopping stopping = {.job = x->s->storage.task.job,
                                     .stage = "weighing",
                                     .most = most,
                                     .tolerance = 1e-3};
    kith_certificate unused;

    return kith__iterate_by(sweep, x, &stopping, x->W->n, x->y, x->next,
                            &unused, err);
}

/* sum_u w_uv^2 <= 1 */
static void find_loops(search *x)
{
    const kith__operator *W = x->W;

#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < W->n; u++) {
        double sum = 0;

        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
            if (!x->done[W->neighbours[p]])
                sum += pow(kith__operator_weight(W, u, p), 2);
        x->loop[u] = (float)fmin(sum, 1);
    }
}

static kith_status prepare(search *x, const int32_t *candidates, int32_t n,
                           kith_error *err)
{
    const kith__task *t = &x->s->storage.task;
    const int C = t->classes;
    kith_status st = KITH_OK;
    float *row = NULL;

    TRY_NEW(x->a, kith__alloc(t->n, sizeof(float)));
    TRY_NEW(x->loop, kith__alloc_zeroed(t->n, sizeof(float)));
    TRY_NEW(x->y, kith__alloc_zeroed(t->n, sizeof(float)));
    TRY_NEW(x->next, kith__alloc_zeroed(t->n, sizeof(float)));
    TRY_NEW(x->open, kith__alloc_zeroed(t->n, sizeof(bool)));
    TRY_NEW(x->done, kith__alloc_zeroed(t->n, sizeof(bool)));
    TRY_NEW(x->crowded, kith__alloc_zeroed(t->n, sizeof(bool)));
    TRY_NEW(x->likely, kith__alloc(t->n, sizeof(int32_t)));
    TRY_NEW(x->share, kith__alloc_zeroed(C, sizeof(double)));
    TRY_NEW(x->given, kith__alloc_zeroed(C, sizeof(double)));
    TRY_NEW(x->best, kith__alloc(C, sizeof(int32_t)));
    TRY_NEW(row, kith__alloc(C, sizeof(*row)));
    for (int32_t u = 0; u < t->n; u++) {
        int32_t best = 0;

        kith__probabilities(x->s->model, t, &x->s->b, u, 1, row);
        for (int32_t c = 0; c < C; c++)
            best = row[c] > row[best] ? c : best;
        x->likely[u] = best;
        x->done[u] = x->s->trained[u] >= 0;
        x->a[u] = x->done[u] ? 0 : 1 - row[best];
        for (int c = 0; c < C && !x->done[u]; c++)
            x->share[c] += (double)row[c] / (t->n - t->n_train);
        x->open[u] = !candidates;
    }
    for (int32_t i = 0; candidates && i < n; i++) {
        if (candidates[i] < 0 || candidates[i] >= t->n)
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                           "candidate %d, expected one of %d nodes",
                           (int)candidates[i], (int)t->n));
        x->open[candidates[i]] = true;
    }
out:
    kith__free(row);
    return st;
}

/* y_v^2 / G_vv */
static float influence(const search *x, int32_t v)
{
    const float h = (float)x->h;

    return x->y[v] * x->y[v] * (1 - h * h * x->loop[v]);
}

static float score(const search *x, int32_t v)
{
    return x->a[v] * influence(x, v);
}

/* The best node left of the class that is most behind its share, -1 if there
 * is none; `found` were suggested already. */
static int32_t best_left(const search *x, int32_t found)
{
    const int C = x->s->storage.task.classes;
    double most = -INFINITY;
    int32_t chosen = -1;

    for (int c = 0; c < C; c++)
        x->best[c] = -1;
    for (int32_t v = 0; v < x->W->n; v++) {
        int32_t *best = &x->best[x->likely[v]];

        if (x->open[v] && !x->done[v] && !x->crowded[v] &&
            score(x, v) > (*best < 0 ? 0 : score(x, *best)))
            *best = v;
    }
    for (int c = 0; c < C; c++) {
        const double behind = x->share[c] * (found + 1) - x->given[c];

        if (x->best[c] >= 0 && behind > most) {
            most = behind;
            chosen = x->best[c];
        }
    }
    return chosen;
}

static kith_suggestion take(search *x, int32_t v)
{
    const float y = influence(x, v);
    const kith_suggestion found = {.node = v,
                                   .score = (double)score(x, v),
                                   .uncertainty = (double)x->a[v],
                                   .influence = (double)y};

    x->done[v] = true;
    x->given[x->likely[v]]++;
    x->a[v] = x->y[v] = 0;
    for (int64_t p = x->W->rows[v]; p < x->W->rows[v + 1]; p++) {
        const int32_t u = x->W->neighbours[p];
        const double w = kith__operator_weight(x->W, v, p);

        x->crowded[u] = true;
        x->loop[u] = (float)fmax(0, (double)x->loop[u] - w * w);
    }
    return found;
}

static kith_status choose(search *x, int32_t count, kith_suggestion *out,
                          int32_t *found, kith_error *err)
{
    const bool large = (double)x->W->rows[x->W->n] > LARGE;
    const int32_t rounds = APPLICATIONS_MOST / AGAIN_MOST;
    const int32_t together = large ? (count + rounds - 1) / rounds : 1;
    kith_status st = KITH_OK;

    find_loops(x);
    TRY(solve(x, FIRST_MOST, err));
    while (*found < count) {
        const int32_t v = best_left(x, *found);

        if (v < 0)
            break;
        out[(*found)++] = take(x, v);
        if (*found % together == 0 && *found < count) {
            memset(x->crowded, 0, (size_t)x->W->n * sizeof(bool));
            TRY(solve(x, AGAIN_MOST, err));
        }
    }
out:
    return st;
}

kith_status kith_suggest(const kith_solution *s, const int32_t *candidates,
                         int32_t n, int32_t count, kith_suggestion *out,
                         int32_t *found, kith_error *err)
{
    search x = {.s = s, .W = &s->op};
    kith_status st = KITH_OK;

    *found = 0;
    x.h = s->b.has_coupling
              ? fmin(.95,
                     kith__rho_small(s->b.coupling, s->storage.task.classes))
              : .8;
    TRY(prepare(&x, candidates, n, err));
    if (s->data->features && s->data->features->columns > 0)
        TRY(kith__suggest_by_features(s, x.a, x.open, x.h, count, out, found,
                                      err));
    else
        TRY(choose(&x, count, out, found, err));
out:
    kith__free(x.a);
    kith__free(x.likely);
    kith__free(x.share);
    kith__free(x.given);
    kith__free(x.best);
    kith__free(x.loop);
    kith__free(x.y);
    kith__free(x.next);
    kith__free(x.open);
    kith__free(x.done);
    kith__free(x.crowded);
    return st;
}
