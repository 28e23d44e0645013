#include "graph/order.h"

#include "core/alloc.h"
#include "core/job.h"
#include "core/out_file.h"
#include "core/sort.h"
#include "graph/rows.h"

/* ---- by degree ----------------------------------------------------------- */

static int64_t largest_degree(const int64_t *rows, int32_t n)
{
    int64_t most = 0;

    for (int32_t u = 0; u < n; u++)
        if (rows[u + 1] - rows[u] > most)
            most = rows[u + 1] - rows[u];
    return most;
}

/* at[d]: how many nodes have a degree above d, for d = 0 .. most. */
static int32_t *count_above(const int64_t *rows, int32_t n, int64_t most)
{
    int32_t *at = kith__alloc_zeroed(most + 2, sizeof(*at));

    for (int32_t u = 0; at && u < n; u++)
        at[rows[u + 1] - rows[u]]++;
    for (int64_t d = most, above = 0; at && d >= 0; d--) {
        const int32_t here = at[d];

        at[d] = (int32_t)above;
        above += here;
    }
    return at;
}

bool kith__order_by_degree(const int64_t *rows, int32_t n, kith__order *out)
{
    int32_t *at = count_above(rows, n, largest_degree(rows, n));

    out->place = kith__alloc_big(n, sizeof(*out->place));
    out->listed = kith__alloc_big(n, sizeof(*out->listed));
    if (!at || !out->place || !out->listed) {
        kith__free(at);
        kith__order_release(out);
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t u = at[rows[i + 1] - rows[i]]++;

        out->place[u] = i;
        out->listed[i] = u;
    }
    kith__free(at);
    return true;
}

void kith__order_release(kith__order *order)
{
    kith__free(order->place);
    kith__free(order->listed);
    *order = (kith__order){0};
}

/* ---- whether it pays ----------------------------------------------------- */

/*
 * Below LEAST nodes the vectors are in the cache in any order.  Where the
 * input's numbers already put neighbours near each other (a crawl, a mesh),
 * another order loses that.  And without skew there are no few nodes to
 * gather.  Where exactly either begins is a guess, not measured.
 */
enum {
    LEAST = 1 << 18,   /* nodes */
    NEAR = 64,         /* near: within n / NEAR numbers */
    NEAR_MOST = 4,     /* at most a quarter of the neighbours may be */
    SAMPLED = 1 << 12, /* rows that are asked */
    HUBS = 16,         /* hubs: the n / HUBS nodes of largest degree */
    HUBS_LEAST = 4     /* which must have a quarter of the neighbours */
};

/* Entries of the n / HUBS longest rows. */
static int64_t hub_entries(const kith_graph *g)
{
    const int64_t most = largest_degree(g->rows, g->n);
    int32_t *above = count_above(g->rows, g->n, most);
    int64_t entries = 0, left = g->n / HUBS;

    for (int64_t d = most; above && d > 0 && left > 0; d--) {
        const int64_t here = above[d - 1] - above[d];

        entries += d * (here < left ? here : left);
        left -= here;
    }
    kith__free(above);
    return entries;
}

/* Do at most a quarter of the neighbours stand near?  Asked of about SAMPLED
 * rows at equal distances, since a build should not wait for a pass. */
static bool mostly_far(const kith_graph *g)
{
    const int32_t reach = g->n / NEAR, step = g->n / SAMPLED + 1;
    int64_t near = 0, seen = 0;

    for (int64_t u = 0; u < g->n; u += step) {
        seen += g->rows[u + 1] - g->rows[u];
        for (int64_t p = g->rows[u]; p < g->rows[u + 1]; p++) {
            const int64_t far = g->neighbours[p] - u;

            near += far <= reach && far >= -reach;
        }
        if (u / step % 64 == 63) /* each has read 16 pages around it */
            kith__graph_give_back(g);
    }
    kith__graph_give_back(g);
    return near <= seen / NEAR_MOST;
}

bool kith__order_pays(const kith_graph *g)
{
    return g->n >= LEAST && mostly_far(g) &&
           hub_entries(g) >= g->entries / HUBS_LEAST;
}

/* ---- other numbers ------------------------------------------------------- */

/* Entries that are sorted before they go out; fewer of a graph that had to go
 * to disk. */
enum { TOGETHER = 1 << 21, TOGETHER_LEAST = 1 << 18 };

/* Rows that are renumbered together. */
typedef struct batch {
    const kith_graph *g;
    const int32_t *from, *to;
    const int64_t *rows; /* new offsets */
    int64_t together;    /* entries that are sorted before they go out */
    uint32_t *entry;     /* without weights */
    uint64_t *wide;      /* new neighbour << 32 | bits of the weight */
    int32_t *neighbours;
    float *weights;
} batch;

/* Rows that lie in a file are taken in another order than theirs: by reading,
 * since a page of the map is as large as many of them. */
static bool read_row(const batch *b, int64_t begin, int64_t at, int64_t n)
{
    const kith_graph *g = b->g;

    return kith__read_at(g->files[0], b->neighbours + at, n * 4, begin * 4) &&
           (!g->weights ||
            kith__read_at(g->files[1], b->weights + at, n * 4, begin * 4));
}

/* False if a file could not be read. */
static bool renumber_row(const batch *b, int32_t u, int64_t base)
{
    const kith_graph *g = b->g;
    const int64_t begin = g->rows[b->from[u]], at = b->rows[u] - base;
    const int64_t n = b->rows[u + 1] - b->rows[u];
    const int32_t *neighbours = g->neighbours + begin;
    const float *weights = g->weights ? g->weights + begin : NULL;

    if (g->files) {
        if (!read_row(b, begin, at, n))
            return false;
        neighbours = b->neighbours + at;
        weights = g->weights ? b->weights + at : NULL;
    }
    if (!weights) {
        for (int64_t p = 0; p < n; p++)
            b->entry[at + p] = (uint32_t)b->to[neighbours[p]];
        kith__sort_u32(b->entry + at, n);
        return true;
    }
    for (int64_t p = 0; p < n; p++)
        b->wide[at + p] = (uint64_t)(uint32_t)b->to[neighbours[p]] << 32 |
                          kith__float_bits(weights[p]);
    kith__sort_u64(b->wide + at, n);
    for (int64_t p = at; p < at + n; p++) {
        b->neighbours[p] = (int32_t)(b->wide[p] >> 32);
        b->weights[p] = kith__bits_float((uint32_t)b->wide[p]);
    }
    return true;
}

/* The end of the batch of rows that begins with `first`. */
static int32_t batch_end(const batch *b, int32_t first)
{
    const int64_t *rows = b->rows;
    int32_t last = first + 1;

    while (last < b->g->n && rows[last + 1] - rows[first] <= b->together)
        last++;
    return last;
}

static kith_status batch_new(batch *b, kith_error *err)
{
    const int64_t longest = largest_degree(b->rows, b->g->n);
    const int64_t all = b->g->entries;
    const int64_t most = all < b->together ? all : b->together;
    const int64_t room = longest > most ? longest : most;
    kith_status st = KITH_OK;

    if (!b->g->weights) {
        TRY_NEW(b->entry, kith__alloc_big(room, sizeof(*b->entry)));
        b->neighbours = (int32_t *)b->entry;
    } else {
        TRY_NEW(b->wide, kith__alloc_big(room, sizeof(*b->wide)));
        TRY_NEW(b->neighbours, kith__alloc_big(room, sizeof(*b->neighbours)));
        TRY_NEW(b->weights, kith__alloc_big(room, sizeof(*b->weights)));
    }
out:
    return st;
}

static void batch_release(batch *b)
{
    if (b->entry != (uint32_t *)b->neighbours)
        kith__free(b->entry);
    kith__free(b->wide);
    kith__free(b->neighbours);
    kith__free(b->weights);
}

kith_status kith__renumber(const kith_graph *g, const int32_t *from,
                           const int32_t *to, const kith_job *job,
                           kith__emit_fn emit, void *user, int64_t *rows,
                           kith_error *err)
{
    batch b = {.g = g,
               .from = from,
               .to = to,
               .rows = rows,
               .together = g->files ? TOGETHER_LEAST : TOGETHER};
    kith_status st = KITH_OK;
    bool failed = false;

    rows[0] = 0;
    for (int32_t u = 0; u < g->n; u++)
        rows[u + 1] = rows[u] + g->rows[from[u] + 1] - g->rows[from[u]];
    TRY(batch_new(&b, err));
    for (int32_t first = 0, last; first < g->n; first = last) {
        last = batch_end(&b, first);
        TRY(kith__progress(job, "numbering", rows[first], g->entries,
                           "neighbours", err));
#pragma omp parallel for num_threads(kith__threads(job)) schedule(dynamic, 16) \
    reduction(||                                                               \
              : failed)
        for (int32_t u = first; u < last; u++)
            failed = !renumber_row(&b, u, rows[first]) || failed;
        if (failed)
            TRY(kith__fail(err, KITH_ERR_IO, NULL, 0,
                           "cannot read a temporary file"));
        TRY(emit(user, b.neighbours, b.weights, rows[last] - rows[first], err));
    }
out:
    batch_release(&b);
    return st;
}

/* ---- as listed ----------------------------------------------------------- */

/* Puts emitted rows into arrays that have room for them. */
static kith_status append(void *user, const int32_t *neighbours,
                          const float *weights, int64_t count, kith_error *err)
{
    kith__csr *csr = user;

    (void)err;
    memcpy(csr->neighbours + csr->entries, neighbours,
           (size_t)count * sizeof(*neighbours));
    if (weights)
        memcpy(csr->weights + csr->entries, weights,
               (size_t)count * sizeof(*weights));
    csr->entries += count;
    return KITH_OK;
}

kith_status kith__graph_renumbered(const kith_graph *g, const int32_t *from,
                                   const int32_t *to, kith__ids *ids,
                                   const kith_job *job, kith_graph **out,
                                   kith_error *err)
{
    kith_status st = KITH_OK;
    kith__csr csr = {.n = g->n};

    *out = NULL;
    TRY_NEW(csr.rows, kith__alloc_big((int64_t)g->n + 1, sizeof(*csr.rows)));
    TRY_NEW(csr.neighbours,
            kith__alloc_big(g->entries, sizeof(*csr.neighbours)));
    if (g->weights)
        TRY_NEW(csr.weights, kith__alloc_big(g->entries, sizeof(*csr.weights)));
    TRY(kith__renumber(g, from, to, job, append, &csr, csr.rows, err));
    TRY(kith__graph_new(&csr, ids, out, err));
out:
    kith__csr_release(&csr);
    kith__ids_release(ids);
    return st;
}

kith_status kith__graph_as_listed(const kith_graph *g, const kith_job *job,
                                  kith_graph **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__ids ids = {0};

    *out = NULL;
    if (!g->listed)
        return KITH_OK;
    TRY(kith__ids_copy(&g->ids, &ids, err));
    TRY(kith__graph_renumbered(g, g->listed, g->place, &ids, job, out, err));
out:
    return st;
}
