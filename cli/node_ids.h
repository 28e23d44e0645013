/*
 * node_ids.h: node ids that came from a user's file, for people and programs.
 */
#ifndef KITH_CLI_NODE_IDS_H
#define KITH_CLI_NODE_IDS_H

#include <stdio.h>

#include "cmd_shared.h"

/* The id of a node with a NUL, cut to 255 bytes.  Returns out. */
enum { NODE_ID = 256 };
const char *node_id(const kith_graph *g, int32_t node, char out[NODE_ID]);

/* An id for a message, cut to 63 bytes: what a terminal would obey becomes '?'.
 * Returns out. */
enum { SHOWN_ID = 64 };
const char *shown_id(const char *id, size_t length, char out[SHOWN_ID]);

/* Print it in `width` columns, as term_foreign() does. */
void node_id_text(FILE *out, const kith_graph *g, int32_t node, int width,
                  bool pad);

/* The node of that id, or a failure that says so. */
kith_status node_named(run *r, const kith_graph *g, const char *id,
                       int32_t *node);

/* The class of that name, or a failure that lists some there are. */
kith_status class_named(run *r, const kith_model *m, const char *name,
                        int32_t *found);

#endif
