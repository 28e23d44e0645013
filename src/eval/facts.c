/*
 * facts.c: a data set described.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/job.h"
#include "io/json_writer.h"
#include "kith/facts.h"
#include "models/memory.h"

static kith_status count_classes(const kith_labels *l, kith_facts *f,
                                 kith_error *err)
{
    kith_status st = KITH_OK;

    f->homophily = (double)NAN;
    if (!l)
        return KITH_OK;
    TRY_NEW(f->class_count,
            kith__alloc_zeroed(l->classes, sizeof(*f->class_count)));
    for (int32_t u = 0; u < l->nodes; u++)
        if (l->of[u] >= 0)
            f->class_count[l->of[u]]++;
    f->homophily = kith_homophily(f->data->graph, l, &f->counted);
out:
    return st;
}

static kith_status read_splits(kith_facts *f, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith_dataset_splits(f->data, &f->splits, &f->split_count, err));
    while (f->splits_read < f->split_count &&
           f->splits_read < KITH_FACTS_SPLITS) {
        TRY(kith_split_read(f->data, f->splits[f->splits_read],
                            &f->split[f->splits_read], err));
        f->splits_read++;
    }
out:
    return st;
}

/* ---- memory -------------------------------------------------------------- */

/* The nodes to learn from: of the split named, else of the largest of those
 * read, else all labelled ones.  *train is new. */
static kith_status find_learnt(const char *name, kith_facts *f, int32_t **train,
                               kith_error *err)
{
    const kith_labels *l = f->data->labels;
    const kith_split *of = NULL;
    kith_status st = KITH_OK;
    kith_split split = {0};
    int32_t n = 0, most = 0;

    if (name) {
        TRY(kith_split_read(f->data, name, &split, err));
        of = &split;
    }
    for (int i = 0; !name && i < f->splits_read; i++)
        if (f->split[i].n_train > (of ? of->n_train : 0))
            of = &f->split[i];
    most = of ? of->n_train : 0;
    TRY_NEW(*train,
            kith__alloc(kith_graph_nodes(f->data->graph), sizeof(**train)));
    for (; n < most; n++)
        (*train)[n] = of->train[n];
    for (int32_t u = 0; most == 0 && l && u < l->nodes; u++)
        if (l->of[u] >= 0)
            (*train)[n++] = u;
    f->learnt = n;
out:
    kith_split_release(&split);
    return st;
}

static kith_status forecast(const char *split, const kith_job *job,
                            kith_facts *f, kith_error *err)
{
    static const char *const methods[KITH_FORECASTS] = {"logreg", "linbp", "bp",
                                                        "lcm"};
    const kith_dataset *d = f->data;
    kith_status st = KITH_OK;
    int32_t *train = NULL;
    kith_params p;
    kith__task t;

    f->feature_bytes = kith__feature_bytes(d->features);
    TRY(find_learnt(split, f, &train, err));
    kith_params_init(&p);
    t = kith__task_to_count(d->graph, d->labels ? d->labels->classes : 2, train,
                            (int32_t)f->learnt, job);
    for (int i = 0; i < KITH_FORECASTS; i++) {
        const kith__method *how = kith__method_find(methods[i]);

        f->forecast[i] = (kith_forecast){methods[i], (double)NAN};
        if (d->features || !how->needs_features)
            TRY(kith__memory_of(&t, how, d, &p, 1, &f->forecast[i].bytes, err));
    }
out:
    kith__free(train);
    return st;
}

kith_status kith_facts_find(const kith_dataset *d, const char *split,
                            const kith_job *job, kith_facts **out,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    kith_facts *f = NULL;

    *out = NULL;
    TRY_NEW(f, kith__alloc_zeroed(1, sizeof(*f)));
    f->data = d;
    TRY(kith_graph_stats_compute(d->graph, job, &f->stats, err));
    TRY(count_classes(d->labels, f, err));
    TRY(kith__progress(job, "counting", 0, 0, "", err));
    TRY(read_splits(f, err));
    TRY(forecast(split, job, f, err));
    *out = f;
    f = NULL;
out:
    kith_facts_free(f);
    return st;
}

void kith_facts_free(kith_facts *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->splits_read; i++)
        kith_split_release(&f->split[i]);
    kith_names_free(f->splits, f->split_count);
    kith__free(f->class_count);
    kith__free(f);
}

/* ---- for programs -------------------------------------------------------- */

static void put_percentiles(kith__json *j, const int64_t percentile[5])
{
    static const char *const names[] = {"p10", "p50", "p90", "p99", "p999"};

    kith__json_open(j, "degree_percentiles", '{');
    for (int i = 0; i < 5; i++)
        kith__json_count(j, names[i], percentile[i]);
    kith__json_close(j, '}');
}

static void put_graph(kith__json *j, const kith_facts *f)
{
    const kith_graph *g = f->data->graph;
    const kith_graph_stats *s = &f->stats;

    kith__json_count(j, "nodes", kith_graph_nodes(g));
    kith__json_count(j, "edges", kith_graph_edges(g));
    kith__json_bool(j, "weighted", kith_graph_weights(g) != NULL);
    kith__json_count(j, "components", s->components);
    kith__json_count(j, "largest_component", s->largest);
    kith__json_count(j, "isolated", s->isolated);
    kith__json_number(j, "mean_degree", s->mean_degree);
    kith__json_count(j, "max_degree", s->max_degree);
    put_percentiles(j, s->percentile);
}

static void put_data(kith__json *j, const kith_facts *f)
{
    const kith_labels *l = f->data->labels;
    const kith_features *x = f->data->features;

    kith__json_count(j, "classes", l ? l->classes : 0);
    kith__json_count(j, "labelled", l ? l->labelled : 0);
    kith__json_open(j, "class_counts", '{');
    for (int32_t c = 0; l && c < l->classes; c++)
        kith__json_count(j, l->names[c], f->class_count[c]);
    kith__json_close(j, '}');
    kith__json_number(j, "homophily", f->homophily);
    kith__json_count(j, "features", x ? x->columns : 0);
    kith__json_count(j, "feature_nonzeros", x ? x->entries : 0);
    kith__json_open(j, "splits", '[');
    for (int i = 0; i < f->split_count; i++)
        kith__json_string(j, NULL, f->splits[i]);
    kith__json_close(j, ']');
}

static void put_cleaning(kith__json *j, const kith_cleaning *c)
{
    kith__json_open(j, "cleaning", '{');
    kith__json_count(j, "lines", c->lines);
    kith__json_count(j, "comments", c->comments);
    kith__json_count(j, "headers", c->headers);
    kith__json_count(j, "entries", c->entries);
    kith__json_count(j, "self_loops", c->self_loops);
    kith__json_count(j, "duplicates", c->duplicates);
    kith__json_count(j, "one_way", c->one_way);
    kith__json_count(j, "both_ways", c->both_ways);
    kith__json_count(j, "isolated", c->isolated);
    kith__json_count(j, "extra_fields", c->extra_fields);
    kith__json_close(j, '}');
}

kith_status kith_facts_json(const kith_facts *f, char **json, size_t *length,
                            kith_error *err)
{
    kith__json j = {.indented = true};

    kith__json_open(&j, NULL, '{');
    put_graph(&j, f);
    put_data(&j, f);
    kith__json_hash(&j, "hash", kith_graph_hash(f->data->graph));
    put_cleaning(&j, &f->data->cleaning);
    kith__json_open(&j, "forecast_bytes", '{');
    for (int i = 0; i < KITH_FORECASTS; i++)
        if (isnan(f->forecast[i].bytes))
            kith__json_null(&j, f->forecast[i].method);
        else
            kith__json_count(&j, f->forecast[i].method,
                             (int64_t)f->forecast[i].bytes);
    kith__json_close(&j, '}');
    kith__json_close(&j, '}');
    return kith__json_take(&j, json, length, err);
}
