#include <kith/kith.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify_tasks.h"
#include "cmd_shared.h"
#include "commands.h"
#include "method_options.h"
#include "out_text.h"
#include "outcome_text.h"
#include "protocol_options.h"
#include "reading_options.h"
#include "task_options.h"
#include "term.h"
#include "verdict_text.h"

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
    "Where labels give a node several classes, or with --multi, each class is "
    "a task of its own: the table has 'labels', the classes of probability .5 "
    "or more, and a column for each class, which need not sum to 1. --task "
    "takes one of them as labels of two classes.",
    "Four lines tell what came of it, how far it may be trusted and what to do "
    "next; --verbose tells all, --json too. Without -o no table is written; "
    "with '-o -' it goes to standard output and the lines to standard error.",
    "The default of lcm differs from the paper: its sums over training nodes "
    "and edges are averages, so that step sizes mean the same on any graph, "
    "and a guard keeps rho(W) rho(H) below 1, so that propagation converges. "
    "--as-written follows the formulas to the letter.",
    NULL,
};

static const option options[] = {
    ROWS(given_rows),
    {.name = "method",
     .type = OPTION_TEXT,
     .value = "NAME",
     .preset = DEFAULT_METHOD,
     .help = "The method; see 'kith methods'. auto trains several and keeps "
             "the one that validates best. A value of lcm alone (--g1, ...) "
             "means lcm."},
    ROWS(positive_rows),
    ROWS(table_rows),
    {.name = "save",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Keep the model, for 'kith predict', 'explain', 'suggest' and "
             "'report'.",
     .only_file = "a model"},
    {.name = "save-solution",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "With --save: keep the beliefs too, and what they are made of, so "
             "that 'kith explain', 'suggest' and 'report' with --solution FILE "
             "need not run the model again.",
     .only_file = "a solution"},
    {.name = "report",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Write one HTML page about the data, the model and its "
             "predictions; see 'kith report'.",
     .only_file = "a report"},
    ROW_VAL("Tune on these labelled nodes, one id a line, and learn from the "
            "other labelled ones."),
    ROWS(telling_rows),
    ROWS(tuning_rows),
    {.name = "coverage", .type = OPTION_OF_TABLE, .group = "Sets of classes"},
    ROWS(method_rows),
    ROWS(all_tasks_rows),
    ROWS(reading_rows),
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
             "form of lcm's weights it would take and why; then stop. Time "
             "is known of linbp and the methods of lcm, memory of logreg and "
             "bp too; of others what they need at least."},
    {.name = "memory",
     .type = OPTION_SIZE,
     .value = "SIZE",
     .group = "Running",
     .help = "Refuse to start if the run would need more, such as 512M or "
             "16G, by the plan. A built graph counts as far as it is read."},
    ROWS(running_rows),
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
    kith_protocol nodes;
    kith_classification *c;
    int64_t *learnt; /* nodes of each class learnt from */
    bool tested;
    kith_verdict *verdict;
    char note[2][160];
} task;

static kith_status train(task *t)
{
    const bool report = args_text(t->r.a, "report");
    const bool solution = report || args_text(t->r.a, "save-solution");
    const bool told = report || !t->r.quiet || args_flag(t->r.a, "json") ||
                      args_text(t->r.a, "save");
    kith_train_options o;
    const kith_status st = method_options(&t->r, &o);

    if (st != KITH_OK)
        return st;
    return kith_classify(t->data, t->method, &t->nodes, &o,
                         (solution ? KITH_KEEP_SOLUTION : 0u) |
                             (told ? KITH_KEEP_UNSEEN : 0u),
                         &t->c, &t->r.err);
}

/* ---- planning ------------------------------------------------------------ */

static void tell_plan(const task *t, const kith_plan *p, FILE *out)
{
    char number[TERM_NUMBER];

    term_heading(out, "Plan");
    if (isnan(p->seconds)) {
        term_row(out, "method", "%s", t->method);
        term_row(out, "memory", "%s%s", p->least ? "at least " : "",
                 term_bytes(p->memory, number));
        term_row(out, "time", "%s", p->why);
        return;
    }
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
    kith_train_options o;
    char needed[TERM_NUMBER], limit[TERM_NUMBER];
    kith_plan p;
    kith_status st;

    st = method_options(&t->r, &o);
    if (st == KITH_OK)
        st = kith_model_plan(t->data, t->method, kith_protocol_first(&t->nodes),
                             &o, &p, &t->r.err);
    if (st != KITH_OK)
        return st;
    progress_end(&t->r.tty);
    if (args_flag(t->r.a, "plan"))
        tell_plan(t, &p, stdout);
    if (t->r.job.memory > 0 && p.least)
        return run_fail(&t->r, KITH_ERR_ARGUMENT, NULL,
                        "--memory cannot be kept: what '%s' needs is not known "
                        "before, at least %s",
                        t->method, term_bytes(p.memory, needed));
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
    for (int32_t i = 0; i < t->nodes.whole.n_train; i++)
        t->learnt[l->of[t->nodes.whole.train[i]]]++;
    return KITH_OK;
}

static void tell_training(task *t, outcome *o)
{
    char a[TERM_NUMBER], b[TERM_NUMBER];
    const bool tunes = !args_flag(t->r.a, "no-tune");
    kith_one_class one;

    o->notes[0] = t->note[0];
    if (t->nodes.tuning.n_val > 0) {
        snprintf(t->note[0], sizeof(t->note[0]),
                 "on %s nodes, %s on %s held out with seed %lld",
                 term_count(t->nodes.tuning.n_train, a),
                 tunes ? "tuned" : "validated",
                 term_count(t->nodes.tuning.n_val, b),
                 (long long)args_integer(t->r.a, "seed"));
        snprintf(t->note[1], sizeof(t->note[1]),
                 "then fitted to all %s, with the parameters below",
                 term_count(t->nodes.whole.n_train, a));
        o->notes[1] = t->note[1];
    } else if (t->nodes.whole.n_val > 0) {
        snprintf(t->note[0], sizeof(t->note[0]), "on %s nodes, %s on %s",
                 term_count(t->nodes.whole.n_train, a),
                 tunes ? "tuned" : "validated",
                 term_count(t->nodes.whole.n_val, b));
    } else {
        snprintf(t->note[0], sizeof(t->note[0]), "on %s nodes, %s",
                 term_count(t->nodes.whole.n_train, a),
                 kith_model_one_class(t->c->model, &one)
                     ? "calibrated on fifths of them held out in turn"
                 : args_real(t->r.a, "hold-out") > 0
                     ? "too few to hold some out for tuning: defaults"
                     : "nothing tuned: defaults");
    }
}

static void describe(task *t, outcome *o)
{
    *o = (outcome){
        .path = t->path,
        .data = t->data,
        .model = t->c->model,
        .certificate = kith_model_certificate(t->c->model),
        .p = t->c->probabilities,
        .learnt = t->learnt,
        .validation = t->c->validation,
        .n_val = t->c->n_validation,
        .test_name = args_text(t->r.a, "split"),
        .looked_for = t->verdict && t->verdict->positive >= 0
                          ? kith_model_class_name(t->c->model,
                                                  t->verdict->positive)
                          : NULL,
        .test = t->tested ? &t->verdict->scores : NULL,
        .sure = t->tested ? &t->verdict->intervals : NULL,
        .table = args_text(t->r.a, "output"),
        .saved = args_text(t->r.a, "save"),
        .report = args_text(t->r.a, "report"),
        .sets = t->c->sets,
        .coverage = kith_model_coverage(t->c->model),
        .seconds = seconds_now() - t->r.begun,
    };
    tell_training(t, o);
}

static kith_status tell(task *t, FILE *out)
{
    outcome o;

    if (t->r.quiet && !args_flag(t->r.a, "json"))
        return KITH_OK;
    describe(t, &o);
    if (args_flag(t->r.a, "json"))
        return verdict_json(&t->r, t->verdict, &o);
    if (args_flag(t->r.a, "verbose"))
        outcome_text(out, &o);
    else
        verdict_text(out, t->verdict, &o);
    return KITH_OK;
}

static kith_status make_verdict(task *t)
{
    kith_verdict_input in;

    kith_verdict_input_of(&in, t->data, &t->nodes, t->c);
    in.positive = positive_wanted(t->r.a);
    in.job = &t->r.job;
    t->tested = in.judged && in.judged == t->nodes.whole.test;
    if (t->r.quiet && !args_flag(t->r.a, "json") &&
        !args_text(t->r.a, "report") && !args_text(t->r.a, "save"))
        return KITH_OK;
    return kith_verdict_new(&in, &t->verdict, &t->r.err);
}

static kith_status write_report(task *t, const char *path, kith_outputs *with)
{
    char title[300], how[400], typed[2000];
    const bool tunes = !args_flag(t->r.a, "no-tune");
    outcome o = {0};
    const kith_report_input in = {
        .solution = t->c->solution,
        .verdict = t->verdict,
        .title = input_name(t->path, title, sizeof(title)),
        .validation = t->c->validation,
        .n_validation = t->c->n_validation,
        .how = how,
        .command = typed,
    };

    command_typed(t->r.a, typed, sizeof(typed));
    tell_training(t, &o);
    snprintf(how, sizeof(how), "Trained %s%s%s.%s", o.notes[0],
             o.notes[1] ? ", " : "", o.notes[1] ? o.notes[1] : "",
             tunes && in.n_validation > 0
                 ? " Parameters that were not given were chosen by how well "
                   "they did on those nodes."
                 : "");
    return out_report(&t->r, &in, path, with);
}

static kith_status write_table(task *t, const char *path, kith_outputs *with)
{
    const kith_predictions what = {
        .probabilities = t->c->probabilities,
        .evidence = t->c->evidence,
        .sets = t->c->sets,
        .force_labels = args_flag(t->r.a, "force-labels")};
    out_table_state shown;
    const char *to = out_table(&t->r, path, &shown);

    if (!to)
        return t->r.err.status;
    return out_table_end(
        &shown, kith_predictions_write(t->data->graph, t->c->model, &what, to,
                                       &t->r.job, with, &t->r.err));
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
        st = kith_model_keep_verdict(t->c->model, t->verdict, &t->r.err);
    if (st == KITH_OK && save)
        st = kith_model_save_with(t->c->model, save, all, &t->r.err);
    if (st == KITH_OK && solution)
        st = kith_solution_save(t->c->solution, solution, all, &t->r.err);
    if (st == KITH_OK && table)
        st = write_table(t, table, all);
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

static kith_status work(task *t)
{
    const args *a = t->r.a;
    kith_status st = check_outputs(t);

    if (st == KITH_OK)
        st = open_for_learning(&t->r, t->path, &t->data, &t->nodes);
    if (st == KITH_OK && wants_tasks(a, t->data))
        return classify_tasks(&t->r, t->method, t->data, &t->nodes);
    if (st == KITH_OK && (args_flag(a, "plan") || args_given(a, "memory")))
        st = plan(t);
    if (st != KITH_OK || args_flag(a, "plan"))
        return st;
    st = train(t);
    if (st == KITH_OK)
        st = count_learnt(t);
    if (st == KITH_OK)
        st = make_verdict(t);
    if (st == KITH_OK)
        st = write_all(t);
    if (st == KITH_OK)
        kith_classify_forget(args_text(a, "checkpoint"));
    return st;
}

static void task_release(task *t)
{
    kith_verdict_free(t->verdict);
    kith_protocol_release(&t->nodes);
    kith_classification_free(t->c);
    kith_dataset_free(t->data);
    free(t->learnt);
}

static int check(const args *a)
{
    const char *table = args_text(a, "output"), *save = args_text(a, "save");

    if (!method_find(args_text(a, "method")))
        return method_unknown(a->of, args_text(a, "method"));
    if (args_text(a, "save-solution") && !save)
        return usage_error(a->of, "--save-solution needs --save: a solution "
                                  "is asked about with its model");
    if (args_text(a, "checkpoint") && strlen(args_text(a, "checkpoint")) > 4000)
        return usage_error(a->of, "the name of the checkpoint is too long");
    if (save && table && strcmp(save, table) == 0)
        return usage_error(a->of, "-o and --save name the same file");
    return check_stdout(a);
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
    if (st == KITH_OK && t.c && !ferror(stdout))
        st = tell(&t, out);
    code = run_end(&t.r, st);
    task_release(&t);
    return code;
}

const command cmd_classify = {
    .name = "classify",
    .summary = "label every node from the few whose label is known",
    .usage = usage,
    .description = description,
    .arguments = graph_argument,
    .options = options,
    .examples = examples,
    .run = classify,
};
