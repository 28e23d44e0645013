/*
 * starts.h: from how many entries each thread has for each row to where they
 * begin.
 *
 * Each thread has its own cursor in every row, so that threads fill rows side
 * by side without atomics, and always in the same order.
 */
#ifndef KITH_GRAPH_STARTS_H
#define KITH_GRAPH_STARTS_H

#include <stdint.h>

/*
 * cursor  threads x n: counts before; after, where a thread's entries for the
 *         row begin
 * extra   n: further entries at the end of each row; NULL: none
 * starts  n + 1: where the rows begin
 *
 * Returns how many entries there are in all; fewer than 2^32.
 */
int64_t kith__counts_to_starts(uint32_t *cursor, int threads, int32_t n,
                               const uint32_t *extra, int64_t *starts);

#endif
