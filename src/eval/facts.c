/*
 * facts.c: a data set described.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/job.h"
#include "eval/forecast.h"
#include "io/json_writer.h"

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

/* ---- sizes --------------------------------------------------------------- */

/* Columns in which u, or a node up to `hops` edges away, has an entry, of those
 * that are not stamped yet. */
static int64_t columns_around(const kith_dataset *d, int32_t u, int hops,
                              int32_t stamp, int32_t *seen)
{
    const kith_features *x = d->features;
    const int64_t *rows = kith_graph_rows(d->graph);
    int64_t count = 0;

    for (int64_t i = x->row[u]; i < x->row[u + 1]; i++)
        if (seen[x->column[i]] != stamp) {
            seen[x->column[i]] = stamp;
            count++;
        }
    for (int64_t p = rows[u]; hops > 0 && p < rows[u + 1]; p++)
        count += columns_around(d, kith_graph_neighbours(d->graph)[p], hops - 1,
                                stamp, seen);
    return count;
}

/* Mean number of entries of a row that is summed over neighbours `hops` times,
 * told from some of the rows. */
static double entries_around(const kith_dataset *d, int hops, int32_t *seen)
{
    enum { SAMPLE = 500 };
    const int32_t n = kith_graph_nodes(d->graph), step = n / SAMPLE + 1;
    int64_t entries = 0, rows = 0;

    for (int32_t i = 0; i < d->features->columns; i++)
        seen[i] = -1;
    for (int32_t u = 0; u < n; u += step, rows++)
        entries += columns_around(d, u, hops, u, seen);
    return (double)entries / (double)rows;
}

/* Numbers of an array that doubles until they fit: while it does for the last
 * time, the old half is there beside the new one. */
static double grown(double numbers)
{
    return exp2(ceil(log2(fmax(numbers, 16))));
}

/* Bytes of the features smoothed as by default: all rows once, and those to
 * learn from twice. */
static kith_status find_smoothed(const kith_dataset *d, kith__sizes *s,
                                 kith_error *err)
{
    const kith_features *x = d->features;
    kith_status st = KITH_OK;
    int32_t *seen = NULL;
    double once, twice;

    if (!x || s->nodes == 0)
        return KITH_OK;
    once = twice = x->columns;
    if (x->row) {
        TRY_NEW(seen, kith__alloc(x->columns, sizeof(*seen)));
        once = entries_around(d, 1, seen);
        twice = entries_around(d, 2, seen);
    }
    s->smoothed_bytes =
        8 * (s->nodes + grown(once * s->nodes) + grown(twice * s->labelled));
out:
    kith__free(seen);
    return st;
}

static kith_status find_learnt(const char *name, kith_facts *f, kith_error *err)
{
    const kith_labels *l = f->data->labels;
    kith_status st = KITH_OK;
    kith_split split = {0};
    int64_t most = 0;

    if (name) {
        TRY(kith_split_read(f->data, name, &split, err));
        most = split.n_train;
    }
    for (int i = 0; !name && i < f->splits_read; i++)
        if (f->split[i].n_train > most)
            most = f->split[i].n_train;
    f->learnt = (double)(most == 0 && l ? l->labelled : most);
out:
    kith_split_release(&split);
    return st;
}

static kith_status forecast(kith_facts *f, kith_error *err)
{
    const kith_dataset *d = f->data;
    const kith_features *x = d->features;
    kith__sizes s = {.nodes = kith_graph_nodes(d->graph),
                     .edges = (double)kith_graph_edges(d->graph),
                     .classes = d->labels ? d->labels->classes : 2,
                     .labelled = f->learnt,
                     .weighted = kith_graph_weights(d->graph) != NULL,
                     .columns = x ? x->columns : 0};
    kith_status st = KITH_OK;

    if (x && x->row)
        s.feature_bytes = 8 * (s.nodes + 1) +
                          (x->value ? 8 : 4) * (double)x->entries;
    else if (x)
        s.feature_bytes = 4 * (double)x->entries;
    f->feature_bytes = s.feature_bytes;
    TRY(find_smoothed(d, &s, err));
    kith__forecast(&s, f->forecast);
out:
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
    TRY(find_learnt(split, f, err));
    TRY(forecast(f, err));
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
