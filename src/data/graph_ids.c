/*
 * graph_ids.c: a graph of edges between ids, as a column of a table has them.
 *
 * Each place gets the number of its id in one pass; numbers then go through the
 * builder, as those of files do.
 */
#include "core/alloc.h"
#include "core/sort.h"
#include "data/arrays.h"
#include "graph/ids.h"
#include "io/gather.h"
#include "io/graph_files.h"

enum { MOST_NODES = INT32_MAX - 1, PROGRESS_EDGES = 1 << 20 };

/* What is at one end of every edge. */
typedef struct end {
    const kith_id_array *of;
    const char *name;
    int64_t count;
    int32_t *number; /* of the id at each place */
} end;

typedef struct numbering {
    end ends[2];
    const kith__ids *given; /* all nodes there are, or NULL */
    const kith_job *job;
    kith__ids ids; /* that were found, where none are given */
} numbering;

static bool is_text(const end *e)
{
    return e->of->offsets.count > 0 || e->of->offsets.data;
}

/* ---- checks -------------------------------------------------------------- */

static kith_status check_end(end *e, kith_error *err)
{
    const kith_array *offsets = &e->of->offsets;
    kith_status st = KITH_OK;
    int64_t last = 0;

    if (!is_text(e)) {
        e->count = e->of->integers.count;
        return kith__indices_check(&e->of->integers, e->name, 0, INT64_MAX,
                                   err);
    }
    TRY(kith__indices_check(offsets, e->name, 0, INT64_MAX, err));
    if (offsets->count < 1 || (offsets->count > 1 && !e->of->bytes))
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "%s has no texts, expected one offset more than there "
                       "are, and bytes",
                       e->name));
    for (int64_t i = 0; i < offsets->count; i++) {
        const int64_t at = kith__array_integer(offsets, i);

        if (at < last)
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                           "%s: offset %lld falls from %lld to %lld", e->name,
                           (long long)i, (long long)last, (long long)at));
        last = at;
    }
    e->count = offsets->count - 1;
out:
    return st;
}

static kith_status check_ends(numbering *x, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int k = 0; k < 2; k++)
        TRY(check_end(&x->ends[k], err));
    if (is_text(&x->ends[0]) != is_text(&x->ends[1]))
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "one end of the edges is texts and the other integers, "
                       "expected both alike"));
    if (x->ends[0].count != x->ends[1].count)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "v has %lld ids, expected as many as u, %lld",
                       (long long)x->ends[1].count,
                       (long long)x->ends[0].count));
out:
    return st;
}

/* ---- texts --------------------------------------------------------------- */

static const char *text_at(const end *e, int64_t i, size_t *length)
{
    const int64_t from = kith__array_integer(&e->of->offsets, i);

    *length = (size_t)(kith__array_integer(&e->of->offsets, i + 1) - from);
    return e->of->bytes + from;
}

static kith_status check_text(const end *e, int64_t i, size_t length,
                              kith_error *err)
{
    if (length >= 1 && length <= KITH__ID_LONGEST)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "%s[%lld] is an id of %zu bytes, expected 1 to %d",
                      e->name, (long long)i, length, KITH__ID_LONGEST);
}

static kith_status not_listed(const end *e, int64_t i, const char *id,
                              size_t length, kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];

    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "%s[%lld] is node '%s', which the ids do not list",
                      e->name, (long long)i, kith__quote(shown, id, length));
}

static kith_status find_text(const numbering *x, end *e, int64_t i,
                             kith_error *err)
{
    size_t length;
    const char *id = text_at(e, i, &length);

    e->number[i] = kith__ids_find(x->given, id, length);
    return e->number[i] < 0 ? not_listed(e, i, id, length, err) : KITH_OK;
}

static kith_status add_text(end *e, int64_t i, kith__id_set *set,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    size_t length;
    const char *id = text_at(e, i, &length);

    TRY(check_text(e, i, length, err));
    e->number[i] = kith__id_set_add(set, id, length, NULL);
    if (e->number[i] == -1)
        TRY(kith__no_memory(err));
    if (e->number[i] < 0)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "there are more than %d ids, expected fewer",
                       MOST_NODES));
out:
    return st;
}

/* The set's ids, by value if all are integers; and the numbers with them. */
static kith_status settle_texts(numbering *x, kith__id_set *set,
                                kith_error *err)
{
    kith_status st = KITH_OK;
    const int32_t n = set->n;
    const bool integers = set->integers;
    kith__id_set copy = {0};
    int32_t *moved = NULL;

    if (integers) { /* the set is emptied below: keep where each stood */
        TRY_NEW(moved, kith__alloc(n, sizeof(*moved)));
        for (int32_t i = 0; i < n; i++) {
            size_t length;
            const char *id = kith__id_set_get(set, i, &length);

            if (kith__id_set_add(&copy, id, length, NULL) < 0)
                TRY(kith__no_memory(err));
        }
    }
    TRY(kith__ids_from_set(set, true, x->job, &x->ids, err));
    if (!integers)
        goto out;
    for (int32_t i = 0; i < n; i++) {
        size_t length;
        const char *id = kith__id_set_get(&copy, i, &length);

        moved[i] = kith__ids_find(&x->ids, id, length);
    }
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < x->ends[k].count; i++)
            x->ends[k].number[i] = moved[x->ends[k].number[i]];
out:
    kith__id_set_release(&copy);
    kith__free(moved);
    return st;
}

static kith_status number_texts(numbering *x, kith_error *err)
{
    const int64_t count = x->ends[0].count;
    kith_status st = KITH_OK;
    kith__id_set set = {0};

    for (int64_t i = 0; i < count; i++) {
        if (i % PROGRESS_EDGES == 0)
            TRY(kith__progress(x->job, "numbering ids", i, count, "edges",
                               err));
        for (int k = 0; k < 2; k++)
            TRY(x->given ? find_text(x, &x->ends[k], i, err)
                         : add_text(&x->ends[k], i, &set, err));
    }
    if (!x->given)
        TRY(settle_texts(x, &set, err));
out:
    kith__id_set_release(&set);
    return st;
}

/* ---- integers ------------------------------------------------------------ */

/* All ids of both ends, ascending, each once; *n of them. */
static kith_status sort_values(const numbering *x, uint64_t **out, int64_t *n,
                               kith_error *err)
{
    const int64_t count = x->ends[0].count;
    kith_status st = KITH_OK;
    uint64_t *all = NULL;

    *n = 0;
    TRY_NEW(all, kith__alloc(2 * count, sizeof(*all)));
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < count; i++)
            all[2 * i + k] =
                (uint64_t)kith__array_integer(&x->ends[k].of->integers, i);
    kith__sort_u64(all, 2 * count);
    for (int64_t i = 0; i < 2 * count; i++)
        if (*n == 0 || all[*n - 1] != all[i])
            all[(*n)++] = all[i];
    if (*n > MOST_NODES)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "there are more than %d ids, expected fewer",
                       MOST_NODES));
    *out = all;
    all = NULL;
out:
    kith__free(all);
    return st;
}

static kith_status number_integer(const numbering *x, const kith__ids *ids,
                                  end *e, int64_t i, kith_error *err)
{
    char id[KITH_ID_BUFFER];
    const int length =
        snprintf(id, sizeof(id), "%lld",
                 (long long)kith__array_integer(&e->of->integers, i));

    e->number[i] = kith__ids_find(ids, id, (size_t)length);
    return e->number[i] < 0 && x->given
               ? not_listed(e, i, id, (size_t)length, err)
               : KITH_OK;
}

static kith_status number_integers(numbering *x, kith_error *err)
{
    const int64_t count = x->ends[0].count;
    kith_status st = KITH_OK;
    uint64_t *values = NULL;
    int64_t n;

    if (!x->given) {
        TRY(sort_values(x, &values, &n, err));
        kith__ids_from_values((int64_t *)values, (int32_t)n, &x->ids);
        values = NULL;
    }
    for (int64_t i = 0; i < count; i++) {
        if (i % PROGRESS_EDGES == 0)
            TRY(kith__progress(x->job, "numbering ids", i, count, "edges",
                               err));
        for (int k = 0; k < 2; k++)
            TRY(number_integer(x, x->given ? x->given : &x->ids, &x->ends[k], i,
                               err));
    }
out:
    kith__free(values);
    return st;
}

/* ---- the graph ----------------------------------------------------------- */

static kith_status check_weights(const kith_array *w, int64_t count,
                                 kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__values_check(w, "weights", false, err));
    if (w->count != count)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "weights has %lld numbers, expected as many as there "
                       "are edges, %lld",
                       (long long)w->count, (long long)count));
out:
    return st;
}

/* weights NULL: none, or all 1 if they are counted. */
static kith_status build(const numbering *x, const kith_array *weights,
                         const kith_build_options *options, kith_graph **out,
                         kith_cleaning *cleaning, kith_error *err)
{
    const kith__ids *ids = x->given ? x->given : &x->ids;
    const kith__known known = {.nodes = ids};
    const int64_t count = x->ends[0].count;
    kith_status st = KITH_OK;
    kith__gathered gathered = {0};
    kith__feed feed = {.weighted = weights ||
                                   options->merge == KITH_MERGE_COUNT};

    TRY(kith__gather_numbered(NULL, &known, options, ids->n, feed.weighted,
                              &gathered, err));
    feed.builder = gathered.builder;
    for (int64_t i = 0; i < count; i++)
        TRY(kith__feed_edge(&feed, (uint32_t)x->ends[0].number[i],
                            (uint32_t)x->ends[1].number[i],
                            weights ? kith__array_float(weights, i) : 1, err));
    TRY(kith__feed_finish(&feed, err));
    gathered.cleaning.entries = count;
    TRY(kith__gathered_graph(&gathered, out, err));
    if (cleaning)
        *cleaning = gathered.cleaning;
out:
    kith__feed_release(&feed);
    kith__gathered_release(&gathered);
    return st;
}

/* As given, and what an edge given several times weighs decided. */
static kith_build_options decided(const kith_build_options *given,
                                  bool weighted)
{
    kith_build_options o = given ? *given : (kith_build_options){0};

    if (o.merge == KITH_MERGE_AUTO)
        o.merge = weighted               ? KITH_MERGE_SUM
                  : o.weights != KITH_NO ? KITH_MERGE_COUNT
                                         : KITH_MERGE_MAX;
    return o;
}

kith_status kith_graph_from_id_edges(const kith_id_edges *edges,
                                     const kith_ids *ids,
                                     const kith_build_options *options,
                                     kith_graph **out, kith_cleaning *cleaning,
                                     kith_error *err)
{
    const bool weighted = (edges->weights.count || edges->weights.data) &&
                          !(options && options->weights == KITH_NO);
    const kith_build_options how = decided(options, weighted);
    numbering x = {.ends = {{.of = &edges->u, .name = "u"},
                            {.of = &edges->v, .name = "v"}},
                   .given = kith__ids_inside(ids),
                   .job = &how.job};
    kith_status st = KITH_OK;

    *out = NULL;
    TRY(check_ends(&x, err));
    if (weighted)
        TRY(check_weights(&edges->weights, x.ends[0].count, err));
    if (x.ends[0].count == 0 && !x.given)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "the graph has no edges and no list of nodes, expected "
                       "some"));
    for (int k = 0; k < 2; k++)
        TRY_NEW(x.ends[k].number,
                kith__alloc(x.ends[k].count, sizeof(*x.ends[k].number)));
    TRY(is_text(&x.ends[0]) ? number_texts(&x, err) : number_integers(&x, err));
    TRY(build(&x, weighted ? &edges->weights : NULL, &how, out, cleaning, err));
out:
    for (int k = 0; k < 2; k++)
        kith__free(x.ends[k].number);
    kith__ids_release(&x.ids);
    return st;
}
