/*
 * ogb.h: the raw folder of a node task of the Open Graph Benchmark: edge.csv,
 * num-node-list.csv, node-label.csv, node-feat.csv, without headers, a line a
 * node, packed or not.
 */
#ifndef KITH_DATA_OGB_H
#define KITH_DATA_OGB_H

#include "kith/data.h"

/* How many nodes num-node-list.csv says there are. */
kith_status kith__ogb_count(const char *path, int32_t *n, kith_error *err);

/* Line r is the class of node r; "nan" is none. */
kith_status kith__ogb_labels(const char *path, const kith_graph *g,
                             const kith_build_options *options,
                             kith_labels **out, kith_error *err);

/* Line r has the features of node r, numbers all of them. */
kith_status kith__ogb_features(const char *path, kith_features **out,
                               kith_error *err);

#endif
