/*
 * predictions.h: the table of predictions: `node`, `label`, `confidence`, then
 * a column per class, tab-separated, a row per node.
 */
#ifndef KITH_CLI_PREDICTIONS_H
#define KITH_CLI_PREDICTIONS_H

#include <stdio.h>

#include "cmd_shared.h"

/* Room for n x classes probabilities, to be freed; NULL without memory. */
float *predictions_new(const kith_graph *g, int32_t classes);

/* The most probable class of a row, the first of equals. */
int32_t predicted_class(const float *row, int32_t classes);

/*
 * Write the table to a file, whole or not at all, or to standard output if
 * path is "-"; with the others of a set, if `with` is not NULL.  p is n x
 * classes, row-major; rows are scaled to sum to 1.
 */
kith_status predictions_write(run *r, const kith_graph *g, const kith_model *m,
                              const float *p, const char *path,
                              kith_outputs *with);

/* Write a node's id as a field of a table. */
kith_status put_node(run *r, FILE *out, const kith_graph *g, int32_t u);

/* The output a table can go to: wrong usage if it asks for packing. */
int predictions_check_name(const command *cmd, const char *path);

#endif
