/*
 * ascending.c: rows from edges in order.
 *
 *   1. share the nodes: thread t has the edges whose smaller end is among its
 *   2. check and count them: larger[u], and cursor[v] for their larger ends
 *   3. counts to starts: row v = its smaller neighbours, then its larger ones
 *   4. fill the rows, taking from the block whose next edge is the smallest
 *
 * In step 4 the smaller neighbours of a row arrive in ascending order, so rows
 * come out sorted, the same for any number of threads.
 *
 * Memory beside the edges: 8 bytes an edge for the rows (16 with weights), and
 * 4 (T + 1) a node.  Cost: two passes over the edges.
 */
#include "graph/ascending.h"

#include "core/alloc.h"
#include "graph/starts.h"

enum {
    BLOCKS_MOST = 64, /* to choose the next edge from */
    LOOK = 1 << 10    /* edges of a block that are looked at first */
};

typedef struct ascending {
    const kith__edges *blocks;
    int n_blocks;
    const kith__rank *rank;
    int threads;
    kith__csr *csr;
    uint32_t *larger; /* n: larger neighbours of each node */
    uint32_t *cursor; /* threads x n, in one array with `larger` */
} ascending;

/* What is left of a block for a thread. */
typedef struct span {
    const kith__edges *e;
    int64_t at, end;
} span;

/* A thread's part of all blocks: the edges from begin on and below end. */
typedef struct share {
    uint64_t begin, end;
    span spans[BLOCKS_MOST];
} share;

/* An edge as one number, so that edges compare as pairs do. */
static inline uint64_t key(const kith__edges *e, int64_t i)
{
    return (uint64_t)e->ends[2 * i] << 32 | e->ends[2 * i + 1];
}

/* Are edges from .. to - 1 in order, the first after the one before it? */
static bool in_order(const kith__edges *e, int64_t from, int64_t to)
{
    uint64_t before = from > 0 ? key(e, from - 1) : 0;

    for (int64_t i = from; i < to; i++) {
        const uint64_t here = key(e, i);

        if (here <= before || here >> 32 >= (uint32_t)here)
            return false;
        before = here;
    }
    return true;
}

/* The first edge of the block that is not below `least`. */
static int64_t first_from(const kith__edges *e, uint64_t least)
{
    int64_t low = 0, high = e->n;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (key(e, middle) < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t edges_below(const ascending *a, uint64_t bound)
{
    int64_t below = 0;

    for (int b = 0; b < a->n_blocks; b++)
        below += first_from(&a->blocks[b], bound);
    return below;
}

/* The least smaller end of thread t's share, as a key: as many edges are below
 * it as the threads before t should have. */
static uint64_t share_begin(const ascending *a, int t)
{
    uint64_t low = 0, high = (uint64_t)1 << 31;
    int64_t all = 0;

    if (t == a->threads)
        return UINT64_MAX;
    for (int b = 0; b < a->n_blocks; b++)
        all += a->blocks[b].n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (edges_below(a, middle << 32) < all / a->threads * t)
            low = middle + 1;
        else
            high = middle;
    }
    return low << 32;
}

/*
 * Thread t's part of every block.  Parts of neighbouring threads meet, whether
 * the block is in order or not, and so all edges are in one.
 */
static void take_share(const ascending *a, int t, share *mine)
{
    mine->begin = share_begin(a, t);
    mine->end = share_begin(a, t + 1);
    for (int b = 0; b < a->n_blocks; b++) {
        const kith__edges *e = &a->blocks[b];

        mine->spans[b] = (span){e, first_from(e, mine->begin),
                                first_from(e, mine->end)};
    }
}

/* In order, and between the bounds, so that no other thread has its rows? */
static bool is_fine(const share *mine, const span *s)
{
    return s->at >= s->end ||
           (in_order(s->e, s->at, s->end) && key(s->e, s->at) >= mine->begin &&
            key(s->e, s->end - 1) < mine->end);
}

static inline uint32_t number(const ascending *a, uint32_t end)
{
    return a->rank ? kith__rank_of(a->rank, end) : end;
}

static void count_span(const ascending *a, const span *s, uint32_t *cursor)
{
    const uint32_t *ends = s->e->ends;

    for (int64_t i = s->at; i < s->end;) {
        const uint32_t u = ends[2 * i];
        const int64_t begin = i;

        for (; i < s->end && ends[2 * i] == u; i++)
            cursor[number(a, ends[2 * i + 1])]++;
        a->larger[number(a, u)] += (uint32_t)(i - begin);
    }
}

/* Step 2; false if the edges are not in order. */
static bool count_all(const ascending *a)
{
    bool fine = true;

    memset(a->larger, 0, (size_t)a->csr->n * sizeof(*a->larger));
#pragma omp parallel for num_threads(a->threads) schedule(static, 1) \
    reduction(&& : fine)
    for (int t = 0; t < a->threads; t++) {
        uint32_t *cursor = a->cursor + (int64_t)t * a->csr->n;
        share mine;

        take_share(a, t, &mine);
        memset(cursor, 0, (size_t)a->csr->n * sizeof(*cursor));
        for (int b = 0; b < a->n_blocks && fine; b++) {
            fine = is_fine(&mine, &mine.spans[b]);
            if (fine)
                count_span(a, &mine.spans[b], cursor);
        }
    }
    return fine;
}

/* ---- filling ------------------------------------------------------------- */

/* Where the next larger neighbour of u goes. */
typedef struct place {
    uint32_t u;
    int64_t next;
} place;

static void put(const ascending *a, int64_t to, uint32_t neighbour,
                const kith__edges *e, int64_t i)
{
    a->csr->neighbours[to] = (int32_t)neighbour;
    if (a->csr->weights)
        a->csr->weights[to] = e->weights[i];
}

static void fill_run(const ascending *a, const kith__edges *e, int64_t from,
                     int64_t to, uint32_t *cursor, place *at)
{
    const int64_t *rows = a->csr->rows;

    for (int64_t i = from; i < to; i++) {
        const uint32_t u = number(a, e->ends[2 * i]);
        const uint32_t v = number(a, e->ends[2 * i + 1]);

        if (u != at->u)
            *at = (place){u, rows[u + 1] - a->larger[u]};
        put(a, at->next++, v, e, i);
        put(a, cursor[v]++, u, e, i);
    }
}

/* The span whose next edge is the smallest, and in *other the smallest next
 * edge of the others; NULL if none has any left. */
static span *smallest(span *spans, int n, uint64_t *other)
{
    uint64_t least = UINT64_MAX;
    span *first = NULL;

    *other = UINT64_MAX;
    for (span *s = spans; s < spans + n; s++) {
        const uint64_t here = s->at < s->end ? key(s->e, s->at) : UINT64_MAX;

        if (here < least) {
            *other = least;
            least = here;
            first = s;
        } else if (here < *other) {
            *other = here;
        }
    }
    return first;
}

/* Thread t's edges, in order; false if one comes twice. */
static bool fill_share(const ascending *a, int t)
{
    place at = {UINT32_MAX, 0};
    share mine;
    span *from;
    uint64_t other;

    take_share(a, t, &mine);
    while ((from = smallest(mine.spans, a->n_blocks, &other)) != NULL) {
        const int64_t all = first_from(from->e, other);
        const int64_t end = all < from->end ? all : from->end;

        if (end == from->at)
            return false; /* another block has the same edge */
        fill_run(a, from->e, from->at, end, a->cursor + (int64_t)t * a->csr->n,
                 &at);
        from->at = end;
    }
    return true;
}

static bool fill_all(const ascending *a)
{
    bool fine = true;

#pragma omp parallel for num_threads(a->threads) schedule(static, 1) \
    reduction(&& : fine)
    for (int t = 0; t < a->threads; t++)
        fine = fill_share(a, t) && fine;
    return fine;
}

/* ---- all of it ----------------------------------------------------------- */

/* Worth a try?  The first edges of every block tell, so that a list without
 * order is not read twice. */
static bool looks_ascending(const kith__edges *blocks, int64_t n_blocks)
{
    bool fine = n_blocks > 0 && n_blocks <= BLOCKS_MOST;

    for (int64_t b = 0; b < n_blocks && fine; b++)
        fine = in_order(&blocks[b], 0, blocks[b].n < LOOK ? blocks[b].n : LOOK);
    return fine;
}

static kith_status new_rows(kith__csr *csr, bool weighted, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(csr->neighbours,
            kith__alloc_big(csr->entries, sizeof(*csr->neighbours)));
    if (weighted)
        TRY_NEW(csr->weights,
                kith__alloc_big(csr->entries, sizeof(*csr->weights)));
out:
    return st;
}

kith_status kith__ascending_build(const kith__edges *blocks, int64_t n_blocks,
                                  const kith__rank *rank, int threads,
                                  kith__csr *csr, bool *done, kith_error *err)
{
    kith_status st = KITH_OK;
    ascending a = {.blocks = blocks,
                   .n_blocks = (int)n_blocks,
                   .rank = rank,
                   .threads = threads,
                   .csr = csr};
    const int64_t n = csr->n;

    *done = false;
    if (!looks_ascending(blocks, n_blocks))
        return KITH_OK;
    TRY_NEW(a.larger, kith__alloc_big(n * (threads + 1), sizeof(*a.larger)));
    a.cursor = a.larger + n;
    if (!count_all(&a))
        goto out;
    csr->entries = kith__counts_to_starts(a.cursor, threads, csr->n, a.larger,
                                          csr->rows);
    TRY(new_rows(csr, blocks[0].weights != NULL, err));
    *done = fill_all(&a);
out:
    if (!*done) {
        kith__free(csr->neighbours);
        kith__free(csr->weights);
        csr->neighbours = NULL;
        csr->weights = NULL;
        csr->entries = 0;
    }
    kith__free(a.larger);
    return st;
}
