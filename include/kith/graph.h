/*
 * kith/graph.h: an immutable undirected graph with string or integer node
 * ids, read from text, opened from a built file, or written.
 *
 *     kith_graph *g;
 *     kith_error err;
 *     if (kith_graph_read("edges.tsv", NULL, &g, NULL, &err) != KITH_OK) ...
 *     for (int64_t p = kith_graph_rows(g)[u]; p < kith_graph_rows(g)[u + 1];
 * p++) visit(kith_graph_neighbours(g)[p]); kith_graph_free(g);
 */
#ifndef KITH_GRAPH_H
#define KITH_GRAPH_H

#include <stdbool.h>

#include "kith/core.h"
#include "kith/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kith_graph kith_graph; /* opaque, immutable once built */

/* What reading an input met and mended.  All counts are of input lines or
 * stored entries, before symmetrising. */
typedef struct kith_cleaning {
    int64_t lines;        /* lines of text; 0 for binary inputs */
    int64_t comments;     /* comment and blank lines */
    int64_t headers;      /* 1 if a header line was recognised */
    int64_t entries;      /* edges as the input lists them */
    int64_t self_loops;   /* dropped */
    int64_t duplicates;   /* repeats in the same direction, merged */
    int64_t one_way;      /* edges given as u-v or as v-u only */
    int64_t both_ways;    /* edges given as u-v and as v-u */
    int64_t isolated;     /* nodes without any edge */
    int64_t extra_fields; /* lines whose further fields were ignored */
} kith_cleaning;

typedef enum kith_choice {
    KITH_AUTO = 0,
    KITH_YES = 1,
    KITH_NO = 2
} kith_choice;

/* How a built file numbers the nodes.  It changes neither what a node is called
 * nor the order in which results are written, only how fast passes over the
 * edges are. */
typedef enum kith_order {
    KITH_ORDER_AUTO =
        0,            /* by degree if that pays, which depends on the graph */
    KITH_ORDER_INPUT, /* as the input lists them, or ascending integer ids */
    KITH_ORDER_DEGREE /* largest degree first */
} kith_order;

/* What an edge that is given several times weighs. */
typedef enum kith_merge {
    KITH_MERGE_AUTO = 0, /* the largest; of a table read by column name the sum,
                            or without weights how often it is given */
    KITH_MERGE_MAX,
    KITH_MERGE_SUM,
    KITH_MERGE_COUNT, /* how often it is given, whatever its weights */
    KITH_MERGE_MEAN
} kith_merge;

/* How to read and build.  A zeroed struct is the default. */
typedef struct kith_build_options {
    kith_job job;
    kith_choice header;  /* first line names the columns; auto looks */
    kith_choice weights; /* third column is a weight; auto: if there are three
                            columns and the third is a number */
    kith_merge merge;
    kith_order order;  /* of a built file; graphs in memory are as listed */
    const char *nodes; /* file with one id per line: every node, in order; or,
                          of data sets, a table of nodes with their classes and
                          features, by `table`: its nodes are there also if they
                          have no edge */
    const char *label; /* the nodes' attribute that is their class, in formats
                          whose nodes have some; NULL: `label` or `class` */
    const char *spill_to; /* folder for temporary files; NULL = the output's */
    bool verify; /* compare checksums also of a built file of more than 1 GiB */
    const kith_table_options *table; /* columns by name; NULL: by what they look
                                        like */
    kith_tell_fn tell; /* told what reading took for what; NULL: nobody */
    void *tell_user;
} kith_build_options;

/*
 * Read a graph into memory.  The format is recognised from the first bytes and
 * the name: a built graph (mapped, not read), an edge list, Matrix Market,
 * METIS, a SciPy .npz, GraphML, GEXF or JSON; each may be gzip or zstd.
 *
 * options, cleaning and err may be NULL.  *out is to be freed with
 * kith_graph_free(), and NULL on failure.
 *
 * Errors: KITH_ERR_IO, KITH_ERR_PARSE (err->line set), KITH_ERR_RANGE,
 * KITH_ERR_NOMEM, KITH_ERR_CANCELLED.  Threads: safe on distinct outputs.
 * Cost: O(n + m); peak memory 16 bytes per stored neighbour and the id table.
 */
KITH_API kith_status kith_graph_read(const char *path,
                                     const kith_build_options *options,
                                     kith_graph **out, kith_cleaning *cleaning,
                                     kith_error *err);

/*
 * Open a built graph by mapping it.  What the file holds is checked, whoever
 * made it: rows in order, neighbours in range, sorted and given both ways,
 * weights finite, ids and places in order; and the checksums of a file of up
 * to 1 GiB.  Cost: a pass or two at the speed of memory.
 */
KITH_API kith_status kith_graph_open(const char *path, kith_graph **out,
                                     kith_error *err);

/* The counts in the header of a built graph, which alone is looked at; any
 * other file is refused. */
typedef struct kith_graph_counts {
    int32_t nodes;
    int64_t edges;
    bool weighted;
} kith_graph_counts;

KITH_API kith_status kith_graph_peek(const char *path, kith_graph_counts *out,
                                     kith_error *err);

/*
 * Check all of the file that g lies in, also what opening left out: checksums
 * of every section whatever its size, labels and features, that every id is
 * found again, and that the rows put back in the order of the input are those
 * that were listed.
 */
KITH_API kith_status kith_graph_verify(const kith_graph *g, const kith_job *job,
                                       kith_error *err);

KITH_API void kith_graph_free(kith_graph *g); /* NULL is fine */

KITH_API int32_t kith_graph_nodes(const kith_graph *g);
KITH_API int64_t kith_graph_edges(const kith_graph *g); /* undirected */
/* n + 1 offsets into the neighbour array; borrowed from g. */
KITH_API const int64_t *kith_graph_rows(const kith_graph *g);
/* 2m neighbours, ascending in each row; borrowed from g. */
KITH_API const int32_t *kith_graph_neighbours(const kith_graph *g);
/* 2m weights beside the neighbours, or NULL; borrowed from g. */
KITH_API const float *kith_graph_weights(const kith_graph *g);
/* 64-bit fingerprint of nodes, edges, weights and ids: the same for the same
 * graph however it was read.  Cost: O(1) for a built file, else one pass. */
KITH_API uint64_t kith_graph_hash(const kith_graph *g);

/*
 * The id of a node, without a NUL: *length bytes at the answer.  Integer ids
 * are printed into `buffer`, of KITH_ID_BUFFER bytes; string ids point into g.
 */
#define KITH_ID_BUFFER 24
KITH_API const char *kith_graph_id(const kith_graph *g, int32_t node,
                                   char *buffer, size_t *length);

/* The node with that id, -1 if there is none.  Cost: O(1), integers O(log n).
 */
KITH_API int32_t kith_graph_find(const kith_graph *g, const char *id,
                                 size_t length);

/*
 * Nodes are numbered 0 .. n - 1, not always in the order in which the input
 * lists them (kith_order): the node at a place of that order, and the place of
 * a node.  Write results in the order of places.  Cost: O(1).
 */
KITH_API int32_t kith_graph_listed(const kith_graph *g, int32_t place);
KITH_API int32_t kith_graph_place(const kith_graph *g, int32_t node);

/* Counts that `graph info` shows.  Cost: O(n + m). */
typedef struct kith_graph_stats {
    int64_t components;
    int64_t largest; /* nodes in the largest component */
    int64_t isolated;
    int64_t max_degree;
    double mean_degree;
    int64_t percentile[5];     /* degree at 10, 50, 90, 99, 99.9 % */
    int64_t degree_bucket[32]; /* [0]: degree 0; [b]: 2^(b-1) <= degree < 2^b */
} kith_graph_stats;

KITH_API kith_status kith_graph_stats_compute(const kith_graph *g,
                                              const kith_job *job,
                                              kith_graph_stats *out,
                                              kith_error *err);

/* The formats a graph can be written in. */
typedef enum kith_graph_format {
    KITH_GRAPH_AUTO = 0, /* from the file's name */
    KITH_GRAPH_KG,
    KITH_GRAPH_TSV,
    KITH_GRAPH_CSV,
    KITH_GRAPH_MTX,
    KITH_GRAPH_METIS,
    KITH_GRAPH_NPZ
} kith_graph_format;

/*
 * Write a graph, whole or not at all.  A name that ends in .gz or .zst
 * compresses text formats.  Where the format cannot carry the node ids or the
 * isolated nodes, PATH.nodes.txt lists them, and kith_graph_read() finds it;
 * if that cannot be written, neither is.
 */
KITH_API kith_status kith_graph_write(const kith_graph *g, const char *path,
                                      kith_graph_format format,
                                      const kith_job *job, kith_error *err);

/* Does a file of that format hold all nodes under their ids by itself?  If not,
 * it needs PATH.nodes.txt, which a stream such as "-" cannot have.  Cost:
 * O(n). */
KITH_API bool kith_graph_fits(const kith_graph *g, kith_graph_format format);

#ifdef __cplusplus
}
#endif
#endif
