#include "models/baselines/drawn_task.h"

#include <string.h>

#include "core/alloc.h"
#include "data/features.h"
#include "models/labelled_nodes.h"

/* Nodes under their drawn numbers, ascending, in new arrays. */
static kith_status move(const int32_t *to, const kith__labelled_nodes *from,
                        int32_t **node, int32_t **truth, int32_t *n,
                        kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(*node, kith__alloc(from->n, sizeof(**node)));
    TRY_NEW(*truth, kith__alloc(from->n, sizeof(**truth)));
    for (int32_t i = 0; i < from->n; i++) {
        (*node)[i] = to[from->node[i]];
        (*truth)[i] = from->truth[i];
    }
    *n = from->n;
    if (!kith__ascend(*node, *truth, n))
        TRY(kith__no_memory(err));
out:
    return st;
}

kith_status kith__drawn_task_new(const kith__task *t, const kith_features *x,
                                 const kith__labelled_nodes *val,
                                 kith__drawn_task *out, kith_error *err)
{
    const kith__labelled_nodes train = {t->train, t->truth, t->n_train};
    kith_status st = KITH_OK;

    *out = (kith__drawn_task){.task = *t};
    TRY(kith__drawn_new(t->graph, t->job, &out->drawn, err));
    out->task.graph = out->drawn.graph;
    out->task.W = (kith__operator){0};
    TRY(move(out->drawn.to, &train, &out->train, &out->truth,
             &out->task.n_train, err));
    out->task.train = out->train;
    out->task.truth = out->truth;
    TRY(move(out->drawn.to, val, &out->val_node, &out->val_truth, &out->val.n,
             err));
    out->val.node = out->val_node;
    out->val.truth = out->val_truth;
    if (x)
        TRY(kith__features_place(x, t->n, out->drawn.to, &out->features, err));
    TRY_NEW(out->P,
            kith__alloc_big((int64_t)t->n * t->classes, sizeof(*out->P)));
out:
    return st; /* the caller releases what there is */
}

void kith__drawn_task_release(kith__drawn_task *d)
{
    kith__drawn_release(&d->drawn);
    kith_features_free(d->features);
    kith__free(d->train);
    kith__free(d->truth);
    kith__free(d->val_node);
    kith__free(d->val_truth);
    kith__free(d->P);
    *d = (kith__drawn_task){0};
}

void kith__drawn_beliefs(const kith__drawn_task *d, float *P)
{
    const int C = d->task.classes;

    for (int32_t i = 0; i < d->task.n; i++)
        memcpy(P + (int64_t)d->drawn.from[i] * C, d->P + (int64_t)i * C,
               (size_t)C * sizeof(*P));
}
