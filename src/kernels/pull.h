/*
 * pull.h: the sum over a node's neighbours, sum_v w_v x_v, in registers.
 *
 *   k = 1        four neighbours fill a vector of four floats
 *   k = 2        two neighbours do
 *   k = 3, 4     one
 *   k = 5 .. 8   one fills a vector of eight
 *
 * Two such vectors take turns, so that one addition need not wait for the
 * other, and are added up in the end.  Which neighbour goes where depends on
 * its place in the row alone: so every machine, with AVX2 or without, and any
 * number of threads come to the same bits.  There is no fused multiply-add.
 *
 * The rows of X are far apart in memory and the machine cannot guess the next:
 * KITH__AHEAD neighbours ahead they are asked for.
 */
#ifndef KITH_KERNELS_PULL_H
#define KITH_KERNELS_PULL_H

#include "kernels/vector.h"

typedef float kith__v8 __attribute__((vector_size(32)));

enum { KITH__AHEAD = 64 };

/* What the weight of a neighbour v at place p is. */
typedef enum kith__weighing {
    KITH__ONE,      /* 1: X is scaled already */
    KITH__PER_EDGE, /* w[p] */
    KITH__PER_NODE  /* w[v] */
} kith__weighing;

/* Neighbours from one array, in 16 or 32 bits, and what they are summed of. */
typedef struct kith__neighbours {
    const void *ids;
    int64_t count; /* of the array, so that nothing behind it is read */
    const float *X, *w;
    int64_t cells;    /* of X */
    _Bool whole_rows; /* the last row of X may be read as a whole vector */
} kith__neighbours;

/* The two vectors that take turns; up to four classes use half of each. */
typedef struct kith__turns {
    kith__v4 low[2], high[2];
} kith__turns;

KITH__ALWAYS_INLINE int64_t kith__neighbour(const kith__neighbours *from,
                                            _Bool wide, int64_t p)
{
    return wide ? ((const int32_t *)from->ids)[p]
                : ((const uint16_t *)from->ids)[p];
}

KITH__ALWAYS_INLINE float kith__weight(const kith__neighbours *from, int how,
                                       int64_t p, int64_t v)
{
    return how == KITH__ONE ? 1 : from->w[how == KITH__PER_EDGE ? p : v];
}

/* Two floats each at a and b. */
KITH__ALWAYS_INLINE kith__v4 kith__pairs(const float *a, const float *b)
{
    kith__v4 v;

    memcpy(&v, a, 8);
    memcpy((char *)&v + 8, b, 8);
    return v;
}

/* Neighbours p .. p + per - 1 of a vector of four; those from `end` on are
 * left out. */
KITH__ALWAYS_INLINE kith__v4 kith__pull_four(const kith__neighbours *from,
                                             int k, int how, _Bool wide,
                                             int64_t p, int64_t end)
{
    const int per = k == 1 ? 4 : k == 2 ? 2 : 1;
    const float *x[4] = {NULL, NULL, NULL, NULL};
    float w[4] = {0, 0, 0, 0}, spare[KITH__LANES];
    static const float nothing[2] = {0, 0};

    for (int i = 0; i < per; i++) {
        const _Bool there = p + i < end;
        const int64_t v = there ? kith__neighbour(from, wide, p + i) : 0;

        x[i] = there ? from->X + v * k : nothing;
        w[i] = there ? kith__weight(from, how, p + i, v) : 0;
    }
    if (k == 1) {
        const kith__v4 v = {*x[0], *x[1], *x[2], *x[3]};

        return how == KITH__ONE ? v : v * (kith__v4){w[0], w[1], w[2], w[3]};
    }
    if (k == 2) {
        const kith__v4 v = kith__pairs(x[0], x[1]);

        return how == KITH__ONE ? v : v * (kith__v4){w[0], w[0], w[1], w[1]};
    }
    if (k == 3 && !from->whole_rows)
        x[0] = kith__row_at(from->X, x[0] - from->X, from->cells, k, spare);
    return how == KITH__ONE ? kith__v4_load(x[0]) : w[0] * kith__v4_load(x[0]);
}

/* Row v of 5 to 8 numbers, added to `sum`. */
KITH__ALWAYS_INLINE void kith__pull_eight(const kith__neighbours *from, int k,
                                          int how, _Bool wide, int64_t p,
                                          kith__v8 *sum)
{
    const int64_t v = kith__neighbour(from, wide, p);
    const float *x = from->X + v * k;
    float spare[2 * KITH__LANES];
    kith__v8 row;

    if (k < 8 && !from->whole_rows)
        x = kith__row_at(from->X, v * k, from->cells, k, spare);
    memcpy(&row, x, sizeof(row));
    *sum += how == KITH__ONE ? row : kith__weight(from, how, p, v) * row;
}

KITH__ALWAYS_INLINE void kith__ask(const kith__neighbours *from, int k,
                                   _Bool wide, int64_t p)
{
    __builtin_prefetch(from->X + kith__neighbour(from, wide, p) * k);
}

/* Add neighbours p .. end - 1 to the turns: rows of up to four. */
KITH__ALWAYS_INLINE void kith__pull_fours(const kith__neighbours *from, int k,
                                          int how, _Bool wide, int64_t p,
                                          int64_t end, kith__turns *t)
{
    const int per = k == 1 ? 4 : k == 2 ? 2 : 1;
    const int64_t ahead = end + KITH__AHEAD <= from->count ? KITH__AHEAD : 0;
    kith__v4 a = t->low[0], b = t->low[1];

    for (; p + 2 * per <= end; p += 2 * per) {
        for (int i = 0; ahead && i < 2 * per; i++)
            kith__ask(from, k, wide, p + ahead + i);
        a += kith__pull_four(from, k, how, wide, p, INT64_MAX);
        b += kith__pull_four(from, k, how, wide, p + per, INT64_MAX);
    }
    for (int64_t i = p; ahead && i < end; i++)
        kith__ask(from, k, wide, i + ahead);
    if (p + per <= end) {
        a += kith__pull_four(from, k, how, wide, p, INT64_MAX);
        p += per;
    }
    if (per > 1 && p < end)
        b += kith__pull_four(from, k, how, wide, p, end);
    t->low[0] = a;
    t->low[1] = b;
}

/* The same: rows of five to eight. */
KITH__ALWAYS_INLINE void kith__pull_eights(const kith__neighbours *from, int k,
                                           int how, _Bool wide, int64_t p,
                                           int64_t end, kith__turns *t)
{
    const int64_t ahead = end + KITH__AHEAD <= from->count ? KITH__AHEAD : 0;
    kith__v8 a, b;

    memcpy(&a, &t->low[0], 16);
    memcpy((char *)&a + 16, &t->high[0], 16);
    memcpy(&b, &t->low[1], 16);
    memcpy((char *)&b + 16, &t->high[1], 16);
    for (; p + 2 <= end; p += 2) {
        if (ahead) {
            kith__ask(from, k, wide, p + ahead);
            kith__ask(from, k, wide, p + ahead + 1);
        }
        kith__pull_eight(from, k, how, wide, p, &a);
        kith__pull_eight(from, k, how, wide, p + 1, &b);
    }
    if (p < end)
        kith__pull_eight(from, k, how, wide, p, &a);
    memcpy(&t->low[0], &a, 16);
    memcpy(&t->high[0], (char *)&a + 16, 16);
    memcpy(&t->low[1], &b, 16);
    memcpy(&t->high[1], (char *)&b + 16, 16);
}

KITH__ALWAYS_INLINE void kith__pull_from(const kith__neighbours *from, int k,
                                         int how, _Bool wide, int64_t p,
                                         int64_t end, kith__turns *t)
{
    if (k <= KITH__LANES)
        kith__pull_fours(from, k, how, wide, p, end, t);
    else
        kith__pull_eights(from, k, how, wide, p, end, t);
}

/* s times what was pulled, as a row of k. */
KITH__ALWAYS_INLINE void kith__turns_sum(const kith__turns *t, int k, float s,
                                         kith__v4 *out)
{
    const kith__v4 a = t->low[0] + t->low[1];

    out[0] = a;
    if (k == 1)
        out[0] = kith__v4_all(kith__v4_sum(a));
    if (k == 2)
        out[0] = (kith__v4){a[0] + a[2], a[1] + a[3], 0, 0};
    if (k > KITH__LANES)
        out[1] = s * (t->high[0] + t->high[1]);
    out[0] *= s;
}

#endif
