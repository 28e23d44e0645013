#include "graph/rows.h"

#include <float.h>
#include <stdbool.h>

#include "core/sort.h"
#include "core/status.h"

/* Note a group of entries for one neighbour: `given` in each direction. */
static void count_group(kith__merged *counted, int64_t forward, int64_t reverse)
{
    if (!counted)
        return;
    counted->duplicates += forward + reverse - (forward > 0) - (reverse > 0);
    if (forward > 0 && reverse > 0)
        counted->both_ways++;
    else
        counted->one_way++;
}

/* Neighbours in order and each once, as most files have them? */
static bool is_clean(const uint32_t *entry, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (entry[i] >> 1 <= entry[i - 1] >> 1)
            return false;
    return true;
}

int64_t kith__row_merge(uint32_t *entry, int64_t n, kith__merged *counted)
{
    int64_t kept = 0;

    if (is_clean(entry, n)) {
        for (int64_t i = 0; i < n; i++)
            entry[i] &= ~1u;
        if (counted)
            counted->one_way += n;
        return n;
    }
    kith__sort_u32(entry, n);
    for (int64_t i = 0; i < n;) {
        const uint32_t neighbour = entry[i] >> 1;
        int64_t given[2] = {0, 0};

        for (; i < n && entry[i] >> 1 == neighbour; i++)
            given[entry[i] & 1]++;
        count_group(counted, given[0], given[1]);
        entry[kept++] = neighbour << 1;
    }
    return kept;
}

/* What an edge weighs that was given n times. */
static double merged_weight(kith_merge merge, float largest, double sum,
                            int64_t n)
{
    switch (merge) {
    case KITH_MERGE_SUM:
        return sum;
    case KITH_MERGE_COUNT:
        return (double)n;
    case KITH_MERGE_MEAN:
        return sum / (double)n;
    case KITH_MERGE_AUTO:
    case KITH_MERGE_MAX:
        break;
    }
    return largest;
}

int64_t kith__row_merge_weighted(uint64_t *entry, int64_t n, kith_merge merge,
                                 kith__merged *counted)
{
    int64_t kept = 0;

    kith__sort_u64(entry, n);
    for (int64_t i = 0; i < n;) {
        const uint64_t neighbour = entry[i] >> 33;
        int64_t given[2] = {0, 0};
        float largest = 0;
        double sum = 0;

        for (; i < n && entry[i] >> 33 == neighbour; i++) {
            const float w = kith__bits_float((uint32_t)entry[i]);

            given[(entry[i] >> 32) & 1]++;
            largest = w > largest ? w : largest;
            sum += w;
        }
        count_group(counted, given[0], given[1]);
        sum = merged_weight(merge, largest, sum, given[0] + given[1]);
        if (counted && sum > FLT_MAX)
            counted->overflows++;
        entry[kept++] = neighbour << 33 | kith__float_bits((float)sum);
    }
    return kept;
}

kith_status kith__merged_check(const kith__merged *m, kith_error *err)
{
    if (m->overflows == 0)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                      "the weights of %lld %s add up to more than 3.4e38, "
                      "expected smaller ones (or the largest of each edge)",
                      (long long)m->overflows,
                      m->overflows == 1 ? "edge" : "edges");
}
