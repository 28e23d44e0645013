/*
 * draw.h: what is drawn at random goes by the ids of the nodes, never by their
 * numbers: so the same data gives the same draws in whatever order its lines
 * come, and however a built file numbers the nodes.
 *
 * Everywhere g NULL means a graph whose node u is called u.
 */
#ifndef KITH_GRAPH_DRAW_H
#define KITH_GRAPH_DRAW_H

#include "graph/graph_object.h"

/* A hash of the id of a node.  Cost: O(its bytes). */
uint64_t kith__node_key(const kith_graph *g, int32_t u);

/* Put nodes in a random order, another one for each seed and stream.  Cost:
 * O(n log n), 16 bytes a node. */
kith_status kith__draw_order(const kith_graph *g, uint64_t seed,
                             uint64_t stream, int32_t *nodes, int64_t n,
                             kith_error *err);

/*
 * Deal nodes into parts at random: part[i] of nodes[i] in 0 .. parts - 1.
 * Nodes of a class (class_of[i]) are shared out evenly, and so are all of
 * them.
 */
kith_status kith__draw_parts(const kith_graph *g, const int32_t *nodes,
                             const int32_t *class_of, int32_t n, int parts,
                             uint64_t stream, int *part, kith_error *err);

/*
 * g with its nodes numbered by a hash of their ids, in memory: the same arrays
 * for the same data, so that what a method draws by number in it does not hang
 * on the order of lines.  The ids of that graph are those hashes.  Cost: O(m
 * log d + n log n) and a second graph.
 */
typedef struct kith__drawn {
    kith_graph *graph;
    int32_t *from; /* the node of g that each node of the graph is */
    int32_t *to;   /* its inverse */
} kith__drawn;

kith_status kith__drawn_new(const kith_graph *g, const kith_job *job,
                            kith__drawn *out, kith_error *err);
void kith__drawn_release(kith__drawn *d); /* a zeroed one is fine */

#endif
