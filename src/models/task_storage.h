/*
 * task_storage.h: a task and its beliefs, with the arrays that they point into.
 */
#ifndef KITH_MODELS_TASK_STORAGE_H
#define KITH_MODELS_TASK_STORAGE_H

#include "models/method.h"

/* A task and the arrays it points into. */
typedef struct kith__task_storage {
    kith__task task;
    float *scale, *weights; /* of W */
    int32_t *train, *truth;
    float *label_weight; /* of the task; NULL = none */
} kith__task_storage;

/* The task on a graph, of the training nodes that s holds already. */
kith_status kith__task_set_up(kith__task_storage *s, const kith_graph *g,
                              int classes, const kith_job *job,
                              kith_error *err);

/*
 * Without features labels are all that potentials are made of: to balance, a
 * label counts the square root of n_train / (C n_c), which is what a row counts
 * in the logistic regression.  All of it would let one label of a rare class
 * outvote any number of others nearby, and lists of that class come out worse.
 */
kith_status kith__task_balance(kith__task_storage *s, kith_error *err);

void kith__task_storage_release(kith__task_storage *s); /* a zeroed one is fine
                                                         */

/* What is wanted beside the beliefs. */
typedef struct kith__wanted {
    bool weights, Q;
} kith__wanted;

/* Beliefs and all that goes with them, in new arrays. */
kith_status kith__beliefs_new(const kith__task *task, kith__wanted want,
                              kith__beliefs *b, kith_error *err);
void kith__beliefs_release(kith__beliefs *b); /* a zeroed one is fine */

/*
 * What a method on its own does: it fits `state` or, if that is NULL, applies
 * what it learnt.  If it draws, nodes have drawn numbers meanwhile.
 */
kith_status kith__fit_or_apply(const kith__method *how, const kith__task *t,
                               const kith_features *features,
                               const kith_train_options *options,
                               const kith__labelled_nodes *val,
                               kith__fit_state *state,
                               const kith__fit_state *learnt, kith__beliefs *b,
                               kith_error *err);

#endif
