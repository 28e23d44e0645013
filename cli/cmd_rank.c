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
    "rank, node, probability.",
    "Where to cut is chosen on labelled nodes that were not learnt from when "
    "they were scored: the nodes of --val or of the split, or else all of "
    "them, each scored by a model trained without its tenth of them. The "
    "summary gives precision and recall expected, with 95 % intervals, and "
    "what shorter lists would hold.",
    "Precision hangs on how many positives there are. If the labelled nodes "
    "are not a random sample of the graph, say how many there really are with "
    "--prevalence. Training is balanced, as by 'kith classify --balance', "
    "where "
    "the method can; the summary says whether it was.",
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
     .preset = "lcm",
     .help = "The method; see 'kith methods'. Classes are balanced by logreg, "
             "linbp, the lcm methods but lcm-em, and bp with features."},
    ROW_OUTPUT("Where the list goes; - is standard output."),
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

static kith_status write_list(ranking_task *t)
{
    out_table_state shown;
    const char *to = out_table(&t->r, args_text(t->r.a, "output"), &shown);

    if (!to)
        return t->r.err.status;
    return out_table_end(&shown, kith_ranking_write(t->list, t->data->graph, to,
                                                    NULL, &t->r.err));
}

static kith_status work(ranking_task *t)
{
    const args *a = t->r.a;
    kith_train_options train;
    kith_rank_options o = rank_options(a);
    kith_status st = check_output(&t->r, args_text(a, "output"));

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
    if (st == KITH_OK && args_text(a, "output"))
        st = write_list(t);
    return st;
}

static kith_status print_json(ranking_task *t)
{
    char *json = NULL;
    size_t length;
    const kith_status st = kith_ranking_json(t->list, &json, &length,
                                             &t->r.err);

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
