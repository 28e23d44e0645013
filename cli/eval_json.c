#include <math.h>

#include "eval_report.h"
#include "json_text.h"

/* What a method chose beyond kith_params. */
static json_t *choices_object(const kith_model *m)
{
    json_t *o = json_object();

    json_object_set_new(o, "method", json_text(kith_model_method(m)));
    for (int32_t i = 0; i < kith_model_settings(m); i++) {
        const kith_setting c = kith_model_setting(m, i);

        json_object_set_new(o, c.name,
                            c.text ? json_text(c.text) : json_number(c.number));
    }
    return o;
}

static json_t *value_of(const kith_option_info *row, double value)
{
    char word[KITH_OPTION_BUFFER];

    switch (row->type) {
    case KITH_OPTION_FLAG:
        return json_boolean(value != 0);
    case KITH_OPTION_CHOICE:
        return json_string(kith_option_text(row, value, word));
    case KITH_OPTION_INTEGER:
        return json_count((int64_t)value);
    default:
        return json_number(value);
    }
}

json_t *eval_params(const kith_model *m)
{
    int rows;
    const kith_option_info *row = kith_option_list(&rows);
    json_t *o;

    if (kith_model_settings(m) > 0)
        return choices_object(m);
    o = json_object();
    json_object_set_new(o, "method", json_text(kith_model_method(m)));
    for (int i = 0; i < rows; i++)
        if (row[i].slot >= 0)
            json_object_set_new(
                o, row[i].key,
                value_of(&row[i],
                         kith_params_get(kith_model_params(m), &row[i])));
    return o;
}

static json_t *weights_object(const double weights[4])
{
    static const char *const names[] = {"same_before", "other_before",
                                        "same_after", "other_after"};
    json_t *o = json_object();

    for (int i = 0; i < 4; i++)
        json_object_set_new(o, names[i], json_number(weights[i]));
    return o;
}

static json_t *trial_object(const evaluation *e, int method, int split)
{
    const trial *t = &e->trials[method * e->splits + split];
    const kith_scores *s = &t->of.scores;
    json_t *o = json_object();

    json_object_set_new(o, "split", json_text(e->split[split].name));
    json_object_set_new(o, "split_hash", json_hash(e->split[split].hash));
    json_object_set_new(o, "val", json_number(t->of.validation));
    json_object_set_new(o, "test", json_number(s->accuracy));
    json_object_set_new(o, "test_nodes", json_count(s->nodes));
    json_object_set_new(o, "macro_f1", json_number(s->macro_f1));
    json_object_set_new(o, "auc", json_number(s->auc));
    json_object_set_new(o, "average_precision",
                        json_number(s->average_precision));
    json_object_set_new(o, "log_loss", json_number(s->log_loss));
    json_object_set_new(o, "ece", json_number(s->ece));
    if (e->precision_at > 0)
        json_object_set_new(o, "precision_at", json_number(t->precision));
    json_object_set_new(o, "seconds", json_number(t->of.seconds));
    json_object_set_new(o, "temperature", json_number(t->of.temperature));
    json_object_set_new(o, "rho", json_number(t->of.certificate.rho));
    json_object_set_new(o, "residual", json_number(t->of.certificate.residual));
    json_object_set(o, "params", t->params);
    if (e->edge_weights)
        json_object_set_new(o, "edge_weights", weights_object(t->weights));
    return o;
}

static json_t *spread_object(const evaluation *e, int method, measure m)
{
    const kith_spread s = spread_of(e, method, m);
    json_t *o = json_object();

    json_object_set_new(o, "mean", json_number(s.mean));
    json_object_set_new(o, "std", json_number(s.std));
    return o;
}

/* Accuracy and what is compared as mean and std, the rest as the mean, with
 * the deviations apart. */
static json_t *result_object(const evaluation *e, int method)
{
    static const struct {
        const char *name;
        measure m;
    } plain[] = {{"macro_f1", MACRO_F1},
                 {"auc", AUC},
                 {"average_precision", AVERAGE_PRECISION},
                 {"log_loss", LOG_LOSS},
                 {"ece", ECE},
                 {"seconds", SECONDS}};
    json_t *o = json_object(), *std = json_object(), *trials = json_array();

    json_object_set_new(o, "method", json_string(e->method[method].name));
    json_object_set_new(o, "accuracy", spread_object(e, method, ACCURACY));
    json_object_set_new(o, "difference", spread_object(e, method, DIFFERENCE));
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        const kith_spread s = spread_of(e, method, plain[i].m);

        json_object_set_new(o, plain[i].name, json_number(s.mean));
        json_object_set_new(std, plain[i].name, json_number(s.std));
    }
    if (e->precision_at > 0)
        json_object_set_new(o, "precision_at",
                            spread_object(e, method, PRECISION_AT));
    json_object_set_new(o, "std", std);
    for (int s = 0; s < e->splits; s++)
        json_array_append_new(trials, trial_object(e, method, s));
    json_object_set_new(o, "trials", trials);
    return o;
}

static json_t *split_object(const evaluation *e, int i)
{
    const kith_split *s = &e->split[i];
    json_t *o = json_object();

    json_object_set_new(o, "name", json_text(s->name));
    json_object_set_new(o, "hash", json_hash(s->hash));
    json_object_set_new(o, "train", json_count(s->n_train));
    json_object_set_new(o, "val", json_count(s->n_val));
    json_object_set_new(o, "test", json_count(s->n_test));
    json_object_set_new(o, "unlabelled", json_count(e->skipped[i]));
    return o;
}

static void add_data(json_t *o, const evaluation *e)
{
    const kith_dataset *d = e->data;
    char name[300];

    json_object_set_new(o, "dataset",
                        json_text(input_name(e->path, name, sizeof(name))));
    json_object_set_new(o, "path", json_text(e->path));
    json_object_set_new(o, "nodes", json_count(kith_graph_nodes(d->graph)));
    json_object_set_new(o, "edges", json_count(kith_graph_edges(d->graph)));
    json_object_set_new(o, "classes", json_count(d->labels->classes));
    json_object_set_new(o, "features",
                        json_count(d->features ? d->features->columns : 0));
    json_object_set_new(o, "labelled", json_count(d->labels->labelled));
    json_object_set_new(o, "graph_hash", json_hash(kith_graph_hash(d->graph)));
    json_object_set_new(o, "seed",
                        e->random ? json_count((int64_t)e->seed) : json_null());
    json_object_set_new(o, "version", json_string(kith_version()));
    if (e->precision_at > 0) {
        json_object_set_new(o, "precision_at", json_count(e->precision_at));
        json_object_set_new(o, "positive",
                            json_text(d->labels->names[e->positive]));
    }
}

bool eval_json(FILE *out, const evaluation *e)
{
    json_t *o = json_object(), *splits = json_array(), *results = json_array();

    if (!o || !splits || !results) {
        json_decref(o);
        json_decref(splits);
        json_decref(results);
        return false;
    }
    add_data(o, e);
    for (int i = 0; i < e->splits; i++)
        json_array_append_new(splits, split_object(e, i));
    json_object_set_new(o, "splits", splits);
    for (int i = 0; i < e->methods; i++)
        json_array_append_new(results, result_object(e, i));
    json_object_set_new(o, "results", results);
    return json_print(o, out);
}
