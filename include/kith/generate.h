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

typedef enum kith_model { KITH_SBM, KITH_RMAT, KITH_POWERLAW } kith_model;

/* What to generate.  Start from kith_generate_preset(). */
typedef struct kith_generate_options {
    kith_job job;
    kith_model model;
    int32_t nodes;    /* rmat: a power of two */
    int64_t edges;    /* powerlaw: exactly; others: drawn, then deduplicated */
    int32_t classes;  /* 1 to 1000 */
    double rare;      /* share of the last class, 0 = all classes alike */
    double homophily; /* share of edges between nodes of one class */
    double exponent;  /* powerlaw: of the degree distribution, > 2 */
    double rmat[3];   /* a, b, c */
    int32_t features; /* columns of sparse binary features, 0 = none */
    int32_t words;    /* entries per feature row */
    double signal; /* share of a row's entries from its class's own columns */
    int32_t train, val, test; /* nodes per class in the split */
    uint64_t seed;
} kith_generate_options;

/* Fill in "sbm", "rmat", "google-plus" or "twitter"; scale in (0, 1] shrinks
 * nodes, edges and split alike. */
KITH_API kith_status kith_generate_preset(const char *name, double scale,
                                          kith_generate_options *out,
                                          kith_error *err);

/*
 * Generate into `path`: FILE.kg with the labels inside, FILE.labels.tsv and
 * FILE.splits/0/ beside it; or, if the name does not end in .kg, a data set
 * folder.  Memory: O(nodes), and options->job.memory for the edges.
 */
KITH_API kith_status kith_generate(const kith_generate_options *options,
                                   const char *path, kith_error *err);

#ifdef __cplusplus
}
#endif
#endif
