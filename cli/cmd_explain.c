#include <kith/kith.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "explain_report.h"
#include "model_options.h"
#include "node_ids.h"
#include "out_text.h"
#include "reading_options.h"
#include "task_options.h"

static const char *const usage[] = {
    "MODEL NODE --graph DATA [--class CLASS] [OPTIONS]", NULL};

static const char *const description[] = {
    "Says why a node got its label: the exact contribution of every node to "
    "its belief in a class. Beliefs are linear in what is known of each node, "
    "so they are a sum: the node's own label or features, each labelled node, "
    "and each other node's features. The sum is printed beside the belief "
    "with the residual.",
    "Also shown: the neighbours that the belief arrives through, the strongest "
    "paths with their edge weights and couplings, and the features that weigh "
    "most in the node's logistic regression.",
    "The model is one that 'kith classify --save' kept. A model file does not "
    "hold the graph: --graph names it. Methods that are not linear, such as "
    "bp, are refused.",
    NULL,
};

static const argument arguments[] = {
    {"MODEL", OPTION_FILE, NULL, false,
     "Model file of 'kith classify --save'."},
    {"NODE", OPTION_TEXT, NULL, false, "Id of the node."},
    {.name = NULL},
};

static const option options[] = {
    ROWS(model_rows),
    {.name = "class",
     .letter = 'c',
     .type = OPTION_TEXT,
     .value = "CLASS",
     .help = "The class to explain; the most probable one, if not given."},
    ROWS(features_rows),
    {.name = "top",
     .type = OPTION_INTEGER,
     .value = "N",
     .preset = "8",
     .least = 1,
     .most = 10000,
     .help = "Rows in each list."},
    ROWS(json_rows),
    {.name = "html",
     .help = "Write one HTML page that needs no network.",
     .apart = "json"},
    ROW_OUTPUT("Write to a file in place of standard output."),
    ROWS(task_rows),
    ROWS(reading_rows),
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith explain fraud.km acct-17 --graph g.kg", "why is it on the list?"},
    {"kith explain fraud.km acct-17 --graph g.kg --class good --json",
     "what speaks for another class, for a program"},
    {"kith explain fraud.km acct-17 --graph g.kg --html -o why.html",
     "a page to send on"},
    {NULL, NULL},
};

typedef struct task {
    asked q;
    kith_explanation *e;
} task;

static kith_status tell(task *t)
{
    told_explanation told = {t->q.data, t->q.model, t->q.solution, t->e, NULL};
    const char *path = args_text(t->q.r.a, "output");
    kith_status st;
    char *text = NULL;
    size_t length;

    if (args_flag(t->q.r.a, "html")) {
        st = kith_report_explanation(t->q.solution, t->e, &text, &length,
                                     &t->q.r.err);
        return st == KITH_OK ? out_write(&t->q.r, path, NULL, text, length)
                             : st;
    }
    if (args_flag(t->q.r.a, "json")) {
        st = kith_explanation_json(t->q.solution, t->e, &text, &length,
                                   &t->q.r.err);
        return st == KITH_OK ? out_json(&t->q.r, path, text, length) : st;
    }
    st = kith_explanation_sentences(t->q.solution, t->e, &text, &length,
                                    &t->q.r.err);
    if (st != KITH_OK)
        return st;
    told.sentences = text;
    st = out_print(&t->q.r, path, NULL, explain_text, &told);
    kith_array_free(text);
    return st;
}

static kith_status work(task *t)
{
    const args *a = t->q.r.a;
    int32_t node, of_class = -1;
    kith_status st = asked_open(&t->q);

    if (st == KITH_OK && args_given(a, "class"))
        st = class_named(&t->q.r, t->q.model, args_text(a, "class"), &of_class);
    if (st == KITH_OK)
        st = node_named(&t->q.r, t->q.data->graph, args_plain(a, 1), &node);
    if (st == KITH_OK)
        st = asked_solve(&t->q);
    if (st == KITH_OK)
        st = kith_explain(t->q.solution, node, of_class,
                          (int32_t)args_integer(a, "top"), &t->e, &t->q.r.err);
    progress_end(&t->q.r.tty);
    return st == KITH_OK ? tell(t) : st;
}

static int explain(const args *a)
{
    task t = {0};
    kith_status st;

    run_begin(&t.q.r, a);
    st = work(&t);
    kith_explanation_free(t.e);
    return asked_end(&t.q, st);
}

const command cmd_explain = {
    .name = "explain",
    .summary = "say why a node got its label: what each node adds to it",
    .usage = usage,
    .description = description,
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .run = explain,
};
