#include <kith/kith.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_shared.h"
#include "commands.h"
#include "out_text.h"
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
    ROW_GRAPH,
    ROW_SOLUTION,
    ROWS_GIVEN,
    {.name = "split",
     .type = OPTION_TEXT,
     .value = "NAME",
     .help = "Judge on the test nodes of this split of the data set, or of a "
             "folder with train.txt and test.txt."},
    ROW_POSITIVE,
    {.name = "output",
     .letter = 'o',
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Where the page goes; - is standard output. Needed."},
    ROWS_READING,
    ROW_THREADS,
    ROW_QUIET,
    ROW_HELP,
    ROW_END,
};

static const example examples[] = {
    {"kith report fraud.km --graph g.kg -o report.html", "look at a model"},
    {"kith report cora.km --graph data/cora --split paper-0 -o cora.html",
     "judged on a split's test nodes"},
    {NULL, NULL},
};

typedef struct task {
    run r;
    kith_dataset *data;
    kith_model *model;
    kith_solution *solution;
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
    in.data = t->data;
    in.model = t->model;
    in.certificate = kith_solution_certificate(t->solution);
    in.probabilities = t->p;
    in.evidence = kith_solution_evidence(t->solution);
    in.job = &t->r.job;
    in.positive = args_text(t->r.a, "positive");
    if (t->split.n_test > 0) {
        in.judged = t->split.test;
        in.n_judged = t->split.n_test;
        snprintf(t->what, sizeof(t->what), "test nodes of split %.120s",
                 args_text(t->r.a, "split"));
        in.judged_what = t->what;
        in.known = t->split.val;
        in.n_known = t->split.n_val;
    } else if (!isnan(kith_model_validation(t->model))) {
        in.judged_what = "labelled ones, of which some may have served to "
                         "choose parameters; name a split to judge by its test "
                         "nodes alone";
        in.chosen_by = true;
    }
    return in;
}

static kith_status write_page(task *t)
{
    const args *a = t->r.a;
    char typed[2000];
    kith_verdict_input judged;
    kith_report_input in = {
        .solution = t->solution,
        .title = input_name(args_text(a, "graph"), t->title, sizeof(t->title)),
        .validation = kith_model_validation(t->model),
        .how = "A model kept by 'kith classify --save'.",
        .command = typed,
    };
    kith_verdict *v = NULL;
    kith_status st;

    t->p = calloc((size_t)kith_graph_nodes(t->data->graph) *
                          (size_t)kith_model_classes(t->model) +
                      1,
                  sizeof(*t->p));
    if (!t->p)
        return run_no_memory(&t->r);
    kith_solution_probabilities(t->solution, t->p);
    command_typed(a, typed, sizeof(typed));
    judged = judged_input(t);
    st = kith_verdict_new(&judged, &v, &t->r.err);
    in.verdict = v;
    if (st == KITH_OK)
        st = out_report(&t->r, &in, args_text(a, "output"), NULL);
    kith_verdict_free(v);
    return st;
}

/* Class numbers of labels and model must mean the same.  Labels that came with
 * the graph, of other classes, are not asked for: then nothing is judged. */
static kith_status match_classes(task *t)
{
    const bool needed = args_given(t->r.a, "labels") ||
                        args_given(t->r.a, "split");
    kith_labels *matched = NULL;
    kith_status st = KITH_OK;

    if (t->data->labels)
        st = kith_model_labels(t->model, t->data->labels, &matched, &t->r.err);
    kith_labels_free(t->data->labels);
    t->data->labels = matched;
    return st == KITH_ERR_ARGUMENT && !needed ? KITH_OK : st;
}

static kith_status work(task *t)
{
    const args *a = t->r.a;
    kith_status st = check_output(&t->r, args_text(a, "output"));

    if (st == KITH_OK)
        st = kith_model_open(args_plain(a, 0), &t->model, &t->r.err);
    if (st == KITH_OK)
        st = open_given(&t->r, args_text(a, "graph"), &t->data);
    if (st == KITH_OK)
        st = match_classes(t);
    if (st == KITH_OK && args_given(a, "split"))
        st = kith_split_read(t->data, args_text(a, "split"), &t->split,
                             &t->r.err);
    if (st == KITH_OK)
        st = solution_of(&t->r, t->model, t->data, &t->solution);
    if (st == KITH_OK)
        st = write_page(t);
    progress_end(&t->r.tty);
    return st;
}

static int report(const args *a)
{
    const char *path = args_text(a, "output");
    char time[TERM_NUMBER];
    task t = {0};
    kith_status st;

    if (!args_given(a, "graph"))
        return graph_missing(a);
    if (!path)
        return usage_error(a->of, "the output is missing: -o FILE");
    run_begin(&t.r, a);
    st = work(&t);
    if (st == KITH_OK && !t.r.quiet && strcmp(path, "-") != 0) {
        term_line(stdout, "%s: one page, open it in a browser", path);
        term_line(stdout, "took %s",
                  term_seconds(seconds_now() - t.r.begun, time));
    }
    free(t.p);
    kith_split_release(&t.split);
    kith_solution_free(t.solution);
    kith_model_free(t.model);
    kith_dataset_free(t.data);
    return run_end(&t.r, st);
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
