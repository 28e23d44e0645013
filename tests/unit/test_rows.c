/* What the builder is made of: rows merged, ids ranked, starts of rows. */
#include <float.h>

#include "check.h"
#include "core/rng.h"
#include "graph/rank.h"
#include "graph/rows.h"
#include "graph/starts.h"

/* ---- one row ------------------------------------------------------------- */

enum { NODES = 9, ENTRIES = 20 };

/* One row in the slow, literal way: a count and a weight for each neighbour. */
typedef struct literal {
    int given[NODES][2];
    float largest[NODES];
    double sum[NODES];
} literal;

static kith__merged literal_counts(const literal *l)
{
    kith__merged c = {0};

    for (int v = 0; v < NODES; v++) {
        const int f = l->given[v][0], r = l->given[v][1];

        if (f + r == 0)
            continue;
        c.duplicates += (f > 1 ? f - 1 : 0) + (r > 1 ? r - 1 : 0);
        c.one_way += f == 0 || r == 0;
        c.both_ways += f > 0 && r > 0;
    }
    return c;
}

static void check_counts(const kith__merged *got, const literal *l)
{
    const kith__merged want = literal_counts(l);

    CHECK_INT(got->duplicates, want.duplicates);
    CHECK_INT(got->one_way, want.one_way);
    CHECK_INT(got->both_ways, want.both_ways);
    CHECK_INT(got->overflows, 0);
}

/* n entries, of a few neighbours or in order and each once. */
static void draw(uint64_t seed, int n, literal *l, uint32_t *entry,
                 uint64_t *wide)
{
    kith__rng r = kith__rng_start(seed, 0);

    memset(l, 0, sizeof(*l));
    for (int i = 0; i < n; i++) {
        const uint32_t v = seed % 4 ? (uint32_t)kith__rng_below(&r, NODES)
                                    : (uint32_t)i;
        const uint32_t back = (uint32_t)kith__rng_below(&r, 2);
        const float w = (float)kith__rng_below(&r, 8) / 4;

        entry[i] = v << 1 | back;
        wide[i] = (uint64_t)entry[i] << 32 | kith__float_bits(w);
        l->given[v][back]++;
        l->largest[v] = w > l->largest[v] ? w : l->largest[v];
        l->sum[v] += (double)w;
    }
}

TEST(merged_rows_are_the_literal_ones)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        const int n = (int)(seed % (seed % 4 ? ENTRIES : NODES)) + 1;
        uint32_t entry[ENTRIES], plain[ENTRIES];
        uint64_t wide[ENTRIES], summed[ENTRIES];
        kith__merged counted = {0}, heavy = {0};
        int64_t kept, k = 0;
        literal l;

        draw(seed, n, &l, entry, wide);
        memcpy(plain, entry, sizeof(entry));
        memcpy(summed, wide, sizeof(wide));
        kept = kith__row_merge(entry, n, &counted);
        CHECK_INT(kith__row_merge(plain, n, NULL), kept);
        CHECK_INT(kith__row_merge_weighted(wide, n, KITH_MERGE_MAX, &heavy),
                  kept);
        CHECK_INT(kith__row_merge_weighted(summed, n, KITH_MERGE_SUM, NULL),
                  kept);
        for (uint32_t v = 0; v < NODES; v++) {
            if (l.given[v][0] + l.given[v][1] == 0)
                continue;
            CHECK_INT(entry[k], v << 1);
            CHECK_INT(plain[k], v << 1);
            CHECK_INT(wide[k] >> 32, v << 1);
            CHECK_INT(summed[k] >> 32, v << 1);
            CHECK(kith__bits_float((uint32_t)wide[k]) == l.largest[v]);
            CHECK(kith__bits_float((uint32_t)summed[k]) == (float)l.sum[v]);
            k++;
        }
        CHECK_INT(kept, k);
        check_counts(&counted, &l);
        check_counts(&heavy, &l);
    }
}

/* Two halves of the largest float make it; a bit more is too much, and the
 * largest of the two is not. */
TEST(sums_that_no_float_holds_are_counted_and_refused)
{
    const float half = FLT_MAX / 2;
    kith__merged fits = {0}, over = {0}, most = {0};
    kith_error err;

    for (int i = 0; i < 3; i++) {
        uint64_t row[] = {(uint64_t)6 << 32 | kith__float_bits(half),
                          (uint64_t)7 << 32 |
                              kith__float_bits(i ? half * 1.5f : half)};
        kith__merged *to = i == 0 ? &fits : i == 1 ? &over : &most;

        CHECK_INT(kith__row_merge_weighted(
                      row, 2, i == 2 ? KITH_MERGE_MAX : KITH_MERGE_SUM, to),
                  1);
    }
    CHECK_INT(fits.overflows, 0);
    CHECK_INT(over.overflows, 1);
    CHECK_INT(most.overflows, 0);
    CHECK_OK(kith__merged_check(&fits, &err));
    CHECK_INT(kith__merged_check(&over, &err), KITH_ERR_RANGE);
    CHECK(strstr(err.text, "of 1 edge add") != NULL);
    over.overflows = 2;
    CHECK_INT(kith__merged_check(&over, &err), KITH_ERR_RANGE);
    CHECK(strstr(err.text, "of 2 edges add") != NULL);
}

/* ---- ranks --------------------------------------------------------------- */

TEST(a_rank_is_the_number_of_smaller_ids_seen)
{
    static const uint32_t one[] = {0, 5, 63, 64, 200}, other[] = {5, 127, 5000};
    static const uint32_t all[] = {0, 5, 63, 64, 127, 200, 5000};
    kith__rank a = {0}, b = {0}, none = {0};

    CHECK(kith__rank_reserve(&a, 200));
    for (int i = 0; i < 5; i++)
        kith__rank_mark(&a, one[i]);
    CHECK(kith__rank_reserve(&b, 5000));
    for (int i = 0; i < 3; i++)
        kith__rank_mark(&b, other[i]);
    CHECK(kith__rank_count(&a));
    CHECK_INT(a.n, 5);
    CHECK(kith__rank_merge(&a, &b));
    CHECK(kith__rank_merge(&a, &none));
    CHECK(kith__rank_count(&a));
    CHECK_INT(a.n, 7);
    for (uint32_t i = 0; i < 7; i++)
        CHECK_INT(kith__rank_of(&a, all[i]), i);
    kith__rank_release(&a);
    kith__rank_release(&b);
    CHECK(a.seen == NULL && a.words == 0 && a.n == 0);
}

/* Room for an id is room for its bit, and no word of it is dirty. */
TEST(room_for_an_id_is_room_for_its_bit)
{
    static const uint32_t largest[] = {0, 63, 64, 1023, 1024, 1u << 20};

    for (size_t i = 0; i < sizeof(largest) / sizeof(*largest); i++) {
        kith__rank r = {0};

        CHECK(kith__rank_reserve(&r, largest[i]));
        CHECK(r.words * 64 > (int64_t)largest[i]);
        CHECK(kith__rank_count(&r));
        CHECK_INT(r.n, 0);
        kith__rank_mark(&r, largest[i]);
        CHECK(kith__rank_count(&r));
        CHECK_INT(r.n, 1);
        kith__rank_release(&r);
    }
}

/* ---- starts -------------------------------------------------------------- */

TEST(starts_of_rows_are_sums_of_the_counts_before)
{
    enum { N = 7 };
    for (int threads = 1; threads <= 3; threads++) {
        for (int with = 0; with < 2; with++) {
            uint32_t count[3 * N], cursor[3 * N], extra[N];
            int64_t starts[N + 1], sum = 0;

            for (int i = 0; i < 3 * N; i++)
                cursor[i] = count[i] = (uint32_t)(i * 5 % 4);
            for (int u = 0; u < N; u++)
                extra[u] = (uint32_t)(u % 3);
            const int64_t all = kith__counts_to_starts(
                cursor, threads, N, with ? extra : NULL, starts);
            for (int u = 0; u < N; u++) {
                CHECK_INT(starts[u], sum);
                for (int t = 0; t < threads; t++) {
                    CHECK_INT(cursor[t * N + u], sum);
                    sum += count[t * N + u];
                }
                sum += with ? extra[u] : 0;
            }
            CHECK_INT(starts[N], sum);
            CHECK_INT(all, sum);
        }
    }
}
