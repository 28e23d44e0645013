#include "io/graph_files.h"

#include <unistd.h>

#include "core/alloc.h"
#include "io/formats.h"
#include "io/ids_text.h"
#include "io/inflate.h"
#include "io/kg.h"

static const kith_build_options defaults;

kith_status kith__graph_node_list(const char *path,
                                  const kith_build_options *options,
                                  kith__ids *out, bool *found, kith_error *err)
{
    kith_status st = KITH_OK;
    char *beside = NULL;

    *found = false;
    if (options->nodes) {
        TRY(kith__id_list_read(options->nodes, out, err));
        *found = true;
        goto out;
    }
    TRY(kith__id_list_beside(path, &beside, err));
    if (beside && access(beside, R_OK) == 0) {
        TRY(kith__id_list_read(beside, out, err));
        *found = true;
    }
out:
    kith__free(beside);
    return st;
}

kith_status kith__gathered_graph(kith__gathered *gathered, kith_graph **out,
                                 kith_error *err)
{
    kith_status st = KITH_OK;
    kith__csr csr = {0};

    TRY(kith__builder_finish(gathered->builder, gathered->ids.n, NULL, NULL,
                             &csr, &gathered->ids, &gathered->cleaning, err));
    TRY(kith__graph_new(&csr, &gathered->ids, out, err));
out:
    kith__csr_release(&csr);
    return st;
}

static kith_status read_built(const kith__source *source,
                              const kith_build_options *options,
                              kith_graph **out, kith_cleaning *cleaning,
                              kith_error *err)
{
    const kith__kg_how how = {
        .job = &options->job, .graph_alone = true, .verify = options->verify};
    kith_status st = KITH_OK;
    kith__kg_parts parts;

    TRY(kith__kg_open(source, &how, &parts, err));
    *out = parts.graph;
    if (cleaning)
        *cleaning = parts.cleaning;
out:
    return st;
}

kith_status kith_graph_read(const char *path, const kith_build_options *options,
                            kith_graph **out, kith_cleaning *cleaning,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    kith__gathered gathered = {0};
    kith__ids nodes = {0};
    kith__known known = {0};
    kith__source *source = NULL;
    bool listed;

    *out = NULL;
    options = options ? options : &defaults;
    TRY(kith__source_open(path, options->spill_to, &options->job, &source,
                          err));
    if (kith__kg_is(source)) {
        TRY(read_built(source, options, out, cleaning, err));
        goto out;
    }
    TRY(kith__graph_node_list(path, options, &nodes, &listed, err));
    known.nodes = listed ? &nodes : NULL;
    TRY(kith__gather(source, &known, options, &gathered, err));
    TRY(kith__gathered_graph(&gathered, out, err));
    if (cleaning)
        *cleaning = gathered.cleaning;
out:
    kith__ids_release(&nodes);
    kith__gathered_release(&gathered);
    kith__source_close(source);
    return st;
}

kith_graph_format kith__graph_format_named(const char *path)
{
    static const struct {
        const char *ending;
        kith_graph_format format;
    } endings[] = {{".kg", KITH_GRAPH_KG},       {".tsv", KITH_GRAPH_TSV},
                   {".txt", KITH_GRAPH_TSV},     {".edges", KITH_GRAPH_TSV},
                   {".csv", KITH_GRAPH_CSV},     {".mtx", KITH_GRAPH_MTX},
                   {".graph", KITH_GRAPH_METIS}, {".metis", KITH_GRAPH_METIS},
                   {".npz", KITH_GRAPH_NPZ}};

    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
        if (kith__named(path, endings[i].ending))
            return endings[i].format;
    return KITH_GRAPH_AUTO;
}

static kith_status write_kg(const kith_graph *g, const char *path,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    kith__kg_writer *w = NULL;

    TRY(kith__kg_create(path, &w, err));
    TRY(kith__kg_put_neighbours(w, g->neighbours, g->weights, g->entries, err));
    TRY(kith__kg_put_graph(w, g->n, g->rows, &g->ids, err));
    st = kith__kg_commit(w, err);
    w = NULL;
out:
    kith__kg_abort(w);
    return st;
}

/* Any format but .kg. */
static kith_status put_graph(const kith_graph *g, kith__writer *w,
                             kith_graph_format format, kith_error *err)
{
    switch (format) {
    case KITH_GRAPH_TSV:
        return kith__edgelist_write(g, w, '\t', err);
    case KITH_GRAPH_CSV:
        return kith__edgelist_write(g, w, ',', err);
    case KITH_GRAPH_MTX:
        kith__mtx_graph_write(g, w);
        return KITH_OK;
    case KITH_GRAPH_METIS:
        return kith__metis_write(g, w, err);
    case KITH_GRAPH_NPZ:
        kith__npz_graph_write(g, w);
        return KITH_OK;
    case KITH_GRAPH_KG:
    case KITH_GRAPH_AUTO:
        break;
    }
    return kith__fail(err, KITH_ERR_ARGUMENT, kith__writer_path(w), 0,
                      "has a name that tells no graph format, expected .kg "
                      ".tsv .csv .mtx .graph or .npz");
}

kith_status kith__graph_write_file(const kith_graph *g, const char *path,
                                   kith_graph_format format, bool list_beside,
                                   kith_error *err)
{
    kith_status st = KITH_OK;
    kith__writer *w = NULL;

    if (format == KITH_GRAPH_KG)
        return write_kg(g, path, err);
    if (format == KITH_GRAPH_NPZ)
        TRY(kith__packing_none(path, err));
    TRY(kith__writer_open(path, &w, err));
    TRY(put_graph(g, w, format, err));
    st = list_beside ? kith__commit_with_list(
                           w, path, g, kith__graph_needs_list(g, format), err)
                     : kith__writer_commit(w, err);
    w = NULL;
out:
    kith__writer_abort(w);
    return st;
}

static bool has_isolated(const kith_graph *g)
{
    for (int32_t u = 0; u < g->n; u++)
        if (g->rows[u] == g->rows[u + 1])
            return true;
    return false;
}

bool kith_graph_fits(const kith_graph *g, kith_graph_format format)
{
    if (format == KITH_GRAPH_KG)
        return true;
    if (format == KITH_GRAPH_TSV || format == KITH_GRAPH_CSV)
        return !has_isolated(g);
    return g->ids.kind == KITH__IDS_RANGE && g->ids.base == 0;
}

bool kith__graph_needs_list(const kith_graph *g, kith_graph_format format)
{
    /* Names come in an order of their own. */
    return !kith_graph_fits(g, format) ||
           (format != KITH_GRAPH_KG && g->ids.kind == KITH__IDS_TEXT);
}

kith_status kith_graph_write(const kith_graph *g, const char *path,
                             kith_graph_format format, const kith_job *job,
                             kith_error *err)
{
    kith_status st = KITH_OK;
    kith_graph *listed = NULL;

    if (format == KITH_GRAPH_AUTO)
        format = kith__graph_format_named(path);
    TRY(kith__graph_as_listed(g, job, &listed, err));
    TRY(kith__graph_write_file(listed ? listed : g, path, format, true, err));
out:
    kith_graph_free(listed);
    return st;
}
