/*
 * split_hash.h: the name that a result gives to the split it was found on.
 */
#ifndef KITH_DATA_SPLIT_HASH_H
#define KITH_DATA_SPLIT_HASH_H

#include "kith/data.h"

/* Of the three lists, in their order; the split's name does not matter. */
uint64_t kith__split_hash(const kith_split *s);

#endif
