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
        CHECK((uint64_t)narrow[i] == want[i]); /* no key is over 32 bits */
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

/* ---- worst cases --------------------------------------------------------- */

/*
 * McIlroy's adversary ("A killer adversary for quicksort", 1999) on a literal
 * twin of the quicksort: values are unknown until a comparison needs them, and
 * then the one that is asked for most, the pivot, gets the least value left.
 */
enum { KILLED = 2000 };
typedef struct adversary {
    int value[KILLED]; /* of an item, KILLED while unknown */
    int known;
    int pivot; /* the unknown item that was compared last */
    int deepest;
} adversary;

static bool adversary_less(adversary *a, int x, int y)
{
    if (a->value[x] == KILLED && a->value[y] == KILLED)
        a->value[x == a->pivot ? x : y] = a->known++;
    if (a->value[x] == KILLED)
        a->pivot = x;
    else if (a->value[y] == KILLED)
        a->pivot = y;
    return a->value[x] < a->value[y];
}

static int adversary_median(adversary *a, int x, int y, int z)
{
    const bool up = adversary_less(a, x, y);
    const int low = up ? x : y, high = up ? y : x;

    return adversary_less(a, z, low)    ? low
           : adversary_less(a, high, z) ? high
                                        : z;
}

static void adversary_split(adversary *a, int *item, int n, int depth)
{
    if (depth > a->deepest)
        a->deepest = depth;
    while (n > 24) {
        const int pivot = adversary_median(a, item[0], item[n / 2],
                                           item[n - 1]);
        int i = -1, j = n;

        for (;;) {
            while (adversary_less(a, item[++i], pivot))
                ;
            while (adversary_less(a, pivot, item[--j]))
                ;
            if (i >= j)
                break;
            const int swap = item[i];
            item[i] = item[j];
            item[j] = swap;
        }
        if (++depth > a->deepest)
            a->deepest = depth;
        adversary_split(a, item + j + 1, n - j - 1, depth);
        n = j + 1;
    }
}

TEST(a_killer_sequence_is_sorted_after_too_many_splits)
{
    adversary a = {.pivot = 0};
    uint64_t keys[KILLED];
    int item[KILLED];

    for (int i = 0; i < KILLED; i++) {
        item[i] = i;
        a.value[i] = KILLED;
    }
    adversary_split(&a, item, KILLED, 0);
    CHECK(a.deepest > 2 * 11);       /* 2 log2 n: else nothing is tested */
    for (int i = 0; i < KILLED; i++) /* those still unknown: any order */
        keys[i] = (uint64_t)(a.value[i] < KILLED ? a.value[i] : KILLED + i % 7);
    check_sorted(keys, KILLED);
}

TEST(radix_sort_of_keys_of_few_bits_agrees_with_qsort)
{
    uint64_t a[1000], want[1000], scratch[1000];

    for (int bits = 1; bits <= 40; bits++) {
        fill(a, 1000, (uint64_t)1 << bits, (uint64_t)bits);
        memcpy(want, a, sizeof(a));
        qsort(want, 1000, sizeof(*want), ascending);
        kith__radix_sort_u64(a, scratch, 1000, bits);
        CHECK(memcmp(a, want, sizeof(a)) == 0);
    }
}

TEST(the_first_from_is_what_a_scan_finds)
{
    const int32_t a[] = {1, 3, 3, 7, 20};

    for (int n = 0; n <= 5; n++) {
        for (int32_t x = 0; x <= 21; x++) {
            int i = 0;

            while (i < n && a[i] < x)
                i++;
            CHECK_INT(kith__first_from(a, n, x), i);
        }
    }
}
