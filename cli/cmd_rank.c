#include <kith/kith.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "method_options.h"
#include "node_ids.h"
#include "out_text.h"
#include "predictions.h"
#include "rank_report.h"

static const char *const usage[] = {
    "GRAPH --labels FILE --positive CLASS [--precision P | --recall R | "
    "--budget N] [OPTIONS] -o list.tsv",
    NULL};

static const char *const description[] = {
    "Ranks the nodes whose label is unknown by how probably they are of one "
    "class, such as fraud, and cuts the list where a wish is met: a precision, "
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

static const argument arguments[] = {
    {"GRAPH", OPTION_FILE, NULL, false,
     "Data set folder, built file (.kg), edge list, Matrix Market, METIS "
     ".graph or SciPy .npz file; - reads standard input."},
    {.name = NULL},
};

static const option options[] = {
    ROWS_GIVEN,
    {.name = "positive",
     .letter = 'p',
     .type = OPTION_TEXT,
     .value = "CLASS",
     .help = "The class to look for. Needed."},
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
    {.name = "prevalence",
     .type = OPTION_REAL,
     .value = "X",
     .least = 1e-9,
     .most = 0.999999999,
     .help = "Share of positives among nodes whose label is unknown; that of "
             "the labelled ones, if not given."},
    {.name = "method",
     .type = OPTION_TEXT,
     .value = "NAME",
     .preset = "lcm",
     .help = "The method; see 'kith methods'. Classes are balanced by logreg, "
             "linbp, the lcm methods but lcm-em, and bp with features."},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Where the list goes; - is standard output."},
    {.name = "json",
     .help = "Print the summary as one JSON object, for programs."},
    {.name = "val",
     .type = OPTION_FILE,
     .value = "FILE",
     .group = "Tuning",
     .help = "Tune and choose the threshold on these labelled nodes, one id a "
             "line, and learn from the other labelled ones."},
    ROWS_TUNING,
    ROWS_METHOD,
    ROWS_READING,
    ROW_THREADS,
    ROW_QUIET,
    ROW_HELP,
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

enum { FOLDS = 10 }; /* a model with a tenth less labels is little worse */

/* ---- scores that were not learnt from ------------------------------------ */

static kith_status fit(ranking *t, const int32_t *train, int32_t n_train,
                       const int32_t *val, int32_t n_val,
                       const kith_train_options *o, kith_model **out, float *p)
{
    const kith_split split = {.train = (int32_t *)(uintptr_t)train,
                              .val = (int32_t *)(uintptr_t)val,
                              .n_train = n_train,
                              .n_val = n_val};

    return kith_model_train(t->data, method_wanted(t->r.a), &split, o, out, p,
                            &t->r.err);
}

/* All nodes that are neither learnt from nor tuned on. */
static kith_status list_unknown(ranking *t)
{
    const int32_t n = kith_graph_nodes(t->data->graph);
    bool *known = calloc((size_t)n + 1, sizeof(*known));

    t->order = calloc((size_t)n + 1, sizeof(*t->order));
    if (!known || !t->order) {
        free(known);
        return run_no_memory(&t->r);
    }
    for (int32_t i = 0; i < t->nodes.n_pool; i++)
        known[t->nodes.pool[i]] = true;
    for (int32_t i = 0; i < t->nodes.n_val; i++)
        known[t->nodes.val[i]] = true;
    for (int32_t i = 0; i < n; i++) {
        const int32_t u = kith_graph_listed(t->data->graph, i);

        if (!known[u])
            t->order[t->n_order++] = u;
    }
    free(known);
    if (t->n_order == 0)
        return run_fail(&t->r, KITH_ERR_ARGUMENT, args_plain(t->r.a, 0),
                        "no node is left to rank: all are learnt from or tuned "
                        "on; give --labels of some nodes, or a --split");
    return KITH_OK;
}

typedef struct ranked {
    float p;
    int32_t node, at; /* at: its place among nodes of equal p */
} ranked;

static int falling(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

/* How many of n sorted entries are above p. */
static int32_t places_above(const ranked *all, int32_t n, float p)
{
    int32_t low = 0, high = n;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;

        if (all[middle].p > p)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Honest scores of known nodes: minus the unknown nodes that the same model
 * puts above them.  Places, not probabilities: a model that saw fewer labels is
 * less sure of everything, but orders nodes much alike.
 */
static kith_status take_scores(ranking *t, const int32_t *nodes, int32_t n,
                               const float *p)
{
    const kith_labels *l = t->data->labels;
    const int64_t C = l->classes;
    ranked *all = calloc((size_t)t->n_order + 1, sizeof(*all));

    if (!all)
        return run_no_memory(&t->r);
    for (int32_t i = 0; i < t->n_order; i++)
        all[i] = (ranked){p[t->order[i] * C + t->positive], t->order[i], i};
    qsort(all, (size_t)t->n_order, sizeof(*all), falling);
    for (int32_t i = 0; i < n; i++) {
        t->score[t->n_known] = -(double)places_above(
            all, t->n_order, p[nodes[i] * C + t->positive]);
        t->is[t->n_known++] = l->of[nodes[i]] == t->positive;
    }
    free(all);
    return KITH_OK;
}

/* Train on the pool without `fold`, score the fold. */
static kith_status score_fold(ranking *t, const int32_t *fold, int32_t n_fold,
                              const kith_train_options *o)
{
    int32_t *rest = calloc((size_t)t->nodes.n_pool + 1, sizeof(*rest));
    int32_t n = 0, at = 0;
    kith_model *m = NULL;
    kith_status st;

    if (!rest)
        return run_no_memory(&t->r);
    for (int32_t i = 0; i < t->nodes.n_pool; i++) {
        if (at < n_fold && fold[at] == t->nodes.pool[i])
            at++;
        else
            rest[n++] = t->nodes.pool[i];
    }
    st = fit(t, rest, n, NULL, 0, o, &m, t->work);
    if (st == KITH_OK)
        st = take_scores(t, fold, n_fold, t->work);
    kith_model_free(m);
    free(rest);
    return st;
}

/* Every known node scored by a model that has not seen it. */
static kith_status cross_fit(ranking *t, const kith_train_options *o)
{
    int32_t *left = NULL, n_left = t->nodes.n_pool;
    const uint64_t seed = (uint64_t)args_integer(t->r.a, "seed") + 1;
    kith_status st = KITH_OK;

    for (int f = 0; st == KITH_OK && f < FOLDS && n_left > 0; f++) {
        const int32_t *from = left ? left : t->nodes.pool;
        int32_t *kept = NULL, *held = NULL, n_kept = 0, n_held = 0;

        if (f == FOLDS - 1) {
            st = score_fold(t, from, n_left, o);
            break;
        }
        st = kith_hold_out(t->data->graph, t->data->labels, from, n_left,
                           1.0 / (FOLDS - f), seed, &kept, &n_kept, &held,
                           &n_held, &t->r.err);
        if (st == KITH_OK && n_held > 0)
            st = score_fold(t, held, n_held, o);
        kith_array_free(held);
        kith_array_free(left);
        left = kept;
        n_left = n_kept;
    }
    kith_array_free(left);
    return st;
}

static kith_status train(ranking *t)
{
    kith_train_options o, next;
    const chosen_nodes *c = &t->nodes;
    kith_status st = method_options(&t->r, &o);

    if (st != KITH_OK)
        return st;
    o.params.balance = true;
    if (c->n_val > 0) {
        st = fit(t, c->pool, c->n_pool, c->val, c->n_val, &o, &t->model, t->p);
        if (st == KITH_OK)
            st = take_scores(t, c->val, c->n_val, t->p);
        return st;
    }
    if (c->n_held > 0)
        st = fit(t, c->kept, c->n_kept, c->held, c->n_held, &o, &t->tuned,
                 NULL);
    else
        st = fit(t, c->pool, c->n_pool, NULL, 0, &o, &t->tuned, NULL);
    if (st != KITH_OK)
        return st;
    next = kith_options_like(&o, t->tuned);
    st = cross_fit(t, &next);
    if (st == KITH_OK)
        st = fit(t, c->pool, c->n_pool, NULL, 0, &next, &t->model, t->p);
    return st;
}

/* ---- the list ------------------------------------------------------------ */

/* The unknown nodes in the order of the final model. */
static kith_status sort_unknown(ranking *t)
{
    const int64_t C = t->data->labels->classes;
    ranked *all = calloc((size_t)t->n_order + 1, sizeof(*all));

    if (!all)
        return run_no_memory(&t->r);
    for (int32_t i = 0; i < t->n_order; i++)
        all[i] = (ranked){t->p[t->order[i] * C + t->positive], t->order[i], i};
    qsort(all, (size_t)t->n_order, sizeof(*all), falling);
    for (int32_t i = 0; i < t->n_order; i++)
        t->order[i] = all[i].node;
    free(all);
    return KITH_OK;
}

double rank_score_at(const ranking *t, int32_t place)
{
    return t
        ->p[(int64_t)t->order[place] * t->data->labels->classes + t->positive];
}

static double prevalence(const ranking *t)
{
    return args_given(t->r.a, "prevalence") ? args_real(t->r.a, "prevalence")
                                            : (double)NAN;
}

double rank_prevalence(const ranking *t)
{
    const double given = prevalence(t);

    return isnan(given) ? (double)t->cut.positives /
                              (t->cut.positives + t->cut.negatives)
                        : given;
}

/* The known nodes cannot tell how few positives there are: if that is given,
 * the first n hold no more than all. */
static void keep_possible(const ranking *t, int32_t n, kith_threshold *c)
{
    const double most = prevalence(t) * t->n_order / n;

    if (n == 0 || isnan(most))
        return;
    c->precision = fmin(c->precision, most);
    c->precision_low = fmin(c->precision_low, most);
    c->precision_high = fmin(c->precision_high, most);
}

kith_status rank_cut_after(ranking *t, int32_t n, kith_threshold *out)
{
    const kith_status st =
        kith_threshold_choose(t->score, t->is, t->n_known, prevalence(t),
                              KITH_GOAL_AT, -(double)n + .5, out, &t->r.err);

    if (st == KITH_OK)
        keep_possible(t, n, out);
    return st;
}

static kith_status cut(ranking *t)
{
    const args *a = t->r.a;
    const bool precision = args_given(a, "precision");
    kith_status st;

    t->n_listed = t->n_order;
    if (args_given(a, "budget") && args_integer(a, "budget") < t->n_order)
        t->n_listed = (int32_t)args_integer(a, "budget");
    if (!precision && !args_given(a, "recall"))
        return rank_cut_after(t, t->n_listed, &t->cut);
    st = kith_threshold_choose(
        t->score, t->is, t->n_known, prevalence(t),
        precision ? KITH_GOAL_PRECISION : KITH_GOAL_RECALL,
        args_real(a, precision ? "precision" : "recall"), &t->cut, &t->r.err);
    t->n_listed = (int32_t)fmin(t->n_order, floor(-t->cut.threshold) + 1);
    keep_possible(t, t->n_listed, &t->cut);
    return st;
}

static kith_status write_list(ranking *t)
{
    out_text o;
    kith_status st = out_text_open(&t->r, args_text(t->r.a, "output"), NULL,
                                   &o);

    if (st != KITH_OK)
        return st;
    fputs("rank\tnode\tprobability\n", o.stream);
    for (int32_t i = 0; st == KITH_OK && i < t->n_listed; i++) {
        fprintf(o.stream, "%d\t", (int)i + 1);
        st = put_node(&t->r, o.stream, t->data->graph, t->order[i]);
        fprintf(o.stream, "\t%.7g\n", rank_score_at(t, i));
    }
    if (st == KITH_OK)
        return out_text_commit(&t->r, &o);
    out_text_abort(&o);
    return st;
}

/* ---- what is told of it -------------------------------------------------- */

test_counts rank_count_test(const ranking *t)
{
    const kith_split *s = &t->nodes.named;
    const kith_labels *l = t->data->labels;
    const double from = t->n_listed > 0 ? rank_score_at(t, t->n_listed - 1) : 2;
    test_counts n = {0};

    for (int32_t i = 0; i < s->n_test; i++) {
        const int32_t u = s->test[i];
        const bool is = l->of[u] == t->positive;
        const bool in = (double)t->p[(int64_t)u * l->classes + t->positive] >=
                        from;

        n.positives += is;
        n.listed += in && l->of[u] >= 0;
        n.hits += in && is;
    }
    n.precision = n.listed ? (double)n.hits / (double)n.listed : (double)NAN;
    n.recall = n.positives ? (double)n.hits / (double)n.positives : (double)NAN;
    return n;
}

const int32_t rank_lengths[] = {10,     20,     50,     100,     200,   500,
                                1000,   2000,   5000,   10000,   20000, 50000,
                                100000, 200000, 500000, 1000000, 0};

/* ---- the command --------------------------------------------------------- */

static kith_status find_positive(ranking *t)
{
    const kith_labels *l = t->data->labels;
    const char *name = args_text(t->r.a, "positive");

    for (t->positive = 0; t->positive < l->classes; t->positive++)
        if (strcmp(l->names[t->positive], name) == 0)
            return KITH_OK;
    return run_fail(&t->r, KITH_ERR_ARGUMENT, NULL,
                    "no labelled node is of class '%.60s', which --positive "
                    "names",
                    name);
}

static kith_status prepare(ranking *t)
{
    const args *a = t->r.a;
    kith_status st = check_output(&t->r, args_text(a, "output"));

    if (st == KITH_OK)
        st = open_given(&t->r, args_plain(a, 0), &t->data);
    if (st == KITH_OK && !(t->data->labels && t->data->labels->labelled > 0))
        st = run_fail(&t->r, KITH_ERR_ARGUMENT, args_plain(a, 0),
                      "has no labels to learn from: give --labels FILE");
    if (st == KITH_OK)
        st = find_positive(t);
    if (st == KITH_OK)
        st = chosen_nodes_find(&t->r, t->data, &t->nodes);
    if (st != KITH_OK)
        return st;
    t->p = predictions_new(t->data->graph, t->data->labels->classes);
    t->work = predictions_new(t->data->graph, t->data->labels->classes);
    t->score = calloc((size_t)t->data->labels->labelled + 1, sizeof(*t->score));
    t->is = calloc((size_t)t->data->labels->labelled + 1, sizeof(bool));
    return t->p && t->work && t->score && t->is ? KITH_OK
                                                : run_no_memory(&t->r);
}

static kith_status work(ranking *t)
{
    kith_status st = prepare(t);

    if (st == KITH_OK)
        st = list_unknown(t);
    if (st == KITH_OK)
        st = train(t);
    if (st == KITH_OK)
        st = sort_unknown(t);
    if (st == KITH_OK)
        st = cut(t);
    if (st == KITH_OK)
        st = run_cancelled();
    progress_end(&t->r.tty);
    if (st == KITH_OK && args_text(t->r.a, "output"))
        st = write_list(t);
    return st;
}

static int check(const args *a)
{
    if (!args_given(a, "positive"))
        return usage_error(a->of, "the class to look for is missing: "
                                  "--positive CLASS");
    if (args_given(a, "precision") + args_given(a, "recall") +
            args_given(a, "budget") >
        1)
        return usage_error(a->of, "--precision, --recall and --budget: only "
                                  "one can be wished for");
    if (!method_find(args_text(a, "method")))
        return method_unknown(a->of, args_text(a, "method"));
    if (args_given(a, "val") && args_given(a, "split"))
        return usage_error(a->of, "--val and --split cannot be used together");
    if (args_flag(a, "json") && args_text(a, "output") &&
        strcmp(args_text(a, "output"), "-") == 0)
        return usage_error(a->of, "--json and '-o -' cannot both go to "
                                  "standard output");
    return predictions_check_name(a->of, args_text(a, "output"));
}

static int rank(const args *a)
{
    const char *list = args_text(a, "output");
    FILE *out = list && strcmp(list, "-") == 0 ? stderr : stdout;
    ranking t = {0};
    int code = check(a);
    kith_status st;

    if (code != EXIT_OK)
        return code;
    run_begin(&t.r, a);
    st = work(&t);
    if (st == KITH_OK && args_flag(a, "json"))
        st = rank_json(stdout, &t);
    else if (st == KITH_OK && !t.r.quiet)
        st = rank_text(out, &t);
    code = run_end(&t.r, st);
    chosen_nodes_release(&t.nodes);
    kith_model_free(t.tuned);
    kith_model_free(t.model);
    kith_dataset_free(t.data);
    free(t.p);
    free(t.work);
    free(t.score);
    free(t.is);
    free(t.order);
    return code;
}

const command cmd_rank = {
    .name = "rank",
    .summary = "list the nodes most likely of one class, cut where you wish",
    .usage = usage,
    .description = description,
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .run = rank,
};
