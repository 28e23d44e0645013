#include <kith/kith.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chosen_nodes.h"
#include "cmd_shared.h"
#include "commands.h"
#include "method_options.h"
#include "outcome_text.h"
#include "predictions.h"
#include "report_file.h"
#include "term.h"

static const char *const usage[] = {
    "GRAPH --labels FILE [OPTIONS] -o out.tsv",
    "DATASET --split NAME [OPTIONS] -o out.tsv",
    NULL,
};

static const char *const description[] = {
    "Labels every node of a graph from the few whose label is known, the edges "
    "between them, and features of the nodes if there are any. Writes a table "
    "with a row per node: its id, the most probable class, its probability, "
    "and then the probability of each class; a row's probabilities sum to 1.",
    "The labelled nodes are learnt from. What the method leaves open is tuned: "
    "on the nodes that --val or --split names, or else on a stratified part of "
    "the labelled nodes that is held out; then the method is fitted again to "
    "all of them with the parameters so chosen. A parameter given by its own "
    "option is not tuned. 'kith methods' lists the methods.",
    "Without -o a summary is printed and no table. With '-o -' the table goes "
    "to standard output and the summary to standard error.",
    "The default of lcm differs from the paper: its sums over training nodes "
    "and edges are averages, so that step sizes mean the same on any graph, "
    "and a guard keeps rho(W) rho(H) below 1, so that propagation converges. "
    "--as-written follows the formulas to the letter.",
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
    {.name = "method",
     .type = OPTION_TEXT,
     .value = "NAME",
     .preset = DEFAULT_METHOD,
     .help = "The method; see 'kith methods'. auto trains several and keeps "
             "the one that validates best. A value of lcm alone (--g1, ...) "
             "means lcm."},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Where the table goes; - is standard output."},
    {.name = "save",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Keep the model, for 'kith predict', 'explain', 'suggest' and "
             "'report'."},
    {.name = "save-solution",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "With --save: keep the beliefs too, and what they are made of, so "
             "that 'kith explain', 'suggest' and 'report' with --solution FILE "
             "need not run the model again."},
    {.name = "report",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Write one HTML page about the data, the model and its "
             "predictions; see 'kith report'."},
    {.name = "val",
     .type = OPTION_FILE,
     .value = "FILE",
     .group = "Tuning",
     .help = "Tune on these labelled nodes, one id a line, and learn from the "
             "other labelled ones."},
    ROWS_TUNING,
    ROWS_METHOD,
    ROWS_READING,
    {.name = "checkpoint",
     .type = OPTION_FILE,
     .value = "FILE",
     .group = "Running",
     .help = "Keep the state of the run in FILE, and that of the last fit in "
             "FILE.last, replaced after every group of points tried and every "
             "alternation of lcm; a run that was killed goes on from there, "
             "to the same result. Both are removed when all is written."},
    {.name = "plan",
     .group = "Running",
     .help = "Tell what the run would need, memory, disk and time, and which "
             "form of lcm's weights it would take and why; then stop. For "
             "linbp and the methods of lcm."},
    {.name = "memory",
     .type = OPTION_SIZE,
     .value = "SIZE",
     .group = "Running",
     .help = "Refuse to start if the run would need more, such as 512M or "
             "16G, by the plan. A built graph counts as far as it is read."},
    ROW_THREADS,
    ROW_QUIET,
    ROW_HELP,
    ROW_END,
};

static const example examples[] = {
    {"kith classify accounts.kg --labels known.tsv -o out.tsv",
     "label every account from the known ones"},
    {"kith classify data/cora --split paper-0", "how well it would do"},
    {"kith classify g.kg --labels known.tsv -o - | sort -t $'\\t' -k 4,4gr "
     "| head",
     "the nodes most likely of the first class"},
    {"kith classify g.kg --labels known.tsv --save fraud.km -o out.tsv",
     "keep the model for tomorrow's graph"},
    {"kith classify g.kg --labels known.tsv --save fraud.km --save-solution "
     "fraud.ks -o out.tsv",
     "and today's beliefs, to be asked about"},
    {"kith classify data/cora --split paper-0 --method linbp --no-tune "
     "--iterations 20",
     "one method with given values"},
    {"kith classify g.kg --labels known.tsv --method lcm --plan",
     "what that would cost"},
    {NULL, NULL},
};

/* A classification on its way. */
typedef struct task {
    run r;
    const char *path, *method;
    kith_dataset *data;
    chosen_nodes nodes;
    kith_model *tuned; /* on kept and held */
    kith_model *model;
    kith_solution *solution; /* of model, if it is kept or reported */
    float *p;
    float *p_tuned;  /* of the model that has not seen what was held out */
    int64_t *learnt; /* nodes of each class learnt from */
    kith_scores test;
    bool tested;
    char note[2][160];
    char last[4096]; /* checkpoint of the last fit */
} task;

/* ---- training ------------------------------------------------------------ */

static kith_status fit(task *t, int32_t *train, int32_t n_train, int32_t *val,
                       int32_t n_val, const kith_train_options *o,
                       kith_model **out, float *p)
{
    const kith_split split = {
        .train = train, .val = val, .n_train = n_train, .n_val = n_val};

    return kith_model_train(t->data, t->method, &split, o, out, p, &t->r.err);
}

/* The last one, whose table is written. */
static kith_status fit_last(task *t, const kith_train_options *o)
{
    const kith_split split = {.train = t->nodes.pool,
                              .val = t->nodes.val,
                              .n_train = t->nodes.n_pool,
                              .n_val = t->nodes.n_val};
    kith_status st;

    if (!args_text(t->r.a, "report") && !args_text(t->r.a, "save-solution"))
        return kith_model_train(t->data, t->method, &split, o, &t->model, t->p,
                                &t->r.err);
    st = kith_solution_train(t->data, t->method, &split, o, &t->model,
                             &t->solution, &t->r.err);
    if (st == KITH_OK)
        kith_solution_probabilities(t->solution, t->p);
    return st;
}

/* Tune on what was held out, then fit all with the parameters chosen. */
static kith_status fit_twice(task *t, const kith_train_options *o)
{
    kith_train_options again;
    kith_status st = fit(t, t->nodes.kept, t->nodes.n_kept, t->nodes.held,
                         t->nodes.n_held, o, &t->tuned, t->p_tuned);

    if (st != KITH_OK)
        return st;
    again = kith_options_like(o, t->tuned);
    again.checkpoint = o->checkpoint ? t->last : NULL;
    return fit_last(t, &again);
}

static kith_status train(task *t)
{
    kith_train_options o;
    const kith_status st = method_options(&t->r, &o);

    if (st != KITH_OK)
        return st;
    t->p = predictions_new(t->data->graph, t->data->labels->classes);
    if (args_text(t->r.a, "report") && t->nodes.n_held > 0)
        t->p_tuned = predictions_new(t->data->graph, t->data->labels->classes);
    if (!t->p ||
        (args_text(t->r.a, "report") && t->nodes.n_held > 0 && !t->p_tuned))
        return run_no_memory(&t->r);
    if (o.checkpoint)
        snprintf(t->last, sizeof(t->last), "%s.last", o.checkpoint);
    if (t->nodes.n_held > 0)
        return fit_twice(t, &o);
    return fit_last(t, &o);
}

/* What has been written makes the checkpoints needless. */
static void drop_checkpoints(const task *t)
{
    const char *path = args_text(t->r.a, "checkpoint");

    if (!path)
        return;
    remove(path);
    remove(t->last);
}

/* ---- planning ------------------------------------------------------------ */

static void tell_plan(const task *t, const kith_plan *p, FILE *out)
{
    char number[TERM_NUMBER];

    term_heading(out, "Plan");
    term_row(out, "method", "%s, %s", t->method,
             p->tunes ? "tuned" : "nothing tuned");
    if (p->form)
        term_row(out, "weights", "%s: %s", p->form, p->why);
    term_row(out, "memory", "%s", term_bytes(p->memory, number));
    term_row(out, "disk", "%s for the checkpoint", term_bytes(p->disk, number));
    term_row(out, "time", "%s", term_seconds(p->seconds, number));
}

/* Plan the fits, refuse those over --memory, and tell with --plan. */
static kith_status plan(task *t)
{
    const chosen_nodes *c = &t->nodes;
    const bool held = c->n_held > 0;
    const kith_split split = {.train = held ? c->kept : c->pool,
                              .val = held ? c->held : c->val,
                              .n_train = held ? c->n_kept : c->n_pool,
                              .n_val = held ? c->n_held : c->n_val};
    kith_train_options o;
    char needed[TERM_NUMBER], limit[TERM_NUMBER];
    kith_plan p;
    kith_status st;

    st = method_options(&t->r, &o);
    if (st == KITH_OK)
        st = kith_model_plan(t->data, t->method, &split, &o, &p, &t->r.err);
    if (st != KITH_OK)
        return st;
    progress_end(&t->r.tty);
    if (args_flag(t->r.a, "plan"))
        tell_plan(t, &p, stdout);
    if (t->r.job.memory > 0 && p.memory > (double)t->r.job.memory)
        return run_fail(&t->r, KITH_ERR_NOMEM, NULL,
                        "about %s of memory are needed, more than --memory %s",
                        term_bytes(p.memory, needed),
                        term_bytes((double)t->r.job.memory, limit));
    return KITH_OK;
}

/* ---- what came of it ----------------------------------------------------- */

static kith_status count_learnt(task *t)
{
    const kith_labels *l = t->data->labels;

    t->learnt = calloc((size_t)l->classes + 1, sizeof(*t->learnt));
    if (!t->learnt)
        return run_no_memory(&t->r);
    for (int32_t i = 0; i < t->nodes.n_pool; i++)
        t->learnt[l->of[t->nodes.pool[i]]]++;
    return KITH_OK;
}

static kith_status score_test(task *t)
{
    const kith_split *s = &t->nodes.named;

    for (int32_t i = 0; i < s->n_test && !t->tested; i++)
        t->tested = t->data->labels->of[s->test[i]] >= 0;
    if (!t->tested)
        return KITH_OK;
    return kith_score(t->p, t->data->labels, s->test, s->n_test, &t->test,
                      &t->r.err);
}

static void tell_training(task *t, outcome *o)
{
    char a[TERM_NUMBER], b[TERM_NUMBER];
    const bool tunes = !args_flag(t->r.a, "no-tune");

    o->notes[0] = t->note[0];
    if (t->nodes.n_held > 0) {
        snprintf(t->note[0], sizeof(t->note[0]),
                 "on %s nodes, %s on %s held out with seed %lld",
                 term_count(t->nodes.n_kept, a), tunes ? "tuned" : "validated",
                 term_count(t->nodes.n_held, b),
                 (long long)args_integer(t->r.a, "seed"));
        snprintf(t->note[1], sizeof(t->note[1]),
                 "then fitted to all %s, with the parameters below",
                 term_count(t->nodes.n_pool, a));
        o->notes[1] = t->note[1];
    } else if (t->nodes.n_val > 0) {
        snprintf(t->note[0], sizeof(t->note[0]), "on %s nodes, %s on %s",
                 term_count(t->nodes.n_pool, a), tunes ? "tuned" : "validated",
                 term_count(t->nodes.n_val, b));
    } else {
        snprintf(t->note[0], sizeof(t->note[0]), "on %s nodes, %s",
                 term_count(t->nodes.n_pool, a),
                 args_real(t->r.a, "hold-out") > 0
                     ? "too few to hold some out for tuning: defaults"
                     : "nothing tuned: defaults");
    }
}

static void tell(task *t, FILE *out)
{
    outcome o = {
        .path = t->path,
        .data = t->data,
        .model = t->model,
        .certificate = kith_model_certificate(t->model),
        .p = t->p,
        .learnt = t->learnt,
        .validation = kith_model_validation(t->tuned ? t->tuned : t->model),
        .n_val = t->nodes.n_held > 0 ? t->nodes.n_held : t->nodes.n_val,
        .test_name = args_text(t->r.a, "split"),
        .test = t->tested ? &t->test : NULL,
        .table = args_text(t->r.a, "output"),
        .saved = args_text(t->r.a, "save"),
        .report = args_text(t->r.a, "report"),
        .seconds = seconds_now() - t->r.begun,
    };

    tell_training(t, &o);
    outcome_text(out, &o);
}

/* Judged on the split's test nodes, or on those held out, by the model that
 * has not seen them, or on those named for tuning. */
static void choose_judged(const task *t, kith_report_input *in)
{
    const chosen_nodes *c = &t->nodes;

    if (t->tested) {
        in->judged = c->named.test;
        in->n_judged = c->named.n_test;
        in->judged_what = "the test nodes of the split";
    } else if (c->n_held > 0) {
        in->judged = c->held;
        in->n_judged = c->n_held;
        in->judged_what = "labelled nodes held out for tuning, by a model that "
                          "has not learnt from them";
        in->probabilities = t->p_tuned;
    } else {
        in->judged = c->val;
        in->n_judged = c->n_val;
        in->judged_what = "the nodes named for tuning";
    }
}

static kith_status write_report(task *t, const char *path, kith_outputs *with)
{
    char title[300], how[400];
    const bool tunes = !args_flag(t->r.a, "no-tune");
    outcome o = {0};
    kith_report_input in = {
        .solution = t->solution,
        .title = input_name(t->path, title, sizeof(title)),
        .validation = kith_model_validation(t->tuned ? t->tuned : t->model),
        .n_validation = t->nodes.n_held > 0 ? t->nodes.n_held : t->nodes.n_val,
        .how = how,
    };

    tell_training(t, &o);
    snprintf(how, sizeof(how), "Trained %s%s%s.%s", o.notes[0],
             o.notes[1] ? ", " : "", o.notes[1] ? o.notes[1] : "",
             tunes && in.n_validation > 0
                 ? " Parameters that were not given were chosen by how well "
                   "they did on those nodes."
                 : "");
    choose_judged(t, &in);
    return report_file_write(&t->r, &in, path, with);
}

/* All or nothing.  The model is the first, since other commands read it. */
static kith_status write_all(task *t)
{
    const char *table = args_text(t->r.a, "output");
    const char *save = args_text(t->r.a, "save");
    const char *report = args_text(t->r.a, "report");
    const char *solution = args_text(t->r.a, "save-solution");
    kith_outputs *all = NULL;
    kith_status st = kith_outputs_new(&all, &t->r.err);

    if (st == KITH_OK && save)
        st = kith_model_save_with(t->model, save, all, &t->r.err);
    if (st == KITH_OK && solution)
        st = kith_solution_save(t->solution, solution, all, &t->r.err);
    if (st == KITH_OK && table)
        st = predictions_write(&t->r, t->data->graph, t->model, t->p, table,
                               all);
    if (st == KITH_OK && report)
        st = write_report(t, report, all);
    if (st == KITH_OK)
        st = run_cancelled();
    if (st == KITH_OK)
        st = kith_outputs_commit(all, &t->r.err);
    kith_outputs_free(all);
    return st;
}

/* Can everything be written that is to be? */
static kith_status check_outputs(task *t)
{
    static const char *const names[] = {"output", "save", "save-solution",
                                        "report", "checkpoint"};
    kith_status st = KITH_OK;

    for (size_t i = 0; st == KITH_OK && i < sizeof(names) / sizeof(*names); i++)
        st = check_output(&t->r, args_text(t->r.a, names[i]));
    return st;
}

/* The data, and what its nodes are for. */
static kith_status prepare(task *t)
{
    const args *a = t->r.a;
    kith_status st = open_given(&t->r, t->path, &t->data);

    if (st != KITH_OK)
        return st;
    if (!(t->data->labels && t->data->labels->labelled > 0))
        return run_fail(&t->r, KITH_ERR_ARGUMENT,
                        args_given(a, "labels") ? args_text(a, "labels")
                                                : t->path,
                        "has no labels to learn from%s",
                        args_given(a, "labels") ? "" : ": give --labels FILE");
    return chosen_nodes_find(&t->r, t->data, &t->nodes);
}

static kith_status work(task *t)
{
    const args *a = t->r.a;
    kith_status st = check_outputs(t);

    if (st == KITH_OK)
        st = prepare(t);
    if (st == KITH_OK && (args_flag(a, "plan") || args_given(a, "memory")))
        st = plan(t);
    if (st != KITH_OK || args_flag(a, "plan"))
        return st;
    st = train(t);
    if (st == KITH_OK)
        st = count_learnt(t);
    if (st == KITH_OK)
        st = score_test(t);
    if (st == KITH_OK)
        st = write_all(t);
    if (st == KITH_OK)
        drop_checkpoints(t);
    return st;
}

static void task_release(task *t)
{
    chosen_nodes_release(&t->nodes);
    kith_solution_free(t->solution);
    kith_model_free(t->tuned);
    kith_model_free(t->model);
    kith_dataset_free(t->data);
    free(t->learnt);
    free(t->p);
    free(t->p_tuned);
}

static int check(const args *a)
{
    const char *table = args_text(a, "output"), *save = args_text(a, "save");

    if (!method_find(args_text(a, "method")))
        return method_unknown(a->of, args_text(a, "method"));
    if (args_given(a, "val") && args_given(a, "split"))
        return usage_error(a->of, "--val and --split cannot be used together");
    if (args_given(a, "val") && args_given(a, "hold-out"))
        return usage_error(a->of,
                           "--val and --hold-out cannot be used together");
    if (args_text(a, "save-solution") && !save)
        return usage_error(a->of, "--save-solution needs --save: a solution "
                                  "is asked about with its model");
    if (args_text(a, "save-solution") &&
        strcmp(args_text(a, "save-solution"), "-") == 0)
        return usage_error(
            a->of, "a solution cannot go to standard output: name a file");
    if (save && strcmp(save, "-") == 0)
        return usage_error(a->of,
                           "a model cannot go to standard output: name a file");
    if (args_text(a, "report") && strcmp(args_text(a, "report"), "-") == 0)
        return usage_error(
            a->of, "a report cannot go to standard output: name a file");
    if (args_text(a, "checkpoint") && strlen(args_text(a, "checkpoint")) > 4000)
        return usage_error(a->of, "the name of the checkpoint is too long");
    if (save && table && strcmp(save, table) == 0)
        return usage_error(a->of, "-o and --save name the same file");
    return predictions_check_name(a->of, table);
}

static int classify(const args *a)
{
    task t = {.path = args_plain(a, 0), .method = method_wanted(a)};
    const char *table = args_text(a, "output");
    FILE *out = table && strcmp(table, "-") == 0 ? stderr : stdout;
    int code = check(a);
    kith_status st;

    if (code != EXIT_OK)
        return code;
    run_begin(&t.r, a);
    st = work(&t);
    progress_end(&t.r.tty);
    if (st == KITH_OK && t.model && !t.r.quiet && !ferror(stdout))
        tell(&t, out);
    code = run_end(&t.r, st);
    task_release(&t);
    return code;
}

const command cmd_classify = {
    .name = "classify",
    .summary = "label every node from the few whose label is known",
    .usage = usage,
    .description = description,
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .run = classify,
};
