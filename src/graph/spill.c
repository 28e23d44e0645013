/*
 * spill.c: sorted runs on disk, merged window by window.
 *
 * A run holds both directions of its edges, sorted by (row, entry):
 *   heads    for each row in it: row, count          (2 x 4 bytes)
 *   entries  neighbour << 1 | reversed               (4 bytes)
 *   weights  beside the entries, if there are any    (4 bytes)
 *
 * A window is a range of rows with as many entries as memory allows; its part
 * of each run is contiguous, so the merge reads every byte once, in order.
 * `load` counts entries per 1024 rows while runs are written, to cut windows.
 */
#include "graph/spill.h"

#include <unistd.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/out_file.h"
#include "core/sort.h"

enum { LOAD_SHIFT = 10, HEADS_AT_ONCE = 4096 };

typedef struct run_head {
    uint32_t row, count;
} run_head;

/* One run's place in the scratch file, and how far the merge has read it. */
typedef struct run {
    int64_t heads_at, n_heads;
    int64_t entries_at, weights_at, n_entries;
    int64_t next_head, next_entry;
    run_head *buffer; /* HEADS_AT_ONCE heads from buffer_from on */
    int64_t buffer_from, buffer_n;
} run;

struct kith__spill {
    kith_job job;
    bool weighted;
    kith_merge merge;
    int fd;
    int64_t end; /* of the scratch file */
    run *runs;
    int64_t n_runs, cap_runs;
    int64_t *load;
    int64_t cap_load; /* number of groups of rows that load has */
    int64_t slice;    /* edges that a thread sorts at once */
    int64_t window;   /* entries that are merged at once */
};

kith_status kith__spill_new(const char *folder, const kith_job *job,
                            bool weighted, kith_merge merge, kith__spill **out,
                            kith_error *err)
{
    const int64_t memory = job->memory > 0 ? job->memory : (int64_t)4 << 30;
    const int64_t least = 1 << 14;
    kith_status st = KITH_OK;
    kith__spill *s = NULL;

    *out = NULL;
    TRY_NEW(s, kith__alloc_zeroed(1, sizeof(*s)));
    s->fd = -1;
    s->job = *job;
    s->weighted = weighted;
    s->merge = merge;
    /* An edge is two keys and their scratch, or two wide keys: 32 bytes, and
     * its part of the heads. */
    s->slice = memory / 4 / 40 / kith__threads(job);
    s->slice = s->slice < least ? least : s->slice;
    s->window = memory / 4 / (weighted ? 40 : 24);
    s->window = s->window < least ? least : s->window;
    TRY(kith__scratch_open(folder, &s->fd, err));
    *out = s;
    s = NULL;
out:
    kith__spill_free(s);
    return st;
}

void kith__spill_free(kith__spill *s)
{
    if (!s)
        return;
    for (int64_t i = 0; i < s->n_runs; i++)
        kith__free(s->runs[i].buffer);
    kith__free(s->runs);
    kith__free(s->load);
    if (s->fd >= 0)
        close(s->fd);
    kith__free(s);
}

/* ---- writing runs -------------------------------------------------------- */

/* Sorted keys row << 32 | entry, with their weights beside or NULL. */
typedef struct sorted {
    uint64_t *key;
    float *weight;
    int64_t n;
} sorted;

/* Edges [from, to) of all blocks taken together. */
typedef struct slice {
    const kith__edges *blocks;
    int64_t n_blocks, from, to;
} slice;

static kith_status sort_plain(const slice *part, sorted *out, kith_error *err)
{
    const int64_t most = 2 * (part->to - part->from);
    kith_status st = KITH_OK;
    uint64_t *scratch = NULL;
    int64_t at = 0; /* number of the block's first edge */

    TRY_NEW(out->key, kith__alloc(most, sizeof(*out->key)));
    TRY_NEW(scratch, kith__alloc(most, sizeof(*scratch)));
    for (int64_t k = 0; k < part->n_blocks; at += part->blocks[k++].n) {
        const kith__edges *e = &part->blocks[k];
        const int64_t from = part->from > at ? part->from - at : 0;

        for (int64_t i = from; i < e->n && at + i < part->to; i++) {
            const uint64_t u = e->ends[2 * i], v = e->ends[2 * i + 1];

            if (u == v)
                continue;
            out->key[out->n++] = u << 32 | v << 1;
            out->key[out->n++] = v << 32 | u << 1 | 1;
        }
    }
    kith__radix_sort_u64(out->key, scratch, out->n, 64);
out:
    kith__free(scratch);
    return st;
}

static kith_status sort_weighted(const slice *part, sorted *out,
                                 kith_error *err)
{
    kith_status st = KITH_OK;
    kith__u128 *wide = NULL;
    int64_t at = 0;

    TRY_NEW(wide, kith__alloc(2 * (part->to - part->from), sizeof(*wide)));
    for (int64_t k = 0; k < part->n_blocks; at += part->blocks[k++].n) {
        const kith__edges *e = &part->blocks[k];
        const int64_t from = part->from > at ? part->from - at : 0;

        for (int64_t i = from; i < e->n && at + i < part->to; i++) {
            const uint64_t u = e->ends[2 * i], v = e->ends[2 * i + 1];
            const uint32_t w = kith__float_bits(e->weights[i]);

            if (u == v)
                continue;
            wide[out->n++] = (kith__u128)(u << 32 | v << 1) << 32 | w;
            wide[out->n++] = (kith__u128)(v << 32 | u << 1 | 1) << 32 | w;
        }
    }
    kith__sort_u128(wide, out->n);
    TRY_NEW(out->key, kith__alloc(out->n, sizeof(*out->key)));
    TRY_NEW(out->weight, kith__alloc(out->n, sizeof(*out->weight)));
    for (int64_t i = 0; i < out->n; i++) {
        out->key[i] = (uint64_t)(wide[i] >> 32);
        out->weight[i] = kith__bits_float((uint32_t)wide[i]);
    }
out:
    kith__free(wide);
    return st;
}

/* Split sorted keys into heads and entries; entries overwrite the keys. */
static kith_status split_keys(sorted *k, run_head **heads, int64_t *n_heads,
                              kith_error *err)
{
    uint32_t *entry = (uint32_t *)k->key;
    int64_t cap = 0;

    *n_heads = 0;
    for (int64_t i = 0; i < k->n;) {
        const uint32_t row = (uint32_t)(k->key[i] >> 32);
        const int64_t first = i;

        for (; i < k->n && k->key[i] >> 32 == row; i++) {
            const uint32_t low = (uint32_t)k->key[i];

            memcpy(&entry[i], &low, sizeof(low));
        }
        if (!kith__grow((void **)heads, &cap, *n_heads + 1, sizeof(**heads)))
            return kith__no_memory(err);
        (*heads)[(*n_heads)++] = (run_head){row, (uint32_t)(i - first)};
    }
    return KITH_OK;
}

/* Enter a run into the list and reserve its place in the file. */
static kith_status reserve_run(kith__spill *s, const run_head *heads,
                               int64_t n_heads, const sorted *k, run *r,
                               kith_error *err)
{
    if (!kith__grow((void **)&s->runs, &s->cap_runs, s->n_runs + 1,
                    sizeof(*s->runs)))
        return kith__no_memory(err);
    *r = (run){.n_heads = n_heads, .n_entries = k->n, .heads_at = s->end};
    r->entries_at = r->heads_at + n_heads * (int64_t)sizeof(*heads);
    r->weights_at = r->entries_at + k->n * 4;
    s->end = r->weights_at + (k->weight ? k->n * 4 : 0);
    s->runs[s->n_runs++] = *r;
    for (int64_t i = 0; i < n_heads; i++)
        s->load[heads[i].row >> LOAD_SHIFT] += heads[i].count;
    return KITH_OK;
}

static kith_status write_run(kith__spill *s, sorted *k, kith_error *err)
{
    kith_status st = KITH_OK;
    run_head *heads = NULL;
    int64_t n_heads;
    run r;

    TRY(split_keys(k, &heads, &n_heads, err));
#pragma omp critical(kith_spill)
    st = reserve_run(s, heads, n_heads, k, &r, err);
    if (st != KITH_OK)
        goto out;
    if (!kith__write_at(s->fd, heads, n_heads * (int64_t)sizeof(*heads),
                        r.heads_at) ||
        !kith__write_at(s->fd, k->key, k->n * 4, r.entries_at) ||
        (k->weight &&
         !kith__write_at(s->fd, k->weight, k->n * 4, r.weights_at)))
        TRY(kith__fail_errno(err, NULL, "write a temporary file"));
out:
    kith__free(heads);
    return st;
}

static kith_status spill_slice(kith__spill *s, const slice *part,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    sorted k = {0};

    TRY(s->weighted ? sort_weighted(part, &k, err) : sort_plain(part, &k, err));
    TRY(write_run(s, &k, err));
out:
    kith__free(k.key);
    kith__free(k.weight);
    return st;
}

static kith_status reserve_load(kith__spill *s, uint32_t largest,
                                kith_error *err)
{
    const int64_t old = s->cap_load;

    if (!kith__grow((void **)&s->load, &s->cap_load,
                    (int64_t)(largest >> LOAD_SHIFT) + 1, sizeof(*s->load)))
        return kith__no_memory(err);
    memset(s->load + old, 0, (size_t)(s->cap_load - old) * sizeof(*s->load));
    return KITH_OK;
}

kith_status kith__spill_add(kith__spill *s, const kith__edges *blocks,
                            int64_t n_blocks, kith_error *err)
{
    kith_status st = KITH_OK;
    uint32_t largest = 0;
    int64_t total = 0;

    for (int64_t k = 0; k < n_blocks; k++) {
        const uint32_t *ends = blocks[k].ends;

        for (int64_t i = 0; i < 2 * blocks[k].n; i++)
            largest = ends[i] > largest ? ends[i] : largest;
        total += blocks[k].n;
    }
    TRY(reserve_load(s, largest, err));
#pragma omp parallel for num_threads(kith__threads(&s->job)) \
    schedule(dynamic, 1)
    for (int64_t from = 0; from < total; from += s->slice) {
        const int64_t end = from + s->slice;
        const slice part = {blocks, n_blocks, from, end < total ? end : total};
        kith_error own = {0};
        const kith_status got = spill_slice(s, &part, &own);

#pragma omp critical(kith_spill)
        if (got != KITH_OK && st == KITH_OK) {
            st = got;
            if (err)
                *err = own;
        }
    }
out:
    return st;
}

/* ---- merging ------------------------------------------------------------- */

/* Buffers of one window of rows [first, last). */
typedef struct window {
    uint32_t first, last;
    int64_t *start;    /* last - first + 1: entries of each row */
    int64_t *cursor;   /* where the next run's entries go */
    uint32_t *entry;   /* entries, then neighbours */
    uint64_t *wide;    /* with weights: entry << 32 | bits of the weight */
    uint32_t *loaded;  /* one run's entries */
    float *loaded_w;   /* one run's weights */
    int64_t capacity;  /* of entry, wide, loaded */
    int64_t row_slots; /* of start and cursor */
    float *weight;     /* merged, in order */
} window;

static void release_window(window *w)
{
    kith__free(w->start);
    kith__free(w->cursor);
    kith__free(w->entry);
    kith__free(w->wide);
    kith__free(w->loaded);
    kith__free(w->loaded_w);
    kith__free(w->weight);
}

/* The next head of a run, or NULL at its end. */
static kith_status peek_head(kith__spill *s, run *r, run_head **head,
                             kith_error *err)
{
    *head = NULL;
    if (r->next_head >= r->n_heads)
        return KITH_OK;
    if (r->next_head >= r->buffer_from + r->buffer_n) {
        const int64_t left = r->n_heads - r->next_head;
        const int64_t n = left < HEADS_AT_ONCE ? left : HEADS_AT_ONCE;

        if (!r->buffer)
            r->buffer = kith__alloc(HEADS_AT_ONCE, sizeof(*r->buffer));
        if (!r->buffer)
            return kith__no_memory(err);
        if (!kith__read_at(s->fd, r->buffer, n * (int64_t)sizeof(run_head),
                           r->heads_at +
                               r->next_head * (int64_t)sizeof(run_head)))
            return kith__fail_errno(err, NULL, "read a temporary file");
        r->buffer_from = r->next_head;
        r->buffer_n = n;
    }
    *head = &r->buffer[r->next_head - r->buffer_from];
    return KITH_OK;
}

/* Go back to an earlier head; a buffer that has moved on is read again. */
static void rewind_to(run *r, int64_t head)
{
    r->next_head = head;
    if (r->buffer_from > head)
        r->buffer_from = r->buffer_n = 0;
}

/* Grow the window's arrays to `entries`; old contents do not matter. */
static kith_status reserve_window(kith__spill *s, window *w, int64_t entries,
                                  kith_error *err)
{
    const int64_t rows = (int64_t)w->last - w->first;
    kith_status st = KITH_OK;

    if (rows + 1 > w->row_slots) {
        kith__free(w->start);
        kith__free(w->cursor);
        w->cursor = NULL;
        TRY_NEW(w->start, kith__alloc(rows + 1, sizeof(*w->start)));
        TRY_NEW(w->cursor, kith__alloc(rows + 1, sizeof(*w->cursor)));
        w->row_slots = rows + 1;
    }
    if (entries > w->capacity) {
        int64_t *start = w->start, *cursor = w->cursor;

        w->start = w->cursor = NULL;
        release_window(w);
        *w = (window){.first = w->first,
                      .last = w->last,
                      .start = start,
                      .cursor = cursor,
                      .row_slots = w->row_slots};
        TRY_NEW(w->entry, kith__alloc(entries, sizeof(*w->entry)));
        TRY_NEW(w->loaded, kith__alloc(entries, sizeof(*w->loaded)));
        if (s->weighted) {
            TRY_NEW(w->wide, kith__alloc(entries, sizeof(*w->wide)));
            TRY_NEW(w->loaded_w, kith__alloc(entries, sizeof(*w->loaded_w)));
            TRY_NEW(w->weight, kith__alloc(entries, sizeof(*w->weight)));
        }
        w->capacity = entries;
    }
out:
    return st;
}

/* Count the entries of each row over all runs; the runs are left as they
 * were, at the first head of the window. */
static kith_status count_window(kith__spill *s, window *w, kith_error *err)
{
    const int64_t rows = (int64_t)w->last - w->first;
    kith_status st = KITH_OK;
    int64_t sum = 0;

    memset(w->start, 0, (size_t)(rows + 1) * sizeof(*w->start));
    for (int64_t i = 0; i < s->n_runs; i++) {
        run *r = &s->runs[i];
        const int64_t mark = r->next_head;
        run_head *head;

        for (;; r->next_head++) {
            TRY(peek_head(s, r, &head, err));
            if (!head || head->row >= w->last)
                break;
            w->start[head->row - w->first] += head->count;
        }
        rewind_to(r, mark);
    }
    for (int64_t u = 0; u <= rows; u++) {
        const int64_t count = w->start[u];

        w->start[u] = w->cursor[u] = sum;
        sum += count;
    }
out:
    return st;
}

/* Copy n entries loaded from a run to their row's place. */
static void place(const kith__spill *s, window *w, int64_t to, int64_t from,
                  int64_t n)
{
    if (!s->weighted) {
        memcpy(w->entry + to, w->loaded + from, (size_t)n * sizeof(*w->entry));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        w->wide[to + i] = (uint64_t)w->loaded[from + i] << 32 |
                          kith__float_bits(w->loaded_w[from + i]);
}

/* Read run r's part of the window and put its entries into their rows. */
static kith_status load_run(kith__spill *s, run *r, window *w, kith_error *err)
{
    const int64_t first_head = r->next_head;
    int64_t n = 0, from = 0;
    kith_status st = KITH_OK;
    run_head *head;

    for (;; r->next_head++) {
        TRY(peek_head(s, r, &head, err));
        if (!head || head->row >= w->last)
            break;
        n += head->count;
    }
    if (!kith__read_at(s->fd, w->loaded, n * 4,
                       r->entries_at + r->next_entry * 4) ||
        (s->weighted && !kith__read_at(s->fd, w->loaded_w, n * 4,
                                       r->weights_at + r->next_entry * 4)))
        TRY(kith__fail_errno(err, NULL, "read a temporary file"));
    r->next_entry += n;
    rewind_to(r, first_head);
    for (; from < n; r->next_head++) {
        TRY(peek_head(s, r, &head, err));
        place(s, w, w->cursor[head->row - w->first], from, head->count);
        w->cursor[head->row - w->first] += head->count;
        from += head->count;
    }
out:
    return st;
}

/* Merge each row of the window; kept counts go to cursor. */
static void merge_window(kith__spill *s, window *w, kith__merged *merged)
{
    const int64_t rows = (int64_t)w->last - w->first;
    int64_t duplicates = 0, one_way = 0, both_ways = 0, overflows = 0;

#pragma omp parallel for num_threads(kith__threads(&s->job))                   \
    schedule(dynamic, 256)                                                     \
    reduction(+ : duplicates, one_way, both_ways, overflows)
    for (int64_t u = 0; u < rows; u++) {
        const int64_t from = w->start[u], n = w->start[u + 1] - from;
        kith__merged m = {0};

        w->cursor[u] = s->weighted ? kith__row_merge_weighted(w->wide + from, n,
                                                              s->merge, &m)
                                   : kith__row_merge(w->entry + from, n, &m);
        duplicates += m.duplicates;
        one_way += m.one_way;
        both_ways += m.both_ways;
        overflows += m.overflows;
    }
    merged->duplicates += duplicates;
    merged->one_way += one_way;
    merged->both_ways += both_ways;
    merged->overflows += overflows;
}

/* Close the gaps that merging left, translate ids, set row offsets. */
static int64_t pack_window(const kith__spill *s, window *w,
                           const kith__rank *rank, int64_t *rows, int64_t sum)
{
    const int64_t n_rows = (int64_t)w->last - w->first;
    int64_t to = 0;

    for (int64_t u = 0; u < n_rows; u++) {
        const int64_t from = w->start[u], n = w->cursor[u];
        const uint32_t raw = w->first + (uint32_t)u;

        if (n == 0)
            continue;
        rows[rank ? kith__rank_of(rank, raw) : raw] = sum + to;
        for (int64_t i = 0; i < n; i++, to++) {
            const uint32_t v = s->weighted ? (uint32_t)(w->wide[from + i] >> 33)
                                           : w->entry[from + i] >> 1;

            if (s->weighted)
                w->weight[to] = kith__bits_float((uint32_t)w->wide[from + i]);
            w->entry[to] = rank ? kith__rank_of(rank, v) : v;
        }
    }
    return to;
}

/* The end of a window that begins at group `g`: bounded in entries and, as
 * ids may be sparse, in rows. */
static int64_t window_end(const kith__spill *s, int64_t g, int64_t *entries)
{
    const int64_t most = g + (s->window >> LOAD_SHIFT);

    *entries = 0;
    do
        *entries += s->load[g++];
    while (g < s->cap_load && g < most && *entries + s->load[g] <= s->window);
    return g;
}

/* Rows without entries begin where the next row does. */
static void fill_empty_rows(int64_t *rows, int32_t n, int64_t sum)
{
    rows[n] = sum;
    for (int32_t u = n; u-- > 0;)
        if (rows[u] < 0)
            rows[u] = rows[u + 1];
}

/* Both directions were counted. */
static void halve(kith__merged *m)
{
    m->duplicates /= 2;
    m->one_way /= 2;
    m->both_ways /= 2;
    m->overflows /= 2;
}

kith_status kith__spill_merge(kith__spill *s, const kith__rank *rank, int32_t n,
                              int64_t *rows, kith__emit_fn emit, void *user,
                              kith__merged *merged, kith_error *err)
{
    kith_status st = KITH_OK;
    window w = {0};
    int64_t sum = 0, entries;

    memset(rows, -1, (size_t)n * sizeof(*rows));
    for (int64_t g = 0, next; g < s->cap_load; g = next) {
        int64_t kept;

        next = window_end(s, g, &entries);
        if (entries == 0)
            continue;
        TRY(kith__progress(&s->job, "merging", g, s->cap_load, "", err));
        w.first = (uint32_t)(g << LOAD_SHIFT);
        w.last = (uint32_t)(next << LOAD_SHIFT);
        TRY(reserve_window(s, &w, entries, err));
        TRY(count_window(s, &w, err));
        for (int64_t i = 0; i < s->n_runs; i++)
            TRY(load_run(s, &s->runs[i], &w, err));
        merge_window(s, &w, merged);
        kept = pack_window(s, &w, rank, rows, sum);
        TRY(emit(user, (const int32_t *)w.entry, w.weight, kept, err));
        sum += kept;
    }
    fill_empty_rows(rows, n, sum);
    halve(merged);
    TRY(kith__merged_check(merged, err));
out:
    release_window(&w);
    return st;
}
