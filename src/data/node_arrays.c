/*
 * node_arrays.c: labels and features from arrays, and a data set of parts.
 */
#include "core/alloc.h"
#include "data/arrays.h"
#include "graph/ids.h"
#include "io/formats.h"

/* ---- labels -------------------------------------------------------------- */

/* The names of the classes: as given, or their numbers. */
static kith_status take_names(kith_labels *labels, const char *const *names,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    kith__id_set set = {0};

    TRY_NEW(labels->names,
            kith__alloc_zeroed(labels->classes, sizeof(*labels->names)));
    for (int32_t c = 0; c < labels->classes; c++) {
        char number[KITH_ID_BUFFER];
        const char *name = names ? names[c] : number;
        bool added;

        snprintf(number, sizeof(number), "%d", (int)c);
        if (!name || !name[0])
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                           "class %d has no name, expected one", (int)c));
        TRY_NEW(labels->names[c], kith__copy_string(name, strlen(name)));
        if (kith__id_set_add(&set, name, strlen(name), &added) < 0)
            TRY(kith__no_memory(err));
        if (!added)
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                           "class %d is called '%.60s' like another, expected "
                           "each name once",
                           (int)c, name));
    }
out:
    kith__id_set_release(&set);
    return st;
}

static kith_status check_labels(const kith_array *classes, int32_t n_classes,
                                kith_error *err)
{
    if (n_classes < 1 || classes->count > INT32_MAX - 1)
        return kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                          "there are %d classes and %lld nodes, expected 1 or "
                          "more and at most %d",
                          (int)n_classes, (long long)classes->count,
                          (int)INT32_MAX - 1);
    if (classes->type == KITH_F32 || classes->type == KITH_F64)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "classes holds real numbers; shares of several "
                          "classes are not supported, expected one class a "
                          "node, KITH_I32 or KITH_I64");
    return kith__indices_check(classes, "classes", -1, n_classes, err);
}

kith_status kith_labels_from_array(const kith_array *classes, int32_t n_classes,
                                   const char *const *names, kith_labels **out,
                                   kith_error *err)
{
    kith_status st = KITH_OK;
    kith_labels *labels = NULL;

    *out = NULL;
    TRY(check_labels(classes, n_classes, err));
    TRY_NEW(labels, kith__alloc_zeroed(1, sizeof(*labels)));
    labels->nodes = (int32_t)classes->count;
    labels->classes = n_classes;
    TRY_NEW(labels->of, kith__alloc(classes->count, sizeof(*labels->of)));
    for (int32_t u = 0; u < labels->nodes; u++) {
        labels->of[u] = (int32_t)kith__array_integer(classes, u);
        labels->labelled += labels->of[u] >= 0;
    }
    if (labels->labelled == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "classes holds no label, expected one or more"));
    TRY(take_names(labels, names, err));
    *out = labels;
    labels = NULL;
out:
    kith_labels_free(labels);
    return st;
}

/* ---- features ------------------------------------------------------------ */

enum { MOST_LINES = INT32_MAX - 1 };

static kith_status check_shape(int64_t rows, int64_t columns, kith_error *err)
{
    if (rows >= 0 && columns >= 0 && rows <= MOST_LINES &&
        columns <= MOST_LINES)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                      "the features have %lld rows and %lld columns, expected "
                      "at most %d of each",
                      (long long)rows, (long long)columns, MOST_LINES);
}

kith_status kith_features_from_dense(const kith_array *values, int64_t rows,
                                     int64_t columns, kith_keep keep,
                                     kith_features **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features *f = NULL;

    *out = NULL;
    TRY(check_shape(rows, columns, err));
    if (values->count != rows * columns) /* below 2^62 */
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "values has %lld numbers, expected %lld rows x %lld "
                       "columns",
                       (long long)values->count, (long long)rows,
                       (long long)columns));
    TRY(kith__values_check(values, "values", true, err));
    if (keep == KITH_COPY || !kith__array_is(values, KITH_F32)) {
        TRY(kith__features_dense(rows, columns, NULL, out, err));
        for (int64_t i = 0; i < values->count; i++)
            (*out)->value[i] = kith__array_float(values, i);
        goto out;
    }
    TRY_NEW(f, kith__alloc_zeroed(1, sizeof(*f)));
    *f = (kith_features){.nodes = (int32_t)rows,
                         .columns = (int32_t)columns,
                         .entries = values->count,
                         .value = (float *)values->data,
                         .borrowed = true};
    *out = f;
out:
    return st;
}

/* The least that reading a row of columns relies on, and no zeros. */
static bool is_tidy(const kith_csr *m)
{
    if (!kith__array_is(&m->columns, KITH_I32) ||
        (m->values.count && !kith__array_is(&m->values, KITH_F32)))
        return false;
    for (int64_t r = 0; r + 1 < m->rows.count; r++) {
        const int64_t end = kith__array_integer(&m->rows, r + 1);
        int64_t last = -1;

        for (int64_t p = kith__array_integer(&m->rows, r); p < end; p++) {
            const int64_t c = kith__array_integer(&m->columns, p);

            if (c <= last ||
                (m->values.count && kith__array_float(&m->values, p) == 0))
                return false;
            last = c;
        }
    }
    return true;
}

/* All ones say no more than where the entries are. */
static bool all_ones(const kith_array *values)
{
    for (int64_t i = 0; i < values->count; i++)
        if (kith__array_float(values, i) != 1)
            return false;
    return true;
}

static kith_status borrow_matrix(const kith_csr *m, kith_features **out,
                                 kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features *f = NULL;

    TRY_NEW(f, kith__alloc_zeroed(1, sizeof(*f)));
    *f = (kith_features){.nodes = (int32_t)(m->rows.count - 1),
                         .columns = (int32_t)m->width,
                         .entries = m->columns.count,
                         .column = (int32_t *)m->columns.data,
                         .borrowed = true};
    if (!all_ones(&m->values))
        f->value = (float *)m->values.data;
    TRY_NEW(f->row, kith__alloc(m->rows.count, sizeof(*f->row)));
    for (int64_t r = 0; r < m->rows.count; r++)
        f->row[r] = kith__array_integer(&m->rows, r);
    *out = f;
    f = NULL;
out:
    kith_features_free(f);
    return st;
}

static kith_status copy_matrix(const kith_csr *m, kith_features **out,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    kith__triples triples = {0};
    int64_t r = 0;

    for (int64_t p = 0; p < m->columns.count; p++) {
        while (kith__array_integer(&m->rows, r + 1) <= p)
            r++;
        TRY(kith__triples_add(
            &triples, (int32_t)r, (int32_t)kith__array_integer(&m->columns, p),
            m->values.count ? kith__array_float(&m->values, p) : 1, err));
    }
    TRY(kith__features_from_triples(&triples, m->rows.count - 1, m->width,
                                    "features", out, err));
out:
    kith__triples_release(&triples);
    return st;
}

kith_status kith_features_from_csr(const kith_csr *matrix, kith_keep keep,
                                   kith_features **out, kith_error *err)
{
    const kith_array *values = &matrix->values;
    kith_status st = KITH_OK;

    *out = NULL;
    TRY(kith__array_check(&matrix->columns, "columns", true, err));
    TRY(kith__offsets_check(&matrix->rows, "rows", matrix->columns.count, err));
    TRY(check_shape(matrix->rows.count - 1, matrix->width, err));
    TRY(kith__indices_check(&matrix->columns, "columns", 0, matrix->width,
                            err));
    if (values->data || values->count) {
        TRY(kith__values_check(values, "values", true, err));
        if (values->count != matrix->columns.count)
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                           "values has %lld numbers, expected as many as "
                           "columns, %lld",
                           (long long)values->count,
                           (long long)matrix->columns.count));
    }
    TRY(keep == KITH_BORROW && is_tidy(matrix) ? borrow_matrix(matrix, out, err)
                                               : copy_matrix(matrix, out, err));
out:
    return st;
}

/* ---- all of it ----------------------------------------------------------- */

kith_status kith_dataset_new(kith_graph *graph, kith_labels *labels,
                             kith_features *features,
                             const kith_cleaning *cleaning, kith_dataset **out,
                             kith_error *err)
{
    const int32_t n = kith_graph_nodes(graph);
    kith_status st = KITH_OK;
    kith_dataset *d = NULL;

    *out = NULL;
    if (labels && labels->nodes != n)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "there are %d labels for a graph of %d nodes, expected "
                       "one for each, or -1",
                       (int)labels->nodes, (int)n));
    if (features && features->nodes != n)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "there are %d rows of features for a graph of %d nodes, "
                       "expected one for each",
                       (int)features->nodes, (int)n));
    TRY_NEW(d, kith__alloc_zeroed(1, sizeof(*d)));
    d->graph = graph;
    d->labels = labels;
    d->features = features;
    if (cleaning)
        d->cleaning = *cleaning;
    *out = d;
out:
    return st;
}
