/*
 * generated.h: small data sets with planted classes, in the test's folder.
 */
#ifndef KITH_GENERATED_H
#define KITH_GENERATED_H

#include "check.h"

/* 5 training, `val` validation and 20 test nodes a class. */
static inline kith_dataset *generated_with(int nodes, int classes, int features,
                                           double homophily, int val)
{
    kith_generate_options o;
    kith_dataset *d = NULL;
    kith_error err;
    char name[64];

    snprintf(name, sizeof(name), "g%d-%d-%d-%g-%d", nodes, classes, features,
             homophily, val);
    CHECK_OK(kith_generate_preset("sbm", 1, &o, &err));
    o.nodes = nodes;
    o.edges = nodes * 4;
    o.classes = classes;
    o.homophily = homophily;
    o.features = features;
    o.words = features ? 8 : 0;
    o.signal = .4;
    o.train = 5;
    o.val = val;
    o.test = 20;
    if (access(check_path(name), F_OK) != 0)
        CHECK_OK(kith_generate(&o, check_path(name), &err));
    CHECK_OK(kith_dataset_open(check_path(name), NULL, &d, &err));
    return d;
}

static inline float *room(const kith_dataset *d)
{
    return calloc((size_t)kith_graph_nodes(d->graph) *
                      (size_t)d->labels->classes,
                  sizeof(float));
}

static inline size_t bytes_of(const kith_dataset *d)
{
    return (size_t)kith_graph_nodes(d->graph) * (size_t)d->labels->classes * 4;
}

#endif
