/*
 * protocol_options.h: which nodes `kith classify` and `kith rank` learn from
 * and which they tune on, as --split, --val, --hold-out and --seed say.
 */
#ifndef KITH_CLI_PROTOCOL_OPTIONS_H
#define KITH_CLI_PROTOCOL_OPTIONS_H

#include "cmd_shared.h"

/* Its options but --val, whose help differs. */
#define ROWS_TUNING                                                          \
    {.name = "split",                                                        \
     .type = OPTION_TEXT,                                                    \
     .value = "NAME",                                                        \
     .group = "Tuning",                                                      \
     .help = "Learn from, tune on and test on the nodes of a split: a name " \
             "under the data set's splits/, or a folder with train.txt, "    \
             "test.txt and perhaps val.txt."},                               \
        {.name = "hold-out", .type = OPTION_OF_TABLE, .group = "Tuning"},    \
        {.name = "prevalence", .type = OPTION_OF_TABLE, .group = "Tuning"},  \
    {                                                                        \
        .name = "seed", .type = OPTION_OF_TABLE, .group = "Tuning"           \
    }

/* Open the data, which must have labels, and find out.  Release both, whatever
 * the answer. */
kith_status open_for_learning(run *r, const char *path, kith_dataset **d,
                              kith_protocol *out);

#endif
