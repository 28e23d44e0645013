/*
 * rows.h: merging the entries of one row.
 *
 * An entry is neighbour << 1 | reversed, where `reversed` says that the input
 * gave the edge from the neighbour's side; with a weight w >= 0 it is
 * (neighbour << 1 | reversed) << 32 | bits of w, which sorts by weight.
 */
#ifndef KITH_GRAPH_ROWS_H
#define KITH_GRAPH_ROWS_H

#include "kith/graph.h"

/* What merging a row met; added up over rows and threads. */
typedef struct kith__merged {
    int64_t duplicates, one_way, both_ways;
    int64_t overflows; /* sums of weights that no float holds */
} kith__merged;

/*
 * Sort n entries and keep one per neighbour, with a reversed bit of 0;
 * returns how many.  `counted` NULL: count nothing.
 */
int64_t kith__row_merge(uint32_t *entry, int64_t n, kith__merged *counted);

/* The same with weights: the largest one, or their sum, is kept. */
int64_t kith__row_merge_weighted(uint64_t *entry, int64_t n, kith_merge merge,
                                 kith__merged *counted);

/* A sum that is infinite is refused. */
kith_status kith__merged_check(const kith__merged *m, kith_error *err);

static inline uint32_t kith__float_bits(float x)
{
    union {
        float f;
        uint32_t u;
    } both = {x};

    return both.u;
}

static inline float kith__bits_float(uint32_t x)
{
    union {
        uint32_t u;
        float f;
    } both = {x};

    return both.f;
}

#endif
