#include <kith/kith.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "model_options.h"
#include "out_text.h"
#include "reading_options.h"
#include "task_options.h"
#include "term.h"

static const char *const usage[] = {
    "MODEL --graph DATA [--count N] [OPTIONS] -o list.tsv", NULL};

static const char *const description[] = {
    "Says which nodes to have labelled next, so that an hour of labelling buys "
    "the most: nodes that the model is unsure of and whose label would tell "
    "much about others, by features as seen through the graph, or without "
    "features over the edges. Each suggestion counts as labelled for those "
    "after it, so that they do not crowd in one place; without features each "
    "class gets its share of them. The list is sorted by score, the highest "
    "first.",
    "Writes a table: node, score, uncertainty, influence; score is the product "
    "of the other two. The model is one that 'kith classify --save' kept, of "
    "any method; a model file does not hold the graph: --graph names it.",
    NULL,
};

static const option options[] = {
    ROWS(model_rows),
    {.name = "count",
     .letter = 'n',
     .type = OPTION_INTEGER,
     .value = "N",
     .preset = "50",
     .least = 1,
     .most = 1000000,
     .help = "How many."},
    {.name = "among",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Suggest only nodes that this file lists, one id a line."},
    ROWS(features_rows),
    ROW_OUTPUT("Where the table goes; standard output, if not given."),
    ROWS(task_rows),
    ROWS(reading_rows),
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith suggest fraud.km --graph g.kg -n 20", "the next 20 to look at"},
    {"kith suggest fraud.km --graph g.kg --among reviewable.txt -o next.tsv",
     "of those that can be reviewed"},
    {NULL, NULL},
};

typedef struct task {
    asked q;
    int32_t *among, n_among;
    kith_suggestion *list;
    int32_t found;
} task;

static kith_status read_among(task *t)
{
    const char *path = args_text(t->q.r.a, "among");
    kith_status st;

    if (!path)
        return KITH_OK;
    st = kith_nodes_read(path, t->q.data->graph, NULL, &t->among, &t->n_among,
                         &t->q.r.err);
    if (st == KITH_OK && t->n_among == 0)
        return run_fail(&t->q.r, KITH_ERR_ARGUMENT, path, "lists no node");
    return st;
}

static kith_status write_list(task *t)
{
    out_table_state shown;
    const char *to = out_table(&t->q.r, args_text(t->q.r.a, "output"), &shown);

    if (!to)
        return t->q.r.err.status;
    return out_table_end(&shown, kith_suggestions_write(t->list, t->found,
                                                        t->q.data->graph, to,
                                                        NULL, &t->q.r.err));
}

/* A suggestion, and how many were found before it. */
typedef struct placed {
    kith_suggestion s;
    int32_t at;
} placed;

/* The highest score first; of equals the one that was found first. */
static int falling(const void *a, const void *b)
{
    const placed *x = a, *y = b;

    if (x->s.score != y->s.score)
        return x->s.score < y->s.score ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

/* They are found in an order that spreads them over classes and places: a
 * reader expects the one that the list prints scores by. */
static kith_status sort_by_score(task *t)
{
    placed *all = calloc((size_t)t->found + 1, sizeof(*all));

    if (!all)
        return run_no_memory(&t->q.r);
    for (int32_t i = 0; i < t->found; i++)
        all[i] = (placed){t->list[i], i};
    qsort(all, (size_t)t->found, sizeof(*all), falling);
    for (int32_t i = 0; i < t->found; i++)
        t->list[i] = all[i].s;
    free(all);
    return KITH_OK;
}

/* How many nodes could be suggested: not learnt from, and among those named. */
static int32_t count_candidates(const task *t)
{
    const int32_t named = t->among ? t->n_among
                                   : kith_graph_nodes(t->q.data->graph);
    int32_t count = 0;

    for (int32_t i = 0; i < named; i++)
        count += kith_solution_trained(t->q.solution,
                                       t->among ? t->among[i] : i) < 0;
    return count;
}

/* Say why the list is shorter than asked for, where that is not plain. */
static void tell_short(const task *t, int32_t count, int32_t candidates)
{
    char found[TERM_NUMBER], all[TERM_NUMBER];

    if (candidates == 0)
        fputs("kith: nothing to suggest: every node that could be was learnt "
              "from\n",
              stderr);
    else if (t->found < count && t->found < candidates)
        term_line(stderr,
                  "kith: %s of %s nodes suggested: of the others the model is "
                  "certain",
                  term_count(t->found, found), term_count(candidates, all));
}

static kith_status work(task *t)
{
    const args *a = t->q.r.a;
    const int32_t count = (int32_t)args_integer(a, "count");
    kith_status st = asked_open(&t->q);

    if (st == KITH_OK)
        st = read_among(t);
    if (st == KITH_OK)
        st = asked_solve(&t->q);
    if (st != KITH_OK)
        return st;
    t->list = calloc((size_t)count + 1, sizeof(*t->list));
    if (!t->list)
        return run_no_memory(&t->q.r);
    st = kith_suggest(t->q.solution, t->among, t->n_among, count, t->list,
                      &t->found, &t->q.r.err);
    progress_end(&t->q.r.tty);
    if (st == KITH_OK)
        st = sort_by_score(t);
    if (st == KITH_OK)
        st = write_list(t);
    if (st == KITH_OK && !t->q.r.quiet)
        tell_short(t, count, count_candidates(t));
    return st;
}

static int suggest(const args *a)
{
    task t = {0};
    kith_status st;

    run_begin(&t.q.r, a);
    st = work(&t);
    kith_array_free(t.among);
    free(t.list);
    return asked_end(&t.q, st);
}

const command cmd_suggest = {
    .name = "suggest",
    .summary = "say which nodes to have labelled next",
    .usage = usage,
    .description = description,
    .arguments = model_argument,
    .options = options,
    .examples = examples,
    .run = suggest,
};
