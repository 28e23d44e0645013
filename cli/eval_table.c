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

/* ".8123", "1.2345", "+.0120", with four digits after the point. */
static void decimal(double x, bool with_sign, char out[TERM_NUMBER])
{
    char digits[TERM_NUMBER];
    const char *sign = x < -0.00005 ? "-" : with_sign ? "+" : "";

    snprintf(digits, sizeof(digits), "%.4f", fmin(fabs(x), 1e9));
    snprintf(out, TERM_NUMBER, "%s%.20s", sign,
             digits[0] == '0' ? digits + 1 : digits);
}

static const char *cell(const kith_evaluation *e, int method, kith_measure m,
                        const char *plus_minus, char out[CELL])
{
    const kith_spread s = kith_evaluation_spread(e, method, m);
    char mean[TERM_NUMBER], std[TERM_NUMBER];

    if (isnan(s.mean)) {
        snprintf(out, CELL, "-");
        return out;
    }
    if (m == KITH_SECONDS) {
        const int digits = s.mean < 10 ? 3 : s.mean < 1000 ? 1 : 0;

        snprintf(mean, sizeof(mean), "%.*f", digits, s.mean);
        snprintf(std, sizeof(std), "%.*f", digits, s.std);
    } else {
        decimal(s.mean, m == KITH_DIFFERENCE, mean);
        decimal(s.std, false, std);
    }
    if (e->splits > 1)
        snprintf(out, CELL, "%s %s%s", mean, plus_minus, std);
    else
        snprintf(out, CELL, "%s", mean);
    return out;
}

/* The heading of a column: "accuracy", "vs linbp", "P@100 of spam". */
static const char *title(const kith_evaluation *e, kith_measure m,
                         char out[CELL])
{
    static const char *const names[KITH_MEASURES] = {
        [KITH_ACCURACY] = "accuracy",
        [KITH_MACRO_F1] = "macro-F1",
        [KITH_AUC] = "AUC",
        [KITH_AVERAGE_PRECISION] = "avg.precision",
        [KITH_BEST_F1] = "best F1",
        [KITH_LOG_LOSS] = "log-loss",
        [KITH_ECE] = "ECE",
        [KITH_SECONDS] = "seconds",
        [KITH_SET_SIZE] = "classes a set",
    };

    if (m == KITH_DIFFERENCE)
        snprintf(out, CELL, "vs %.10s", e->method[0]);
    else if (m == KITH_COVERAGE)
        snprintf(out, CELL, "sets hold");
    else if (m == KITH_PRECISION_AT)
        snprintf(out, CELL, "P@%d", (int)e->options.precision_at);
    else if (m == KITH_RECALL_AT)
        snprintf(out, CELL, "R@%d", (int)e->options.precision_at);
    else
        snprintf(out, CELL, "%s", names[m]);
    return out;
}

static bool is_shown(const kith_evaluation *e, kith_measure m)
{
    return (m != KITH_DIFFERENCE || e->methods > 1) &&
           ((m != KITH_PRECISION_AT && m != KITH_RECALL_AT) ||
            e->options.precision_at > 0) &&
           ((m != KITH_COVERAGE && m != KITH_SET_SIZE) ||
            e->options.train.coverage > 0);
}

/* ---- on a terminal ------------------------------------------------------- */

static void put_right(FILE *out, const char *text, int width)
{
    fprintf(out, "%*s%s",
            width > term_columns(text) ? width - term_columns(text) : 1, "",
            text);
}

static int name_width(const kith_evaluation *e)
{
    int widest = 6;

    for (int i = 0; i < e->methods; i++)
        if ((int)strlen(e->method[i]) > widest)
            widest = (int)strlen(e->method[i]);
    return widest + 2;
}

/* One table with some of the measures, so that lines stay short. */
static void block(FILE *out, const kith_evaluation *e,
                  const kith_measure *shown)
{
    const term_style style = term_style_of(out);
    const char *plus_minus = term_is_utf8() ? "\u00b1" : "+-";
    const int width = name_width(e);
    char text[CELL];

    fprintf(out, "\n%s%-*s", style.bold, width, "method");
    for (const kith_measure *m = shown; *m != KITH_MEASURES; m++)
        if (is_shown(e, *m))
            put_right(out, title(e, *m, text), COLUMN - (m == shown));
    fprintf(out, "%s\n", style.reset);
    for (int i = 0; i < e->methods; i++) {
        fprintf(out, "%-*s", width, e->method[i]);
        for (const kith_measure *m = shown; *m != KITH_MEASURES; m++)
            if (is_shown(e, *m))
                put_right(out, cell(e, i, *m, plus_minus, text),
                          COLUMN - (m == shown));
        fputc('\n', out);
    }
}

/* Of one split there is no deviation: how sure each score is instead. */
static void intervals(FILE *out, const kith_evaluation *e)
{
    static const char *const names[] = {"accuracy", "macro-F1", "AUC",
                                        "avg.precision", "log-loss"};
    const term_style style = term_style_of(out);
    const int width = name_width(e);

    if (e->splits > 1)
        return;
    fprintf(out, "\n%s%-*s", style.bold, width, "95 %");
    for (int m = 0; m < 5; m++)
        put_right(out, names[m], COLUMN - (m == 0));
    fprintf(out, "%s\n", style.reset);
    for (int i = 0; i < e->methods; i++) {
        const kith_intervals *of = &e->result[i].intervals;
        const kith_interval sure[] = {of->accuracy, of->macro_f1, of->auc,
                                      of->average_precision, of->log_loss};

        fprintf(out, "%-*s", width, e->method[i]);
        for (int m = 0; m < 5; m++) {
            char low[TERM_NUMBER], high[TERM_NUMBER], text[CELL];

            decimal(sure[m].low, false, low);
            decimal(sure[m].high, false, high);
            snprintf(text, CELL, isnan(sure[m].low) ? "-" : "%s-%s", low, high);
            put_right(out, text, COLUMN - (m == 0));
        }
        fputc('\n', out);
    }
}

/* Accuracies side by side, for the eye. */
static void bars(FILE *out, const kith_evaluation *e)
{
    fputc('\n', out);
    term_heading(out, "accuracy, from 0 to 1");
    for (int i = 0; i < e->methods; i++) {
        const double mean = kith_evaluation_spread(e, i, KITH_ACCURACY).mean;
        char number[TERM_NUMBER];

        decimal(mean, false, number);
        fprintf(out, "%-*s  ", name_width(e), e->method[i]);
        if (isnan(mean))
            fputc('-', out);
        else
            term_bar(out, mean, BAR_WIDTH);
        fprintf(out, " %s\n", isnan(mean) ? "" : number);
    }
}

static void head(FILE *out, const told_evaluation *t)
{
    const kith_evaluation *e = t->of;
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
    term_foreign(out, input_name(t->path, name, sizeof(name)), 60, false);
    fprintf(out, "%s  %s\n", style.reset, line);
}

static void split_rows(FILE *out, const told_evaluation *t)
{
    const kith_evaluation *e = t->of;
    char train[TERM_NUMBER], val[TERM_NUMBER], test[TERM_NUMBER];

    fputc('\n', out);
    term_heading(out, "Data");
    term_row(out, "graph", "%016llx",
             (unsigned long long)kith_graph_hash(e->data->graph));
    if (t->random)
        term_row(out, "seed", "%llu", (unsigned long long)t->seed);
    for (int i = 0; i < e->splits; i++) {
        const kith_split *s = &e->split[i];
        char skipped[60] = "";

        if (e->unlabelled[i] > 0)
            snprintf(skipped, sizeof(skipped), " (%d without a label)",
                     (int)e->unlabelled[i]);
        term_row(out, s->name, "%016llx  %s train, %s val, %s test%s",
                 (unsigned long long)s->hash, term_count(s->n_train, train),
                 term_count(s->n_val, val), term_count(s->n_test, test),
                 skipped);
    }
}

/* Mean over the splits of one of the four average weights. */
static double mean_weight(const kith_evaluation *e, int method, int which)
{
    double sum = 0;

    for (int s = 0; s < e->splits; s++)
        sum += e->result[method * e->splits + s].weights[which];
    return sum / e->splits;
}

static void edge_weights(FILE *out, const kith_evaluation *e)
{
    if (!e->options.edge_weights)
        return;
    fprintf(out, "\naverage weight of edges: same class / others, at the start "
                 "-> in the end\n");
    for (int m = 0; m < e->methods; m++)
        fprintf(out, "%-8s %.4f / %.4f -> %.4f / %.4f\n", e->method[m],
                mean_weight(e, m, 0), mean_weight(e, m, 1),
                mean_weight(e, m, 2), mean_weight(e, m, 3));
}

/* Methods that could not do what --balance asks for, on any split. */
static void unbalanced(FILE *out, const kith_evaluation *e)
{
    const char *before = "\n--balance has no effect on ";

    for (int m = 0; m < e->methods; m++)
        if (e->result[m * e->splits].unbalanced) {
            fprintf(out, "%s%s", before, e->method[m]);
            before = ", ";
        }
    if (before[0] == ',')
        fputc('\n', out);
}

/* What the labels of validation nodes were for. */
static const char *use_of_validation(const kith_evaluation *e)
{
    return e->options.train.fit == KITH_FIT_TRAIN
               ? "--fit train: validation nodes choose and calibrate; no "
                 "method learns from them"
               : "--fit train+val: lcm-em's coupling also learns from "
                 "validation nodes";
}

/* Whose AUC and the like they are. */
static void looked_for(FILE *out, const kith_evaluation *e)
{
    const char *const *names = (const char *const *)e->data->labels->names;

    if (e->positive >= 0) {
        fprintf(out, "%sAUC, average precision, best F1: of class '",
                e->splits > 1 ? "" : "\n");
        term_foreign(out, names[e->positive], 40, false);
        fputs(e->options.positive >= 0
                  ? "'\n"
                  : "', the rarer of the two; --positive names another\n",
              out);
    } else if (e->splits <= 1) {
        fputc('\n', out);
    }
    if (e->options.precision_at <= 0)
        return;
    fprintf(out, "P@%d, R@%d: share of class '", (int)e->options.precision_at,
            (int)e->options.precision_at);
    term_foreign(out, names[e->listed], 40, false);
    fprintf(out,
            "' among the %d test nodes most likely of it, and of all of it\n",
            (int)e->options.precision_at);
}

static void foot(FILE *out, const kith_evaluation *e)
{
    fprintf(out, "\n%s\n", use_of_validation(e));
    edge_weights(out, e);
    unbalanced(out, e);
    if (e->splits > 1)
        fprintf(out, "\nmean and standard deviation over %d splits\n",
                e->splits);
    if (e->options.train.coverage > 0)
        fprintf(out, "%ssets are to hold the truth for %g of the nodes\n",
                e->splits > 1 ? "" : "\n", e->options.train.coverage);
    looked_for(out, e);
}

void eval_table(FILE *out, const void *told)
{
    const told_evaluation *t = told;
    const kith_evaluation *e = t->of;
    static const kith_measure first[] = {KITH_ACCURACY, KITH_DIFFERENCE,
                                         KITH_MACRO_F1, KITH_AUC,
                                         KITH_SECONDS,  KITH_MEASURES};
    static const kith_measure second[] = {
        KITH_AVERAGE_PRECISION, KITH_BEST_F1,   KITH_LOG_LOSS, KITH_ECE,
        KITH_PRECISION_AT,      KITH_RECALL_AT, KITH_MEASURES};
    static const kith_measure third[] = {KITH_COVERAGE, KITH_SET_SIZE,
                                         KITH_MEASURES};

    head(out, t);
    block(out, e, first);
    block(out, e, second);
    if (e->options.train.coverage > 0)
        block(out, e, third);
    intervals(out, e);
    bars(out, e);
    foot(out, e);
    split_rows(out, t);
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

void eval_markdown(FILE *out, const void *told)
{
    const told_evaluation *t = told;
    const kith_evaluation *e = t->of;
    char name[300], text[CELL];

    fputs("**", out);
    put_escaped(out, input_name(t->path, name, sizeof(name)));
    fprintf(out, "**: %d nodes, %lld edges, %d classes, graph `%016llx`\n\n",
            (int)kith_graph_nodes(e->data->graph),
            (long long)kith_graph_edges(e->data->graph),
            (int)e->data->labels->classes,
            (unsigned long long)kith_graph_hash(e->data->graph));
    fputs("| method |", out);
    for (int m = 0; m < KITH_MEASURES; m++)
        if (is_shown(e, (kith_measure)m))
            fprintf(out, " %s |", title(e, (kith_measure)m, text));
    fputs("\n|---|", out);
    for (int m = 0; m < KITH_MEASURES; m++)
        if (is_shown(e, (kith_measure)m))
            fputs("---:|", out);
    for (int i = 0; i < e->methods; i++) {
        fprintf(out, "\n| %s |", e->method[i]);
        for (int m = 0; m < KITH_MEASURES; m++)
            if (is_shown(e, (kith_measure)m))
                fprintf(out, " %s |",
                        cell(e, i, (kith_measure)m, "\u00b1", text));
    }
    fprintf(out, "\n\n%s\n\nSplits (train / val / test, hash)%s:\n\n",
            use_of_validation(e), t->random ? " drawn" : "");
    for (int i = 0; i < e->splits; i++) {
        const kith_split *s = &e->split[i];

        fputs("- ", out);
        put_escaped(out, s->name);
        fprintf(out, ": %d / %d / %d, `%016llx`\n", (int)s->n_train,
                (int)s->n_val, (int)s->n_test, (unsigned long long)s->hash);
    }
}
