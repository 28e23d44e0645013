#include "data/labels.h"

#include <math.h>

#include "core/alloc.h"
#include "core/map.h"
#include "core/sort.h"
#include "graph/graph_object.h"
#include "io/columns.h"
#include "io/ids_text.h"
#include "io/writer.h"

/* ---- rows ---------------------------------------------------------------- */

enum { SHOWN = 3 }; /* unknown nodes that are named */

/* A label file on its way: which columns, and what was met. */
typedef struct label_rows {
    kith__table t;
    const kith_build_options *options;
    int node, label; /* columns */
    bool two;        /* there must be no others */
    int64_t unlabelled, unknown;
    int64_t pair_room;
    char shown[SHOWN][KITH_QUOTE_BUFFER];
} label_rows;

static bool same_word(const kith__field *f, const char *word, size_t length)
{
    return f->length == length && strncasecmp(f->text, word, length) == 0;
}

/* Does it say that there is no label? */
bool kith__says_nothing(const kith_build_options *o, const kith__field *f)
{
    static const char *const words[] = {"",    "unknown", "na",
                                        "nan", "null",    "?"};
    const char *more = o->table ? o->table->unlabelled : NULL;

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (same_word(f, words[i], strlen(words[i])))
            return true;
    while (more && *more) {
        const size_t n = strcspn(more, ",");

        if (f->length == n && memcmp(f->text, more, n) == 0)
            return true;
        more += n + (more[n] == ',');
    }
    return false;
}

/* A column that the user names; -1 if none was named.  A data set's own file
 * need not have it: the name may be another table's. */
static kith_status named_column(const label_rows *r, const char *option,
                                const char *name, bool own, int *column,
                                kith_error *err)
{
    kith_status st;

    *column = -1;
    if (!name)
        return KITH_OK;
    st = kith__head_column(&r->t.head, r->t.header, r->t.path, option, name,
                           column, own ? NULL : err);
    return own ? KITH_OK : st;
}

/* Both found, and not the same. */
static kith_status check_columns(const label_rows *r, kith_error *err)
{
    const kith__head *h = &r->t.head;

    if (r->node >= 0 && r->label >= 0 && r->node != r->label)
        return KITH_OK;
    if (!r->t.header)
        return kith__fail(err, KITH_ERR_PARSE, r->t.path,
                          h->rows > 0 ? r->t.lines + 1 : 0,
                          "has more than two fields, expected a node and its "
                          "class (or say --node COL --label COL)");
    return kith__head_unsure(h, r->t.path,
                             "which columns hold the node and its class",
                             "--node COL --label COL", err);
}

/* Where the node and its class are. */
static kith_status find_columns(label_rows *r, bool own, kith_error *err)
{
    const kith_table_options *t = r->options->table;
    const kith__head *h = &r->t.head;
    const bool named = t && (t->node || t->label);
    kith_status st = KITH_OK;

    TRY(kith__table_header(&r->t,
                           kith__head_of_nodes(h) ||
                               kith__source_names_columns(r->t.source) ||
                               (named && !own),
                           err));
    TRY(named_column(r, "--node", t ? t->node : NULL, own, &r->node, err));
    TRY(named_column(r, "--label", t ? t->label : NULL, own, &r->label, err));
    r->two = r->node < 0 && r->label < 0 && h->columns <= 2;
    if (!r->two && r->t.header && r->node < 0)
        r->node = kith__column_of(h, KITH__NODE);
    if (!r->two && r->t.header && r->label < 0)
        r->label = kith__column_of(h, KITH__LABEL);
    if (h->columns <= 2) { /* the one that the other is not */
        r->node = r->node >= 0 ? r->node : r->label == 0;
        r->label = r->label >= 0 ? r->label : r->node == 0;
    }
    TRY(check_columns(r, err));
out:
    return st;
}

/* own: of a data set, not one that the user names. */
static kith_status open_rows(const char *path,
                             const kith_build_options *options, bool own,
                             label_rows *r, kith_error *err)
{
    static const kith_build_options defaults;
    kith_status st = KITH_OK;

    *r = (label_rows){.options = options ? options : &defaults};
    TRY(kith__table_open(path, &r->t, err));
    TRY(find_columns(r, own, err));
out:
    return st;
}

/* The next row; *more is false at the end. */
static kith_status next_row(label_rows *r, const kith__field **node,
                            const kith__field **class_name, bool *more,
                            kith_error *err)
{
    const int need = r->node > r->label ? r->node + 1 : r->label + 1;
    kith_status st = KITH_OK;

    TRY(kith__table_next(&r->t, more, err));
    if (!*more)
        goto out;
    if (r->t.fields < need)
        TRY(kith__table_fail(&r->t, err,
                             "expected a node and its class separated by %s",
                             kith__separator_name(r->t.records.separator)));
    if (r->two && r->t.fields > 2)
        TRY(kith__table_fail(&r->t, err,
                             "has more than two fields, expected a node and "
                             "its class"));
    *node = &r->t.field[r->node];
    *class_name = &r->t.field[r->label];
    if ((*node)->length == 0)
        TRY(kith__table_fail(&r->t, err,
                             "the node is empty, expected a node and its "
                             "class"));
    for (int i = 0; i < 2; i++) {
        const kith__field *f = i ? *class_name : *node;

        if (memchr(f->text, '\r', f->length) ||
            memchr(f->text, '\n', f->length))
            TRY(kith__table_fail(&r->t, err,
                                 "has a line end inside, expected none in a "
                                 "node or its class"));
    }
    if ((*node)->length > KITH__ID_LONGEST)
        TRY(kith__table_fail(&r->t, err,
                             "node id has %zu bytes, expected at most %d",
                             (*node)->length, KITH__ID_LONGEST));
out:
    return st;
}

kith_status kith__labels_collect(const char *path,
                                 const kith_build_options *options,
                                 kith__id_set *out, kith_error *err)
{
    const kith__field *node, *class_name;
    kith_status st = KITH_OK;
    label_rows r;
    bool more;

    TRY(open_rows(path, options, true, &r, err));
    for (;;) {
        TRY(next_row(&r, &node, &class_name, &more, err));
        if (!more)
            break;
        if (kith__id_set_add(out, node->text, node->length, NULL) < 0)
            TRY(kith__no_memory(err));
    }
out:
    kith__table_close(&r.t);
    return st;
}

/* ---- reading ------------------------------------------------------------- */

/* A label of a node that the graph does not have. */
static kith_status note_unknown(label_rows *r, const kith_graph *g,
                                const kith__field *node, kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];

    kith__quote(shown, node->text, node->length);
    if (!r->options->table || r->options->table->strict)
        return kith__table_fail(
            &r->t, err,
            "unknown node '%s', expected a node of the graph (%d nodes)", shown,
            (int)g->n);
    if (r->unknown < SHOWN)
        memcpy(r->shown[r->unknown], shown, sizeof(shown));
    r->unknown++;
    return KITH_OK;
}

/* What a file says that may give a node several classes. */
static kith_status keep_pair(label_rows *r, kith_labels *l, int32_t node,
                             int32_t c, kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t *grown;

    if (l->pairs == r->pair_room) {
        const int64_t room = r->pair_room < 1024 ? 1024 : 2 * r->pair_room;

        TRY_NEW(grown, kith__resize(l->pair_node, room, sizeof(*grown)));
        l->pair_node = grown;
        TRY_NEW(grown, kith__resize(l->pair_class, room, sizeof(*grown)));
        l->pair_class = grown;
        r->pair_room = room;
    }
    l->pair_node[l->pairs] = node;
    l->pair_class[l->pairs++] = c;
out:
    return st;
}

/* Give one node its class; a second, different class is refused. */
static kith_status set_label(label_rows *r, const kith_graph *g,
                             kith_labels *labels, kith__id_set *classes,
                             const kith__field *id, const kith__field *name,
                             kith_error *err)
{
    const int32_t node = kith_graph_find(g, id->text, id->length);
    char shown[KITH_QUOTE_BUFFER], other[KITH_QUOTE_BUFFER];
    const char *before;
    kith_status st = KITH_OK;
    size_t length;
    int32_t c;

    if (node < 0)
        return note_unknown(r, g, id, err);
    if (kith__says_nothing(r->options, name)) {
        r->unlabelled++;
        return KITH_OK;
    }
    c = kith__id_set_add(classes, name->text, name->length, NULL);
    if (c < 0)
        return kith__no_memory(err);
    if (r->options->table && r->options->table->several)
        TRY(keep_pair(r, labels, node, c, err));
    else if (labels->of[node] >= 0 && labels->of[node] != c) {
        before = kith__id_set_get(classes, labels->of[node], &length);
        return kith__table_fail(
            &r->t, err, "node '%s' has a second class, it was '%s' before",
            kith__quote(shown, id->text, id->length),
            kith__quote(other, before, length));
    }
    labels->labelled += labels->of[node] < 0;
    labels->of[node] = c;
out:
    return st;
}

/* "'a', 'b', 'c', ..." */
static void list_unknown(const label_rows *r, char *out, size_t size)
{
    size_t used = 0;

    for (int i = 0; i < r->unknown && i < SHOWN; i++)
        used += (size_t)snprintf(out + used, size - used, "%s'%s'",
                                 i ? ", " : "", r->shown[i]);
    if (r->unknown > SHOWN)
        snprintf(out + used, size - used, ", ...");
}

/* Say what was taken, and what was not. */
static void tell_labels(const label_rows *r, const char *unknown)
{
    char a[KITH_QUOTE_BUFFER], b[KITH_QUOTE_BUFFER];
    const kith__table *t = &r->t;

    if (t->header)
        kith__tell(r->options, "labels from", "node '%s', class '%s'",
                   kith__column_name(&t->head, true, r->node, a),
                   kith__column_name(&t->head, true, r->label, b));
    if (r->unlabelled > 0)
        kith__tell(r->options, "unlabelled", "%lld %s without a label",
                   (long long)r->unlabelled,
                   r->unlabelled == 1 ? "row" : "rows");
    if (r->unknown > 0)
        kith__tell(r->options, "not in graph", "%lld %s left out: %s",
                   (long long)r->unknown, r->unknown == 1 ? "label" : "labels",
                   unknown);
}

typedef struct named_class {
    const char *name;
    size_t length;
    int64_t value; /* if all names are integers */
    int32_t number;
} named_class;

static int by_value(const void *a, const void *b)
{
    const int64_t x = ((const named_class *)a)->value;
    const int64_t y = ((const named_class *)b)->value;

    return (x > y) - (x < y);
}

static int by_name(const void *a, const void *b)
{
    const named_class *x = a, *y = b;
    const size_t common = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->name, y->name, common);

    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* Number the classes by their names instead of by appearance. */
kith_status kith__labels_order(kith_labels *labels, kith__id_set *classes,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    named_class *sorted = NULL;
    int32_t *number = NULL;

    labels->classes = classes->n;
    TRY_NEW(sorted, kith__alloc(classes->n, sizeof(*sorted)));
    TRY_NEW(number, kith__alloc(classes->n, sizeof(*number)));
    TRY_NEW(labels->names,
            kith__alloc_zeroed(classes->n, sizeof(*labels->names)));
    for (int32_t c = 0; c < classes->n; c++) {
        named_class *k = &sorted[c];

        k->name = kith__id_set_get(classes, c, &k->length);
        k->number = c;
        (void)kith__id_integer(k->name, k->length, &k->value);
    }
    qsort(sorted, (size_t)classes->n, sizeof(*sorted),
          classes->integers ? by_value : by_name);
    for (int32_t c = 0; c < classes->n; c++) {
        number[sorted[c].number] = c;
        TRY_NEW(labels->names[c],
                kith__copy_string(sorted[c].name, sorted[c].length));
    }
    for (int32_t u = 0; u < labels->nodes; u++)
        if (labels->of[u] >= 0)
            labels->of[u] = number[labels->of[u]];
    for (int64_t i = 0; i < labels->pairs; i++)
        labels->pair_class[i] = number[labels->pair_class[i]];
out:
    kith__free(sorted);
    kith__free(number);
    return st;
}

kith_status kith__labels_name_others(kith_labels *labels, kith_error *err)
{
    kith_status st = KITH_OK;
    char *other = NULL;
    char **names;

    if (labels->classes != 1)
        return KITH_OK;
    TRY_NEW(other, kith__join("not ", labels->names[0], ""));
    TRY_NEW(names, kith__resize(labels->names, 2, sizeof(*names)));
    names[1] = other;
    other = NULL;
    labels->names = names;
    labels->classes = 2;
out:
    kith__free(other);
    return st;
}

static void drop_pairs(kith_labels *l)
{
    kith__free(l->pair_node);
    kith__free(l->pair_class);
    l->pair_node = l->pair_class = NULL;
    l->pairs = 0;
}

/* Pairs by node, then class, each once; false if there is no memory. */
static bool sort_pairs(kith_labels *l)
{
    uint64_t *key = kith__alloc(l->pairs, sizeof(*key));
    int64_t kept = 0;

    if (!key)
        return false;
    for (int64_t i = 0; i < l->pairs; i++)
        key[i] = (uint64_t)l->pair_node[i] << 32 | (uint32_t)l->pair_class[i];
    kith__sort_u64(key, l->pairs);
    for (int64_t i = 0; i < l->pairs; i++) {
        if (i > 0 && key[i] == key[i - 1])
            continue;
        l->pair_node[kept] = (int32_t)(key[i] >> 32);
        l->pair_class[kept++] = (int32_t)(uint32_t)key[i];
    }
    l->pairs = kept;
    kith__free(key);
    return true;
}

/* Classes are numbered: keep the pairs if some node has several, each node then
 * being of its rarest class. */
static kith_status settle_pairs(label_rows *r, kith_labels *l, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t *count = NULL, several = 0;

    if (l->pairs == 0)
        return KITH_OK;
    if (!sort_pairs(l))
        return kith__no_memory(err);
    TRY_NEW(count, kith__alloc_zeroed(l->classes, sizeof(*count)));
    for (int64_t i = 0; i < l->pairs; i++) {
        count[l->pair_class[i]]++;
        several += i > 0 && l->pair_node[i] == l->pair_node[i - 1] &&
                   (i < 2 || l->pair_node[i] != l->pair_node[i - 2]);
    }
    for (int64_t i = 0; i < l->pairs; i++) {
        int32_t *of = &l->of[l->pair_node[i]];
        const bool first = i == 0 || l->pair_node[i] != l->pair_node[i - 1];

        if (first || count[l->pair_class[i]] < count[*of])
            *of = l->pair_class[i];
    }
    if (several > 0)
        kith__tell(r->options, "tasks",
                   "%lld of %lld labelled nodes have several classes: each of "
                   "the %d classes is a task of its own",
                   (long long)several, (long long)l->labelled, (int)l->classes);
    else
        drop_pairs(l);
out:
    kith__free(count);
    return st;
}

/* Something must have come of it. */
static kith_status check_labelled(const label_rows *r, const kith_labels *l,
                                  const char *unknown, kith_error *err)
{
    if (l->labelled > 0)
        return KITH_OK;
    if (r->unknown > 0)
        return kith__fail(err, KITH_ERR_PARSE, r->t.path, 0,
                          "names no node of the graph (%d nodes), but %s",
                          (int)l->nodes, unknown);
    return kith__fail(err, KITH_ERR_PARSE, r->t.path, 0,
                      "has no labels, expected lines with a node and its "
                      "class");
}

kith_status kith__labels_load(const char *path, const kith_graph *g,
                              const kith_build_options *options, bool own,
                              kith_labels **out, kith_error *err)
{
    char unknown[SHOWN * KITH_QUOTE_BUFFER + 32] = "";
    const kith__field *node, *name;
    kith_status st = KITH_OK;
    kith_labels *labels = NULL;
    kith__id_set classes = {0};
    label_rows r = {0};
    bool more;

    *out = NULL;
    TRY_NEW(labels, kith__alloc_zeroed(1, sizeof(*labels)));
    labels->nodes = g->n;
    TRY_NEW(labels->of, kith__alloc(g->n, sizeof(*labels->of)));
    memset(labels->of, -1, (size_t)g->n * sizeof(*labels->of));
    TRY(open_rows(path, options, own, &r, err));
    for (;;) {
        TRY(next_row(&r, &node, &name, &more, err));
        if (!more)
            break;
        TRY(set_label(&r, g, labels, &classes, node, name, err));
    }
    list_unknown(&r, unknown, sizeof(unknown));
    TRY(check_labelled(&r, labels, unknown, err));
    TRY(kith__labels_order(labels, &classes, err));
    TRY(settle_pairs(&r, labels, err));
    TRY(kith__labels_name_others(labels, err));
    tell_labels(&r, unknown);
    *out = labels;
    labels = NULL;
out:
    kith_labels_free(labels);
    kith__id_set_release(&classes);
    kith__table_close(&r.t);
    return st;
}

kith_status kith_labels_read(const char *path, const kith_graph *g,
                             kith_labels **out, kith_error *err)
{
    return kith__labels_load(path, g, NULL, false, out, err);
}

kith_status kith_labels_read_table(const char *path, const kith_graph *g,
                                   const kith_build_options *options,
                                   kith_labels **out, kith_error *err)
{
    return kith__labels_load(path, g, options, false, out, err);
}

kith_status kith__labels_from_classes(kith__node_classes *c, int32_t n,
                                      kith_labels **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_labels *labels = NULL;

    *out = NULL;
    if (c->labelled == 0)
        return KITH_OK;
    TRY_NEW(labels, kith__alloc_zeroed(1, sizeof(*labels)));
    labels->nodes = n;
    labels->labelled = c->labelled;
    labels->of = c->of;
    c->of = NULL;
    TRY(kith__labels_order(labels, &c->names, err));
    TRY(kith__labels_name_others(labels, err));
    *out = labels;
    labels = NULL;
out:
    kith_labels_free(labels);
    return st;
}

void kith_labels_free(kith_labels *labels)
{
    if (!labels)
        return;
    for (int32_t c = 0; labels->names && c < labels->classes; c++)
        kith__free(labels->names[c]);
    kith__free(labels->names);
    drop_pairs(labels);
    if (!labels->owner)
        kith__free(labels->of);
    kith__map_release(labels->owner);
    kith__free(labels);
}

kith_status kith__labels_place(const kith_labels *labels, const int32_t *to,
                               kith_labels **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_labels *moved = NULL;

    *out = NULL;
    TRY_NEW(moved, kith__alloc_zeroed(1, sizeof(*moved)));
    moved->nodes = labels->nodes;
    moved->classes = labels->classes;
    moved->labelled = labels->labelled;
    TRY_NEW(moved->of, kith__alloc(labels->nodes, sizeof(*moved->of)));
    TRY_NEW(moved->names,
            kith__alloc_zeroed(labels->classes, sizeof(*moved->names)));
    for (int32_t u = 0; u < labels->nodes; u++)
        moved->of[to[u]] = labels->of[u];
    for (int32_t c = 0; c < labels->classes; c++)
        TRY_NEW(moved->names[c],
                kith__copy_string(labels->names[c], strlen(labels->names[c])));
    *out = moved;
    moved = NULL;
out:
    kith_labels_free(moved);
    return st;
}

/* ---- writing ------------------------------------------------------------- */

kith_status kith_labels_write(const kith_labels *labels, const kith_graph *g,
                              const char *path, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__writer *w = NULL;

    for (int32_t c = 0; c < labels->classes; c++)
        if (strpbrk(labels->names[c], "\t\n\r"))
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                           "cannot hold class '%s', which has a tab or a line "
                           "end",
                           labels->names[c]));
    TRY(kith__writer_open(path, &w, err));
    for (int32_t i = 0; i < labels->nodes; i++) {
        const int32_t u = kith_graph_listed(g, i);

        if (labels->of[u] < 0)
            continue;
        TRY(kith__write_id(w, g, u, '\t', err));
        kith__writer_bytes(w, "\t", 1);
        kith__writer_text(w, labels->names[labels->of[u]]);
        kith__writer_bytes(w, "\n", 1);
    }
    st = kith__writer_commit(w, err);
    w = NULL;
out:
    kith__writer_abort(w);
    return st;
}

/* ---- what they say ------------------------------------------------------- */

kith_status kith_labels_rarest(const kith_labels *labels, int32_t *out,
                               kith_error *err)
{
    int64_t *count = kith__alloc_zeroed(labels->classes, sizeof(*count));

    *out = -1;
    if (!count)
        return kith__no_memory(err);
    for (int32_t u = 0; u < labels->nodes; u++)
        if (labels->of[u] >= 0)
            count[labels->of[u]]++;
    for (int32_t c = 0; c < labels->classes; c++)
        if (count[c] > 0 && (*out < 0 || count[c] <= count[*out]))
            *out = c;
    kith__free(count);
    return KITH_OK;
}

/* ---- homophily ----------------------------------------------------------- */

double kith_homophily(const kith_graph *g, const kith_labels *labels,
                      int64_t *counted)
{
    int64_t same = 0, both = 0;

    for (int32_t u = 0; u < g->n; u++) {
        const int32_t c = labels->of[u];

        for (int64_t p = g->rows[u]; c >= 0 && p < g->rows[u + 1]; p++) {
            const int32_t d = labels->of[g->neighbours[p]];

            both += d >= 0;
            same += d == c;
        }
    }
    if (counted)
        *counted = both / 2;
    return both ? (double)same / (double)both : (double)NAN;
}
