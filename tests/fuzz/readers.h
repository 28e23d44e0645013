/*
 * readers.h: any bytes through the reader of one format.
 */
#ifndef KITH_FUZZ_READERS_H
#define KITH_FUZZ_READERS_H

#include "fuzz.h"
#include "io/formats.h"
#include "io/gather.h"

typedef kith_status (*graph_reader)(kith__source *, const kith__known *,
                                    const kith_build_options *,
                                    kith__gathered *, kith_error *);
typedef kith_status (*features_reader)(kith__source *, kith_features **,
                                       kith_error *);

/* Read as a graph and build it. */
static inline void fuzz_graph(graph_reader read, const char *path)
{
    const kith_build_options options = {.job.threads = 1};
    const kith__known known = {0};
    kith__source *source = NULL;
    kith__gathered all = {0};
    kith__csr csr = {0};
    kith_error err;

    if (kith__source_open(path, NULL, NULL, &source, &err) == KITH_OK &&
        read(source, &known, &options, &all, &err) == KITH_OK)
        kith_fuzz_opened |=
            kith__builder_finish(all.builder, all.ids.n, NULL, NULL, &csr,
                                 &all.ids, &all.cleaning, &err) == KITH_OK;
    kith__csr_release(&csr);
    kith__gathered_release(&all);
    kith__source_close(source);
}

/* Read as features. */
static inline void fuzz_features(features_reader read, const char *path)
{
    kith__source *source = NULL;
    kith_features *f = NULL;
    kith_error err;

    if (kith__source_open(path, NULL, NULL, &source, &err) == KITH_OK)
        kith_fuzz_opened |= read(source, &f, &err) == KITH_OK;
    kith_features_free(f);
    kith__source_close(source);
}

#endif
