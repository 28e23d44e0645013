/*
 * train.c: training, whatever the method.
 */
#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "core/alloc.h"
#include "data/features.h"
#include "graph/graph_object.h"
#include "models/auto.h"
#include "models/cross_fit.h"
#include "models/cross_losses.h"
#include "models/labelled_nodes.h"
#include "models/memory.h"
#include "models/model_object.h"
#include "models/one_class.h"
#include "models/params.h"
#include "models/solution.h"
#include "models/train.h"
#include "models/tune.h"

/* ---- what is known ------------------------------------------------------- */

/* Nodes of a list that have a label, with it: new arrays, ascending. */
static kith_status with_labels(const kith_labels *labels, const int32_t *nodes,
                               int32_t n, int32_t **node, int32_t **truth,
                               int32_t *count, kith_error *err)
{
    kith_status st = KITH_OK;

    *count = 0;
    TRY_NEW(*node, kith__alloc(n, sizeof(**node)));
    TRY_NEW(*truth, kith__alloc(n, sizeof(**truth)));
    for (int32_t i = 0; i < n; i++) {
        if (nodes[i] < 0 || nodes[i] >= labels->nodes)
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                           "node %d in a split, expected one of %d nodes",
                           (int)nodes[i], (int)labels->nodes));
        if (labels->of[nodes[i]] >= 0) {
            (*node)[*count] = nodes[i];
            (*truth)[(*count)++] = labels->of[nodes[i]];
        }
    }
    if (!kith__ascend(*node, *truth, count))
        TRY(kith__no_memory(err));
out:
    return st;
}

/* ---- training ------------------------------------------------------------ */

/* The options with the method's own number of iterations if none is given. */
static kith_train_options complete(const kith__method *method,
                                   const kith_train_options *given)
{
    kith_train_options o = *given;

    if (method && o.params.iterations == 0)
        o.params.iterations = method->iterations ? method->iterations : 100;
    return o;
}

static kith_status check_options(const kith_dataset *d, const char *name,
                                 const kith__method *method,
                                 const kith_params *p, kith_error *err)
{
    if (!method)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "no method '%s', expected one that `kith methods` "
                          "lists",
                          name);
    if (!d->labels)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "no labels to learn from");
    if (d->labels->classes < 2)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "the only class is '%.60s', and what is not of it "
                          "has no name: expected 2 classes, of which one may "
                          "be without nodes",
                          d->labels->names[0]);
    if (method->needs_features && !d->features)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "method '%s' needs node features, and there are none",
                          name);
    if (d->features &&
        ((int64_t)d->features->columns + 1) * d->labels->classes > INT32_MAX)
        return kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                          "%d feature columns times %d classes are more than "
                          "%d weights",
                          (int)d->features->columns, (int)d->labels->classes,
                          INT32_MAX);
    return kith__params_check(p, err);
}

/* Ids and classes of the training nodes, by which a grown graph finds them. */
static kith_status remember_train(kith_model *m, const kith__task *t,
                                  kith_error *err)
{
    kith_status st = KITH_OK;
    kith__id_set set = {0};

    TRY_NEW(m->train_class, kith__alloc(t->n_train, sizeof(int32_t)));
    for (int32_t l = 0; l < t->n_train; l++) {
        char buffer[KITH_ID_BUFFER];
        size_t length;
        const char *id = kith_graph_id(t->graph, t->train[l], buffer, &length);

        m->train_class[l] = t->truth[l];
        if (kith__id_set_add(&set, id, length, NULL) < 0)
            TRY(kith__no_memory(err));
    }
    TRY(kith__ids_from_set(&set, false, NULL, &m->train, err));
out:
    kith__id_set_release(&set);
    return st;
}

static kith_status remember(kith_model *m, const char *method,
                            const kith_dataset *d, const kith__task *t,
                            kith__beliefs *b, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(m->method, kith__copy_string(method, strlen(method)));
    m->certificate = b->certificate;
    m->graph_hash = kith_graph_hash(d->graph);
    m->column_names =
        kith__features_names_hash(kith__model_features(m, d->features));
    TRY_NEW(m->names, kith__alloc_zeroed(t->classes, sizeof(*m->names)));
    m->classes = t->classes;
    for (int c = 0; c < t->classes; c++)
        TRY_NEW(m->names[c], kith__copy_string(d->labels->names[c],
                                               strlen(d->labels->names[c])));
    if (b->has_coupling) {
        const int64_t cells = (int64_t)m->classes * m->classes;

        TRY_NEW(m->coupling, kith__alloc(cells, sizeof(*m->coupling)));
        memcpy(m->coupling, b->coupling, (size_t)cells * sizeof(*m->coupling));
    }
    TRY(remember_train(m, t, err));
out:
    return st;
}

/* Potentials by logistic regression or labels, then the method on them. */
static kith_status train_on_potentials(
    const kith__method *how, const kith__task *t, const kith_features *features,
    const kith_train_options *options, const kith__labelled_nodes *val,
    kith_model *m, kith__beliefs *b, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__tuned tuned = {0};
    kith__task own = *t;

    TRY(kith__tune(t, features, how, options, val, &tuned, err));
    own.out_of_fold = &tuned.out_of_fold;
    TRY(how->run(&own, &tuned.params, tuned.potentials, b, err));
    m->params = tuned.params;
    m->columns = tuned.weights ? features->columns : 0;
    m->weights = tuned.weights;
    m->idf = tuned.idf;
    tuned.weights = tuned.idf = NULL;
out:
    kith__tuned_release(&tuned);
    return st;
}

/* Beliefs of linbp that were made together with those of other tasks. */
static kith_status take_given(const kith__given *given, const kith__task *t,
                              const kith_train_options *options, kith_model *m,
                              kith__beliefs *b)
{
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int32_t u = 0; u < t->n; u++) {
        const float x = given->column[u * given->stride];

        b->P[2 * (int64_t)u] = -x;
        b->P[2 * (int64_t)u + 1] = x;
        if (given->mass)
            b->evidence.mass[u] = given->mass[u];
    }
    b->evidence.told = given->mass != NULL;
    b->certificate = given->certificate;
    kith__coupling_start(t->classes, b->coupling);
    b->has_coupling = true;
    b->linear = KITH__SUM;
    m->params = options->params;
    return KITH_OK;
}

static kith_status train_method(const kith__method *how, const kith__task *t,
                                const kith_features *features,
                                const kith_train_options *options,
                                const kith__labelled_nodes *val,
                                const kith__given *given, kith_model *m,
                                kith__beliefs *b, kith_error *err)
{
    if (given)
        return take_given(given, t, options, m, b);
    if (how->run)
        return train_on_potentials(how, t, features, options, val, m, b, err);
    if (options->like &&
        !kith__fit_state_copy_choices(&options->like->state, &m->state))
        return kith__no_memory(err);
    m->params = options->params;
    return kith__fit_or_apply(how, t, features, options, val, &m->state, NULL,
                              b, err);
}

static uint64_t hash_of_options(const kith_train_options *o, int classes,
                                int columns)
{
    double numbers[KITH__PARAMS_MOST + 5];
    int n = kith__params_key(&o->params, numbers);

    numbers[n++] = o->fixed;
    numbers[n++] = o->temperature;
    numbers[n++] = o->fit;
    numbers[n++] = classes;
    numbers[n++] = columns;
    return XXH3_64bits(numbers, (size_t)n * sizeof(*numbers));
}

/* A hash of all that a result depends on. */
static uint64_t key_of(const char *method, const kith__task *t,
                       const kith_features *x, const kith_train_options *o,
                       const kith__labelled_nodes *val)
{
    const size_t node = sizeof(int32_t);
    const size_t values = x ? (size_t)x->entries : 0,
                 rows = x && x->row ? (size_t)x->nodes + 1 : 0;
    const uint64_t parts[] = {
        XXH3_64bits(method, strlen(method)),
        hash_of_options(o, t->classes, x ? x->columns : 0),
        kith_graph_hash(t->graph),
        XXH3_64bits(t->train, (size_t)t->n_train * node),
        XXH3_64bits(t->truth, (size_t)t->n_train * node),
        XXH3_64bits(val->node, (size_t)val->n * node),
        XXH3_64bits(val->truth, (size_t)val->n * node),
        rows ? XXH3_64bits(x->row, rows * sizeof(*x->row)) : 0,
        x && x->column ? XXH3_64bits(x->column, values * node) : 0,
        x && x->value ? XXH3_64bits(x->value, values * sizeof(float)) : 0};

    return XXH3_64bits(parts, sizeof(parts));
}

/* The method that is asked for, or the one for labels of one class. */
static const char *method_for(const kith_dataset *d, const char *method,
                              const kith_split *split)
{
    return kith__method_find(method) && d->labels &&
                   kith__only_class(d->labels, split->train, split->n_train) >=
                       0
               ? KITH__ONE_CLASS
               : method;
}

/* Fewer labels tell nothing of how sure to be. */
enum { CROSS_FIT_LEAST = 10 };

/* Fitted on the validation nodes, or where there are none on what five runs say
 * of training nodes that they were not told of, if that is wanted; else given,
 * or those of the model that all is taken from. */
static kith_status calibrate(const kith_dataset *d, const kith__task *t,
                             const kith__beliefs *b,
                             const kith_train_options *o,
                             const kith__labelled_nodes *val, bool cross_fit,
                             kith_model *m, kith_error *err)
{
    const bool folds = cross_fit && val->n == 0 &&
                       t->n_train >= CROSS_FIT_LEAST && kith__has_shares(m) &&
                       m->params.calibrate != KITH_CALIBRATE_TEMPERATURE;
    kith__calibration_nodes nodes = {0};
    kith_status st = KITH_OK;

    m->temperature = kith__is_calibrated(m) ? 1 : folds ? 0 : o->temperature;
    if (folds)
        TRY(kith__cross_fit(m, d, t, b->evidence.order, &nodes, err));
    if (nodes.n > 0) {
        TRY(kith__calibrate_on(t->graph, b->evidence.order, &nodes, m, err));
    } else if (o->like && val->n == 0) {
        m->temperature = o->like->temperature;
        TRY(kith__calibration_copy(&o->like->calibration, m->classes,
                                   &m->calibration, err));
    } else {
        TRY(kith__calibrate(t, b, val, m, err));
    }
    if (folds)
        m->validation = (double)NAN;
out:
    kith__calibration_nodes_release(&nodes);
    return st;
}

/* Several methods, of which one stays. */
static kith_status train_auto(const kith_dataset *d, const kith_split *split,
                              const kith_train_options *given,
                              const kith_job *job, kith__outcome want,
                              kith_model **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_model *m = NULL;

    if (given->checkpoint)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "method 'auto' keeps no checkpoint: name a method"));
    TRY(kith__train_auto(d, split, given, &m, want, err));
    if (want.solution)
        TRY(kith_solution_new(m, d, job, want.solution, err));
    *out = m;
    m = NULL;
out:
    kith_model_free(m);
    return st;
}

/* What is wanted of a model that is done. */
static kith_status hand_out(const kith_dataset *d, const kith_model *m,
                            const kith_job *job, kith__task_storage *s,
                            kith__beliefs *b, const kith__labelled_nodes *val,
                            kith__outcome want, kith_error *err)
{
    kith_status st = KITH_OK;

    if (want.probabilities)
        kith__probabilities(m, &s->task, b, 0, s->task.n, want.probabilities);
    if (want.losses) {
        *want.n_losses = val->n;
        TRY(kith__cross_losses(&s->task, b, val, m, want.losses, err));
    }
    if (want.evidence)
        memcpy(want.evidence, b->evidence.level, (size_t)s->task.n);
    if (want.solution)
        TRY(kith__solution_make(m, d, job, s, b, want.solution, err));
out:
    return st;
}

kith_status kith__train(const kith_dataset *d, const char *asked,
                        const kith_split *split,
                        const kith_train_options *given, kith_model **out,
                        kith__outcome want, kith_error *err)
{
    const char *method = method_for(d, asked, split);
    const kith__method *how = kith__method_find(method);
    const kith_train_options options = complete(how, given);
    int32_t *val_node = NULL, *val_truth = NULL;
    kith__labelled_nodes val = {0};
    kith__beliefs beliefs = {0};
    kith_model *m = NULL;
    kith_status st = KITH_OK;
    kith__task_storage s = {0};

    *out = NULL;
    if (strcmp(method, "auto") == 0)
        return train_auto(d, split, given, &options.job, want, out, err);
    TRY(check_options(d, method, how, &options.params, err));
    TRY(with_labels(d->labels, split->train, split->n_train, &s.train, &s.truth,
                    &s.task.n_train, err));
    TRY(with_labels(d->labels, split->val, split->n_val, &val_node, &val_truth,
                    &val.n, err));
    val.node = val_node;
    val.truth = val_truth;
    if (s.task.n_train == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "none of the training nodes has a label"));
    TRY(kith__task_set_up(&s, d->graph, d->labels->classes, &options.job, err));
    s.task.labels_alone = !d->features;
    if (options.params.balance && !d->features)
        TRY(kith__task_balance(&s, err));
    TRY(kith__beliefs_new(
        &s.task,
        (kith__wanted){.weights = want.solution && how->learns,
                       .Q = want.solution},
        &beliefs, err));
    TRY_NEW(m, kith__alloc_zeroed(1, sizeof(*m)));
    if (options.checkpoint)
        TRY(kith__checkpoint_open(
            options.checkpoint,
            key_of(method, &s.task, d->features, &options, &val),
            &s.task.checkpoint, err));
    TRY(train_method(how, &s.task, d->features, &options, &val,
                     method == asked ? want.given : NULL, m, &beliefs, err));
    TRY(remember(m, method, d, &s.task, &beliefs, err));
    m->validation = how->calibrated ? (double)NAN
                    : isnan(beliefs.validation)
                        ? kith__accuracy(beliefs.P, m->classes, &val)
                        : beliefs.validation;
    TRY(kith__one_class_say(m, s.task.n_train, err));
    TRY(kith__evidence_of(m, &s.task, d->features, &beliefs, err));
    TRY(calibrate(d, &s.task, &beliefs, &options, &val, want.cross_fit, m,
                  err));
    TRY(hand_out(d, m, &options.job, &s, &beliefs, &val, want, err));
    *out = m;
    m = NULL;
out:
    kith_model_free(m);
    kith__beliefs_release(&beliefs);
    kith__task_storage_release(&s);
    kith__free(val_node);
    kith__free(val_truth);
    return st;
}

kith_status kith_model_train(const kith_dataset *d, const char *method,
                             const kith_split *split,
                             const kith_train_options *options,
                             kith_model **out, float *probabilities,
                             kith_error *err)
{
    return kith__train(d, method, split, options, out,
                       (kith__outcome){.probabilities = probabilities}, err);
}

/* Of a method whose passes are not known before: the memory that one fit of it
 * takes, or what all of them take at least. */
static kith_status plan_least(const kith_dataset *d, const kith__task *task,
                              const kith__method *how,
                              const kith_params *params, kith_plan *out,
                              kith_error *err)
{
    const bool counted = how->run && !how->learns;

    *out = (kith_plan){.least = !counted, .seconds = (double)NAN};
    snprintf(
        out->why, sizeof(out->why), "not known before: how long it takes%s",
        counted ? "" : ", and what it needs beyond data and probabilities");
    return kith__memory_of(task, counted ? how : kith__method_find("linbp"), d,
                           params, 1, &out->memory, err);
}

kith_status kith_model_plan(const kith_dataset *d, const char *method,
                            const kith_split *split,
                            const kith_train_options *given, kith_plan *out,
                            kith_error *err)
{
    const bool any = strcmp(method, "auto") == 0;
    const kith__method *how = kith__method_find(any ? "lcm-em" : method);
    const kith_train_options options = complete(how, given);
    kith_status st = KITH_OK;
    kith__task_storage s = {0};

    TRY(check_options(d, any ? "lcm-em" : method, how, &options.params, err));
    if (how->learns && options.params.gradient != KITH_GRADIENT_PAPER)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "no plan for the exact gradient: how many passes it "
                       "takes is not known before"));
    TRY(with_labels(d->labels, split->train, split->n_train, &s.train, &s.truth,
                    &s.task.n_train, err));
    TRY(kith__task_set_up(&s, d->graph, d->labels->classes, &options.job, err));
    if (how->learns || how->run == kith__linbp_run)
        TRY(kith__plan(&s.task, how, d, &options, split->n_val > 0, out, err));
    else
        TRY(plan_least(d, &s.task, how, &options.params, out, err));
out:
    kith__task_storage_release(&s);
    return st;
}

kith_status kith_solution_train(const kith_dataset *d, const char *method,
                                const kith_split *split,
                                const kith_train_options *options,
                                kith_model **model, kith_solution **out,
                                kith_error *err)
{
    *out = NULL;
    return kith__train(d, method, split, options, model,
                       (kith__outcome){.solution = out}, err);
}
