/*
 * suggest.c: which node to label next.
 *
 * A label changes beliefs as far as the operator carries it.  With a_u the
 * uncertainty of node u (1 - its largest probability, 0 once it is labelled)
 * and h = rho(H), the adjoint solve
 *
 *     y = a + h W y        over nodes without a label
 *
 * gives y_v: how much uncertainty a label at v would reach, all nodes counted
 * at once.  Labelled nodes are left out of W, since they stop what others say
 * (the conditioning of Gaussian fields).  A node's score is a_v y_v.  The one
 * taken is then left out too, and y is solved again from where it was; on large
 * graphs after several, whose neighbours are passed over meanwhile.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/softmax.h"
#include "kernels/spectral.h"
#include "models/model_object.h"
#include "models/solution.h"

enum { FIRST_MOST = 60, AGAIN_MOST = 12, APPLICATIONS_MOST = 140 };
static const double LARGE = 4e6; /* stored neighbours */

typedef struct search {
    const kith_solution *s;
    const kith__coupled *W;
    double h;
    float *a, *y, *next;
    bool *open;    /* may be suggested */
    bool *done;    /* labelled, or suggested already */
    bool *crowded; /* beside one that was, since the last solve */
} search;

static void sweep(search *x, double *change)
{
    const kith__coupled *W = x->W;
    double most = 0;

#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 1024) \
    reduction(max                                                        \
              : most)
    for (int32_t u = 0; u < W->n; u++) {
        double sum = 0;

        x->next[u] = 0;
        if (x->done[u])
            continue;
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
            sum += fabs(kith__weight_at(W, u, p)) *
                   (double)x->y[W->neighbours[p]];
        x->next[u] = (float)((double)x->a[u] + x->h * sum);
        most = fmax(most, fabs((double)x->next[u] - (double)x->y[u]));
    }
    *change = most;
}

static kith_status solve(search *x, int most, kith_error *err)
{
    double change = 1;
    kith_status st = KITH_OK;

    for (int i = 0; i < most && change > 1e-3; i++) {
        float *swap = x->y;

        sweep(x, &change);
        x->y = x->next;
        x->next = swap;
        TRY(kith__progress(x->s->setting.task.job, "weighing", i + 1, most,
                           "iterations", err));
    }
out:
    return st;
}

static kith_status prepare(search *x, const int32_t *candidates, int32_t n,
                           kith_error *err)
{
    const kith__task *t = &x->s->setting.task;
    const int C = t->classes;
    kith_status st = KITH_OK;
    float *row = NULL;

    TRY_NEW(x->a, kith__alloc(t->n, sizeof(float)));
    TRY_NEW(x->y, kith__alloc_zeroed(t->n, sizeof(float)));
    TRY_NEW(x->next, kith__alloc_zeroed(t->n, sizeof(float)));
    TRY_NEW(x->open, kith__alloc_zeroed(t->n, sizeof(bool)));
    TRY_NEW(x->done, kith__alloc_zeroed(t->n, sizeof(bool)));
    TRY_NEW(x->crowded, kith__alloc_zeroed(t->n, sizeof(bool)));
    TRY_NEW(row, kith__alloc(C, sizeof(*row)));
    for (int32_t u = 0; u < t->n; u++) {
        float best = 0;

        kith__softmax_rows(x->s->b.P + (int64_t)u * C, 1, C,
                           x->s->model->temperature, row, 1);
        for (int c = 0; c < C; c++)
            best = fmaxf(best, row[c]);
        x->done[u] = x->s->trained[u] >= 0;
        x->a[u] = x->done[u] ? 0 : 1 - best;
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

/* The best node left, -1 if there is none. */
static int32_t best_left(const search *x)
{
    int32_t best = -1;
    float most = -1;

    for (int32_t v = 0; v < x->W->n; v++)
        if (x->open[v] && !x->done[v] && !x->crowded[v] &&
            x->a[v] * x->y[v] > most) {
            best = v;
            most = x->a[v] * x->y[v];
        }
    return best;
}

static kith_suggestion take(search *x, int32_t v)
{
    const kith_suggestion found = {.node = v,
                                   .score = (double)(x->a[v] * x->y[v]),
                                   .uncertainty = (double)x->a[v],
                                   .influence = (double)x->y[v]};

    x->done[v] = true;
    x->a[v] = x->y[v] = 0;
    for (int64_t p = x->W->rows[v]; p < x->W->rows[v + 1]; p++)
        x->crowded[x->W->neighbours[p]] = true;
    return found;
}

static kith_status choose(search *x, int32_t count, kith_suggestion *out,
                          int32_t *found, kith_error *err)
{
    const bool large = (double)x->W->rows[x->W->n] > LARGE;
    const int32_t rounds = APPLICATIONS_MOST / AGAIN_MOST;
    const int32_t together = large ? (count + rounds - 1) / rounds : 1;
    kith_status st = KITH_OK;

    TRY(solve(x, FIRST_MOST, err));
    while (*found < count) {
        const int32_t v = best_left(x);

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
    search x = {.s = s, .W = &s->W};
    kith_status st = KITH_OK;

    *found = 0;
    x.h = s->b.has_coupling
              ? fmin(.95,
                     kith__rho_small(s->b.coupling, s->setting.task.classes))
              : .8;
    TRY(prepare(&x, candidates, n, err));
    TRY(choose(&x, count, out, found, err));
out:
    kith__free(x.a);
    kith__free(x.y);
    kith__free(x.next);
    kith__free(x.open);
    kith__free(x.done);
    kith__free(x.crowded);
    return st;
}
