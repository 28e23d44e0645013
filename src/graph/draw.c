#include "graph/draw.h"

#include <xxhash.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/rng.h"
#include "graph/order.h"

uint64_t kith__node_key(const kith_graph *g, int32_t u)
{
    const kith__ids numbers = {.kind = KITH__IDS_RANGE, .n = INT32_MAX};
    char buffer[KITH_ID_BUFFER];
    size_t length;
    const char *id = g ? kith_graph_id(g, u, buffer, &length)
                       : kith__ids_get(&numbers, u, buffer, &length);

    return XXH3_64bits(id, length);
}

/* A random number of a node, above room for 32 bits. */
static kith__u128 drawn(const kith_graph *g, uint64_t draw, int32_t u)
{
    return (kith__u128)kith__mix(kith__node_key(g, u) ^ draw) << 32;
}

kith_status kith__draw_order(const kith_graph *g, uint64_t seed,
                             uint64_t stream, int32_t *nodes, int64_t n,
                             kith_error *err)
{
    const uint64_t draw = kith__rng_start(seed, stream).state;
    kith_status st = KITH_OK;
    kith__u128 *by = NULL;

    TRY_NEW(by, kith__alloc(n, sizeof(*by)));
    for (int64_t i = 0; i < n; i++)
        by[i] = drawn(g, draw, nodes[i]) | (uint32_t)nodes[i];
    kith__sort_u128(by, n);
    for (int64_t i = 0; i < n; i++)
        nodes[i] = (int32_t)(uint32_t)by[i];
out:
    kith__free(by);
    return st;
}

/* Sorted by class, then by hash, every `parts`-th goes into one part. */
kith_status kith__draw_parts(const kith_graph *g, const int32_t *nodes,
                             const int32_t *class_of, int32_t n, int parts,
                             uint64_t stream, int *part, kith_error *err)
{
    const uint64_t draw = kith__rng_start(0, stream).state;
    kith_status st = KITH_OK;
    kith__u128 *by = NULL;

    TRY_NEW(by, kith__alloc(n, sizeof(*by)));
    for (int32_t i = 0; i < n; i++)
        by[i] = (kith__u128)(uint32_t)class_of[i] << 96 |
                drawn(g, draw, nodes[i]) | (uint32_t)i;
    kith__sort_u128(by, n);
    for (int32_t i = 0; i < n; i++)
        part[(uint32_t)by[i]] = i % parts;
out:
    kith__free(by);
    return st;
}

/* Both ways between the numbers of g and the order of keys. */
static kith_status number_by_key(const kith_graph *g, int threads,
                                 kith__drawn *out, int64_t *key,
                                 kith_error *err)
{
    kith_status st = KITH_OK;
    kith__u128 *by = NULL;

    TRY_NEW(by, kith__alloc_big(g->n, sizeof(*by)));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t u = 0; u < g->n; u++)
        by[u] = (kith__u128)(kith__node_key(g, u) >> 1) << 32 | (uint32_t)u;
    kith__sort_u128(by, g->n);
    for (int32_t i = 0; i < g->n; i++) {
        key[i] = (int64_t)(by[i] >> 32);
        out->from[i] = (int32_t)(uint32_t)by[i];
        out->to[out->from[i]] = i;
    }
out:
    kith__free(by);
    return st;
}

kith_status kith__drawn_new(const kith_graph *g, const kith_job *job,
                            kith__drawn *out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__ids ids = {0};
    int64_t *key = NULL;

    *out = (kith__drawn){0};
    TRY_NEW(key, kith__alloc(g->n, sizeof(*key)));
    TRY_NEW(out->from, kith__alloc(g->n, sizeof(*out->from)));
    TRY_NEW(out->to, kith__alloc(g->n, sizeof(*out->to)));
    TRY(number_by_key(g, kith__threads(job), out, key, err));
    kith__ids_from_values(key, g->n, &ids);
    key = NULL;
    TRY(kith__graph_renumbered(g, out->from, out->to, &ids, job, &out->graph,
                               err));
out:
    kith__free(key);
    if (st != KITH_OK)
        kith__drawn_release(out);
    return st;
}

void kith__drawn_release(kith__drawn *d)
{
    kith_graph_free(d->graph);
    kith__free(d->from);
    kith__free(d->to);
    *d = (kith__drawn){0};
}
