#include "check.h"
#include "core/rng.h"
#include "graph/ascending.h"

enum { NODES = 40, BLOCKS = 5 };

/* Some edges of NODES nodes, each with a weight of its own. */
typedef struct dense {
    bool edge[NODES][NODES];
    float weight[NODES][NODES];
} dense;

static void random_edges(kith__rng *r, dense *d)
{
    memset(d, 0, sizeof(*d));
    for (int u = 0; u < NODES; u++)
        for (int v = u + 1; v < NODES; v++) {
            d->edge[u][v] = d->edge[v][u] = kith__rng_below(r, 3) == 0;
            d->weight[u][v] = d->weight[v][u] = (float)(u + NODES * v);
        }
}

static void push(kith__edges *e, uint32_t u, uint32_t v, float w)
{
    CHECK(kith__edges_reserve(e, 1, true));
    e->ends[2 * e->n] = u;
    e->ends[2 * e->n + 1] = v;
    e->weights[e->n++] = w;
}

/* BLOCKS blocks with the edges in order, dealt in runs of 1 to 20 as threads
 * take pieces of a file; ends times `apart`. */
static kith__edges *deal(const dense *d, uint32_t apart, kith__rng *r)
{
    kith__edges *blocks = calloc(BLOCKS, sizeof(*blocks)), *to = blocks;
    int left = 0;

    for (uint32_t u = 0; u < NODES; u++)
        for (uint32_t v = u + 1; v < NODES; v++) {
            if (!d->edge[u][v])
                continue;
            if (left-- == 0) {
                to = &blocks[kith__rng_below(r, BLOCKS)];
                left = (int)kith__rng_below(r, 20);
            }
            push(to, u * apart, v * apart, d->weight[u][v]);
        }
    return blocks;
}

static void release(kith__edges *blocks)
{
    for (int b = 0; b < BLOCKS; b++)
        kith__edges_release(&blocks[b]);
    free(blocks);
}

static void check_rows(const dense *d, const kith__csr *csr)
{
    int64_t p = 0;

    for (int u = 0; u < NODES; u++) {
        CHECK_INT(csr->rows[u], p);
        for (int v = 0; v < NODES; v++) {
            if (!d->edge[u][v])
                continue;
            CHECK_INT(csr->neighbours[p], v);
            CHECK_NEAR(csr->weights[p], d->weight[u][v], 0);
            p++;
        }
    }
    CHECK_INT(csr->rows[NODES], p);
    CHECK_INT(csr->entries, p);
}

/* Build; returns whether the edges were found to be in order. */
static bool build(const kith__edges *blocks, const kith__rank *rank,
                  int threads, const dense *d)
{
    kith__csr csr = {.n = NODES, .rows = calloc(NODES + 1, sizeof(int64_t))};
    bool done = false;
    kith_error err;

    CHECK_OK(kith__ascending_build(blocks, BLOCKS, rank, threads, &csr, &done,
                                   &err));
    if (done)
        check_rows(d, &csr);
    else
        CHECK(!csr.neighbours && !csr.weights && csr.entries == 0);
    kith__csr_release(&csr);
    return done;
}

TEST(edges_in_order_make_the_rows_of_a_dense_matrix)
{
    for (int threads = 1; threads <= 8; threads++) {
        kith__rng r = kith__rng_start((uint64_t)threads, 0);
        kith__edges *blocks;
        dense d;

        random_edges(&r, &d);
        blocks = deal(&d, 1, &r);
        CHECK(build(blocks, NULL, threads, &d));
        release(blocks);
    }
}

TEST(ids_with_gaps_are_numbered)
{
    kith__rng r = kith__rng_start(1, 0);
    kith__edges *blocks;
    kith__rank rank = {0};
    dense d;

    random_edges(&r, &d);
    blocks = deal(&d, 1000, &r);
    CHECK(kith__rank_reserve(&rank, 1000 * NODES));
    for (uint32_t u = 0; u < NODES; u++)
        kith__rank_mark(&rank, 1000 * u);
    CHECK(kith__rank_count(&rank));
    CHECK(build(blocks, &rank, 2, &d));
    kith__rank_release(&rank);
    release(blocks);
}

/* Exchange any two edges of a block, and some thread sees it. */
TEST(a_single_edge_out_of_order_is_noticed)
{
    kith__rng r = kith__rng_start(2, 0);
    dense d;

    random_edges(&r, &d);
    for (int threads = 1; threads <= 4; threads++)
        for (int round = 0; round < 300; round++) {
            kith__edges *const blocks = deal(&d, 1, &r), *e = blocks;
            int64_t i, j;
            uint64_t *pairs, kept;

            while (e->n < 2)
                e++;
            i = (int64_t)kith__rng_below(&r, (uint64_t)e->n - 1);
            j = i + 1 + (int64_t)kith__rng_below(&r, (uint64_t)(e->n - 1 - i));
            pairs = (uint64_t *)(void *)e->ends;
            kept = pairs[i];
            pairs[i] = pairs[j];
            pairs[j] = kept;
            CHECK(!build(blocks, NULL, threads, &d));
            release(blocks);
        }
}

TEST(self_loops_reversed_edges_and_repeats_are_left_to_the_sorting_builder)
{
    const uint32_t odd[][4] = {
        {1, 1, 2, 3}, {2, 1, 2, 3}, {1, 2, 1, 2}, {1, 2, 2, 1}};
    const dense none = {0};

    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
        for (int apart = 0; apart < 2; apart++) { /* in one block, or in two */
            kith__edges *blocks = calloc(BLOCKS, sizeof(*blocks));

            push(&blocks[0], odd[i][0], odd[i][1], 1);
            push(&blocks[apart], odd[i][2], odd[i][3], 1);
            CHECK(!build(blocks, NULL, 2, &none));
            release(blocks);
        }
}
