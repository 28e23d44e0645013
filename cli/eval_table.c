/*
 * eval_table.c: an evaluation as a table for people, on a terminal or in
 * Markdown.
 */
#include <math.h>
#include <string.h>

#include "eval_report.h"
#include "term.h"

enum { CELL = 60, COLUMN = 14, BAR_WIDTH = 50 };

/* ---- numbers ------------------------------------------------------------- */

static double value_of(const evaluation *e, int method, int split, measure m)
{
    const trial *t = &e->trials[method * e->splits + split];

    switch (m) {
    case ACCURACY:
        return t->of.scores.accuracy;
    case DIFFERENCE:
        return t->of.scores.accuracy - e->trials[split].of.scores.accuracy;
    case MACRO_F1:
        return t->of.scores.macro_f1;
    case AUC:
        return t->of.scores.auc;
    case AVERAGE_PRECISION:
        return t->of.scores.average_precision;
    case LOG_LOSS:
        return t->of.scores.log_loss;
    case ECE:
        return t->of.scores.ece;
    case SECONDS:
        return t->of.seconds;
    case PRECISION_AT:
        return t->precision;
    case MEASURES:
        break;
    }
    return NAN;
}

kith_spread spread_of(const evaluation *e, int method, measure which)
{
    for (int s = 0; s < e->splits; s++)
        e->values[s] = value_of(e, method, s, which);
    return kith_spread_of(e->values, e->splits);
}

/* ".8123", "1.2345", "+.0120", with four digits after the point. */
static void decimal(double x, bool with_sign, char out[TERM_NUMBER])
{
    char digits[TERM_NUMBER];
    const char *sign = x < -0.00005 ? "-" : with_sign ? "+" : "";

    snprintf(digits, sizeof(digits), "%.4f", fmin(fabs(x), 1e9));
    snprintf(out, TERM_NUMBER, "%s%.20s", sign,
             digits[0] == '0' ? digits + 1 : digits);
}

static const char *cell(const evaluation *e, int method, measure m,
                        const char *plus_minus, char out[CELL])
{
    const kith_spread s = spread_of(e, method, m);
    char mean[TERM_NUMBER], std[TERM_NUMBER];

    if (isnan(s.mean)) {
        snprintf(out, CELL, "-");
        return out;
    }
    if (m == SECONDS) {
        const int digits = s.mean < 10 ? 3 : s.mean < 1000 ? 1 : 0;

        snprintf(mean, sizeof(mean), "%.*f", digits, s.mean);
        snprintf(std, sizeof(std), "%.*f", digits, s.std);
    } else {
        decimal(s.mean, m == DIFFERENCE, mean);
        decimal(s.std, false, std);
    }
    if (e->splits > 1)
        snprintf(out, CELL, "%s %s%s", mean, plus_minus, std);
    else
        snprintf(out, CELL, "%s", mean);
    return out;
}

/* The heading of a column: "accuracy", "vs linbp", "P@100 of spam". */
static const char *title(const evaluation *e, measure m, char out[CELL])
{
    static const char *const names[MEASURES] = {
        [ACCURACY] = "accuracy", [MACRO_F1] = "macro-F1",
        [AUC] = "AUC",           [AVERAGE_PRECISION] = "avg.precision",
        [LOG_LOSS] = "log-loss", [ECE] = "ECE",
        [SECONDS] = "seconds",
    };

    if (m == DIFFERENCE)
        snprintf(out, CELL, "vs %.10s", e->method[0].name);
    else if (m == PRECISION_AT)
        snprintf(out, CELL, "P@%d", (int)e->precision_at);
    else
        snprintf(out, CELL, "%s", names[m]);
    return out;
}

static bool is_shown(const evaluation *e, measure m)
{
    return (m != DIFFERENCE || e->methods > 1) &&
           (m != PRECISION_AT || e->precision_at > 0);
}

/* ---- on a terminal ------------------------------------------------------- */

static void put_right(FILE *out, const char *text, int width)
{
    fprintf(out, "%*s%s",
            width > term_columns(text) ? width - term_columns(text) : 1, "",
            text);
}

static int name_width(const evaluation *e)
{
    int widest = 6;

    for (int i = 0; i < e->methods; i++)
        if ((int)strlen(e->method[i].name) > widest)
            widest = (int)strlen(e->method[i].name);
    return widest + 2;
}

/* One table with some of the measures, so that lines stay short. */
static void block(FILE *out, const evaluation *e, const measure *shown)
{
    const term_style style = term_style_of(out);
    const char *plus_minus = term_is_utf8() ? "\u00b1" : "+-";
    const int width = name_width(e);
    char text[CELL];

    fprintf(out, "\n%s%-*s", style.bold, width, "method");
    for (const measure *m = shown; *m != MEASURES; m++)
        if (is_shown(e, *m))
            put_right(out, title(e, *m, text), COLUMN - (m == shown));
    fprintf(out, "%s\n", style.reset);
    for (int i = 0; i < e->methods; i++) {
        fprintf(out, "%-*s", width, e->method[i].name);
        for (const measure *m = shown; *m != MEASURES; m++)
            if (is_shown(e, *m))
                put_right(out, cell(e, i, *m, plus_minus, text),
                          COLUMN - (m == shown));
        fputc('\n', out);
    }
}

/* Accuracies side by side, for the eye. */
static void bars(FILE *out, const evaluation *e)
{
    fputc('\n', out);
    term_heading(out, "accuracy, from 0 to 1");
    for (int i = 0; i < e->methods; i++) {
        const double mean = spread_of(e, i, ACCURACY).mean;
        char number[TERM_NUMBER];

        decimal(mean, false, number);
        fprintf(out, "%-*s  ", name_width(e), e->method[i].name);
        if (isnan(mean))
            fputc('-', out);
        else
            term_bar(out, mean, BAR_WIDTH);
        fprintf(out, " %s\n", isnan(mean) ? "" : number);
    }
}

static void head(FILE *out, const evaluation *e)
{
    const term_style style = term_style_of(out);
    const kith_dataset *d = e->data;
    char line[300] = "", name[300];

    summary_add(line, sizeof(line), kith_graph_nodes(d->graph), "node",
                "nodes");
    summary_add(line, sizeof(line), kith_graph_edges(d->graph), "edge",
                "edges");
    summary_add(line, sizeof(line), d->labels->classes, "class", "classes");
    if (d->features)
        summary_add(line, sizeof(line), d->features->columns, "feature column",
                    "feature columns");
    fputs(style.bold, out);
    term_foreign(out, input_name(e->path, name, sizeof(name)), 60, false);
    fprintf(out, "%s  %s\n", style.reset, line);
}

static void split_rows(FILE *out, const evaluation *e)
{
    char train[TERM_NUMBER], val[TERM_NUMBER], test[TERM_NUMBER];

    fputc('\n', out);
    term_heading(out, "Data");
    term_row(out, "graph", "%016llx",
             (unsigned long long)kith_graph_hash(e->data->graph));
    if (e->random)
        term_row(out, "seed", "%llu", (unsigned long long)e->seed);
    for (int i = 0; i < e->splits; i++) {
        const kith_split *s = &e->split[i];
        char skipped[60] = "";

        if (e->skipped[i] > 0)
            snprintf(skipped, sizeof(skipped), " (%d without a label)",
                     (int)e->skipped[i]);
        term_row(out, s->name, "%016llx  %s train, %s val, %s test%s",
                 (unsigned long long)s->hash, term_count(s->n_train, train),
                 term_count(s->n_val, val), term_count(s->n_test, test),
                 skipped);
    }
}

/* Mean over the splits of one of the four average weights. */
static double mean_weight(const evaluation *e, int method, int which)
{
    double sum = 0;

    for (int s = 0; s < e->splits; s++)
        sum += e->trials[method * e->splits + s].weights[which];
    return sum / e->splits;
}

static void edge_weights(FILE *out, const evaluation *e)
{
    if (!e->edge_weights)
        return;
    fprintf(out, "\naverage weight of edges: same class / others, at the start "
                 "-> in the end\n");
    for (int m = 0; m < e->methods; m++)
        fprintf(out, "%-8s %.4f / %.4f -> %.4f / %.4f\n", e->method[m].name,
                mean_weight(e, m, 0), mean_weight(e, m, 1),
                mean_weight(e, m, 2), mean_weight(e, m, 3));
}

/* Methods that could not do what --balance asks for, on any split. */
static void unbalanced(FILE *out, const evaluation *e)
{
    const char *before = "\n--balance has no effect on ";

    for (int m = 0; m < e->methods; m++)
        if (e->trials[m * e->splits].unbalanced) {
            fprintf(out, "%s%s", before, e->method[m].name);
            before = ", ";
        }
    if (before[0] == ',')
        fputc('\n', out);
}

static void foot(FILE *out, const evaluation *e)
{
    edge_weights(out, e);
    unbalanced(out, e);
    if (e->splits > 1)
        fprintf(out, "\nmean and standard deviation over %d splits\n",
                e->splits);
    if (e->precision_at > 0) {
        fprintf(out, "%sP@%d: share of class '", e->splits > 1 ? "" : "\n",
                (int)e->precision_at);
        term_foreign(out, e->data->labels->names[e->positive], 40, false);
        fprintf(out, "' among the %d test nodes most likely of it\n",
                (int)e->precision_at);
    }
}

void eval_table(FILE *out, const evaluation *e)
{
    static const measure first[] = {ACCURACY, DIFFERENCE, MACRO_F1,
                                    AUC,      SECONDS,    MEASURES};
    static const measure second[] = {AVERAGE_PRECISION, LOG_LOSS, ECE,
                                     PRECISION_AT, MEASURES};

    head(out, e);
    block(out, e, first);
    block(out, e, second);
    bars(out, e);
    foot(out, e);
    split_rows(out, e);
}

/* ---- Markdown ------------------------------------------------------------ */

static void put_escaped(FILE *out, const char *text)
{
    char tame[300];

    snprintf(tame, sizeof(tame), "%s", text);
    term_tame(tame);
    for (const char *c = tame; *c; c++) {
        if (strchr("|*_<>`[]\\", *c))
            fputc('\\', out);
        fputc(*c, out);
    }
}

void eval_markdown(FILE *out, const evaluation *e)
{
    char name[300], text[CELL];

    fputs("**", out);
    put_escaped(out, input_name(e->path, name, sizeof(name)));
    fprintf(out, "**: %d nodes, %lld edges, %d classes, graph `%016llx`\n\n",
            (int)kith_graph_nodes(e->data->graph),
            (long long)kith_graph_edges(e->data->graph),
            (int)e->data->labels->classes,
            (unsigned long long)kith_graph_hash(e->data->graph));
    fputs("| method |", out);
    for (int m = 0; m < MEASURES; m++)
        if (is_shown(e, (measure)m))
            fprintf(out, " %s |", title(e, (measure)m, text));
    fputs("\n|---|", out);
    for (int m = 0; m < MEASURES; m++)
        if (is_shown(e, (measure)m))
            fputs("---:|", out);
    for (int i = 0; i < e->methods; i++) {
        fprintf(out, "\n| %s |", e->method[i].name);
        for (int m = 0; m < MEASURES; m++)
            if (is_shown(e, (measure)m))
                fprintf(out, " %s |", cell(e, i, (measure)m, "\u00b1", text));
    }
    fprintf(out, "\n\nSplits (train / val / test, hash)%s:\n\n",
            e->random ? " drawn" : "");
    for (int i = 0; i < e->splits; i++) {
        const kith_split *s = &e->split[i];

        fputs("- ", out);
        put_escaped(out, s->name);
        fprintf(out, ": %d / %d / %d, `%016llx`\n", (int)s->n_train,
                (int)s->n_val, (int)s->n_test, (unsigned long long)s->hash);
    }
}
