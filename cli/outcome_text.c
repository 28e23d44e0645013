#include "outcome_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sets_text.h"
#include "term.h"

enum { BAR_WIDTH = 20, CLASSES_SHOWN = 12, NAME_WIDTH = 18 };

static void data_part(FILE *out, const outcome *o)
{
    const term_style style = term_style_of(out);
    const kith_dataset *d = o->data;
    char name[300], line[200] = "";

    fputs(style.bold, out);
    term_foreign(out, input_name(o->path, name, sizeof(name)), 60, false);
    fprintf(out, "%s\n\n", style.reset);
    term_heading(out, "Data");
    summary_add(line, sizeof(line), kith_graph_nodes(d->graph), "node",
                "nodes");
    summary_add(line, sizeof(line), kith_graph_edges(d->graph), "edge",
                "edges");
    term_row(out, "graph", "%s, hash %016llx", line,
             (unsigned long long)kith_graph_hash(d->graph));
    line[0] = '\0';
    if (d->features)
        summary_add(line, sizeof(line), d->features->columns, "column",
                    "columns");
    term_row(out, "features", "%s", d->features ? line : "none");
    line[0] = '\0';
    summary_add(line, sizeof(line), kith_model_classes(o->model), "class",
                "classes");
    if (o->learnt && d->labels)
        summary_add(line, sizeof(line), d->labels->labelled, "labelled node",
                    "labelled nodes");
    term_row(out, "labels", "%s", line);
}

static bool learns_weights(const kith_model *m)
{
    return strncmp(kith_model_method(m), "lcm", 3) == 0;
}

/* What a method chose beyond kith_params. */
static void choice_rows(FILE *out, const kith_model *m)
{
    for (int32_t i = 0; i < kith_model_settings(m); i++) {
        const kith_setting c = kith_model_setting(m, i);

        if (c.text)
            term_row(out, c.name, "%s", c.text);
        else
            term_row(out, c.name, "%.6g", c.number);
    }
}

/* A line of words with commas between them. */
typedef struct list {
    char text[300];
} list;

static void add(list *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(list *l, const char *format, ...)
{
    size_t used = strlen(l->text);
    va_list values;

    if (used > 0)
        used += (size_t)snprintf(l->text + used, sizeof(l->text) - used, ", ");
    va_start(values, format);
    vsnprintf(l->text + used, sizeof(l->text) - used, format, values);
    va_end(values);
}

/* A way of learning, told only where it is not the usual one. */
static bool is_variant(const kith_option_info *row)
{
    return row->group == KITH_GROUP_LEARNING && row->type == KITH_OPTION_FLAG;
}

/* Does the method use it, and is it to be told? */
static bool is_told(const kith_option_info *row, const outcome *o)
{
    const bool exact = kith_model_params(o->model)->gradient ==
                       KITH_GRADIENT_EXACT;

    return row->title && !(row->paper_only && exact) &&
           (!row->features || o->data->features) &&
           kith_option_belongs(row, kith_model_method(o->model));
}

/* Of the rows of a group: "name value", and what is not usual in one word. */
static void add_values(list *l, const outcome *o, kith_option_group group,
                       bool variants)
{
    int rows;
    const kith_option_info *row = kith_option_list(&rows);

    for (int i = 0; i < rows; i++, row++) {
        const double value = kith_params_get(kith_model_params(o->model), row);
        char word[KITH_OPTION_BUFFER];

        if (row->group != group || !is_told(row, o) ||
            is_variant(row) != variants)
            continue;
        kith_option_text(row, value, word);
        if (!variants)
            add(l, "%s %s", row->name, word);
        else if (value != row->preset)
            add(l, "%s", row->choices ? word : "as written");
    }
}

/* The numbers that the method used: potentials, propagation, learning. */
static void parameter_rows(FILE *out, const outcome *o)
{
    const kith_params *p = kith_model_params(o->model);
    list potentials = {""}, propagation = {""}, learning = {""};

    if (!o->data->features)
        add(&potentials, "the known labels");
    add_values(&potentials, o, KITH_GROUP_POTENTIALS, false);
    if (kith_model_balanced(o->model))
        add(&potentials, "balanced");
    term_row(out, "potentials", "%s", potentials.text);
    add_values(&propagation, o, KITH_GROUP_PROPAGATION, false);
    if (propagation.text[0])
        term_row(out, "propagation", "%s", propagation.text);
    if (!learns_weights(o->model))
        return;
    if (p->g1 == 0 && p->g2 == 0) {
        term_row(out, "learning", "none: W and H stay as they start");
        return;
    }
    if (p->gradient == KITH_GRADIENT_EXACT)
        add(&learning, "exact gradient");
    add_values(&learning, o, KITH_GROUP_LEARNING, false);
    if (p->gradient == KITH_GRADIENT_EXACT)
        add(&learning, "%d steps", (int)(p->outer * p->inner));
    add_values(&learning, o, KITH_GROUP_LEARNING, true);
    term_row(out, "learning", "%s", learning.text);
}

static void convergence_row(FILE *out, const kith_certificate *c)
{
    char margin[64] = "";

    if (isnan(c->residual))
        return; /* nothing is iterated to a fixed point */
    if (!isnan(c->rho))
        snprintf(margin, sizeof(margin), "margin %.3f (rho %.3f%s), ",
                 1 - c->rho, c->rho, c->rho < 1 ? "" : ": diverges");
    term_row(out, "convergence", "%s%d iterations, residual %.2g%s", margin,
             (int)c->iterations, c->residual,
             c->converged ? "" : ", not converged");
}

/* How well the nodes tuned on were told, never without how sure that is. */
static void validation_row(FILE *out, const outcome *o)
{
    const kith_interval sure =
        kith_share_interval(round(o->validation * o->n_val), o->n_val);
    char number[TERM_NUMBER];

    if (isnan(o->validation))
        return;
    term_row(out, "validation", "accuracy %.4f (%.3f to %.3f, 95 %%) on %s %s",
             o->validation, sure.low, sure.high, term_count(o->n_val, number),
             o->n_val == 1 ? "node" : "nodes");
}

static void method_part(FILE *out, const outcome *o)
{
    fputc('\n', out);
    term_heading(out, "Method");
    term_row(out, "method", "%s", kith_model_method(o->model));
    if (kith_model_why(o->model))
        term_row(out, "chosen", "%s", kith_model_why(o->model));
    for (int i = 0; i < 4 && o->notes[i]; i++)
        term_row(out, i ? "" : "trained", "%s", o->notes[i]);
    if (kith_model_settings(o->model) > 0)
        choice_rows(out, o->model);
    else
        parameter_rows(out, o);
    if (kith_model_params(o->model)->balance && !kith_model_balanced(o->model))
        term_row(out, "balance", "no effect: %s does not weigh classes%s",
                 kith_model_method(o->model),
                 strcmp(kith_model_method(o->model), "bp") == 0
                     ? " without features"
                     : "");
    validation_row(out, o);
    term_row(out, "temperature", "%.3g", kith_model_temperature(o->model));
    convergence_row(out, o->certificate);
    if (o->sets) {
        char text[SETS_TEXT];

        term_row(out, "sets", "%s", sets_text(o, text));
    }
}

static void score_row(FILE *out, const char *name, double x, kith_interval sure)
{
    if (isnan(x))
        return;
    if (isnan(sure.low))
        term_row(out, name, "%.4f", x);
    else
        term_row(out, name, "%.4f (%.3f to %.3f, 95 %%)", x, sure.low,
                 sure.high);
}

static void test_part(FILE *out, const outcome *o)
{
    const kith_interval none = {(double)NAN, (double)NAN};
    const kith_scores *s = o->test;
    char title[100];

    if (!s)
        return;
    fputc('\n', out);
    snprintf(title, sizeof(title), "Test nodes of split %.60s", o->test_name);
    term_heading(out, title);
    term_row(out, "scored", "%d nodes", (int)s->nodes);
    score_row(out, "accuracy", s->accuracy, o->sure->accuracy);
    score_row(out, "macro-F1", s->macro_f1, o->sure->macro_f1);
    score_row(out, "AUC", s->auc, o->sure->auc);
    score_row(out, "avg. precision", s->average_precision,
              o->sure->average_precision);
    if (!isnan(s->best_f1))
        term_row(out, "best F1", "%.4f", s->best_f1);
    if (o->looked_for)
        term_row(out, "these three", "of class '%.60s'", o->looked_for);
    score_row(out, "log-loss", s->log_loss, o->sure->log_loss);
    score_row(out, "ECE", s->ece, none);
}

/* ---- classes ------------------------------------------------------------- */

/* The most probable class of a row, the first of equals. */
static int32_t likeliest(const float *row, int32_t classes)
{
    int32_t best = 0;

    for (int32_t c = 1; c < classes; c++)
        if (row[c] > row[best])
            best = c;
    return best;
}

static int64_t *count_predicted(const outcome *o)
{
    const int64_t classes = kith_model_classes(o->model);
    int64_t *count = calloc((size_t)classes + 1, sizeof(*count));

    for (int32_t u = 0; count && u < kith_graph_nodes(o->data->graph); u++)
        count[likeliest(o->p + u * classes, (int32_t)classes)]++;
    return count;
}

static void class_row(FILE *out, const outcome *o, const char *name,
                      int64_t learnt, int64_t predicted, double most)
{
    const double n = fmax(1, kith_graph_nodes(o->data->graph));
    char number[TERM_NUMBER], share[TERM_NUMBER];

    fputs("  ", out);
    term_foreign(out, name, NAME_WIDTH, true);
    if (o->learnt)
        fprintf(out, "  %11s", term_count(learnt, number));
    fprintf(out, "  %11s  %8s  ", term_count(predicted, number),
            term_share((double)predicted / n, share));
    if (most > 0)
        term_bar(out, (double)predicted / most, BAR_WIDTH);
    fputc('\n', out);
}

/* The class predicted most often that is not yet shown. */
static int32_t next_largest(const int64_t *count, int32_t classes,
                            const bool *shown)
{
    int32_t best = -1;

    for (int32_t c = 0; c < classes; c++)
        if (!shown[c] && (best < 0 || count[c] > count[best]))
            best = c;
    return best;
}

/* All classes in their order if they are few, else the largest and the rest. */
static void class_rows(FILE *out, const outcome *o, const int64_t *count,
                       bool *shown)
{
    const int32_t classes = kith_model_classes(o->model);
    const bool few = classes <= CLASSES_SHOWN;
    const int32_t rows = few ? classes : CLASSES_SHOWN;
    int64_t learnt_left = 0, left = 0;
    double most = 0;
    char rest[40];

    for (int32_t c = 0; c < classes; c++)
        most = fmax(most, (double)count[c]);
    for (int32_t i = 0; i < rows; i++) {
        const int32_t c = few ? i : next_largest(count, classes, shown);

        shown[c] = true;
        class_row(out, o, kith_model_class_name(o->model, c),
                  o->learnt ? o->learnt[c] : 0, count[c], most);
    }
    for (int32_t c = 0; c < classes; c++) {
        left += shown[c] ? 0 : count[c];
        learnt_left += shown[c] || !o->learnt ? 0 : o->learnt[c];
    }
    if (few)
        return;
    snprintf(rest, sizeof(rest), "%d more", (int)(classes - rows));
    class_row(out, o, rest, learnt_left, left, 0); /* no bar: not one class */
}

static void class_part(FILE *out, const outcome *o)
{
    const term_style style = term_style_of(out);
    int64_t *count = count_predicted(o);
    bool *shown = calloc((size_t)kith_model_classes(o->model) + 1,
                         sizeof(*shown));

    if (count && shown) {
        fprintf(out, "\n%s%-*s", style.bold, NAME_WIDTH + 2, "Classes");
        if (o->learnt)
            fprintf(out, "  %11s", "learnt from");
        fprintf(out, "  %11s%s\n", "predicted", style.reset);
        class_rows(out, o, count, shown);
    }
    free(shown);
    free(count);
}

static void written_part(FILE *out, const outcome *o)
{
    char number[TERM_NUMBER], time[TERM_NUMBER];

    fputc('\n', out);
    if (o->table)
        term_line(out, "%s: a row for each of %s nodes",
                  strcmp(o->table, "-") == 0 ? "standard output" : o->table,
                  term_count(kith_graph_nodes(o->data->graph), number));
    if (o->saved)
        term_line(out, "%s: the model, for 'kith predict'", o->saved);
    if (o->report)
        term_line(out, "%s: one page, open it in a browser", o->report);
    if (!o->table && !o->saved && !o->report)
        fputs("nothing was written: '-o FILE' keeps the predictions\n", out);
    fprintf(out, "took %s\n", term_seconds(o->seconds, time));
}

void outcome_text(FILE *out, const outcome *o)
{
    kith_one_class one;

    data_part(out, o);
    method_part(out, o);
    if (!kith_model_one_class(o->model, &one) || one.probabilities)
        class_part(out, o);
    test_part(out, o);
    written_part(out, o);
}
