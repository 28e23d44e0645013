/*
 * predict.c: a model's method on a graph, the one it was trained on or another.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "data/features.h"
#include "models/labelled_nodes.h"
#include "models/model_object.h"
#include "models/potentials/feature_matrix.h"
#include "models/potentials/node_potentials.h"
#include "models/solution.h"
#include "models/tune.h"

/* Training nodes that are in this graph, ascending as method.h promises: the
 * model may list them in another order. */
static kith_status find_train(const kith_model *m, const kith_graph *g,
                              kith__task_storage *s, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(s->train, kith__alloc(m->train.n, sizeof(int32_t)));
    TRY_NEW(s->truth, kith__alloc(m->train.n, sizeof(int32_t)));
    for (int32_t l = 0; l < m->train.n; l++) {
        const int32_t node = kith__model_node(m, l, g);

        if (node < 0)
            continue;
        s->train[s->task.n_train] = node;
        s->truth[s->task.n_train++] = m->train_class[l];
    }
    if (!kith__ascend(s->train, s->truth, &s->task.n_train))
        TRY(kith__no_memory(err));
    if (s->task.n_train == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "none of the model's %d training nodes is in the graph",
                       (int)m->train.n));
out:
    return st;
}

kith_status kith__task_of_model(const kith_model *m, const kith_graph *g,
                                const kith_job *job, kith__task_storage *s,
                                kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(find_train(m, g, s, err));
    TRY(kith__task_set_up(s, g, m->classes, job, err));
    s->task.labels_alone = !m->weights;
    if (m->params.balance && !m->weights)
        TRY(kith__task_balance(s, err));
out:
    return st;
}

static kith_status model_potentials(const kith_model *m, const kith_dataset *d,
                                    const kith__task *t, float *out,
                                    kith_error *err)
{
    kith_status st = KITH_OK;
    kith__feature_matrix design = {0};

    if (!m->weights) {
        kith__potentials_of_labels(t, out);
        return KITH_OK;
    }
    if (!d->features || d->features->columns != m->columns)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "the model was trained with %d features, the data has "
                       "%d",
                       (int)m->columns,
                       d->features ? (int)d->features->columns : 0));
    TRY(kith__feature_matrix_new(d->graph, d->features, m->params.prep,
                                 m->params.smooth, m->idf, t->job, &design,
                                 err));
    TRY(kith__potentials_of_features(t, &design, m->weights, out, err));
out:
    kith__feature_matrix_release(&design);
    return st;
}

static const double MASS_TOLERANCE = 1e-5;

kith_status kith__evidence_of(const kith_model *m, const kith__task *t,
                              const kith_features *features, kith__beliefs *b,
                              kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__evidence_gather(t, kith__model_features(m, features),
                              KITH__MASS_ITERATIONS, MASS_TOLERANCE,
                              &b->evidence, err));
    TRY(kith__find_shares(m, t, b, err));
out:
    return st;
}

kith_status kith__run_on(const kith_model *m, const kith_dataset *d,
                         kith__task *t, kith__wanted want, kith__beliefs *b,
                         kith_error *err)
{
    const kith__method *how = kith__method_find(m->method);
    kith_status st = KITH_OK;
    kith__out_of_fold out_of_fold = {0};
    float *potentials = NULL;

    TRY(kith__beliefs_new(t, want, b, err));
    if (!how->run) {
        TRY(kith__fit_or_apply(how, t, d->features, NULL,
                               &(kith__labelled_nodes){0}, NULL, &m->state, b,
                               err));
    } else {
        TRY_NEW(potentials,
                kith__alloc_big((int64_t)t->n * m->classes, sizeof(float)));
        TRY(model_potentials(m, d, t, potentials, err));
        if (kith__uses_out_of_fold(how, &m->params))
            TRY(kith__out_of_fold_new(t, d->features, &m->params, &out_of_fold,
                                      err));
        t->out_of_fold = &out_of_fold;
        TRY(how->run(t, &m->params, potentials, b, err));
    }
    TRY(kith__evidence_of(m, t, d->features, b, err));
out:
    t->out_of_fold = NULL;
    kith__out_of_fold_release(&out_of_fold);
    kith__free(potentials);
    return st;
}

/* Columns that were made from a table hang on its values: as many of them may
 * mean something else. */
static kith_status check_names(const kith_model *m, const kith_dataset *d,
                               kith_error *err)
{
    const uint64_t names = kith__features_names_hash(d->features);

    if (m->column_names == 0 || names == 0 || names == m->column_names)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "the model learnt from other columns: the values of the "
                      "table that features are made from have changed, so "
                      "train it again");
}

kith_status kith__run_again(const kith_model *m, const kith_dataset *d,
                            const kith_job *job, kith__wanted want,
                            kith__task_storage *s, kith__beliefs *b,
                            kith_error *err)
{
    const kith__method *how = kith__method_find(m->method);
    kith_status st = KITH_OK;

    if (!how)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "the model's method '%s' is not in this version",
                       m->method));
    if (how->needs_features && !d->features)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "the model's method '%s' needs features, the data has "
                       "none",
                       m->method));
    TRY(check_names(m, d, err));
    TRY(kith__task_of_model(m, d->graph, job, s, err));
    TRY(kith__run_on(m, d, &s->task, want, b, err));
out:
    return st;
}

kith_status kith_model_predict(const kith_model *m, const kith_dataset *d,
                               const kith_job *job, float *probabilities,
                               uint8_t *evidence, kith_certificate *certificate,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    kith__beliefs b = {0};
    kith__task_storage s = {0};

    TRY(kith__run_again(m, d, job, (kith__wanted){0}, &s, &b, err));
    kith__probabilities(m, &s.task, &b, 0, s.task.n, probabilities);
    if (evidence)
        memcpy(evidence, b.evidence.level, (size_t)s.task.n);
    if (certificate)
        *certificate = b.certificate;
out:
    kith__beliefs_release(&b);
    kith__task_storage_release(&s);
    return st;
}

/* Mean weight of edges within and between classes. */
static void average(const kith__operator *W, const float *weights,
                    const kith_labels *labels, double *same, double *other)
{
    double sum[2] = {0, 0};
    int64_t count[2] = {0, 0};

    for (int32_t u = 0; u < W->n; u++)
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
            const int32_t a = labels->of[u], b = labels->of[W->neighbours[p]];
            const double w = weights ? (double)weights[p]
                                     : kith__operator_weight(W, u, p);

            if (a < 0 || b < 0)
                continue;
            sum[a != b] += w;
            count[a != b]++;
        }
    *same = count[0] ? sum[0] / (double)count[0] : (double)NAN;
    *other = count[1] ? sum[1] / (double)count[1] : (double)NAN;
}

kith_status kith_model_average_weights(const kith_model *m,
                                       const kith_dataset *d,
                                       const kith_job *job, double out[4],
                                       kith_error *err)
{
    const kith__method *how = kith__method_find(m->method);
    kith_status st = KITH_OK;
    kith__beliefs b = {0};
    kith__task_storage s = {0};

    if (!d->labels)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0, "no labels"));
    TRY(kith__run_again(
        m, d, job, (kith__wanted){.weights = how && how->learns}, &s, &b, err));
    average(&s.task.W, NULL, d->labels, &out[0], &out[1]);
    average(&s.task.W, b.weights, d->labels, &out[2], &out[3]);
out:
    kith__beliefs_release(&b);
    kith__task_storage_release(&s);
    return st;
}
