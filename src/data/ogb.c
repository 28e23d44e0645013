#include "data/ogb.h"

#include <math.h>

#include "core/alloc.h"
#include "core/number.h"
#include "data/labels.h"
#include "io/formats.h"
#include "io/table.h"

/* The next line of a file without a header, of as many fields as the first. */
static kith_status next_line(kith__table *t, bool *more, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__table_next(t, more, err));
    if (*more && t->fields != t->columns)
        TRY(kith__table_fail(t, err, "has %d fields, but the first line has %d",
                             t->fields, t->columns));
out:
    return st;
}

kith_status kith__ogb_count(const char *path, int32_t *n, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__table t = {0};
    int64_t count = -1;
    bool more, again = false;

    TRY(kith__table_open(path, &t, err));
    TRY(next_line(&t, &more, err));
    if (more)
        (void)kith__parse_int(t.field[0].text, t.field[0].length, &count);
    if (more)
        TRY(next_line(&t, &again, err));
    if (count < 1 || count > INT32_MAX - 1 || t.columns != 1 || again)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "is no count of nodes, expected one number: the nodes "
                       "of one graph"));
    *n = (int32_t)count;
out:
    kith__table_close(&t);
    return st;
}

static kith_status take_label(kith__table *t, const kith_graph *g, int32_t row,
                              const kith_build_options *options, kith_labels *l,
                              kith__id_set *classes, kith_error *err)
{
    const kith__field *f = &t->field[0];
    kith_status st = KITH_OK;
    char id[16];
    int32_t u;

    snprintf(id, sizeof(id), "%d", (int)row);
    u = kith_graph_find(g, id, strlen(id));
    if (u < 0)
        TRY(kith__table_fail(t, err,
                             "is a label of node %s, which the graph (%d "
                             "nodes) does not have",
                             id, (int)kith_graph_nodes(g)));
    if (kith__says_nothing(options, f))
        return KITH_OK;
    l->of[u] = kith__id_set_add(classes, f->text, f->length, NULL);
    if (l->of[u] < 0)
        TRY(kith__no_memory(err));
    l->labelled++;
out:
    return st;
}

kith_status kith__ogb_labels(const char *path, const kith_graph *g,
                             const kith_build_options *options,
                             kith_labels **out, kith_error *err)
{
    const int32_t n = kith_graph_nodes(g);
    kith_status st = KITH_OK;
    kith__id_set classes = {0};
    kith_labels *l = NULL;
    kith__table t = {0};
    bool more;

    *out = NULL;
    TRY_NEW(l, kith__alloc_zeroed(1, sizeof(*l)));
    l->nodes = n;
    TRY_NEW(l->of, kith__alloc(n, sizeof(*l->of)));
    memset(l->of, -1, (size_t)n * sizeof(*l->of));
    TRY(kith__table_open(path, &t, err));
    if (t.columns > 1)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "has %d labels a line, which are tasks of their own, "
                       "expected one; take a column of it as labels.tsv",
                       t.columns));
    for (int32_t row = 0;; row++) {
        TRY(next_line(&t, &more, err));
        if (!more)
            break;
        TRY(take_label(&t, g, row, options, l, &classes, err));
    }
    if (l->labelled == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0, "has no labels"));
    TRY(kith__labels_order(l, &classes, err));
    TRY(kith__labels_name_others(l, err));
    *out = l;
    l = NULL;
out:
    kith_labels_free(l);
    kith__id_set_release(&classes);
    kith__table_close(&t);
    return st;
}

/* The numbers of the line at hand. */
static kith_status take_features(const kith__table *t, float *row,
                                 kith_error *err)
{
    for (int c = 0; c < t->columns; c++) {
        double x;

        if (!kith__parse_real(t->field[c].text, t->field[c].length, &x) ||
            !isfinite((float)x))
            return kith__table_fail(t, err,
                                    "field %d is no number that can be a "
                                    "feature",
                                    c + 1);
        row[c] = (float)x;
    }
    return KITH_OK;
}

kith_status kith__ogb_features(const char *path, kith_features **out,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features *f = NULL;
    float *value = NULL;
    int64_t cells = 0, room = 0;
    int32_t rows = 0;
    kith__table t = {0};
    bool more;

    *out = NULL;
    TRY(kith__table_open(path, &t, err));
    for (;; rows++, cells += t.columns) {
        TRY(next_line(&t, &more, err));
        if (!more)
            break;
        if (rows == INT32_MAX - 1)
            TRY(kith__table_fail(&t, err, "is one node too many"));
        if (!kith__grow((void **)&value, &room, cells + t.columns,
                        sizeof(*value)))
            TRY(kith__no_memory(err));
        TRY(take_features(&t, value + cells, err));
    }
    if (rows == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "is empty, expected a line of numbers for each node"));
    TRY(kith__features_dense(rows, t.columns, path, &f, err));
    memcpy(f->value, value, (size_t)cells * sizeof(*value));
    *out = f;
    f = NULL;
out:
    kith_features_free(f);
    kith__free(value);
    kith__table_close(&t);
    return st;
}
