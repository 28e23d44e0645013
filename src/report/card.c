/*
 * card.c: a model card, from the model's file alone: what a review of a model
 * asks for, in Markdown or as JSON.  What is not known is said to be so.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "core/status.h"
#include "eval/evaluation_json.h"
#include "io/json_writer.h"
#include "kith/report.h"
#include "models/model_object.h"
#include "report/record.h"

enum { CLASSES_NAMED = 50 };

/* A card on its way: what is known, and the text. */
typedef struct card {
    const kith_model *m;
    const char *purpose;
    kith__record r;
    bool known; /* there is a record */
    kith__json j;
} card;

static bool judged(const card *c)
{
    return c->known && c->r.v.scores.nodes > 0;
}

/* ---- limits, the same in both forms -------------------------------------- */

enum { LIMITS_MOST = 8, LIMIT = 300 };

static void limit(char out[LIMITS_MOST][LIMIT], int *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void limit(char out[LIMITS_MOST][LIMIT], int *n, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    kith__print_list(out[(*n)++], LIMIT, format, values);
    va_end(values);
}

/* What it must not be taken for, as far as the model shows it. */
static int limits_of(const card *c, char out[LIMITS_MOST][LIMIT])
{
    const kith_verdict *v = &c->r.v;
    kith_one_class one;
    int n = 0;

    if (c->known && v->trust == KITH_TRUST_GUESS)
        limit(out, &n,
              "Too few labels, or too few nodes to judge by: its answers are a "
              "guess.");
    if (!judged(c))
        limit(out, &n,
              "It was not judged on nodes that it had not learnt from, so how "
              "often it is right is not known.");
    else if (v->in.chosen_by)
        limit(out, &n,
              "The nodes that it was judged on also served to choose its "
              "parameters, so the scores are a little too good.");
    if (c->known && v->evidence[KITH_EVIDENCE_NONE] > 0)
        limit(out, &n,
              "Nothing known reaches %lld nodes; they get the share of each "
              "class, which is no verdict.",
              (long long)v->evidence[KITH_EVIDENCE_NONE]);
    if (kith_model_one_class(c->m, &one))
        limit(out, &n, "Only one class was known, so %s.",
              one.probabilities
                  ? "probabilities rest on how many nodes are taken to be of it"
                  : "it ranks nodes and tells no probabilities");
    limit(out, &n,
          "Labels are taken as given, and the labelled nodes as a fair sample "
          "of the graph; where they are not, scores and probabilities are "
          "off.");
    limit(out, &n,
          "It follows the links and labels of one time; on a graph that has "
          "changed its probabilities are not checked.");
    limit(out, &n,
          "It says what goes together, not what causes what; a person should "
          "decide where people are concerned.");
    return n;
}

static const char *purpose_of(const card *c)
{
    return c->purpose ? c->purpose
                      : "Tells the class of every node of a graph from the few "
                        "whose class is known, the links between them, and "
                        "features if there are any";
}

/* ---- JSON ---------------------------------------------------------------- */

static void put_interval(kith__json *j, const char *name, double x,
                         kith_interval i)
{
    kith__json_open(j, name, '{');
    kith__json_number(j, "estimate", x);
    kith__json_number(j, "low", i.low);
    kith__json_number(j, "high", i.high);
    kith__json_close(j, '}');
}

static void put_data(card *c)
{
    kith__json *j = &c->j;

    kith__json_open(j, "data", '{');
    kith__json_hash(j, "graph_hash", c->m->graph_hash);
    kith__json_count(j, "learnt_from", c->m->train.n);
    if (c->known) {
        kith__json_count(j, "nodes", c->r.v.nodes);
        kith__json_count(j, "edges", c->r.edges);
        kith__json_count(j, "features", c->r.columns);
        if (c->r.columns > 0)
            kith__json_hash(j, "features_hash", c->r.features);
    }
    kith__json_open(j, "classes", '[');
    for (int32_t k = 0; k < c->m->classes; k++) {
        kith__json_open(j, NULL, '{');
        kith__json_string(j, "class", c->m->names[k]);
        if (c->known) {
            kith__json_count(j, "learnt_from", c->r.v.of[k]);
            kith__json_count(j, "predicted", c->r.v.said[k]);
        }
        kith__json_close(j, '}');
    }
    kith__json_close(j, ']');
    kith__json_close(j, '}');
}

static void put_scores(card *c)
{
    const kith_scores *s = &c->r.v.scores;
    const kith_intervals *i = &c->r.v.intervals;
    kith__json *j = &c->j;

    if (!judged(c)) {
        kith__json_null(j, "scores");
        return;
    }
    kith__json_open(j, "scores", '{');
    kith__json_string(j, "judged_on", c->r.judged_on);
    kith__json_bool(j, "also_tuned_on", c->r.v.in.chosen_by);
    kith__json_count(j, "nodes", s->nodes);
    kith__json_string(j, "trust", kith_trust_name(c->r.v.trust));
    put_interval(j, "accuracy", s->accuracy, i->accuracy);
    put_interval(j, "macro_f1", s->macro_f1, i->macro_f1);
    put_interval(j, "auc", s->auc, i->auc);
    put_interval(j, "average_precision", s->average_precision,
                 i->average_precision);
    put_interval(j, "log_loss", s->log_loss, i->log_loss);
    kith__json_close(j, '}');
}

static void put_calibration(card *c)
{
    kith__json *j = &c->j;

    kith__json_open(j, "calibration", '{');
    kith__json_number(j, "ece", judged(c) ? c->r.v.scores.ece : (double)NAN);
    kith__json_number(j, "temperature", c->m->temperature);
    kith__json_number(j, "coverage", kith_model_coverage(c->m));
    kith__json_close(j, '}');
    if (!c->known || !c->r.v.in.evidence) {
        kith__json_null(j, "evidence");
        return;
    }
    kith__json_open(j, "evidence", '{');
    for (int e = KITH_EVIDENCE_NONE; e <= KITH_EVIDENCE_STRONG; e++)
        kith__json_count(j, kith_evidence_name((kith_evidence)e),
                         c->r.v.evidence[e]);
    kith__json_close(j, '}');
}

static kith_status put_json(card *c, kith_error *err)
{
    kith_status st = KITH_OK;
    char limits[LIMITS_MOST][LIMIT], *choices = NULL;
    const int n = limits_of(c, limits);

    TRY(kith__choices_json(c->m, &choices, err));
    c->j.indented = true;
    kith__json_open(&c->j, NULL, '{');
    kith__json_string(&c->j, "purpose", purpose_of(c));
    put_data(c);
    kith__json_string(&c->j, "method", c->m->method);
    if (c->m->why)
        kith__json_string(&c->j, "why", c->m->why);
    else
        kith__json_null(&c->j, "why");
    kith__json_value(&c->j, "choices", choices);
    kith__json_number(&c->j, "validation", c->m->validation);
    put_scores(c);
    put_calibration(c);
    kith__json_open(&c->j, "limits", '[');
    for (int i = 0; i < n; i++)
        kith__json_string(&c->j, NULL, limits[i]);
    kith__json_close(&c->j, ']');
    kith__json_open(&c->j, "versions", '{');
    if (c->known)
        kith__json_string(&c->j, "trained_by", c->r.version);
    else
        kith__json_null(&c->j, "trained_by");
    kith__json_string(&c->j, "card_by", kith_version());
    kith__json_close(&c->j, '}');
    kith__json_close(&c->j, '}');
out:
    kith__free(choices);
    return st;
}

/* ---- Markdown ------------------------------------------------------------ */

static void say(card *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(card *c, const char *format, ...)
{
    char text[KITH_SENTENCE + 200];
    va_list values;
    int n;

    va_start(values, format);
    n = kith__print_list(text, sizeof(text), format, values);
    va_end(values);
    if (n > 0)
        kith__json_raw(&c->j, text,
                       (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* Text of the user's: no markup, no line ends. */
static void say_text(card *c, const char *text)
{
    for (; *text; text++) {
        const unsigned char b = (unsigned char)*text;

        if (strchr("\\`*_{}[]<>()#+|~&!", b))
            kith__json_raw(&c->j, "\\", 1);
        kith__json_raw(&c->j, b < ' ' || b == 0x7F ? " " : text, 1);
    }
}

static void say_data(card *c)
{
    say(c, "\n## Data\n\n");
    if (c->known) {
        say(c, "- graph: %d nodes, %lld edges, hash `%016llx`\n",
            (int)c->r.v.nodes, (long long)c->r.edges,
            (unsigned long long)c->m->graph_hash);
        if (c->r.columns > 0)
            say(c, "- features: %lld columns, hash `%016llx`\n",
                (long long)c->r.columns, (unsigned long long)c->r.features);
        else
            say(c, "- features: none\n");
    } else {
        say(c, "- graph: hash `%016llx`\n",
            (unsigned long long)c->m->graph_hash);
    }
    say(c, "- labels: %lld nodes to learn from, of %d classes\n",
        (long long)c->m->train.n, (int)c->m->classes);
    say(c, c->known ? "\n| class | learnt from | called so |\n|---|---|---|\n"
                    : "\n| class |\n|---|\n");
    for (int32_t k = 0; k < c->m->classes && k < CLASSES_NAMED; k++) {
        say(c, "| ");
        say_text(c, c->m->names[k]);
        if (c->known)
            say(c, " | %lld | %lld", (long long)c->r.v.of[k],
                (long long)c->r.v.said[k]);
        say(c, " |\n");
    }
    if (c->m->classes > CLASSES_NAMED)
        say(c, "\nand %d more classes\n", (int)c->m->classes - CLASSES_NAMED);
}

static void say_choice(card *c, const char *name, const char *value)
{
    say(c, "| %s | ", name);
    say_text(c, value);
    say(c, " |\n");
}

static void say_method(card *c)
{
    const kith_option_info *row;
    char word[KITH_OPTION_BUFFER];
    int rows;

    say(c, "\n## Method\n\n`%s`", c->m->method);
    if (c->m->why) {
        say(c, ": ");
        say_text(c, c->m->why);
    }
    say(c, "\n\n| choice | value |\n|---|---|\n");
    for (int32_t i = 0; i < kith_model_settings(c->m); i++) {
        const kith_setting s = kith_model_setting(c->m, i);

        kith__print(word, sizeof(word), "%g", s.number);
        say_choice(c, s.name, s.text ? s.text : word);
    }
    row = kith_option_list(&rows);
    for (int i = 0; i < rows; i++)
        if (row[i].slot >= 0)
            say_choice(c, row[i].key,
                       kith_option_text(&row[i],
                                        kith_params_get(&c->m->params, &row[i]),
                                        word));
}

static void say_score(card *c, const char *name, double x, kith_interval i)
{
    char a[KITH_SHARE], b[KITH_SHARE], d[KITH_SHARE];

    if (isnan(x))
        return;
    say(c, "| %s | %s | %s to %s |\n", name, kith_say_score(x, a),
        kith_say_score(i.low, b), kith_say_score(i.high, d));
}

static void say_scores(card *c)
{
    const kith_scores *s = &c->r.v.scores;
    const kith_intervals *i = &c->r.v.intervals;
    char line[KITH_SENTENCE], ece[KITH_SHARE];

    say(c, "\n## Scores\n\n");
    if (!judged(c)) {
        say(c, "Unknown: %s.\n",
            c->known ? "no labelled node was left to judge by"
                     : "none were kept with this model");
        return;
    }
    say_text(c, kith_verdict_say(&c->r.v, KITH_SAY_MEANING, line));
    say(c, ".\n\nJudged on %d nodes", (int)s->nodes);
    if (c->r.judged_on[0]) {
        say(c, ": ");
        say_text(c, c->r.judged_on);
    }
    say(c, ". Trust: %s.\n\n| score | value | 95 %% |\n|---|---|---|\n",
        kith_trust_name(c->r.v.trust));
    say_score(c, "accuracy", s->accuracy, i->accuracy);
    say_score(c, "macro F1", s->macro_f1, i->macro_f1);
    say_score(c, "AUC", s->auc, i->auc);
    say_score(c, "average precision", s->average_precision,
              i->average_precision);
    say_score(c, "log-loss", s->log_loss, i->log_loss);
    say(c, "\n## Calibration\n\n");
    if (s->nodes >= 100 && !isnan(s->ece))
        say(c, "Expected calibration error %s on these nodes.",
            kith_say_score(s->ece, ece));
    else
        say(c, "Too few nodes to tell the calibration error.");
    if (kith_model_coverage(c->m) > 0)
        say(c, " Sets of classes were asked to hold the truth for %g of nodes.",
            kith_model_coverage(c->m));
    say(c, "\n");
}

static void say_evidence(card *c)
{
    say(c, "\n## Evidence\n\n");
    if (!c->known || !c->r.v.in.evidence) {
        say(c, "Not kept with this model.\n");
        return;
    }
    say(c,
        "Of %d nodes whose label was unknown:\n\n| evidence | nodes "
        "|\n|---|---|\n",
        (int)c->r.v.unknown);
    for (int e = KITH_EVIDENCE_NONE; e <= KITH_EVIDENCE_STRONG; e++)
        say(c, "| %s | %lld |\n", kith_evidence_name((kith_evidence)e),
            (long long)c->r.v.evidence[e]);
}

static void say_all(card *c)
{
    char limits[LIMITS_MOST][LIMIT], line[KITH_SENTENCE];
    const int n = limits_of(c, limits);

    say(c, "# Model card\n\n## Purpose\n\n");
    say_text(c, purpose_of(c));
    say(c, ".\n");
    if (c->known) {
        say(c, "\n");
        say_text(c, kith_verdict_say(&c->r.v, KITH_SAY_HEADLINE, line));
        say(c, ".\n");
    }
    say_data(c);
    say_method(c);
    say_scores(c);
    say_evidence(c);
    say(c, "\n## Limits\n\n");
    for (int i = 0; i < n; i++)
        say(c, "- %s\n", limits[i]);
    say(c, "\n## Versions\n\n");
    if (c->known)
        say(c, "- trained by kith %s\n", c->r.version);
    say(c, "- card by kith %s\n", kith_version());
}

kith_status kith_card(const kith_model *m, const char *purpose, bool json,
                      char **text, size_t *length, kith_error *err)
{
    card c = {.m = m, .purpose = purpose};
    kith_status st = KITH_OK;

    *text = NULL;
    *length = 0;
    TRY(kith__record_of(m, &c.r, &c.known, err));
    if (json)
        TRY(put_json(&c, err));
    else
        say_all(&c);
    TRY(kith__json_take(&c.j, text, length, err));
out:
    kith__record_release(&c.r);
    kith__free(c.j.at);
    return st;
}
