/*
 * neighbour_sum.h: the sum over a node's neighbours, sum_v w_v x_v, in
 * registers.
 *
 *   k = 1        four neighbours fill a vector of four floats
 *   k = 2        two neighbours do
 *   k = 3, 4     one
 *   k = 5 .. 8   one fills a vector of eight
 *
 * Two such vectors take turns, so that one addition need not wait for the
 * other, and are added up in the end.  The last of a row are summed as if they
 * filled both, and lanes that are not theirs are dropped: rows are short, and
 * a processor that guesses wrong where one ends loses more than that.
 *
 * Which neighbour goes where depends on its place in the row alone: so every
 * machine, with AVX2 or without, and any number of threads come to the same
 * bits.  There is no fused multiply-add.
 *
 * The rows of X are far apart in memory and the machine cannot guess the next:
 * KITH__AHEAD neighbours ahead they are asked for, eight at a time.
 */
#ifndef KITH_KERNELS_NEIGHBOUR_SUM_H
#define KITH_KERNELS_NEIGHBOUR_SUM_H

#include "kernels/simd.h"

typedef float kith__v8 __attribute__((vector_size(32)));

enum { KITH__AHEAD = 64 };

/* What the weight of a neighbour v at place p is. */
typedef enum kith__weight_kind {
    KITH__ONE,      /* 1: X is scaled already */
    KITH__PER_EDGE, /* w[p] */
    KITH__PER_NODE, /* w[v] */
    /* The same two, where x_v is x_v0 - x_v1 of X's two columns. */
    KITH__PER_EDGE_APART,
    KITH__PER_NODE_APART
} kith__weight_kind;

KITH__ALWAYS_INLINE _Bool kith__is_per_edge(int how)
{
    return how == KITH__PER_EDGE || how == KITH__PER_EDGE_APART;
}

KITH__ALWAYS_INLINE _Bool kith__is_apart(int how)
{
    return how == KITH__PER_EDGE_APART || how == KITH__PER_NODE_APART;
}

/* The neighbours of all rows, and what they are summed of. */
typedef struct kith__neighbours {
    const int32_t *ids;
    int64_t count; /* of them */
    const float *X, *w;
    int64_t cells;    /* of X */
    _Bool whole_rows; /* the last row of X may be read as a whole vector */
} kith__neighbours;

/* The two vectors that take turns: of four for up to four classes, of eight
 * above. */
typedef struct kith__lane_sums {
    kith__v4 four[2];
    kith__v8 eight[2];
} kith__lane_sums;

KITH__ALWAYS_INLINE float kith__weight(const kith__neighbours *from, int how,
                                       int64_t p, int64_t v)
{
    return how == KITH__ONE ? 1 : from->w[kith__is_per_edge(how) ? p : v];
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

/* Neighbours that fill a vector of four. */
KITH__ALWAYS_INLINE int kith__per_four(int k)
{
    return k == 1 ? 4 : k == 2 ? 2 : 1;
}

/* One column: the numbers of four neighbours. */
KITH__ALWAYS_INLINE kith__v4 kith__four_ones(const kith__neighbours *from,
                                             int how, const int32_t *v)
{
    const float *X = from->X;

    if (kith__is_apart(how))
        return (kith__v4){X[2 * (int64_t)v[0]] - X[2 * (int64_t)v[0] + 1],
                          X[2 * (int64_t)v[1]] - X[2 * (int64_t)v[1] + 1],
                          X[2 * (int64_t)v[2]] - X[2 * (int64_t)v[2] + 1],
                          X[2 * (int64_t)v[3]] - X[2 * (int64_t)v[3] + 1]};
    return (kith__v4){X[v[0]], X[v[1]], X[v[2]], X[v[3]]};
}

/* The sum's next vector of four: of the neighbours v[0], v[1] and so on, whose
 * weights, if edges have them, are e[0], e[1] and so on. */
KITH__ALWAYS_INLINE kith__v4 kith__sum_four(const kith__neighbours *from, int k,
                                            int how, const int32_t *v,
                                            const float *e)
{
    float w[KITH__LANES] = {1, 1, 1, 1}, scratch[KITH__LANES];
    kith__v4 x;

    for (int i = 0; i < kith__per_four(k) && how != KITH__ONE; i++)
        w[i] = kith__is_per_edge(how) ? e[i] : from->w[v[i]]; // NOLINT: there
    if (k == 1) {
        x = kith__four_ones(from, how, v);
        return how == KITH__ONE ? x : x * (kith__v4){w[0], w[1], w[2], w[3]};
    }
    if (k == 2) {
        x = kith__pairs(from->X + (int64_t)v[0] * 2,
                        from->X + (int64_t)v[1] * 2);
        return how == KITH__ONE ? x : x * (kith__v4){w[0], w[0], w[1], w[1]};
    }
    x = kith__v4_load(
        k == 3 && !from->whole_rows
            ? kith__row_at(from->X, (int64_t)v[0] * k, from->cells, k, scratch)
            : from->X + (int64_t)v[0] * k);
    return how == KITH__ONE ? x : w[0] * x;
}

/* Add the last `left` neighbours of a row, from p on, that fill at most both
 * vectors.  What is read behind them is the next row's. */
KITH__ALWAYS_INLINE void kith__sum_last(const kith__neighbours *from, int k,
                                        int how, int64_t p, int left,
                                        kith__v4 *a, kith__v4 *b)
{
    enum { BOTH = 2 * KITH__LANES };
    static const int32_t masks[2 * BOTH] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const int per = kith__per_four(k), lanes = KITH__LANES / per;
    const int32_t *v = from->ids + p, *mask;
    const float *e = kith__is_per_edge(how) ? from->w + p : NULL;
    int32_t own_v[BOTH];
    float own_e[BOTH];

    if (__builtin_expect(p + 2 * per > from->count, 0)) { /* no next row */
        for (int i = 0; i < BOTH; i++) {
            own_v[i] = i < left ? v[i] : 0;
            own_e[i] = i < left && e ? e[i] : 0;
        }
        v = own_v;
        e = own_e;
    }
    mask = masks + BOTH - left * lanes;
    *a += kith__v4_and(kith__sum_four(from, k, how, v, e),
                       kith__v4i_load(mask));
    *b +=
        kith__v4_and(kith__sum_four(from, k, how, v + per, e ? e + per : NULL),
                     kith__v4i_load(mask + KITH__LANES));
}

/* Row v of 5 to 8 numbers, added to `sum`. */
KITH__ALWAYS_INLINE void kith__sum_eight(const kith__neighbours *from, int k,
                                         int how, int64_t p, kith__v8 *sum)
{
    const int64_t v = from->ids[p];
    const float *x = from->X + v * k;
    float scratch[2 * KITH__LANES];
    kith__v8 row;

    if (k < 8 && !from->whole_rows)
        x = kith__row_at(from->X, v * k, from->cells, k, scratch);
    memcpy(&row, x, sizeof(row));
    *sum += how == KITH__ONE ? row : kith__weight(from, how, p, v) * row;
}

/* Ask for the rows of neighbours before p + KITH__AHEAD, of which those before
 * *asked were asked for; NULL: ask for none. */
KITH__ALWAYS_INLINE void kith__prefetch(const kith__neighbours *from, int k,
                                        int how, int64_t p, int64_t *asked)
{
    enum { TOGETHER = 8 };
    const int64_t row = kith__is_apart(how) ? 2 : k;

    while (asked && *asked < p + KITH__AHEAD &&
           *asked + TOGETHER <= from->count) {
        for (int i = 0; i < TOGETHER; i++)
            __builtin_prefetch(from->X + from->ids[*asked + i] * row);
        *asked += TOGETHER;
    }
}

/* Add neighbours p .. end - 1 to the turns: rows of up to four. */
KITH__ALWAYS_INLINE void kith__sum_fours(const kith__neighbours *from, int k,
                                         int how, int64_t p, int64_t end,
                                         int64_t *asked, kith__lane_sums *t)
{
    const int per = kith__per_four(k);
    const float *e = kith__is_per_edge(how) ? from->w : NULL;
    kith__v4 a = t->four[0], b = t->four[1];

    for (; p + 2 * per < end; p += 2 * per) {
        kith__prefetch(from, k, how, p, asked);
        a += kith__sum_four(from, k, how, from->ids + p, e ? e + p : NULL);
        b += kith__sum_four(from, k, how, from->ids + p + per,
                            e ? e + p + per : NULL);
    }
    kith__prefetch(from, k, how, p, asked);
    kith__sum_last(from, k, how, p, (int)(end - p), &a, &b);
    t->four[0] = a;
    t->four[1] = b;
}

/* The same: rows of five to eight. */
KITH__ALWAYS_INLINE void kith__sum_eights(const kith__neighbours *from, int k,
                                          int how, int64_t p, int64_t end,
                                          int64_t *asked, kith__lane_sums *t)
{
    kith__v8 a = t->eight[0], b = t->eight[1];

    for (; p + 2 <= end; p += 2) {
        kith__prefetch(from, k, how, p, asked);
        kith__sum_eight(from, k, how, p, &a);
        kith__sum_eight(from, k, how, p + 1, &b);
    }
    if (p < end)
        kith__sum_eight(from, k, how, p, &a);
    t->eight[0] = a;
    t->eight[1] = b;
}

KITH__ALWAYS_INLINE void kith__sum_from(const kith__neighbours *from, int k,
                                        int how, int64_t p, int64_t end,
                                        int64_t *asked, kith__lane_sums *t)
{
    if (k <= KITH__LANES)
        kith__sum_fours(from, k, how, p, end, asked, t);
    else
        kith__sum_eights(from, k, how, p, end, asked, t);
}

/* s times what was pulled, as a row of k. */
KITH__ALWAYS_INLINE void kith__lane_sums_total(const kith__lane_sums *t, int k,
                                               float s, kith__v4 *out)
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
