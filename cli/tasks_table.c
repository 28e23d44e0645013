/*
 * tasks_table.c: methods measured on many tasks, as a table for people.
 */
#include <math.h>

#include "eval_report.h"
#include "term.h"

enum { SHOWN = 60, NAME_WIDTH = 24, COLUMN = 15 };

static const char *const titles[KITH_TASKS_MEASURES] = {
    [KITH_TASKS_ACCURACY] = "accuracy",
    [KITH_TASKS_AUC] = "AUC",
    [KITH_TASKS_AVERAGE_PRECISION] = "avg.precision",
    [KITH_TASKS_MICRO_F1] = "micro F1",
    [KITH_TASKS_MACRO_F1] = "macro F1",
    [KITH_TASKS_SECONDS] = "seconds"};

static void cell(FILE *out, kith_spread s)
{
    if (isnan(s.mean))
        fprintf(out, "%*s", COLUMN, "-");
    else if (s.n > 1)
        fprintf(out, "  %.4f +-%.3f", s.mean, s.std);
    else
        fprintf(out, "%*.4f", COLUMN, s.mean);
}

static void methods(FILE *out, const kith_tasks_evaluation *e)
{
    const term_style style = term_style_of(out);

    fprintf(out, "\n%s%-12s", style.bold, "method");
    for (int i = 0; i < KITH_TASKS_MEASURES; i++)
        fprintf(out, "%*s", COLUMN, titles[i]);
    fprintf(out, "%s\n", style.reset);
    for (int m = 0; m < e->methods; m++) {
        fprintf(out, "%-12s", e->method[m]);
        for (int i = 0; i < KITH_TASKS_MEASURES; i++)
            cell(out, kith_tasks_spread(e, m, -1, (kith_tasks_measure)i));
        fputc('\n', out);
    }
}

/* Of a method, task by task. */
static void each(FILE *out, const kith_tasks_evaluation *e, int m)
{
    static const kith_tasks_measure told[] = {
        KITH_TASKS_ACCURACY, KITH_TASKS_AUC, KITH_TASKS_AVERAGE_PRECISION,
        KITH_TASKS_MACRO_F1};
    const int32_t n = kith_tasks_count(e->tasks);
    const term_style style = term_style_of(out);

    fprintf(out, "\n%s%-*s%11s", style.bold, NAME_WIDTH + 2, e->method[m],
            "known");
    for (int i = 0; i < 4; i++)
        fprintf(out, "%*s", COLUMN, i == 3 ? "F1" : titles[told[i]]);
    fprintf(out, "%s\n", style.reset);
    for (int32_t c = 0; c < n && c < SHOWN; c++) {
        char number[TERM_NUMBER];

        fputs("  ", out);
        term_foreign(out, kith_tasks_name(e->tasks, c), NAME_WIDTH, true);
        fprintf(out, "%11s",
                term_count(kith_tasks_positives(e->tasks, c), number));
        for (int i = 0; i < 4; i++)
            cell(out, kith_tasks_spread(e, m, c, told[i]));
        fputc('\n', out);
    }
    if (n > SHOWN)
        fprintf(out, "  %d more: --json has all\n", (int)(n - SHOWN));
}

void tasks_table(FILE *out, const void *told)
{
    const kith_tasks_evaluation *e = told;

    fprintf(out,
            "%d tasks, each a class that a node has or not; means over the "
            "tasks%s\n",
            (int)kith_tasks_count(e->tasks),
            e->splits > 1 ? ", and their deviation over the splits" : "");
    methods(out, e);
    for (int m = 0; m < e->methods; m++)
        each(out, e, m);
    fprintf(out,
            "\n%d split%s; AUC, average precision and F1 are of the "
            "class; F1 of lists cut at .5\n",
            e->splits, e->splits > 1 ? "s" : "");
}
