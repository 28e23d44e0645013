/* run.c: calls of the library: without the GIL, interruptible, errors raised.
 */
#include <time.h>

#include "ext.h"
#ifdef _OPENMP
#include <omp.h>
#endif

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Tell Python's callable; false if it raised. */
static bool tell(const run *r, const kith_progress *step)
{
    PyObject *answer;

    if (!r->progress || r->progress == Py_None)
        return true;
    answer = PyObject_CallFunction(
        r->progress, "sLLs", step->stage, (long long)step->done,
        (long long)step->total, step->unit ? step->unit : "");
    Py_XDECREF(answer);
    return answer != NULL;
}

enum { LOOKS_A_SECOND = 20 };

/* Look for Ctrl-C and tell of progress, some times a second; called by the
 * thread that made the call, without the GIL. */
static int on_progress(void *user, const kith_progress *step)
{
    run *r = user;
    const double t = now();

    if (r->raised)
        return 1;
    if (t - r->looked < 1.0 / LOOKS_A_SECOND)
        return 0;
    r->looked = t;
    PyEval_RestoreThread(r->saved);
    r->raised = PyErr_CheckSignals() != 0 || !tell(r, step);
    r->saved = PyEval_SaveThread();
    return r->raised;
}

void run_begin(run *r, PyObject *progress)
{
    r->job.progress = on_progress;
    r->job.user = r;
    r->progress = progress;
    r->looked = now();
    r->raised = false;
    r->err = (kith_error){0};
    r->saved = PyEval_SaveThread();
}

bool run_end(run *r, kith_status st)
{
    PyEval_RestoreThread(r->saved);
    if (r->raised) /* by Ctrl-C or the callable, whatever the library says */
        return false;
    if (st == KITH_OK)
        return PyErr_CheckSignals() == 0;
    run_fail(st, &r->err);
    return false;
}

static PyObject *kind_of_error(kith_status st)
{
    switch (st) {
    case KITH_ERR_IO:
        return PyExc_OSError;
    case KITH_ERR_NOMEM:
        return PyExc_MemoryError;
    case KITH_ERR_CANCELLED:
        return PyExc_KeyboardInterrupt;
    default:
        return PyExc_ValueError;
    }
}

PyObject *run_fail(kith_status st, const kith_error *err)
{
    char text[sizeof(err->path) + sizeof(err->text) + 32];
    PyObject *sentence;

    kith_error_format(err, text, sizeof(text));
    sentence = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    if (sentence)
        PyErr_SetObject(kind_of_error(st), sentence);
    Py_XDECREF(sentence);
    return NULL;
}

PyObject *text_of(char *text, size_t length)
{
    PyObject *s = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");

    kith_array_free(text);
    return s;
}

/*
 * before_fork(): a child has only the thread that forked, and OpenMP would wait
 * there for ever for those that the parent had started: so it lets go of them,
 * and starts new ones when they are needed.
 */
PyObject *py_before_fork(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
#ifdef _OPENMP
    omp_pause_resource_all(omp_pause_soft);
#endif
    Py_RETURN_NONE;
}
