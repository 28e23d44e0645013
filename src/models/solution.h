/*
 * solution.h: a model run on a graph, with all that led to the beliefs.
 */
#ifndef KITH_MODELS_SOLUTION_H
#define KITH_MODELS_SOLUTION_H

#include "kith/explain.h"
#include "models/method.h"

/* A task and the arrays it points into. */
typedef struct kith__task_storage {
    kith__task task;
    float *scale, *weights; /* of W */
    int32_t *train, *truth;
    float *label_weight; /* of the task; NULL = none */
} kith__task_storage;

struct kith_solution {
    const kith_model *model;  /* borrowed */
    const kith_dataset *data; /* borrowed */
    kith_job job;
    kith__task_storage setting;
    kith__beliefs b;  /* with Q and, if they were learnt, weights */
    kith__operator W; /* in the end */
    int32_t *trained; /* n: the class a node was trained with, -1 = none */
};

static inline double kith__weight_at(const kith__operator *W, int32_t u,
                                     int64_t p)
{
    return W->weights
               ? (double)W->weights[p]
               : (double)W->scale[u] * (double)W->scale[W->neighbours[p]];
}

#endif
