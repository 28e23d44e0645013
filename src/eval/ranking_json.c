#include <math.h>

#include "io/json_writer.h"
#include "kith/eval.h"

/* {"estimate": x, "low": .., "high": ..}, all times `scale`. */
static void put_interval(kith__json *j, const char *name, double x, double low,
                         double high, double scale)
{
    kith__json_open(j, name, '{');
    kith__json_number(j, "estimate", scale * x);
    kith__json_number(j, "low", scale * low);
    kith__json_number(j, "high", scale * high);
    kith__json_close(j, '}');
}

/* The interval of a share that was counted. */
static void put_share(kith__json *j, const char *name, int64_t hits, int64_t of)
{
    const kith_interval i = kith_share_interval((double)hits, (double)of);

    kith__json_open(j, name, '{');
    kith__json_number(j, "low", i.low);
    kith__json_number(j, "high", i.high);
    kith__json_close(j, '}');
}

static void put_wish(kith__json *j, const kith_rank_options *o)
{
    kith__json_open(j, "wish", '{');
    if (o->goal == KITH_GOAL_PRECISION)
        kith__json_number(j, "precision", o->wish);
    else if (o->goal == KITH_GOAL_RECALL)
        kith__json_number(j, "recall", o->wish);
    else if (o->budget > 0)
        kith__json_number(j, "budget", o->budget);
    kith__json_close(j, '}');
}

static void put_expected(kith__json *j, const kith_ranking *r)
{
    const kith_threshold *c = &r->cut;

    kith__json_count(j, "listed", r->listed);
    kith__json_count(j, "unknown", r->nodes);
    kith__json_count(j, "without_evidence", r->unreached);
    kith__json_number(j, "from_probability",
                      r->listed > 0 ? (double)r->probability[r->listed - 1]
                                    : (double)NAN);
    put_interval(j, "expected_hits", c->precision, c->precision_low,
                 c->precision_high, r->listed);
    put_interval(j, "precision", c->precision, c->precision_low,
                 c->precision_high, 1);
    put_interval(j, "recall", c->recall, c->recall_low, c->recall_high, 1);
    kith__json_count(j, "judged_positives", c->positives);
    kith__json_count(j, "judged_others", c->negatives);
    kith__json_number(j, "prevalence", r->prevalence);
}

static void put_lengths(kith__json *j, const kith_ranking *r)
{
    kith__json_open(j, "lengths", '[');
    for (int32_t i = 0; i < r->n_lengths; i++) {
        const kith_rank_length *l = &r->lengths[i];

        kith__json_open(j, NULL, '{');
        kith__json_count(j, "first", l->first);
        kith__json_number(j, "from_probability", (double)l->probability);
        kith__json_number(j, "precision", l->holds.precision);
        kith__json_number(j, "precision_low", l->holds.precision_low);
        kith__json_number(j, "precision_high", l->holds.precision_high);
        kith__json_number(j, "recall", l->holds.recall);
        kith__json_close(j, '}');
    }
    kith__json_close(j, ']');
}

static void put_reasons(kith__json *j, const kith_ranking *r, int32_t i)
{
    const kith_reason *of = r->reason + (int64_t)i * r->options.reasons;

    kith__json_open(j, "reasons", '[');
    for (int32_t k = 0; k < r->reasons[i]; k++) {
        kith__json_open(j, NULL, '{');
        kith__json_string(j, "code", of[k].code);
        kith__json_number(j, "share", of[k].share);
        kith__json_number(j, "value", of[k].value);
        kith__json_close(j, '}');
    }
    kith__json_close(j, ']');
}

/* The nodes that have reasons. */
static void put_list(kith__json *j, const kith_ranking *r, const kith_graph *g)
{
    kith__json_open(j, "list", '[');
    for (int32_t i = 0; i < r->explained; i++) {
        kith__json_open(j, NULL, '{');
        kith__json_count(j, "rank", i + 1);
        kith__json_node(j, "node", g, r->node[i]);
        kith__json_number(j, "probability", (double)r->probability[i]);
        put_reasons(j, r, i);
        kith__json_close(j, '}');
    }
    kith__json_close(j, ']');
}

kith_status kith_ranking_json(const kith_ranking *r, const kith_graph *g,
                              char **json, size_t *length, kith_error *err)
{
    kith__json j = {.indented = true};

    kith__json_open(&j, NULL, '{');
    kith__json_string(&j, "positive",
                      kith_model_class_name(r->model, r->options.positive));
    kith__json_string(&j, "method", kith_model_method(r->model));
    kith__json_bool(&j, "balanced", kith_model_balanced(r->model));
    put_wish(&j, &r->options);
    put_expected(&j, r);
    kith__json_open(&j, "test", '{');
    kith__json_number(&j, "precision", r->test.precision);
    kith__json_number(&j, "recall", r->test.recall);
    put_share(&j, "precision_interval", r->test.hits, r->test.listed);
    put_share(&j, "recall_interval", r->test.hits, r->test.positives);
    kith__json_close(&j, '}');
    put_lengths(&j, r);
    if (r->options.reasons > 0)
        put_list(&j, r, g);
    kith__json_close(&j, '}');
    return kith__json_take(&j, json, length, err);
}
