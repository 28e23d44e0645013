#include <sys/mman.h>
#include <xxhash.h>

#include "core/alloc.h"
#include "graph/graph_object.h"
#include "kith/graph.h"

void kith__csr_release(kith__csr *csr)
{
    kith__free(csr->rows);
    kith__free(csr->neighbours);
    kith__free(csr->weights);
    *csr = (kith__csr){0};
}

kith_status kith__graph_new(kith__csr *csr, kith__ids *ids, kith_graph **out,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    kith_graph *g = NULL;

    *out = NULL;
    TRY_NEW(g, kith__alloc_zeroed(1, sizeof(*g)));
    g->n = csr->n;
    g->entries = csr->entries;
    g->rows = csr->rows;
    g->neighbours = csr->neighbours;
    g->weights = csr->weights;
    g->ids = *ids;
    *csr = (kith__csr){0};
    *ids = (kith__ids){0};
    *out = g;
out:
    kith__csr_release(csr);
    kith__ids_release(ids);
    return st;
}

static void give_back(const void *array, int64_t bytes)
{
    if (array && bytes > 0)
        (void)madvise((void *)array, (size_t)bytes, MADV_DONTNEED);
}

void kith__graph_give_back(const kith_graph *g)
{
    if (!g->files)
        return;
    give_back(g->neighbours, g->entries * 4);
    give_back(g->weights, g->entries * 4);
}

void kith_graph_free(kith_graph *g)
{
    if (!g)
        return;
    if (g->map) {
        kith__ids_unmap(&g->ids);
        kith__map_release(g->map);
    } else {
        kith__free((void *)g->rows);
        kith__free(g->borrowed ? NULL : (void *)g->neighbours);
        kith__free(g->borrowed ? NULL : (void *)g->weights);
        kith__ids_release(&g->ids);
    }
    kith__free(g);
}

int32_t kith_graph_nodes(const kith_graph *g)
{
    return g->n;
}

int64_t kith_graph_edges(const kith_graph *g)
{
    return g->entries / 2;
}

const int64_t *kith_graph_rows(const kith_graph *g)
{
    return g->rows;
}

const int32_t *kith_graph_neighbours(const kith_graph *g)
{
    return g->neighbours;
}

const float *kith_graph_weights(const kith_graph *g)
{
    return g->weights;
}

const char *kith_graph_id(const kith_graph *g, int32_t node, char *buffer,
                          size_t *length)
{
    return kith__ids_get(&g->ids, kith_graph_place(g, node), buffer, length);
}

int32_t kith_graph_find(const kith_graph *g, const char *id, size_t length)
{
    const int32_t place = kith__ids_find(&g->ids, id, length);

    return place < 0 ? place : kith_graph_listed(g, place);
}

int32_t kith_graph_listed(const kith_graph *g, int32_t place)
{
    return g->listed ? g->listed[place] : place;
}

int32_t kith_graph_place(const kith_graph *g, int32_t node)
{
    return g->place ? g->place[node] : node;
}

uint64_t kith__graph_fingerprint(const kith_graph *g, const uint64_t parts[6])
{
    const uint64_t all[10] = {(uint64_t)g->n,
                              (uint64_t)g->entries,
                              (uint64_t)g->ids.kind,
                              (uint64_t)g->ids.base,
                              parts[0],
                              parts[1],
                              parts[2],
                              parts[3],
                              parts[4],
                              parts[5]};

    return XXH3_64bits(all, sizeof(all));
}
