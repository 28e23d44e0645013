#include "models/explain/around.h"

#include "core/alloc.h"

enum { NEIGHBOUR = 1, NEIGHBOURS_OWN = 2 }; /* bits of a mark */

kith_status kith__around_new(const kith_solution *s, kith__around *a,
                             kith_error *err)
{
    const kith__task *t = &s->storage.task;
    kith_status st = KITH_OK;

    TRY_NEW(a->steps, kith__alloc(t->n_train, sizeof(*a->steps)));
    TRY_NEW(a->mark, kith__alloc_zeroed(t->n, sizeof(*a->mark)));
out:
    return st;
}

void kith__around_release(kith__around *a)
{
    kith__free(a->steps);
    kith__free(a->mark);
    *a = (kith__around){0};
}

static int64_t degree(const kith__operator *W, int32_t u)
{
    return W->rows[u + 1] - W->rows[u];
}

/* Set bits at the neighbours of u, or clear their marks. */
static void mark_neighbours(const kith__operator *W, int32_t u, uint8_t bits,
                            uint8_t *mark)
{
    for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
        if (bits)
            mark[W->neighbours[p]] |= bits;
        else
            mark[W->neighbours[p]] = 0;
}

static void mark_second(const kith__operator *W, int32_t u, uint8_t bits,
                        uint8_t *mark)
{
    for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
        mark_neighbours(W, W->neighbours[p], bits, mark);
}

/* Is a neighbour of v one of those marked? */
static bool meets(const kith__operator *W, int32_t v, const uint8_t *mark)
{
    for (int64_t p = W->rows[v]; p < W->rows[v + 1]; p++)
        if (mark[W->neighbours[p]] & NEIGHBOUR)
            return true;
    return false;
}

/* From the node outwards, or from every labelled node inwards? */
static bool outwards(const kith_solution *s, int32_t node)
{
    const kith__task *t = &s->storage.task;
    const kith__operator *W = &s->op;
    int64_t out = 0, in = 0;

    for (int64_t p = W->rows[node]; p < W->rows[node + 1]; p++)
        out += degree(W, W->neighbours[p]);
    for (int32_t l = 0; l < t->n_train && in < out; l++)
        in += degree(W, t->train[l]);
    return out <= in;
}

void kith__look_around(const kith_solution *s, int32_t node, kith__around *a)
{
    const kith__task *t = &s->storage.task;
    const kith__operator *W = &s->op;
    const bool out = outwards(s, node);

    mark_neighbours(W, node, NEIGHBOUR, a->mark);
    if (out)
        mark_second(W, node, NEIGHBOURS_OWN, a->mark);
    for (int32_t l = 0; l < t->n_train; l++) {
        const int32_t v = t->train[l];
        const uint8_t bits = a->mark[v];

        if (v == node)
            a->steps[l] = KITH__SELF;
        else if (bits & NEIGHBOUR)
            a->steps[l] = KITH__LINKED;
        else if (out ? bits & NEIGHBOURS_OWN : meets(W, v, a->mark))
            a->steps[l] = KITH__TWO_STEPS;
        else
            a->steps[l] = KITH__FAR;
    }
    if (out)
        mark_second(W, node, 0, a->mark);
    mark_neighbours(W, node, 0, a->mark);
}
