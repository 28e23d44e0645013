/*
 * sort.h: sorting of plain integers, in place, without a comparison callback.
 */
#ifndef KITH_CORE_SORT_H
#define KITH_CORE_SORT_H

#include <stdint.h>

void kith__sort_u32(uint32_t *a, int64_t n);
void kith__sort_u64(uint64_t *a, int64_t n);

__extension__ typedef unsigned __int128 kith__u128;
void kith__sort_u128(kith__u128 *a, int64_t n);

/*
 * Radix sort of n keys below 2^bits, with a scratch array of the same size; the
 * result is in `a`.  11 bits a pass, passes in which all keys agree are
 * skipped.
 */
void kith__radix_sort_u64(uint64_t *a, uint64_t *scratch, int64_t n, int bits);

/* Sort nodes and keep each once; returns how many are left. */
int32_t kith__sort_once(int32_t *a, int64_t n);

/* The first of a[0 .. n - 1], ascending, that is x or more; n if none is. */
static inline int64_t kith__first_from(const int32_t *a, int64_t n, int32_t x)
{
    int64_t low = 0, high = n;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (a[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
