#include "check.h"
#include "core/rng.h"
#include "graph/builder.h"

enum { MOST = 64 };

/* The slow literal twin: a dense matrix of who is next to whom. */
typedef struct dense {
    int n;
    bool edge[MOST][MOST];
    double weight[MOST][MOST];
    int forward[MOST][MOST]; /* times given as u-v, u < v */
    int64_t loops;
} dense;

static void dense_add(dense *d, uint32_t u, uint32_t v, float w, kith_merge m)
{
    if (u == v) {
        d->loops++;
        return;
    }
    d->forward[u][v]++;
    d->edge[u][v] = d->edge[v][u] = true;
    if (m == KITH_MERGE_SUM)
        d->weight[u][v] += (double)w;
    else if ((double)w > d->weight[u][v])
        d->weight[u][v] = (double)w;
    d->weight[v][u] = d->weight[u][v];
}

static void check_rows(const dense *d, const kith__csr *csr)
{
    int64_t p = 0;

    CHECK_INT(csr->n, d->n);
    CHECK_INT(csr->rows[0], 0);
    for (int u = 0; u < d->n; u++) {
        for (int v = 0; v < d->n; v++) {
            if (!d->edge[u][v])
                continue;
            CHECK_INT(csr->neighbours[p], v);
            if (csr->weights)
                CHECK_NEAR(csr->weights[p], d->weight[u][v], 1e-5);
            p++;
        }
        CHECK_INT(csr->rows[u + 1], p);
    }
    CHECK_INT(csr->entries, p);
}

static void check_counts(const dense *d, const kith_cleaning *c)
{
    int64_t duplicates = 0, one = 0, both = 0, isolated = 0;

    for (int u = 0; u < d->n; u++) {
        bool any = false;

        for (int v = 0; v < d->n; v++) {
            const int to = d->forward[u][v], from = d->forward[v][u];

            any |= d->edge[u][v];
            if (u >= v || to + from == 0)
                continue;
            duplicates += to + from - (to > 0) - (from > 0);
            one += !to || !from;
            both += to && from;
        }
        isolated += !any;
    }
    CHECK_INT(c->duplicates, duplicates);
    CHECK_INT(c->one_way, one);
    CHECK_INT(c->both_ways, both);
    CHECK_INT(c->self_loops, d->loops);
    CHECK_INT(c->isolated, isolated);
}

/* Add `edges` random edges in blocks of uneven sizes to both. */
static void add_random(kith__builder *b, dense *d, int edges, bool weighted,
                       kith_merge merge, uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 0);
    kith_error err;

    for (int done = 0; done < edges;) {
        kith__edges e = {0};
        const int n = 1 + (int)kith__rng_below(&r, 40);

        CHECK(kith__edges_reserve(&e, n, weighted));
        for (int i = 0; i < n && done < edges; i++, done++) {
            const uint32_t u = (uint32_t)kith__rng_below(&r, (uint64_t)d->n);
            const uint32_t v = (uint32_t)kith__rng_below(&r, (uint64_t)d->n);
            const float w = (float)kith__rng_below(&r, 9) / 8;

            e.ends[2 * e.n] = u;
            e.ends[2 * e.n + 1] = v;
            if (weighted)
                e.weights[e.n] = w;
            e.n++;
            dense_add(d, u, v, weighted ? w : 1, merge);
        }
        CHECK_OK(kith__builder_add(b, &e, &err));
    }
}

static void check_build(int n, int edges, bool weighted, kith_merge merge,
                        int threads, int64_t memory, uint64_t seed)
{
    kith_build_options o = {.job = {.threads = threads, .memory = memory},
                            .merge = merge,
                            .spill_to = check_folder()};
    dense *d = calloc(1, sizeof(*d));
    kith_cleaning cleaning = {0};
    kith__builder *b = NULL;
    kith__csr csr = {0};
    kith__ids ids = {0};
    kith_error err;

    d->n = n;
    CHECK_OK(kith__builder_new(&o, false, weighted, &b, &err));
    add_random(b, d, edges, weighted, merge, seed);
    CHECK_OK(
        kith__builder_finish(b, n, NULL, NULL, &csr, &ids, &cleaning, &err));
    check_rows(d, &csr);
    check_counts(d, &cleaning);
    kith__csr_release(&csr);
    kith__builder_free(b);
    free(d);
}

TEST(rows_equal_a_dense_matrix)
{
    for (int threads = 1; threads <= 8; threads++) {
        check_build(1, 3, false, 0, threads, 0, 1);
        check_build(2, 50, false, 0, threads, 0, 2);
        check_build(50, 20, false, 0, threads, 0, 3);
        check_build(64, 3000, false, 0, threads, 0, 4);
    }
}

TEST(rows_equal_a_dense_matrix_when_spilled)
{
    for (int threads = 1; threads <= 8; threads *= 2) {
        check_build(2, 50, false, 0, threads, 100, 5);
        check_build(64, 3000, false, 0, threads, 1000, 6);
        check_build(60, 500, false, 0, threads, 1, 7);
    }
}

TEST(weights_are_merged_by_maximum_or_sum)
{
    for (int spilled = 0; spilled < 2; spilled++) {
        const int64_t memory = spilled ? 1000 : 0;

        check_build(40, 2000, true, KITH_MERGE_MAX, 2, memory, 8);
        check_build(40, 2000, true, KITH_MERGE_SUM, 2, memory, 9);
    }
}

/* Raw ids 10, 5, 70: nodes 5, 10, 70 in that order, and 7 is marked. */
TEST(raw_ids_are_numbered_in_their_order)
{
    for (int spilled = 0; spilled < 2; spilled++) {
        kith_build_options o = {.job = {.memory = spilled ? 1 : 0},
                                .spill_to = check_folder()};
        kith_cleaning cleaning = {0};
        kith__rank seen = {0};
        kith__edges e = {0};
        kith__builder *b = NULL;
        kith__csr csr = {0};
        kith__ids ids = {0};
        kith_error err;

        CHECK(kith__edges_reserve(&e, 2, false));
        memcpy(e.ends, (uint32_t[]){10, 5, 10, 70}, 16);
        e.n = 2;
        CHECK_OK(kith__builder_new(&o, true, false, &b, &err));
        CHECK(kith__rank_reserve(&seen, 70));
        for (int i = 0; i < 4; i++)
            kith__rank_mark(&seen, (uint32_t[]){5, 7, 10, 70}[i]);
        CHECK_OK(kith__builder_mark(b, &seen, &err));
        CHECK_OK(kith__builder_add(b, &e, &err));
        CHECK_OK(kith__builder_finish(b, 0, NULL, NULL, &csr, &ids, &cleaning,
                                      &err));
        CHECK_INT(csr.n, 4);
        CHECK_INT(ids.values[0], 5);
        CHECK_INT(ids.values[1], 7);
        CHECK_INT(ids.values[2], 10);
        CHECK_INT(ids.values[3], 70);
        CHECK_INT(csr.neighbours[0], 2); /* 5: 10 */
        CHECK_INT(csr.rows[2], 1);       /* 7: nobody */
        CHECK_INT(csr.neighbours[1], 0); /* 10: 5, 70 */
        CHECK_INT(csr.neighbours[2], 3);
        CHECK_INT(csr.neighbours[3], 2); /* 70: 10 */
        CHECK_INT(cleaning.isolated, 1);
        kith__rank_release(&seen);
        kith__csr_release(&csr);
        kith__ids_release(&ids);
        kith__builder_free(b);
    }
}

/* Three edges, in order or with the larger end first. */
static kith_status build_once(int64_t memory, bool weighted, bool in_order)
{
    kith_build_options o = {.job = {.threads = 1, .memory = memory},
                            .spill_to = check_folder()};
    kith_cleaning cleaning = {0};
    kith__builder *b = NULL;
    kith__edges e = {0};
    kith__csr csr = {0};
    kith__ids ids = {0};
    kith__rank seen = {.words = 1, .seen = &(uint64_t){0x207}};
    kith_status st = kith__builder_new(&o, true, weighted, &b, NULL);

    if (st == KITH_OK)
        st = kith__builder_mark(b, &seen, NULL);

    for (int i = 0; i < 3 && st == KITH_OK; i++) {
        if (!kith__edges_reserve(&e, 1, weighted)) {
            st = KITH_ERR_NOMEM;
            break;
        }
        e.ends[!in_order] = (uint32_t)i;
        e.ends[in_order] = 9;
        if (weighted)
            e.weights[0] = 1;
        e.n = 1;
        st = kith__builder_add(b, &e, NULL);
    }
    if (st == KITH_OK)
        st = kith__builder_finish(b, 0, NULL, NULL, &csr, &ids, &cleaning,
                                  NULL);
    kith__edges_release(&e);
    kith__csr_release(&csr);
    kith__ids_release(&ids);
    kith__builder_free(b);
    return st;
}

TEST(building_survives_every_failed_allocation)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        CHECK_OOM(st = build_once(0, weighted, true), );
        CHECK_OOM(st = build_once(0, weighted, false), );
        CHECK_OOM(st = build_once(1, weighted, false), );
    }
}
