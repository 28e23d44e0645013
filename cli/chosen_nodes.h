/*
 * chosen_nodes.h: which nodes `kith classify` and `kith rank` learn from and
 * which they tune on, as --split, --val, --hold-out and --seed say.
 */
#ifndef KITH_CLI_CHOSEN_NODES_H
#define KITH_CLI_CHOSEN_NODES_H

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
    {                                                                        \
        .name = "seed", .type = OPTION_OF_TABLE, .group = "Tuning"           \
    }

/* Lists of labelled nodes, ascending. */
typedef struct chosen_nodes {
    kith_split named; /* of --split, else empty */
    int32_t *pool;    /* to learn from */
    int32_t *val;     /* to tune on, if some are named */
    int32_t *kept;    /* of the pool, what is not held out */
    int32_t *held;    /* of the pool, to tune on first; none if val has some */
    int32_t n_pool, n_val, n_kept, n_held;
} chosen_nodes;

/* d has labels; out is zeroed.  Release it, whatever the answer. */
kith_status chosen_nodes_find(run *r, const kith_dataset *d, chosen_nodes *out);
void chosen_nodes_release(chosen_nodes *c);

#endif
