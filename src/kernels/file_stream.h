/*
 * file_stream.h: neighbours read from the mapped file in order, window by
 * window, for graphs larger than memory.
 *
 * Left alone, a pass over such a file pushes the rows of X, which it needs all
 * the time, out of memory, for neighbours that it needs once.  So the next
 * window is asked for in time, and those that were passed are given back.  Four
 * windows are in memory at most.  What a step computes does not change: a page
 * that was given back too early is read again.
 *
 * Node vectors, 8 bytes a node for the offsets of rows, and explicit weights
 * must fit; the neighbours, by far the most, need not.
 */
#ifndef KITH_KERNELS_FILE_STREAM_H
#define KITH_KERNELS_FILE_STREAM_H

#include "core/map.h"
#include "kith/graph.h"

typedef struct kith__file_stream {
    const kith__map *map; /* NULL: neighbours stay in memory */
    const int32_t *neighbours;
    int64_t window, bytes; /* of a window, of all */
} kith__file_stream;

/* For a graph in a mapped file whose neighbours take more than half of the
 * machine's memory, windows of an eighth of it in all; else none. */
kith__file_stream kith__stream_of(const kith_graph *g);

/* Entries first .. last - 1 are about to be read, in about this order. */
void kith__file_stream_at(const kith__file_stream *s, int64_t first,
                          int64_t last);

#endif
