/*
 * push_change.c: a change of few rows, pushed along the edges.
 *
 *     R_0 = the change of Q,    P += R_j,    R_j+1 = W R_j H
 *
 * Rows of R that hardly matter stay where they are until more has come to them:
 * a sum of walks is the same in any order, but for the walks of `most` edges.
 *
 * Choices: rounds, not a queue, so that the order of sums depends on nothing
 * but the numbers of nodes, and so that a round over most of the graph can be
 * the operator's pass, which is many times faster an edge.
 */
#include "kernels/push_change.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"

/* A pass over all edges costs as much as walking from rows with this part. */
enum { WALKS_A_PASS = 8 };

typedef struct change {
    const kith__operator *op;
    float *P, *R, *A; /* A: what is passed on in this round */
    double tolerance;
    int64_t columns, few; /* stored neighbours that are few */
    int32_t *rows;        /* to be passed on, ascending */
    int32_t *touched;
    int32_t count;
} change;

/* Has enough come to row u to be passed on? */
static bool matters(const change *c, int32_t u)
{
    const float *r = c->R + u * c->columns, *p = c->P + u * c->columns;
    float came = 0, there = 0;

    for (int64_t i = 0; i < c->columns; i++) {
        came = fmaxf(came, fabsf(r[i]));
        there = fmaxf(there, fabsf(p[i]));
    }
    return came > 0 && (double)came > c->tolerance * (double)there;
}

static int64_t edges_of(const change *c)
{
    int64_t edges = 0;

    for (int32_t i = 0; i < c->count; i++)
        edges += c->op->rows[c->rows[i] + 1] - c->op->rows[c->rows[i]];
    return edges;
}

/* Pass on the rows listed, then list those to which enough came. */
static void walk(change *c)
{
    const size_t row = (size_t)c->columns * sizeof(float);
    int64_t n;
    int32_t left;

    for (int32_t i = 0; i < c->count; i++) {
        const int64_t at = c->rows[i] * c->columns;

        memcpy(c->A + at, c->R + at, row);
        memset(c->R + at, 0, row);
        for (int64_t j = 0; j < c->columns; j++)
            c->P[at + j] += c->A[at + j];
    }
    n = kith__operator_push(c->op, c->rows, c->count, c->A, c->R, c->touched);
    left = kith__sort_once(c->touched, n);
    c->count = 0;
    for (int32_t i = 0; i < left; i++)
        if (matters(c, c->touched[i]))
            c->rows[c->count++] = c->touched[i];
}

static void add_all(const change *c)
{
#pragma omp parallel for num_threads(c->op->threads) schedule(static)
    for (int64_t i = 0; i < c->op->n * c->columns; i++)
        c->P[i] += c->R[i];
}

/* Pass on all rows. */
static void pass(change *c)
{
    float *swap = c->A;

    add_all(c);
    c->A = c->R;
    c->R = swap;
    (void)kith__operator_apply(c->op, 0, c->op->n, c->A, NULL, c->R);
    c->count = 0;
    for (int32_t u = 0; u < c->op->n; u++)
        if (matters(c, u))
            c->rows[c->count++] = u;
}

kith_status kith__push_change(const kith__operator *op,
                              const kith__stopping *stopping,
                              const int32_t *rows, int32_t count, float *R,
                              float *P, kith__pushed *told, kith_error *err)
{
    const int64_t all = op->rows[op->n];
    kith_status st = KITH_OK;
    float *A = NULL;
    change c = {.op = op,
                .P = P,
                .R = R,
                .tolerance = stopping->tolerance,
                .columns = kith__columns(op),
                .few = all / WALKS_A_PASS};

    *told = (kith__pushed){0};
    TRY_NEW(A, kith__alloc_big(op->n * c.columns, sizeof(*A)));
    TRY_NEW(c.rows, kith__alloc(op->n, sizeof(*c.rows)));
    TRY_NEW(c.touched, kith__alloc(c.few, sizeof(*c.touched)));
    c.A = A;
    for (int32_t i = 0; i < count; i++)
        if (matters(&c, rows[i]))
            c.rows[c.count++] = rows[i];
    for (; c.count > 0 && told->rounds < stopping->most; told->rounds++) {
        const int64_t edges = edges_of(&c);

        if (stopping->stage)
            TRY(kith__progress(stopping->job, stopping->stage, told->rounds,
                               stopping->most, "steps", err));
        told->edges += edges > c.few ? all : edges;
        if (edges > c.few)
            pass(&c);
        else
            walk(&c);
    }
    add_all(&c);
out:
    kith__free(A);
    kith__free(c.rows);
    kith__free(c.touched);
    return st;
}
