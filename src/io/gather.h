/*
 * gather.h: what every graph format's reader does: gather edges, and ids
 * unless the nodes are numbered, into a builder.
 */
#ifndef KITH_IO_GATHER_H
#define KITH_IO_GATHER_H

#include "graph/builder.h"
#include "io/source.h"

/* What is known of the nodes before the edges are read. */
typedef struct kith__known {
    const kith__ids *nodes;    /* every node, from a list; NULL if no list */
    const kith__id_set *named; /* ids named by other files, or NULL */
    int32_t numbered;          /* ids 0 .. numbered - 1 exist */
} kith__known;

/* Are there nodes already?  Then a file without edges is a graph too. */
bool kith__known_any(const kith__known *known);

/* Add them to ids that were collected. */
kith_status kith__known_add(const kith__known *known, kith__id_set *all,
                            kith_error *err);

/* Classes that a graph file itself gives to its nodes. */
typedef struct kith__node_classes {
    char *attribute; /* what it calls them, NULL if there are none */
    int32_t *of;     /* of each node, -1 = unknown */
    int64_t labelled;
    kith__id_set names; /* as they appeared */
} kith__node_classes;

void kith__node_classes_release(kith__node_classes *c);

/* Edges and ids, ready for kith__builder_finish(). */
typedef struct kith__gathered {
    kith__builder *builder;
    bool raw;      /* the builder numbers the nodes */
    kith__ids ids; /* else these are their ids */
    kith__node_classes classes;
    kith_cleaning cleaning;
} kith__gathered;

void kith__gathered_release(kith__gathered *g);

/* The readers, of a source at its start.  out is zeroed, and released by the
 * caller also on failure. */
kith_status kith__edgelist_read(kith__source *source, const kith__known *known,
                                const kith_build_options *options,
                                kith__gathered *out, kith_error *err);
kith_status kith__mtx_graph_read(kith__source *source, const kith__known *known,
                                 const kith_build_options *options,
                                 kith__gathered *out, kith_error *err);
kith_status kith__metis_read(kith__source *source, const kith__known *known,
                             const kith_build_options *options,
                             kith__gathered *out, kith_error *err);
kith_status kith__npz_graph_read(kith__source *source, const kith__known *known,
                                 const kith_build_options *options,
                                 kith__gathered *out, kith_error *err);
kith_status kith__graphml_read(kith__source *source, const kith__known *known,
                               const kith_build_options *options,
                               kith__gathered *out, kith_error *err);
kith_status kith__json_graph_read(kith__source *source,
                                  const kith__known *known,
                                  const kith_build_options *options,
                                  kith__gathered *out, kith_error *err);
kith_status kith__gexf_read(kith__source *source, const kith__known *known,
                            const kith_build_options *options,
                            kith__gathered *out, kith_error *err);

/* The one that fits the file, by its first bytes and its name. */
kith_status kith__gather(kith__source *source, const kith__known *known,
                         const kith_build_options *options, kith__gathered *out,
                         kith_error *err);

/*
 * For formats whose nodes are numbered 0 .. n - 1: start `out` with a builder,
 * ids from known->nodes (which must be n) or 0 .. n - 1, or more if
 * known->numbered is.
 */
kith_status kith__gather_numbered(const char *path, const kith__known *known,
                                  const kith_build_options *options, int64_t n,
                                  bool weighted, kith__gathered *out,
                                  kith_error *err);

/*
 * Collects the edges of such a format into blocks for the builder.  Weights
 * are checked by the caller: finite and not negative.
 */
typedef struct kith__feed {
    kith__builder *builder;
    bool weighted;
    kith__edges edges;
} kith__feed;

kith_status kith__feed_edge(kith__feed *f, uint32_t u, uint32_t v, float w,
                            kith_error *err);
kith_status kith__feed_finish(kith__feed *f, kith_error *err); /* flush */
void kith__feed_release(kith__feed *f);

/* Does a path end so, .gz and .zst taken off first? */
bool kith__named(const char *path, const char *ending);

#endif
