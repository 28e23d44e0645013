#include <kith/kith.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_shared.h"
#include "commands.h"
#include "eval_report.h"
#include "method_options.h"
#include "out_text.h"
#include "reading_options.h"
#include "task_options.h"
#include "term.h"

static const char *const usage[] = {
    "DATASET --methods A,B,... --splits X,Y,... [OPTIONS]",
    "DATASET --methods A,B,... [--train-per-class N] [--val N] [--trials N] "
    "[--seed N] [OPTIONS]",
    NULL,
};

static const char *const description[] = {
    "Measures methods on the same splits of a labelled data set: each method "
    "learns from a split's training nodes, is tuned on its validation nodes "
    "(which it does not learn from, unless --fit train+val is given; without "
    "any, on a fifth of the training nodes, and then fitted to all of "
    "them) and scored on its test nodes. The splits are named ones, or drawn "
    "at random from the labelled nodes. 'kith methods' lists the methods.",
    "Prints accuracy, macro-F1, area under the ROC curve, average precision, "
    "best F1 (these three of --positive; without it of the rarer of two "
    "classes, or with more the mean of each against the rest), log-loss, "
    "expected calibration error and seconds: the "
    "mean over the splits and the standard deviation, which is that of a "
    "sample (divided by one less than the number of splits; 0 for one split). "
    "The column 'vs' is the difference in accuracy to the first method, taken "
    "split by split, so that splits that are hard for all do not blur it.",
    "Where labels give a node several classes, or with --multi, each class is "
    "a task of its own; told are the mean over the tasks, micro and macro F1, "
    "and each task. --task measures one.",
    "Hashes of the graph and of each split, and the seed, are printed with the "
    "result. Test nodes without a label are left out and counted.",
    NULL,
};

static const argument arguments[] = {
    {"DATASET", OPTION_FILE, NULL, false,
     "Data set folder or built file (.kg) with labels; or any graph, with "
     "--labels."},
    {.name = NULL},
};

static const option options[] = {
    {.name = "methods",
     .letter = 'm',
     .type = OPTION_TEXT,
     .value = "A,B",
     .help =
         "The methods, with commas between them, or 'all': all that the data "
         "has what they need for. Needed.",
     .missing = "the methods are missing: --methods A,B"},
    ROWS(json_rows),
    {.name = "markdown", .help = "Print a Markdown table.", .apart = "json"},
    ROW_OUTPUT("Write there instead of to standard output."),
    ROWS(given_rows),
    {.name = "precision-at",
     .type = OPTION_INTEGER,
     .value = "K",
     .least = 1,
     .most = INT32_MAX,
     .help = "Also the share of one class, --positive or the rarest, among "
             "the K test nodes most likely of it, and how large a share these "
             "are of all."},
    ROWS(positive_rows),
    {.name = "splits",
     .letter = 's',
     .type = OPTION_TEXT,
     .value = "X,Y",
     .group = "Splits",
     .help = "Names under the data set's splits/ or folders with train.txt, "
             "test.txt and perhaps val.txt; paper-0..4 is paper-0 to paper-4, "
             "'all' is all that the data set has.",
     .apart = "train-per-class|val|trials|seed"},
    {.name = "train-per-class",
     .type = OPTION_INTEGER,
     .value = "N",
     .preset = "20",
     .least = 1,
     .most = INT32_MAX,
     .group = "Splits",
     .help = "Random splits: training nodes of each class."},
    {.name = "val",
     .type = OPTION_INTEGER,
     .value = "N",
     .preset = "500",
     .least = 0,
     .most = INT32_MAX,
     .group = "Splits",
     .help = "Random splits: validation nodes in all. The rest is tested on."},
    {.name = "trials",
     .type = OPTION_INTEGER,
     .value = "N",
     .preset = "5",
     .least = 1,
     .most = 10000,
     .group = "Splits",
     .help = "Random splits: how many."},
    {.name = "seed",
     .type = OPTION_INTEGER,
     .value = "N",
     .preset = "1",
     .least = 0,
     .most = 9e15,
     .group = "Splits",
     .help = "Random splits: chooses them."},
    {.name = "split-by-time",
     .type = OPTION_TEXT,
     .value = "A,B,C",
     .group = "Splits",
     .help = "One split of a table with --time or --order: learn from the "
             "share A of the labelled nodes that came first, tune on the "
             "share B after them, test on the newest, such as 0.6,0.2,0.2. A "
             "node comes with its row, or with its first edge; nodes of one "
             "time stay together.",
     .apart = "splits|train-per-class|val|trials|seed"},
    {.name = "edge-weights",
     .help = "Show the average weight of edges between nodes of one class and "
             "of others, before and after learning."},
    {.name = "prevalence", .type = OPTION_OF_TABLE, .group = "Tuning"},
    {.name = "optimise", .type = OPTION_OF_TABLE, .group = "Tuning"},
    {.name = "calibrate", .type = OPTION_OF_TABLE, .group = "Tuning"},
    {.name = "coverage", .type = OPTION_OF_TABLE, .group = "Sets of classes"},
    ROWS(method_rows),
    ROWS(all_tasks_rows),
    ROWS(reading_rows),
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith eval data/cora --methods linbp,lcm --splits paper-0..4",
     "two methods on five splits"},
    {"kith eval data/cora --methods all --trials 10 --seed 7 --markdown",
     "every method on random splits, as a table for a document"},
    {"kith eval data/cora --methods lcm --splits all --json | jq "
     "'.results[].accuracy.mean'",
     "one number, for a script"},
    {"kith eval fraud.kg --methods linbp,lcm --precision-at 100 --positive bad",
     "how many of the first hundred are bad"},
    {NULL, NULL},
};

typedef struct task {
    run r;
    told_evaluation told;
    kith_dataset *data;
    kith_evaluation *e;
    kith_tasks *tasks; /* NULL: one of all classes */
    kith_tasks_evaluation *te;
    name_list methods, splits;
    const char **method; /* that take part */
    int method_count;
    kith_split *split;
    int split_count;
} task;

/* ---- the command line ---------------------------------------------------- */

static int find_methods(task *t, const args *a)
{
    int all;
    const kith_method_info *known = kith_methods(&all);
    const bool every = strcmp(args_text(a, "methods"), "all") == 0;
    const int count = every ? all : t->methods.count;

    t->method = calloc((size_t)count + 1, sizeof(*t->method));
    if (!t->method) {
        fputs("kith: out of memory\n", stderr);
        return EXIT_FAILED;
    }
    for (; t->method_count < count; t->method_count++) {
        const int i = t->method_count;

        if (!every && !method_find(t->methods.name[i]))
            return method_unknown(a->of, t->methods.name[i]);
        t->method[i] = every ? known[i].name : t->methods.name[i];
    }
    return EXIT_OK;
}

/* "0.6,0.2,0.2", which sum to 1. */
static bool read_shares(const char *text, double share[3])
{
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        char *end;

        share[i] = strtod(text, &end);
        if (end == text || *end != (i < 2 ? ',' : '\0') ||
            !(share[i] >= 0 && share[i] <= 1))
            return false;
        sum += share[i];
        text = end + 1;
    }
    return share[0] > 0 && share[2] > 0 && sum > 1 - 1e-6 && sum < 1 + 1e-6;
}

/* The data's time column is known: is the past learnt from? */
static bool has_times(const args *a)
{
    return args_given(a, "time") || args_given(a, "order");
}

static int check(task *t, const args *a)
{
    double share[3];
    int code;

    if (args_given(a, "split-by-time") &&
        !read_shares(args_text(a, "split-by-time"), share))
        return usage_error(a->of, "--split-by-time takes three shares that "
                                  "sum to 1, such as 0.6,0.2,0.2");
    if (args_given(a, "split-by-time") && !has_times(a) &&
        !args_given(a, "table"))
        return usage_error(a->of, "--split-by-time needs --time COL: when an "
                                  "edge came");
    code = args_names(a, "methods", false, &t->methods);
    if (code == EXIT_OK)
        code = find_methods(t, a);
    if (code == EXIT_OK && args_given(a, "splits"))
        code = args_names(a, "splits", true, &t->splits);
    return code;
}

/* ---- data ---------------------------------------------------------------- */

/* "all" stands for the data set's splits, unless one has that name. */
static kith_status expand_all(task *t)
{
    char **names = NULL;
    int count = 0;
    kith_status st;
    bool named = false;

    if (t->splits.count != 1 || strcmp(t->splits.name[0], "all") != 0)
        return KITH_OK;
    st = kith_dataset_splits(t->data, &names, &count, &t->r.err);
    for (int i = 0; i < count; i++)
        named |= strcmp(names[i], "all") == 0;
    if (st == KITH_OK && count == 0)
        st = run_fail(&t->r, KITH_ERR_ARGUMENT, t->told.path, "has no splits");
    if (st == KITH_OK && !named) {
        name_list list = {calloc((size_t)count + 1, sizeof(char *)), 0};

        for (; list.name && list.count < count; list.count++) {
            list.name[list.count] = strdup(names[list.count]);
            if (!list.name[list.count])
                break;
        }
        name_list_release(&t->splits);
        t->splits = list;
        if (list.count < count)
            st = run_no_memory(&t->r);
    }
    kith_names_free(names, count);
    return st;
}

/* "--methods all" means all that the data is enough for, and the build. */
static void leave_out(task *t)
{
    int kept = 0;

    if (strcmp(args_text(t->r.a, "methods"), "all") != 0)
        return;
    for (int i = 0; i < t->method_count; i++) {
        const char *name = t->method[i];
        const bool blind = !t->data->features &&
                           kith_method_needs_features(name);

        if (!blind && kith_method_is_available(name))
            t->method[kept++] = name;
        else if (!t->r.quiet)
            term_line(stderr, "%s is left out: %s", name,
                      blind ? "it needs features"
                            : "this build is without boosted trees");
    }
    t->method_count = kept;
}

static kith_status split_by_time(task *t)
{
    const args *a = t->r.a;
    const char *path = args_given(a, "table") ? args_text(a, "table")
                                              : t->told.path;
    double share[3] = {0}, *times = NULL;
    kith_status st;

    (void)read_shares(args_text(a, "split-by-time"), share);
    t->split = calloc(2, sizeof(*t->split));
    if (!t->split)
        return run_no_memory(&t->r);
    st = kith_times_read(path, t->data->graph, &t->r.table, &times, &t->r.err);
    if (st == KITH_OK)
        st = kith_split_by_time(
            t->data->graph,
            t->tasks ? kith_tasks_strata(t->tasks) : t->data->labels, times,
            share[0], share[1], &t->split[t->split_count++], &t->r.err);
    kith_array_free(times);
    return st;
}

static kith_status make_splits(task *t)
{
    const args *a = t->r.a;
    const bool random = !args_given(a, "splits");
    kith_status st = random ? KITH_OK : expand_all(t);
    int count;

    if (st != KITH_OK)
        return st;
    if (args_given(a, "split-by-time"))
        return split_by_time(t);
    if (random && has_times(a) && !t->r.quiet)
        term_line(stderr, "nodes are split at random although the data has "
                          "times: what came later helps to predict what came "
                          "before, which nobody has when it matters; "
                          "--split-by-time 0.6,0.2,0.2 tests on the newest");
    t->told.random = random;
    t->told.seed = (uint64_t)args_integer(a, "seed");
    count = random ? (int)args_integer(a, "trials") : t->splits.count;
    t->split = calloc((size_t)count + 1, sizeof(*t->split));
    if (!t->split)
        return run_no_memory(&t->r);
    for (; st == KITH_OK && t->split_count < count; t->split_count++)
        st = random
                 ? kith_split_random(
                       t->data->graph,
                       t->tasks ? kith_tasks_strata(t->tasks) : t->data->labels,
                       (int32_t)args_integer(a, "train-per-class"),
                       (int32_t)args_integer(a, "val"), t->told.seed,
                       t->split_count, &t->split[t->split_count], &t->r.err)
                 : kith_split_read(t->data, t->splits.name[t->split_count],
                                   &t->split[t->split_count], &t->r.err);
    return st;
}

static kith_status prepare(task *t)
{
    kith_status st = check_output(&t->r, args_text(t->r.a, "output"));

    if (st == KITH_OK)
        st = open_given(&t->r, t->told.path, &t->data);
    if (st != KITH_OK)
        return st;
    if (!t->data->labels || t->data->labels->labelled == 0)
        return run_fail(&t->r, KITH_ERR_ARGUMENT, t->told.path,
                        "has no labels to measure by: give --labels FILE");
    leave_out(t);
    if (wants_tasks(t->r.a, t->data))
        st = make_tasks(&t->r, t->data, &t->tasks);
    return st == KITH_OK ? make_splits(t) : st;
}

/* ---- measuring ----------------------------------------------------------- */

static kith_status measure(task *t)
{
    const args *a = t->r.a;
    kith_evaluation_options o;
    kith_status st;

    kith_evaluation_options_init(&o);
    st = method_options(&t->r, &o.train);
    if (!args_given(a, "fit")) /* what is compared learns from the same nodes */
        o.train.fit = KITH_FIT_TRAIN;
    o.edge_weights = args_flag(a, "edge-weights");
    o.precision_at = (int32_t)args_integer(a, "precision-at");
    if (st == KITH_OK && t->tasks) {
        st = kith_tasks_evaluate(t->data, t->tasks, t->method, t->method_count,
                                 t->split, t->split_count, &o.train, &t->te,
                                 &t->r.err);
        return st == KITH_OK ? run_cancelled() : st;
    }
    if (st == KITH_OK)
        st = find_positive(&t->r, t->data->labels, &o.positive);
    if (st == KITH_OK)
        st = kith_evaluate(t->data, t->method, t->method_count, t->split,
                           t->split_count, &o, &t->e, &t->r.err);
    t->told.of = t->e;
    return st == KITH_OK ? run_cancelled() : st;
}

static kith_status report(task *t)
{
    const args *a = t->r.a;
    const char *path = args_text(a, "output");
    char name[300], *json = NULL;
    size_t length;
    kith_status st;

    if (t->tasks && !args_flag(a, "json"))
        return out_print(&t->r, path, NULL, tasks_table, t->te);
    if (!args_flag(a, "json"))
        return out_print(&t->r, path, NULL,
                         args_flag(a, "markdown") ? eval_markdown : eval_table,
                         &t->told);
    if (t->tasks)
        st = kith_tasks_evaluation_json(
            t->te, input_name(t->told.path, name, sizeof(name)), t->told.path,
            &json, &length, &t->r.err);
    else
        st = kith_evaluation_json(
            t->e, input_name(t->told.path, name, sizeof(name)), t->told.path,
            t->told.random, t->told.seed, &json, &length, &t->r.err);
    return st == KITH_OK ? out_json(&t->r, path, json, length) : st;
}

static void task_release(task *t)
{
    kith_evaluation_free(t->e);
    kith_tasks_evaluation_free(t->te);
    kith_tasks_free(t->tasks);
    for (int i = 0; i < t->split_count; i++)
        kith_split_release(&t->split[i]);
    free(t->split);
    free(t->method);
    name_list_release(&t->methods);
    name_list_release(&t->splits);
    kith_dataset_free(t->data);
}

static int eval(const args *a)
{
    task t = {.told.path = args_plain(a, 0)};
    int code = check(&t, a);
    kith_status st;

    if (code == EXIT_OK) {
        run_begin(&t.r, a);
        st = prepare(&t);
        if (st == KITH_OK)
            st = measure(&t);
        progress_end(&t.r.tty);
        if (st == KITH_OK)
            st = report(&t);
        code = run_end(&t.r, st);
    }
    task_release(&t);
    return code;
}

const command cmd_eval = {
    .name = "eval",
    .summary = "measure methods on the same splits of a data set",
    .usage = usage,
    .description = description,
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .run = eval,
};
