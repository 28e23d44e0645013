#include "models/cross_fit.h"

#include "core/alloc.h"
#include "graph/draw.h"
#include "models/solution.h"
#include "models/task_storage.h"

enum { FOLDS = 5, STREAM = 92 };

/* Run on all training nodes but those of a part, add these. */
static kith_status run_fold(const kith_model *m, const kith_dataset *d,
                            const kith__task *t, const int *part, int which,
                            kith__calibration_nodes *out, kith_error *err)
{
    kith__task_storage s = {.task = *t};
    int32_t *node = NULL, *truth = NULL;
    kith__labelled_nodes held = {0};
    kith_status st = KITH_OK;
    kith__beliefs b = {0};

    TRY_NEW(s.train, kith__alloc(t->n_train, sizeof(*s.train)));
    TRY_NEW(s.truth, kith__alloc(t->n_train, sizeof(*s.truth)));
    TRY_NEW(node, kith__alloc(t->n_train, sizeof(*node)));
    TRY_NEW(truth, kith__alloc(t->n_train, sizeof(*truth)));
    s.task.checkpoint = NULL;
    s.task.train = s.train;
    s.task.truth = s.truth;
    s.task.n_train = 0;
    for (int32_t l = 0; l < t->n_train; l++)
        if (part[l] == which) {
            node[held.n] = t->train[l];
            truth[held.n++] = t->truth[l];
        } else {
            s.train[s.task.n_train] = t->train[l];
            s.truth[s.task.n_train++] = t->truth[l];
        }
    held.node = node;
    held.truth = truth;
    if (held.n == 0 || s.task.n_train == 0)
        goto out;
    if (t->label_weight)
        TRY(kith__task_balance(&s, err));
    TRY(kith__run_on(m, d, &s.task, (kith__wanted){0}, &b, err));
    TRY(kith__calibration_add(m, &s.task, &b, &held, out, err));
out:
    kith__beliefs_release(&b);
    kith__task_storage_release(&s);
    kith__free(node);
    kith__free(truth);
    return st;
}

kith_status kith__cross_fit(const kith_model *m, const kith_dataset *d,
                            const kith__task *t, const int32_t *order,
                            kith__calibration_nodes *out, kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t *class_of = NULL;
    int *part = NULL;

    TRY_NEW(class_of, kith__alloc(t->n_train, sizeof(*class_of)));
    for (int32_t l = 0; l < t->n_train; l++)
        class_of[l] = order[t->truth[l]];
    TRY_NEW(part, kith__alloc(t->n_train, sizeof(*part)));
    TRY(kith__draw_parts(t->graph, t->train, class_of, t->n_train, FOLDS,
                         STREAM, part, err));
    for (int k = 0; k < FOLDS; k++)
        TRY(run_fold(m, d, t, part, k, out, err));
out:
    kith__free(class_of);
    kith__free(part);
    return st;
}
