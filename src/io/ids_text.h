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
                           char separator, const char *path, kith_error *err);

/* A list of ids, one a line, no comments: every node, in order. */
kith_status kith__id_list_read(const char *path, kith__ids *out,
                               kith_error *err);
kith_status kith__id_list_write(const kith_graph *g, const char *path,
                                kith_error *err);

/* "PATH.nodes.txt", the list that goes with a graph or feature file; NULL if
 * there is no memory. */
char *kith__id_list_beside(const char *path);

#endif
