/* tasks.c: many tasks on one graph: nodes of several classes. */
#include "ext.h"

static const char KIND_TASKS[] = "kith.tasks";

static void run_release(void *r)
{
    kith_tasks_run_free(r);
}

/* Where the results of all tasks are, and what was learnt from in each. */
static PyObject *told_of(kith_tasks_run *done)
{
    PyObject *holder = object_wrap(KIND_TASKS, done, run_release, NULL);
    PyObject *list = holder ? PyList_New(done->tasks) : NULL;

    for (int32_t t = 0; list && t < done->tasks; t++) {
        const kith_task_fit *f = &done->fit[t];
        PyObject *one = Py_BuildValue(
            "{s:i,s:i,s:d}", "positives", (int)f->positives, "negatives",
            (int)f->negatives, "validation", f->validation);

        if (!one || PyList_SetItem(list, t, one) != 0)
            Py_CLEAR(list);
    }
    if (!list) {
        Py_XDECREF(holder);
        return NULL;
    }
    return Py_BuildValue(
        "(NNNN)", holder,
        array_address(done->probabilities, (int64_t)done->nodes * done->tasks),
        array_address(done->evidence, done->nodes), list);
}

/* tasks_classify(data, known, method, options, val, progress): known is nodes x
 * tasks of 1, 0 and NaN; val None or int32. */
PyObject *py_tasks_classify(PyObject *self, PyObject *args)
{
    PyObject *data, *given, *dict, *val, *progress;
    kith_train_options train_options;
    kith_tasks *tasks = NULL;
    kith_tasks_run *done = NULL;
    const kith_dataset *d;
    const char *method;
    kith_options *o;
    kith_array known, nodes;
    kith_split split = {0};
    int64_t shape[2];
    kith_status st;
    run r = {0};

    (void)self;
    if (!PyArg_ParseTuple(args, "OOsO!OO:tasks_classify", &data, &given,
                          &method, &PyDict_Type, &dict, &val, &progress) ||
        !(d = object_get(data, KIND_DATA)) ||
        !array_look(given, "y", "f4", 2, &known, shape) ||
        !array_maybe(val, "val", "i4", 1, &nodes) ||
        !(o = options_from(dict, &r)))
        return NULL;
    split.val = (int32_t *)nodes.data;
    split.n_val = (int32_t)nodes.count;
    run_begin(&r, progress);
    kith_options_set_job(o, &r.job);
    train_options = kith_options_train(o);
    st = kith_tasks_from_array(&known, (int32_t)shape[1], NULL, &tasks, &r.err);
    if (st == KITH_OK)
        st = kith_tasks_classify(d, tasks, method, &split,
                                 kith_options_get(o, "hold-out"),
                                 (uint64_t)kith_options_get(o, "seed"),
                                 &train_options, &done, &r.err);
    kith_tasks_free(tasks);
    kith_options_free(o);
    if (!run_end(&r, st) || !done) {
        kith_tasks_run_free(done);
        return NULL;
    }
    return told_of(done);
}
