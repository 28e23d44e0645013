/*
 * training_edges.h: the edges of training nodes, where LCM's weights change by
 * errors.
 *
 *     D_lv += g1 E_l H . p_v    for training nodes l and their neighbours v
 *
 * and D_vl with it; between two training nodes both push.  An entry is a
 * training node and one of its neighbours; per entry lies what l pushed.
 * Entries are also listed by the node they lead to, so that each row of a
 * product has one writer and its sum one order.
 */
#ifndef KITH_KERNELS_TRAINING_EDGES_H
#define KITH_KERNELS_TRAINING_EDGES_H

#include <stdbool.h>

#include "core/status.h"
#include "kernels/operator.h"

typedef struct kith__training_edges {
    const int64_t *rows; /* the graph's */
    const int32_t *neighbours;
    const int32_t *train; /* ascending */
    int32_t n_train;
    int64_t entries;
    int64_t *row;     /* n_train + 1: where a training node's entries begin */
    int32_t *owner;   /* of each entry: which training node */
    float *pushed;    /* of each entry: D, as far as its training node goes */
    int32_t touched;  /* training nodes and their neighbours */
    int32_t *node;    /* those, ascending */
    int32_t *trained; /* of each: which training node, or -1 */
    int64_t *begin;   /* touched + 1: into by_node */
    int32_t *by_node; /* entries by the node that they lead to */
    int32_t *at;      /* n_train: where a training node is among the touched */
    uint64_t *marks;  /* a bit per node: touched? */
} kith__training_edges;

/* Sum of the degrees of training nodes: the entries there will be. */
int64_t kith__training_edges_count(const kith__operator *W,
                                   const int32_t *train, int32_t n_train);

/* With D = 0.  W gives rows and neighbours alone; it and train are borrowed.
 * Fails for 2^31 - 1 entries or more. */
kith_status kith__training_edges_new(const kith__operator *W,
                                     const int32_t *train, int32_t n_train,
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
    return b->neighbours + b->rows[b->train[l]];
}

/*
 * Row `touched` of D as terms D_uv, of which an edge between two training nodes
 * has two: how many there are, and the i-th with its v.
 */
static inline int64_t kith__training_edges_terms(const kith__training_edges *b,
                                                 int64_t touched)
{
    const int32_t l = b->trained[touched];

    return b->begin[touched + 1] - b->begin[touched] +
           (l < 0 ? 0 : b->row[l + 1] - b->row[l]);
}

static inline float kith__training_edges_term(const kith__training_edges *b,
                                              int64_t touched, int64_t i,
                                              int32_t *v)
{
    const int64_t k = b->begin[touched] + i, end = b->begin[touched + 1];
    const int32_t l = b->trained[touched];

    if (k < end) {
        *v = b->train[b->owner[b->by_node[k]]];
        return b->pushed[b->by_node[k]];
    }
    *v = kith__training_edges_neighbours(b, l)[k - end];
    return b->pushed[b->row[l] + k - end];
}

/* D_uv, for touched node u and any neighbour of it: the p-th stored one. */
float kith__training_edges_weight(const kith__training_edges *b,
                                  int64_t touched, int64_t p);

/* weights += D in the row of a touched node; per stored neighbour. */
void kith__training_edges_add(const kith__training_edges *b, int64_t touched,
                              float *weights);

#endif
