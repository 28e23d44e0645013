/*
 * column_blocks.h: the neighbours of a graph again, those in its first columns
 * in 16 bits.
 *
 * Where nodes are numbered by degree, most neighbours are among the first few
 * times 2^16 nodes.  Block b holds, row after row, the neighbours v with
 * v / 2^16 = b as v mod 2^16; what is beyond the last block follows in 32 bits.
 * Each row keeps its order.  A pass over the edges then reads half the bytes,
 * and while it is in a block it reads 2^16 rows of X, which the cache holds.
 *
 * Memory: 2 bytes a neighbour in a block, 4 a neighbour beyond, and 4 bytes a
 * row for each block and for what is beyond.
 */
#ifndef KITH_KERNELS_COLUMN_BLOCKS_H
#define KITH_KERNELS_COLUMN_BLOCKS_H

#include <stdbool.h>

#include "kith/graph.h"

enum {
    KITH__COLUMNS_BITS = 16,
    KITH__COLUMN_BLOCKS = 8 /* at most */
};

typedef struct kith__column_blocks {
    int count;
    /* Row u of block b begins at begin[u (count + 1) + b] of its neighbours,
     * what is beyond the blocks at [u (count + 1) + count]. */
    uint32_t *begin;
    uint16_t *near[KITH__COLUMN_BLOCKS];
    int32_t *beyond;
    int64_t entries[KITH__COLUMN_BLOCKS + 1]; /* of each, beyond last */
} kith__column_blocks;

/* How many blocks pay for themselves: those, from the first, whose neighbours
 * save more bytes than their share of `begin` costs; 0 for a small graph.
 * Cost: O(n).  Entries in a block are the degrees of its nodes, as the graph
 * is symmetric. */
int kith__column_blocks_wanted(const kith_graph *g);

/* Bytes of the arrays. */
int64_t kith__column_blocks_bytes(const kith_graph *g, int count);

/* Fill the arrays, which lie in memory of that many bytes, aligned to 8.
 * Cost: one pass over the edges. */
void kith__column_blocks_fill(const kith_graph *g, int count, int threads,
                              void *memory, kith__column_blocks *out);

#endif
