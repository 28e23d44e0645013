#include "core/sort.h"

#include <stdbool.h>
#include <string.h>

/*
 * Quicksort with the median of three and insertion sort below 24 elements;
 * after 2 log2 n splits without success the rest is heap sorted, so the worst
 * case stays O(n log n).  Written once, for three widths.
 */
#define DEFINE_SORT(NAME, T)                                         \
    static void NAME##_insertion(T *a, int64_t n)                    \
    {                                                                \
        for (int64_t i = 1; i < n; i++) {                            \
            const T x = a[i];                                        \
            int64_t j = i;                                           \
                                                                     \
            for (; j > 0 && a[j - 1] > x; j--)                       \
                a[j] = a[j - 1];                                     \
            a[j] = x;                                                \
        }                                                            \
    }                                                                \
                                                                     \
    static void NAME##_sift(T *a, int64_t root, int64_t n)           \
    {                                                                \
        const T x = a[root];                                         \
                                                                     \
        for (int64_t kid; (kid = 2 * root + 1) < n; root = kid) {    \
            if (kid + 1 < n && a[kid] < a[kid + 1])                  \
                kid++;                                               \
            if (a[kid] <= x)                                         \
                break;                                               \
            a[root] = a[kid];                                        \
        }                                                            \
        a[root] = x;                                                 \
    }                                                                \
                                                                     \
    static void NAME##_heap(T *a, int64_t n)                         \
    {                                                                \
        for (int64_t i = n / 2; i-- > 0;)                            \
            NAME##_sift(a, i, n);                                    \
        for (int64_t i = n - 1; i > 0; i--) {                        \
            const T top = a[0];                                      \
                                                                     \
            a[0] = a[i];                                             \
            a[i] = top;                                              \
            NAME##_sift(a, 0, i);                                    \
        }                                                            \
    }                                                                \
                                                                     \
    static T NAME##_median(T x, T y, T z)                            \
    {                                                                \
        const T low = x < y ? x : y, high = x < y ? y : x;           \
                                                                     \
        return z < low ? low : z > high ? high : z;                  \
    }                                                                \
                                                                     \
    static void NAME##_split(T *a, int64_t n, int depth)             \
    {                                                                \
        while (n > 24) {                                             \
            const T pivot = NAME##_median(a[0], a[n / 2], a[n - 1]); \
            int64_t i = -1, j = n;                                   \
                                                                     \
            if (depth-- == 0) {                                      \
                NAME##_heap(a, n);                                   \
                return;                                              \
            }                                                        \
            for (;;) {                                               \
                while (a[++i] < pivot)                               \
                    ;                                                \
                while (a[--j] > pivot)                               \
                    ;                                                \
                if (i >= j)                                          \
                    break;                                           \
                const T swap = a[i];                                 \
                a[i] = a[j];                                         \
                a[j] = swap;                                         \
            }                                                        \
            NAME##_split(a + j + 1, n - j - 1, depth);               \
            n = j + 1;                                               \
        }                                                            \
        NAME##_insertion(a, n);                                      \
    }                                                                \
                                                                     \
    void NAME(T *a, int64_t n)                                       \
    {                                                                \
        int depth = 0;                                               \
                                                                     \
        for (int64_t i = n; i > 1; i /= 2)                           \
            depth += 2;                                              \
        NAME##_split(a, n, depth);                                   \
    }

DEFINE_SORT(kith__sort_u32, uint32_t)
DEFINE_SORT(kith__sort_u64, uint64_t)
DEFINE_SORT(kith__sort_u128, kith__u128)

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* One counting pass on the digit at `shift`; false if all keys share it. */
static bool radix_pass(const uint64_t *from, uint64_t *to, int64_t n, int shift)
{
    int64_t start[DIGITS] = {0};
    int64_t sum = 0;

    for (int64_t i = 0; i < n; i++)
        start[(from[i] >> shift) & (DIGITS - 1)]++;
    if (start[(from[0] >> shift) & (DIGITS - 1)] == n)
        return false;
    for (int d = 0; d < DIGITS; d++) {
        const int64_t count = start[d];

        start[d] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        to[start[(from[i] >> shift) & (DIGITS - 1)]++] = from[i];
    return true;
}

void kith__radix_sort_u64(uint64_t *a, uint64_t *scratch, int64_t n, int bits)
{
    uint64_t *from = a, *to = scratch;

    if (n < 2)
        return;
    for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
        if (radix_pass(from, to, n, shift)) {
            uint64_t *swap = from;

            from = to;
            to = swap;
        }
    }
    if (from != a)
        memcpy(a, from, (size_t)n * sizeof(*a));
}

int32_t kith__sort_once(int32_t *a, int64_t n)
{
    int32_t left = 0;

    kith__sort_u32((uint32_t *)a, n); /* node ids are not negative */
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || a[i] != a[left - 1])
            a[left++] = a[i];
    return left;
}
