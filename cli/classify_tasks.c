#include "classify_tasks.h"

#include <math.h>
#include <string.h>

#include "method_options.h"
#include "out_text.h"
#include "task_options.h"
#include "term.h"

enum { SHOWN = 20, NAME_WIDTH = 24 };

typedef struct work {
    run *r;
    const char *method;
    const kith_dataset *data;
    kith_tasks *tasks;
    kith_tasks_run *result;
    kith_tasks_scores scores; /* of the test nodes of --split */
} work;

/* What is for one task at a time. */
static kith_status refuse(run *r)
{
    static const char *const names[] = {
        "save", "save-solution", "report", "checkpoint",
        "plan", "coverage",      "memory", "positive"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (args_given(r->a, names[i]))
            return run_fail(r, KITH_ERR_ARGUMENT, NULL,
                            "--%s is for one task, and each class is one here: "
                            "name it with --task",
                            names[i]);
    return KITH_OK;
}

/* ---- told ---------------------------------------------------------------- */

static int64_t count_likely(const kith_tasks_run *r, int32_t task)
{
    int64_t count = 0;

    for (int64_t u = 0; u < r->nodes; u++)
        count += r->probabilities[u * r->tasks + task] >= .5f;
    return count;
}

static void task_row(FILE *out, const work *w, int32_t c)
{
    const kith_task_fit *f = &w->result->fit[c];
    char a[TERM_NUMBER], b[TERM_NUMBER], l[TERM_NUMBER];

    fputs("  ", out);
    term_foreign(out, kith_tasks_name(w->tasks, c), NAME_WIDTH, true);
    fprintf(out, "  %11s  %11s  %11s", term_count(f->positives, a),
            term_count(f->negatives, b),
            term_count(count_likely(w->result, c), l));
    if (!isnan(f->validation))
        fprintf(out, "  %10.4f", f->validation);
    fputc('\n', out);
}

static void tell_tasks(FILE *out, const work *w)
{
    const term_style style = term_style_of(out);
    const int32_t n = w->result->tasks;

    fprintf(out, "\n%s%-*s  %11s  %11s  %11s  %10s%s\n", style.bold,
            NAME_WIDTH + 2, "Tasks", "learnt from", "and not", "likely",
            "validation", style.reset);
    for (int32_t c = 0; c < n && c < SHOWN; c++)
        task_row(out, w, c);
    if (n > SHOWN)
        fprintf(out, "  %d more\n", (int)(n - SHOWN));
}

static void tell(FILE *out, const work *w)
{
    const char *table = args_text(w->r->a, "output");
    const kith_task_scores *m = &w->scores.mean;
    char nodes[TERM_NUMBER], known[TERM_NUMBER], time[TERM_NUMBER];

    fprintf(out, "%d tasks on %s nodes, of which %s have a label; method %s\n",
            (int)w->result->tasks, term_count(w->result->nodes, nodes),
            term_count(kith_tasks_strata(w->tasks)->labelled, known),
            w->method);
    tell_tasks(out, w);
    if (m->nodes > 0)
        fprintf(out,
                "\ntest nodes, mean of the tasks: accuracy %.4f, AUC %.4f, "
                "average precision %.4f, F1 macro %.4f, micro %.4f\n",
                m->accuracy, m->auc, m->average_precision, m->f1,
                w->scores.micro_f1);
    fputc('\n', out);
    if (table)
        term_line(out, "%s: a row for each node, a column for each task",
                  strcmp(table, "-") == 0 ? "standard output" : table);
    else
        fputs("nothing was written: '-o FILE' keeps the predictions\n", out);
    fprintf(out, "took %s\n", term_seconds(seconds_now() - w->r->begun, time));
}

/* ---- done ---------------------------------------------------------------- */

static kith_status write_table(work *w)
{
    out_table_state shown;
    const char *to = out_table(w->r, args_text(w->r->a, "output"), &shown);

    if (!to)
        return w->r->err.status;
    return out_table_end(&shown,
                         kith_tasks_write(w->data->graph, w->tasks, w->result,
                                          to, NULL, &w->r->err));
}

static kith_status print_json(work *w)
{
    char *json = NULL;
    size_t length;
    const kith_status st = kith_tasks_run_json(w->tasks, w->result, w->method,
                                               &json, &length, &w->r->err);

    return st == KITH_OK ? out_json(w->r, NULL, json, length) : st;
}

static kith_status fit(work *w, const kith_protocol *nodes)
{
    const args *a = w->r->a;
    kith_split split = nodes->whole;
    kith_train_options o;
    kith_status st = method_options(w->r, &o);

    if (!args_given(a, "split")) { /* all that is known, --negatives too */
        split.train = NULL;
        split.n_train = 0;
    }
    if (st == KITH_OK)
        st = kith_tasks_classify(
            w->data, w->tasks, w->method, &split, args_real(a, "hold-out"),
            (uint64_t)args_integer(a, "seed"), &o, &w->result, &w->r->err);
    if (st == KITH_OK)
        st = run_cancelled();
    if (st == KITH_OK)
        st = kith_tasks_score(w->tasks, w->result->probabilities, split.test,
                              split.n_test, &w->scores, &w->r->err);
    return st;
}

kith_status classify_tasks(run *r, const char *method, const kith_dataset *d,
                           const kith_protocol *nodes)
{
    const char *table = args_text(r->a, "output");
    FILE *out = table && strcmp(table, "-") == 0 ? stderr : stdout;
    work w = {.r = r, .method = method, .data = d};
    kith_status st = refuse(r);

    if (st == KITH_OK)
        st = make_tasks(r, d, &w.tasks);
    if (st == KITH_OK)
        st = fit(&w, nodes);
    progress_end(&r->tty);
    if (st == KITH_OK && table)
        st = write_table(&w);
    if (st == KITH_OK && args_flag(r->a, "json"))
        st = print_json(&w);
    else if (st == KITH_OK && !r->quiet)
        tell(out, &w);
    kith_array_free(w.scores.of);
    kith_tasks_run_free(w.result);
    kith_tasks_free(w.tasks);
    return st;
}
