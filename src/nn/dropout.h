/*
 * dropout.h: which cells are dropped is a function of (key, cell), so that it
 * is the same for any number of threads, and backward need not store it
 * (Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov, JMLR 2014).
 *
 *     y_i = x_i / (1 - rate)  with probability 1 - rate,  else 0
 */
#ifndef KITH_NN_DROPOUT_H
#define KITH_NN_DROPOUT_H

#include <stdbool.h>

#include "core/rng.h"

typedef struct kith__dropout {
    uint64_t key;
    uint32_t below; /* of 65536: dropped; 0 = none are */
    float scale;    /* of what is kept */
} kith__dropout;

/* For one layer in one pass; rate in [0, 1). */
static inline kith__dropout kith__dropout_at(double rate, uint64_t step,
                                             uint64_t layer)
{
    const uint32_t below = (uint32_t)(rate * 65536);

    return (kith__dropout){kith__mix(step * 64 + layer + 1), below,
                           65536.0f / (float)(65536 - below)};
}

/* Sixteen bits each for cells 4 i .. 4 i + 3. */
static inline uint64_t kith__dropout_bits(const kith__dropout *d, uint64_t i)
{
    return kith__mix(d->key + i * 0x9e3779b97f4a7c15u);
}

static inline bool kith__dropped(const kith__dropout *d, uint64_t i)
{
    return (kith__dropout_bits(d, i) & 0xffff) < d->below;
}

#endif
