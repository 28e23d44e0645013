/* fit.c: from labels to answers: classify, rank, evaluate, report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ext.h"

/* A classification and the nodes that it learnt from. */
typedef struct fit {
    kith_protocol nodes;
    kith_classification *c;
} fit;

static void fit_release(void *it)
{
    fit *f = it;

    kith_protocol_release(&f->nodes);
    kith_classification_free(f->c);
    free(f);
}

/* ---- what calls share ---------------------------------------------------- */

/* Nodes given as int32, into room of the caller's split, which borrows them. */
static bool nodes_look(PyObject *o, const char *name, int32_t **nodes,
                       int32_t *n)
{
    static int32_t none;
    kith_array a;

    if (!array_maybe(o, name, "i4", 1, &a))
        return false;
    *n = (int32_t)a.count;
    *nodes = o == Py_None ? NULL : a.count ? (int32_t *)a.data : &none;
    return true;
}

/* Nodes to learn from (None: all labelled) and to tune on, as given. */
static bool split_look(PyObject *train, PyObject *val, kith_split *s)
{
    *s = (kith_split){0};
    return nodes_look(train, "train", &s->train, &s->n_train) &&
           nodes_look(val, "val", &s->val, &s->n_val);
}

static kith_status protocol_of(const kith_dataset *d, const kith_split *split,
                               const kith_options *o, kith_protocol *out,
                               kith_error *err)
{
    return kith_protocol_make(d, split, kith_options_get(o, "hold-out"),
                              (uint64_t)kith_options_get(o, "seed"), out, err);
}

/* ---- classify ------------------------------------------------------------ */

/* classify(data, method, options, train, val, progress) */
PyObject *py_classify(PyObject *self, PyObject *args)
{
    PyObject *data, *dict, *train, *val, *progress;
    kith_train_options train_options;
    const kith_dataset *d;
    const char *method;
    kith_options *o;
    kith_split split;
    kith_status st;
    fit *f;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "OsO!OOO:classify", &data, &method,
                          &PyDict_Type, &dict, &train, &val, &progress) ||
        !(d = object_get(data, KIND_DATA)) || !split_look(train, val, &split) ||
        !(o = options_from(dict, &r)))
        return NULL;
    f = calloc(1, sizeof(*f));
    if (!f) {
        kith_options_free(o);
        return PyErr_NoMemory();
    }
    run_begin(&r, progress);
    kith_options_set_job(o, &r.job);
    train_options = kith_options_train(o);
    st = protocol_of(d, &split, o, &f->nodes, &r.err);
    if (st == KITH_OK)
        st = kith_classify(d, method, &f->nodes, &train_options,
                           KITH_KEEP_UNSEEN, &f->c, &r.err);
    if (st == KITH_OK)
        kith_classify_forget(train_options.checkpoint);
    kith_options_free(o);
    if (!run_end(&r, st)) {
        fit_release(f);
        return NULL;
    }
    return object_wrap(KIND_FIT, f, fit_release, data);
}

/* fit_arrays(fit): where probabilities, evidence and sets are, and what was
 * held out and validated. */
PyObject *py_fit_arrays(PyObject *self, PyObject *args)
{
    PyObject *o;
    const fit *f;
    const kith_classification *c;
    long long cells;

    (void)self;
    if (!PyArg_ParseTuple(args, "OL:fit_arrays", &o, &cells) ||
        !(f = object_get(o, KIND_FIT)))
        return NULL;
    c = f->c;
    return Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:d,s:i,s:N,s:N,s:N}", "probabilities",
        array_address(c->probabilities, cells), "evidence",
        array_address(c->evidence, cells / kith_model_classes(c->model)),
        "sets", array_address(c->sets, cells), "unseen",
        array_address(c->unseen, cells), "validation", c->validation,
        "n_validation", (int)c->n_validation, "train",
        nodes_bytes(f->nodes.whole.train, f->nodes.whole.n_train), "val",
        nodes_bytes(f->nodes.whole.val, f->nodes.whole.n_val), "held_out",
        nodes_bytes(f->nodes.tuning.val, f->nodes.tuning.n_val));
}

/* fit_model(fit): its model. */
PyObject *py_fit_model(PyObject *self, PyObject *args)
{
    PyObject *o;
    const fit *f;

    (void)self;
    if (!PyArg_ParseTuple(args, "O:fit_model", &o) ||
        !(f = object_get(o, KIND_FIT)))
        return NULL;
    return object_wrap(KIND_MODEL, f->c->model, NULL, o);
}

/* ---- what came of it ----------------------------------------------------- */

/* The nodes known otherwise, those to judge by, and by which probabilities. */
static bool judged_look(PyObject *const o[5], kith_verdict_input *in)
{
    kith_array p, e, by;
    int32_t *known, *judged;

    if (!array_look(o[0], "probabilities", "f4", 2, &p, NULL) ||
        !array_maybe(o[1], "evidence", "u1", 1, &e) ||
        !nodes_look(o[2], "known", &known, &in->n_known) ||
        !nodes_look(o[3], "judged", &judged, &in->n_judged) ||
        !array_maybe(o[4], "judged_by", "f4", 2, &by))
        return false;
    in->probabilities = p.data;
    in->evidence = e.data;
    in->known = known;
    in->judged = judged;
    in->judged_by = by.data;
    return true;
}

/* The sentences as a list. */
static PyObject *sentences_of(const kith_verdict *v)
{
    PyObject *list = PyList_New(KITH_SENTENCES);
    char line[KITH_SENTENCE];

    for (int i = 0; list && i < KITH_SENTENCES; i++) {
        PyObject *s;

        kith_verdict_say(v, (kith_sentence)i, line);
        s = PyUnicode_DecodeUTF8(line, (Py_ssize_t)strlen(line), "replace");
        if (!s || PyList_SetItem(list, i, s) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* What is told of a verdict: JSON, and a page if there is a solution. */
typedef struct telling {
    kith_report_input page;
    char *json, *html;
    size_t n_json, n_html;
} telling;

static kith_status tell(kith_verdict *v, telling *t, kith_error *err)
{
    const kith_status st = kith_verdict_json(v, t->page.title, NULL, 0,
                                             &t->json, &t->n_json, err);

    t->page.verdict = v;
    if (st != KITH_OK || !t->page.solution)
        return st;
    return kith_report(&t->page, &t->html, &t->n_html, err);
}

/*
 * verdict(model, data, probabilities, evidence, known, judged, judged_by, what,
 * solution, title, how, validation, n_validation): (sentences, JSON, page);
 * solution None: no page.
 */
PyObject *py_verdict(PyObject *self, PyObject *args)
{
    PyObject *model, *data, *given[5], *solution, *list = NULL;
    kith_verdict_input in;
    kith_verdict *v = NULL;
    telling t = {0};
    kith_status st;
    run r = {0};

    (void)self;
    kith_verdict_input_init(&in);
    if (!PyArg_ParseTuple(args, "OOOOOOOzOszdi:verdict", &model, &data,
                          &given[0], &given[1], &given[2], &given[3], &given[4],
                          &in.judged_what, &solution, &t.page.title,
                          &t.page.how, &t.page.validation,
                          &t.page.n_validation) ||
        !(in.model = object_get(model, KIND_MODEL)) ||
        !(in.data = object_get(data, KIND_DATA)) || !judged_look(given, &in))
        return NULL;
    t.page.solution = solution == Py_None ? NULL : solution_of(solution);
    if (PyErr_Occurred())
        return NULL;
    in.chosen_by = true;
    in.job = &r.job;
    run_begin(&r, NULL);
    st = kith_verdict_new(&in, &v, &r.err);
    if (st == KITH_OK)
        st = tell(v, &t, &r.err);
    if (run_end(&r, st))
        list = sentences_of(v);
    kith_verdict_free(v);
    if (!list) {
        kith_array_free(t.json);
        kith_array_free(t.html);
        return NULL;
    }
    return Py_BuildValue("(NNN)", list, text_of(t.json, t.n_json),
                         t.html ? text_of(t.html, t.n_html)
                                : Py_BuildValue(""));
}

/* predictions_write(model, data, probabilities, evidence, sets, path) */
PyObject *py_predictions_write(PyObject *self, PyObject *args)
{
    PyObject *model, *data, *given[3], *path = NULL;
    kith_predictions what = {0};
    const kith_dataset *d;
    const kith_model *m;
    kith_array p, e, sets;
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOO&:predictions_write", &model, &data,
                          &given[0], &given[1], &given[2],
                          PyUnicode_FSConverter, &path))
        return NULL;
    m = object_get(model, KIND_MODEL);
    d = m ? object_get(data, KIND_DATA) : NULL;
    if (d && array_look(given[0], "probabilities", "f4", 2, &p, NULL) &&
        array_maybe(given[1], "evidence", "u1", 1, &e) &&
        array_maybe(given[2], "sets", "u1", 2, &sets)) {
        what.probabilities = p.data;
        what.evidence = e.data;
        what.sets = sets.data;
        run_begin(&r, NULL);
        st = kith_predictions_write(d->graph, m, &what, PyBytes_AsString(path),
                                    &r.job, NULL, &r.err);
        run_end(&r, st);
    }
    Py_DECREF(path);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* ---- a ranked list ------------------------------------------------------- */

static void ranking_release(void *r)
{
    kith_ranking_free(r);
}

static const char KIND_RANKING[] = "kith.ranking";

/* rank(data, method, options, train, val, positive, goal, wish, budget,
 * progress): (a holder, JSON, where nodes are, where probabilities are, how
 * many are listed) */
PyObject *py_rank(PyObject *self, PyObject *args)
{
    PyObject *data, *dict, *train, *val, *progress, *holder;
    kith_train_options train_options;
    kith_rank_options wish;
    kith_protocol nodes = {0};
    const kith_dataset *d;
    const char *method;
    kith_options *o;
    kith_split split;
    kith_ranking *list = NULL;
    char *json = NULL;
    size_t length = 0;
    int goal;
    kith_status st;
    run r = {0};

    (void)self;
    kith_rank_options_init(&wish);
    if (!PyArg_ParseTuple(args, "OsO!OOiidiO:rank", &data, &method,
                          &PyDict_Type, &dict, &train, &val, &wish.positive,
                          &goal, &wish.wish, &wish.budget, &progress) ||
        !(d = object_get(data, KIND_DATA)) || !split_look(train, val, &split) ||
        !(o = options_from(dict, &r)))
        return NULL;
    wish.goal = (kith_goal)goal;
    if (kith_options_get(o, "prevalence") > 0)
        wish.prevalence = kith_options_get(o, "prevalence");
    run_begin(&r, progress);
    kith_options_set_job(o, &r.job);
    train_options = kith_options_train(o);
    st = protocol_of(d, &split, o, &nodes, &r.err);
    if (st == KITH_OK)
        st = kith_rank(d, method, &nodes, &train_options, &wish, &list, &r.err);
    if (st == KITH_OK)
        st = kith_ranking_json(list, d->graph, &json, &length, &r.err);
    kith_protocol_release(&nodes);
    kith_options_free(o);
    if (!run_end(&r, st) || !list) {
        kith_ranking_free(list);
        kith_array_free(json);
        return NULL;
    }
    holder = object_wrap(KIND_RANKING, list, ranking_release, data);
    if (!holder) {
        kith_array_free(json);
        return NULL;
    }
    return Py_BuildValue("(NNNNi)", holder, text_of(json, length),
                         array_address(list->node, list->nodes),
                         array_address(list->probability, list->nodes),
                         (int)list->listed);
}

/* ---- methods on splits --------------------------------------------------- */

enum { MOST_METHODS = 64, MOST_SPLITS = 10000 };

/* Splits, (name, train, val, test) each, checked and copied. */
static bool splits_from(PyObject *list, const kith_dataset *d, kith_split *out,
                        int n)
{
    for (int i = 0; i < n; i++) {
        PyObject *one = PyList_GetItem(list, i), *part[3];
        kith_array nodes[3];
        const char *name;
        kith_error err = {0};
        kith_status st;

        if (!PyArg_ParseTuple(one, "sOOO", &name, &part[0], &part[1],
                              &part[2]) ||
            !array_look(part[0], "train", INTEGERS, 1, &nodes[0], NULL) ||
            !array_maybe(part[1], "val", INTEGERS, 1, &nodes[1]) ||
            !array_look(part[2], "test", INTEGERS, 1, &nodes[2], NULL))
            return false;
        st = kith_split_from_arrays(d->graph, &nodes[0],
                                    nodes[1].count ? &nodes[1] : NULL,
                                    &nodes[2], name, &out[i], &err);
        if (st != KITH_OK) {
            run_fail(st, &err);
            return false;
        }
    }
    return true;
}

static bool methods_from(PyObject *list, PyObject *keep, const char **out,
                         int n)
{
    for (int i = 0; i < n; i++) {
        PyObject *text = PyUnicode_AsUTF8String(PyList_GetItem(list, i));

        if (!text || PyList_Append(keep, text) != 0) {
            Py_XDECREF(text);
            return false;
        }
        out[i] = PyBytes_AsString(text);
        Py_DECREF(text);
    }
    return true;
}

/* Run them, as `kith eval` does: what is fitted sees training labels alone. */
static PyObject *evaluate_all(const kith_dataset *d, const char **methods,
                              int n_methods, const kith_split *splits,
                              int n_splits, PyObject *dict, PyObject *progress)
{
    const bool fit_given = PyDict_GetItemString(dict, "fit") != NULL;
    kith_evaluation_options e;
    kith_evaluation *told = NULL;
    kith_options *o;
    char *json = NULL;
    size_t length = 0;
    kith_status st;
    run r = {0};

    o = options_from(dict, &r);
    if (!o)
        return NULL;
    kith_evaluation_options_init(&e);
    run_begin(&r, progress);
    kith_options_set_job(o, &r.job);
    e.train = kith_options_train(o);
    if (!fit_given) /* what is compared learns from the same nodes */
        e.train.fit = KITH_FIT_TRAIN;
    st = kith_evaluate(d, methods, n_methods, splits, n_splits, &e, &told,
                       &r.err);
    if (st == KITH_OK)
        st = kith_evaluation_json(told, "", "", false, 0, &json, &length,
                                  &r.err);
    kith_evaluation_free(told);
    kith_options_free(o);
    if (!run_end(&r, st)) {
        kith_array_free(json);
        return NULL;
    }
    return text_of(json, length);
}

/* evaluate(data, methods, splits, options, progress): JSON. */
PyObject *py_evaluate(PyObject *self, PyObject *args)
{
    PyObject *data, *methods, *splits, *dict, *progress, *keep, *out = NULL;
    const char *method[MOST_METHODS];
    const kith_dataset *d;
    kith_split *split;
    Py_ssize_t n, m;

    (void)self;
    if (!PyArg_ParseTuple(args, "OO!O!O!O:evaluate", &data, &PyList_Type,
                          &methods, &PyList_Type, &splits, &PyDict_Type, &dict,
                          &progress) ||
        !(d = object_get(data, KIND_DATA)))
        return NULL;
    m = PyList_Size(methods);
    n = PyList_Size(splits);
    if (m < 1 || m > MOST_METHODS || n < 1 || n > MOST_SPLITS)
        return PyErr_Format(PyExc_ValueError,
                            "%zd methods and %zd splits, expected 1 to %d and "
                            "1 to %d",
                            m, n, MOST_METHODS, MOST_SPLITS);
    split = calloc((size_t)n, sizeof(*split));
    keep = PyList_New(0);
    if (!split)
        PyErr_NoMemory();
    else if (keep && methods_from(methods, keep, method, (int)m) &&
             splits_from(splits, d, split, (int)n))
        out = evaluate_all(d, method, (int)m, split, (int)n, dict, progress);
    for (Py_ssize_t i = 0; split && i < n; i++)
        kith_split_release(&split[i]);
    free(split);
    Py_XDECREF(keep);
    return out;
}
