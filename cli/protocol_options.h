/*
 * protocol_options.h: which nodes `kith classify` and `kith rank` learn from
 * and which they tune on, as --split, --val, --hold-out and --seed say.
 */
#ifndef KITH_CLI_PROTOCOL_OPTIONS_H
#define KITH_CLI_PROTOCOL_OPTIONS_H

#include "cmd_shared.h"

/* Its options but --val, whose help differs. */
extern const option tuning_rows[];
#define ROW_VAL(HELP)                                              \
    {                                                              \
        .name = "val", .type = OPTION_FILE, .value = "FILE",       \
        .group = "Tuning", .help = HELP, .apart = "split|hold-out" \
    }

/* Open the data, which must have labels, and find out.  Release both, whatever
 * the answer. */
kith_status open_for_learning(run *r, const char *path, kith_dataset **d,
                              kith_protocol *out);

#endif
