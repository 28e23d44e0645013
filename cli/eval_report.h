/*
 * eval_report.h: what `kith eval` measured, as tables for people.
 */
#ifndef KITH_CLI_EVAL_REPORT_H
#define KITH_CLI_EVAL_REPORT_H

#include <stdio.h>

#include "cmd_shared.h"

typedef struct told_evaluation {
    const kith_evaluation *of;
    const char *path; /* of the data */
    bool random;      /* splits were drawn, by: */
    uint64_t seed;
} told_evaluation;

/* told: a told_evaluation */
void eval_table(FILE *out, const void *told);
void eval_markdown(FILE *out, const void *told);

/* told: a kith_tasks_evaluation */
void tasks_table(FILE *out, const void *told);

#endif
