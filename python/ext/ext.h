/*
 * ext.h: what the parts of the extension module share: objects of the library
 * in capsules, NumPy arrays as kith_array, calls without the GIL.
 *
 * It is built against CPython's stable ABI and knows NumPy by its array
 * interface alone, so that one build serves all versions of both.  All that is
 * not about Python lives in the library.
 */
#ifndef KITH_PYTHON_EXT_H
#define KITH_PYTHON_EXT_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <kith/kith.h>
#include <Python.h>
#include <string.h>

/* ---- objects of the library ---------------------------------------------- */

extern const char KIND_DATA[], KIND_IDS[], KIND_FEATURES[], KIND_LABELS[],
    KIND_FIT[], KIND_MODEL[], KIND_SOLUTION[];

/*
 * Wrap an object; `needs`, which may be NULL, is kept alive as long.  On
 * failure it is released, and the answer NULL.
 */
PyObject *object_wrap(const char *kind, void *it, void (*release)(void *),
                      PyObject *needs);

/* The object inside; NULL, and a TypeError, if it is none of that kind. */
void *object_get(PyObject *o, const char *kind);

/* ---- arrays -------------------------------------------------------------- */

/* Any of these types, as NumPy writes them: "i4", "i8", "f4", "f8", "u1". */
#define INTEGERS "i4 i8"
#define NUMBERS  "i4 i8 f4 f8"

/*
 * Look at an array of `dims` dimensions (0: any) without copying it: it must be
 * contiguous, in the machine's byte order and of one of the types.  shape may
 * be NULL.  False, and an exception, if it is not.
 */
bool array_look(PyObject *o, const char *name, const char *types, int dims,
                kith_array *out, int64_t shape[2]);
/* The same, but None is no array: *out is zeroed. */
bool array_maybe(PyObject *o, const char *name, const char *types, int dims,
                 kith_array *out);
/* An array of `count` elements of one type that may be written to. */
void *array_room(PyObject *o, const char *name, const char *type,
                 int64_t count);
/* (address, count): what Python makes an array of; None for NULL. */
PyObject *array_address(const void *at, int64_t count);

/* Nodes as bytes of int32. */
PyObject *nodes_bytes(const int32_t *nodes, int32_t n);

/* ---- calls --------------------------------------------------------------- */

/* A call of the library on its way: without the GIL, with progress. */
typedef struct run {
    kith_job job;
    kith_error err;
    PyObject *progress; /* called with (stage, done, total, unit); or None */
    PyThreadState *saved;
    double looked; /* when Python was last asked */
    bool raised;   /* an exception is set */
} run;

/* Let go of the GIL.  Nothing of Python may be used until run_end(). */
void run_begin(run *r, PyObject *progress);
/* Take it again; true if all went well, else an exception is set. */
bool run_end(run *r, kith_status st);
/* Set the exception of a failed call, and answer NULL. */
PyObject *run_fail(kith_status st, const kith_error *err);

/* ---- the functions, by file ---------------------------------------------- */

#define METHOD(NAME, HELP)                                                \
    {                                                                     \
#NAME, (PyCFunction)(void (*)(void))py_##NAME, METH_VARARGS, HELP \
    }
#define DECLARE(NAME) PyObject *py_##NAME(PyObject *self, PyObject *args)

/* run.c */
DECLARE(before_fork);
/* arrow.c */
DECLARE(arrow_read);
/* data.c */
DECLARE(open_data);
DECLARE(graph_from_csr);
DECLARE(graph_from_coo);
DECLARE(graph_from_ids);
DECLARE(ids_from_strings);
DECLARE(features_from_dense);
DECLARE(features_from_csr);
DECLARE(labels_from_array);
DECLARE(data_with);
DECLARE(save_data);
/* graph.c */
DECLARE(graph_counts);
DECLARE(graph_facts);
DECLARE(graph_rows);
DECLARE(graph_ids);
DECLARE(graph_find);
DECLARE(graph_order);
DECLARE(data_labels);
DECLARE(data_splits);
DECLARE(split_read);
DECLARE(split_random);
/* options.c */
DECLARE(options);
DECLARE(methods);
/* fit.c */
DECLARE(classify);
DECLARE(fit_arrays);
DECLARE(fit_model);
DECLARE(verdict);
DECLARE(predictions_write);
DECLARE(rank);
DECLARE(evaluate);
/* tasks.c */
DECLARE(tasks_classify);
/* model.c */
DECLARE(model_facts);
DECLARE(model_save);
DECLARE(model_open);
DECLARE(model_predict);
DECLARE(model_refit);
DECLARE(model_sets);
DECLARE(solution_new);
DECLARE(explain);
DECLARE(suggest);

/* Options of a training from a dict, names as the table has them; with the
 * threads and memory of the run.  NULL, and an exception, on failure. */
kith_options *options_from(PyObject *dict, run *r);

/* The solution in a capsule of solution_new(); NULL, and an exception. */
const kith_solution *solution_of(PyObject *o);

/* JSON or text of the library as a str; frees it. */
PyObject *text_of(char *text, size_t length);

#endif
