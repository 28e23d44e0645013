/*
 * ids_text.h: node ids in text files: writing one into a table, and lists of
 * ids, one a line.
 */
#ifndef KITH_IO_IDS_TEXT_H
#define KITH_IO_IDS_TEXT_H

#include "graph/graph_object.h"
#include "io/writer.h"

/*
 * Write an id as a field: separator '\t' (as it is), ',' (quoted if need be) or
 * '\n' (a line of a list).  An id that cannot be written so that it reads back
 * is refused.
 */
kith_status kith__write_id(kith__writer *w, const kith_graph *g, int32_t node,
                           char separator, kith_error *err);

/* A list of ids, one a line, no comments: every node, in order. */
kith_status kith__id_list_read(const char *path, kith__ids *out,
                               kith_error *err);
/* With others of a set, if `with` is not NULL. */
kith_status kith__id_list_write(const kith_graph *g, const char *path,
                                kith_outputs *with, kith_error *err);

/* "PATH.nodes.txt", the list that goes with a graph or feature file; *out NULL
 * for a stream, which nothing lies beside. */
kith_status kith__id_list_beside(const char *path, char **out, kith_error *err);

/*
 * Commit a graph or feature file, w at `path`, and with it the list of g's
 * nodes if it is `needed`; else a list that went with an older file is removed.
 * Both or neither.  w is freed either way.
 */
kith_status kith__commit_with_list(kith__writer *w, const char *path,
                                   const kith_graph *g, bool needed,
                                   kith_error *err);

#endif
