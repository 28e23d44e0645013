/*
 * alias.h: drawing by weight in one look (Walker, 1977): each of n items has an
 * equal share of the whole, and what an item lacks of it is another's.
 */
#ifndef KITH_NN_ALIAS_H
#define KITH_NN_ALIAS_H

#include "core/rng.h"

typedef struct kith__alias {
    float own;     /* part of the share that is the item's */
    int32_t other; /* whose the rest is */
} kith__alias;

/*
 * Shares of n items of weights w > 0, which are spent; queue: room for n.
 * Items that have less than a share wait at the front of the queue, those that
 * have more at its end.
 */
static inline void kith__alias_fill(double *w, int32_t n, int32_t *queue,
                                    kith__alias *out)
{
    int32_t poor = 0, rich = n;
    double sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += w[i];
    for (int32_t i = 0; i < n; i++) {
        w[i] *= n / sum;
        out[i] = (kith__alias){1, i};
        queue[w[i] < 1 ? poor++ : --rich] = i;
    }
    while (poor > 0 && rich < n) {
        const int32_t i = queue[--poor], giver = queue[rich];

        out[i] = (kith__alias){(float)w[i], giver};
        w[giver] -= 1 - w[i];
        if (w[giver] < 1) {
            rich++;
            queue[poor++] = giver;
        }
    }
}

static inline int32_t kith__alias_draw(const kith__alias *a, int32_t n,
                                       kith__rng *r)
{
    const double x = kith__rng_real(r) * n;
    const int32_t i = (int32_t)x;

    return x - i < (double)a[i].own ? i : a[i].other;
}

#endif
