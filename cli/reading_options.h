/*
 * reading_options.h: what data a command reads and how: rows for the tables,
 * and what they say.
 */
#ifndef KITH_CLI_READING_OPTIONS_H
#define KITH_CLI_READING_OPTIONS_H

#include "cmd_shared.h"

/* The one argument of commands that take a graph. */
extern const argument graph_argument[];

/* How to read a graph. */
extern const option reading_rows[];
/* The same but --order, for `kith graph build`, which has another: there --time
 * says it. */
extern const option reading_unordered_rows[];

/* Labels and features in place of the data set's; features alone. */
extern const option given_rows[];
extern const option features_rows[];

/* As reading_rows say.  What they say of columns is kept in *r. */
kith_build_options reading_options(run *r);

/* Let what --labels and --features name (as far as the table has them) take
 * the place of the data set's. */
kith_status read_given(run *r, const char *path, const kith_build_options *how,
                       kith_dataset *d);

/* Open a graph or data set as the reading options say, then read_given(). */
kith_status open_given(run *r, const char *path, kith_dataset **out);

#endif
