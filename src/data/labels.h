/*
 * labels.h: label files, `node<TAB>class` lines.
 */
#ifndef KITH_DATA_LABELS_H
#define KITH_DATA_LABELS_H

#include "graph/ids.h"
#include "kith/data.h"

/* The node ids a label file names, before there is a graph. */
kith_status kith__labels_collect(const char *path, kith__id_set *out,
                                 kith_error *err);

#endif
