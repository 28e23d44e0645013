/*
 * labelled_nodes.h: lists of nodes with their classes, in the one order that
 * methods rely on.
 */
#ifndef KITH_MODELS_LABELLED_NODES_H
#define KITH_MODELS_LABELLED_NODES_H

#include <stdbool.h>
#include <stdint.h>

/* Put n nodes and their classes in ascending order of nodes, each node once
 * (with the least of its classes); *n is how many are left.  False: no memory.
 */
bool kith__ascend(int32_t *node, int32_t *truth, int32_t *n);

#endif
