/*
 * kith/tasks.h: many tasks on one graph: classes of which a node may have
 * several, such as the cities somebody lived in.  Each class is a task of its
 * own, is a node of it or not, and their probabilities need not sum to 1.
 *
 *     kith_tasks *t;
 *     kith_tasks_run *r;
 *
 *     kith_tasks_from_labels(d->graph, d->labels, 0, 1, &t, &err);
 *     kith_tasks_classify(d, t, "linbp", NULL, .2, 1, &o, &r, &err);
 *     ... r->probabilities[u * kith_tasks_count(t) + c] ...
 */
#ifndef KITH_TASKS_H
#define KITH_TASKS_H

#include "kith/arrays.h"
#include "kith/eval.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of each task what is known of the nodes: of the class, not of it, or
 * nothing.  Immutable; free with kith_tasks_free(). */
typedef struct kith_tasks kith_tasks;

/*
 * A task of each class of labels; of kith_labels.pairs, or if there are none
 * of the classes as they are.  Labels are not needed afterwards.
 *
 * negatives  0: a labelled node is not of the classes that it is not given.
 *            Else, for labels that are incomplete: each task has so many nodes
 *            that are not of the class, drawn by their ids from all that are
 *            not given it, labelled or not; nothing is known of the others
 * seed       draws them
 *
 * Errors: KITH_ERR_ARGUMENT (negatives < 0; no label), KITH_ERR_NOMEM.
 * Cost: O(n + labelled nodes x classes), 5 bytes for each of these.
 */
KITH_API kith_status kith_tasks_from_labels(const kith_graph *graph,
                                            const kith_labels *labels,
                                            int32_t negatives, uint64_t seed,
                                            kith_tasks **out, kith_error *err);

/*
 * From a matrix of nodes x tasks, row-major: 1 of the class, 0 not, unknown -1
 * or (of KITH_F32 and KITH_F64) NaN.
 *
 * names  of the tasks, none twice or empty; NULL: the numbers
 *
 * Errors: as in kith/arrays.h; KITH_ERR_ARGUMENT if nothing is known.
 */
KITH_API kith_status kith_tasks_from_array(const kith_array *known,
                                           int32_t tasks,
                                           const char *const *names,
                                           kith_tasks **out, kith_error *err);
KITH_API void kith_tasks_free(kith_tasks *t); /* NULL is fine */

KITH_API int32_t kith_tasks_count(const kith_tasks *t);
KITH_API int32_t kith_tasks_nodes(const kith_tasks *t);
KITH_API const char *kith_tasks_name(const kith_tasks *t, int32_t task);
/* The task of that name, -1 if there is none. */
KITH_API int32_t kith_tasks_find(const kith_tasks *t, const char *name);
/* How many nodes are known to be of the class, and how many not to be. */
KITH_API int32_t kith_tasks_positives(const kith_tasks *t, int32_t task);
KITH_API int32_t kith_tasks_negatives(const kith_tasks *t, int32_t task);

/*
 * One task as labels of two classes: 0 is "not NAME", 1 is NAME.  Everything
 * that takes labels takes them: kith_rank(), kith_model_train(), a report.
 * *out is new, to be freed with kith_labels_free().
 */
KITH_API kith_status kith_tasks_labels(const kith_tasks *t, int32_t task,
                                       kith_labels **out, kith_error *err);

/*
 * What splits are drawn by, so that no class is left out: of each node the
 * rarest of its classes, or a last class "(none)" where it is known to be of
 * none.  Borrowed from t.
 */
KITH_API const kith_labels *kith_tasks_strata(const kith_tasks *t);

/* What came of one task. */
typedef struct kith_task_fit {
    int32_t positives, negatives; /* learnt from; without positives nothing is,
                                     and all probabilities are 0 */
    double validation;            /* accuracy, NaN without such nodes */
    double temperature;
    kith_certificate certificate;
} kith_task_fit;

typedef struct kith_tasks_run {
    int32_t nodes, tasks;
    float *probabilities; /* nodes x tasks */
    uint8_t *evidence;    /* nodes: kith_evidence, the most that any task has */
    kith_task_fit *fit;   /* of each task */
    int32_t together;     /* tasks whose passes over the edges were shared */
} kith_tasks_run;

/*
 * Label every node in every task, as kith_classify() does in one: each task is
 * tuned and calibrated by itself, on nodes that are the same for all.
 *
 * The passes over the edges are shared, eight tasks at a time, by "linbp"
 * without features whose iterations are fixed (KITH_FIX_ITERATIONS); other
 * methods take the tasks one after the other, on the same graph in memory.
 *
 * d         its graph and features; its labels are not looked at
 * split, hold_out, seed   as for kith_protocol_make()
 *
 * Free with kith_tasks_run_free().  Errors: those of kith_classify().
 * Memory: 5 bytes a node and task, and that of eight.
 */
KITH_API kith_status kith_tasks_classify(
    const kith_dataset *d, const kith_tasks *t, const char *method,
    const kith_split *split, double hold_out, uint64_t seed,
    const kith_train_options *options, kith_tasks_run **out, kith_error *err);
KITH_API void kith_tasks_run_free(kith_tasks_run *r); /* NULL is fine */

/* A table (kith/eval.h): node, labels (the classes of probability .5 or more
 * with | between them, "-" for none), evidence, and a column for each task. */
KITH_API kith_status kith_tasks_write(const kith_graph *g, const kith_tasks *t,
                                      const kith_tasks_run *r, const char *path,
                                      kith_outputs *with, kith_error *err);

/* What was learnt from in each task, and how many nodes are likelier of its
 * class than not, as one JSON object (kith/eval.h). */
KITH_API kith_status kith_tasks_run_json(const kith_tasks *t,
                                         const kith_tasks_run *r,
                                         const char *method, char **json,
                                         size_t *length, kith_error *err);

/* ---- measured ------------------------------------------------------------ */

/* Scores of a task, or the mean over those that can be scored; of the class,
 * never of what is not of it. */
typedef struct kith_task_scores {
    int32_t nodes, positives; /* test nodes that are known in it */
    double accuracy, auc, average_precision, f1;
} kith_task_scores;

typedef struct kith_tasks_scores {
    kith_task_scores *of; /* of each task */
    int32_t tasks;
    kith_task_scores mean; /* nodes: over all tasks; f1 is the macro F1 */
    double micro_f1;       /* 2 hits / (said + true), counted over all tasks */
} kith_tasks_scores;

/*
 * Score probabilities (nodes x tasks) on nodes.  F1 is of lists cut at .5.  A
 * mean leaves out what is NaN: AUC and average precision of a task whose test
 * nodes are all alike, F1 where nothing is of the class or said to be.
 *
 * Free out->of with kith_array_free().  Errors: those of kith_score().
 */
KITH_API kith_status kith_tasks_score(const kith_tasks *t,
                                      const float *probabilities,
                                      const int32_t *nodes, int32_t n_nodes,
                                      kith_tasks_scores *out, kith_error *err);

/* Methods on splits, as kith_evaluate(). */
typedef struct kith_tasks_evaluation {
    const kith_dataset *data;
    const kith_tasks *tasks;
    const char *const *method;
    int methods;
    const kith_split *split;
    int splits;
    kith_tasks_scores *result; /* methods x splits: of the test nodes */
    double *seconds;           /* the same: to train and predict */
} kith_tasks_evaluation;

/*
 * kith_tasks_classify() for every method on every split, and its scores.  The
 * data, tasks, methods and splits given must outlive it.
 *
 * Free with kith_tasks_evaluation_free().  Errors: those of both.
 */
KITH_API kith_status kith_tasks_evaluate(
    const kith_dataset *d, const kith_tasks *t, const char *const *methods,
    int n_methods, const kith_split *splits, int n_splits,
    const kith_train_options *options, kith_tasks_evaluation **out,
    kith_error *err);
KITH_API void kith_tasks_evaluation_free(kith_tasks_evaluation *e);

/* What is told of a method: the mean over the tasks, then over the splits. */
typedef enum kith_tasks_measure {
    KITH_TASKS_ACCURACY = 0,
    KITH_TASKS_AUC,
    KITH_TASKS_AVERAGE_PRECISION,
    KITH_TASKS_MICRO_F1,
    KITH_TASKS_MACRO_F1,
    KITH_TASKS_SECONDS,
    KITH_TASKS_MEASURES /* how many */
} kith_tasks_measure;
/* task -1: of all of them; else F1 of the one, in place of both. */
KITH_API kith_spread kith_tasks_spread(const kith_tasks_evaluation *e,
                                       int method, int32_t task,
                                       kith_tasks_measure which);

/* All of it as one JSON object (kith/eval.h). */
KITH_API kith_status kith_tasks_evaluation_json(const kith_tasks_evaluation *e,
                                                const char *name,
                                                const char *path, char **json,
                                                size_t *length,
                                                kith_error *err);

#ifdef __cplusplus
}
#endif
#endif
