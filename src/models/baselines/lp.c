/*
 * lp.c: label propagation with seeds kept (Zhu, Ghahramani, CMU-CALD-02-107,
 * 2002): the harmonic function of the labels.
 *
 *     F_u = ( sum_v a_uv F_v ) / d_u    for nodes without a label
 *     F_l = one-hot                     for training nodes, always
 *
 * from F = the classes' shares among the training nodes; iterated until no
 * value changes by more than the tolerance.  A node that no label reaches keeps
 * those shares.  Nothing is learnt; validation nodes may choose the number of
 * iterations, as few of them stay near the seeds.
 *
 *   P = log F.   Cost of an iteration: O(m classes)
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "models/baselines/net_method.h"

enum { MOST = 1000 };

/* The number of iterations that validation may choose; then all of them. */
static const int32_t counts[] = {5, 10, 20, 50, 100, MOST};

typedef struct spread {
    const kith__task *task;
    kith__operator W; /* 1 per edge, or the edge's weight */
    float *ones;
    float *F, *next; /* n x classes */
    int32_t done;
    float change;
} spread;

static void release(spread *s)
{
    kith__free(s->ones);
    kith__free(s->F);
    kith__free(s->next);
}

static void keep_seeds(const kith__task *t, float *F)
{
    for (int32_t l = 0; l < t->n_train; l++) {
        float *f = F + (int64_t)t->train[l] * t->classes;

        memset(f, 0, (size_t)t->classes * sizeof(*f));
        f[t->truth[l]] = 1;
    }
}

static kith_status start(const kith__task *t, spread *s, kith_error *err)
{
    const int C = t->classes;
    kith_status st = KITH_OK;
    float *share = NULL;

    s->task = t;
    TRY_NEW(share, kith__alloc_zeroed(C, sizeof(*share)));
    TRY_NEW(s->F, kith__alloc_big((int64_t)t->n * C, sizeof(float)));
    TRY_NEW(s->next, kith__alloc_big((int64_t)t->n * C, sizeof(float)));
    TRY_NEW(s->ones, kith__alloc(t->n, sizeof(float)));
    for (int32_t u = 0; u < t->n; u++)
        s->ones[u] = 1;
    s->W = kith__adjacency(&t->W, t->graph, s->ones);
    for (int32_t l = 0; l < t->n_train; l++)
        share[t->truth[l]] += 1 / (float)t->n_train;
    for (int32_t u = 0; u < t->n; u++)
        memcpy(s->F + (int64_t)u * C, share, (size_t)C * sizeof(float));
    keep_seeds(t, s->F);
out:
    kith__free(share);
    return st;
}

/* One iteration; each row is divided by its sum, which is d_u. */
static float step(spread *s)
{
    const int C = s->task->classes;
    float *swap = s->F, change = 0;

#pragma omp parallel for num_threads(s->task->threads) schedule(dynamic, 256)
    for (int32_t u = 0; u < s->task->n; u++) {
        float *f = s->next + (int64_t)u * C, sum = 0;

        kith__neighbour_sum(&s->W, s->F, C, u, f);
        for (int c = 0; c < C; c++)
            sum += f[c];
        for (int c = 0; c < C; c++)
            f[c] = sum > 0 ? f[c] / sum : s->F[(int64_t)u * C + c];
    }
    keep_seeds(s->task, s->next);
#pragma omp parallel for num_threads(s->task->threads) schedule(static) \
    reduction(max                                                       \
              : change)
    for (int64_t i = 0; i < (int64_t)s->task->n * C; i++)
        change = fmaxf(change, fabsf(s->next[i] - s->F[i]));
    s->F = s->next;
    s->next = swap;
    s->done++;
    return change;
}

static kith_status iterate(spread *s, int32_t until, double tolerance,
                           kith_error *err)
{
    kith_status st = KITH_OK;

    while (s->done < until &&
           !(s->done > 0 && (double)s->change <= tolerance)) {
        TRY(kith__progress(s->task->job, "propagating", s->done, until,
                           "iterations", err));
        s->change = step(s);
    }
out:
    return st;
}

static void logarithms(const spread *s, float *P)
{
#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int64_t i = 0; i < (int64_t)s->task->n * s->task->classes; i++)
        P[i] = logf(fmaxf(s->F[i], 1e-12f));
}

/* The number of iterations with the best accuracy, then log-loss. */
static kith_status choose(const kith__task *task, double tolerance,
                          const kith__labelled_nodes *val, float *P,
                          int32_t *chosen, kith_error *err)
{
    double accuracy = -1, loss = HUGE_VAL;
    kith_status st = KITH_OK;
    spread s = {0};

    TRY(start(task, &s, err));
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        double a, l;

        TRY(iterate(&s, counts[i], tolerance, err));
        logarithms(&s, P);
        a = kith__accuracy(P, task->classes, val);
        l = kith__log_loss(P, task->classes, val,
                           kith__fit_temperature(P, task->classes, val));
        if (a < accuracy || (a == accuracy && !(l < loss)))
            continue;
        accuracy = a;
        loss = l;
        *chosen = counts[i];
    }
out:
    release(&s);
    return st;
}

kith_status kith__lp_apply(const kith__task *task,
                           const kith_features *features,
                           const kith__fit_state *state, kith__beliefs *out,
                           kith_error *err)
{
    const double most = kith__fit_state_number(state, "iterations", MOST);
    const double tolerance = kith__fit_state_number(state, "tolerance", 1e-5);
    kith_status st = KITH_OK;
    spread s = {0};

    (void)features;
    TRY(start(task, &s, err));
    TRY(iterate(&s, most >= 1 && most <= MOST ? (int32_t)most : MOST, tolerance,
                err));
    logarithms(&s, out->P);
    out->has_coupling = false;
    out->certificate = (kith_certificate){.rho = (double)NAN,
                                          .residual = (double)s.change,
                                          .iterations = s.done,
                                          .converged = (double)s.change <=
                                                       tolerance};
out:
    release(&s);
    return st;
}

kith_status kith__lp_fit(const kith__task *task, const kith_features *features,
                         const kith_train_options *options,
                         const kith__labelled_nodes *val,
                         kith__fit_state *state, kith__beliefs *out,
                         kith_error *err)
{
    const bool fixed = options->fixed & KITH_FIX_ITERATIONS;
    int32_t most = options->params.iterations;
    kith_status st = KITH_OK;

    if (kith__may_choose(options, val, state) && !fixed)
        TRY(choose(task, options->params.tolerance, val, out->P, &most, err));
    if (state->n == 0 &&
        (!kith__fit_state_set(state, "iterations", most) ||
         !kith__fit_state_set(state, "tolerance", options->params.tolerance)))
        TRY(kith__no_memory(err));
    TRY(kith__lp_apply(task, features, state, out, err));
out:
    return st;
}
