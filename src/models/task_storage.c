#include "models/task_storage.h"

#include <math.h>

#include "core/alloc.h"
#include "models/baselines/drawn_task.h"
#include "models/baselines/net_method.h"
#include "models/explain/logits.h"

void kith__task_storage_release(kith__task_storage *s)
{
    kith__checkpoint_free(s->task.checkpoint);
    kith__free(s->scale);
    kith__free(s->weights);
    kith__free(s->train);
    kith__free(s->truth);
    kith__free(s->label_weight);
}

kith_status kith__task_set_up(kith__task_storage *s, const kith_graph *g,
                              int classes, const kith_job *job, kith_error *err)
{
    const int threads = kith__threads(job);

    if (classes > KITH__CLASSES_MOST)
        return kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                          "%d classes, expected at most %d", classes,
                          KITH__CLASSES_MOST);
    s->task = (kith__task){.graph = g,
                           .n = kith_graph_nodes(g),
                           .classes = classes,
                           .job = job,
                           .threads = threads,
                           .train = s->train,
                           .truth = s->truth,
                           .n_train = s->task.n_train};
    if (!kith__operator_start(g, threads, &s->task.W, &s->scale, &s->weights))
        return kith__no_memory(err);
    return KITH_OK;
}

kith_status kith__task_balance(kith__task_storage *s, kith_error *err)
{
    kith__task *t = &s->task;
    kith_status st = KITH_OK;

    TRY_NEW(s->label_weight, kith__alloc_zeroed(t->classes, sizeof(float)));
    for (int32_t l = 0; l < t->n_train; l++)
        s->label_weight[t->truth[l]]++;
    for (int c = 0; c < t->classes; c++)
        if (s->label_weight[c] > 0)
            s->label_weight[c] = sqrtf(
                (float)t->n_train / ((float)t->classes * s->label_weight[c]));
    t->label_weight = s->label_weight;
out:
    return st;
}

kith_status kith__beliefs_new(const kith__task *task, kith__wanted want,
                              kith__beliefs *b, kith_error *err)
{
    const int C = task->classes;
    kith_status st = KITH_OK;

    b->validation = (double)NAN;
    TRY_NEW(b->P, kith__alloc_big((int64_t)task->n * C, sizeof(float)));
    TRY_NEW(b->coupling, kith__alloc_zeroed((int64_t)C * C, sizeof(float)));
    if (want.weights)
        TRY_NEW(b->weights,
                kith__alloc_big(task->W.rows[task->n], sizeof(float)));
    if (want.Q)
        TRY_NEW(b->Q, kith__alloc_big((int64_t)task->n * C, sizeof(float)));
    TRY(kith__evidence_new(task, &b->evidence, err));
out:
    return st;
}

void kith__beliefs_release(kith__beliefs *b)
{
    kith__free(b->P);
    kith__free(b->coupling);
    kith__free(b->weights);
    kith__free(b->Q);
    kith__free(b->self_term);
    kith__free(b->val_loss);
    kith__logits_free(b->logits);
    kith__evidence_release(&b->evidence);
    kith__free(b->shares);
}

kith_status kith__fit_or_apply(const kith__method *how, const kith__task *t,
                               const kith_features *features,
                               const kith_train_options *options,
                               const kith__labelled_nodes *val,
                               kith__fit_state *state,
                               const kith__fit_state *learnt, kith__beliefs *b,
                               kith_error *err)
{
    kith__drawn_task drawn = {0};
    float *const P = b->P;
    kith_status st = KITH_OK;

    if (how->draws) {
        TRY(kith__drawn_task_new(t, features, val, &drawn, err));
        t = &drawn.task;
        features = drawn.features;
        val = &drawn.val;
        b->P = drawn.P;
    }
    if (state)
        TRY(how->net ? kith__net_fit(how->net, t, features, options, val, state,
                                     b, err)
                     : how->fit(t, features, options, val, state, b, err));
    else
        TRY(how->net ? kith__net_apply(how->net, t, features, learnt, b, err)
                     : how->apply(t, features, learnt, b, err));
    if (how->draws)
        kith__drawn_beliefs(&drawn, P);
out:
    b->P = P;
    kith__drawn_task_release(&drawn);
    return st;
}
