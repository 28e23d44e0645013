/*
 * stats.c: degrees and connected components.
 *
 * Components by union-find with path halving over u < v (the root is the
 * smaller index): O(m a(n)) time, 4 n bytes.
 */
#include "core/alloc.h"
#include "core/job.h"
#include "graph/graph_object.h"

static int32_t find_root(int32_t *parent, int32_t u)
{
    while (parent[u] != u) {
        parent[u] = parent[parent[u]];
        u = parent[u];
    }
    return u;
}

static void join(int32_t *parent, int32_t u, int32_t v)
{
    u = find_root(parent, u);
    v = find_root(parent, v);
    if (u < v)
        parent[v] = u;
    else
        parent[u] = v;
}

static kith_status components(const kith_graph *g, const kith_job *job,
                              kith_graph_stats *out, kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t *parent = NULL, *size = NULL;

    TRY_NEW(parent, kith__alloc(g->n, sizeof(*parent)));
    for (int32_t u = 0; u < g->n; u++)
        parent[u] = u;
    for (int32_t u = 0; u < g->n; u++) {
        if (u % 65536 == 0)
            TRY(kith__progress(job, "components", u, g->n, "nodes", err));
        for (int64_t p = g->rows[u]; p < g->rows[u + 1] && g->neighbours[p] < u;
             p++)
            join(parent, u, g->neighbours[p]);
    }
    TRY_NEW(size, kith__alloc_zeroed(g->n, sizeof(*size)));
    for (int32_t u = 0; u < g->n; u++) {
        const int32_t root = find_root(parent, u);

        out->components += root == u;
        size[root]++;
        if (size[root] > out->largest)
            out->largest = size[root];
    }
out:
    kith__free(parent);
    kith__free(size);
    return st;
}

static int bucket_of(int64_t degree)
{
    const int b = degree == 0 ? 0 : 64 - __builtin_clzll((uint64_t)degree);

    return b > 31 ? 31 : b;
}

/* The p-th percentile is the smallest degree that at least p % of the nodes
 * do not exceed; from the count of every degree. */
static kith_status degrees(const kith_graph *g, kith_graph_stats *out,
                           kith_error *err)
{
    static const double want[5] = {.10, .50, .90, .99, .999};
    int64_t *count, sum = 0;
    int next = 0;

    for (int32_t u = 0; u < g->n; u++) {
        const int64_t degree = g->rows[u + 1] - g->rows[u];

        out->degree_bucket[bucket_of(degree)]++;
        out->isolated += degree == 0;
        if (degree > out->max_degree)
            out->max_degree = degree;
    }
    count = kith__alloc_zeroed(out->max_degree + 1, sizeof(*count));
    if (!count)
        return kith__no_memory(err);
    for (int32_t u = 0; u < g->n; u++)
        count[g->rows[u + 1] - g->rows[u]]++;
    for (int64_t d = 0; d <= out->max_degree && next < 5; d++) {
        sum += count[d];
        while (next < 5 && (double)sum >= want[next] * g->n)
            out->percentile[next++] = d;
    }
    kith__free(count);
    out->mean_degree = g->n ? (double)g->entries / g->n : 0;
    return KITH_OK;
}

kith_status kith_graph_stats_compute(const kith_graph *g, const kith_job *job,
                                     kith_graph_stats *out, kith_error *err)
{
    kith_status st;

    *out = (kith_graph_stats){0};
    st = degrees(g, out, err);
    return st == KITH_OK ? components(g, job, out, err) : st;
}
