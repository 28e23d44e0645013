/*
 * permutation.h: a shuffled order of 0 .. n - 1 that is computed, not stored.
 *
 * A Feistel network permutes the numbers of `bits` bits, 2^(bits - 1) < n <=
 * 2^bits: each round adds to one half a hash of the other, which can be taken
 * back.  A result of n or more is permuted again until it is below n ("cycle
 * walking"; fewer than two rounds on average): a bijection of 0 .. n - 1.
 */
#ifndef KITH_GENERATE_PERMUTATION_H
#define KITH_GENERATE_PERMUTATION_H

#include "core/rng.h"

enum { KITH__FEISTEL_ROUNDS = 6 };

typedef struct kith__permutation {
    uint32_t n;
    int low_bits;
    uint32_t low_mask, high_mask; /* of the two halves, each from bit 0 */
    uint64_t key[KITH__FEISTEL_ROUNDS];
} kith__permutation;

/* n >= 1; seed and stream choose the order. */
static inline void kith__permutation_init(kith__permutation *p, uint32_t n,
                                          uint64_t seed, uint64_t stream)
{
    const int bits = n > 1 ? 32 - __builtin_clz(n - 1) : 0;
    kith__rng rng = kith__rng_start(seed, stream);

    p->n = n;
    p->low_bits = bits - bits / 2;
    p->low_mask = (uint32_t)((1ull << p->low_bits) - 1);
    p->high_mask = (uint32_t)((1ull << bits / 2) - 1);
    for (int r = 0; r < KITH__FEISTEL_ROUNDS; r++)
        p->key[r] = kith__rng_next(&rng);
}

/* Even rounds change the low half, odd ones the high half. */
static inline uint32_t kith__feistel_round(const kith__permutation *p,
                                           uint32_t x, int r)
{
    const uint32_t low = x & p->low_mask, high = x >> p->low_bits;

    if (r % 2 == 0)
        return x ^ ((uint32_t)kith__mix(high ^ p->key[r]) & p->low_mask);
    return x ^ ((uint32_t)kith__mix(low ^ p->key[r]) & p->high_mask)
                   << p->low_bits;
}

/* The place of x in the shuffled order, x < n. */
static inline uint32_t kith__permute(const kith__permutation *p, uint32_t x)
{
    do
        for (int r = 0; r < KITH__FEISTEL_ROUNDS; r++)
            x = kith__feistel_round(p, x, r);
    while (x >= p->n);
    return x;
}

/* What is at place x: kith__permute_back(p, kith__permute(p, x)) == x. */
static inline uint32_t kith__permute_back(const kith__permutation *p,
                                          uint32_t x)
{
    do
        for (int r = KITH__FEISTEL_ROUNDS - 1; r >= 0; r--)
            x = kith__feistel_round(p, x, r);
    while (x >= p->n);
    return x;
}

#endif
