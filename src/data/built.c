#include "data/built.h"

#include <sys/mman.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/out_file.h"
#include "data/features.h"
#include "data/labels.h"
#include "graph/order.h"
#include "io/kg.h"

/* ---- what hangs on the nodes --------------------------------------------- */

/* Labels and features of d, node u becoming to[u]. */
static kith_status move_parts(const kith_dataset *d, const int32_t *to,
                              kith_dataset *out, kith_error *err)
{
    kith_status st = KITH_OK;

    if (d->labels)
        TRY(kith__labels_place(d->labels, to, &out->labels, err));
    if (d->features)
        TRY(kith__features_place(d->features, d->graph->n, to, &out->features,
                                 err));
    out->cleaning = d->cleaning;
out:
    return st;
}

kith_status kith__dataset_as_listed(const kith_dataset *d, const kith_job *job,
                                    kith_dataset **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_dataset *back = NULL;

    *out = NULL;
    if (!d->graph->listed)
        return KITH_OK;
    TRY_NEW(back, kith__alloc_zeroed(1, sizeof(*back)));
    TRY(kith__graph_as_listed(d->graph, job, &back->graph, err));
    TRY(move_parts(d, d->graph->place, back, err));
    *out = back;
    back = NULL;
out:
    kith_dataset_free(back);
    return st;
}

/* ---- writing ------------------------------------------------------------- */

static kith_status put_parts(kith__kg_writer *w, const kith_dataset *d,
                             kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__kg_put_labels(w, d->labels, err));
    TRY(kith__kg_put_features(w, d->features, err));
    TRY(kith__kg_put_cleaning(w, &d->cleaning, err));
out:
    return st;
}

/* As it is numbered. */
static kith_status put_same(kith__kg_writer *w, const kith_dataset *d,
                            kith_error *err)
{
    const kith_graph *g = d->graph;
    int64_t at = 0, n;
    kith_status st = KITH_OK;

    do {
        n = g->entries - at;
        n = g->files && n > KITH__READ_AT_ONCE ? KITH__READ_AT_ONCE : n;
        TRY(kith__kg_put_neighbours(w, g->neighbours + at,
                                    g->weights ? g->weights + at : NULL, n,
                                    err));
        kith__graph_give_back(g);
        at += n;
    } while (at < g->entries);
    TRY(kith__kg_put_graph(w, g->n, g->rows, &g->ids, err));
    if (g->listed) {
        uint64_t sums[3];

        kith__kg_listed_sums(g, sums);
        TRY(kith__kg_put_order(w, g->n, g->place, g->listed, sums, err));
    }
    TRY(put_parts(w, d, err));
out:
    return st;
}

/* By degree, from as it is listed. */
static kith_status put_by_degree(kith__kg_writer *w, const kith_dataset *d,
                                 const kith_job *job, kith_error *err)
{
    const kith_graph *g = d->graph;
    kith_status st = KITH_OK;
    kith_dataset moved = {0};
    kith__order order = {0};
    int64_t *rows = NULL;
    uint64_t sums[3];

    if (!kith__order_by_degree(g->rows, g->n, &order))
        TRY(kith__no_memory(err));
    TRY_NEW(rows, kith__alloc_big((int64_t)g->n + 1, sizeof(*rows)));
    TRY(kith__renumber(g, order.place, order.listed, job,
                       kith__kg_put_neighbours, w, rows, err));
    TRY(kith__kg_put_graph(w, g->n, rows, &g->ids, err));
    kith__kg_listed_sums(g, sums);
    TRY(kith__kg_put_order(w, g->n, order.place, order.listed, sums, err));
    TRY(move_parts(d, order.listed, &moved, err));
    TRY(put_parts(w, &moved, err));
out:
    kith_labels_free(moved.labels);
    kith_features_free(moved.features);
    kith__order_release(&order);
    kith__free(rows);
    return st;
}

static bool wants_degree(const kith_graph *g, kith_order order)
{
    return order == KITH_ORDER_DEGREE ||
           (order == KITH_ORDER_AUTO && kith__order_pays(g));
}

kith_status kith__built_write(const kith_dataset *d, bool keep,
                              kith_order order, const char *path,
                              const kith_job *job, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_dataset *listed = NULL;
    kith__kg_writer *w = NULL;

    TRY(kith__kg_create(path, &w, err));
    if (!keep && order == KITH_ORDER_INPUT)
        TRY(kith__dataset_as_listed(d, job, &listed, err));
    if (!keep && !d->graph->listed && wants_degree(d->graph, order))
        TRY(put_by_degree(w, d, job, err));
    else
        TRY(put_same(w, listed ? listed : d, err));
    st = kith__kg_commit(w, err);
    w = NULL;
out:
    kith__kg_abort(w);
    kith_dataset_free(listed);
    return st;
}

/* ---- rows that wait ------------------------------------------------------ */

enum { NEIGHBOURS, WEIGHTS };

static kith_status hold(kith__held *h, int which, const void *from,
                        int64_t bytes, kith_error *err)
{
    kith_status st = KITH_OK;

    if (h->fd[which] < 0)
        TRY(kith__scratch_open(h->folder, &h->fd[which], err));
    if (!kith__write_at(h->fd[which], from, bytes, h->bytes[which]))
        TRY(kith__fail_errno(err, h->folder, "write a temporary file in"));
    h->bytes[which] += bytes;
out:
    return st;
}

static kith_status hold_rows(void *user, const int32_t *neighbours,
                             const float *weights, int64_t count,
                             kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(hold(user, NEIGHBOURS, neighbours, count * 4, err));
    if (weights)
        TRY(hold(user, WEIGHTS, weights, count * 4, err));
out:
    return st;
}

static kith_status map_held(kith__held *h, int which, kith_error *err)
{
    void *map;

    if (h->bytes[which] == 0)
        return KITH_OK;
    map = mmap(NULL, (size_t)h->bytes[which], PROT_READ, MAP_SHARED,
               h->fd[which], 0);
    if (map == MAP_FAILED)
        return kith__fail_errno(err, h->folder, "map a temporary file in");
    h->map[which] = map;
    return KITH_OK;
}

kith_status kith__held_finish(kith__held *h, kith__gathered *gathered,
                              const char *folder, kith_error *err)
{
    const bool spilled = kith__builder_spilled(gathered->builder);
    kith_status st = KITH_OK;

    *h = (kith__held){.fd = {-1, -1}, .folder = folder};
    TRY(kith__builder_finish(gathered->builder, gathered->ids.n,
                             spilled ? hold_rows : NULL, h, &h->csr,
                             &gathered->ids, &gathered->cleaning, err));
    if (spilled) {
        TRY(map_held(h, NEIGHBOURS, err));
        TRY(map_held(h, WEIGHTS, err));
        h->csr.neighbours = h->map[NEIGHBOURS];
        h->csr.weights = h->map[WEIGHTS];
    }
out:
    return st;
}

void kith__held_release(kith__held *h)
{
    for (int i = 0; i < 2; i++) {
        if (h->map[i])
            munmap(h->map[i], (size_t)h->bytes[i]);
        if (h->fd[i] >= 0 && h->folder)
            close(h->fd[i]);
    }
    if (h->map[NEIGHBOURS])
        h->csr.neighbours = NULL;
    if (h->map[WEIGHTS])
        h->csr.weights = NULL;
    kith__csr_release(&h->csr);
}
