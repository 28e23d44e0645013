#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleaning_text.h"
#include "graph_facts.h"

/*
 * Text from a file need not be UTF-8, but JSON must be: bytes that do not fit
 * become U+FFFD.  Answers a new string, NULL without memory.
 */
static char *as_utf8(const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const size_t length = strlen(text);
    char *out = malloc(3 * length + 1);
    size_t used = 0;

    for (size_t i = 0; out && i < length;) {
        size_t take = 1;
        json_t *fits = NULL;

        /* the longest of 1 to 4 bytes that is one code point */
        for (; take <= 4 && i + take <= length && !fits; take++)
            fits = json_stringn(text + i, take);
        take--;
        memcpy(out + used, fits ? text + i : replacement, fits ? take : 3);
        used += fits ? take : 3;
        i += fits ? take : 1;
        json_decref(fits);
    }
    if (out)
        out[used] = '\0';
    return out;
}

static json_t *count(int64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *percentiles(const int64_t percentile[5])
{
    static const char *const names[] = {"p10", "p50", "p90", "p99", "p999"};
    json_t *object = json_object();

    for (int i = 0; i < 5; i++)
        json_object_set_new(object, names[i], count(percentile[i]));
    return object;
}

static json_t *class_counts(const graph_facts *f)
{
    json_t *object = json_object();
    const kith_labels *l = f->data->labels;

    for (int32_t c = 0; l && c < l->classes; c++) {
        char *name = as_utf8(l->names[c]);

        if (name)
            json_object_set_new(object, name, count(f->class_count[c]));
        free(name);
    }
    return object;
}

static json_t *splits(const graph_facts *f)
{
    json_t *array = json_array();

    for (int i = 0; i < f->split_count; i++) {
        char *name = as_utf8(f->splits[i]);

        if (name)
            json_array_append_new(array, json_string(name));
        free(name);
    }
    return array;
}

static json_t *cleaning(const kith_cleaning *c)
{
    int64_t values[CLEANING_COUNTS];
    json_t *object = json_object();

    cleaning_values(c, values);
    for (int i = 0; i < CLEANING_COUNTS; i++)
        json_object_set_new(object, cleaning_names[i], count(values[i]));
    return object;
}

static json_t *forecast(const forecast_sizes *sizes)
{
    json_t *object = json_object();

    for (const forecast_method *m = forecast_methods; m->name; m++)
        json_object_set_new(object, m->name,
                            m->needs_features && sizes->columns == 0
                                ? json_null()
                                : count((int64_t)m->bytes(sizes)));
    return object;
}

static void add_graph(json_t *o, const graph_facts *f)
{
    const kith_graph *g = f->data->graph;
    const kith_graph_stats *s = &f->stats;

    json_object_set_new(o, "nodes", count(kith_graph_nodes(g)));
    json_object_set_new(o, "edges", count(kith_graph_edges(g)));
    json_object_set_new(o, "weighted", json_boolean(kith_graph_weights(g)));
    json_object_set_new(o, "components", count(s->components));
    json_object_set_new(o, "largest_component", count(s->largest));
    json_object_set_new(o, "isolated", count(s->isolated));
    json_object_set_new(o, "mean_degree", json_real(s->mean_degree));
    json_object_set_new(o, "max_degree", count(s->max_degree));
    json_object_set_new(o, "degree_percentiles", percentiles(s->percentile));
}

static void add_data(json_t *o, const graph_facts *f)
{
    const kith_labels *l = f->data->labels;
    const kith_features *x = f->data->features;

    json_object_set_new(o, "classes", count(l ? l->classes : 0));
    json_object_set_new(o, "labelled", count(l ? l->labelled : 0));
    json_object_set_new(o, "class_counts", class_counts(f));
    json_object_set_new(o, "homophily",
                        isnan(f->homophily) ? json_null()
                                            : json_real(f->homophily));
    json_object_set_new(o, "features", count(x ? x->columns : 0));
    json_object_set_new(o, "feature_nonzeros", count(x ? x->entries : 0));
    json_object_set_new(o, "splits", splits(f));
}

bool info_json(FILE *stream, const graph_facts *f)
{
    json_t *o = json_object();
    char hash[24];
    bool done = false;

    if (!o)
        return false;
    snprintf(hash, sizeof(hash), "%016llx",
             (unsigned long long)kith_graph_hash(f->data->graph));
    add_graph(o, f);
    add_data(o, f);
    json_object_set_new(o, "hash", json_string(hash));
    json_object_set_new(o, "cleaning", cleaning(&f->data->cleaning));
    done = json_object_set_new(o, "forecast_bytes", forecast(&f->sizes)) == 0;
    if (done)
        json_dumpf(o, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fputc('\n', stream);
    json_decref(o);
    return done;
}
