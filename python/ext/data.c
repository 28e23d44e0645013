/* data.c: graphs, ids, labels, features and data sets, from arrays and files.
 */
#include <stdlib.h>
#include <string.h>

#include "ext.h"

/* ---- from files ---------------------------------------------------------- */

static void data_release(void *d)
{
    kith_dataset_free(d);
}

/* Text of a dict, borrowed for as long as `keep` lives; NULL if there is none.
 */
static bool text_in(PyObject *dict, const char *key, PyObject *keep,
                    const char **out)
{
    PyObject *value = PyDict_GetItemString(dict, key), *bytes;

    *out = NULL;
    if (!value || value == Py_None)
        return true;
    bytes = PyUnicode_AsUTF8String(value);
    if (!bytes || PyList_Append(keep, bytes) != 0) {
        Py_XDECREF(bytes);
        return false;
    }
    *out = PyBytes_AsString(bytes);
    Py_DECREF(bytes); /* keep has it */
    return true;
}

static int number_in(PyObject *dict, const char *key)
{
    PyObject *value = PyDict_GetItemString(dict, key);

    return value && value != Py_None ? (int)PyLong_AsLong(value) : 0;
}

/* The words of include/kith/table.h; what is not there is its default. */
static bool table_from(PyObject *how, PyObject *keep, kith_table_options *t)
{
    const struct {
        const char *key, **at;
    } texts[] = {
        {"source", &t->source},
        {"target", &t->target},
        {"weight", &t->weight},
        {"time", &t->time},
        {"until", &t->until},
        {"node", &t->node},
        {"label", &t->label},
        {"features", &t->features},
        {"unlabelled", &t->unlabelled},
        {"id", &t->id},
        {"link", &t->link},
        {"order", &t->order},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (!text_in(how, texts[i].key, keep, texts[i].at))
            return false;
    t->rows = number_in(how, "rows");
    t->window = number_in(how, "window");
    t->hub = number_in(how, "hub");
    t->history = number_in(how, "history");
    t->strict = number_in(how, "strict");
    return !PyErr_Occurred();
}

/* open_data(path, how, threads, progress): a data set or graph file. */
PyObject *py_open_data(PyObject *self, PyObject *args)
{
    PyObject *path = NULL, *how, *progress, *keep, *out = NULL;
    kith_table_options table = {0};
    kith_build_options o = {.table = &table};
    kith_dataset *d = NULL;
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "O&OiO:open_data", PyUnicode_FSConverter, &path,
                          &how, &r.job.threads, &progress))
        return NULL;
    keep = PyList_New(0);
    if (keep && table_from(how, keep, &table) &&
        text_in(how, "nodes", keep, &o.nodes)) {
        o.header = (kith_choice)number_in(how, "header");
        o.weights = (kith_choice)number_in(how, "weights");
        o.merge = (kith_merge)number_in(how, "merge");
        run_begin(&r, progress);
        o.job = r.job;
        st = kith_dataset_open(PyBytes_AsString(path), &o, &d, &r.err);
        if (run_end(&r, st))
            out = object_wrap(KIND_DATA, d, data_release, NULL);
        else
            kith_dataset_free(d);
    }
    Py_XDECREF(keep);
    Py_DECREF(path);
    return out;
}

/* ---- from arrays --------------------------------------------------------- */

static void ids_release(void *ids)
{
    kith_ids_free(ids);
}

/* ids_from_strings(offsets, bytes) */
PyObject *py_ids_from_strings(PyObject *self, PyObject *args)
{
    PyObject *offsets;
    Py_ssize_t length;
    const char *bytes;
    kith_array at;
    kith_ids *ids = NULL;
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "Oy#:ids_from_strings", &offsets, &bytes,
                          &length) ||
        !array_look(offsets, "offsets", INTEGERS, 1, &at, NULL))
        return NULL;
    run_begin(&r, NULL);
    st = kith_ids_from_strings(&at, bytes, &ids, &r.err);
    if (!run_end(&r, st)) {
        kith_ids_free(ids);
        return NULL;
    }
    return object_wrap(KIND_IDS, ids, ids_release, NULL);
}

/* Ids that were given, or NULL for None. */
static bool ids_maybe(PyObject *o, kith_ids **out)
{
    *out = o == Py_None ? NULL : object_get(o, KIND_IDS);
    return !PyErr_Occurred();
}

/* Wrap a graph as a data set without anything else; `needs` holds arrays that
 * it borrows. */
static PyObject *wrap_graph(kith_graph *g, const kith_cleaning *cleaning,
                            PyObject *needs)
{
    kith_dataset *d = NULL;
    kith_error err = {0};
    const kith_status st = kith_dataset_new(g, NULL, NULL, cleaning, &d, &err);

    if (st != KITH_OK) {
        kith_graph_free(g);
        return run_fail(st, &err);
    }
    return object_wrap(KIND_DATA, d, data_release,
                       kith_graph_borrows(g) ? needs : NULL);
}

static bool look_at_csr(PyObject *const part[3], kith_csr *m)
{
    return array_look(part[0], "indptr", INTEGERS, 1, &m->rows, NULL) &&
           array_look(part[1], "indices", INTEGERS, 1, &m->columns, NULL) &&
           array_maybe(part[2], "data", NUMBERS, 1, &m->values);
}

/* graph_from_csr(indptr, indices, data, width, ids, merge, threads, progress)
 */
PyObject *py_graph_from_csr(PyObject *self, PyObject *args)
{
    PyObject *part[3], *ids_given, *progress, *needs, *out = NULL;
    kith_cleaning cleaning = {0};
    kith_build_options o = {0};
    kith_graph *g = NULL;
    kith_ids *ids;
    kith_csr m = {0};
    long long width;
    int merge;
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "OOOLOiiO:graph_from_csr", &part[0], &part[1],
                          &part[2], &width, &ids_given, &merge, &r.job.threads,
                          &progress) ||
        !look_at_csr(part, &m) || !ids_maybe(ids_given, &ids))
        return NULL;
    m.width = width;
    needs = PyTuple_Pack(3, part[0], part[1], part[2]);
    if (!needs)
        return NULL;
    run_begin(&r, progress);
    o.job = r.job;
    o.merge = (kith_merge)merge;
    st = kith_graph_from_csr(&m, ids, KITH_BORROW, &o, &g, &cleaning, &r.err);
    if (run_end(&r, st))
        out = wrap_graph(g, &cleaning, needs);
    else
        kith_graph_free(g);
    Py_DECREF(needs);
    return out;
}

/* graph_from_coo(u, v, weights, nodes, ids, merge, threads, progress) */
PyObject *py_graph_from_coo(PyObject *self, PyObject *args)
{
    PyObject *u, *v, *w, *ids_given, *progress;
    kith_cleaning cleaning = {0};
    kith_build_options o = {0};
    kith_graph *g = NULL;
    kith_ids *ids;
    kith_coo e = {0};
    long long nodes;
    int merge;
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "OOOLOiiO:graph_from_coo", &u, &v, &w, &nodes,
                          &ids_given, &merge, &r.job.threads, &progress) ||
        !array_look(u, "u", INTEGERS, 1, &e.u, NULL) ||
        !array_look(v, "v", INTEGERS, 1, &e.v, NULL) ||
        !array_maybe(w, "weights", NUMBERS, 1, &e.weights) ||
        !ids_maybe(ids_given, &ids))
        return NULL;
    e.nodes = nodes;
    run_begin(&r, progress);
    o.job = r.job;
    o.merge = (kith_merge)merge;
    st = kith_graph_from_coo(&e, ids, &o, &g, &cleaning, &r.err);
    if (!run_end(&r, st)) {
        kith_graph_free(g);
        return NULL;
    }
    return wrap_graph(g, &cleaning, NULL);
}

/* Ids of one end: (offsets, bytes), or an array of integers. */
static bool look_at_ends(PyObject *o, const char *name, kith_id_array *out)
{
    PyObject *offsets;
    Py_ssize_t length;

    *out = (kith_id_array){0};
    if (!PyTuple_Check(o))
        return array_look(o, name, INTEGERS, 1, &out->integers, NULL);
    return PyArg_ParseTuple(o, "Oy#", &offsets, &out->bytes, &length) &&
           array_look(offsets, name, INTEGERS, 1, &out->offsets, NULL);
}

/* graph_from_ids(u, v, weights, ids, merge, threads, progress) */
PyObject *py_graph_from_ids(PyObject *self, PyObject *args)
{
    PyObject *u, *v, *w, *ids_given, *progress;
    kith_cleaning cleaning = {0};
    kith_build_options o = {0};
    kith_graph *g = NULL;
    kith_ids *ids;
    kith_id_edges e = {0};
    int merge;
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOiiO:graph_from_ids", &u, &v, &w,
                          &ids_given, &merge, &r.job.threads, &progress) ||
        !look_at_ends(u, "source", &e.u) || !look_at_ends(v, "target", &e.v) ||
        !array_maybe(w, "weights", NUMBERS, 1, &e.weights) ||
        !ids_maybe(ids_given, &ids))
        return NULL;
    run_begin(&r, progress);
    o.job = r.job;
    o.merge = (kith_merge)merge;
    st = kith_graph_from_id_edges(&e, ids, &o, &g, &cleaning, &r.err);
    if (!run_end(&r, st)) {
        kith_graph_free(g);
        return NULL;
    }
    return wrap_graph(g, &cleaning, NULL);
}

/* ---- what hangs on the nodes --------------------------------------------- */

static void features_release(void *f)
{
    kith_features_free(f);
}

static PyObject *wrap_features(run *r, kith_status st, kith_features *f,
                               PyObject *needs)
{
    PyObject *out = NULL;

    if (needs && run_end(r, st))
        out = object_wrap(KIND_FEATURES, f, features_release,
                          f->borrowed ? needs : NULL);
    else
        kith_features_free(f);
    Py_XDECREF(needs);
    return out;
}

/* features_from_dense(array) */
PyObject *py_features_from_dense(PyObject *self, PyObject *args)
{
    PyObject *given, *needs;
    kith_features *f = NULL;
    kith_array values;
    int64_t shape[2];
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "O:features_from_dense", &given) ||
        !array_look(given, "X", NUMBERS, 2, &values, shape))
        return NULL;
    needs = PyTuple_Pack(1, given);
    if (!needs)
        return NULL;
    run_begin(&r, NULL);
    st = kith_features_from_dense(&values, shape[0], shape[1], KITH_BORROW, &f,
                                  &r.err);
    return wrap_features(&r, st, f, needs);
}

/* features_from_csr(indptr, indices, data, width) */
PyObject *py_features_from_csr(PyObject *self, PyObject *args)
{
    PyObject *part[3], *needs;
    kith_features *f = NULL;
    kith_csr m = {0};
    long long width;
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "OOOL:features_from_csr", &part[0], &part[1],
                          &part[2], &width) ||
        !look_at_csr(part, &m))
        return NULL;
    m.width = width;
    needs = PyTuple_Pack(3, part[0], part[1], part[2]);
    if (!needs)
        return NULL;
    run_begin(&r, NULL);
    st = kith_features_from_csr(&m, KITH_BORROW, &f, &r.err);
    return wrap_features(&r, st, f, needs);
}

static void labels_release(void *labels)
{
    kith_labels_free(labels);
}

/* UTF-8 of a list of texts, borrowed from *keep; NULL, and an exception. */
static const char **texts_of(PyObject *list, PyObject **keep)
{
    const Py_ssize_t n = PyList_Size(list);
    const char **out = n < 0 ? NULL : calloc((size_t)n + 1, sizeof(*out));

    *keep = n < 0 ? NULL : PyList_New(n);
    for (Py_ssize_t i = 0; out && *keep && i < n; i++) {
        PyObject *bytes = PyUnicode_AsUTF8String(PyList_GetItem(list, i));

        if (!bytes || PyList_SetItem(*keep, i, bytes) != 0) {
            free(out);
            return NULL;
        }
        out[i] = PyBytes_AsString(bytes);
    }
    if (!out && !PyErr_Occurred())
        PyErr_NoMemory();
    return out;
}

/* labels_from_array(classes, names): int32 or int64, or n x classes shares. */
PyObject *py_labels_from_array(PyObject *self, PyObject *args)
{
    PyObject *given, *names, *keep = NULL;
    const char **texts;
    kith_labels *labels = NULL;
    kith_array classes;
    kith_error err = {0};
    kith_status st;

    (void)self;
    if (!PyArg_ParseTuple(args, "OO:labels_from_array", &given, &names) ||
        !array_look(given, "y", NUMBERS, 0, &classes, NULL))
        return NULL;
    texts = texts_of(names, &keep);
    if (!texts) {
        Py_XDECREF(keep);
        return NULL;
    }
    st = kith_labels_from_array(&classes, (int32_t)PyList_Size(names), texts,
                                &labels, &err);
    free(texts);
    Py_XDECREF(keep);
    if (st != KITH_OK)
        return run_fail(st, &err);
    return object_wrap(KIND_LABELS, labels, labels_release, NULL);
}

/* A view of parts that others own. */
static void view_release(void *view)
{
    kith_dataset *d = view;

    d->graph = NULL;
    d->labels = NULL;
    d->features = NULL;
    kith_dataset_free(d);
}

/*
 * data_with(data, labels, features): the graph of one data set with other
 * labels and features, either None for those that it has, False for none.
 */
PyObject *py_data_with(PyObject *self, PyObject *args)
{
    PyObject *base, *l, *f, *needs, *out;
    kith_labels *labels;
    kith_features *features;
    kith_dataset *d, *view = NULL;
    kith_error err = {0};
    kith_status st;

    (void)self;
    if (!PyArg_ParseTuple(args, "OOO:data_with", &base, &l, &f) ||
        !(d = object_get(base, KIND_DATA)))
        return NULL;
    labels = l == Py_None    ? d->labels
             : l == Py_False ? NULL
                             : object_get(l, KIND_LABELS);
    features = f == Py_None    ? d->features
               : f == Py_False ? NULL
                               : object_get(f, KIND_FEATURES);
    if (PyErr_Occurred())
        return NULL;
    st = kith_dataset_new(d->graph, labels, features, &d->cleaning, &view,
                          &err);
    if (st != KITH_OK)
        return run_fail(st, &err);
    needs = PyTuple_Pack(3, base, l, f);
    if (!needs) {
        view_release(view);
        return NULL;
    }
    out = object_wrap(KIND_DATA, view, view_release, needs);
    Py_DECREF(needs);
    return out;
}

/* save_data(data, path): as one built file. */
PyObject *py_save_data(PyObject *self, PyObject *args)
{
    PyObject *of, *path = NULL;
    const kith_dataset *d;
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "OO&:save_data", &of, PyUnicode_FSConverter,
                          &path))
        return NULL;
    d = object_get(of, KIND_DATA);
    if (d) {
        run_begin(&r, NULL);
        st = kith_dataset_save(d, PyBytes_AsString(path), &r.job, &r.err);
        run_end(&r, st);
    }
    Py_DECREF(path);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}
