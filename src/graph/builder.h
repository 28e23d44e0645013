/*
 * builder.h: from a list of edges, in any order and direction and with
 * repeats, to the sorted rows of a symmetric graph.
 *
 * Blocks of edges are added one after the other.  While they fit the memory
 * allowed they stay there, else they are sorted and go to disk (spill.h).
 * Either way, and for any number of threads, the rows come out the same.
 */
#ifndef KITH_GRAPH_BUILDER_H
#define KITH_GRAPH_BUILDER_H

#include "graph/graph_object.h"
#include "graph/rank.h"

/* A block of edges.  Ends are node numbers, or integer ids below 2^31 - 1
 * that the builder numbers in ascending order ("raw"). */
typedef struct kith__edges {
    int64_t n, capacity;
    uint32_t *ends; /* 2n: u, v, u, v, ... */
    float *weights; /* n, NULL if the graph has none */
} kith__edges;

void kith__edges_release(kith__edges *e);
bool kith__edges_reserve(kith__edges *e, int64_t more, bool weighted);

typedef struct kith__builder kith__builder;

/*
 * raw       ends are integer ids; the nodes are those that were marked
 * weighted  blocks carry weights
 * options   job, merge and spill_to are used
 */
kith_status kith__builder_new(const kith_build_options *options, bool raw,
                              bool weighted, kith__builder **out,
                              kith_error *err);
void kith__builder_free(kith__builder *b);

/* Add a block; its arrays are handed over and *e is emptied. */
kith_status kith__builder_add(kith__builder *b, kith__edges *e,
                              kith_error *err);

/* Raw: these ids are nodes.  All that edges name must be told before the end;
 * whoever reads them has them at hand. */
kith_status kith__builder_mark(kith__builder *b, const kith__rank *seen,
                               kith_error *err);

int64_t kith__builder_edges(const kith__builder *b); /* added so far */

bool kith__builder_spilled(const kith__builder *b); /* edges went to disk */

/* Receives neighbours (and weights, or NULL) of consecutive rows. */
typedef kith_status (*kith__emit_fn)(void *user, const int32_t *neighbours,
                                     const float *weights, int64_t count,
                                     kith_error *err);

/*
 * Build the rows of n nodes (raw: n is ignored, the ids seen are numbered and
 * returned in *ids).  With emit, the neighbours go there in order and
 * csr->neighbours stays NULL; else they are in csr.  The builder is empty
 * afterwards.  Adds to self_loops, duplicates, one_way, both_ways, isolated.
 */
kith_status kith__builder_finish(kith__builder *b, int32_t n,
                                 kith__emit_fn emit, void *user, kith__csr *csr,
                                 kith__ids *ids, kith_cleaning *cleaning,
                                 kith_error *err);

#endif
