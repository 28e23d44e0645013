#include "explain_report.h"
#include "json_text.h"
#include "node_ids.h"

static json_t *class_name(const told_explanation *t, int32_t c)
{
    return c < 0 ? json_null() : json_text(kith_model_class_name(t->model, c));
}

static json_t *parts(const told_explanation *t, const kith_part *list,
                     int32_t n)
{
    json_t *out = json_array();

    for (int32_t i = 0; i < n; i++) {
        json_t *o = json_object();

        json_object_set_new(o, "node",
                            node_id_json(t->data->graph, list[i].node));
        json_object_set_new(o, "label", class_name(t, list[i].label));
        json_object_set_new(o, "value", json_number(list[i].value));
        json_array_append_new(out, o);
    }
    return out;
}

static json_t *neighbours(const told_explanation *t)
{
    json_t *out = json_array();

    for (int32_t i = 0; i < t->e->n_neighbours; i++) {
        const kith_via *v = &t->e->neighbours[i];
        json_t *o = json_object();

        json_object_set_new(o, "node", node_id_json(t->data->graph, v->node));
        json_object_set_new(
            o, "label",
            class_name(t, kith_solution_trained(t->solution, v->node)));
        json_object_set_new(o, "weight", json_number(v->weight));
        json_object_set_new(o, "value", json_number(v->value));
        json_array_append_new(out, o);
    }
    return out;
}

static json_t *paths(const told_explanation *t)
{
    json_t *out = json_array();

    for (int32_t i = 0; i < t->e->n_paths; i++) {
        const kith_path *p = &t->e->paths[i];
        json_t *o = json_object(), *nodes = json_array(), *w = json_array();

        for (int32_t j = 0; j <= p->length; j++)
            json_array_append_new(nodes,
                                  node_id_json(t->data->graph, p->node[j]));
        for (int32_t j = 0; j < p->length; j++)
            json_array_append_new(w, json_number(p->weight[j]));
        json_object_set_new(o, "nodes", nodes);
        json_object_set_new(o, "weights", w);
        json_object_set_new(o, "coupling", json_number(p->coupling));
        json_object_set_new(o, "value", json_number(p->value));
        json_array_append_new(out, o);
    }
    return out;
}

static json_t *features(const told_explanation *t)
{
    json_t *out = json_array();

    for (int32_t i = 0; i < t->e->n_features; i++) {
        const kith_feature_part *p = &t->e->features[i];
        json_t *o = json_object();

        json_object_set_new(o, "column", json_count(p->column));
        json_object_set_new(o, "of", json_text(p->of));
        json_object_set_new(o, "amount", json_number(p->amount));
        json_object_set_new(o, "weight", json_number(p->weight));
        json_object_set_new(o, "value", json_number(p->value));
        json_array_append_new(out, o);
    }
    return out;
}

static void set_parts(json_t *o, const told_explanation *t)
{
    const kith_explanation *e = t->e;

    json_object_set_new(o, "own", json_number(e->own));
    json_object_set_new(o, "echo", json_number(e->echo));
    json_object_set_new(o, "labelled", json_number(e->labelled));
    json_object_set_new(o, "others", json_number(e->others));
    json_object_set_new(o, "constant", json_number(e->constant));
    json_object_set_new(o, "unconverged", json_number(e->unconverged));
    json_object_set_new(o, "sum", json_number(e->sum));
    json_object_set_new(o, "residual", json_number(e->residual));
    json_object_set_new(o, "iterations", json_count(e->iterations));
    json_object_set_new(o, "fixed_point",
                        json_boolean(e->kind == KITH_SUM_FIXED_POINT));
    json_object_set_new(o, "kind", json_text(kith_sum_name(e->kind)));
    json_object_set_new(o, "contributions",
                        json_text(kith_explanation_words(e)));
    json_object_set_new(o, "roots", json_boolean(e->roots));
    json_object_set_new(o, "clamped", json_boolean(e->clamped));
}

bool explain_json(FILE *out, const told_explanation *t)
{
    const kith_explanation *e = t->e;
    json_t *o = json_object();

    json_object_set_new(o, "node", node_id_json(t->data->graph, e->node));
    json_object_set_new(o, "class", class_name(t, e->of_class));
    json_object_set_new(o, "predicted", class_name(t, e->likeliest));
    json_object_set_new(
        o, "label", class_name(t, kith_solution_trained(t->solution, e->node)));
    json_object_set_new(o, "method", json_text(kith_model_method(t->model)));
    json_object_set_new(o, "probability", json_number(e->probability));
    json_object_set_new(o, "belief", json_number(e->belief));
    set_parts(o, t);
    json_object_set_new(o, "top_labelled",
                        parts(t, e->top_labelled, e->n_labelled));
    json_object_set_new(o, "top_others", parts(t, e->top_others, e->n_others));
    json_object_set_new(o, "through_neighbours",
                        json_number(e->through_neighbours));
    json_object_set_new(o, "neighbours", neighbours(t));
    json_object_set_new(o, "paths", paths(t));
    json_object_set_new(o, "paths_complete", json_boolean(e->paths_complete));
    json_object_set_new(o, "features", features(t));
    json_object_set_new(o, "feature_sum", json_number(e->feature_sum));
    json_object_set_new(o, "bias", json_number(e->bias));
    return json_print(o, out);
}
