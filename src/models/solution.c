/*
 * solution.c: a model run on a graph, to be asked.
 */
#include "models/solution.h"

#include <string.h>

#include "core/alloc.h"
#include "models/model_object.h"

static kith_status mark_trained(kith_solution *s, kith_error *err)
{
    const kith__task *t = &s->storage.task;
    kith_status st = KITH_OK;

    TRY_NEW(s->trained, kith__alloc(t->n, sizeof(*s->trained)));
    for (int32_t u = 0; u < t->n; u++)
        s->trained[u] = -1;
    for (int32_t l = 0; l < t->n_train; l++)
        s->trained[t->train[l]] = t->truth[l];
out:
    return st;
}

kith_status kith__solution_make(const kith_model *m, const kith_dataset *d,
                                const kith_job *job, kith__task_storage *s,
                                kith__beliefs *b, kith_solution **out,
                                kith_error *err)
{
    kith_status st = KITH_OK;
    kith_solution *made = NULL;

    TRY_NEW(made, kith__alloc_zeroed(1, sizeof(*made)));
    made->model = m;
    made->data = d;
    if (job)
        made->job = *job;
    kith__checkpoint_free(s->task.checkpoint); /* that was for training */
    s->task.checkpoint = NULL;
    made->storage.task = s->task;
    TRY(mark_trained(made, err));
    made->storage = *s;
    made->storage.task.job = &made->job;
    made->b = *b;
    *s = (kith__task_storage){0};
    *b = (kith__beliefs){0};
    made->op = kith__coupled(&made->storage.task.W, made->storage.task.classes,
                             made->b.coupling);
    if (made->b.weights && made->b.linear != KITH__NOT_LINEAR)
        made->op = kith__weighted(&made->op, made->b.weights);
    *out = made;
    made = NULL;
out:
    kith_solution_free(made);
    return st;
}

kith_status kith_solution_new(const kith_model *m, const kith_dataset *d,
                              const kith_job *job, kith_solution **out,
                              kith_error *err)
{
    const kith__method *how = kith__method_find(m->method);
    kith_status st = KITH_OK;
    kith__beliefs b = {0};
    kith__task_storage s = {0};

    *out = NULL;
    TRY(kith__run_again(
        m, d, job, (kith__wanted){.weights = how && how->learns, .Q = true}, &s,
        &b, err));
    TRY(kith__solution_make(m, d, job, &s, &b, out, err));
out:
    kith__beliefs_release(&b);
    kith__task_storage_release(&s);
    return st;
}

void kith_solution_free(kith_solution *s)
{
    if (!s)
        return;
    kith__beliefs_release(&s->b);
    kith__task_storage_release(&s->storage);
    kith__free(s->trained);
    kith__free(s);
}

void kith_solution_probabilities(const kith_solution *s, float *out)
{
    kith__probabilities(s->model, &s->storage.task, &s->b, 0, s->storage.task.n,
                        out);
}

const kith_certificate *kith_solution_certificate(const kith_solution *s)
{
    return &s->b.certificate;
}

int32_t kith_solution_trained(const kith_solution *s, int32_t node)
{
    return s->trained[node];
}

double kith_solution_weight_before(const kith_solution *s, int32_t u, int64_t p)
{
    return kith__operator_weight(&s->storage.task.W, u, p);
}

double kith_solution_weight(const kith_solution *s, int32_t u, int64_t p)
{
    return kith__operator_weight(&s->op, u, p);
}

const uint8_t *kith_solution_evidence(const kith_solution *s)
{
    return s->b.evidence.level;
}
