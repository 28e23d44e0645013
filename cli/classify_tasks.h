/*
 * classify_tasks.h: `kith classify` where each class is a task of its own.
 */
#ifndef KITH_CLI_CLASSIFY_TASKS_H
#define KITH_CLI_CLASSIFY_TASKS_H

#include "cmd_shared.h"

/* Fit, write the table, tell. */
kith_status classify_tasks(run *r, const char *method, const kith_dataset *d,
                           const kith_protocol *nodes);

#endif
