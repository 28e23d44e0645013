/*
 * model_options.h: a saved model and the graph it is asked about, as explain,
 * suggest and report take them: rows for their tables, and what they say.
 */
#ifndef KITH_CLI_MODEL_OPTIONS_H
#define KITH_CLI_MODEL_OPTIONS_H

#include "cmd_shared.h"

/* The one argument of commands that take a model. */
extern const argument model_argument[];

extern const option model_rows[]; /* --graph and --solution */

/* A question about a model, on its way. */
typedef struct asked {
    run r;
    kith_model *model;
    kith_dataset *data;
    kith_solution *solution;
} asked;

/* Open the model, which the first argument names, then --graph, once --output
 * is known to be possible. */
kith_status asked_open(asked *q);

/* The model's run on the data: from --solution, else made again and said so. */
kith_status asked_solve(asked *q);

/* Release all, as run_end() does; answers the exit status. */
int asked_end(asked *q, kith_status st);

#endif
