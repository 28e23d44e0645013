/* model.c: models, what they say of themselves, and what is asked of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ext.h"

static void model_release(void *m)
{
    kith_model_free(m);
}

static kith_model *model_of(PyObject *o)
{
    return object_get(o, KIND_MODEL);
}

/* ---- what it says of itself ---------------------------------------------- */

static PyObject *certificate_of(const kith_certificate *c)
{
    return Py_BuildValue("{s:d,s:d,s:i,s:N}", "rho", c->rho, "residual",
                         c->residual, "iterations", (int)c->iterations,
                         "converged", PyBool_FromLong(c->converged));
}

static PyObject *classes_of(const kith_model *m)
{
    const int32_t n = kith_model_classes(m);
    PyObject *list = PyList_New(n);

    for (int32_t c = 0; list && c < n; c++) {
        const char *name = kith_model_class_name(m, c);
        PyObject *s = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name),
                                           "replace");

        if (!s || PyList_SetItem(list, c, s) != 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *params_of(const kith_model *m)
{
    int rows;
    const kith_option_info *row = kith_option_list(&rows);
    PyObject *dict = PyDict_New();

    for (int i = 0; dict && i < rows; i++) {
        char text[KITH_OPTION_BUFFER];
        PyObject *value;
        int bad;

        if (row[i].slot < 0 ||
            !kith_option_belongs(&row[i], kith_model_method(m)))
            continue;
        value = PyUnicode_FromString(kith_option_text(
            &row[i], kith_params_get(kith_model_params(m), &row[i]), text));
        bad = !value || PyDict_SetItemString(dict, row[i].key, value) != 0;
        Py_XDECREF(value);
        if (bad)
            Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *settings_of(const kith_model *m)
{
    PyObject *dict = PyDict_New();

    for (int32_t i = 0; dict && i < kith_model_settings(m); i++) {
        const kith_setting s = kith_model_setting(m, i);
        PyObject *value = s.text ? PyUnicode_FromString(s.text)
                                 : PyFloat_FromDouble(s.number);
        const int bad = !value || PyDict_SetItemString(dict, s.name, value);

        Py_XDECREF(value);
        if (bad)
            Py_CLEAR(dict);
    }
    return dict;
}

/* model_facts(model): a dict. */
PyObject *py_model_facts(PyObject *self, PyObject *args)
{
    PyObject *o;
    const kith_model *m;
    const float *coupling;
    int64_t classes;
    kith_one_class one;

    (void)self;
    if (!PyArg_ParseTuple(args, "O:model_facts", &o) || !(m = model_of(o)))
        return NULL;
    classes = kith_model_classes(m);
    coupling = kith_model_coupling(m);
    return Py_BuildValue(
        "{s:s,s:z,s:N,s:N,s:N,s:N,s:N,s:d,s:d,s:i,s:d,s:N,s:K}", "method",
        kith_model_method(m), "why", kith_model_why(m), "classes",
        classes_of(m), "params", params_of(m), "settings", settings_of(m),
        "certificate", certificate_of(kith_model_certificate(m)), "coupling",
        array_address(coupling, classes * classes), "temperature",
        kith_model_temperature(m), "validation", kith_model_validation(m),
        "trained", (int)kith_model_trained(m), "coverage",
        kith_model_coverage(m), "one_class",
        PyBool_FromLong(kith_model_one_class(m, &one)), "graph_hash",
        (unsigned long long)kith_model_graph_hash(m));
}

/* ---- files --------------------------------------------------------------- */

/* model_save(model, path) */
PyObject *py_model_save(PyObject *self, PyObject *args)
{
    PyObject *o, *path = NULL;
    const kith_model *m;
    kith_error err = {0};
    kith_status st = KITH_OK;

    (void)self;
    if (!PyArg_ParseTuple(args, "OO&:model_save", &o, PyUnicode_FSConverter,
                          &path))
        return NULL;
    m = model_of(o);
    if (m)
        st = kith_model_save(m, PyBytes_AsString(path), &err);
    Py_DECREF(path);
    if (!m || st != KITH_OK)
        return m ? run_fail(st, &err) : NULL;
    Py_RETURN_NONE;
}

/* model_open(path) */
PyObject *py_model_open(PyObject *self, PyObject *args)
{
    PyObject *path = NULL;
    kith_model *m = NULL;
    kith_error err = {0};
    kith_status st;

    (void)self;
    if (!PyArg_ParseTuple(args, "O&:model_open", PyUnicode_FSConverter, &path))
        return NULL;
    st = kith_model_open(PyBytes_AsString(path), &m, &err);
    Py_DECREF(path);
    if (st != KITH_OK)
        return run_fail(st, &err);
    return object_wrap(KIND_MODEL, m, model_release, NULL);
}

/* ---- on a graph ---------------------------------------------------------- */

/* model_predict(model, data, probabilities, evidence, threads, progress): fills
 * both; the certificate. */
PyObject *py_model_predict(PyObject *self, PyObject *args)
{
    PyObject *o, *data, *p_room, *e_room, *progress;
    kith_certificate certificate = {0};
    const kith_dataset *d;
    const kith_model *m;
    float *p;
    uint8_t *e;
    int32_t n;
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOiO:model_predict", &o, &data, &p_room,
                          &e_room, &r.job.threads, &progress) ||
        !(m = model_of(o)) || !(d = object_get(data, KIND_DATA)))
        return NULL;
    n = kith_graph_nodes(d->graph);
    p = array_room(p_room, "probabilities", "f4",
                   (int64_t)n * kith_model_classes(m));
    e = p ? array_room(e_room, "evidence", "u1", n) : NULL;
    if (!e)
        return NULL;
    run_begin(&r, progress);
    st = kith_model_predict(m, d, &r.job, p, e, &certificate, &r.err);
    return run_end(&r, st) ? certificate_of(&certificate) : NULL;
}

/* model_refit(model, data, threads, progress): (model, kept, added, changed,
 * gone) */
PyObject *py_model_refit(PyObject *self, PyObject *args)
{
    PyObject *o, *data, *progress, *out;
    const kith_dataset *d;
    const kith_model *m;
    kith_model *next = NULL;
    kith_refit told = {0};
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "OOiO:model_refit", &o, &data, &r.job.threads,
                          &progress) ||
        !(m = model_of(o)) || !(d = object_get(data, KIND_DATA)))
        return NULL;
    run_begin(&r, progress);
    st = kith_model_refit(m, d, &r.job, &next, &told, &r.err);
    if (!run_end(&r, st)) {
        kith_model_free(next);
        return NULL;
    }
    out = object_wrap(KIND_MODEL, next, model_release, NULL);
    return out ? Py_BuildValue("(Niiii)", out, (int)told.kept, (int)told.added,
                               (int)told.changed, (int)told.gone)
               : NULL;
}

/* model_sets(model, probabilities, evidence, coverage, out) */
PyObject *py_model_sets(PyObject *self, PyObject *args)
{
    PyObject *o, *given, *evidence, *room;
    const kith_model *m;
    kith_array p, e;
    int64_t shape[2];
    double coverage;
    uint8_t *out;
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "OOOdO:model_sets", &o, &given, &evidence,
                          &coverage, &room) ||
        !(m = model_of(o)) ||
        !array_look(given, "probabilities", "f4", 2, &p, shape) ||
        !array_maybe(evidence, "evidence", "u1", 1, &e) ||
        !(out = array_room(room, "out", "u1", p.count)))
        return NULL;
    if (shape[1] != kith_model_classes(m) || (e.data && e.count != shape[0]))
        return PyErr_Format(PyExc_ValueError,
                            "arrays that do not fit the model's classes");
    run_begin(&r, NULL);
    st = kith_sets(m, p.data, e.data, (int32_t)shape[0], coverage, out, &r.err);
    if (!run_end(&r, st))
        return NULL;
    Py_RETURN_NONE;
}

/* ---- solutions ----------------------------------------------------------- */

/* A solution keeps the job that it was made with, and with it the run. */
typedef struct solved {
    kith_solution *of;
    run r;
} solved;

static void solved_release(void *it)
{
    solved *s = it;

    kith_solution_free(s->of);
    free(s);
}

const kith_solution *solution_of(PyObject *o)
{
    const solved *s = object_get(o, KIND_SOLUTION);

    return s ? s->of : NULL;
}

/* solution_new(model, data, threads, progress) */
PyObject *py_solution_new(PyObject *self, PyObject *args)
{
    PyObject *o, *data, *progress, *needs, *out = NULL;
    const kith_dataset *d;
    const kith_model *m;
    solved *s;
    int threads;
    kith_status st;

    (void)self;
    if (!PyArg_ParseTuple(args, "OOiO:solution_new", &o, &data, &threads,
                          &progress) ||
        !(m = model_of(o)) || !(d = object_get(data, KIND_DATA)))
        return NULL;
    s = calloc(1, sizeof(*s));
    needs = PyTuple_Pack(2, o, data);
    if (!s || !needs) {
        free(s);
        Py_XDECREF(needs);
        return PyErr_NoMemory();
    }
    s->r.job.threads = threads;
    run_begin(&s->r, progress);
    st = kith_solution_new(m, d, &s->r.job, &s->of, &s->r.err);
    if (run_end(&s->r, st))
        out = object_wrap(KIND_SOLUTION, s, solved_release, needs);
    else
        solved_release(s);
    Py_DECREF(needs);
    return out;
}

/* What Python gets of an explanation: the sentences, the JSON, the page, and
 * the contributions as double bytes (None where there are none). */
static PyObject *told_of(const kith_solution *s, const kith_explanation *e)
{
    char *text = NULL, *json = NULL, *html = NULL;
    size_t n_text = 0, n_json = 0, n_html = 0;
    kith_error err = {0};
    kith_status st = kith_explanation_sentences(s, e, &text, &n_text, &err);
    PyObject *parts;

    if (st == KITH_OK)
        st = kith_explanation_json(s, e, &json, &n_json, &err);
    if (st == KITH_OK)
        st = kith_report_explanation(s, e, &html, &n_html, &err);
    if (st != KITH_OK) {
        kith_array_free(text);
        kith_array_free(json);
        kith_array_free(html);
        return run_fail(st, &err);
    }
    if (e->contribution)
        parts = PyBytes_FromStringAndSize((const char *)e->contribution,
                                          (Py_ssize_t)e->nodes *
                                              (Py_ssize_t)sizeof(double));
    else
        parts = Py_BuildValue("");
    return Py_BuildValue("(NNNN)", text_of(text, n_text), text_of(json, n_json),
                         text_of(html, n_html), parts);
}

/* explain(solution, node, class, most) */
PyObject *py_explain(PyObject *self, PyObject *args)
{
    PyObject *o, *out;
    kith_explanation *e = NULL;
    int node, of_class, most;
    kith_status st;
    solved *s;

    (void)self;
    if (!PyArg_ParseTuple(args, "Oiii:explain", &o, &node, &of_class, &most) ||
        !(s = object_get(o, KIND_SOLUTION)))
        return NULL;
    run_begin(&s->r, NULL);
    st = kith_explain(s->of, node, of_class, most, &e, &s->r.err);
    if (!run_end(&s->r, st)) {
        kith_explanation_free(e);
        return NULL;
    }
    out = told_of(s->of, e);
    kith_explanation_free(e);
    return out;
}

/* suggest(solution, candidates, count): a list of (node, score, uncertainty,
 * influence). */
PyObject *py_suggest(PyObject *self, PyObject *args)
{
    PyObject *o, *among, *list;
    kith_suggestion *found;
    kith_array a;
    int32_t n = 0;
    int count;
    kith_status st;
    solved *s;

    (void)self;
    if (!PyArg_ParseTuple(args, "OOi:suggest", &o, &among, &count) ||
        !(s = object_get(o, KIND_SOLUTION)) ||
        !array_maybe(among, "among", "i4", 1, &a))
        return NULL;
    if (count < 0)
        return PyErr_Format(PyExc_ValueError, "n is %d, expected 0 or more",
                            count);
    found = calloc((size_t)count + 1, sizeof(*found));
    if (!found)
        return PyErr_NoMemory();
    run_begin(&s->r, NULL);
    st = kith_suggest(s->of, a.data, (int32_t)a.count, count, found, &n,
                      &s->r.err);
    list = run_end(&s->r, st) ? PyList_New(n) : NULL;
    for (int32_t i = 0; list && i < n; i++) {
        PyObject *one = Py_BuildValue("(iddd)", (int)found[i].node,
                                      found[i].score, found[i].uncertainty,
                                      found[i].influence);

        if (!one || PyList_SetItem(list, i, one) != 0)
            Py_CLEAR(list);
    }
    free(found);
    return list;
}
