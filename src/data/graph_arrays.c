/*
 * graph_arrays.c: graphs and node ids from arrays.
 *
 * Edges in any order go through the builder, as those of files do.  A matrix
 * that is a graph's rows already is taken as it is.
 */
#include "core/alloc.h"
#include "data/arrays.h"
#include "io/graph_files.h"
#include "io/kg_check.h"

enum { MOST_NODES = INT32_MAX - 1, PROGRESS_EDGES = 1 << 20 };

static const kith_build_options defaults;

/* ---- ids ----------------------------------------------------------------- */

struct kith_ids {
    kith__ids ids;
};

static kith_status add_id(kith__id_set *set, int64_t i, const char *id,
                          int64_t length, kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];
    bool added;
    int32_t number;

    if (length < 1 || length > KITH__ID_LONGEST)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "id %lld has %lld bytes, expected 1 to %d",
                          (long long)i, (long long)length, KITH__ID_LONGEST);
    number = kith__id_set_add(set, id, (size_t)length, &added);
    if (number < 0)
        return kith__no_memory(err);
    if (!added)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "id %lld is '%s', which is also id %d, expected each "
                          "once",
                          (long long)i, kith__quote(shown, id, (size_t)length),
                          (int)number);
    return KITH_OK;
}

kith_status kith_ids_from_strings(const kith_array *offsets, const char *bytes,
                                  kith_ids **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__id_set set = {0};
    kith_ids *ids = NULL;

    *out = NULL;
    TRY(kith__indices_check(offsets, "offsets", 0, INT64_MAX, err));
    if (offsets->count < 1 || offsets->count - 1 > MOST_NODES || !bytes)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "offsets has %lld numbers, expected 1 to %d, and bytes",
                       (long long)offsets->count, MOST_NODES + 1));
    for (int64_t i = 0; i + 1 < offsets->count; i++) {
        const int64_t from = kith__array_integer(offsets, i);
        const int64_t to = kith__array_integer(offsets, i + 1);

        TRY(add_id(&set, i, bytes + from, to - from, err));
    }
    TRY_NEW(ids, kith__alloc_zeroed(1, sizeof(*ids)));
    TRY(kith__ids_from_set(&set, false, NULL, &ids->ids, err));
    *out = ids;
    ids = NULL;
out:
    kith__id_set_release(&set);
    kith_ids_free(ids);
    return st;
}

void kith_ids_free(kith_ids *ids)
{
    if (ids)
        kith__ids_release(&ids->ids);
    kith__free(ids);
}

const kith__ids *kith__ids_inside(const kith_ids *ids)
{
    return ids ? &ids->ids : NULL;
}

/* ---- from edges ---------------------------------------------------------- */

/* Refuse a number of nodes that no graph has, or not as many as ids. */
static kith_status check_nodes(int64_t n, const kith_ids *ids, kith_error *err)
{
    if (n < 1 || n > MOST_NODES)
        return kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                          "the graph has %lld nodes, expected 1 to %d",
                          (long long)n, MOST_NODES);
    if (ids && n != ids->ids.n)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "there are %d ids for %lld nodes, expected as many",
                          (int)ids->ids.n, (long long)n);
    return KITH_OK;
}

static kith_status same_count(const kith_array *a, const char *name,
                              int64_t count, const char *of, kith_error *err)
{
    if (a->count == count)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "%s has %lld numbers, expected as many as %s, %lld", name,
                      (long long)a->count, of, (long long)count);
}

/* Where edges come from: columns, and u or the rows that they stand in. */
typedef struct edge_arrays {
    const kith_array *u, *rows; /* one of them */
    const kith_array *v;
    const kith_array *weights; /* NULL if there are none */
    int64_t n;
} edge_arrays;

static int64_t largest(const kith_array *a)
{
    int64_t most = -1;

    for (int64_t i = 0; i < a->count; i++) {
        const int64_t x = kith__array_integer(a, i);

        most = x > most ? x : most;
    }
    return most;
}

static kith_status feed_edges(const edge_arrays *e, const kith_job *job,
                              kith__feed *feed, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t row = 0;

    for (int64_t i = 0; i < e->v->count; i++) {
        if (i % PROGRESS_EDGES == 0)
            TRY(kith__progress(job, "reading edges", i, e->v->count, "edges",
                               err));
        while (e->rows && kith__array_integer(e->rows, row + 1) <= i)
            row++;
        TRY(kith__feed_edge(
            feed, (uint32_t)(e->rows ? row : kith__array_integer(e->u, i)),
            (uint32_t)kith__array_integer(e->v, i),
            e->weights ? kith__array_float(e->weights, i) : 0, err));
    }
    TRY(kith__feed_finish(feed, err));
out:
    return st;
}

/* The graph of edges that were checked. */
static kith_status build(const edge_arrays *e, const kith_ids *ids,
                         const kith_build_options *options, kith_graph **out,
                         kith_cleaning *cleaning, kith_error *err)
{
    const kith__known known = {.nodes = ids ? &ids->ids : NULL};
    kith_status st = KITH_OK;
    kith__gathered gathered = {0};
    kith__feed feed = {.weighted = e->weights != NULL};

    TRY(kith__gather_numbered(NULL, &known, options, e->n, feed.weighted,
                              &gathered, err));
    feed.builder = gathered.builder;
    TRY(feed_edges(e, &options->job, &feed, err));
    gathered.cleaning.entries = e->v->count;
    TRY(kith__gathered_graph(&gathered, out, err));
    if (cleaning)
        *cleaning = gathered.cleaning;
out:
    kith__feed_release(&feed);
    kith__gathered_release(&gathered);
    return st;
}

/* The weights to use, checked; NULL if there are none. */
static kith_status take_weights(const kith_array *given, const char *name,
                                int64_t count,
                                const kith_build_options *options,
                                const kith_array **out, kith_error *err)
{
    kith_status st = KITH_OK;

    *out = NULL;
    if ((given->count == 0 && !given->data) || options->weights == KITH_NO)
        return KITH_OK;
    TRY(same_count(given, name, count, "there are edges", err));
    TRY(kith__values_check(given, name, false, err));
    *out = given;
out:
    return st;
}

kith_status kith_graph_from_coo(const kith_coo *edges, const kith_ids *ids,
                                const kith_build_options *options,
                                kith_graph **out, kith_cleaning *cleaning,
                                kith_error *err)
{
    edge_arrays e = {.u = &edges->u, .v = &edges->v, .n = edges->nodes};
    kith_status st = KITH_OK;

    *out = NULL;
    options = options ? options : &defaults;
    TRY(kith__array_check(e.u, "u", true, err));
    TRY(kith__array_check(e.v, "v", true, err));
    if (e.n == 0 && ids)
        e.n = ids->ids.n;
    else if (e.n == 0)
        e.n = (largest(e.u) > largest(e.v) ? largest(e.u) : largest(e.v)) + 1;
    TRY(check_nodes(e.n, ids, err));
    TRY(same_count(e.v, "v", e.u->count, "u", err));
    TRY(kith__indices_check(e.u, "u", 0, e.n, err));
    TRY(kith__indices_check(e.v, "v", 0, e.n, err));
    TRY(take_weights(&edges->weights, "weights", e.u->count, options,
                     &e.weights, err));
    TRY(build(&e, ids, options, out, cleaning, err));
out:
    return st;
}

/* ---- from a matrix ------------------------------------------------------- */

static bool any_minus_zero(const float *w, int64_t n)
{
    int bad = 0;

    for (int64_t i = 0; i < n; i++)
        bad |= w[i] == 0 && __builtin_signbit(w[i]);
    return bad;
}

static void *copy_of(const void *from, int64_t count)
{
    void *copy = kith__alloc_big(count, 4);

    if (copy && count > 0)
        memcpy(copy, from, (size_t)count * 4);
    return copy;
}

/* A view of a matrix as a graph; `rows` belongs to the graph. */
static kith_status view_matrix(const edge_arrays *e, const kith_ids *ids,
                               kith_graph **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_graph *g = NULL;
    int64_t *rows = NULL;

    TRY_NEW(g, kith__alloc_zeroed(1, sizeof(*g)));
    g->borrowed = true;
    g->n = (int32_t)e->n;
    g->entries = e->v->count;
    TRY_NEW(rows, kith__alloc(e->n + 1, sizeof(*rows)));
    for (int64_t i = 0; i <= e->n; i++)
        rows[i] = kith__array_integer(e->rows, i);
    g->rows = rows;
    g->neighbours = e->v->data;
    g->weights = e->weights ? e->weights->data : NULL;
    if (ids)
        TRY(kith__ids_copy(&ids->ids, &g->ids, err));
    else
        g->ids = (kith__ids){.kind = KITH__IDS_RANGE, .n = g->n};
    *out = g;
    g = NULL;
out:
    kith_graph_free(g);
    return st;
}

/* Make the columns and values of a graph that borrows them its own. */
static kith_status own_matrix(kith_graph *g, kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t *neighbours = NULL;
    float *weights = NULL;

    TRY_NEW(neighbours, copy_of(g->neighbours, g->entries));
    if (g->weights)
        TRY_NEW(weights, copy_of(g->weights, g->entries));
    g->neighbours = neighbours;
    g->weights = weights;
    g->borrowed = false;
    neighbours = NULL;
out:
    kith__free(neighbours);
    return st;
}

/* The matrix as it is; *out NULL if it must be sorted or cleaned. */
static kith_status take_matrix(const edge_arrays *e, const kith_ids *ids,
                               kith_keep keep, const kith_job *job,
                               kith_graph **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_graph *g = NULL;
    const char *fault;

    if (!kith__array_is(e->v, KITH_I32) ||
        (e->weights && !kith__array_is(e->weights, KITH_F32)))
        return KITH_OK;
    TRY(view_matrix(e, ids, &g, err));
    TRY(kith__kg_graph_fault(g, job, &fault, err));
    if (fault || (g->weights && any_minus_zero(g->weights, g->entries)))
        goto out;
    if (keep == KITH_COPY)
        TRY(own_matrix(g, err));
    *out = g;
    g = NULL;
out:
    kith_graph_free(g);
    return st;
}

/* What cleaning finds in a matrix that is taken as it is. */
static kith_cleaning nothing_cleaned(const kith_graph *g)
{
    kith_cleaning c = {.entries = g->entries, .both_ways = g->entries / 2};

    for (int32_t u = 0; u < g->n; u++)
        c.isolated += g->rows[u] == g->rows[u + 1];
    return c;
}

kith_status kith_graph_from_csr(const kith_csr *matrix, const kith_ids *ids,
                                kith_keep keep,
                                const kith_build_options *options,
                                kith_graph **out, kith_cleaning *cleaning,
                                kith_error *err)
{
    edge_arrays e = {.rows = &matrix->rows, .v = &matrix->columns};
    kith_status st = KITH_OK;

    *out = NULL;
    options = options ? options : &defaults;
    e.n = e.rows->count - 1;
    TRY(check_nodes(e.n, ids, err));
    if (matrix->width != 0 && matrix->width != e.n)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "the matrix has %lld rows and %lld columns, expected a "
                       "square one for a graph",
                       (long long)e.n, (long long)matrix->width));
    TRY(kith__array_check(e.v, "columns", true, err));
    TRY(kith__offsets_check(e.rows, "rows", e.v->count, err));
    TRY(kith__indices_check(e.v, "columns", 0, e.n, err));
    TRY(take_weights(&matrix->values, "values", e.v->count, options, &e.weights,
                     err));
    TRY(take_matrix(&e, ids, keep, &options->job, out, err));
    if (!*out)
        TRY(build(&e, ids, options, out, cleaning, err));
    else if (cleaning)
        *cleaning = nothing_cleaned(*out);
out:
    return st;
}

bool kith_graph_borrows(const kith_graph *g)
{
    return g->borrowed;
}
