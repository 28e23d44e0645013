/*
 * rank.h: from sparse integer ids to node numbers 0 .. n - 1 in their order.
 *
 * A bit for every id up to the largest, and a count per 64 of them:
 * rank(id) = number of ids seen below it.  12 bytes per 64 ids.
 */
#ifndef KITH_GRAPH_RANK_H
#define KITH_GRAPH_RANK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kith__rank {
    int64_t words;
    uint64_t *seen;
    int32_t *below; /* ids seen in the words before; after kith__rank_count */
    int64_t n;      /* ids seen in all */
} kith__rank;

/* Make room for ids up to `largest`; false if there is no memory. */
bool kith__rank_reserve(kith__rank *r, uint32_t largest);
bool kith__rank_merge(kith__rank *r, const kith__rank *other); /* its ids too */
bool kith__rank_count(kith__rank *r); /* fill below and n */
void kith__rank_release(kith__rank *r);

/* There must be room for it. */
static inline void kith__rank_mark(kith__rank *r, uint32_t id)
{
    r->seen[id / 64] |= (uint64_t)1 << (id % 64);
}

static inline uint32_t kith__rank_of(const kith__rank *r, uint32_t id)
{
    const uint64_t under = ((uint64_t)1 << (id % 64)) - 1;

    return (uint32_t)r->below[id / 64] +
           (uint32_t)__builtin_popcountll(r->seen[id / 64] & under);
}

#endif
