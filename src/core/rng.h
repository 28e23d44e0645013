/*
 * rng.h: random numbers as a function of (seed, stream, position), so that
 * what is drawn does not depend on which thread draws it.
 *
 * A generator is a 64-bit counter through the splitmix64 finaliser (Steele,
 * Lea, Flood, OOPSLA 2014), started at a hash of seed and stream.
 */
#ifndef KITH_CORE_RNG_H
#define KITH_CORE_RNG_H

#include "core/sort.h"

typedef struct kith__rng {
    uint64_t state;
} kith__rng;

static inline uint64_t kith__mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline kith__rng kith__rng_start(uint64_t seed, uint64_t stream)
{
    kith__rng r = {kith__mix(seed + 0x9e3779b97f4a7c15u) ^
                   kith__mix(stream * 0xd1342543de82ef95u + 1)};

    return r;
}

static inline uint64_t kith__rng_next(kith__rng *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    return kith__mix(r->state);
}

/* Uniform in [0, 1), 53 bits. */
static inline double kith__rng_real(kith__rng *r)
{
    return (double)(kith__rng_next(r) >> 11) * 0x1p-53;
}

/* Uniform in [0, bound), bound > 0; the bias is below 2^-32 for any 32-bit
 * bound, far under what any graph could show. */
static inline uint64_t kith__rng_below(kith__rng *r, uint64_t bound)
{
    return (uint64_t)(((kith__u128)kith__rng_next(r) * bound) >> 64);
}

#endif
