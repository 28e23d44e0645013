/* options.c: the library's table of options and its list of methods. */
#include <math.h>

#include "ext.h"

static const char *const types[] = {"integer", "real", "flag", "choice",
                                    "text"};

/* The default as Python has it: a number, True or False, a word, None. */
static PyObject *preset_of(const kith_option_info *row)
{
    char text[KITH_OPTION_BUFFER];

    if (row->type == KITH_OPTION_TEXT)
        Py_RETURN_NONE;
    if (row->type == KITH_OPTION_INTEGER)
        return PyLong_FromDouble(row->preset);
    if (row->type == KITH_OPTION_REAL)
        return PyFloat_FromDouble(row->preset);
    if (row->type == KITH_OPTION_FLAG && !row->choices)
        return PyBool_FromLong(row->preset != 0);
    return PyUnicode_FromString(kith_option_text(row, row->preset, text));
}

/* options(): a list of dicts, one for each row. */
PyObject *py_options(PyObject *self, PyObject *args)
{
    int rows;
    const kith_option_info *row = kith_option_list(&rows);
    PyObject *list = PyList_New(0);

    (void)self;
    (void)args;
    for (int i = 0; list && i < rows; i++) {
        char wanted[200];
        PyObject *one = Py_BuildValue(
            "{s:s,s:s,s:s,s:N,s:z,s:z,s:s,s:s}", "name", row[i].name, "key",
            row[i].key, "type", types[row[i].type], "default",
            preset_of(&row[i]), "choices", row[i].choices, "methods",
            row[i].methods, "help", row[i].help, "expects",
            kith_option_expects(&row[i], wanted, sizeof(wanted)));

        if (!one || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* methods(): a list of (name, summary). */
PyObject *py_methods(PyObject *self, PyObject *args)
{
    int count;
    const kith_method_info *all = kith_methods(&count);
    PyObject *list = PyList_New(count);

    (void)self;
    (void)args;
    for (int i = 0; list && i < count; i++) {
        PyObject *one = Py_BuildValue("(ss)", all[i].name, all[i].summary);

        if (!one || PyList_SetItem(list, i, one) != 0)
            Py_CLEAR(list);
    }
    return list;
}

static bool set_one(kith_options *o, PyObject *name, PyObject *value)
{
    PyObject *key = PyUnicode_AsUTF8String(name), *text = NULL;
    kith_error err = {0};
    kith_status st = KITH_OK;
    double number;

    if (!key)
        return false;
    if (PyUnicode_Check(value)) {
        text = PyUnicode_AsUTF8String(value);
        if (text)
            st = kith_options_set(o, PyBytes_AsString(key),
                                  PyBytes_AsString(text), &err);
    } else {
        number = PyFloat_AsDouble(value);
        if (!PyErr_Occurred())
            st = kith_options_set_number(o, PyBytes_AsString(key), number,
                                         &err);
    }
    if (st != KITH_OK)
        run_fail(st, &err);
    Py_DECREF(key);
    Py_XDECREF(text);
    return !PyErr_Occurred();
}

kith_options *options_from(PyObject *dict, run *r)
{
    PyObject *name, *value;
    kith_options *o = NULL;
    kith_error err = {0};
    const kith_status st = kith_options_new(&o, &err);
    Py_ssize_t at = 0;

    if (st != KITH_OK) {
        run_fail(st, &err);
        return NULL;
    }
    while (PyDict_Next(dict, &at, &name, &value))
        if (!set_one(o, name, value)) {
            kith_options_free(o);
            return NULL;
        }
    r->job.threads = (int)kith_options_get(o, "threads");
    r->job.memory = (int64_t)kith_options_get(o, "memory");
    return o;
}
