/*
 * order.h: nodes numbered by degree instead of as the input lists them.
 *
 * Most neighbours of a skewed graph are few nodes.  Numbered next to each
 * other, largest degree first, their rows of a matrix share cache lines and
 * pages, and a sum over neighbours reads them from the cache.
 *
 * A node then has two numbers: its own, u, which all arrays use, and its place
 * in the input.  place[u] and listed[place] go from one to the other.
 */
#ifndef KITH_GRAPH_ORDER_H
#define KITH_GRAPH_ORDER_H

#include "graph/builder.h"

typedef struct kith__order {
    int32_t *place;  /* of node u in the input */
    int32_t *listed; /* the node at a place of the input */
} kith__order;

/* Largest degree first, equal degrees as listed.  False: no memory.
 * Cost: O(n + largest degree). */
bool kith__order_by_degree(const int64_t *rows, int32_t n, kith__order *out);
void kith__order_release(kith__order *order);

/* Does numbering by degree make passes over this graph faster?  It depends on
 * the graph alone.  Cost: one pass over the neighbours. */
bool kith__order_pays(const kith_graph *g);

/*
 * The rows of g under other numbers: row u of the result is row from[u] of g,
 * and neighbour v becomes to[v].  They are emitted in order; rows (n + 1) are
 * the new offsets.  Cost: O(m log d), in a buffer of 16 MiB or the longest row.
 */
kith_status kith__renumber(const kith_graph *g, const int32_t *from,
                           const int32_t *to, const kith_job *job,
                           kith__emit_fn emit, void *user, int64_t *rows,
                           kith_error *err);

/* g under other numbers, as above, in memory; ids are handed over, also on
 * failure. */
kith_status kith__graph_renumbered(const kith_graph *g, const int32_t *from,
                                   const int32_t *to, kith__ids *ids,
                                   const kith_job *job, kith_graph **out,
                                   kith_error *err);

/* g numbered as the input lists it, in memory; for a g that is so already
 * *out is NULL. */
kith_status kith__graph_as_listed(const kith_graph *g, const kith_job *job,
                                  kith_graph **out, kith_error *err);

#endif
