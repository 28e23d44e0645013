/*
 * row_table.h: a table whose rows are the nodes, tied where they share a value.
 */
#ifndef KITH_DATA_ROW_TABLE_H
#define KITH_DATA_ROW_TABLE_H

#include "kith/data.h"

/* As options->table says; *out is a new data set. */
kith_status kith__row_table_open(const char *path,
                                 const kith_build_options *options,
                                 kith_dataset **out, kith_error *err);

#endif
