#include <stdlib.h>

#include "cleaning_text.h"
#include "graph_facts.h"
#include "json_text.h"

static json_t *percentiles(const int64_t percentile[5])
{
    static const char *const names[] = {"p10", "p50", "p90", "p99", "p999"};
    json_t *object = json_object();

    for (int i = 0; i < 5; i++)
        json_object_set_new(object, names[i], json_count(percentile[i]));
    return object;
}

static json_t *class_counts(const graph_facts *f)
{
    json_t *object = json_object();
    const kith_labels *l = f->data->labels;

    for (int32_t c = 0; l && c < l->classes; c++) {
        char *name = json_utf8(l->names[c]);

        if (name)
            json_object_set_new(object, name, json_count(f->class_count[c]));
        free(name);
    }
    return object;
}

static json_t *splits(const graph_facts *f)
{
    json_t *array = json_array();

    for (int i = 0; i < f->split_count; i++)
        json_array_append_new(array, json_text(f->splits[i]));
    return array;
}

static json_t *cleaning(const kith_cleaning *c)
{
    int64_t values[CLEANING_COUNTS];
    json_t *object = json_object();

    cleaning_values(c, values);
    for (int i = 0; i < CLEANING_COUNTS; i++)
        json_object_set_new(object, cleaning_names[i], json_count(values[i]));
    return object;
}

static json_t *forecast(const forecast_sizes *sizes)
{
    json_t *object = json_object();

    for (const forecast_method *m = forecast_methods; m->name; m++)
        json_object_set_new(object, m->name,
                            m->needs_features && sizes->columns == 0
                                ? json_null()
                                : json_count((int64_t)m->bytes(sizes)));
    return object;
}

static void add_graph(json_t *o, const graph_facts *f)
{
    const kith_graph *g = f->data->graph;
    const kith_graph_stats *s = &f->stats;

    json_object_set_new(o, "nodes", json_count(kith_graph_nodes(g)));
    json_object_set_new(o, "edges", json_count(kith_graph_edges(g)));
    json_object_set_new(o, "weighted", json_boolean(kith_graph_weights(g)));
    json_object_set_new(o, "components", json_count(s->components));
    json_object_set_new(o, "largest_component", json_count(s->largest));
    json_object_set_new(o, "isolated", json_count(s->isolated));
    json_object_set_new(o, "mean_degree", json_real(s->mean_degree));
    json_object_set_new(o, "max_degree", json_count(s->max_degree));
    json_object_set_new(o, "degree_percentiles", percentiles(s->percentile));
}

static void add_data(json_t *o, const graph_facts *f)
{
    const kith_labels *l = f->data->labels;
    const kith_features *x = f->data->features;

    json_object_set_new(o, "classes", json_count(l ? l->classes : 0));
    json_object_set_new(o, "labelled", json_count(l ? l->labelled : 0));
    json_object_set_new(o, "class_counts", class_counts(f));
    json_object_set_new(o, "homophily", json_number(f->homophily));
    json_object_set_new(o, "features", json_count(x ? x->columns : 0));
    json_object_set_new(o, "feature_nonzeros", json_count(x ? x->entries : 0));
    json_object_set_new(o, "splits", splits(f));
}

bool info_json(FILE *stream, const graph_facts *f)
{
    json_t *o = json_object();

    if (!o)
        return false;
    add_graph(o, f);
    add_data(o, f);
    json_object_set_new(o, "hash", json_hash(kith_graph_hash(f->data->graph)));
    json_object_set_new(o, "cleaning", cleaning(&f->data->cleaning));
    if (json_object_set_new(o, "forecast_bytes", forecast(&f->sizes)) != 0) {
        json_decref(o);
        return false;
    }
    return json_print(o, stream);
}
