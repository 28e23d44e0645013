/*
 * features.h: rows of features on other nodes.
 */
#ifndef KITH_DATA_FEATURES_H
#define KITH_DATA_FEATURES_H

#include "kith/data.h"

/* Row r of f becomes row node[r] of n; -1: an empty row that goes nowhere. */
kith_status kith__features_place(const kith_features *f, int32_t n,
                                 const int32_t *node, kith_features **out,
                                 kith_error *err);

/* A hash of the names of the columns; 0 if they have none. */
uint64_t kith__features_names_hash(const kith_features *f);

/* A hash of all rows and values; 0 of NULL. */
uint64_t kith__features_hash(const kith_features *f);

#endif
