#include <math.h>

#include "json_text.h"
#include "rank_report.h"

/* {"estimate": x, "low": .., "high": ..}, all times `scale`. */
static json_t *interval(double x, double low, double high, double scale)
{
    json_t *o = json_object();

    json_object_set_new(o, "estimate", json_number(scale * x));
    json_object_set_new(o, "low", json_number(scale * low));
    json_object_set_new(o, "high", json_number(scale * high));
    return o;
}

static void set_expected(json_t *o, const ranking *t)
{
    const kith_threshold *c = &t->cut;

    json_object_set_new(o, "listed", json_count(t->n_listed));
    json_object_set_new(o, "unknown", json_count(t->n_order));
    json_object_set_new(o, "from_probability",
                        json_number(t->n_listed > 0
                                        ? rank_score_at(t, t->n_listed - 1)
                                        : (double)NAN));
    json_object_set_new(o, "expected_hits",
                        interval(c->precision, c->precision_low,
                                 c->precision_high, t->n_listed));
    json_object_set_new(
        o, "precision",
        interval(c->precision, c->precision_low, c->precision_high, 1));
    json_object_set_new(o, "recall",
                        interval(c->recall, c->recall_low, c->recall_high, 1));
    json_object_set_new(o, "judged_positives", json_count(c->positives));
    json_object_set_new(o, "judged_others", json_count(c->negatives));
    json_object_set_new(o, "prevalence", json_number(rank_prevalence(t)));
}

static json_t *lengths_json(ranking *t, kith_status *st)
{
    json_t *list = json_array();

    for (int i = 0; rank_lengths[i] > 0 && rank_lengths[i] <= t->n_order; i++) {
        json_t *o = json_object();
        kith_threshold at = {0};

        *st = rank_cut_after(t, rank_lengths[i], &at);
        if (*st != KITH_OK) {
            json_decref(o);
            return list;
        }
        json_object_set_new(o, "first", json_count(rank_lengths[i]));
        json_object_set_new(o, "from_probability",
                            json_number(rank_score_at(t, rank_lengths[i] - 1)));
        json_object_set_new(o, "precision", json_number(at.precision));
        json_object_set_new(o, "recall", json_number(at.recall));
        json_array_append_new(list, o);
    }
    return list;
}

kith_status rank_json(FILE *out, ranking *t)
{
    const char *const wishes[] = {"precision", "recall", "budget"};
    const test_counts n = rank_count_test(t);
    json_t *o = json_object(), *wish = json_object(), *test = json_object();
    kith_status st = KITH_OK;

    json_object_set_new(
        o, "positive", json_text(kith_model_class_name(t->model, t->positive)));
    json_object_set_new(o, "method", json_text(kith_model_method(t->model)));
    json_object_set_new(o, "balanced",
                        json_boolean(kith_model_balanced(t->model)));
    for (int i = 0; i < 3; i++)
        if (args_given(t->r.a, wishes[i]))
            json_object_set_new(
                wish, wishes[i],
                json_number(i < 2 ? args_real(t->r.a, wishes[i])
                                  : (double)args_integer(t->r.a, wishes[i])));
    json_object_set_new(o, "wish", wish);
    set_expected(o, t);
    json_object_set_new(test, "precision", json_number(n.precision));
    json_object_set_new(test, "recall", json_number(n.recall));
    json_object_set_new(o, "test", test);
    json_object_set_new(o, "lengths", lengths_json(t, &st));
    if (!json_print(o, out) && st == KITH_OK)
        st = run_no_memory(&t->r);
    return st;
}
