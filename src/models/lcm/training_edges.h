/*
 * training_edges.h: the edges of training nodes, where LCM's weights change by
 * errors.
 *
 *     D_lv += g1 E_l H . p_v    for training nodes l and their neighbours v
 *
 * and D_vl with it; between two training nodes both push.  An entry is a
 * training node and one of its neighbours; per entry lies what l pushed (own).
 * Entries are also listed by the node they lead to, so that each row of a
 * product has one writer and its sum one order.
 */
#ifndef KITH_MODELS_TRAINING_EDGES_H
#define KITH_MODELS_TRAINING_EDGES_H

#include "kernels/operator_lowrank.h"
#include "models/method.h"

typedef struct kith__training_edges {
    const kith__task *task;
    int64_t entries;
    int64_t *row;     /* n_train + 1: where a training node's entries begin */
    int32_t *owner;   /* of each entry: which training node */
    int32_t touched;  /* training nodes and their neighbours */
    int32_t *node;    /* those, ascending */
    int32_t *trained; /* of each: which training node, or -1 */
    int64_t *begin;   /* touched + 1: into by_node */
    int32_t *by_node; /* entries by the node that they lead to */
    int32_t *at;      /* n_train: where a training node is among the touched */
    uint64_t *marks;  /* a bit per node: touched? */
} kith__training_edges;

/* Sum of the degrees of training nodes: the entries there will be. */
int64_t kith__training_edges_count(const kith__task *task);

/* Fails for 2^31 - 1 entries or more. */
kith_status kith__training_edges_new(const kith__task *task,
                                     kith__training_edges *b, kith_error *err);
void kith__training_edges_release(
    kith__training_edges *b); /* a zeroed one is fine */

/* Which of the touched a node is, or -1. */
static inline int64_t kith__training_edges_find(const kith__training_edges *b,
                                                int32_t u)
{
    int64_t low = 0, high = b->touched;

    if (!(b->marks[u / 64] >> (u % 64) & 1))
        return -1;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (b->node[middle] <= u)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The neighbours of training node l, one per entry. */
static inline const int32_t *
kith__training_edges_neighbours(const kith__training_edges *b, int32_t l)
{
    return b->task->W.neighbours + b->task->W.rows[b->task->train[l]];
}

/* out (touched x carried) = D p, p from the records of a point. */
void kith__training_edges_apply(const kith__training_edges *b, const float *own,
                                const kith__lowrank *I, int point, float *out);

/* K (C x C) = X'D X, x of alternation t: in coordinates. */
void kith__training_edges_consistency(const kith__training_edges *b,
                                      const float *own, const kith__lowrank *I,
                                      int point, int t, double *K);

/* sum_v (|w_uv + D_uv| - |w_uv|) y_v for touched node i, y n x points. */
double kith__training_edges_norm(const kith__training_edges *b,
                                 const float *own, const kith__lowrank *I,
                                 int point, int64_t i, const float *y);

/* weights += D, of point `point`; per stored neighbour `points` weights */
void kith__training_edges_add(const kith__training_edges *b, const float *own,
                              int points, int point, float *weights);

#endif
