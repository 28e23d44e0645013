#include "models/lcm_trees/coupling_views.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "graph/graph_object.h"
#include "kernels/softmax.h"

enum { BLOCKS = 5 };

/* V and what it is made of. */
typedef struct views {
    const kith__task *task;
    int32_t columns; /* of V */
    float *V;        /* n x columns, the caller's */
    float *T, *Y;    /* n x C: T, and what an operator makes of it */
    float *ones, *d; /* n: 1, and degrees */
    float *prior;    /* C */
} views;

static void release(views *v)
{
    kith__free(v->T);
    kith__free(v->Y);
    kith__free(v->ones);
    kith__free(v->d);
    kith__free(v->prior);
}

static kith_status views_new(const kith__task *t, views *v, kith_error *err)
{
    const int64_t cells = (int64_t)t->n * t->classes;
    kith_status st = KITH_OK;
    kith__operator A;

    v->task = t;
    v->columns = kith__coupling_columns(t->classes);
    TRY_NEW(v->T, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(v->Y, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(v->ones, kith__alloc(t->n, sizeof(float)));
    TRY_NEW(v->d, kith__alloc(t->n, sizeof(float)));
    TRY_NEW(v->prior, kith__alloc_zeroed(t->classes, sizeof(float)));
    for (int32_t u = 0; u < t->n; u++)
        v->ones[u] = 1;
    A = kith__adjacency(&t->W, t->graph, v->ones);
    A = kith__scaled(&A, 1, 1);
    kith__operator_apply(&A, 0, t->n, v->ones, NULL, v->d);
    for (int32_t l = 0; l < t->n_train; l++)
        v->prior[t->truth[l]] += 1 / (float)t->n_train;
out:
    return st;
}

/* Y = M X */
static void mean(const views *v, const float *X, float *Y)
{
    const kith__task *t = v->task;
    const int C = t->classes;
    kith__operator A = kith__adjacency(&t->W, t->graph, v->ones);

    A = kith__scaled(&A, C, 1);
    kith__operator_apply(&A, 0, t->n, X, NULL, Y);
    for (int64_t u = 0; u < t->n; u++)
        for (int c = 0; c < C; c++)
            Y[u * C + c] = v->d[u] > 0 ? Y[u * C + c] / v->d[u] : 0;
}

/* Block `which` of V becomes X. */
static void put(views *v, int which, const float *X)
{
    const int C = v->task->classes;

    for (int64_t u = 0; u < v->task->n; u++)
        memcpy(v->V + u * v->columns + (int64_t)which * C, X + u * C,
               (size_t)C * sizeof(*X));
}

/* Block `which` less R T: r_u = sum_v a_uv a_vu / (d_u d_v). */
static void without_return(views *v, int which)
{
    const kith__task *t = v->task;
    const kith_graph *g = t->graph;
    const int C = t->classes;

    for (int32_t u = 0; u < t->n; u++) {
        float *row = v->V + (int64_t)u * v->columns + (int64_t)which * C;
        double r = 0;

        for (int64_t p = g->rows[u]; p < g->rows[u + 1]; p++) {
            const double a = g->weights ? (double)g->weights[p] : 1;

            r += a * a / ((double)v->d[u] * (double)v->d[g->neighbours[p]]);
        }
        for (int c = 0; c < C; c++)
            row[c] -= (float)r * v->T[(int64_t)u * C + c];
    }
}

/* T of a training node: its label, less the prior. */
static void label_rows(const views *v, float *T)
{
    const kith__task *t = v->task;

    for (int32_t l = 0; l < t->n_train; l++)
        for (int c = 0; c < t->classes; c++)
            T[(int64_t)t->train[l] * t->classes + c] =
                (float)(c == t->truth[l]) - v->prior[c];
}

/* V from the logits Z of the trees, which become log q. */
static kith_status look_around(views *v, float *Z, kith_error *err)
{
    const kith__task *t = v->task;
    const int C = t->classes;
    const int64_t cells = (int64_t)t->n * C;
    const kith__operator W = kith__scaled(&t->W, C, 1);
    kith_status st = KITH_OK;
    float *MT = NULL;

    TRY_NEW(MT, kith__alloc_big(cells, sizeof(*MT)));
    kith__softmax_rows(Z, t->n, C, 1, v->T, t->threads);
    for (int64_t i = 0; i < cells; i++)
        Z[i] = logf(fmaxf(v->T[i], 1e-12f));
    put(v, 0, Z);
    for (int64_t i = 0; i < cells; i++)
        v->T[i] -= v->prior[i % C];
    label_rows(v, v->T);
    mean(v, v->T, MT);
    put(v, 1, MT);
    kith__operator_apply(&W, 0, t->n, v->T, NULL, v->Y);
    put(v, 2, v->Y);
    mean(v, MT, v->Y);
    put(v, 3, v->Y);
    without_return(v, 3);
    memset(MT, 0, (size_t)cells * sizeof(*MT));
    label_rows(v, MT);
    mean(v, MT, v->Y);
    put(v, 4, v->Y);
    for (int64_t u = 0; u < t->n; u++)
        v->V[u * v->columns + (int64_t)BLOCKS * C] = log1pf(v->d[u]);
out:
    kith__free(MT);
    return st;
}

int32_t kith__coupling_columns(int classes)
{
    return BLOCKS * classes + 1;
}

kith_status kith__coupling_views(const kith__task *task, float *Z, float *V,
                                 kith_error *err)
{
    kith_status st = KITH_OK;
    views v = {.V = V};

    TRY(views_new(task, &v, err));
    TRY(look_around(&v, Z, err));
out:
    release(&v);
    return st;
}
