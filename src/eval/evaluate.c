/*
 * evaluate.c: methods on splits.
 */
#include <math.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/status.h"
#include "eval/evaluation_json.h"
#include "eval/protocol.h"
#include "eval/scores.h"

void kith_evaluation_options_init(kith_evaluation_options *o)
{
    *o = (kith_evaluation_options){0};
    kith_train_options_init(&o->train);
    o->train.fit = KITH_FIT_TRAIN;
    o->positive = KITH_POSITIVE_AUTO;
}

/* Progress with the method and the split before the stage. */
typedef struct teller {
    const kith_job *to;
    char doing[32]; /* "lcm 2/5" */
    char stage[48];
} teller;

static int tell(void *user, const kith_progress *from)
{
    teller *t = user;
    kith_progress with = *from;

    snprintf(t->stage, sizeof(t->stage), "%.18s %.12s", t->doing,
             from->stage ? from->stage : "");
    with.stage = t->stage;
    return t->to->progress(t->to->user, &with);
}

static kith_status try_one(kith_evaluation *e, int method, int split,
                           const kith_train_options *o, float *p,
                           kith_error *err)
{
    const kith_split *s = &e->split[split];
    kith_result *r = &e->result[method * e->splits + split];
    kith_status st = KITH_OK;
    kith_model *m = NULL;

    r->precision = r->recall = (double)NAN;
    TRY(kith_trial_run(e->data, e->method[method], s, o, e->positive, p,
                       &r->trial, &m, err));
    TRY(kith_score_intervals(e->data->graph, p, e->data->labels, s->test,
                             s->n_test, e->positive, 1, &o->job, &r->intervals,
                             err));
    kith_model_mask_scores(m, NULL, &r->intervals);
    if (e->options.precision_at > 0)
        TRY(kith_precision_at(p, e->data->labels, s->test, s->n_test, e->listed,
                              e->options.precision_at, &r->precision,
                              &r->recall, err));
    if (e->options.edge_weights)
        TRY(kith_model_average_weights(m, e->data, &o->job, r->weights, err));
    r->unbalanced = o->params.balance && !kith_model_balanced(m);
    TRY(kith__choices_json(m, &r->choices, err));
out:
    kith_model_free(m);
    return st;
}

static kith_status try_all(kith_evaluation *e, float *p, kith_error *err)
{
    kith_train_options o = e->options.train;
    teller t = {.to = &e->options.train.job};
    kith_status st = KITH_OK;

    if (o.job.progress) {
        o.job.progress = tell;
        o.job.user = &t;
    }
    for (int m = 0; m < e->methods; m++)
        for (int s = 0; s < e->splits; s++) {
            snprintf(t.doing, sizeof(t.doing), "%.8s %d/%d", e->method[m],
                     s + 1, e->splits);
            TRY(try_one(e, m, s, &o, p, err));
        }
out:
    return st;
}

static kith_status count_unlabelled(const kith_evaluation *e, int i,
                                    kith_error *err)
{
    const kith_split *s = &e->split[i];

    for (int32_t j = 0; j < s->n_test; j++)
        e->unlabelled[i] += e->data->labels->of[s->test[j]] < 0;
    if (e->unlabelled[i] < s->n_test)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "split '%.200s' leaves no labelled node to test on",
                      s->name ? s->name : "");
}

static double value_of(const kith_evaluation *e, int method, int split,
                       kith_measure which)
{
    const kith_result *r = &e->result[method * e->splits + split];
    const kith_scores *s = &r->trial.scores;

    switch (which) {
    case KITH_ACCURACY:
        return s->accuracy;
    case KITH_DIFFERENCE:
        return s->accuracy - e->result[split].trial.scores.accuracy;
    case KITH_MACRO_F1:
        return s->macro_f1;
    case KITH_AUC:
        return s->auc;
    case KITH_AVERAGE_PRECISION:
        return s->average_precision;
    case KITH_BEST_F1:
        return s->best_f1;
    case KITH_LOG_LOSS:
        return s->log_loss;
    case KITH_ECE:
        return s->ece;
    case KITH_SECONDS:
        return r->trial.seconds;
    case KITH_PRECISION_AT:
        return r->precision;
    case KITH_RECALL_AT:
        return r->recall;
    case KITH_COVERAGE:
        return e->options.train.coverage > 0 ? r->trial.coverage.share
                                             : (double)NAN;
    case KITH_SET_SIZE:
        return e->options.train.coverage > 0 ? r->trial.coverage.size
                                             : (double)NAN;
    case KITH_MEASURES:
        break;
    }
    return (double)NAN;
}

static kith_status find_spreads(kith_evaluation *e, kith_error *err)
{
    kith_status st = KITH_OK;
    double *values = NULL;

    TRY_NEW(values, kith__alloc(e->splits, sizeof(*values)));
    for (int m = 0; m < e->methods; m++)
        for (int i = 0; i < KITH_MEASURES; i++) {
            for (int s = 0; s < e->splits; s++)
                values[s] = value_of(e, m, s, (kith_measure)i);
            e->spread[m * KITH_MEASURES + i] = kith_spread_of(values,
                                                              e->splits);
        }
out:
    kith__free(values);
    return st;
}

kith_status kith_evaluate(const kith_dataset *d, const char *const *methods,
                          int n_methods, const kith_split *splits, int n_splits,
                          const kith_evaluation_options *options,
                          kith_evaluation **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_evaluation *e = NULL;
    float *p = NULL;

    *out = NULL;
    if (!d->labels || d->labels->labelled == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "no labels to measure by"));
    TRY_NEW(e, kith__alloc_zeroed(1, sizeof(*e)));
    e->data = d;
    e->options = *options;
    e->method = methods;
    e->split = splits;
    TRY_NEW(e->unlabelled,
            kith__alloc_zeroed(n_splits, sizeof(*e->unlabelled)));
    TRY_NEW(e->result, kith__alloc_zeroed((int64_t)n_methods * n_splits,
                                          sizeof(*e->result)));
    e->methods = n_methods;
    e->splits = n_splits;
    TRY_NEW(e->spread, kith__alloc((int64_t)n_methods * KITH_MEASURES,
                                   sizeof(*e->spread)));
    e->positive = options->positive;
    TRY(kith__find_positive(d->labels, &e->positive, err));
    e->listed = e->positive;
    if (e->listed < 0)
        TRY(kith_labels_rarest(d->labels, &e->listed, err));
    for (int i = 0; i < n_splits; i++)
        TRY(count_unlabelled(e, i, err));
    TRY_NEW(p, kith__new_probabilities(d));
    TRY(try_all(e, p, err));
    TRY(find_spreads(e, err));
    *out = e;
    e = NULL;
out:
    kith_evaluation_free(e);
    kith__free(p);
    return st;
}

void kith_evaluation_free(kith_evaluation *e)
{
    if (!e)
        return;
    for (int i = 0; i < e->methods * e->splits; i++)
        kith__free(e->result[i].choices);
    kith__free(e->result);
    kith__free(e->unlabelled);
    kith__free(e->spread);
    kith__free(e);
}

kith_spread kith_evaluation_spread(const kith_evaluation *e, int method,
                                   kith_measure which)
{
    return e->spread[method * KITH_MEASURES + (int)which];
}
