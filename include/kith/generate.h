/*
 * kith/generate.h: graphs with planted labels, the same for a seed whatever
 * the number of threads.
 */
#ifndef KITH_GENERATE_H
#define KITH_GENERATE_H

#include "kith/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kith_generator {
    KITH_SBM,
    KITH_RMAT,
    KITH_POWERLAW
} kith_generator;

/* What to generate.  Start from kith_generate_preset(); docs/generate.md has
 * the models. */
typedef struct kith_generate_options {
    kith_job job;
    kith_generator model;
    int32_t nodes; /* at least 1; rmat: a power of two */
    /* powerlaw: exactly, nodes - 1 to nodes (nodes - 1) / 2; others: drawn,
     * then self-loops and repeats are dropped */
    int64_t edges;
    int32_t classes; /* 1 to 1000, at most one per node */
    double rare;     /* share of the last class, 0 = all classes alike */
    /* Share of edges between nodes of one class, 0 to 1.  The classes' mean
     * degrees stay alike as far as that is possible; no preference is
     * sum_c p_c^2, p_c being the class's share of the nodes. */
    double homophily;
    double exponent;  /* powerlaw: of the degree distribution, > 2 */
    double rmat[3];   /* a, b, c: at most 1 in all */
    int32_t features; /* columns of sparse binary features, 0 = none */
    int32_t words;    /* entries per feature row, 0 = 20 or all columns */
    double signal;    /* chance that an entry is of its class's own columns */
    /* Nodes per class in the split; a class that has fewer in all gives them
     * in the same proportion.  All 0: no split. */
    int32_t train, val, test;
    uint64_t seed;
} kith_generate_options;

/*
 * Fill in "sbm", "rmat", "google-plus" or "twitter"; scale in (0, 1] shrinks
 * nodes, edges and split alike.
 *
 * Errors: KITH_ERR_ARGUMENT.
 */
KITH_API kith_status kith_generate_preset(const char *name, double scale,
                                          kith_generate_options *out,
                                          kith_error *err);

/*
 * Generate into `path`: FILE.kg with labels and features inside,
 * FILE.labels.tsv and FILE.splits/0/ beside it; or, if the name does not end in
 * .kg, a data set folder, which must not exist or be empty.  Whole or not at
 * all.  The bytes depend on the options but not on options->job.
 *
 * Errors: KITH_ERR_ARGUMENT, KITH_ERR_IO, KITH_ERR_NOMEM, KITH_ERR_CANCELLED.
 * Memory: some 40 bytes a node (and 4 a word) beside the edges, which take
 * 12 bytes each or what options->job.memory allows.  Cost: O(nodes + edges).
 */
KITH_API kith_status kith_generate(const kith_generate_options *options,
                                   const char *path, kith_error *err);

#ifdef __cplusplus
}
#endif
#endif
