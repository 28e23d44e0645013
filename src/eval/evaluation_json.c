#include "eval/evaluation_json.h"

#include "io/json_writer.h"

/* ---- what a model chose -------------------------------------------------- */

static void put_params(kith__json *j, const kith_params *p)
{
    int rows;
    const kith_option_info *row = kith_option_list(&rows);
    char word[KITH_OPTION_BUFFER];

    for (int i = 0; i < rows; i++) {
        const double value = row[i].slot >= 0 ? kith_params_get(p, &row[i]) : 0;

        if (row[i].slot < 0)
            continue;
        switch (row[i].type) {
        case KITH_OPTION_FLAG:
            kith__json_bool(j, row[i].key, value != 0);
            break;
        case KITH_OPTION_CHOICE:
            kith__json_string(j, row[i].key,
                              kith_option_text(&row[i], value, word));
            break;
        case KITH_OPTION_INTEGER:
            kith__json_count(j, row[i].key, (int64_t)value);
            break;
        default:
            kith__json_number(j, row[i].key, value);
        }
    }
}

kith_status kith__choices_json(const kith_model *m, char **out, kith_error *err)
{
    kith__json j = {.indented = true};
    size_t length;

    kith__json_open(&j, NULL, '{');
    kith__json_string(&j, "method", kith_model_method(m));
    for (int32_t i = 0; i < kith_model_settings(m); i++) {
        const kith_setting s = kith_model_setting(m, i);

        if (s.text)
            kith__json_string(&j, s.name, s.text);
        else
            kith__json_number(&j, s.name, s.number);
    }
    if (kith_model_settings(m) == 0)
        put_params(&j, kith_model_params(m));
    kith__json_close(&j, '}');
    return kith__json_take(&j, out, &length, err);
}

/* ---- an evaluation ------------------------------------------------------- */

static void put_weights(kith__json *j, const double weights[4])
{
    static const char *const names[] = {"same_before", "other_before",
                                        "same_after", "other_after"};

    kith__json_open(j, "edge_weights", '{');
    for (int i = 0; i < 4; i++)
        kith__json_number(j, names[i], weights[i]);
    kith__json_close(j, '}');
}

static void put_interval(kith__json *j, const char *name, kith_interval i)
{
    kith__json_open(j, name, '{');
    kith__json_number(j, "low", i.low);
    kith__json_number(j, "high", i.high);
    kith__json_close(j, '}');
}

static void put_intervals(kith__json *j, const kith_intervals *i)
{
    kith__json_open(j, "intervals", '{');
    put_interval(j, "test", i->accuracy);
    put_interval(j, "macro_f1", i->macro_f1);
    put_interval(j, "auc", i->auc);
    put_interval(j, "average_precision", i->average_precision);
    put_interval(j, "log_loss", i->log_loss);
    kith__json_close(j, '}');
}

/* Of sets of classes: what was asked for, and what the test nodes say. */
static void put_coverage(kith__json *j, double asked, const kith_coverage *c)
{
    kith__json_open(j, "coverage", '{');
    kith__json_number(j, "asked", asked);
    kith__json_number(j, "measured", c->share);
    kith__json_number(j, "low", c->interval.low);
    kith__json_number(j, "high", c->interval.high);
    kith__json_number(j, "mean_size", c->size);
    kith__json_count(j, "nodes", c->nodes);
    kith__json_count(j, "empty", c->empty);
    kith__json_count(j, "full", c->full);
    kith__json_close(j, '}');
}

static void put_trial(kith__json *j, const kith_evaluation *e,
                      const kith_split *split, const kith_result *r)
{
    const kith_trial *t = &r->trial;
    const kith_scores *s = &t->scores;

    kith__json_open(j, NULL, '{');
    kith__json_string(j, "split", split->name ? split->name : "");
    kith__json_hash(j, "split_hash", split->hash);
    kith__json_number(j, "val", t->validation);
    kith__json_number(j, "test", s->accuracy);
    kith__json_count(j, "test_nodes", s->nodes);
    kith__json_number(j, "macro_f1", s->macro_f1);
    kith__json_number(j, "auc", s->auc);
    kith__json_number(j, "average_precision", s->average_precision);
    kith__json_number(j, "best_f1", s->best_f1);
    kith__json_number(j, "log_loss", s->log_loss);
    kith__json_number(j, "ece", s->ece);
    put_intervals(j, &r->intervals);
    if (e->options.precision_at > 0) {
        kith__json_number(j, "precision_at", r->precision);
        kith__json_number(j, "recall_at", r->recall);
    }
    if (e->options.train.coverage > 0)
        put_coverage(j, e->options.train.coverage, &t->coverage);
    kith__json_number(j, "seconds", t->seconds);
    kith__json_number(j, "temperature", t->temperature);
    kith__json_number(j, "rho", t->certificate.rho);
    kith__json_number(j, "residual", t->certificate.residual);
    kith__json_value(j, "params", r->choices);
    if (e->options.edge_weights)
        put_weights(j, r->weights);
    kith__json_close(j, '}');
}

static void put_spread(kith__json *j, const char *name, kith_spread s)
{
    kith__json_open(j, name, '{');
    kith__json_number(j, "mean", s.mean);
    kith__json_number(j, "std", s.std);
    kith__json_close(j, '}');
}

/* Accuracy and what is compared as mean and std, the rest as the mean, with
 * the deviations apart. */
static void put_method(kith__json *j, const kith_evaluation *e, int m)
{
    static const char *const plain[KITH_MEASURES] = {
        [KITH_MACRO_F1] = "macro_f1",
        [KITH_AUC] = "auc",
        [KITH_AVERAGE_PRECISION] = "average_precision",
        [KITH_BEST_F1] = "best_f1",
        [KITH_LOG_LOSS] = "log_loss",
        [KITH_ECE] = "ece",
        [KITH_SECONDS] = "seconds"};

    kith__json_open(j, NULL, '{');
    kith__json_string(j, "method", e->method[m]);
    put_spread(j, "accuracy", kith_evaluation_spread(e, m, KITH_ACCURACY));
    put_spread(j, "difference", kith_evaluation_spread(e, m, KITH_DIFFERENCE));
    for (kith_measure i = 0; i < KITH_MEASURES; i++)
        if (plain[i])
            kith__json_number(j, plain[i],
                              kith_evaluation_spread(e, m, i).mean);
    if (e->options.precision_at > 0) {
        put_spread(j, "precision_at",
                   kith_evaluation_spread(e, m, KITH_PRECISION_AT));
        put_spread(j, "recall_at",
                   kith_evaluation_spread(e, m, KITH_RECALL_AT));
    }
    if (e->options.train.coverage > 0) {
        put_spread(j, "coverage", kith_evaluation_spread(e, m, KITH_COVERAGE));
        put_spread(j, "set_size", kith_evaluation_spread(e, m, KITH_SET_SIZE));
    }
    kith__json_open(j, "std", '{');
    for (kith_measure i = 0; i < KITH_MEASURES; i++)
        if (plain[i])
            kith__json_number(j, plain[i], kith_evaluation_spread(e, m, i).std);
    kith__json_close(j, '}');
    kith__json_open(j, "trials", '[');
    for (int s = 0; s < e->splits; s++)
        put_trial(j, e, &e->split[s], &e->result[m * e->splits + s]);
    kith__json_close(j, ']');
    kith__json_close(j, '}');
}

/* What the table calls that value of a choice. */
static void put_choice(kith__json *j, const char *name, int value)
{
    char word[KITH_OPTION_BUFFER];

    kith__json_string(j, name,
                      kith_option_text(kith_option_find(name), value, word));
}

static void put_split(kith__json *j, const kith_split *s, int32_t unlabelled)
{
    kith__json_open(j, NULL, '{');
    kith__json_string(j, "name", s->name ? s->name : "");
    kith__json_hash(j, "hash", s->hash);
    kith__json_count(j, "train", s->n_train);
    kith__json_count(j, "val", s->n_val);
    kith__json_count(j, "test", s->n_test);
    kith__json_count(j, "unlabelled", unlabelled);
    kith__json_close(j, '}');
}

static void put_data(kith__json *j, const kith_dataset *d)
{
    kith__json_count(j, "nodes", kith_graph_nodes(d->graph));
    kith__json_count(j, "edges", kith_graph_edges(d->graph));
    kith__json_count(j, "classes", d->labels->classes);
    kith__json_count(j, "features", d->features ? d->features->columns : 0);
    kith__json_count(j, "labelled", d->labels->labelled);
    kith__json_hash(j, "graph_hash", kith_graph_hash(d->graph));
}

/* What was looked for: null where scores are the mean over all classes. */
static void put_positive(kith__json *j, const kith_evaluation *e)
{
    const int32_t at = e->options.precision_at;
    const int32_t c = at > 0 ? e->listed : e->positive;

    if (at > 0)
        kith__json_count(j, "precision_at", at);
    if (c >= 0)
        kith__json_string(j, "positive", e->data->labels->names[c]);
    else
        kith__json_null(j, "positive");
}

kith_status kith_evaluation_json(const kith_evaluation *e, const char *name,
                                 const char *path, bool random, uint64_t seed,
                                 char **json, size_t *length, kith_error *err)
{
    kith__json j = {.indented = true};

    kith__json_open(&j, NULL, '{');
    kith__json_string(&j, "dataset", name);
    kith__json_string(&j, "path", path);
    put_data(&j, e->data);
    if (random)
        kith__json_count(&j, "seed", (int64_t)seed);
    else
        kith__json_null(&j, "seed");
    kith__json_string(&j, "version", kith_version());
    put_choice(&j, "fit", (int)e->options.train.fit);
    put_positive(&j, e);
    kith__json_open(&j, "splits", '[');
    for (int i = 0; i < e->splits; i++)
        put_split(&j, &e->split[i], e->unlabelled[i]);
    kith__json_close(&j, ']');
    kith__json_open(&j, "results", '[');
    for (int i = 0; i < e->methods; i++)
        put_method(&j, e, i);
    kith__json_close(&j, ']');
    kith__json_close(&j, '}');
    return kith__json_take(&j, json, length, err);
}
