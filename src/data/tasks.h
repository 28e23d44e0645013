/*
 * tasks.h: what is known of each task.
 */
#ifndef KITH_DATA_TASKS_H
#define KITH_DATA_TASKS_H

#include "core/status.h"
#include "kith/tasks.h"

/* The nodes of which one task knows something. */
typedef struct kith__known {
    int32_t *node; /* n, ascending */
    uint8_t *is;   /* 1 of the class, 0 not */
    int32_t n, positives;
} kith__known;

struct kith_tasks {
    int32_t nodes, count;
    char **names;
    kith__known *of;
    kith_labels *strata;
};

#endif
