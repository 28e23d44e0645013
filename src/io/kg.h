/*
 * kg.h: the built graph file, docs/formats/kg.md.
 */
#ifndef KITH_IO_KG_H
#define KITH_IO_KG_H

#include "core/out_file.h"
#include "graph/order.h"
#include "io/source.h"
#include "kith/data.h"

/* ---- writing ------------------------------------------------------------- */

typedef struct kith__kg_writer kith__kg_writer;

kith_status kith__kg_create(const char *path, kith__kg_writer **out,
                            kith_error *err);
void kith__kg_abort(kith__kg_writer *w); /* NULL is fine */

/*
 * First of all the rows: neighbours (and weights, or NULL) of consecutive
 * rows, in any number of calls.  It has the type kith__emit_fn, so a builder
 * can write straight to the file.
 */
kith_status kith__kg_put_neighbours(void *writer, const int32_t *neighbours,
                                    const float *weights, int64_t count,
                                    kith_error *err);

/* Then the rest: row offsets and ids, and what else there is (may be NULL). */
kith_status kith__kg_put_graph(kith__kg_writer *w, int32_t n,
                               const int64_t *rows, const kith__ids *ids,
                               kith_error *err);

/* The order in which the input listed the nodes, if they are numbered
 * otherwise, and kith__kg_listed_sums() of the graph as it was listed. */
kith_status kith__kg_put_order(kith__kg_writer *w, int32_t n,
                               const int32_t *place, const int32_t *listed,
                               const uint64_t sums[3], kith_error *err);

kith_status kith__kg_put_labels(kith__kg_writer *w, const kith_labels *labels,
                                kith_error *err);
kith_status kith__kg_put_features(kith__kg_writer *w, const kith_features *f,
                                  kith_error *err);
kith_status kith__kg_put_cleaning(kith__kg_writer *w, const kith_cleaning *c,
                                  kith_error *err);

/* Write the header, sync, and give the file its name; w is freed either way. */
kith_status kith__kg_commit(kith__kg_writer *w, kith_error *err);
/* The same, but let it appear with the others of a set, if it is not NULL. */
kith_status kith__kg_add(kith__kg_writer *w, kith_outputs *with,
                         kith_error *err);

/* Checksums of rows, neighbours and weights (0 if there are none), as the input
 * listed the nodes. */
void kith__kg_listed_sums(const kith_graph *g, uint64_t sums[3]);

/* ---- reading ------------------------------------------------------------- */

/* True if the source begins like a built graph. */
bool kith__kg_is(const kith__source *source);

/* What to do on opening. */
typedef struct kith__kg_how {
    const kith_job *job; /* NULL = the default */
    bool graph_alone;    /* leave labels and features be */
    bool verify;         /* checksums also of a file of more than 1 GiB */
} kith__kg_how;

/* What is in a file; NULL: not there, or not wanted. */
typedef struct kith__kg_parts {
    kith_graph *graph;
    kith_labels *labels;
    kith_features *features;
    kith_cleaning cleaning;
} kith__kg_parts;

/* Map a file, and check all of it that is taken: kg_check.h. */
kith_status kith__kg_open(const kith__source *source, const kith__kg_how *how,
                          kith__kg_parts *out, kith_error *err);
void kith__kg_release(kith__kg_parts *parts);

#endif
