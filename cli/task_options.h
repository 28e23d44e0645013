/*
 * task_options.h: labels that give a node several classes, each of which is a
 * task of its own: rows for the tables, and what they say.
 */
#ifndef KITH_CLI_TASK_OPTIONS_H
#define KITH_CLI_TASK_OPTIONS_H

#include "cmd_shared.h"

extern const option task_rows[];      /* --task and --negatives */
extern const option all_tasks_rows[]; /* these and --multi */

/* Put the labels of --task in place of all; refuse labels that need it, but in
 * a command that takes all tasks at once. */
kith_status take_task(run *r, const char *path, kith_dataset *d);

/* Are all tasks wanted at once? */
bool wants_tasks(const args *a, const kith_dataset *d);

/* The tasks of the labels, as --negatives and --seed say. */
kith_status make_tasks(run *r, const kith_dataset *d, kith_tasks **out);

#endif
