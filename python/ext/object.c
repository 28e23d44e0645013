/* object.c: the library's objects in capsules. */
#include <stdlib.h>

#include "ext.h"

const char KIND_DATA[] = "kith.data", KIND_IDS[] = "kith.ids",
           KIND_FEATURES[] = "kith.features", KIND_LABELS[] = "kith.labels",
           KIND_FIT[] = "kith.fit", KIND_MODEL[] = "kith.model",
           KIND_SOLUTION[] = "kith.solution";

/* What a capsule points at. */
typedef struct object {
    void *it;
    void (*release)(void *);
    PyObject *needs;
} object;

static void object_free(object *o)
{
    if (o->release)
        o->release(o->it);
    Py_XDECREF(o->needs);
    free(o);
}

static void capsule_free(PyObject *capsule)
{
    object_free(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
}

PyObject *object_wrap(const char *kind, void *it, void (*release)(void *),
                      PyObject *needs)
{
    object *o = malloc(sizeof(*o));
    PyObject *capsule;

    if (!o) {
        if (release)
            release(it);
        return PyErr_NoMemory();
    }
    *o = (object){it, release, needs};
    Py_XINCREF(needs);
    capsule = PyCapsule_New(o, kind, capsule_free);
    if (!capsule)
        object_free(o);
    return capsule;
}

void *object_get(PyObject *o, const char *kind)
{
    const object *found;

    if (!PyCapsule_IsValid(o, kind)) {
        PyErr_Format(PyExc_TypeError, "expected a %s object", kind);
        return NULL;
    }
    found = PyCapsule_GetPointer(o, kind);
    return found->it;
}
