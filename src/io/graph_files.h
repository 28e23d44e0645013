/*
 * graph_files.h: one graph file, whatever its format.
 */
#ifndef KITH_IO_GRAPH_FILES_H
#define KITH_IO_GRAPH_FILES_H

#include "io/gather.h"

/* The ids of the nodes that go with a graph file: from options->nodes, from
 * PATH.nodes.txt beside it, or none (*found false). */
kith_status kith__graph_node_list(const char *path,
                                  const kith_build_options *options,
                                  kith__ids *out, bool *found, kith_error *err);

/* Rows, ids and graph from what was gathered, in memory. */
kith_status kith__gathered_graph(kith__gathered *gathered, kith_graph **out,
                                 kith_error *err);

/* Write a file in a format; with `list_beside` also the list that it needs. */
kith_status kith__graph_write_file(const kith_graph *g, const char *path,
                                   kith_graph_format format, bool list_beside,
                                   kith_error *err);

/* Would that file alone lose ids, their order or isolated nodes? */
bool kith__graph_needs_list(const kith_graph *g, kith_graph_format format);

/* KITH_GRAPH_AUTO resolved by a file's name; AUTO again if it tells nothing. */
kith_graph_format kith__graph_format_named(const char *path);

#endif
