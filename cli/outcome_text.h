/*
 * outcome_text.h: what classify and predict did, for people.
 */
#ifndef KITH_CLI_OUTCOME_TEXT_H
#define KITH_CLI_OUTCOME_TEXT_H

#include <stdio.h>

#include "cmd_shared.h"

typedef struct outcome {
    const char *path; /* of the data */
    const kith_dataset *data;
    const kith_model *model;
    const kith_certificate *certificate; /* of these predictions */
    const float *p;                      /* n x classes */
    const char *notes[4];                /* how it came about; NULL ends */
    const int64_t
        *learnt;       /* nodes of each class learnt from, NULL if unknown */
    double validation; /* accuracy, NaN if there were no such nodes */
    int32_t n_val;
    const char *test_name;   /* split whose test nodes were scored, or NULL */
    const kith_scores *test; /* NULL if none were */
    const kith_intervals *sure; /* of these scores */
    const char *looked_for;     /* the class that AUC and the like are of, NULL
                                   for the mean over all */
    const uint8_t *sets;        /* n x classes, NULL if none were asked for */
    double coverage;            /* that they are to hold */
    const char *table;          /* where the predictions went, NULL = nowhere */
    const char *from;           /* where the model came from, NULL = trained */
    const char *saved;          /* where the model went, NULL = nowhere */
    const char *report;         /* where the page went, NULL = nowhere */
    double seconds;
} outcome;

void outcome_text(FILE *out, const outcome *o);

#endif
