/*
 * features.c: feature matrices: whichever format, and their rows on the nodes.
 */
#include "data/features.h"
#include "core/alloc.h"
#include "core/map.h"
#include "graph/graph_object.h"
#include "io/formats.h"
#include "io/gather.h"
#include "io/ids_text.h"
#include "io/inflate.h"
#include "io/kg.h"
#include "io/kg_check.h"

#include <unistd.h>
#include <xxhash.h>

void kith_features_free(kith_features *f)
{
    if (!f)
        return;
    if (f->names)
        kith_names_free(f->names, f->columns);
    if (f->owner) {
        kith__map_release(f->owner);
    } else {
        kith__free(f->row);
        kith__free(f->borrowed ? NULL : f->column);
        kith__free(f->borrowed ? NULL : f->value);
    }
    kith__free(f);
}

/* By the reader that fits, by the first bytes and the name. */
static kith_status load_from(kith__source *source, kith_features **out,
                             kith_error *err)
{
    const char *path = kith__source_path(source);
    const char *first = kith__source_first(source);

    if (kith__source_empty(source))
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "is empty, expected a feature matrix");
    if (strncasecmp(first, "%%MatrixMarket", 14) == 0)
        return kith__mtx_features_read(source, out, err);
    if (memcmp(first, "PK\3\4", 4) == 0)
        return kith__npz_features_read(source, out, err);
    if (memcmp(first, "\x93NUMPY", 6) == 0)
        return kith__npy_features_read(source, out, err);
    if (kith__kg_is(source))
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "is a built graph, expected a feature matrix");
    if (kith__named(path, ".mtx"))
        return kith__fail(err, KITH_ERR_PARSE, path, 1,
                          "expected a line that begins with %%%%MatrixMarket");
    return kith__svmlight_read(source, out, err);
}

kith_status kith_features_load(const char *path, kith_features **out,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    kith__source *source = NULL;

    *out = NULL;
    TRY(kith__source_open(path, NULL, NULL, &source, err));
    TRY(load_from(source, out, err));
    TRY(kith__features_check_width(*out, path, err));
out:
    if (st != KITH_OK) {
        kith_features_free(*out);
        *out = NULL;
    }
    kith__source_close(source);
    return st;
}

/* The ids of the rows, from the list beside the file, if there is one. */
static kith_status row_list(const char *path, kith__ids *ids, bool *found,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    char *beside = NULL;
    mode_t mode = 0;

    TRY(kith__id_list_beside(path, &beside, err));
    if (beside)
        TRY(kith__look(beside, &mode, err));
    *found = mode != 0;
    if (*found)
        TRY(kith__id_list_read(beside, ids, err));
out:
    kith__free(beside);
    return st;
}

static kith_features_format format_named(const char *path)
{
    return kith__named(path, ".mtx")   ? KITH_FEATURES_MTX
           : kith__named(path, ".npy") ? KITH_FEATURES_NPY
           : kith__named(path, ".npz") ? KITH_FEATURES_NPZ
           : kith__named(path, ".svm") || kith__named(path, ".svmlight")
               ? KITH_FEATURES_SVMLIGHT
               : KITH_FEATURES_AUTO;
}

static kith_status put_features(const kith_features *f, kith__writer *w,
                                kith_features_format format, kith_error *err)
{
    switch (format) {
    case KITH_FEATURES_MTX:
        kith__mtx_features_write(f, w);
        return KITH_OK;
    case KITH_FEATURES_SVMLIGHT:
        kith__svmlight_write(f, w);
        return KITH_OK;
    case KITH_FEATURES_NPY:
        return kith__npy_features_write(f, w, err);
    case KITH_FEATURES_NPZ:
        kith__npz_features_write(f, w);
        return KITH_OK;
    case KITH_FEATURES_AUTO:
        break;
    }
    return kith__fail(err, KITH_ERR_ARGUMENT, kith__writer_path(w), 0,
                      "has a name that tells no feature format, expected .mtx "
                      ".svm .npy or .npz");
}

/* Write f, and beside it the ids of its rows: those of `rows`, a graph as it is
 * listed, if it needs a list. */
static kith_status write_rows(const kith_features *f, const kith_graph *rows,
                              bool listed, const char *path,
                              kith_features_format format, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__writer *w = NULL;

    format = format ? format : format_named(path);
    if (format == KITH_FEATURES_NPZ)
        TRY(kith__packing_none(path, err));
    TRY(kith__writer_open(path, &w, err));
    TRY(put_features(f, w, format, err));
    st = rows ? kith__commit_with_list(w, path, rows, listed, err)
              : kith__writer_commit(w, err);
    w = NULL;
out:
    kith__writer_abort(w);
    return st;
}

kith_status kith_features_write(const kith_features *f, const char *path,
                                kith_features_format format, kith_error *err)
{
    return write_rows(f, NULL, false, path, format, err);
}

kith_status kith_dataset_write_features(const kith_dataset *d, const char *path,
                                        kith_features_format format,
                                        kith_error *err)
{
    const kith_graph *g = d->graph;
    kith_status st = KITH_OK;
    kith_features *listed = NULL;

    if (!d->features)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "the data set has no features"));
    if (g->place)
        TRY(kith__features_place(d->features, g->n, g->place, &listed, err));
    TRY(write_rows(listed ? listed : d->features, g,
                   !kith_graph_fits(g, KITH_GRAPH_MTX), path, format, err));
out:
    kith_features_free(listed);
    return st;
}

kith_status kith_features_convert(const char *path, const char *out_path,
                                  kith_features_format format,
                                  kith_features **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features *f = NULL;
    kith_graph rows = {0}; /* ids only */
    bool listed;

    *out = NULL;
    TRY(kith_features_load(path, &f, err));
    TRY(row_list(path, &rows.ids, &listed, err));
    rows.n = rows.ids.n;
    TRY(write_rows(f, &rows, listed, out_path, format, err));
    *out = f;
    f = NULL;
out:
    kith_features_free(f);
    kith__ids_release(&rows.ids);
    return st;
}

/* ---- rows onto nodes ----------------------------------------------------- */

static bool row_empty(const kith_features *f, int32_t r)
{
    return f->row && f->row[r] == f->row[r + 1];
}

/* The node of each row, from a list of ids or from the row's number; -1 for an
 * empty row that has none. */
static kith_status rows_to_nodes(const kith_features *f, const kith_graph *g,
                                 const kith__ids *ids, const char *path,
                                 int32_t *node, kith_error *err)
{
    if (ids->n != f->nodes)
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "has %d rows, but the list of their nodes has %d",
                          (int)f->nodes, (int)ids->n);
    for (int32_t r = 0; r < f->nodes; r++) {
        char buffer[KITH_ID_BUFFER], shown[KITH_QUOTE_BUFFER];
        size_t length;
        const char *id = kith__ids_get(ids, r, buffer, &length);

        node[r] = kith_graph_find(g, id, length);
        if (node[r] < 0 && !row_empty(f, r))
            return kith__fail(err, KITH_ERR_PARSE, path, 0,
                              "row %d belongs to node '%s', which the graph "
                              "(%d nodes) does not have",
                              (int)r + 1, kith__quote(shown, id, length),
                              (int)g->n);
    }
    return KITH_OK;
}

static kith_status place_sparse(const kith_features *f, const int32_t *node,
                                kith_features *out, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(out->row, kith__alloc_zeroed((int64_t)out->nodes + 1, 8));
    TRY_NEW(out->column, kith__alloc(f->entries, sizeof(*out->column)));
    if (f->value)
        TRY_NEW(out->value, kith__alloc(f->entries, sizeof(*out->value)));
    for (int32_t r = 0; r < f->nodes; r++)
        if (node[r] >= 0)
            out->row[node[r] + 1] = f->row[r + 1] - f->row[r];
    for (int32_t u = 0; u < out->nodes; u++)
        out->row[u + 1] += out->row[u];
    for (int32_t r = 0; r < f->nodes; r++) {
        const int64_t n = f->row[r + 1] - f->row[r];
        const int64_t to = node[r] >= 0 ? out->row[node[r]] : 0;

        if (n == 0)
            continue;
        memcpy(out->column + to, f->column + f->row[r], (size_t)n * 4);
        if (f->value)
            memcpy(out->value + to, f->value + f->row[r], (size_t)n * 4);
    }
    out->entries = f->entries;
out:
    return st;
}

static kith_status place_dense(const kith_features *f, const int32_t *node,
                               kith_features *out, kith_error *err)
{
    const int64_t width = f->columns;
    int64_t cells;

    if (!kith__multiply(out->nodes, width, &cells))
        return kith__no_memory(err);
    out->value = kith__alloc_zeroed(cells, sizeof(*out->value));
    if (!out->value)
        return kith__no_memory(err);
    for (int32_t r = 0; r < f->nodes; r++)
        memcpy(out->value + node[r] * width, f->value + r * width,
               (size_t)width * sizeof(*f->value));
    out->entries = cells;
    return KITH_OK;
}

static kith_status copy_names(const kith_features *f, kith_features *out,
                              kith_error *err)
{
    kith_status st = KITH_OK;

    if (!f->names)
        return KITH_OK;
    TRY_NEW(out->names, kith__alloc_zeroed(f->columns, sizeof(*out->names)));
    for (int32_t c = 0; c < f->columns; c++)
        TRY_NEW(out->names[c],
                kith__copy_string(f->names[c], strlen(f->names[c])));
out:
    return st;
}

kith_status kith__features_place(const kith_features *f, int32_t n,
                                 const int32_t *node, kith_features **out,
                                 kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features *placed = NULL;

    *out = NULL;
    TRY_NEW(placed, kith__alloc_zeroed(1, sizeof(*placed)));
    placed->nodes = n;
    placed->columns = f->columns;
    TRY(f->row ? place_sparse(f, node, placed, err)
               : place_dense(f, node, placed, err));
    TRY(copy_names(f, placed, err));
    *out = placed;
    placed = NULL;
out:
    kith_features_free(placed);
    return st;
}

kith_status kith_features_read(const char *path, const kith_graph *g,
                               kith_features **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features *f = NULL;
    kith__ids ids = {0};
    int32_t *node = NULL;
    bool listed;

    *out = NULL;
    TRY(kith_features_load(path, &f, err));
    TRY(row_list(path, &ids, &listed, err));
    if (!listed && g->ids.kind == KITH__IDS_TEXT)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "belongs to a graph whose node ids are not numbers, "
                       "expected the ids of its rows in '%s.nodes.txt'",
                       path));
    if (!listed)
        ids = (kith__ids){.kind = KITH__IDS_RANGE, .n = f->nodes};
    TRY_NEW(node, kith__alloc(f->nodes, sizeof(*node)));
    TRY(rows_to_nodes(f, g, &ids, path, node, err));
    TRY(kith__features_place(f, g->n, node, out, err));
out:
    kith_features_free(f);
    kith__ids_release(&ids);
    kith__free(node);
    return st;
}

uint64_t kith__features_names_hash(const kith_features *f)
{
    uint64_t h = 1;

    if (!f || !f->names)
        return 0;
    for (int32_t c = 0; c < f->columns; c++)
        h = XXH3_64bits_withSeed(f->names[c], strlen(f->names[c]), h);
    return h ? h : 1;
}

uint64_t kith__features_hash(const kith_features *f)
{
    const size_t entries = f ? (size_t)f->entries : 0;

    if (!f)
        return 0;
    const uint64_t parts[] = {
        (uint64_t)f->nodes,
        (uint64_t)f->columns,
        (uint64_t)f->entries,
        f->row ? XXH3_64bits(f->row, ((size_t)f->nodes + 1) * sizeof(*f->row))
               : 0,
        f->column ? XXH3_64bits(f->column, entries * sizeof(*f->column)) : 0,
        f->value ? XXH3_64bits(f->value, entries * sizeof(*f->value)) : 0};

    return XXH3_64bits(parts, sizeof(parts));
}
