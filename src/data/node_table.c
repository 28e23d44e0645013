#include "data/node_table.h"

#include "core/alloc.h"
#include "data/encode.h"
#include "data/labels.h"
#include "graph/graph_object.h"
#include "io/gather.h"
#include "io/kg.h"

enum { SHOWN = 3 }; /* unknown nodes that are named */

void kith__node_table_release(kith__node_table *t)
{
    kith__frame_release(&t->f);
    kith__free(t->feature);
    *t = (kith__node_table){0};
}

/* ---- what is it? --------------------------------------------------------- */

kith_status kith__node_table_is(const kith_build_options *options, bool *is,
                                kith_error *err)
{
    const kith_table_options *o = options->table;
    kith_status st = KITH_OK;
    kith__table t = {0};
    int column;

    *is = false;
    if (!options->nodes)
        return KITH_OK;
    TRY(kith__table_open(options->nodes, &t, err));
    if (t.head.columns < 2 || t.records.separator == ' ')
        goto out;
    *is = (o && o->features) || (kith__head_of_nodes(&t.head) &&
                                 kith__column_of(&t.head, KITH__NODE) >= 0);
    if (!*is && o && o->node)
        *is = kith__head_column(&t.head, true, options->nodes, "", o->node,
                                &column, NULL) == KITH_OK;
out:
    kith__table_close(&t);
    return st;
}

/* ---- which columns ------------------------------------------------------- */

/* ids, label and features of it; `names` as --features has them. */
static kith_status read_table(const char *path,
                              const kith_build_options *options,
                              const char *names, kith__node_table *out,
                              kith_error *err)
{
    const kith_table_options *o = options->table;
    const kith__frame_roles roles = {
        .id_option = "--node", .id = o ? o->node : NULL, .look_for_ids = true};
    kith_status st = KITH_OK;

    *out = (kith__node_table){.options = options, .label = -1};
    TRY(kith__frame_read(path, options, &roles, &out->f, err));
    if (out->f.rows == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "has no rows below its header"));
    TRY(kith__frame_select(&out->f, "--features", names, &out->feature, err));
out:
    return st;
}

/* Neither ids nor classes are features. */
static void choose_features(kith__node_table *t)
{
    t->feature[t->f.id] = false;
    if (t->label >= 0)
        t->feature[t->label] = false;
    for (int c = 0; c < t->f.columns; c++)
        t->features += t->feature[c];
}

kith_status kith__node_table_read(const kith_build_options *options,
                                  kith__node_table *out, kith_error *err)
{
    const kith_table_options *o = options->table;
    kith_status st = KITH_OK;

    TRY(read_table(options->nodes, options, o ? o->features : NULL, out, err));
    if (o && o->label)
        TRY(kith__frame_find(&out->f, "--label", o->label, &out->label, err));
    else
        out->label = out->f.label;
    choose_features(out);
    kith__tell(options, "nodes from", "node '%.60s'%s%.60s%s",
               out->f.column[out->f.id].name, out->label < 0 ? "" : ", class '",
               out->label < 0 ? "" : out->f.column[out->label].name,
               out->label < 0 ? "" : "'");
out:
    return st;
}

/* ---- rows and nodes ------------------------------------------------------ */

/* Whose the rows are, and whose none of them is. */
typedef struct row_nodes {
    int32_t *of;     /* of each row, -1 none */
    int64_t unknown; /* ids that the graph does not have */
    char shown[SHOWN * (KITH_QUOTE_BUFFER + 4) + 8]; /* the first of them */
    int64_t nameless;                                /* rows without an id */
    int64_t alone; /* nodes without an edge, if that can be told */
} row_nodes;

static kith_status note_unknown(const kith__node_table *t, row_nodes *r,
                                const kith_graph *g, const char *id,
                                size_t length, kith_error *err)
{
    const kith_table_options *o = t->options->table;
    const size_t used = strlen(r->shown);
    char shown[KITH_QUOTE_BUFFER];

    kith__quote(shown, id, length);
    if (o && o->strict)
        return kith__fail(err, KITH_ERR_PARSE, t->f.path, 0,
                          "unknown node '%s', expected a node of the graph "
                          "(%d nodes)",
                          shown, (int)g->n);
    if (r->unknown < SHOWN)
        snprintf(r->shown + used, sizeof(r->shown) - used, "%s'%s'",
                 r->unknown ? ", " : "", shown);
    else if (r->unknown == SHOWN)
        snprintf(r->shown + used, sizeof(r->shown) - used, ", ...");
    r->unknown++;
    return KITH_OK;
}

/* The node of each distinct id, then of each row. */
static kith_status find_nodes(const kith__node_table *t, const kith_graph *g,
                              row_nodes *r, kith_error *err)
{
    const kith__frame_column *ids = &t->f.column[t->f.id];
    kith_status st = KITH_OK;
    int32_t *node = NULL;

    TRY_NEW(node, kith__alloc(ids->values.n, sizeof(*node)));
    TRY_NEW(r->of, kith__alloc(t->f.rows, sizeof(*r->of)));
    for (int32_t v = 0; v < ids->values.n; v++) {
        size_t length;
        const char *id = kith__id_set_get(&ids->values, v, &length);

        node[v] = kith_graph_find(g, id, length);
        if (node[v] < 0)
            TRY(note_unknown(t, r, g, id, length, err));
        else if (g->rows)
            r->alone += g->rows[node[v]] == g->rows[node[v] + 1];
    }
    for (int32_t i = 0; i < t->f.rows; i++)
        r->of[i] = ids->code[i] < 0 ? -1 : node[ids->code[i]];
    r->nameless = ids->missing;
out:
    kith__free(node);
    return st;
}

/* A node has one row, or two would be its features. */
static kith_status check_once(const kith__node_table *t, const kith_graph *g,
                              const row_nodes *r, kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];
    kith_status st = KITH_OK;
    bool *seen = NULL;

    TRY_NEW(seen, kith__alloc_zeroed(g->n, sizeof(*seen)));
    for (int32_t i = 0; i < t->f.rows; i++) {
        const int32_t u = r->of[i];
        size_t length;
        const char *id = kith__frame_text(&t->f, t->f.id, i, &length);

        if (u >= 0 && seen[u])
            TRY(kith__fail(err, KITH_ERR_PARSE, t->f.path, 0,
                           "row %d is a second one of node '%s', expected one "
                           "row a node",
                           (int)i + 1, kith__quote(shown, id, length)));
        if (u >= 0)
            seen[u] = true;
    }
out:
    kith__free(seen);
    return st;
}

/* What was met on the way. */
static void tell_rows(const kith__node_table *t, const row_nodes *r,
                      const char *what)
{
    if (r->alone > 0)
        kith__tell(t->options, "no edge", "%lld of the table's %d %s",
                   (long long)r->alone, (int)t->f.rows,
                   t->f.rows == 1 ? "node" : "nodes");
    if (r->nameless > 0)
        kith__tell(t->options, "no node", "%lld %s without an id left out",
                   (long long)r->nameless, r->nameless == 1 ? "row" : "rows");
    if (r->unknown > 0)
        kith__tell(t->options, "not in graph", "%lld %s left out: %s",
                   (long long)r->unknown, what, r->shown);
}

static kith_status make_features(const kith__node_table *t, const kith_graph *g,
                                 const row_nodes *r, kith_features **out,
                                 kith_error *err)
{
    kith__encoder e = {.node = r->of, .rows = t->f.rows, .nodes = g->n};
    kith_status st = KITH_OK;

    TRY(check_once(t, g, r, err));
    TRY(kith__encode_columns(&e, &t->f, t->feature, err));
    kith__encode_tell(&e, t->options);
    TRY(kith__encode_finish(&e, t->f.path, out, err));
out:
    kith__encoder_release(&e);
    return st;
}

kith_status kith__node_table_take(const kith__node_table *t,
                                  const kith_graph *g, kith_labels **labels,
                                  kith_features **features, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features *x = NULL;
    kith_labels *l = NULL;
    row_nodes r = {0};

    TRY(find_nodes(t, g, &r, err));
    if (r.unknown == kith__node_table_ids(t)->n)
        TRY(kith__fail(err, KITH_ERR_PARSE, t->f.path, 0,
                       "names no node of the graph (%d nodes), but %s",
                       (int)g->n, r.shown));
    if (t->label >= 0)
        TRY(kith__frame_labels(&t->f, t->label, r.of, g->n, t->options, &l,
                               err));
    if (t->features > 0)
        TRY(make_features(t, g, &r, &x, err));
    tell_rows(t, &r, "rows of nodes");
    if (l) {
        kith_labels_free(*labels);
        *labels = l;
        l = NULL;
    }
    if (x) {
        kith_features_free(*features);
        *features = x;
        x = NULL;
    }
out:
    kith__free(r.of);
    kith_labels_free(l);
    kith_features_free(x);
    return st;
}

/* ---- a table of features ------------------------------------------------- */

/* Is it a table, and no matrix in a format of those? */
static kith_status is_feature_table(const char *path, bool *is, kith_error *err)
{
    static const char *const matrices[] = {".mtx", ".npy", ".npz", ".svm",
                                           ".svmlight"};
    const char *first;
    kith_status st = KITH_OK;
    kith__source *source = NULL;
    kith__table t = {0};

    for (size_t i = 0; i < sizeof(matrices) / sizeof(*matrices); i++)
        if (kith__named(path, matrices[i])) {
            *is = false;
            return KITH_OK;
        }
    TRY(kith__source_open(path, NULL, NULL, &source, err));
    first = kith__source_first(source);
    *is = !kith__source_empty(source) && first[0] != '%' &&
          memcmp(first, "PK\3\4", 4) != 0 &&
          memcmp(first, "\x93NUMPY", 6) != 0 && !kith__kg_is(source);
    if (!*is)
        goto out;
    TRY(kith__table_over(source, &t, err));
    /* svmlight has blanks, and "column:value" from the second field on. */
    *is = t.head.rows > 0 && t.head.columns > 1 && t.records.separator != ' ' &&
          !memchr(kith__head_cell(&t.head, 0, 1)->text, ':',
                  kith__head_cell(&t.head, 0, 1)->length);
out:
    kith__table_close(&t);
    kith__source_close(source);
    return st;
}

/* The class must not be among the features: the column that is named as such,
 * or that looks like it. */
static void leave_label_out(kith__node_table *t)
{
    const kith_table_options *o = t->options->table;

    if (o && o->label &&
        kith__frame_find(&t->f, "", o->label, &t->label, NULL) == KITH_OK)
        return;
    t->label = o && o->features && strcmp(o->features, "all") != 0 ? -1
                                                                   : t->f.label;
    if (t->label >= 0)
        kith__tell(t->options, "no features",
                   "'%.60s', which looks like the class",
                   t->f.column[t->label].name);
}

static kith_status read_feature_table(const char *path, const kith_graph *g,
                                      const kith_build_options *options,
                                      kith_features **out, kith_error *err)
{
    const kith_table_options *o = options->table;
    kith_labels *none = NULL;
    kith_status st = KITH_OK;
    kith__node_table t = {0};

    TRY(read_table(path, options, o && o->features ? o->features : "all", &t,
                   err));
    leave_label_out(&t);
    choose_features(&t);
    t.label = -1;
    if (t.features == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "has no column beside the node's, expected features"));
    kith__tell(options, "features from", "node '%.60s', %d %s",
               t.f.column[t.f.id].name, t.features,
               t.features == 1 ? "column" : "columns");
    TRY(kith__node_table_take(&t, g, &none, out, err));
out:
    kith__node_table_release(&t);
    return st;
}

kith_status kith_features_read_table(const char *path, const kith_graph *g,
                                     const kith_build_options *options,
                                     kith_features **out, kith_error *err)
{
    static const kith_build_options defaults;
    kith_status st = KITH_OK;
    bool table = false;

    *out = NULL;
    TRY(is_feature_table(path, &table, err));
    TRY(table ? read_feature_table(path, g, options ? options : &defaults, out,
                                   err)
              : kith_features_read(path, g, out, err));
out:
    return st;
}
