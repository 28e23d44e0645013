#include "models/explain/contributions.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/job.h"

enum { CHUNK = 4096, STEPS_MOST = 500 };
static const double NOTHING = 1e-9;  /* of the largest term so far */
static const double NOWHERE = 1e-12; /* of what is passed on, times H^j t */

/* The arrays of one call. */
typedef struct passes {
    const kith_solution *s;
    float *X, *next;      /* n x count */
    float *worth;         /* n: q_v H^j t */
    double *h;            /* 2 x classes: H^j t, and room for the next */
    double *partial;      /* chunks x count: others, summed in this order */
    double largest, last; /* |terms| of all steps, of this one */
} passes;

kith_status kith__contributions_new(const kith_solution *s,
                                    kith__contributions *c, kith_error *err)
{
    kith_status st = KITH_OK;
    const int64_t cells = (int64_t)s->storage.task.n_train * KITH__TOGETHER;

    TRY_NEW(c->labelled, kith__alloc(cells, sizeof(*c->labelled)));
out:
    return st;
}

void kith__contributions_release(kith__contributions *c)
{
    kith__free(c->labelled);
    *c = (kith__contributions){0};
}

static int32_t chunks_of(int32_t n)
{
    return n / CHUNK + 1;
}

static kith_status passes_new(const kith_solution *s, int count,
                              const double *to, passes *x, kith_error *err)
{
    const kith__task *t = &s->storage.task;
    const int64_t cells = (int64_t)t->n * count;
    kith_status st = KITH_OK;

    x->s = s;
    TRY_NEW(x->X, kith__alloc_zeroed(cells, sizeof(*x->X)));
    TRY_NEW(x->next, kith__alloc_big(cells, sizeof(*x->next)));
    TRY_NEW(x->worth, kith__alloc_big(t->n, sizeof(*x->worth)));
    TRY_NEW(x->h, kith__alloc(2 * (int64_t)t->classes, sizeof(*x->h)));
    TRY_NEW(x->partial, kith__alloc((int64_t)chunks_of(t->n) * KITH__TOGETHER,
                                    sizeof(*x->partial)));
    memcpy(x->h, to, (size_t)t->classes * sizeof(*to));
out:
    return st;
}

static void passes_release(passes *x)
{
    kith__free(x->X);
    kith__free(x->next);
    kith__free(x->worth);
    kith__free(x->h);
    kith__free(x->partial);
}

/* h <- H h */
static void next_coupling(passes *x)
{
    const int C = x->s->storage.task.classes;
    double *to = x->h + C;

    for (int i = 0; i < C; i++) {
        to[i] = 0;
        for (int c = 0; c < C; c++)
            to[i] += kith__coupling_at(&x->s->op, 0, i, c) * x->h[c];
    }
    memcpy(x->h, to, (size_t)C * sizeof(*to));
}

static void find_worth(passes *x)
{
    const kith__task *t = &x->s->storage.task;
    const int C = t->classes;

#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int32_t v = 0; v < t->n; v++) {
        double sum = 0;

        for (int c = 0; c < C; c++)
            sum += (double)x->s->b.Q[(int64_t)v * C + c] * x->h[c];
        x->worth[v] = (float)sum;
    }
}

/* One step's terms of the training nodes and of the nodes themselves. */
static void add_labelled(passes *x, kith__contributions *c)
{
    const kith__task *t = &x->s->storage.task;

    for (int32_t l = 0; l < t->n_train; l++) {
        const int32_t v = t->train[l];

        for (int i = 0; i < c->count; i++) {
            const double a = (double)x->X[(int64_t)v * c->count + i] *
                             (double)x->worth[v];

            if (v != c->node[i])
                c->labelled[(int64_t)l * KITH__TOGETHER + i] += a;
            x->last = fmax(x->last, fabs(a));
        }
    }
    for (int i = 0; i < c->count; i++) {
        const int32_t u = c->node[i];

        c->itself[i] += (double)x->X[(int64_t)u * c->count + i] *
                        (double)x->worth[u];
    }
}

/* One step's terms of all other nodes, in chunks that depend on n alone. */
static void add_others(passes *x, kith__contributions *c)
{
    const kith__task *t = &x->s->storage.task;
    const int32_t chunks = chunks_of(t->n);

#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int32_t k = 0; k < chunks; k++) {
        const int32_t from = k * CHUNK;
        const int32_t end = t->n - from < CHUNK ? t->n : from + CHUNK;
        double *sum = x->partial + (int64_t)k * KITH__TOGETHER;

        memset(sum, 0, KITH__TOGETHER * sizeof(*sum));
        for (int32_t v = from; v < end; v++)
            for (int i = 0; x->s->trained[v] < 0 && i < c->count; i++)
                if (v != c->node[i])
                    sum[i] += (double)x->X[(int64_t)v * c->count + i] *
                              (double)x->worth[v];
    }
    for (int32_t k = 0; k < chunks; k++)
        for (int i = 0; i < c->count; i++) {
            const double a = x->partial[(int64_t)k * KITH__TOGETHER + i];

            c->others[i] += a;
            x->last = fmax(x->last, fabs(a));
        }
}

/* The largest number that is passed on. */
static double largest_passed(const passes *x, int count)
{
    const int64_t cells = (int64_t)x->s->storage.task.n * count;
    float most = 0;

#pragma omp parallel for num_threads(x->s->storage.task.threads) \
    schedule(static) reduction(max                               \
                               : most)
    for (int64_t i = 0; i < cells; i++)
        most = fmaxf(most, fabsf(x->X[i]));
    return (double)most;
}

/*
 * May a fixed point's sum end?  Terms are 0 until labels are reached, and on a
 * graph of two sides in every second step.
 */
static bool spent(const passes *x, int count, double before)
{
    double size = 0;

    if (x->largest > 0)
        return fmax(x->last, before) <= NOTHING * x->largest;
    for (int c = 0; c < x->s->storage.task.classes; c++)
        size = fmax(size, fabs(x->h[c]));
    return size * largest_passed(x, count) <= NOWHERE;
}

static void step(passes *x, const kith__operator *W)
{
    float *swap = x->X;

    kith__operator_apply(W, 0, W->n, x->X, NULL, x->next);
    x->X = x->next;
    x->next = swap;
    next_coupling(x);
}

static kith_status run(passes *x, kith__contributions *c, kith_error *err)
{
    const kith_solution *s = x->s;
    const bool fixed = s->b.linear == KITH__FIXED_POINT;
    const int steps = fixed ? STEPS_MOST : s->b.certificate.iterations;
    const kith__operator W = kith__scaled(&s->op, c->count, 1);
    kith_status st = KITH_OK;

    for (int j = 0; j <= steps; j++) {
        const double before = x->last;

        x->last = 0;
        if (j > 0 || !s->b.self_term) {
            find_worth(x);
            add_labelled(x, c);
            add_others(x, c);
        }
        x->largest = fmax(x->largest, x->last);
        if (j == steps || (fixed && j > 1 && spent(x, c->count, before)))
            break;
        TRY(kith__progress(s->storage.task.job, "finding reasons", j, steps,
                           "iterations", err));
        step(x, &W);
    }
out:
    return st;
}

kith_status kith__contribute(const kith_solution *s, const double *to,
                             kith__contributions *c, kith_error *err)
{
    kith_status st = KITH_OK;
    passes x = {0};

    memset(c->itself, 0, sizeof(c->itself));
    memset(c->others, 0, sizeof(c->others));
    memset(c->labelled, 0,
           (size_t)s->storage.task.n_train * KITH__TOGETHER *
               sizeof(*c->labelled));
    TRY(passes_new(s, c->count, to, &x, err));
    for (int i = 0; i < c->count; i++)
        x.X[(int64_t)c->node[i] * c->count + i] = 1;
    TRY(run(&x, c, err));
out:
    passes_release(&x);
    return st;
}
