/* graph.c: what a graph or data set has to say of itself. */
#include <stdlib.h>
#include <string.h>

#include "ext.h"

static const kith_dataset *data_of(PyObject *args, const char *format)
{
    PyObject *o;

    return PyArg_ParseTuple(args, format, &o) ? object_get(o, KIND_DATA) : NULL;
}

/* graph_counts(data): a dict. */
PyObject *py_graph_counts(PyObject *self, PyObject *args)
{
    const kith_dataset *d = data_of(args, "O:graph_counts");
    const kith_cleaning *c;
    const kith_graph *g;

    (void)self;
    if (!d)
        return NULL;
    g = d->graph;
    c = &d->cleaning;
    return Py_BuildValue(
        "{s:i,s:L,s:O,s:O,s:K,s:i,s:{s:L,s:L,s:L,s:L,s:L,s:L}}", "nodes",
        (int)kith_graph_nodes(g), "edges", (long long)kith_graph_edges(g),
        "weighted", kith_graph_weights(g) ? Py_True : Py_False, "borrows",
        kith_graph_borrows(g) ? Py_True : Py_False, "hash",
        (unsigned long long)kith_graph_hash(g), "features",
        d->features ? (int)d->features->columns : 0, "cleaning", "entries",
        (long long)c->entries, "self_loops", (long long)c->self_loops,
        "duplicates", (long long)c->duplicates, "one_way",
        (long long)c->one_way, "both_ways", (long long)c->both_ways, "isolated",
        (long long)c->isolated);
}

/* graph_facts(data): all that `kith graph info --json` tells. */
PyObject *py_graph_facts(PyObject *self, PyObject *args)
{
    const kith_dataset *d = data_of(args, "O:graph_facts");
    kith_facts *facts = NULL;
    char *json = NULL;
    size_t length = 0;
    kith_status st;
    run r = {0};

    (void)self;
    if (!d)
        return NULL;
    run_begin(&r, NULL);
    st = kith_facts_find(d, NULL, &r.job, &facts, &r.err);
    if (st == KITH_OK)
        st = kith_facts_json(facts, &json, &length, &r.err);
    kith_facts_free(facts);
    if (!run_end(&r, st)) {
        kith_array_free(json);
        return NULL;
    }
    return text_of(json, length);
}

/* graph_rows(data): where rows, neighbours and weights are. */
PyObject *py_graph_rows(PyObject *self, PyObject *args)
{
    const kith_dataset *d = data_of(args, "O:graph_rows");
    int64_t n, entries;

    (void)self;
    if (!d)
        return NULL;
    n = kith_graph_nodes(d->graph);
    entries = kith_graph_rows(d->graph)[n];
    return Py_BuildValue(
        "(NNN)", array_address(kith_graph_rows(d->graph), n + 1),
        array_address(kith_graph_neighbours(d->graph), entries),
        array_address(kith_graph_weights(d->graph), entries));
}

/* graph_ids(data): (offsets as int64 bytes, the ids' bytes one after the
 * other), by place in the input. */
PyObject *py_graph_ids(PyObject *self, PyObject *args)
{
    const kith_dataset *d = data_of(args, "O:graph_ids");
    PyObject *offsets, *bytes = NULL;
    char number[KITH_ID_BUFFER], *to;
    int64_t *at, total = 0;
    size_t length;
    int32_t n;

    (void)self;
    if (!d)
        return NULL;
    n = kith_graph_nodes(d->graph);
    offsets = PyBytes_FromStringAndSize(NULL, ((Py_ssize_t)n + 1) *
                                                  (Py_ssize_t)sizeof(*at));
    if (!offsets)
        return NULL;
    at = (int64_t *)(void *)PyBytes_AsString(offsets);
    for (int32_t i = 0; i < n; i++) {
        kith_graph_id(d->graph, kith_graph_listed(d->graph, i), number,
                      &length);
        at[i] = total;
        total += (int64_t)length;
    }
    at[n] = total;
    bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)total);
    if (!bytes) {
        Py_DECREF(offsets);
        return NULL;
    }
    to = PyBytes_AsString(bytes);
    for (int32_t i = 0; i < n; i++) {
        const char *id = kith_graph_id(d->graph, kith_graph_listed(d->graph, i),
                                       number, &length);

        memcpy(to + at[i], id, length);
    }
    return Py_BuildValue("(NN)", offsets, bytes);
}

/* graph_find(data, offsets, bytes, out): the place of each id, -1 of none. */
PyObject *py_graph_find(PyObject *self, PyObject *args)
{
    PyObject *data, *offsets, *room;
    const kith_dataset *d;
    const char *bytes;
    Py_ssize_t length;
    const int64_t *at;
    kith_array a;
    int32_t *out;

    (void)self;
    if (!PyArg_ParseTuple(args, "OOy#O:graph_find", &data, &offsets, &bytes,
                          &length, &room) ||
        !(d = object_get(data, KIND_DATA)) ||
        !array_look(offsets, "offsets", "i8", 1, &a, NULL) ||
        !(out = array_room(room, "out", "i4", a.count - 1)))
        return NULL;
    at = a.data;
    for (int64_t i = 0; i + 1 < a.count; i++) {
        int32_t node;

        if (at[i] < 0 || at[i + 1] < at[i] || at[i + 1] > length) {
            PyErr_SetString(PyExc_ValueError, "offsets out of range");
            return NULL;
        }
        node = kith_graph_find(d->graph, bytes + at[i],
                               (size_t)(at[i + 1] - at[i]));
        out[i] = node < 0 ? -1 : kith_graph_place(d->graph, node);
    }
    Py_RETURN_NONE;
}

/* graph_order(data, out): the number of the node at each place; answers whether
 * these differ from the places. */
PyObject *py_graph_order(PyObject *self, PyObject *args)
{
    PyObject *data, *room;
    const kith_dataset *d;
    bool same = true;
    int32_t *out;

    (void)self;
    if (!PyArg_ParseTuple(args, "OO:graph_order", &data, &room) ||
        !(d = object_get(data, KIND_DATA)) ||
        !(out = array_room(room, "out", "i4", kith_graph_nodes(d->graph))))
        return NULL;
    for (int32_t i = 0; i < kith_graph_nodes(d->graph); i++) {
        out[i] = kith_graph_listed(d->graph, i);
        same &= out[i] == i;
    }
    return PyBool_FromLong(!same);
}

/* Texts as a list of str. */
static PyObject *list_of(char *const *texts, int n)
{
    PyObject *list = PyList_New(n);

    for (int i = 0; list && i < n; i++) {
        PyObject *s = PyUnicode_DecodeUTF8(
            texts[i], (Py_ssize_t)strlen(texts[i]), "replace");

        if (!s || PyList_SetItem(list, i, s) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* data_labels(data): (names, where the class of each node is), or None. */
PyObject *py_data_labels(PyObject *self, PyObject *args)
{
    const kith_dataset *d = data_of(args, "O:data_labels");

    (void)self;
    if (!d)
        return NULL;
    if (!d->labels)
        Py_RETURN_NONE;
    return Py_BuildValue("(NN)", list_of(d->labels->names, d->labels->classes),
                         array_address(d->labels->of, d->labels->nodes));
}

/* data_splits(data): names. */
PyObject *py_data_splits(PyObject *self, PyObject *args)
{
    const kith_dataset *d = data_of(args, "O:data_splits");
    char **names = NULL;
    kith_error err = {0};
    PyObject *list;
    kith_status st;
    int n = 0;

    (void)self;
    if (!d)
        return NULL;
    st = kith_dataset_splits(d, &names, &n, &err);
    if (st != KITH_OK)
        return run_fail(st, &err);
    list = list_of(names, n);
    kith_names_free(names, n);
    return list;
}

PyObject *nodes_bytes(const int32_t *nodes, int32_t n)
{
    return PyBytes_FromStringAndSize(
        (const char *)nodes, (Py_ssize_t)n * (Py_ssize_t)sizeof(*nodes));
}

/* (name, train, val, test), as int32 bytes of node numbers. */
static PyObject *tuple_of(kith_split *s)
{
    PyObject *out = Py_BuildValue(
        "(sNNN)", s->name ? s->name : "", nodes_bytes(s->train, s->n_train),
        nodes_bytes(s->val, s->n_val), nodes_bytes(s->test, s->n_test));

    kith_split_release(s);
    return out;
}

/* split_read(data, name) */
PyObject *py_split_read(PyObject *self, PyObject *args)
{
    PyObject *data;
    const kith_dataset *d;
    const char *name;
    kith_split s = {0};
    kith_error err = {0};
    kith_status st;

    (void)self;
    if (!PyArg_ParseTuple(args, "Os:split_read", &data, &name) ||
        !(d = object_get(data, KIND_DATA)))
        return NULL;
    st = kith_split_read(d, name, &s, &err);
    return st == KITH_OK ? tuple_of(&s) : run_fail(st, &err);
}

/* split_random(data, per_class, val, seed, trial) */
PyObject *py_split_random(PyObject *self, PyObject *args)
{
    PyObject *data;
    const kith_dataset *d;
    int per_class, val, trial;
    unsigned long long seed;
    kith_split s = {0};
    kith_error err = {0};
    kith_status st;

    (void)self;
    if (!PyArg_ParseTuple(args, "OiiKi:split_random", &data, &per_class, &val,
                          &seed, &trial) ||
        !(d = object_get(data, KIND_DATA)))
        return NULL;
    if (!d->labels) {
        PyErr_SetString(PyExc_ValueError, "there are no labels to split");
        return NULL;
    }
    st = kith_split_random(d->graph, d->labels, per_class, val, seed, trial, &s,
                           &err);
    return st == KITH_OK ? tuple_of(&s) : run_fail(st, &err);
}
