#include <kith/kith.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "method_options.h"
#include "out_text.h"
#include "protocol_options.h"
#include "rank_report.h"
#include "reading_options.h"
#include "task_options.h"

static const char *const usage[] = {
    "GRAPH --labels FILE [--positive CLASS] [--precision P | --recall R | "
    "--budget N] [OPTIONS] -o list.tsv",
    NULL};

static const char *const description[] = {
    "Ranks the nodes whose label is unknown by how probably they are of one "
    "class, such as fraud (the rarest, if --positive does not name it), and "
    "cuts the list where a wish is met: a precision, "
    "a recall, or a number of nodes that can be reviewed. Writes a table: "
    "rank, node, probability, and with --reasons why each node is on it. A "
    "node that nothing known reaches is left out, and the summary says how "
    "many there are.",
    "The model, its choices and its probabilities are those of 'kith classify' "
    "with the same options; --save keeps it, and the list, its reasons and the "
    "page of --report come from that one model.",
    "Where to cut is chosen on labelled nodes that were not learnt from when "
    "they were scored: the nodes of --val or of the split, or else all of "
    "them, each scored by a model trained without its tenth of them. The "
    "summary gives precision and recall expected, with 95 % intervals, and "
    "what shorter lists would hold.",
    "Precision hangs on how many positives there are. If the labelled nodes "
    "are not a random sample of the graph, say how many there really are with "
    "--prevalence. Where the class is rare, --balance may order nodes better.",
    NULL,
};

static const option options[] = {
    ROWS(given_rows),
    ROWS(positive_rows),
    {.name = "precision",
     .type = OPTION_REAL,
     .value = "P",
     .least = 0,
     .most = 1,
     .help = "The longest list of which this share is positive."},
    {.name = "recall",
     .type = OPTION_REAL,
     .value = "R",
     .least = 0,
     .most = 1,
     .help = "The shortest list that holds this share of the positives."},
    {.name = "budget",
     .type = OPTION_INTEGER,
     .value = "N",
     .least = 1,
     .most = 2147483647,
     .help = "The first N nodes."},
    {.name = "method",
     .type = OPTION_TEXT,
     .value = "NAME",
     .preset = DEFAULT_METHOD,
     .help = "The method; see 'kith methods' and 'kith classify'."},
    ROW_OUTPUT("Where the list goes; - is standard output."),
    {.name = "reasons",
     .type = OPTION_INTEGER,
     .value = "N",
     .least = 1,
     .most = KITH_REASONS_MOST,
     .help = "Up to N codes for each node of the list, with their shares: what "
             "speaks for the class, such as KNOWN_NEIGHBOUR or FEATURE:amount; "
             "docs/reasons.md. For methods whose beliefs are sums, as of 'kith "
             "explain'."},
    {.name = "save",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Keep the model, for 'kith predict', 'explain', 'suggest', "
             "'report' and 'card'."},
    {.name = "report",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Write one HTML page about the data, the model and its "
             "predictions; see 'kith report'."},
    {.name = "json",
     .help = "Print the summary as one JSON object, for programs."},
    ROW_VAL("Tune and choose the threshold on these labelled nodes, one id a "
            "line, and learn from the other labelled ones."),
    ROWS(tuning_rows),
    ROWS(method_rows),
    ROWS(task_rows),
    ROWS(reading_rows),
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith rank g.kg --labels known.tsv --positive fraud --precision 0.95 "
     "-o list.tsv",
     "as many as possible, of which 95 % are fraud"},
    {"kith rank g.kg --labels known.tsv --positive fraud --budget 500 "
     "-o list.tsv",
     "the 500 that should be reviewed"},
    {"kith rank g.kg --labels known.tsv --positive fraud --budget 500 "
     "--reasons 4 --save fraud.km --report fraud.html -o list.tsv",
     "with the reasons of each, the model and a page"},
    {"kith rank g.kg --labels known.tsv --positive fraud", "what to expect"},
    {NULL, NULL},
};

static kith_rank_options rank_options(const args *a)
{
    const bool precision = args_given(a, "precision");
    kith_rank_options o;

    kith_rank_options_init(&o);
    if (precision || args_given(a, "recall")) {
        o.goal = precision ? KITH_GOAL_PRECISION : KITH_GOAL_RECALL;
        o.wish = args_real(a, precision ? "precision" : "recall");
    }
    if (args_given(a, "budget"))
        o.budget = (int32_t)args_integer(a, "budget");
    if (args_real(a, "prevalence") > 0)
        o.prevalence = args_real(a, "prevalence");
    if (args_given(a, "reasons"))
        o.reasons = (int32_t)args_integer(a, "reasons");
    if (args_text(a, "report"))
        o.keep = KITH_KEEP_SOLUTION;
    if (args_text(a, "report") || args_text(a, "save"))
        o.keep |= KITH_KEEP_UNSEEN;
    return o;
}

static kith_status check_unknown(ranking_task *t)
{
    const kith_split *s = &t->nodes.whole;

    if (s->n_train + s->n_val < kith_graph_nodes(t->data->graph))
        return KITH_OK;
    return run_fail(&t->r, KITH_ERR_ARGUMENT, args_plain(t->r.a, 0),
                    "no node is left to rank: all are learnt from or tuned on; "
                    "give --labels of some nodes, or a --split");
}

static kith_status write_list(ranking_task *t, const char *path,
                              kith_outputs *with)
{
    out_table_state shown;
    const char *to = out_table(&t->r, path, &shown);

    if (!to)
        return t->r.err.status;
    return out_table_end(&shown, kith_ranking_write(t->list, t->data->graph, to,
                                                    with, &t->r.err));
}

static kith_status make_verdict(ranking_task *t, kith_verdict **v)
{
    kith_verdict_input judged;

    kith_verdict_input_of(&judged, t->data, &t->nodes, t->list->classification);
    judged.job = &t->r.job;
    judged.positive = args_text(t->r.a, "positive");
    return kith_verdict_new(&judged, v, &t->r.err);
}

/* The page about the model that the list comes from. */
static kith_status write_report(ranking_task *t, const kith_verdict *v,
                                const char *path, kith_outputs *with)
{
    const kith_classification *c = t->list->classification;
    char title[300], typed[2000];
    const kith_report_input in = {
        .solution = c->solution,
        .verdict = v,
        .title = input_name(args_plain(t->r.a, 0), title, sizeof(title)),
        .validation = c->validation,
        .n_validation = c->n_validation,
        .how = "Trained by 'kith rank', as 'kith classify' does.",
        .command = typed,
    };

    command_typed(t->r.a, typed, sizeof(typed));
    return out_report(&t->r, &in, path, with);
}

static kith_status save_model(ranking_task *t, const kith_verdict *v,
                              const char *path, kith_outputs *with)
{
    kith_model *m = t->list->classification->model;
    const kith_status st = kith_model_keep_verdict(m, v, &t->r.err);

    return st == KITH_OK ? kith_model_save_with(m, path, with, &t->r.err) : st;
}

/* All or nothing.  The model is the first, since other commands read it. */
static kith_status write_all(ranking_task *t)
{
    const char *save = args_text(t->r.a, "save");
    const char *list = args_text(t->r.a, "output");
    const char *report = args_text(t->r.a, "report");
    kith_outputs *all = NULL;
    kith_verdict *v = NULL;
    kith_status st = kith_outputs_new(&all, &t->r.err);

    if (st == KITH_OK && (save || report))
        st = make_verdict(t, &v);
    if (st == KITH_OK && save)
        st = save_model(t, v, save, all);
    if (st == KITH_OK && list)
        st = write_list(t, list, all);
    if (st == KITH_OK && report)
        st = write_report(t, v, report, all);
    if (st == KITH_OK)
        st = run_cancelled();
    if (st == KITH_OK)
        st = kith_outputs_commit(all, &t->r.err);
    kith_verdict_free(v);
    kith_outputs_free(all);
    return st;
}

/* Can everything be written that is to be? */
static kith_status check_outputs(ranking_task *t)
{
    static const char *const names[] = {"output", "save", "report"};
    kith_status st = KITH_OK;

    for (size_t i = 0; st == KITH_OK && i < sizeof(names) / sizeof(*names); i++)
        st = check_output(&t->r, args_text(t->r.a, names[i]));
    return st;
}

static kith_status work(ranking_task *t)
{
    const args *a = t->r.a;
    kith_train_options train;
    kith_rank_options o = rank_options(a);
    kith_status st = check_outputs(t);

    if (st == KITH_OK)
        st = open_for_learning(&t->r, args_plain(a, 0), &t->data, &t->nodes);
    if (st == KITH_OK)
        st = find_positive(&t->r, t->data->labels, &o.positive);
    if (st == KITH_OK && o.positive == KITH_POSITIVE_AUTO)
        st = kith_labels_rarest(t->data->labels, &o.positive, &t->r.err);
    if (st == KITH_OK)
        st = check_unknown(t);
    if (st == KITH_OK)
        st = method_options(&t->r, &train);
    if (st == KITH_OK)
        st = kith_rank(t->data, method_wanted(a), &t->nodes, &train, &o,
                       &t->list, &t->r.err);
    if (st == KITH_OK)
        st = run_cancelled();
    progress_end(&t->r.tty);
    return st == KITH_OK ? write_all(t) : st;
}

static kith_status print_json(ranking_task *t)
{
    char *json = NULL;
    size_t length;
    const kith_status st = kith_ranking_json(t->list, t->data->graph, &json,
                                             &length, &t->r.err);

    return st == KITH_OK ? out_json(&t->r, NULL, json, length) : st;
}

static int check(const args *a)
{
    if (args_given(a, "precision") + args_given(a, "recall") +
            args_given(a, "budget") >
        1)
        return usage_error(a->of, "--precision, --recall and --budget: only "
                                  "one can be wished for");
    if (!method_find(args_text(a, "method")))
        return method_unknown(a->of, args_text(a, "method"));
    return check_stdout(a);
}

static int rank(const args *a)
{
    const char *list = args_text(a, "output");
    FILE *out = list && strcmp(list, "-") == 0 ? stderr : stdout;
    ranking_task t = {0};
    int code = check(a);
    kith_status st;

    if (code != EXIT_OK)
        return code;
    run_begin(&t.r, a);
    st = work(&t);
    if (st == KITH_OK && args_flag(a, "json"))
        st = print_json(&t);
    else if (st == KITH_OK && !t.r.quiet)
        rank_text(out, &t);
    code = run_end(&t.r, st);
    kith_ranking_free(t.list);
    kith_protocol_release(&t.nodes);
    kith_dataset_free(t.data);
    return code;
}

const command cmd_rank = {
    .name = "rank",
    .summary = "list the nodes most likely of one class, cut where you wish",
    .usage = usage,
    .description = description,
    .arguments = graph_argument,
    .options = options,
    .examples = examples,
    .run = rank,
};
