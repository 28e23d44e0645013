/*
 * node_table.h: a table of nodes: the class and the features of each, by
 * columns.
 */
#ifndef KITH_DATA_NODE_TABLE_H
#define KITH_DATA_NODE_TABLE_H

#include "data/frame.h"

typedef struct kith__node_table {
    kith__frame f;
    const kith_build_options *options; /* the caller's */
    int label;                         /* a column, -1 none */
    bool *feature;                     /* columns that make features */
    int features;                      /* how many */
} kith__node_table;

/* Is the file of options->nodes such a table, and no list of ids? */
kith_status kith__node_table_is(const kith_build_options *options, bool *is,
                                kith_error *err);

/* Read that of options->nodes, its columns as options->table says. */
kith_status kith__node_table_read(const kith_build_options *options,
                                  kith__node_table *out, kith_error *err);
void kith__node_table_release(kith__node_table *t); /* zeroed is fine */

/* The ids that it names. */
static inline const kith__id_set *
kith__node_table_ids(const kith__node_table *t)
{
    return &t->f.column[t->f.id].values;
}

/* What it says of the nodes of g, as far as it has such columns: each of
 * *labels and *features is replaced then, or stays. */
kith_status kith__node_table_take(const kith__node_table *t,
                                  const kith_graph *g, kith_labels **labels,
                                  kith_features **features, kith_error *err);

#endif
