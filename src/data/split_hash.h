/*
 * split_hash.h: the name that a result gives to the split it was found on, and
 * the order in which the input lists nodes.
 */
#ifndef KITH_DATA_SPLIT_HASH_H
#define KITH_DATA_SPLIT_HASH_H

#include <stdbool.h>

#include "kith/data.h"

/* Sort nodes by their places in the input (kith_graph_place(); NULL: a node is
 * its place).  False if there is no memory. */
bool kith__sort_as_listed(int32_t *nodes, int32_t n, const int32_t *place);

/* Set s->hash, of the ids in the three lists; neither their order nor the
 * split's name matters. */
void kith__split_hash(kith_split *s, const kith_graph *g);

#endif
