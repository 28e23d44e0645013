/*
 * explain_report.h: an explanation for people.
 */
#ifndef KITH_CLI_EXPLAIN_REPORT_H
#define KITH_CLI_EXPLAIN_REPORT_H

#include <stdio.h>

#include "cmd_shared.h"

typedef struct told_explanation {
    const kith_dataset *data;
    const kith_model *model;
    const kith_solution *solution;
    const kith_explanation *e;
    const char *sentences;
} told_explanation;

/* told: a told_explanation */
void explain_text(FILE *out, const void *told);

#endif
