/*
 * drawn_task.h: a task on the same graph with its nodes numbered by their ids
 * (graph/draw.h), for methods that draw by number: dropout, walks, samples.
 * They then give the same bits whatever order the lines of the data came in.
 */
#ifndef KITH_MODELS_DRAWN_TASK_H
#define KITH_MODELS_DRAWN_TASK_H

#include "graph/draw.h"
#include "models/method.h"

typedef struct kith__drawn_task {
    kith__drawn drawn;
    kith__task task; /* without W, which such methods do not use */
    kith_features *features;
    kith__labelled_nodes val;
    int32_t *train, *truth, *val_node, *val_truth; /* of task and val */
    float *P;                                      /* n x classes, room */
} kith__drawn_task;

kith_status kith__drawn_task_new(const kith__task *t, const kith_features *x,
                                 const kith__labelled_nodes *val,
                                 kith__drawn_task *out, kith_error *err);
void kith__drawn_task_release(kith__drawn_task *d); /* a zeroed one is fine */

/* d->P under the numbers of the graph it came from. */
void kith__drawn_beliefs(const kith__drawn_task *d, float *P);

#endif
