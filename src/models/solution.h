/*
 * solution.h: a model run on a graph, with all that led to the beliefs.
 */
#ifndef KITH_MODELS_SOLUTION_H
#define KITH_MODELS_SOLUTION_H

#include "kith/explain.h"
#include "models/calibration.h"
#include "models/task_storage.h"

struct kith_solution {
    const kith_model *model;  /* borrowed */
    const kith_dataset *data; /* borrowed */
    kith_job job;
    kith__task_storage storage;
    kith__beliefs b;   /* with Q and, if they were learnt, weights */
    kith__operator op; /* W and H in the end */
    int32_t *trained;  /* n: the class a node was trained with, -1 = none */
    bool updated;      /* has labels that the model has not learnt from */
};

/* The task that a model has on a graph: its training nodes that are there. */
kith_status kith__task_of_model(const kith_model *m, const kith_graph *g,
                                const kith_job *job, kith__task_storage *s,
                                kith_error *err);

/* Run a model's method on a graph, in new arrays. */
kith_status kith__run_again(const kith_model *m, const kith_dataset *d,
                            const kith_job *job, kith__wanted want,
                            kith__task_storage *s, kith__beliefs *b,
                            kith_error *err);

/* The same on a task, of some of the model's training nodes perhaps. */
kith_status kith__run_on(const kith_model *m, const kith_dataset *d,
                         kith__task *t, kith__wanted want, kith__beliefs *b,
                         kith_error *err);

/* As linbp propagates if nothing is tuned: of other methods the mass is only
 * what evidence is told by. */
enum { KITH__MASS_ITERATIONS = 100 };

/* What of the labels reaches each node of a run of m: into b->evidence. */
kith_status kith__evidence_of(const kith_model *m, const kith__task *t,
                              const kith_features *features, kith__beliefs *b,
                              kith_error *err);

/* Take a run over: its arrays belong to *out, or on failure still to the
 * caller. */
kith_status kith__solution_make(const kith_model *m, const kith_dataset *d,
                                const kith_job *job, kith__task_storage *s,
                                kith__beliefs *b, kith_solution **out,
                                kith_error *err);

#endif
