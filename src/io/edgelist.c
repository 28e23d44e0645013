/*
 * edgelist.c: `u<TAB>v` lines, with tabs, commas, semicolons or blanks between
 * the fields, a header and a weight column if there are any.
 *
 * Ids that are all small integers are taken as they are, in one pass ("raw").
 * Otherwise the ids are collected first, in order of appearance, and looked up
 * in a second pass.  Blocks of lines are parsed by all threads; what must be in
 * order (new ids, the first error) is merged block after block.
 */
#include "core/alloc.h"
#include "core/job.h"
#include "io/edge_lines.h"

/* Blocks in a round, a thread: many, since threads wait for each other at its
 * end; fewer if each has to keep its text. */
enum { PLAIN_PER_THREAD = 64, UNPACKED_PER_THREAD = 8 };

/* Edges a thread gathers before the builder gets them, if memory allows: large
 * arrays cost fewer page faults, and the order of edges does not matter. */
enum { HAND_OVER = 1 << 21 };

/* ---- all lines ----------------------------------------------------------- */

static void reset_slot(kith__edge_block *r)
{
    kith__id_set_clear(&r->ids);
    r->added = 0;
    r->lines = r->comments = r->extra = 0;
    r->halves = r->later = 0;
    r->not_raw = false;
    r->st = KITH_OK;
}

/* Load and parse the planned blocks, each by one thread. */
static void parse_round(kith__edge_parser *p, int n, bool first)
{
#pragma omp parallel for num_threads(kith__threads(&p->options->job)) \
    schedule(dynamic, 1)
    for (int i = 0; i < n; i++) {
        kith__edge_block *r = &p->slots[i];
        kith__block *block = &r->block;

        reset_slot(r);
        r->to = &p->gathered[kith__thread_number()];
        if (block->from >= 0) { /* plain: one text a thread is enough */
            r->to->text.from = block->from;
            r->to->text.to = block->to;
            block = &r->to->text;
        }
        r->st = kith__block_load(p->source, block, &r->error);
        if (r->st != KITH_OK)
            continue;
        if (first && i == 0)
            kith__edge_lines_trim(p, r, block);
        kith__edge_lines_parse(p, r, block);
    }
}

static kith_status take_ids(kith__edge_parser *p, kith__edge_block *r,
                            kith_error *err)
{
    for (int32_t i = 0; i < r->ids.n; i++) {
        size_t length;
        const char *text = kith__id_set_get(&r->ids, i, &length);
        const int32_t number = kith__id_set_add(p->all, text, length, NULL);

        if (number == -2)
            return kith__fail(err, KITH_ERR_RANGE, kith__source_path(p->source),
                              0, "has more than 2147483646 nodes");
        if (number < 0)
            return kith__no_memory(err);
    }
    return KITH_OK;
}

/* Take over one block's result, in order. */
static kith_status take_block(kith__edge_parser *p, kith__edge_block *r,
                              kith_error *err)
{
    kith_cleaning *c = p->cleaning;

    if (r->st != KITH_OK) {
        if (err) {
            *err = r->error;
            if (err->line > 0)
                err->line += p->lines;
            if (!err->path[0])
                snprintf(err->path, sizeof(err->path), "%s",
                         kith__source_path(p->source));
        }
        return r->st;
    }
    p->lines += r->lines;
    if (p->mode == KITH__PASS_COLLECT)
        return take_ids(p, r, err);
    c->lines += r->lines;
    c->comments += r->comments;
    c->extra_fields += r->extra;
    c->entries += r->added;
    p->halves += r->halves;
    p->later += r->later;
    return KITH_OK;
}

/* Give the builder the arrays that hold at least `least` edges. */
static kith_status hand_over(kith__edge_parser *p, int64_t least,
                             kith_error *err)
{
    kith_status st = KITH_OK;

    for (int t = 0; t < p->threads && p->mode != KITH__PASS_COLLECT; t++) {
        if (p->gathered[t].edges.n >= least)
            TRY(kith__builder_add(p->builder, &p->gathered[t].edges, err));
    }
out:
    return st;
}

/* Larger ids than these are too sparse for a bit each, one set a thread. */
static int64_t id_limit(const kith__edge_parser *p)
{
    const int64_t limit = ((int64_t)1 << 24) +
                          16 * p->cleaning->entries / p->threads;

    return limit < INT32_MAX - 1 ? limit : INT32_MAX - 1;
}

static kith_status hand_over_ids(kith__edge_parser *p, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int t = 0; t < p->threads && p->mode == KITH__PASS_RAW; t++)
        TRY(kith__builder_mark(p->builder, &p->gathered[t].seen, err));
out:
    return st;
}

/* One pass over the file.  *not_raw: KITH__PASS_RAW cannot go on. */
static kith_status run_pass(kith__edge_parser *p, bool *not_raw,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    bool first = true;

    *not_raw = false;
    p->lines = p->halves = p->later = 0;
    for (int t = 0; t < p->threads; t++)
        kith__edges_release(&p->gathered[t].edges);
    TRY(kith__source_rewind(p->source, err));
    kith__records_release(&p->records);
    p->records.source = p->source;
    p->records.separator = p->look.separator;
    p->records.quotes = p->look.separator != ' ' &&
                        (p->look.separator != '\t' || p->look.header);
    for (;;) {
        bool more = true;
        int n = 0;

        TRY(kith__progress(&p->options->job,
                           p->mode == KITH__PASS_COLLECT ? "reading ids"
                                                         : "reading edges",
                           kith__source_done(p->source),
                           kith__source_size(p->source), "bytes", err));
        for (; n < p->n_slots; n++) {
            kith__block *block = &p->slots[n].block;

            TRY(p->look.fields > 0
                    ? kith__records_next(&p->records, block, &more, err)
                    : kith__source_plan(p->source, block, &more, err));
            if (!more)
                break;
        }
        if (n == 0)
            break;
        p->id_limit = id_limit(p);
        parse_round(p, n, first);
        first = false;
        for (int i = 0; i < n; i++) {
            if (p->slots[i].not_raw) {
                *not_raw = true;
                return KITH_OK;
            }
            TRY(take_block(p, &p->slots[i], err));
        }
        TRY(hand_over(p, p->hand_over, err));
    }
    TRY(hand_over(p, 0, err));
    TRY(hand_over_ids(p, err));
out:
    return st;
}

/* Blocks at once: one that is filled in order keeps its text, and each may hold
 * the ids of its block, half a MiB: an eighth of memory. */
static int slots_for(const kith__edge_parser *p)
{
    const int64_t memory = p->options->job.memory;
    const bool in_order = p->look.fields > 0 ||
                          kith__source_compressed(p->source);
    const int n = p->threads *
                  (in_order ? UNPACKED_PER_THREAD : PLAIN_PER_THREAD);

    if (memory <= 0 || memory >> 22 >= n)
        return n;
    return memory >> 22 > p->threads ? (int)(memory >> 22) : p->threads;
}

static kith_status open_parser(kith__edge_parser *p, const kith__known *known,
                               kith_error *err)
{
    const int64_t memory = p->options->job.memory;
    kith_status st = KITH_OK;
    kith__block first = {0};
    bool more;

    p->threads = kith__threads(&p->options->job);
    p->merging = *p->options;
    p->hand_over = HAND_OVER; /* all arrays together: a sixteenth of memory */
    if (memory > 0 && memory / 16 / 12 / p->threads < HAND_OVER)
        p->hand_over = memory / 16 / 12 / p->threads;
    TRY_NEW(p->gathered, kith__alloc_zeroed(p->threads, sizeof(*p->gathered)));
    TRY(kith__source_plan(p->source, &first, &more, err));
    if (more) {
        TRY(kith__block_load(p->source, &first, err));
        TRY(kith__edge_lines_look(p, &first, known, err));
    }
    p->n_slots = slots_for(p);
    TRY_NEW(p->slots, kith__alloc_zeroed(p->n_slots, sizeof(*p->slots)));
out:
    kith__block_release(&first);
    return st;
}

static void close_parser(kith__edge_parser *p)
{
    for (int i = 0; p->slots && i < p->n_slots; i++) {
        kith__block_release(&p->slots[i].block);
        kith__id_set_release(&p->slots[i].ids);
    }
    for (int t = 0; p->gathered && t < p->threads; t++) {
        kith__block_release(&p->gathered[t].text);
        kith__edges_release(&p->gathered[t].edges);
        kith__rank_release(&p->gathered[t].seen);
        kith__free(p->gathered[t].field);
    }
    kith__records_release(&p->records);
    kith__free(p->gathered);
    kith__free(p->slots);
}

/* ---- ids ----------------------------------------------------------------- */

/* Ids named elsewhere join the nodes: as bits (raw) or as further ids. */
static kith_status mark_known(const kith__known *known, kith__rank *seen,
                              kith_error *err)
{
    if (known->numbered > 0 &&
        !kith__rank_reserve(seen, (uint32_t)known->numbered - 1))
        return kith__no_memory(err);
    for (int32_t i = 0; i < known->numbered; i++)
        kith__rank_mark(seen, (uint32_t)i);
    for (int32_t i = 0; known->named && i < known->named->n; i++) {
        size_t length;
        const char *text = kith__id_set_get(known->named, i, &length);
        int64_t id = 0;

        (void)kith__id_integer(text, length, &id); /* it is: see below */
        if (!kith__rank_reserve(seen, (uint32_t)id))
            return kith__no_memory(err);
        kith__rank_mark(seen, (uint32_t)id);
    }
    return KITH_OK;
}

/* Raw only if every id named elsewhere is a small integer too. */
static bool known_allow_raw(const kith__known *known, int64_t limit)
{
    if (known->nodes || known->numbered > limit)
        return false;
    for (int32_t i = 0; known->named && i < known->named->n; i++) {
        size_t length;
        const char *text = kith__id_set_get(known->named, i, &length);
        int64_t id;

        if (!kith__id_integer(text, length, &id) || id >= limit)
            return false;
    }
    return true;
}

/* Try to take the ids as integers; *done is false if that cannot be. */
static kith_status read_raw(kith__edge_parser *p, const kith__known *known,
                            kith__gathered *out, bool *done, kith_error *err)
{
    kith_status st = KITH_OK;
    bool not_raw = false;

    *done = false;
    p->mode = KITH__PASS_RAW;
    TRY(kith__builder_new(&p->merging, true, p->look.weighted, &p->builder,
                          err));
    TRY(mark_known(known, &p->gathered[0].seen, err));
    TRY(run_pass(p, &not_raw, err));
    if (!not_raw) {
        out->builder = p->builder;
        out->raw = true;
        p->builder = NULL;
        *done = true;
    }
out:
    kith__builder_free(p->builder);
    p->builder = NULL;
    return st;
}

/* Collect the ids unless a list gave them, then look them up. */
static kith_status read_by_table(kith__edge_parser *p, const kith__known *known,
                                 kith__gathered *out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__id_set all = {0};
    bool ignored;

    *p->cleaning = (kith_cleaning){0};
    if (known->nodes) {
        TRY(kith__ids_copy(known->nodes, &out->ids, err));
    } else {
        p->mode = KITH__PASS_COLLECT;
        p->all = &all;
        TRY(run_pass(p, &ignored, err));
        TRY(kith__known_add(known, &all, err));
        TRY(kith__ids_from_set(&all, true, &p->options->job, &out->ids, err));
    }
    p->mode = KITH__PASS_LOOK_UP;
    p->ids = &out->ids;
    TRY(kith__builder_new(&p->merging, false, p->look.weighted, &out->builder,
                          err));
    p->builder = out->builder;
    TRY(run_pass(p, &ignored, err));
out:
    p->builder = NULL;
    p->all = NULL;
    kith__id_set_release(&all);
    return st;
}

static void tell_left_out(const kith__edge_parser *p)
{
    if (p->halves > 0)
        kith__tell(p->options, "left out",
                   "%lld %s without a source or a target", (long long)p->halves,
                   p->halves == 1 ? "row" : "rows");
    if (p->later > 0)
        kith__tell(p->options, "left out", "%lld %s after %s",
                   (long long)p->later, p->later == 1 ? "edge" : "edges",
                   p->options->table->until);
}

kith_status kith__edgelist_read(kith__source *source, const kith__known *known,
                                const kith_build_options *options,
                                kith__gathered *out, kith_error *err)
{
    kith__edge_parser p = {
        .options = options, .source = source, .cleaning = &out->cleaning};
    kith_status st = KITH_OK;
    bool done = false;

    TRY(open_parser(&p, known, err));
    if (known_allow_raw(known, id_limit(&p)))
        TRY(read_raw(&p, known, out, &done, err));
    if (!done)
        TRY(read_by_table(&p, known, out, err));
    if (out->cleaning.entries == 0 && !kith__known_any(known))
        TRY(kith__fail(err, KITH_ERR_PARSE, kith__source_path(source), 0,
                       "has no edges, expected lines with two node ids"));
    tell_left_out(&p);
out:
    close_parser(&p);
    return st;
}
