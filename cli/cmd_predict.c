#include <kith/kith.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_shared.h"
#include "commands.h"
#include "out_text.h"
#include "outcome_text.h"
#include "reading_options.h"
#include "task_options.h"
#include "term.h"
#include "verdict_text.h"

static const char *const usage[] = {"--model FILE GRAPH [OPTIONS] -o out.tsv",
                                    NULL};

static const char *const description[] = {
    "Labels every node of a graph with a model that 'kith classify --save' "
    "kept. The graph may be the one that the model was trained on or one that "
    "has grown since: nodes are matched by id, features by column. The table "
    "is that of 'kith classify'.",
    "Four lines tell what came of it; --verbose tells all, --json too. Without "
    "-o no table is written; with '-o -' it goes to standard output and the "
    "lines to standard error.",
    NULL,
};

static const option options[] = {
    {.name = "model",
     .letter = 'm',
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "The model. Needed.",
     .missing = "the model is missing: --model FILE"},
    {.name = "labels",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Labels that have arrived since: the model is fitted again to "
             "its own training nodes and these, with the choices it has; "
             "nothing is tuned. They stand where both name a node."},
    {.name = "features",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Features to use: .mtx, .svm, .npy or .npz. Those of the data "
             "set, if not given."},
    ROWS(table_rows),
    {.name = "coverage",
     .type = OPTION_REAL,
     .value = "SHARE",
     .least = 0,
     .most = 1,
     .help = "Sets of classes that hold the truth for this share of nodes, by "
             "a model that was trained with --coverage; its own share, if not "
             "given."},
    ROWS(telling_rows),
    ROWS(task_rows),
    ROWS(reading_rows),
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith predict --model fraud.km today.kg -o out.tsv",
     "label today's graph with yesterday's model"},
    {"kith predict --model fraud.km today.kg", "a summary alone"},
    {"kith predict --model fraud.km today.kg --labels new.tsv -o out.tsv",
     "with the labels that arrived today, in the time of one fit"},
    {NULL, NULL},
};

typedef struct task {
    run r;
    const char *path, *table;
    kith_dataset *data;
    kith_model *model;
    kith_certificate certificate;
    float *p;
    uint8_t *evidence;
    uint8_t *sets;   /* NULL if the model is not one for sets */
    double coverage; /* that they are to hold */
    kith_refit refit;
} task;

static kith_status write_table(task *t)
{
    const kith_predictions what = {
        .probabilities = t->p,
        .evidence = t->evidence,
        .sets = t->sets,
        .force_labels = args_flag(t->r.a, "force-labels")};
    out_table_state shown;
    const char *to = out_table(&t->r, t->table, &shown);

    if (!to)
        return t->r.err.status;
    return out_table_end(
        &shown, kith_predictions_write(t->data->graph, t->model, &what, to,
                                       &t->r.job, NULL, &t->r.err));
}

/* With labels that have arrived since, a model that has learnt from them. */
static kith_status learn_more(task *t)
{
    kith_model *more = NULL;
    kith_status st;

    if (!args_given(t->r.a, "labels"))
        return KITH_OK;
    st = kith_model_refit(t->model, t->data, &t->r.job, &more, &t->refit,
                          &t->r.err);
    if (st != KITH_OK)
        return st;
    kith_model_free(t->model);
    t->model = more;
    return KITH_OK;
}

/* Sets as asked for, else as the model was asked for when it was trained. */
static kith_status choose_sets(task *t)
{
    const bool given = args_given(t->r.a, "coverage");
    const size_t n = (size_t)kith_graph_nodes(t->data->graph);

    t->coverage = given ? args_real(t->r.a, "coverage")
                        : kith_model_coverage(t->model);
    if (t->coverage == 0)
        return KITH_OK;
    t->sets = calloc(n * (size_t)kith_model_classes(t->model) + 1, 1);
    if (!t->sets)
        return run_no_memory(&t->r);
    return kith_sets(t->model, t->p, NULL, (int32_t)n, t->coverage, t->sets,
                     &t->r.err);
}

static kith_status work(task *t)
{
    kith_status st = check_output(&t->r, t->table);

    if (st == KITH_OK)
        st = kith_model_open(args_text(t->r.a, "model"), &t->model, &t->r.err);
    if (st == KITH_OK)
        st = open_given(&t->r, t->path, &t->data);
    if (st == KITH_OK)
        st = learn_more(t);
    if (st != KITH_OK)
        return st;
    t->p = calloc((size_t)kith_graph_nodes(t->data->graph) *
                          (size_t)kith_model_classes(t->model) +
                      1,
                  sizeof(*t->p));
    t->evidence = calloc((size_t)kith_graph_nodes(t->data->graph) + 1, 1);
    if (!t->p || !t->evidence)
        return run_no_memory(&t->r);
    st = kith_model_predict(t->model, t->data, &t->r.job, t->p, t->evidence,
                            &t->certificate, &t->r.err);
    if (st == KITH_OK)
        st = choose_sets(t);
    if (st == KITH_OK)
        st = run_cancelled();
    if (st == KITH_OK && t->table)
        st = write_table(t);
    return st;
}

/* The verdict, judged by what labels the data has beyond those learnt from;
 * labels of other classes are not asked about. */
static kith_status tell_verdict(task *t, const outcome *o, FILE *out)
{
    kith_dataset data = *t->data;
    kith_verdict_input in;
    kith_verdict *v = NULL;
    kith_status st = KITH_OK;

    if (t->data->labels)
        st = kith_model_labels(t->model, t->data->labels, &data.labels,
                               &t->r.err);
    if (st != KITH_OK && st != KITH_ERR_ARGUMENT)
        return st;
    if (st == KITH_ERR_ARGUMENT)
        data.labels = NULL;
    kith_verdict_input_init(&in);
    in.data = &data;
    in.model = t->model;
    in.certificate = &t->certificate;
    in.probabilities = t->p;
    in.judged_what = "labelled nodes that the model was not taught, of which "
                     "some may have served to choose parameters";
    in.chosen_by = true;
    in.job = &t->r.job;
    st = kith_verdict_new(&in, &v, &t->r.err);
    if (st == KITH_OK && args_flag(t->r.a, "json"))
        st = verdict_json(&t->r, v, o);
    else if (st == KITH_OK)
        verdict_text(out, v, o);
    kith_verdict_free(v);
    kith_labels_free(data.labels);
    return st;
}

static kith_status tell(task *t, FILE *out)
{
    const bool same = kith_model_graph_hash(t->model) ==
                      kith_graph_hash(t->data->graph);
    char found[120], more[200];
    outcome o = {
        .path = t->path,
        .data = t->data,
        .model = t->model,
        .certificate = &t->certificate,
        .p = t->p,
        .validation = NAN,
        .sets = t->sets,
        .coverage = t->coverage,
        .from = args_text(t->r.a, "model"),
        .table = t->table,
        .seconds = seconds_now() - t->r.begun,
    };

    snprintf(found, sizeof(found), "%s: %d of its %d training nodes are here",
             same ? "on this very graph"
                  : "on another graph, nodes are matched by id",
             (int)kith_model_found(t->model, t->data->graph),
             (int)kith_model_trained(t->model));
    o.notes[0] = found;
    if (args_given(t->r.a, "labels")) {
        snprintf(more, sizeof(more),
                 "fitted again with %d new labels and %d changed ones, "
                 "nothing tuned; of its own %d kept, %d not in the graph",
                 (int)t->refit.added, (int)t->refit.changed, (int)t->refit.kept,
                 (int)t->refit.gone);
        o.notes[1] = more;
        if (!args_flag(t->r.a, "json"))
            fprintf(out, "%s\n", more);
    }
    if (!args_flag(t->r.a, "verbose") || args_flag(t->r.a, "json"))
        return tell_verdict(t, &o, out);
    outcome_text(out, &o);
    return KITH_OK;
}

static int predict(const args *a)
{
    task t = {.path = args_plain(a, 0), .table = args_text(a, "output")};
    FILE *out = t.table && strcmp(t.table, "-") == 0 ? stderr : stdout;
    int code = check_stdout(a);
    kith_status st;

    if (code != EXIT_OK)
        return code;
    run_begin(&t.r, a);
    st = work(&t);
    progress_end(&t.r.tty);
    if (st == KITH_OK && (!t.r.quiet || args_flag(a, "json")) &&
        !ferror(stdout))
        st = tell(&t, out);
    code = run_end(&t.r, st);
    kith_model_free(t.model);
    kith_dataset_free(t.data);
    free(t.p);
    free(t.evidence);
    free(t.sets);
    return code;
}

const command cmd_predict = {
    .name = "predict",
    .summary = "label the nodes of a graph with a model kept before",
    .usage = usage,
    .description = description,
    .arguments = graph_argument,
    .options = options,
    .examples = examples,
    .run = predict,
};
