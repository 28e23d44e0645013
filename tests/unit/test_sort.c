#include "check.h"
#include "core/rng.h"
#include "core/sort.h"

/* Fill with numbers below `bound`: small bounds give many repeats. */
static void fill(uint64_t *a, int n, uint64_t bound, uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 0);

    for (int i = 0; i < n; i++)
        a[i] = kith__rng_below(&r, bound);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void check_sorted(uint64_t *a, int n)
{
    uint64_t want[5000], scratch[5000], radix[5000];
    uint32_t narrow[5000];
    kith__u128 wide[5000];

    memcpy(want, a, (size_t)n * sizeof(*a));
    memcpy(radix, a, (size_t)n * sizeof(*a));
    qsort(want, (size_t)n, sizeof(*want), ascending);
    for (int i = 0; i < n; i++) {
        narrow[i] = (uint32_t)a[i];
        wide[i] = (kith__u128)a[i] << 64 | 7;
    }
    kith__sort_u64(a, n);
    kith__sort_u32(narrow, n);
    kith__sort_u128(wide, n);
    kith__radix_sort_u64(radix, scratch, n, 64);
    for (int i = 0; i < n; i++) {
        CHECK(a[i] == want[i]);
        CHECK(radix[i] == want[i]);
        CHECK((uint64_t)(wide[i] >> 64) == want[i]);
        CHECK(i == 0 || narrow[i] >= narrow[i - 1]);
    }
}

TEST(all_sorts_agree_with_qsort)
{
    static const int sizes[] = {0, 1, 2, 3, 23, 24, 25, 100, 1000, 5000};
    static const uint64_t bounds[] = {1, 2, 10, 1000000, UINT32_MAX};
    uint64_t a[5000];

    for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
        for (size_t b = 0; b < sizeof(bounds) / sizeof(*bounds); b++) {
            fill(a, sizes[s], bounds[b], s * 10 + b);
            check_sorted(a, sizes[s]);
        }
    }
}

TEST(sorted_and_reversed_input_sort)
{
    uint64_t a[5000];

    for (int i = 0; i < 5000; i++)
        a[i] = (uint64_t)i;
    check_sorted(a, 5000);
    for (int i = 0; i < 5000; i++)
        a[i] = (uint64_t)(5000 - i);
    check_sorted(a, 5000);
    for (int i = 0; i < 5000; i++) /* organ pipe: bad for naive pivots */
        a[i] = (uint64_t)(i < 2500 ? i : 5000 - i);
    check_sorted(a, 5000);
}

/* Splitmix64 from 0: the first outputs of the published generator
 * (Vigna's splitmix64.c with seed 0). */
TEST(rng_is_splitmix64)
{
    kith__rng r = {0};

    CHECK(kith__rng_next(&r) == 0xe220a8397b1dcdafu);
    CHECK(kith__rng_next(&r) == 0x6e789e6aa1b965f4u);
    CHECK(kith__rng_next(&r) == 0x06c45d188009454fu);
}

TEST(nodes_sorted_once_are_ascending_without_repeats)
{
    int32_t a[] = {7, 3, 7, 0, 3, INT32_MAX, 0, 3}, same[] = {5, 5, 5};
    const int32_t expected[] = {0, 3, 7, INT32_MAX};

    CHECK_INT(kith__sort_once(a, 8), 4);
    for (int i = 0; i < 4; i++)
        CHECK_INT(a[i], expected[i]);
    CHECK_INT(kith__sort_once(same, 3), 1);
    CHECK_INT(kith__sort_once(same, 0), 0);
}

TEST(rng_streams_differ_and_stay_in_range)
{
    kith__rng a = kith__rng_start(1, 0), b = kith__rng_start(1, 1);
    double sum = 0;

    CHECK(kith__rng_next(&a) != kith__rng_next(&b));
    for (int i = 0; i < 10000; i++) {
        const double x = kith__rng_real(&a);

        CHECK(x >= 0 && x < 1);
        CHECK(kith__rng_below(&b, 7) < 7);
        sum += x;
    }
    CHECK_NEAR(sum / 10000, 0.5, 0.02); /* 7 standard errors */
}
