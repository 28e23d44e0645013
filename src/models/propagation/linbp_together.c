/*
 * linbp_together.c: LinBP of T tasks of two classes.
 *
 * Two centred classes are one column: with p = (-x, x) and the starting
 * coupling H = rho (I - 11'/2),
 *
 *     x <- q + rho W x,     q_u = w_1/2 of a node of the class, -w_0/2 not of
 *                           it, 0 of others
 *
 * so that T tasks are T columns X of one step Y = Q + rho W X: a neighbour's
 * row of eight floats is gathered for hardly more than one of two.
 */
#include "models/propagation/linbp_together.h"

#include <string.h>

#include "core/alloc.h"
#include "models/evidence.h"

static kith_status propagate(const kith__operator *W, int columns,
                             const kith__stopping *stopping, const float *Q,
                             float *X, kith_certificate *c, kith_error *err)
{
    const kith__operator op = kith__scaled(W, columns, kith__rho_start(2));
    const int64_t cells = (int64_t)W->n * columns;
    kith_status st = KITH_OK;
    float *other = NULL;

    TRY_NEW(other, kith__alloc_big(cells, sizeof(*other)));
    memcpy(X, Q, (size_t)cells * sizeof(*X));
    TRY(kith__iterate(&op, stopping, Q, X, other, c, err));
out:
    kith__free(other);
    return st;
}

kith_status kith__linbp_together(const kith__operator *W,
                                 const kith__column_labels *labels, int count,
                                 const kith__stopping *stopping, float *P,
                                 kith_certificate *c, kith_error *err)
{
    const int64_t cells = (int64_t)W->n * count;
    kith_status st = KITH_OK;
    float *Q = NULL;

    TRY_NEW(Q, kith__alloc_big(cells, sizeof(*Q)));
    memset(Q, 0, (size_t)cells * sizeof(*Q));
    for (int t = 0; t < count; t++)
        for (int32_t i = 0; i < labels[t].n; i++) {
            const int is = labels[t].is[i];

            Q[(int64_t)labels[t].node[i] * count + t] = (is ? .5f : -.5f) *
                                                        labels[t].weight[is];
        }
    TRY(propagate(W, count, stopping, Q, P, c, err));
    c->rho = W->rho * (double)kith__rho_start(2);
out:
    kith__free(Q);
    return st;
}

kith_status kith__linbp_mass(const kith__operator *W, const int32_t *node,
                             int32_t n_node, const kith__stopping *stopping,
                             float *S, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_certificate unused;
    float *own = NULL;

    TRY_NEW(own, kith__alloc_big(W->n, sizeof(*own)));
    memset(own, 0, (size_t)W->n * sizeof(*own));
    for (int32_t i = 0; i < n_node; i++)
        own[node[i]] = 1;
    TRY(propagate(W, 1, stopping, own, S, &unused, err));
out:
    kith__free(own);
    return st;
}
