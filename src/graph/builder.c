/*
 * builder.c: edges to rows, in memory.
 *
 * Edges that come in order are a case of their own (ascending.h).  Else, with
 * u < v for every edge after dropping self-loops:
 *   1. count the entries of each row u, per thread           (4 n T bytes)
 *   2. scatter v << 1 | reversed into row u                  (4 bytes a line)
 *   3. sort each row, merge repeats                          -> upper triangle
 *   4. and count for each v its smaller neighbours, per thread
 *   5. row v = its smaller neighbours, then its larger ones  (8 bytes an edge)
 *
 * Each thread takes a contiguous share of the blocks in 1-2 and of the rows in
 * 3-5 and has its own cursor in every row: no atomics, and in step 5 smaller
 * neighbours arrive in ascending order, so rows come out sorted.
 *
 * Peak: the list (8 bytes a line) beside the upper triangle (4), later the
 * upper triangle beside the rows (8 an edge).  Weights add 4 bytes to each.
 */
#include "graph/builder.h"

#include "core/alloc.h"
#include "core/job.h"
#include "graph/ascending.h"
#include "graph/rows.h"
#include "graph/spill.h"
#include "graph/starts.h"

struct kith__builder {
    kith_job job;
    kith_merge merge;
    char *spill_to;
    bool raw, weighted;
    kith__edges *blocks;
    int64_t n_blocks, cap_blocks;
    int64_t held;  /* edges in blocks */
    int64_t total; /* edges added in all */
    kith__rank rank;
    kith__spill *spill;
};

void kith__edges_release(kith__edges *e)
{
    kith__free(e->ends);
    kith__free(e->weights);
    *e = (kith__edges){0};
}

bool kith__edges_reserve(kith__edges *e, int64_t more, bool weighted)
{
    int64_t cap_ends = e->capacity * 2, cap_weights = e->capacity;

    if (e->n + more <= e->capacity)
        return true;
    if (!kith__grow((void **)&e->ends, &cap_ends, (e->n + more) * 2,
                    sizeof(*e->ends)))
        return false;
    if (weighted && !kith__grow((void **)&e->weights, &cap_weights,
                                cap_ends / 2, sizeof(*e->weights)))
        return false;
    e->capacity = cap_ends / 2;
    return true;
}

kith_status kith__builder_new(const kith_build_options *options, bool raw,
                              bool weighted, kith__builder **out,
                              kith_error *err)
{
    const char *folder = options->spill_to ? options->spill_to : ".";
    kith_status st = KITH_OK;
    kith__builder *b = NULL;

    *out = NULL;
    TRY_NEW(b, kith__alloc_zeroed(1, sizeof(*b)));
    TRY_NEW(b->spill_to, kith__copy_string(folder, strlen(folder)));
    b->job = options->job;
    b->merge = options->merge;
    b->raw = raw;
    b->weighted = weighted;
    *out = b;
    b = NULL;
out:
    kith__builder_free(b);
    return st;
}

static void drop_blocks(kith__builder *b)
{
    for (int64_t i = 0; i < b->n_blocks; i++)
        kith__edges_release(&b->blocks[i]);
    kith__free(b->blocks);
    b->blocks = NULL;
    b->n_blocks = b->cap_blocks = 0;
    b->held = 0;
}

void kith__builder_free(kith__builder *b)
{
    if (!b)
        return;
    drop_blocks(b);
    kith__rank_release(&b->rank);
    kith__spill_free(b->spill);
    kith__free(b->spill_to);
    kith__free(b);
}

int64_t kith__builder_edges(const kith__builder *b)
{
    return b->total;
}

kith_status kith__builder_mark(kith__builder *b, const kith__rank *seen,
                               kith_error *err)
{
    return kith__rank_merge(&b->rank, seen) ? KITH_OK : kith__no_memory(err);
}

static kith_status spill_blocks(kith__builder *b, kith_error *err)
{
    kith_status st = KITH_OK;

    if (!b->spill)
        TRY(kith__spill_new(b->spill_to, &b->job, b->weighted, b->merge,
                            &b->spill, err));
    TRY(kith__spill_add(b->spill, b->blocks, b->n_blocks, err));
out:
    drop_blocks(b);
    return st;
}

/* Over the memory allowed?  The list may take a quarter of it: sorting or
 * merging it takes the rest.  Cursors are places below 2^32. */
static bool must_spill(const kith__builder *b)
{
    const int64_t bytes = b->held * (b->weighted ? 12 : 8);

    return b->held >= UINT32_MAX / 2 ||
           (b->job.memory > 0 && bytes > b->job.memory / 4);
}

kith_status kith__builder_add(kith__builder *b, kith__edges *e, kith_error *err)
{
    kith_status st = KITH_OK;

    if (e->n == 0) {
        kith__edges_release(e);
        return KITH_OK;
    }
    if (!kith__grow((void **)&b->blocks, &b->cap_blocks, b->n_blocks + 1,
                    sizeof(*b->blocks)))
        TRY(kith__no_memory(err));
    b->held += e->n;
    b->total += e->n;
    b->blocks[b->n_blocks++] = *e;
    *e = (kith__edges){0};
    if (must_spill(b))
        TRY(spill_blocks(b, err));
out:
    return st;
}

/* ---- in memory ----------------------------------------------------------- */

/* What the five steps share. */
typedef struct work {
    const kith__builder *b;
    const kith__rank *rank; /* NULL: ends are node numbers already */
    int32_t n;
    int threads;
    int64_t *start;   /* n + 1: first entry of each row of the triangle */
    uint32_t *cursor; /* threads x n; these three lie in one array */
    uint32_t *kept;   /* n: entries left in each row after merging */
    uint32_t *plain;  /* the triangle, one of the two */
    uint64_t *weighted;
    int64_t self_loops;
    kith__merged merged;
} work;

/* The three tables of w, beginning with `start`: its large pages serve all. */
static int64_t *new_tables(work *w)
{
    const int64_t n = w->n, cells = 2 * (n + 1) + n * w->threads + n;
    int64_t *start = kith__alloc_big(cells, sizeof(*w->cursor));

    if (!start)
        return NULL;
    w->cursor = (uint32_t *)(start + n + 1);
    w->kept = w->cursor + n * w->threads;
    return start;
}

static void release_work(work *w)
{
    kith__free(w->start);
    kith__free(w->plain);
    kith__free(w->weighted);
}

/* Threads worth their n cursors: no more than fit twice the edge list. */
static int useful_threads(const kith__builder *b, int32_t n)
{
    const int threads = kith__threads(&b->job);
    const int64_t worth = n > 0 ? 2 * b->held / n : 1;

    return threads <= worth ? threads : worth < 1 ? 1 : (int)worth;
}

static uint32_t end_of(const work *w, const kith__edges *e, int64_t i)
{
    return w->rank ? kith__rank_of(w->rank, e->ends[i]) : e->ends[i];
}

/* The edge as (smaller, larger, reversed); false for a self-loop. */
static inline bool ordered(const work *w, const kith__edges *e, int64_t i,
                           uint32_t *u, uint32_t *entry)
{
    const uint32_t a = end_of(w, e, 2 * i), b = end_of(w, e, 2 * i + 1);

    *u = a < b ? a : b;
    *entry = (a < b ? b : a) << 1 | (a > b);
    return a != b;
}

static void count_upper(work *w)
{
    const int T = w->threads;
    int64_t loops = 0;

#pragma omp parallel for num_threads(T) schedule(static, 1) reduction(+ : loops)
    for (int t = 0; t < T; t++) {
        uint32_t *cursor = w->cursor + (int64_t)t * w->n;

        memset(cursor, 0, (size_t)w->n * sizeof(*cursor));
        for (int64_t k = w->b->n_blocks * t / T;
             k < w->b->n_blocks * (t + 1) / T; k++) {
            const kith__edges *e = &w->b->blocks[k];

            for (int64_t i = 0; i < e->n; i++) {
                uint32_t u, entry;

                if (ordered(w, e, i, &u, &entry))
                    cursor[u]++;
                else
                    loops++;
            }
        }
    }
    w->self_loops = loops;
}

static void scatter_upper(work *w)
{
    const int T = w->threads;

#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int t = 0; t < T; t++) {
        uint32_t *cursor = w->cursor + (int64_t)t * w->n;

        for (int64_t k = w->b->n_blocks * t / T;
             k < w->b->n_blocks * (t + 1) / T; k++) {
            const kith__edges *e = &w->b->blocks[k];

            for (int64_t i = 0; i < e->n; i++) {
                uint32_t u, entry;
                int64_t to;

                if (!ordered(w, e, i, &u, &entry))
                    continue;
                to = cursor[u]++;
                if (w->weighted)
                    w->weighted[to] = (uint64_t)entry << 32 |
                                      kith__float_bits(e->weights[i]);
                else
                    w->plain[to] = entry;
            }
        }
    }
}

static inline uint32_t larger_end(const work *w, int64_t p)
{
    return w->weighted ? (uint32_t)(w->weighted[p] >> 33) : w->plain[p] >> 1;
}

/* First row of thread t's share, by entries of the triangle. */
static int32_t share_begin(const work *w, int t)
{
    const int64_t goal = w->start[w->n] / w->threads * t;
    int32_t low = 0, high = w->n;

    if (t == w->threads)
        return w->n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;

        if (w->start[middle] < goal)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merge a row, and count it for its larger ends while it is in the cache. */
static void merge_row(work *w, int32_t u, uint32_t *cursor, kith__merged *m)
{
    const int64_t from = w->start[u], n = w->start[u + 1] - from;
    const int64_t kept = w->weighted
                             ? kith__row_merge_weighted(w->weighted + from, n,
                                                        w->b->merge, m)
                             : kith__row_merge(w->plain + from, n, m);

    w->kept[u] = (uint32_t)kept;
    for (int64_t p = from; p < from + kept; p++)
        cursor[larger_end(w, p)]++;
}

static void merge_rows(work *w)
{
    const int T = w->threads;
    int64_t duplicates = 0, one_way = 0, both_ways = 0, overflows = 0;

#pragma omp parallel for num_threads(T) schedule(static, 1) \
    reduction(+ : duplicates, one_way, both_ways, overflows)
    for (int t = 0; t < T; t++) {
        uint32_t *cursor = w->cursor + (int64_t)t * w->n;
        const int32_t end = share_begin(w, t + 1);
        kith__merged m = {0};

        memset(cursor, 0, (size_t)w->n * sizeof(*cursor));
        for (int32_t u = share_begin(w, t); u < end; u++)
            merge_row(w, u, cursor, &m);
        duplicates += m.duplicates;
        one_way += m.one_way;
        both_ways += m.both_ways;
        overflows += m.overflows;
    }
    w->merged = (kith__merged){duplicates, one_way, both_ways, overflows};
}

static void put(kith__csr *csr, const work *w, int64_t to, uint32_t neighbour,
                int64_t from)
{
    csr->neighbours[to] = (int32_t)neighbour;
    if (csr->weights && w->weighted)
        csr->weights[to] = kith__bits_float((uint32_t)w->weighted[from]);
}

static void fill_rows(work *w, kith__csr *csr)
{
    const int T = w->threads;

#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int t = 0; t < T; t++) {
        uint32_t *cursor = w->cursor + (int64_t)t * w->n;
        const int32_t end = share_begin(w, t + 1);

        for (int32_t u = share_begin(w, t); u < end; u++) {
            int64_t mine = csr->rows[u + 1] - w->kept[u];

            for (int64_t p = w->start[u]; p < w->start[u] + w->kept[u]; p++) {
                const uint32_t v = larger_end(w, p);

                put(csr, w, mine++, v, p);
                put(csr, w, cursor[v]++, (uint32_t)u, p);
            }
        }
    }
}

static kith_status sort_and_build(kith__builder *b, const kith__rank *rank,
                                  kith__csr *csr, kith_cleaning *cleaning,
                                  kith_error *err)
{
    kith_status st = KITH_OK;
    work w = {.b = b, .rank = rank, .n = csr->n};
    int64_t lines;

    w.threads = useful_threads(b, w.n);
    TRY_NEW(w.start, new_tables(&w));
    count_upper(&w);
    lines = kith__counts_to_starts(w.cursor, w.threads, w.n, NULL, w.start);
    if (b->weighted)
        TRY_NEW(w.weighted, kith__alloc_big(lines, sizeof(*w.weighted)));
    else
        TRY_NEW(w.plain, kith__alloc_big(lines, sizeof(*w.plain)));
    TRY(kith__progress(&b->job, "sorting", 0, b->held, "edges", err));
    scatter_upper(&w);
    drop_blocks(b);
    merge_rows(&w);
    TRY(kith__merged_check(&w.merged, err));
    csr->entries = kith__counts_to_starts(w.cursor, w.threads, w.n, w.kept,
                                          csr->rows);
    TRY_NEW(csr->neighbours,
            kith__alloc_big(csr->entries, sizeof(*csr->neighbours)));
    if (b->weighted)
        TRY_NEW(csr->weights,
                kith__alloc_big(csr->entries, sizeof(*csr->weights)));
    fill_rows(&w, csr);
    cleaning->self_loops += w.self_loops;
    cleaning->duplicates += w.merged.duplicates;
    cleaning->one_way += w.merged.one_way;
    cleaning->both_ways += w.merged.both_ways;
out:
    release_work(&w);
    return st;
}

/* Edges that come in order need no sorting. */
static kith_status build_in_memory(kith__builder *b, const kith__rank *rank,
                                   kith__csr *csr, kith_cleaning *cleaning,
                                   kith_error *err)
{
    kith_status st = KITH_OK;
    bool done;

    TRY(kith__ascending_build(b->blocks, b->n_blocks, rank,
                              useful_threads(b, csr->n), csr, &done, err));
    if (!done)
        return sort_and_build(b, rank, csr, cleaning, err);
    cleaning->one_way += csr->entries / 2;
    drop_blocks(b);
out:
    return st;
}

bool kith__builder_spilled(const kith__builder *b)
{
    return b->spill != NULL;
}

/* ---- finishing ----------------------------------------------------------- */

/* First and last id seen; there is one. */
static void ends_of(const kith__rank *r, int64_t *first, int64_t *last)
{
    int64_t low = 0, high = r->words - 1;

    while (!r->seen[low])
        low++;
    while (!r->seen[high])
        high--;
    *first = low * 64 + __builtin_ctzll(r->seen[low]);
    *last = high * 64 + 63 - __builtin_clzll(r->seen[high]);
}

/* Number the ids seen; a table of them is needed only if there are gaps. */
static kith_status number_ids(kith__builder *b, kith__ids *ids, kith_error *err)
{
    int64_t *values, first = 0, last = -1, at = 0;

    if (!kith__rank_count(&b->rank))
        return kith__no_memory(err);
    if (b->rank.n > 0)
        ends_of(&b->rank, &first, &last);
    *ids = (kith__ids){
        .kind = KITH__IDS_RANGE, .n = (int32_t)b->rank.n, .base = first};
    if (last - first == b->rank.n - 1)
        return KITH_OK;
    values = kith__alloc_big(b->rank.n, sizeof(*values));
    if (!values)
        return kith__no_memory(err);
    for (int64_t i = 0; i < b->rank.words; i++)
        for (uint64_t left = b->rank.seen[i]; left; left &= left - 1)
            values[at++] = i * 64 + __builtin_ctzll(left);
    *ids =
        (kith__ids){.kind = KITH__IDS_INTEGER, .n = ids->n, .values = values};
    return KITH_OK;
}

/* Collects emitted rows for a caller who wants them in memory. */
typedef struct collector {
    kith__csr *csr;
    int64_t cap_neighbours, cap_weights;
} collector;

static kith_status collect(void *user, const int32_t *neighbours,
                           const float *weights, int64_t count, kith_error *err)
{
    collector *c = user;
    kith__csr *csr = c->csr;
    const int64_t need = csr->entries + count;

    if (!kith__grow((void **)&csr->neighbours, &c->cap_neighbours, need,
                    sizeof(*csr->neighbours)) ||
        (weights && !kith__grow((void **)&csr->weights, &c->cap_weights, need,
                                sizeof(*csr->weights))))
        return kith__no_memory(err);
    memcpy(csr->neighbours + csr->entries, neighbours,
           (size_t)count * sizeof(*neighbours));
    if (weights)
        memcpy(csr->weights + csr->entries, weights,
               (size_t)count * sizeof(*weights));
    csr->entries = need;
    return KITH_OK;
}

static kith_status build_from_runs(kith__builder *b, const kith__rank *rank,
                                   kith__emit_fn emit, void *user,
                                   kith__csr *csr, kith_cleaning *cleaning,
                                   kith_error *err)
{
    kith_status st = KITH_OK;
    kith__merged merged = {0};
    collector c = {csr, 0, 0};

    TRY(kith__spill_merge(b->spill, rank, csr->n, csr->rows,
                          emit ? emit : collect, emit ? user : &c, &merged,
                          err));
    csr->entries = csr->rows[csr->n];
    cleaning->duplicates += merged.duplicates;
    cleaning->one_way += merged.one_way;
    cleaning->both_ways += merged.both_ways;
    cleaning->self_loops += b->total - merged.duplicates - merged.one_way -
                            2 * merged.both_ways;
out:
    return st;
}

static int64_t count_isolated(const kith__csr *csr)
{
    int64_t isolated = 0;

    for (int32_t u = 0; u < csr->n; u++)
        isolated += csr->rows[u] == csr->rows[u + 1];
    return isolated;
}

kith_status kith__builder_finish(kith__builder *b, int32_t n,
                                 kith__emit_fn emit, void *user, kith__csr *csr,
                                 kith__ids *ids, kith_cleaning *cleaning,
                                 kith_error *err)
{
    const kith__rank *rank = NULL;
    kith_status st = KITH_OK;

    *csr = (kith__csr){0};
    if (b->spill)
        TRY(spill_blocks(b, err));
    if (b->raw) {
        TRY(number_ids(b, ids, err));
        n = ids->n;
        if (ids->kind != KITH__IDS_RANGE || ids->base != 0)
            rank = &b->rank;
    }
    csr->n = n;
    TRY_NEW(csr->rows, kith__alloc_big((int64_t)n + 1, sizeof(*csr->rows)));
    if (b->spill) {
        TRY(build_from_runs(b, rank, emit, user, csr, cleaning, err));
    } else {
        TRY(build_in_memory(b, rank, csr, cleaning, err));
        if (emit) {
            TRY(emit(user, csr->neighbours, csr->weights, csr->entries, err));
            kith__free(csr->neighbours);
            kith__free(csr->weights);
            csr->neighbours = NULL;
            csr->weights = NULL;
        }
    }
    cleaning->isolated += count_isolated(csr);
out:
    if (st != KITH_OK) {
        kith__csr_release(csr);
        kith__ids_release(ids);
    }
    return st;
}
