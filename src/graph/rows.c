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
        if (counted && merge == KITH_MERGE_SUM && sum > FLT_MAX)
            counted->overflows++;
        entry[kept++] = neighbour << 33 |
                        kith__float_bits(merge == KITH_MERGE_SUM ? (float)sum
                                                                 : largest);
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
