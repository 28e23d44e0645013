/*
 * eval_report.h: what `kith eval` measured, and the three ways to print it.
 */
#ifndef KITH_CLI_EVAL_REPORT_H
#define KITH_CLI_EVAL_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "cmd_shared.h"

/* One method on one split. */
typedef struct trial {
    kith_trial of;
    double precision;  /* at k, NaN if it was not asked for */
    json_t *params;    /* what the model used */
    bool unbalanced;   /* --balance was given and had no effect */
    double weights[4]; /* average weight of edges within a class and of others,
                          at the start and in the end */
} trial;

typedef struct evaluation {
    const char *path; /* of the data */
    const kith_dataset *data;
    kith_method_info *method;
    int methods;
    kith_split *split;
    int splits;
    int32_t *skipped; /* of each split: test nodes without a label */
    trial *trials;    /* methods x splits */
    double *values;   /* room for one per split */
    bool random;      /* splits were drawn, by: */
    uint64_t seed;
    bool edge_weights;    /* were asked for */
    int32_t precision_at; /* k, 0 = not asked for */
    int32_t positive;     /* the class it is about */
} evaluation;

typedef enum measure {
    ACCURACY,
    DIFFERENCE, /* of accuracy to that of the first method, split by split */
    MACRO_F1,
    AUC,
    AVERAGE_PRECISION,
    LOG_LOSS,
    ECE,
    SECONDS,
    PRECISION_AT,
    MEASURES
} measure;

kith_spread spread_of(const evaluation *e, int method, measure which);

void eval_table(FILE *out, const evaluation *e);
void eval_markdown(FILE *out, const evaluation *e);
json_t *eval_params(const kith_model *m);
bool eval_json(FILE *out, const evaluation *e); /* false: no memory */

#endif
