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

/* The neighbours of all rows, and what they are summed of. */
typedef struct kith__neighbours {
    const int32_t *ids;
    int64_t count; /* of them; 0: do not ask ahead */
    const float *X, *w;
    int64_t cells;    /* of X */
    _Bool whole_rows; /* the last row of X may be read as a whole vector */
} kith__neighbours;

/* The two vectors that take turns: of four for up to four classes, of eight
 * above. */
typedef struct kith__turns {
    kith__v4 four[2];
    kith__v8 eight[2];
} kith__turns;

KITH__ALWAYS_INLINE float kith__weight(const kith__neighbours *from, int how,
                                       int64_t p, int64_t v)
{
    return how == KITH__ONE ? 1 : from->w[how == KITH__PER_EDGE ? p : v];
}

/* Two floats each at a and b: moved as doubles, which the machine does without
 * going through memory. */
KITH__ALWAYS_INLINE kith__v4 kith__pairs(const float *a, const float *b)
{
    typedef double v2d __attribute__((vector_size(16)));
    double low, high;

    memcpy(&low, a, sizeof(low));
    memcpy(&high, b, sizeof(high));
    return (kith__v4)(v2d){low, high};
}

/* The sum's next vector of four: `count` neighbours from p on, which fill it
 * unless they are the last of a row. */
KITH__ALWAYS_INLINE kith__v4 kith__pull_four(const kith__neighbours *from,
                                             int k, int how, int64_t p,
                                             int count)
{
    static const float nothing[2] = {0, 0};
    const float *x[4] = {nothing, nothing, nothing, nothing};
    float w[4] = {0, 0, 0, 0}, spare[KITH__LANES];

    for (int i = 0; i < count; i++) {
        const int64_t v = from->ids[p + i];

        x[i] = from->X + v * k;
        w[i] = kith__weight(from, how, p + i, v);
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
                                          int how, int64_t p, kith__v8 *sum)
{
    const int64_t v = from->ids[p];
    const float *x = from->X + v * k;
    float spare[2 * KITH__LANES];
    kith__v8 row;

    if (k < 8 && !from->whole_rows)
        x = kith__row_at(from->X, v * k, from->cells, k, spare);
    memcpy(&row, x, sizeof(row));
    *sum += how == KITH__ONE ? row : kith__weight(from, how, p, v) * row;
}

KITH__ALWAYS_INLINE void kith__ask(const kith__neighbours *from, int k,
                                   int64_t p)
{
    __builtin_prefetch(from->X + (int64_t)from->ids[p] * k);
}

/* Add neighbours p .. end - 1 to the turns: rows of up to four. */
KITH__ALWAYS_INLINE void kith__pull_fours(const kith__neighbours *from, int k,
                                          int how, int64_t p, int64_t end,
                                          kith__turns *t)
{
    const int per = k == 1 ? 4 : k == 2 ? 2 : 1;
    const int64_t ahead = end + KITH__AHEAD <= from->count ? KITH__AHEAD : 0;
    kith__v4 a = t->four[0], b = t->four[1];

    for (; p + 2 * per <= end; p += 2 * per) {
        for (int i = 0; ahead && i < 2 * per; i++)
            kith__ask(from, k, p + ahead + i);
        a += kith__pull_four(from, k, how, p, per);
        b += kith__pull_four(from, k, how, p + per, per);
    }
    for (int64_t i = p; ahead && i < end; i++)
        kith__ask(from, k, i + ahead);
    if (p + per <= end) {
        a += kith__pull_four(from, k, how, p, per);
        p += per;
    }
    if (per > 1 && p + 1 == end)
        b += kith__pull_four(from, k, how, p, 1);
    if (per > 2 && p + 2 == end)
        b += kith__pull_four(from, k, how, p, 2);
    if (per > 2 && p + 3 == end)
        b += kith__pull_four(from, k, how, p, 3);
    t->four[0] = a;
    t->four[1] = b;
}

/* The same: rows of five to eight. */
KITH__ALWAYS_INLINE void kith__pull_eights(const kith__neighbours *from, int k,
                                           int how, int64_t p, int64_t end,
                                           kith__turns *t)
{
    const int64_t ahead = end + KITH__AHEAD <= from->count ? KITH__AHEAD : 0;
    kith__v8 a = t->eight[0], b = t->eight[1];

    for (; p + 2 <= end; p += 2) {
        if (ahead) {
            kith__ask(from, k, p + ahead);
            kith__ask(from, k, p + ahead + 1);
        }
        kith__pull_eight(from, k, how, p, &a);
        kith__pull_eight(from, k, how, p + 1, &b);
    }
    if (p < end)
        kith__pull_eight(from, k, how, p, &a);
    t->eight[0] = a;
    t->eight[1] = b;
}

KITH__ALWAYS_INLINE void kith__pull_from(const kith__neighbours *from, int k,
                                         int how, int64_t p, int64_t end,
                                         kith__turns *t)
{
    if (k <= KITH__LANES)
        kith__pull_fours(from, k, how, p, end, t);
    else
        kith__pull_eights(from, k, how, p, end, t);
}

/* s times what was pulled, as a row of k. */
KITH__ALWAYS_INLINE void kith__turns_sum(const kith__turns *t, int k, float s,
                                         kith__v4 *out)
{
    const kith__v4 a = t->four[0] + t->four[1];

    if (k > KITH__LANES) {
        const kith__v8 b = s * (t->eight[0] + t->eight[1]);

        out[0] = __builtin_shufflevector(b, b, 0, 1, 2, 3);
        out[1] = __builtin_shufflevector(b, b, 4, 5, 6, 7);
        return;
    }
    out[0] = s * (k == 1   ? kith__v4_all(kith__v4_sum(a))
                  : k == 2 ? (kith__v4){a[0] + a[2], a[1] + a[3], 0, 0}
                           : a);
}

#endif
