/*
 * report_explanation.c: the page about one node, and the same for programs.
 */
#include <string.h>

#include "core/alloc.h"
#include "io/json_writer.h"
#include "kith/report.h"
#include "models/solution.h"
#include "report/page.h"
#include "report/report_parts.h"

static void put_class(kith__json *j, const kith_solution *s, const char *name,
                      int32_t c)
{
    kith__json_string(j, name, c < 0 ? "" : kith_model_class_name(s->model, c));
}

static void put_parts(kith__json *j, const kith_solution *s, const char *name,
                      const kith_part *list, int32_t n)
{
    kith__json_open(j, name, '[');
    for (int32_t i = 0; i < n; i++) {
        kith__json_open(j, NULL, '[');
        kith__json_node(j, NULL, s->data->graph, list[i].node);
        put_class(j, s, NULL, list[i].label);
        kith__json_number(j, NULL, list[i].value);
        kith__json_close(j, ']');
    }
    kith__json_close(j, ']');
}

static void put_neighbours(kith__json *j, const kith_solution *s,
                           const kith_explanation *e)
{
    kith__json_open(j, "neighbours", '[');
    for (int32_t i = 0; i < e->n_neighbours; i++) {
        const kith_via *v = &e->neighbours[i];

        kith__json_open(j, NULL, '[');
        kith__json_node(j, NULL, s->data->graph, v->node);
        put_class(j, s, NULL, s->trained[v->node]);
        kith__json_number(j, NULL, v->weight);
        kith__json_number(j, NULL, v->value);
        kith__json_close(j, ']');
    }
    kith__json_close(j, ']');
}

static void put_paths(kith__json *j, const kith_solution *s,
                      const kith_explanation *e)
{
    kith__json_open(j, "paths", '[');
    for (int32_t i = 0; i < e->n_paths; i++) {
        const kith_path *p = &e->paths[i];

        kith__json_open(j, NULL, '{');
        kith__json_open(j, "nodes", '[');
        for (int32_t k = 0; k <= p->length; k++)
            kith__json_node(j, NULL, s->data->graph, p->node[k]);
        kith__json_close(j, ']');
        kith__json_open(j, "weights", '[');
        for (int32_t k = 0; k < p->length; k++)
            kith__json_number(j, NULL, p->weight[k]);
        kith__json_close(j, ']');
        kith__json_number(j, "coupling", p->coupling);
        kith__json_number(j, "value", p->value);
        kith__json_close(j, '}');
    }
    kith__json_close(j, ']');
}

/* A column by its name or, where it has none, its number. */
static void put_column(kith__json *j, const char *key,
                       const kith_feature_part *p)
{
    if (p->name)
        kith__json_string(j, key, p->name);
    else
        kith__json_number(j, key, p->column);
}

static void put_features(kith__json *j, const kith_explanation *e)
{
    kith__json_open(j, "features", '[');
    for (int32_t i = 0; i < e->n_features; i++) {
        const kith_feature_part *p = &e->features[i];

        kith__json_open(j, NULL, '[');
        put_column(j, NULL, p);
        kith__json_string(j, NULL, p->of);
        kith__json_number(j, NULL, p->amount);
        kith__json_number(j, NULL, p->weight);
        kith__json_number(j, NULL, p->value);
        kith__json_close(j, ']');
    }
    kith__json_close(j, ']');
}

static void put_sum(kith__json *j, const kith_explanation *e)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"probability", e->probability},
        {"belief", e->belief},
        {"sum", e->sum},
        {"residual", e->residual},
        {"iterations", e->iterations},
        {"through_neighbours", e->through_neighbours},
        {"bias", e->bias},
        {"feature_sum", e->feature_sum},
        {"likeliest_probability", e->likeliest_probability},
    };
    kith_summand part[KITH_SUMMANDS_MOST];
    const int32_t n = kith_explanation_summands(e, part);

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        kith__json_number(j, numbers[i].name, numbers[i].value);
    kith__json_open(j, "parts", '[');
    for (int32_t i = 0; i < n; i++) {
        kith__json_open(j, NULL, '[');
        kith__json_string(j, NULL, part[i].what);
        kith__json_number(j, NULL, part[i].value);
        kith__json_close(j, ']');
    }
    kith__json_close(j, ']');
    kith__json_string(j, "contributions", kith_explanation_words(e));
    kith__json_bool(j, "paths_complete", e->paths_complete);
}

kith_status kith__put_why(kith__json *j, const kith_solution *s,
                          const kith_explanation *e, kith_error *err)
{
    kith_status st = KITH_OK;
    char *sentences = NULL;
    size_t said;

    TRY(kith_explanation_sentences(s, e, &sentences, &said, err));
    kith__json_text(j, "sentences", sentences, said, said);
    put_class(j, s, "known", s->trained[e->node]);
    kith__json_bool(j, "clamped", e->clamped);
    put_sum(j, e);
    put_parts(j, s, "top_labelled", e->top_labelled, e->n_labelled);
    put_parts(j, s, "top_others", e->top_others, e->n_others);
    put_neighbours(j, s, e);
    put_paths(j, s, e);
    put_features(j, e);
out:
    kith__free(sentences);
    return st;
}

kith_status kith_report_explanation(const kith_solution *s,
                                    const kith_explanation *e, char **html,
                                    size_t *length, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__json j = {0};

    *html = NULL;
    *length = 0;
    kith__page_begin(&j);
    kith__json_open(&j, NULL, '{');
    kith__json_string(&j, "kind", "explanation");
    kith__json_node(&j, "node", s->data->graph, e->node);
    put_class(&j, s, "class", e->of_class);
    put_class(&j, s, "likeliest", e->likeliest);
    kith__json_bool(&j, "is_likeliest", e->likeliest == e->of_class);
    kith__json_string(&j, "method", kith_model_method(s->model));
    kith__json_string(&j, "version", kith_version());
    TRY(kith__put_why(&j, s, e, err));
    kith__json_close(&j, '}');
    TRY(kith__page_end(&j, html, length, err));
out:
    kith__free(j.at);
    return st;
}

/* ---- for programs -------------------------------------------------------- */

static void tell_class(kith__json *j, const kith_solution *s, const char *name,
                       int32_t c)
{
    if (c < 0)
        kith__json_null(j, name);
    else
        kith__json_string(j, name, kith_model_class_name(s->model, c));
}

static void tell_parts(kith__json *j, const kith_solution *s, const char *name,
                       const kith_part *list, int32_t n)
{
    kith__json_open(j, name, '[');
    for (int32_t i = 0; i < n; i++) {
        kith__json_open(j, NULL, '{');
        kith__json_node(j, "node", s->data->graph, list[i].node);
        tell_class(j, s, "label", list[i].label);
        kith__json_number(j, "value", list[i].value);
        kith__json_close(j, '}');
    }
    kith__json_close(j, ']');
}

static void tell_neighbours(kith__json *j, const kith_solution *s,
                            const kith_explanation *e)
{
    kith__json_open(j, "neighbours", '[');
    for (int32_t i = 0; i < e->n_neighbours; i++) {
        const kith_via *v = &e->neighbours[i];

        kith__json_open(j, NULL, '{');
        kith__json_node(j, "node", s->data->graph, v->node);
        tell_class(j, s, "label", s->trained[v->node]);
        kith__json_number(j, "weight", v->weight);
        kith__json_number(j, "value", v->value);
        kith__json_close(j, '}');
    }
    kith__json_close(j, ']');
}

static void tell_features(kith__json *j, const kith_explanation *e)
{
    kith__json_open(j, "features", '[');
    for (int32_t i = 0; i < e->n_features; i++) {
        const kith_feature_part *p = &e->features[i];

        kith__json_open(j, NULL, '{');
        kith__json_count(j, "column", p->column);
        if (p->name)
            kith__json_string(j, "name", p->name);
        kith__json_string(j, "of", p->of);
        kith__json_number(j, "amount", p->amount);
        kith__json_number(j, "weight", p->weight);
        kith__json_number(j, "value", p->value);
        kith__json_close(j, '}');
    }
    kith__json_close(j, ']');
}

/* What the probability would be without the node that speaks most. */
static void tell_without(kith__json *j, const kith_solution *s,
                         const kith_explanation *e)
{
    if (e->without < 0) {
        kith__json_null(j, "without");
        return;
    }
    kith__json_open(j, "without", '{');
    kith__json_node(j, "node", s->data->graph, e->without);
    kith__json_number(j, "probability", e->without_probability);
    kith__json_close(j, '}');
}

static void tell_sum(kith__json *j, const kith_explanation *e)
{
    kith__json_number(j, "own", e->own);
    kith__json_number(j, "echo", e->echo);
    kith__json_number(j, "labelled", e->labelled);
    kith__json_number(j, "others", e->others);
    kith__json_number(j, "constant", e->constant);
    kith__json_number(j, "unconverged", e->unconverged);
    kith__json_number(j, "sum", e->sum);
    kith__json_number(j, "residual", e->residual);
    kith__json_count(j, "iterations", e->iterations);
    kith__json_bool(j, "fixed_point", e->kind == KITH_SUM_FIXED_POINT);
    kith__json_string(j, "kind", kith_sum_name(e->kind));
    kith__json_string(j, "contributions", kith_explanation_words(e));
    kith__json_bool(j, "roots", e->roots);
    kith__json_bool(j, "clamped", e->clamped);
}

kith_status kith_explanation_json(const kith_solution *s,
                                  const kith_explanation *e, char **json,
                                  size_t *length, kith_error *err)
{
    kith_status st = KITH_OK;
    char *sentences = NULL;
    size_t said;
    kith__json j = {.indented = true};

    TRY(kith_explanation_sentences(s, e, &sentences, &said, err));
    kith__json_open(&j, NULL, '{');
    kith__json_node(&j, "node", s->data->graph, e->node);
    tell_class(&j, s, "class", e->of_class);
    tell_class(&j, s, "predicted", e->likeliest);
    tell_class(&j, s, "label", s->trained[e->node]);
    kith__json_text(&j, "sentences", sentences, said, said);
    kith__json_string(&j, "method", kith_model_method(s->model));
    kith__json_number(&j, "probability", e->probability);
    tell_without(&j, s, e);
    kith__json_bool(&j, "graph_changed", e->graph_changed);
    kith__json_number(&j, "belief", e->belief);
    tell_sum(&j, e);
    tell_parts(&j, s, "top_labelled", e->top_labelled, e->n_labelled);
    tell_parts(&j, s, "top_others", e->top_others, e->n_others);
    kith__json_number(&j, "through_neighbours", e->through_neighbours);
    tell_neighbours(&j, s, e);
    put_paths(&j, s, e);
    kith__json_bool(&j, "paths_complete", e->paths_complete);
    tell_features(&j, e);
    kith__json_number(&j, "feature_sum", e->feature_sum);
    kith__json_number(&j, "bias", e->bias);
    kith__json_close(&j, '}');
    TRY(kith__json_take(&j, json, length, err));
out:
    kith__free(sentences);
    return st;
}
