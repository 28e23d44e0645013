/*
 * rank_report.h: a ranked list and what to expect of it, for people.
 */
#ifndef KITH_CLI_RANK_REPORT_H
#define KITH_CLI_RANK_REPORT_H

#include <stdio.h>

#include "cmd_shared.h"

typedef struct ranking_task {
    run r;
    kith_dataset *data;
    kith_protocol nodes;
    kith_ranking *list;
} ranking_task;

void rank_text(FILE *out, const ranking_task *t);

#endif
