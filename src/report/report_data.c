/*
 * report_data.c: what the data are, and how the answer was made of them.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "models/model_object.h"
#include "report/measures.h"
#include "report/report_parts.h"

enum { CLASSES_MOST = 400 }; /* named; the heat maps show fewer */

/* ---- the verdict --------------------------------------------------------- */

void kith__put_verdict(const kith__report *r)
{
    static const char *const names[KITH_SENTENCES] = {
        "headline", "learnt", "method", "trust", "meaning", "evidence"};
    char text[KITH_SENTENCE];

    kith__json_open(r->j, "say", '{');
    for (int i = 0; i < KITH_SENTENCES; i++)
        kith__json_string(r->j, names[i],
                          kith_verdict_say(r->v, (kith_sentence)i, text));
    kith__json_close(r->j, '}');
    kith__json_string(r->j, "trust", kith_trust_name(r->v->trust));
    kith__json_number(r->j, "positive", r->v->positive);
    kith__json_number(r->j, "unknown", r->v->unknown);
    kith__json_number(r->j, "learnt", r->v->learnt);
    kith__json_bool(r->j, "chosen_by", r->v->in.chosen_by);
    if (!r->v->in.evidence)
        return;
    kith__json_open(r->j, "evidence", '[');
    for (int e = KITH_EVIDENCE_NONE; e <= KITH_EVIDENCE_STRONG; e++)
        kith__json_number(r->j, NULL, (double)r->v->evidence[e]);
    kith__json_close(r->j, ']');
}

/* ---- facts --------------------------------------------------------------- */

static void put_cleaning(const kith__report *r)
{
    const kith_cleaning *c = &r->d->cleaning;
    const struct {
        const char *what;
        int64_t n;
    } counts[] = {
        {"lines read", c->lines},
        {"comments and blank lines skipped", c->comments},
        {"header lines recognised", c->headers},
        {"self-loops dropped", c->self_loops},
        {"repeats merged", c->duplicates},
        {"edges given one way", c->one_way},
        {"edges given both ways", c->both_ways},
        {"nodes without any edge", c->isolated},
        {"lines with further fields ignored", c->extra_fields},
    };

    kith__json_open(r->j, "cleaning", '[');
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        if (counts[i].n == 0)
            continue;
        kith__json_open(r->j, NULL, '[');
        kith__json_string(r->j, NULL, counts[i].what);
        kith__json_number(r->j, NULL, (double)counts[i].n);
        kith__json_close(r->j, ']');
    }
    kith__json_close(r->j, ']');
}

void kith__put_data(const kith__report *r)
{
    const kith_labels *l = r->d->labels;
    int64_t counted = 0;

    kith__json_number(r->j, "nodes", r->n);
    kith__json_number(r->j, "edges", (double)kith_graph_edges(r->d->graph));
    kith__json_number(r->j, "columns",
                      r->d->features ? r->d->features->columns : 0);
    kith__json_number(r->j, "labelled", l ? (double)l->labelled : 0);
    kith__json_number(r->j, "trained", r->s->storage.task.n_train);
    kith__json_number(r->j, "homophily",
                      l ? kith_homophily(r->d->graph, l, &counted)
                        : (double)NAN);
    put_cleaning(r);
}

/* [name, value, what it is]: the last is a sentence, or "" */
static void put_param(const kith__report *r, const char *name, double x,
                      const char *help)
{
    kith__json_open(r->j, NULL, '[');
    kith__json_string(r->j, NULL, name);
    kith__json_number(r->j, NULL, x);
    kith__json_string(r->j, NULL, help);
    kith__json_close(r->j, ']');
}

static void put_word(const kith__report *r, const char *name, const char *word,
                     const char *help)
{
    kith__json_open(r->j, NULL, '[');
    kith__json_string(r->j, NULL, name);
    kith__json_string(r->j, NULL, word);
    kith__json_string(r->j, NULL, help);
    kith__json_close(r->j, ']');
}

/* What a setting of that name is, where the table of parameters has it. */
static const char *help_of(const char *name)
{
    const kith_option_info *row = kith_option_find(name);

    return row && row->help ? row->help : "";
}

static void put_settings(const kith__report *r)
{
    for (int32_t i = 0; i < kith_model_settings(r->m); i++) {
        const kith_setting c = kith_model_setting(r->m, i);

        if (c.text)
            put_word(r, c.name, c.text, help_of(c.name));
        else
            put_param(r, c.name, c.number, help_of(c.name));
    }
}

static void put_value(const kith__report *r, const kith_option_info *row)
{
    const double value = kith_params_get(kith_model_params(r->m), row);
    char word[KITH_OPTION_BUFFER];

    if (row->type == KITH_OPTION_INTEGER || row->type == KITH_OPTION_REAL)
        put_param(r, row->title, value, row->help);
    else
        put_word(r, row->title, kith_option_text(row, value, word), row->help);
}

/* Rows of a group that the method used; how it learnt is said only where that
 * is not the usual way. */
static void put_group(const kith__report *r, kith_option_group group,
                      bool paper_only)
{
    const kith_params *p = kith_model_params(r->m);
    int rows;
    const kith_option_info *row = kith_option_list(&rows);

    for (int i = 0; i < rows; i++, row++) {
        const bool usual = group == KITH_GROUP_LEARNING && row->choices &&
                           kith_params_get(p, row) == row->preset;

        if (row->group == group && row->title && !usual &&
            row->paper_only == paper_only &&
            (!row->features || r->d->features) &&
            kith_option_belongs(row, kith_model_method(r->m)))
            put_value(r, row);
    }
}

/* Those of the model that the method uses. */
static void put_numbers(const kith__report *r)
{
    const kith_params *p = kith_model_params(r->m);

    put_group(r, KITH_GROUP_POTENTIALS, false);
    put_group(r, KITH_GROUP_PROPAGATION, false);
    if (!r->s->b.weights)
        return;
    if (p->gradient == KITH_GRADIENT_EXACT) {
        put_word(r, "gradient", "exact", help_of("gradient"));
        put_param(r, "steps", p->outer * p->inner, "");
    } else {
        put_group(r, KITH_GROUP_LEARNING, true);
    }
    put_group(r, KITH_GROUP_LEARNING, false);
}

static void put_params(const kith__report *r)
{
    const bool balance = kith_model_params(r->m)->balance;
    const bool own = kith_model_settings(r->m) > 0;

    kith__json_open(r->j, "params", '[');
    if (own)
        put_settings(r);
    else
        put_numbers(r);
    if (balance && !kith_model_balanced(r->m))
        put_word(r, "classes balanced", "no: the method cannot",
                 help_of("balance"));
    else if (!own)
        put_word(r, "classes balanced", balance ? "yes" : "no",
                 help_of("balance"));
    put_param(r, "temperature", kith_model_temperature(r->m),
              "Probabilities are softened by it: above 1 less sure.");
    kith__json_close(r->j, ']');
}

void kith__put_method(const kith__report *r)
{
    const kith_certificate *c = &r->s->b.certificate;
    const int32_t n = r->in->n_validation;
    const kith_interval sure = kith_share_interval(round(r->in->validation * n),
                                                   n);

    kith__json_string(r->j, "method", kith_model_method(r->m));
    kith__json_bool(r->j, "has_coupling", r->s->b.has_coupling);
    kith__json_bool(r->j, "lcm", r->s->b.weights != NULL);
    kith__json_string(r->j, "why",
                      kith_model_why(r->m) ? kith_model_why(r->m) : "");
    kith__json_string(r->j, "how", r->in->how ? r->in->how : "");
    kith__json_number(r->j, "validation", r->in->validation);
    kith__json_number(r->j, "n_validation", r->in->n_validation);
    kith__json_number(r->j, "validation_low", sure.low);
    kith__json_number(r->j, "validation_high", sure.high);
    kith__json_number(r->j, "rho", c->rho);
    kith__json_number(r->j, "residual", c->residual);
    kith__json_number(r->j, "iterations", c->iterations);
    kith__json_bool(r->j, "converged", c->converged);
    kith__json_number(r->j, "tolerance", kith_model_params(r->m)->tolerance);
    put_params(r);
    kith__json_hash(r->j, "graph_hash", kith_graph_hash(r->d->graph));
    kith__json_hash(r->j, "trained_hash", kith_model_graph_hash(r->m));
    kith__json_string(r->j, "command", r->in->command ? r->in->command : "");
}

kith_status kith__put_classes(const kith__report *r, kith_error *err)
{
    const int C = r->classes;
    kith_status st = KITH_OK;
    int64_t *known = NULL, *predicted = NULL;

    TRY_NEW(known, kith__alloc_zeroed(C, sizeof(*known)));
    TRY_NEW(predicted, kith__alloc_zeroed(C, sizeof(*predicted)));
    for (int32_t u = 0; u < r->n; u++) {
        predicted[kith__likeliest(kith__report_row(r, u), C)]++;
        if (r->s->trained[u] >= 0)
            known[r->s->trained[u]]++;
    }
    kith__json_number(r->j, "class_count", C);
    kith__json_open(r->j, "classes", '[');
    for (int c = 0; c < C && c < CLASSES_MOST; c++) {
        kith__json_open(r->j, NULL, '[');
        kith__json_text(r->j, NULL, kith_model_class_name(r->m, c),
                        strlen(kith_model_class_name(r->m, c)), 80);
        kith__json_number(r->j, NULL, (double)known[c]);
        kith__json_number(r->j, NULL, (double)predicted[c]);
        kith__json_close(r->j, ']');
    }
    kith__json_close(r->j, ']');
out:
    kith__free(known);
    kith__free(predicted);
    return st;
}
