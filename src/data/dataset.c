/*
 * dataset.c: a graph and what is known of its nodes, from a folder or from one
 * file, into memory or straight into a built file.
 *
 * In a folder without nodes.txt any file may name nodes, so labels and features
 * are looked at before the edges; with it, others are refused.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/out_set.h"
#include "data/built.h"
#include "data/files.h"
#include "data/labels.h"
#include "data/node_table.h"
#include "data/ogb.h"
#include "data/row_table.h"
#include "io/graph_files.h"
#include "io/ids_text.h"
#include "io/kg.h"

static const char *const edge_files[] = {
    "edges.tsv",   "edges.csv", "edges.txt", "edges.mtx",
    "edges.graph", "edges.npz", "graph.kg",  NULL};
static const char *const label_files[] = {"labels.tsv", "labels.csv",
                                          "labels.txt", NULL};
static const char *const feature_files[] = {
    "features.mtx", "features.svm", "features.npy", "features.npz", NULL};

static const kith_build_options defaults;

/* The files of a data set, that of the edges opened. */
typedef struct files {
    char *edges, *nodes, *labels, *features, *splits;
    char *count; /* of the Open Graph Benchmark: how many nodes; NULL if not */
    kith__source *source;
} files;

static void release_files(files *f)
{
    kith__free(f->edges);
    kith__free(f->nodes);
    kith__free(f->count);
    kith__free(f->labels);
    kith__free(f->features);
    kith__free(f->splits);
    kith__source_close(f->source);
}

/* The raw folder of the Open Graph Benchmark, if it is one. */
static kith_status find_ogb(const char *folder, files *f, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__find_file(folder, "num-node-list.csv", &f->count, err));
    if (!f->count)
        goto out;
    TRY(kith__find_file(folder, "edge.csv", &f->edges, err));
    TRY(kith__find_file(folder, "node-label.csv", &f->labels, err));
    TRY(kith__find_file(folder, "node-feat.csv", &f->features, err));
out:
    return st;
}

static kith_status find_in_folder(const char *folder, files *f, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__find_one(folder, edge_files, &f->edges, err));
    if (!f->edges)
        TRY(find_ogb(folder, f, err));
    if (f->count && f->edges)
        goto out;
    if (!f->edges)
        TRY(kith__fail(err, KITH_ERR_IO, folder, 0,
                       "has no edges.tsv (or .csv .txt .mtx .graph .npz, or "
                       "graph.kg), expected a data set folder"));
    TRY(kith__find_file(folder, "nodes.txt", &f->nodes, err));
    TRY(kith__find_one(folder, label_files, &f->labels, err));
    TRY(kith__find_one(folder, feature_files, &f->features, err));
    TRY_NEW(f->splits, kith__join(folder, "/splits", ""));
out:
    return st;
}

/* A single file has its splits in BASE.splits beside it, BASE being its path
 * without .kg, as `graph generate` writes them. */
static kith_status find_beside_file(const char *path, files *f, kith_error *err)
{
    const size_t n = strlen(path);
    kith_status st = KITH_OK;
    char *base = NULL;

    TRY_NEW(f->edges, kith__copy_string(path, n));
    TRY_NEW(base,
            kith__copy_string(path, kith__named(path, ".kg") ? n - 3 : n));
    if (!kith_path_is_stream(path))
        TRY_NEW(f->splits, kith__join(base, ".splits", ""));
out:
    kith__free(base);
    return st;
}

static kith_status open_files(const char *path,
                              const kith_build_options *options, files *f,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    mode_t mode;

    TRY(kith__outputs_settle(path, err));
    TRY(kith__look(path, &mode, err));
    TRY(S_ISDIR(mode) ? find_in_folder(path, f, err)
                      : find_beside_file(path, f, err));
    if (f->splits)
        TRY(kith__look(f->splits, &mode, err));
    if (f->splits && !S_ISDIR(mode)) {
        kith__free(f->splits);
        f->splits = NULL;
    }
    TRY(kith__source_open(f->edges, options->spill_to, &options->job,
                          &f->source, err));
out:
    return st;
}

/* ---- reading text -------------------------------------------------------- */

/* All of a data set but its graph, which comes out of `gathered`. */
typedef struct staged {
    kith__gathered gathered;
    kith_features *features;
    kith__node_table table;
    bool has_table;
} staged;

static void release_staged(staged *s)
{
    kith__gathered_release(&s->gathered);
    kith_features_free(s->features);
    kith__node_table_release(&s->table);
}

static kith_status check_feature_rows(const files *f, const kith_features *x,
                                      const kith__ids *nodes, kith_error *err)
{
    if (!nodes || x->nodes <= nodes->n)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_PARSE, f->features, 0,
                      "has %d rows, but %s lists %d nodes", (int)x->nodes,
                      f->nodes, (int)nodes->n);
}

/* The ids that the table of nodes and the labels name. */
static kith_status collect_named(const files *f,
                                 const kith_build_options *options,
                                 const staged *s, kith__id_set *named,
                                 kith_error *err)
{
    kith__known table = {0};
    kith_status st = KITH_OK;

    if (s->has_table) {
        table.named = kith__node_table_ids(&s->table);
        TRY(kith__known_add(&table, named, err));
    }
    if (f->labels && !f->count)
        TRY(kith__labels_collect(f->labels, options, named, err));
out:
    return st;
}

/* The features of the data set, whose rows are nodes that there are. */
static kith_status stage_features(const files *f, staged *out,
                                  kith__known *known, kith_error *err)
{
    kith_status st = KITH_OK;

    if (f->count)
        TRY(kith__ogb_count(f->count, &known->numbered, err));
    if (!f->features)
        goto out;
    TRY(f->count ? kith__ogb_features(f->features, &out->features, err)
                 : kith_features_load(f->features, &out->features, err));
    if (f->count && out->features->nodes != known->numbered)
        TRY(kith__fail(err, KITH_ERR_PARSE, f->features, 0,
                       "has %d lines, but %s says %d nodes",
                       (int)out->features->nodes, f->count,
                       (int)known->numbered));
    TRY(check_feature_rows(f, out->features, known->nodes, err));
    if (!f->count)
        known->numbered = known->nodes ? 0 : out->features->nodes;
out:
    return st;
}

/* Gather the edges, knowing what the other files say of the nodes. */
static kith_status stage(const files *f, const kith_build_options *options,
                         staged *out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__id_set named = {0};
    kith__ids nodes = {0};
    kith__known known = {0};
    kith_build_options with_list = *options;
    bool listed;

    TRY(kith__node_table_is(options, &out->has_table, err));
    if (out->has_table) {
        TRY(kith__node_table_read(options, &out->table, err));
        with_list.nodes = NULL;
        if (out->table.label >= 0)
            with_list.label = NULL;
    }
    if (f->nodes && !with_list.nodes)
        with_list.nodes = f->nodes;
    TRY(kith__graph_node_list(f->edges, &with_list, &nodes, &listed, err));
    known.nodes = listed ? &nodes : NULL;
    if (f->count)
        with_list.header = KITH_NO;
    TRY(stage_features(f, out, &known, err));
    if (((f->labels && !f->count) || out->has_table) && !listed) {
        TRY(collect_named(f, options, out, &named, err));
        known.named = &named;
    }
    TRY(kith__gather(f->source, &known, &with_list, &out->gathered, err));
    if (out->features && !listed && !out->gathered.raw &&
        out->gathered.ids.kind == KITH__IDS_TEXT)
        TRY(kith__fail(err, KITH_ERR_PARSE, f->features, 0,
                       "belongs to nodes whose ids are not numbers, expected a "
                       "nodes.txt that lists the node of each row"));
out:
    kith__id_set_release(&named);
    kith__ids_release(&nodes);
    return st;
}

/* Give features the graph's number of rows.  Row r is node r: ids 0 .. rows-1
 * exist and come first, or a list gives the order. */
static kith_status extend_features(kith_features *f, int32_t n, kith_error *err)
{
    const int32_t old = f->nodes;
    int64_t cells;

    if (f->nodes == n)
        return KITH_OK;
    if (f->row) {
        int64_t *row = kith__resize(f->row, (int64_t)n + 1, sizeof(*row));

        if (!row)
            return kith__no_memory(err);
        for (int32_t u = old; u < n; u++)
            row[u + 1] = row[old];
        f->row = row;
    } else {
        float *value;

        if (!kith__multiply(n, f->columns, &cells))
            return kith__no_memory(err);
        value = kith__resize(f->value, cells, sizeof(*value));
        if (!value)
            return kith__no_memory(err);
        memset(value + f->entries, 0,
               (size_t)(cells - f->entries) * sizeof(*value));
        f->value = value;
        f->entries = cells;
    }
    f->nodes = n;
    return KITH_OK;
}

/* ---- opening ------------------------------------------------------------- */

/* Labels that the graph file itself gives. */
static kith_status take_classes(kith__node_classes *c, int32_t n,
                                kith_dataset *d, kith_error *err)
{
    const kith_status st = kith__labels_from_classes(c, n, &d->labels, err);

    if (st == KITH_OK && d->labels) {
        d->label = c->attribute;
        c->attribute = NULL;
    }
    return st;
}

static kith_status load_labels(const files *f, const kith_graph *g,
                               const kith_build_options *options,
                               kith_dataset *d, kith_error *err)
{
    return f->count ? kith__ogb_labels(f->labels, g, options, &d->labels, err)
                    : kith__labels_load(f->labels, g, options, true, &d->labels,
                                        err);
}

static kith_status open_text(const files *f, const kith_build_options *options,
                             kith_dataset *d, kith_error *err)
{
    kith_status st = KITH_OK;
    staged s = {0};

    TRY(stage(f, options, &s, err));
    TRY(kith__gathered_graph(&s.gathered, &d->graph, err));
    d->cleaning = s.gathered.cleaning;
    if (!f->labels)
        TRY(take_classes(&s.gathered.classes, kith_graph_nodes(d->graph), d,
                         err));
    if (s.features)
        TRY(extend_features(s.features, kith_graph_nodes(d->graph), err));
    d->features = s.features;
    s.features = NULL;
    if (s.has_table)
        TRY(kith__node_table_take(&s.table, d->graph, &d->labels, &d->features,
                                  err));
out:
    release_staged(&s);
    return st;
}

static kith_status open_built(const files *f, const kith_build_options *options,
                              kith_dataset *d, kith_error *err)
{
    const kith__kg_how how = {.job = &options->job, .verify = options->verify};
    kith__node_table table = {0};
    kith_status st = KITH_OK;
    kith__kg_parts parts;
    bool is;

    TRY(kith__kg_open(f->source, &how, &parts, err));
    d->graph = parts.graph;
    d->labels = parts.labels;
    d->features = parts.features;
    d->cleaning = parts.cleaning;
    if (d->labels)
        TRY(kith__labels_name_others(d->labels, err));
    if (f->features && !d->features)
        TRY(kith_features_read(f->features, d->graph, &d->features, err));
    TRY(kith__node_table_is(options, &is, err));
    if (is) {
        TRY(kith__node_table_read(options, &table, err));
        TRY(kith__node_table_take(&table, d->graph, &d->labels, &d->features,
                                  err));
    }
out:
    kith__node_table_release(&table);
    return st;
}

/* The data set of these files; d is released by the caller also on failure. */
static kith_status open_found(files *f, const kith_build_options *options,
                              kith_dataset *d, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__kg_is(f->source) ? open_built(f, options, d, err)
                               : open_text(f, options, d, err));
    if (f->labels && !d->labels)
        TRY(load_labels(f, d->graph, options, d, err));
    d->splits_at = f->splits;
    f->splits = NULL;
out:
    return st;
}

/* A database in place of a file: what is asked of it, as paths. */
typedef struct asked {
    char *path, *nodes;
    kith_table_options table;
    kith_build_options options;
} asked;

static void release_asked(asked *a)
{
    kith__free(a->path);
    kith__free(a->nodes);
}

/* Let *path and *options be what options->table->edges says. */
static kith_status ask_database(const char **path,
                                const kith_build_options **options, asked *a,
                                kith_error *err)
{
    const kith_table_options *t = (*options)->table;
    kith_status st = KITH_OK;
    mode_t mode;

    if (!t || !t->edges)
        return KITH_OK;
    a->options = **options;
    a->table = *t;
    a->options.table = &a->table;
    a->table.edges = NULL;
    if (a->options.nodes) {
        TRY(kith__look(a->options.nodes, &mode, err));
        if (!mode)
            TRY_NEW(a->nodes, kith__join(*path, ":", a->options.nodes));
        a->options.nodes = mode ? a->options.nodes : a->nodes;
    }
    TRY_NEW(a->path, kith__join(*path, ":", t->edges));
    *path = a->path;
    *options = &a->options;
out:
    return st;
}

kith_status kith_dataset_open(const char *path,
                              const kith_build_options *options,
                              kith_dataset **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_dataset *d = NULL;
    asked a = {0};
    files f = {0};

    *out = NULL;
    options = options ? options : &defaults;
    if (options->table && options->table->rows)
        return kith__row_table_open(path, options, out, err);
    TRY(ask_database(&path, &options, &a, err));
    TRY_NEW(d, kith__alloc_zeroed(1, sizeof(*d)));
    TRY(open_files(path, options, &f, err));
    TRY(open_found(&f, options, d, err));
    *out = d;
    d = NULL;
out:
    release_files(&f);
    release_asked(&a);
    kith_dataset_free(d);
    return st;
}

void kith_dataset_free(kith_dataset *d)
{
    if (!d)
        return;
    kith_labels_free(d->labels);
    kith_features_free(d->features);
    kith_graph_free(d->graph);
    kith__free(d->splits_at);
    kith__free(d->label);
    kith__free(d);
}

/* ---- building ------------------------------------------------------------ */

kith_status kith_dataset_save(const kith_dataset *d, const char *path,
                              const kith_job *job, kith_error *err)
{
    return kith__built_write(d, true, KITH_ORDER_AUTO, path, job, err);
}

/* What hangs on the nodes of a graph that is being built; its ids are known. */
static kith_status take_parts(const files *f, staged *s, const kith_graph *g,
                              const kith_build_options *options,
                              kith_dataset *d, kith_error *err)
{
    kith_status st = KITH_OK;

    if (f->labels)
        TRY(load_labels(f, g, options, d, err));
    else
        TRY(take_classes(&s->gathered.classes, g->n, d, err));
    if (s->features)
        TRY(extend_features(s->features, g->n, err));
    if (s->has_table)
        TRY(kith__node_table_take(&s->table, g, &d->labels, &s->features, err));
    d->features = s->features;
    d->cleaning = s->gathered.cleaning;
out:
    return st;
}

/* Build from text: neighbours go to the file as they are merged. */
static kith_status build_straight(const files *f, staged *s,
                                  const char *out_path,
                                  const kith_build_options *options,
                                  kith_dataset *d, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__kg_writer *w = NULL;
    kith__csr csr = {0};
    kith_graph view = {0}; /* ids only, to look labels up; owns nothing */

    TRY(kith__kg_create(out_path, &w, err));
    TRY(kith__builder_finish(s->gathered.builder, s->gathered.ids.n,
                             kith__kg_put_neighbours, w, &csr, &s->gathered.ids,
                             &s->gathered.cleaning, err));
    view.n = csr.n;
    view.ids = s->gathered.ids;
    TRY(take_parts(f, s, &view, options, d, err));
    TRY(kith__kg_put_graph(w, csr.n, csr.rows, &s->gathered.ids, err));
    TRY(kith__kg_put_labels(w, d->labels, err));
    TRY(kith__kg_put_features(w, d->features, err));
    TRY(kith__kg_put_cleaning(w, &d->cleaning, err));
    st = kith__kg_commit(w, err);
    w = NULL;
out:
    kith__kg_abort(w);
    kith__csr_release(&csr);
    return st;
}

/* Build from text: the neighbours wait until it is known how to number them. */
static kith_status build_numbered(const files *f, staged *s,
                                  const char *out_path,
                                  const kith_build_options *options,
                                  kith_dataset *d, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__held held = {0};
    kith_graph view = {0}; /* owns nothing */

    TRY(kith__held_finish(&held, &s->gathered, options->spill_to, err));
    view.n = held.csr.n;
    view.entries = held.csr.entries;
    view.rows = held.csr.rows;
    view.neighbours = held.csr.neighbours;
    view.weights = held.csr.weights;
    view.files = held.map[0] ? held.fd : NULL;
    view.ids = s->gathered.ids;
    TRY(take_parts(f, s, &view, options, d, err));
    d->graph = &view;
    st = kith__built_write(d, false, options->order, out_path, &options->job,
                           err);
    d->graph = NULL;
out:
    kith__held_release(&held);
    return st;
}

static kith_status build_text(const files *f, const char *out_path,
                              const kith_build_options *options,
                              kith_cleaning *cleaning, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_dataset d = {0}; /* its features are those of s */
    staged s = {0};

    TRY(stage(f, options, &s, err));
    if (options->order == KITH_ORDER_INPUT)
        TRY(build_straight(f, &s, out_path, options, &d, err));
    else
        TRY(build_numbered(f, &s, out_path, options, &d, err));
    if (cleaning)
        *cleaning = d.cleaning;
out:
    kith_labels_free(d.labels);
    kith__free(d.label);
    release_staged(&s);
    return st;
}

/* Build from a file that is built already: numbered anew. */
static kith_status build_again(files *f, const char *out_path,
                               const kith_build_options *options,
                               kith_cleaning *cleaning, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_dataset *d = NULL;

    TRY_NEW(d, kith__alloc_zeroed(1, sizeof(*d)));
    TRY(open_found(f, options, d, err));
    TRY(kith_graph_verify(d->graph, &options->job, err));
    if (cleaning)
        *cleaning = d->cleaning;
    TRY(kith__built_write(d, false, options->order, out_path, &options->job,
                          err));
out:
    kith_dataset_free(d);
    return st;
}

/* Build from a table of rows, which is in memory first. */
static kith_status build_rows(const char *path, const char *out_path,
                              const kith_build_options *options,
                              kith_cleaning *cleaning, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_dataset *d = NULL;

    TRY(kith__row_table_open(path, options, &d, err));
    if (cleaning)
        *cleaning = d->cleaning;
    TRY(kith__built_write(d, false, options->order, out_path, &options->job,
                          err));
out:
    kith_dataset_free(d);
    return st;
}

kith_status kith_dataset_build(const char *path, const char *out_path,
                               const kith_build_options *options,
                               kith_cleaning *cleaning, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_build_options o;
    char *folder = NULL;
    asked a = {0};
    files f = {0};

    options = options ? options : &defaults;
    TRY(ask_database(&path, &options, &a, err));
    o = *options;

    if (o.table && o.table->rows)
        return build_rows(path, out_path, &o, cleaning, err);
    TRY_NEW(folder, kith__folder_of(out_path));
    if (!o.spill_to)
        o.spill_to = folder;
    TRY(open_files(path, &o, &f, err));
    TRY(kith__kg_is(f.source) ? build_again(&f, out_path, &o, cleaning, err)
                              : build_text(&f, out_path, &o, cleaning, err));
out:
    release_files(&f);
    release_asked(&a);
    kith__free(folder);
    return st;
}

/* ---- writing a folder ---------------------------------------------------- */

static const char *edges_name(kith_graph_format format)
{
    switch (format) {
    case KITH_GRAPH_KG:
        return "graph.kg";
    case KITH_GRAPH_CSV:
        return "edges.csv";
    case KITH_GRAPH_MTX:
        return "edges.mtx";
    case KITH_GRAPH_METIS:
        return "edges.graph";
    case KITH_GRAPH_NPZ:
        return "edges.npz";
    default:
        return "edges.tsv";
    }
}

static const char *features_name(kith_features_format format)
{
    switch (format) {
    case KITH_FEATURES_SVMLIGHT:
        return "features.svm";
    case KITH_FEATURES_NPY:
        return "features.npy";
    case KITH_FEATURES_NPZ:
        return "features.npz";
    default:
        return "features.mtx";
    }
}

static kith_status copy_splits(const kith_dataset *d, const char *folder,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    char **names = NULL, *at = NULL;
    kith_split s = {0};
    int n = 0;

    TRY(kith_dataset_splits(d, &names, &n, err));
    for (int i = 0; i < n; i++) {
        TRY_NEW(at, kith__join(folder, "/splits/", names[i]));
        TRY(kith_split_read(d, names[i], &s, err));
        TRY(kith_split_write(&s, d->graph, at, err));
        kith_split_release(&s);
        kith__free(at);
        at = NULL;
    }
out:
    kith_split_release(&s);
    kith__free(at);
    kith_names_free(names, n);
    return st;
}

/* Write all files of a data set but its splits into a folder that is there. */
static kith_status write_files(const kith_dataset *d, const char *folder,
                               kith_graph_format edges,
                               kith_features_format features, kith_error *err)
{
    kith_status st = KITH_OK;
    char *path[4] = {NULL, NULL, NULL, NULL};

    TRY_NEW(path[0], kith__join(folder, "/", edges_name(edges)));
    TRY_NEW(path[1], kith__join(folder, "/", features_name(features)));
    TRY_NEW(path[2], kith__join(folder, "/", "labels.tsv"));
    TRY_NEW(path[3], kith__join(folder, "/", "nodes.txt"));
    TRY(kith__graph_write_file(d->graph, path[0], edges, false, err));
    /* A built graph has no nodes.txt beside it that says whose the rows are. */
    if (d->features)
        TRY(edges == KITH_GRAPH_KG
                ? kith_dataset_write_features(d, path[1], features, err)
                : kith_features_write(d->features, path[1], features, err));
    if (d->labels)
        TRY(kith_labels_write(d->labels, d->graph, path[2], err));
    if (kith__graph_needs_list(d->graph, edges))
        TRY(kith__id_list_write(d->graph, path[3], NULL, err));
out:
    for (int i = 0; i < 4; i++)
        kith__free(path[i]);
    return st;
}

/* Only a data set may be replaced: a wrong name must not cost a folder. */
static kith_status check_replaceable(const char *folder, kith_error *err)
{
    kith_status st = KITH_OK;
    char *edges = NULL;
    mode_t mode;

    TRY(kith__look(folder, &mode, err));
    if (!S_ISDIR(mode) || kith__folder_empty(folder))
        goto out;
    TRY(kith__find_one(folder, edge_files, &edges, err));
    if (!edges)
        TRY(kith__fail(err, KITH_ERR_IO, folder, 0,
                       "is not replaced: it has no edges.tsv or the like, "
                       "expected a data set folder"));
out:
    kith__free(edges);
    return st;
}

kith_status kith_dataset_write(const kith_dataset *d, const char *folder,
                               kith_graph_format edges,
                               kith_features_format features, bool replace,
                               const kith_job *job, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_dataset *listed = NULL;
    kith__folder f = {0};

    edges = edges == KITH_GRAPH_AUTO ? KITH_GRAPH_TSV : edges;
    features = features == KITH_FEATURES_AUTO ? KITH_FEATURES_MTX : features;
    if (replace)
        TRY(check_replaceable(folder, err));
    TRY(kith__folder_begin(folder, replace, &f, err));
    TRY(kith__dataset_as_listed(d, job, &listed, err));
    TRY(write_files(listed ? listed : d, f.temp, edges, features, err));
    TRY(copy_splits(d, f.temp, err));
    TRY(kith__folder_commit(&f, err));
out:
    if (st != KITH_OK)
        kith__folder_blame(&f, err);
    kith__folder_release(&f);
    kith_dataset_free(listed);
    return st;
}
