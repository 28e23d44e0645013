/*
 * array.c: NumPy arrays as the library's, by their array interface
 * (numpy.org/doc/stable/reference/arrays.interface.html): an address, a type
 * and a shape.  Nothing is copied.
 */
#include <string.h>

#include "ext.h"

/* What an array says of itself; the references are borrowed from `all`. */
typedef struct look {
    PyObject *all; /* the dict */
    PyObject *type, *shape, *data, *strides;
} look;

static bool look_at(PyObject *o, const char *name, look *l)
{
    *l = (look){.all = PyObject_GetAttrString(o, "__array_interface__")};
    if (!l->all || !PyDict_Check(l->all)) {
        Py_CLEAR(l->all);
        PyErr_Format(PyExc_TypeError, "%s: expected a NumPy array, not %R",
                     name, (PyObject *)Py_TYPE(o));
        return false;
    }
    l->type = PyDict_GetItemString(l->all, "typestr");
    l->shape = PyDict_GetItemString(l->all, "shape");
    l->data = PyDict_GetItemString(l->all, "data");
    l->strides = PyDict_GetItemString(l->all, "strides");
    if (l->type && l->shape && l->data && PyTuple_Check(l->shape) &&
        PyTuple_Check(l->data) && PyTuple_Size(l->data) == 2 &&
        PyUnicode_Check(l->type))
        return true;
    PyErr_Format(PyExc_TypeError, "%s: not an array in memory", name);
    Py_CLEAR(l->all);
    return false;
}

/* The type's name without its byte order, if it is one of `types`. */
static bool type_of(const look *l, const char *name, const char *types,
                    char out[3])
{
    PyObject *bytes = PyUnicode_AsUTF8String(l->type);
    const char *text = bytes ? PyBytes_AsString(bytes) : NULL;
    const bool native = text && strlen(text) == 3 &&
                        (text[0] == '<' || text[0] == '|');
    bool good = false;

    if (native) {
        memcpy(out, text + 1, 3);
        good = strstr(types, out) != NULL;
    }
    if (!good && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%s: type %R, expected one of %s", name,
                     l->type, types);
    Py_XDECREF(bytes);
    return good;
}

static kith_number number_of(const char type[3])
{
    return strcmp(type, "i4") == 0   ? KITH_I32
           : strcmp(type, "i8") == 0 ? KITH_I64
           : strcmp(type, "f4") == 0 ? KITH_F32
                                     : KITH_F64;
}

static bool shape_of(const look *l, const char *name, int dims, int64_t *count,
                     int64_t shape[2])
{
    const Py_ssize_t found = PyTuple_Size(l->shape);

    if (dims > 0 && found != dims) {
        PyErr_Format(PyExc_ValueError, "%s: %zd dimensions, expected %d", name,
                     found, dims);
        return false;
    }
    *count = 1;
    for (Py_ssize_t i = 0; i < found; i++) {
        const int64_t size = PyLong_AsLongLong(PyTuple_GetItem(l->shape, i));

        *count *= size;
        if (shape && i < 2)
            shape[i] = size;
    }
    if (l->strides && l->strides != Py_None && *count > 0)
        PyErr_Format(PyExc_ValueError, "%s: expected a contiguous array", name);
    return !PyErr_Occurred();
}

bool array_look(PyObject *o, const char *name, const char *types, int dims,
                kith_array *out, int64_t shape[2])
{
    char type[3];
    look l;
    bool good;

    if (!look_at(o, name, &l))
        return false;
    good = type_of(&l, name, types, type) &&
           shape_of(&l, name, dims, &out->count, shape);
    if (good) {
        out->type = number_of(type);
        out->data = PyLong_AsVoidPtr(PyTuple_GetItem(l.data, 0));
    }
    Py_DECREF(l.all);
    return good && !PyErr_Occurred();
}

bool array_maybe(PyObject *o, const char *name, const char *types, int dims,
                 kith_array *out)
{
    *out = (kith_array){0};
    return o == Py_None || array_look(o, name, types, dims, out, NULL);
}

void *array_room(PyObject *o, const char *name, const char *type, int64_t count)
{
    kith_array a;
    look l;
    int locked;

    if (!array_look(o, name, type, 0, &a, NULL) || !look_at(o, name, &l))
        return NULL;
    locked = PyObject_IsTrue(PyTuple_GetItem(l.data, 1));
    Py_DECREF(l.all);
    if (locked != 0 || a.count != count) {
        PyErr_Format(PyExc_ValueError,
                     "%s: expected %lld elements that may be written to", name,
                     (long long)count);
        return NULL;
    }
    return (void *)a.data;
}

PyObject *array_address(const void *at, int64_t count)
{
    if (!at)
        Py_RETURN_NONE;
    return Py_BuildValue("(NL)", PyLong_FromVoidPtr((void *)at),
                         (long long)count);
}
