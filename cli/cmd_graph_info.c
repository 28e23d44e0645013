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
    "A built file is verified whole if it has up to 1 GiB: checksums, and that "
    "all it holds is in order and in range. Of larger ones checksums are "
    "compared only with --verify.",
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
    {.name = "split",
     .type = OPTION_TEXT,
     .value = "NAME",
     .help =
         "Tell the memory for the training nodes of this split, of the data "
         "set or a folder. Default: the largest of those shown."},
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

/* Columns in which u, or a node up to `hops` edges away, has an entry, of those
 * that are not stamped yet. */
static int64_t columns_around(const kith_dataset *d, int32_t u, int hops,
                              int32_t stamp, int32_t *seen)
{
    const kith_features *x = d->features;
    const int64_t *rows = kith_graph_rows(d->graph);
    int64_t count = 0;

    for (int64_t i = x->row[u]; i < x->row[u + 1]; i++)
        if (seen[x->column[i]] != stamp) {
            seen[x->column[i]] = stamp;
            count++;
        }
    for (int64_t p = rows[u]; hops > 0 && p < rows[u + 1]; p++)
        count += columns_around(d, kith_graph_neighbours(d->graph)[p], hops - 1,
                                stamp, seen);
    return count;
}

/* Mean number of entries of a row that is summed over neighbours `hops` times,
 * told from some of the rows. */
static double entries_around(const kith_dataset *d, int hops, int32_t *seen)
{
    enum { SAMPLE = 500 };
    const int32_t n = kith_graph_nodes(d->graph), step = n / SAMPLE + 1;
    int64_t entries = 0, rows = 0;

    for (int32_t i = 0; i < d->features->columns; i++)
        seen[i] = -1;
    for (int32_t u = 0; u < n; u += step, rows++)
        entries += columns_around(d, u, hops, u, seen);
    return (double)entries / (double)rows;
}

/* Numbers of an array that doubles until they fit: while it does for the last
 * time, the old half is there beside the new one. */
static double grown(double numbers)
{
    return exp2(ceil(log2(fmax(numbers, 16))));
}

/* Bytes of the features smoothed as by default: all rows once, and those to
 * learn from twice. */
static kith_status find_smoothed(run *r, graph_facts *f)
{
    const kith_features *x = f->data->features;
    forecast_sizes *s = &f->sizes;
    double once, twice;
    int32_t *seen;

    if (!x || s->nodes == 0)
        return KITH_OK;
    once = twice = x->columns;
    if (x->row) {
        seen = malloc((size_t)x->columns * sizeof(*seen) + 1);
        if (!seen)
            return run_no_memory(r);
        once = entries_around(f->data, 1, seen);
        twice = entries_around(f->data, 2, seen);
        free(seen);
    }
    s->smoothed_bytes =
        8 * (s->nodes + grown(once * s->nodes) + grown(twice * s->labelled));
    return KITH_OK;
}

/* Nodes to learn from: those of the split that was asked for, or of the largest
 * training part among those shown, or all that are labelled. */
static kith_status find_labelled(run *r, graph_facts *f)
{
    const char *name = args_text(r->a, "split");
    kith_split split = {0};
    int64_t most = 0;

    if (name) {
        kith_status st = kith_split_read(f->data, name, &split, &r->err);

        most = split.n_train;
        kith_split_release(&split);
        if (st != KITH_OK)
            return st;
    }
    for (int i = 0; !name && i < f->splits_read; i++)
        if (f->split[i].n_train > most)
            most = f->split[i].n_train;
    if (most == 0 && f->data->labels)
        most = f->data->labels->labelled;
    f->sizes.labelled = (double)most;
    return KITH_OK;
}

static void set_sizes(graph_facts *f)
{
    const kith_features *x = f->data->features;
    forecast_sizes *s = &f->sizes;

    s->nodes = kith_graph_nodes(f->data->graph);
    s->edges = (double)kith_graph_edges(f->data->graph);
    s->classes = f->data->labels ? f->data->labels->classes : 2;
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
    if (st == KITH_OK)
        st = find_labelled(r, f);
    if (st == KITH_OK)
        st = find_smoothed(r, f);
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
