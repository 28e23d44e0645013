#include "data/labels.h"

#include <math.h>

#include "core/alloc.h"
#include "core/map.h"
#include "core/sort.h"
#include "graph/graph_object.h"
#include "io/fields.h"
#include "io/ids_text.h"
#include "io/reader.h"
#include "io/writer.h"

/* ---- lines --------------------------------------------------------------- */

typedef struct label_line {
    kith__field node, class_name;
} label_line;

static bool is_one_of(const kith__field *f, const char *const *names)
{
    for (; *names; names++)
        if (f->length == strlen(*names) &&
            strncasecmp(f->text, *names, f->length) == 0)
            return true;
    return false;
}

static bool is_header(const label_line *line)
{
    static const char *const nodes[] = {"node", "id",      "node_id", "name",
                                        "user", "account", NULL};
    static const char *const classes[] = {"class",  "label",    "y",
                                          "target", "category", NULL};

    return is_one_of(&line->node, nodes) &&
           is_one_of(&line->class_name, classes);
}

/* The next label; *more is false at the end.  *separator 0: look for it. */
static kith_status next_label(kith__reader *r, char *separator,
                              label_line *line, bool *more, kith_error *err)
{
    const bool first = *separator == 0;
    kith_status st = KITH_OK;
    kith__field extra;
    const char *end;
    char *at;

    TRY(kith__reader_next_data(r, "#%", more, err));
    if (!*more)
        goto out;
    if (first)
        *separator = kith__separator_of(r->text, (size_t)r->length);
    at = r->text;
    end = r->text + r->length;
    if (!kith__field_next(&at, end, *separator, &line->node) ||
        !kith__field_next(&at, end, *separator, &line->class_name))
        TRY(kith__reader_fail(r, err,
                              "expected a node and its class separated by %s",
                              kith__separator_name(*separator)));
    if (line->node.length == 0 || line->class_name.length == 0)
        TRY(kith__reader_fail(r, err,
                              "the %s is empty, expected a node and "
                              "its class",
                              line->node.length == 0 ? "node" : "class"));
    if (kith__field_next(&at, end, *separator, &extra))
        TRY(kith__reader_fail(r, err,
                              "has more than two fields, expected a "
                              "node and its class"));
    if (first && is_header(line))
        TRY(next_label(r, separator, line, more, err));
out:
    return st;
}

kith_status kith__labels_collect(const char *path, kith__id_set *out,
                                 kith_error *err)
{
    kith_status st = KITH_OK;
    kith__reader r = {0};
    char separator = 0;
    label_line line;
    bool more;

    TRY(kith__reader_open(path, &r, err));
    for (;;) {
        TRY(next_label(&r, &separator, &line, &more, err));
        if (!more)
            break;
        if (line.node.length > KITH__ID_LONGEST)
            TRY(kith__reader_fail(&r, err,
                                  "node id has %zu bytes, expected at most %d",
                                  line.node.length, KITH__ID_LONGEST));
        if (kith__id_set_add(out, line.node.text, line.node.length, NULL) < 0)
            TRY(kith__no_memory(err));
    }
out:
    kith__reader_close(&r);
    return st;
}

/* ---- reading ------------------------------------------------------------- */

/* Give one node its class; a second, different class is refused. */
static kith_status set_label(kith__reader *r, const kith_graph *g,
                             kith_labels *labels, kith__id_set *classes,
                             const label_line *line, kith_error *err)
{
    const int32_t node = kith_graph_find(g, line->node.text, line->node.length);
    char shown[KITH_QUOTE_BUFFER], other[KITH_QUOTE_BUFFER];
    const char *before;
    size_t length;
    int32_t c;

    kith__quote(shown, line->node.text, line->node.length);
    if (node < 0)
        return kith__reader_fail(
            r, err,
            "unknown node '%s', expected a node of the graph (%d nodes)", shown,
            (int)g->n);
    c = kith__id_set_add(classes, line->class_name.text,
                         line->class_name.length, NULL);
    if (c < 0)
        return kith__no_memory(err);
    if (labels->of[node] >= 0 && labels->of[node] != c) {
        before = kith__id_set_get(classes, labels->of[node], &length);
        return kith__reader_fail(r, err,
                                 "node '%s' has a second class, it was '%s' "
                                 "before",
                                 shown, kith__quote(other, before, length));
    }
    labels->labelled += labels->of[node] < 0;
    labels->of[node] = c;
    return KITH_OK;
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
static kith_status order_classes(kith_labels *labels, kith__id_set *classes,
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
out:
    kith__free(sorted);
    kith__free(number);
    return st;
}

kith_status kith_labels_read(const char *path, const kith_graph *g,
                             kith_labels **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_labels *labels = NULL;
    kith__id_set classes = {0};
    kith__reader r = {0};
    char separator = 0;
    label_line line;
    bool more;

    *out = NULL;
    TRY_NEW(labels, kith__alloc_zeroed(1, sizeof(*labels)));
    labels->nodes = g->n;
    TRY_NEW(labels->of, kith__alloc(g->n, sizeof(*labels->of)));
    memset(labels->of, -1, (size_t)g->n * sizeof(*labels->of));
    TRY(kith__reader_open(path, &r, err));
    for (;;) {
        TRY(next_label(&r, &separator, &line, &more, err));
        if (!more)
            break;
        TRY(set_label(&r, g, labels, &classes, &line, err));
    }
    if (labels->labelled == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "has no labels, expected lines with a node and its "
                       "class"));
    TRY(order_classes(labels, &classes, err));
    *out = labels;
    labels = NULL;
out:
    kith_labels_free(labels);
    kith__id_set_release(&classes);
    kith__reader_close(&r);
    return st;
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
    TRY(order_classes(labels, &c->names, err));
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
