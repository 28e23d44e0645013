/*
 * graph_object.h: what a kith_graph is made of.
 *
 * Row u of the symmetric matrix is neighbours[rows[u]] .. [rows[u + 1] - 1],
 * ascending; node ids 32 bits, offsets 64.
 */
#ifndef KITH_GRAPH_GRAPH_OBJECT_H
#define KITH_GRAPH_GRAPH_OBJECT_H

#include "core/map.h"
#include "graph/ids.h"
#include "kith/graph.h"

/* Rows of a graph, wherever they came from. */
typedef struct kith__csr {
    int32_t n;
    int64_t entries; /* 2m */
    int64_t *rows;
    int32_t *neighbours;
    float *weights; /* NULL if there are none */
} kith__csr;

void kith__csr_release(kith__csr *csr);

struct kith_graph {
    int32_t n;
    int64_t entries;
    const int64_t *rows;
    const int32_t *neighbours;
    const float *weights;
    kith__ids ids;         /* in the order of the input */
    const int32_t *listed; /* order.h; NULL if nodes are numbered as listed */
    const int32_t *place;  /* its inverse */
    kith__map *map;   /* the arrays lie in it; NULL if they are on the heap */
    bool borrowed;    /* neighbours and weights are the caller's */
    const int *files; /* neighbours and weights lie, mapped, in these files,
                         larger than memory; else NULL */
};

/* Entries that a pass reads of such a graph before it gives their pages back:
 * what is read once must not fill the memory that was allowed. */
enum { KITH__READ_AT_ONCE = 1 << 20 };
void kith__graph_give_back(const kith_graph *g);

/* A graph of rows and ids, both handed over (also on failure). */
kith_status kith__graph_new(kith__csr *csr, kith__ids *ids, kith_graph **out,
                            kith_error *err);

/* The fingerprint from the checksums of the parts: see kith_graph_hash().
 * parts: rows, neighbours, weights, values, groups, bytes (0 if not there). */
uint64_t kith__graph_fingerprint(const kith_graph *g, const uint64_t parts[6]);

#endif
