#include <kith/kith.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_shared.h"
#include "commands.h"
#include "graph_facts.h"

static const char *const usage[] = {"GRAPH [OPTIONS]", NULL};

static const char *const description[] = {
    "Describes a graph or data set: nodes and edges, degrees with a histogram "
    "in powers of two, components, class balance and edge homophily if there "
    "are labels, features, splits, what was cleaned while reading, and how "
    "much memory each method will need.",
    "Edge homophily is the share of edges between nodes of one class, among "
    "the edges with both ends labelled.",
    "Inputs up to 1 GiB are always verified whole: checksums, order and range "
    "of all that a built file holds. Larger ones only with --verify.",
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
    {.name = "json", .help = "Print one JSON object, for programs."},
    {.name = "verify",
     .help = "Verify everything, also if the input is larger than 1 GiB."},
    ROWS_READING,
    ROW_THREADS,
    ROW_QUIET,
    ROW_HELP,
    ROW_END,
};

static const example examples[] = {
    {"kith graph info data/cora", "describe a data set folder"},
    {"kith graph info accounts.kg --labels known.tsv",
     "how a few known labels lie in a graph"},
    {"kith graph info g.kg --json | jq .components",
     "one number, for a script"},
    {"kith graph info huge.kg --verify > huge.txt",
     "check every byte of a large built file"},
    {NULL, NULL},
};

static kith_status verify(run *r, graph_facts *f)
{
    const int64_t always = (int64_t)1 << 30;
    const kith_graph *g = f->data->graph;
    const int64_t bytes = f->bytes >= 0 ? f->bytes
                                        : 8 * (int64_t)kith_graph_nodes(g) +
                                              8 * kith_graph_edges(g);

    if (bytes > always && !args_flag(r->a, "verify"))
        return KITH_OK;
    f->verified = true;
    return kith_graph_verify(g, &r->job, &r->err);
}

static kith_status count_classes(run *r, graph_facts *f)
{
    const kith_labels *l = f->data->labels;

    f->homophily = NAN;
    if (!l)
        return KITH_OK;
    f->class_count = calloc((size_t)l->classes + 1, sizeof(*f->class_count));
    if (!f->class_count)
        return run_no_memory(r);
    for (int32_t u = 0; u < l->nodes; u++)
        if (l->of[u] >= 0)
            f->class_count[l->of[u]]++;
    f->homophily = kith_homophily(f->data->graph, l, &f->counted);
    return run_cancelled();
}

static kith_status read_splits(run *r, graph_facts *f)
{
    kith_status st = kith_dataset_splits(f->data, &f->splits, &f->split_count,
                                         &r->err);

    for (int i = 0; st == KITH_OK && i < f->split_count && i < SPLITS_SHOWN;
         i++) {
        st = kith_split_read(f->data, f->splits[i], &f->split[i], &r->err);
        f->splits_read += st == KITH_OK;
    }
    return st;
}

static void set_sizes(graph_facts *f)
{
    const kith_features *x = f->data->features;
    forecast_sizes *s = &f->sizes;

    s->nodes = kith_graph_nodes(f->data->graph);
    s->edges = (double)kith_graph_edges(f->data->graph);
    s->classes = f->data->labels ? f->data->labels->classes : 2;
    s->labelled = f->data->labels ? (double)f->data->labels->labelled : 0;
    s->weighted = kith_graph_weights(f->data->graph) != NULL;
    s->columns = x ? x->columns : 0;
    if (x && x->row)
        s->feature_bytes = 8 * (s->nodes + 1) +
                           (x->value ? 8 : 4) * (double)x->entries;
    else if (x)
        s->feature_bytes = 4 * (double)x->entries;
}

static kith_status gather(run *r, graph_facts *f)
{
    kith_build_options how = reading_options(r);
    kith_status st = kith_dataset_open(f->path, &how, &f->data, &r->err);

    if (st == KITH_OK)
        st = verify(r, f);
    if (st == KITH_OK)
        st = read_given(r, f->data);
    if (st == KITH_OK)
        st = kith_graph_stats_compute(f->data->graph, &r->job, &f->stats,
                                      &r->err);
    if (st == KITH_OK)
        st = count_classes(r, f);
    if (st == KITH_OK)
        st = read_splits(r, f);
    if (st == KITH_OK)
        set_sizes(f);
    return st == KITH_OK ? run_cancelled() : st;
}

static void facts_release(graph_facts *f)
{
    for (int i = 0; i < f->splits_read; i++)
        kith_split_release(&f->split[i]);
    kith_names_free(f->splits, f->split_count);
    free(f->class_count);
    kith_dataset_free(f->data);
}

static int graph_info(const args *a)
{
    graph_facts f = {.path = args_plain(a, 0)};
    kith_status st;
    run r;

    run_begin(&r, a);
    f.bytes = file_size(f.path);
    st = gather(&r, &f);
    progress_end(&r.tty);
    if (st == KITH_OK && args_flag(a, "json") && !info_json(stdout, &f))
        st = run_no_memory(&r);
    else if (st == KITH_OK && !args_flag(a, "json"))
        info_text(stdout, &f);
    facts_release(&f);
    return run_end(&r, st);
}

const command cmd_graph_info = {
    .name = "graph info",
    .summary = "describe and check a graph or data set",
    .usage = usage,
    .description = description,
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .run = graph_info,
};
