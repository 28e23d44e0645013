/*
 * verdict_json.c: a verdict for programs.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/status.h"
#include "eval/evaluation_json.h"
#include "io/json_writer.h"
#include "kith/words.h"

static void put_data(kith__json *j, const kith_verdict *v, const char *path)
{
    const kith_dataset *d = v->in.data;

    kith__json_open(j, "data", '{');
    kith__json_string(j, "path", path ? path : "");
    kith__json_count(j, "nodes", v->nodes);
    kith__json_count(j, "edges", kith_graph_edges(d->graph));
    kith__json_hash(j, "hash", kith_graph_hash(d->graph));
    kith__json_count(j, "features", d->features ? d->features->columns : 0);
    kith__json_count(j, "labelled", d->labels ? d->labels->labelled : 0);
    kith__json_close(j, '}');
}

static void put_interval(kith__json *j, const char *name, double x,
                         kith_interval i)
{
    kith__json_open(j, name, '{');
    kith__json_number(j, "estimate", x);
    kith__json_number(j, "low", i.low);
    kith__json_number(j, "high", i.high);
    kith__json_close(j, '}');
}

static void put_classes(kith__json *j, const kith_verdict *v)
{
    kith__json_open(j, "classes", '[');
    for (int32_t c = 0; c < v->classes; c++) {
        kith__json_open(j, NULL, '{');
        kith__json_string(j, "class", kith_model_class_name(v->in.model, c));
        kith__json_count(j, "learnt_from", v->of[c]);
        kith__json_count(j, "predicted", v->said[c]);
        kith__json_close(j, '}');
    }
    kith__json_close(j, ']');
}

static void put_method(kith__json *j, const kith_verdict *v,
                       const char *choices)
{
    const kith_model *m = v->in.model;
    const kith_certificate *c = v->in.certificate ? v->in.certificate
                                                  : kith_model_certificate(m);

    kith__json_string(j, "method", kith_model_method(m));
    if (kith_model_why(m))
        kith__json_string(j, "why", kith_model_why(m));
    else
        kith__json_null(j, "why");
    kith__json_value(j, "choices", choices);
    kith__json_number(j, "validation", kith_model_validation(m));
    kith__json_open(j, "certificate", '{');
    kith__json_number(j, "rho", c->rho);
    kith__json_number(j, "residual", c->residual);
    kith__json_count(j, "iterations", c->iterations);
    kith__json_bool(j, "converged", c->converged);
    kith__json_close(j, '}');
}

/* How often calls were right where that could be checked. */
static void put_verdict(kith__json *j, const kith_verdict *v)
{
    kith__json_count(j, "unknown", v->unknown);
    kith__json_count(j, "learnt_from", v->learnt);
    if (v->positive >= 0) {
        kith__json_string(j, "positive",
                          kith_model_class_name(v->in.model, v->positive));
        kith__json_count(j, "likely_positive", v->said[v->positive]);
    } else {
        kith__json_null(j, "positive");
        kith__json_null(j, "likely_positive");
    }
    if (v->listed > 0)
        put_interval(j, "expected_right", (double)v->hits / v->listed,
                     v->right);
    else
        kith__json_null(j, "expected_right");
    put_classes(j, v);
}

static void put_scores(kith__json *j, const kith_verdict *v)
{
    const kith_scores *s = &v->scores;
    const kith_intervals *i = &v->intervals;

    kith__json_string(j, "trust", kith_trust_name(v->trust));
    if (s->nodes == 0) {
        kith__json_null(j, "scores");
        return;
    }
    kith__json_open(j, "scores", '{');
    kith__json_string(j, "judged_on",
                      v->in.judged_what ? v->in.judged_what : "");
    kith__json_bool(j, "also_tuned_on", v->in.chosen_by);
    kith__json_count(j, "nodes", s->nodes);
    put_interval(j, "accuracy", s->accuracy, i->accuracy);
    put_interval(j, "macro_f1", s->macro_f1, i->macro_f1);
    put_interval(j, "auc", s->auc, i->auc);
    put_interval(j, "average_precision", s->average_precision,
                 i->average_precision);
    put_interval(j, "log_loss", s->log_loss, i->log_loss);
    kith__json_number(j, "ece", s->ece);
    kith__json_close(j, '}');
}

static void put_evidence(kith__json *j, const kith_verdict *v)
{
    if (!v->in.evidence) {
        kith__json_null(j, "evidence");
        return;
    }
    kith__json_open(j, "evidence", '{');
    for (int e = KITH_EVIDENCE_NONE; e <= KITH_EVIDENCE_STRONG; e++)
        kith__json_count(j, kith_evidence_name((kith_evidence)e),
                         v->evidence[e]);
    kith__json_close(j, '}');
}

static void put_sentences(kith__json *j, const kith_verdict *v)
{
    static const char *const names[KITH_SENTENCES] = {
        "headline", "learnt", "method", "trust", "meaning", "evidence"};
    char text[KITH_SENTENCE];

    kith__json_open(j, "sentences", '{');
    for (int s = 0; s < KITH_SENTENCES; s++)
        kith__json_string(j, names[s],
                          kith_verdict_say(v, (kith_sentence)s, text));
    kith__json_close(j, '}');
}

kith_status kith_verdict_json(const kith_verdict *v, const char *path,
                              const kith_output_name *outputs,
                              int32_t n_outputs, char **json, size_t *length,
                              kith_error *err)
{
    kith__json j = {.indented = true};
    kith_status st = KITH_OK;
    char *choices = NULL;

    *json = NULL;
    *length = 0;
    TRY(kith__choices_json(v->in.model, &choices, err));
    kith__json_open(&j, NULL, '{');
    put_data(&j, v, path);
    put_method(&j, v, choices);
    put_verdict(&j, v);
    put_scores(&j, v);
    put_evidence(&j, v);
    put_sentences(&j, v);
    kith__json_open(&j, "outputs", '{');
    for (int32_t i = 0; i < n_outputs; i++)
        kith__json_string(&j, outputs[i].what, outputs[i].path);
    kith__json_close(&j, '}');
    kith__json_close(&j, '}');
    TRY(kith__json_take(&j, json, length, err));
out:
    kith__free(choices);
    return st;
}
