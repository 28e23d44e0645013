#include <kith/kith.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "model_options.h"
#include "out_text.h"
#include "reading_options.h"
#include "task_options.h"
#include "term.h"

static const char *const usage[] = {
    "MODEL --graph DATA [--split NAME] [OPTIONS] -o report.html", NULL};

static const char *const description[] = {
    "Writes one HTML page about a model on a graph, which needs no network and "
    "no other file. It begins with what came of it, whether that can be "
    "trusted, how many nodes to review for what return (a slider over the "
    "measured curve), and what it cannot see; then the nodes to look at first "
    "with the reasons of each and its neighbourhood drawn; then curves, "
    "reliability and scores with intervals; what it learnt, in words; the "
    "data; and last the method with every parameter, and the command that "
    "makes the page again.",
    "Predictions are judged on the test nodes of --split, or else on all "
    "labelled nodes that the model was not trained on. The page stays below 1 "
    "MB whatever the size of the graph: the list has 1,000 nodes, of which the "
    "first 40 (fewer on graphs of more than a few million edges) carry their "
    "reasons.",
    "The model is one that 'kith classify --save' kept; 'kith classify "
    "--report' writes the page at once.",
    NULL,
};

static const option options[] = {
    ROWS(model_rows),
    ROWS(given_rows),
    {.name = "split",
     .type = OPTION_TEXT,
     .value = "NAME",
     .help = "Judge on the test nodes of this split of the data set, or of a "
             "folder with train.txt and test.txt."},
    ROWS(positive_rows),
    {.name = "output",
     .letter = 'o',
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Where the page goes; - is standard output. Needed.",
     .missing = "the output is missing: -o FILE"},
    ROWS(task_rows),
    ROWS(reading_rows),
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith report fraud.km --graph g.kg -o report.html", "look at a model"},
    {"kith report cora.km --graph data/cora --split paper-0 -o cora.html",
     "judged on a split's test nodes"},
    {NULL, NULL},
};

typedef struct task {
    asked q;
    kith_split split;
    float *p; /* n x classes */
    char title[300], what[200];
} task;

/* Judged on the split's test nodes, or on all with a label that the model was
 * not taught. */
static kith_verdict_input judged_input(task *t)
{
    kith_verdict_input in;

    kith_verdict_input_init(&in);
    in.data = t->q.data;
    in.model = t->q.model;
    in.certificate = kith_solution_certificate(t->q.solution);
    in.probabilities = t->p;
    in.evidence = kith_solution_evidence(t->q.solution);
    in.job = &t->q.r.job;
    in.positive = positive_wanted(t->q.r.a);
    if (t->split.n_test > 0) {
        in.judged = t->split.test;
        in.n_judged = t->split.n_test;
        snprintf(t->what, sizeof(t->what), "test nodes of split %.120s",
                 args_text(t->q.r.a, "split"));
        in.judged_what = t->what;
        in.known = t->split.val;
        in.n_known = t->split.n_val;
    } else if (!isnan(kith_model_validation(t->q.model))) {
        in.judged_what = "labelled ones, of which some may have served to "
                         "choose parameters; name a split to judge by its test "
                         "nodes alone";
        in.chosen_by = true;
    }
    return in;
}

static kith_status write_page(task *t)
{
    const args *a = t->q.r.a;
    char typed[2000];
    kith_verdict_input judged;
    kith_report_input in = {
        .solution = t->q.solution,
        .title = input_name(args_text(a, "graph"), t->title, sizeof(t->title)),
        .validation = kith_model_validation(t->q.model),
        .how = "A model kept by 'kith classify --save'.",
        .command = typed,
    };
    kith_verdict *v = NULL;
    kith_status st;

    t->p = calloc((size_t)kith_graph_nodes(t->q.data->graph) *
                          (size_t)kith_model_classes(t->q.model) +
                      1,
                  sizeof(*t->p));
    if (!t->p)
        return run_no_memory(&t->q.r);
    kith_solution_probabilities(t->q.solution, t->p);
    command_typed(a, typed, sizeof(typed));
    judged = judged_input(t);
    st = kith_verdict_new(&judged, &v, &t->q.r.err);
    in.verdict = v;
    if (st == KITH_OK)
        st = out_report(&t->q.r, &in, args_text(a, "output"), NULL);
    kith_verdict_free(v);
    return st;
}

/* Class numbers of labels and model must mean the same.  Labels that came with
 * the graph, of other classes, are not asked for: then nothing is judged. */
static kith_status match_classes(task *t)
{
    const bool needed = args_given(t->q.r.a, "labels") ||
                        args_given(t->q.r.a, "split");
    kith_labels *matched = NULL;
    kith_status st = KITH_OK;

    if (t->q.data->labels)
        st = kith_model_labels(t->q.model, t->q.data->labels, &matched,
                               &t->q.r.err);
    kith_labels_free(t->q.data->labels);
    t->q.data->labels = matched;
    return st == KITH_ERR_ARGUMENT && !needed ? KITH_OK : st;
}

static kith_status work(task *t)
{
    const args *a = t->q.r.a;
    kith_status st = asked_open(&t->q);

    if (st == KITH_OK)
        st = match_classes(t);
    if (st == KITH_OK && args_given(a, "split"))
        st = kith_split_read(t->q.data, args_text(a, "split"), &t->split,
                             &t->q.r.err);
    if (st == KITH_OK)
        st = asked_solve(&t->q);
    if (st == KITH_OK)
        st = write_page(t);
    progress_end(&t->q.r.tty);
    return st;
}

static int report(const args *a)
{
    const char *path = args_text(a, "output");
    char time[TERM_NUMBER];
    task t = {0};
    kith_status st;

    run_begin(&t.q.r, a);
    st = work(&t);
    if (st == KITH_OK && !t.q.r.quiet && strcmp(path, "-") != 0) {
        term_line(stdout, "%s: one page, open it in a browser", path);
        term_line(stdout, "took %s",
                  term_seconds(seconds_now() - t.q.r.begun, time));
    }
    free(t.p);
    kith_split_release(&t.split);
    return asked_end(&t.q, st);
}

const command cmd_report = {
    .name = "report",
    .summary = "write one HTML page about a model on a graph",
    .usage = usage,
    .description = description,
    .arguments = model_argument,
    .options = options,
    .examples = examples,
    .run = report,
};
