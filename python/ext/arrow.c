/*
 * arrow.c: columns of a table through the Arrow C stream interface
 * (arrow.apache.org/docs/format/CStreamInterface.html), without pyarrow.
 *
 * A column becomes (kind, values, validity, offsets, dictionary): kind is a
 * NumPy type ("i8", "f4", "?"), or "text"; values the bytes of all chunks, one
 * after the other; validity a byte a row, None if no value is missing; offsets
 * of texts as int64; dictionary a column of its own, values then its indices.
 */
#include <stdlib.h>
#include <string.h>

#include "ext.h"

/* As the specification has them. */
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* ---- bytes that grow ----------------------------------------------------- */

typedef struct heap {
    char *at;
    size_t n, room;
} heap;

/* Room for so many more bytes at the end; NULL, and an exception. */
static char *heap_more(heap *h, size_t more)
{
    if (h->n + more > h->room) {
        const size_t room = (h->n + more) * 2;
        char *at = realloc(h->at, room ? room : 1);

        if (!at) {
            PyErr_NoMemory();
            return NULL;
        }
        h->at = at;
        h->room = room;
    }
    h->n += more;
    return h->at + h->n - more;
}

static PyObject *heap_bytes(heap *h)
{
    PyObject *bytes = PyBytes_FromStringAndSize(h->at, (Py_ssize_t)h->n);

    free(h->at);
    *h = (heap){0};
    return bytes;
}

/* ---- formats ------------------------------------------------------------- */

/* How a format's values lie: fixed ones, texts with narrow or wide offsets, or
 * as views. */
typedef enum layout { FIXED, BITS, TEXT32, TEXT64, VIEWS, NOTHING } layout;

typedef struct format {
    const char *code, *kind; /* a prefix of codes that end in ':' */
    layout how;
    size_t size;
} format;

static const format formats[] = {
    {"c", "i1", FIXED, 1},     {"C", "u1", FIXED, 1},
    {"s", "i2", FIXED, 2},     {"S", "u2", FIXED, 2},
    {"i", "i4", FIXED, 4},     {"I", "u4", FIXED, 4},
    {"l", "i8", FIXED, 8},     {"L", "u8", FIXED, 8},
    {"f", "f4", FIXED, 4},     {"g", "f8", FIXED, 8},
    {"tdD", "i4", FIXED, 4},   {"tdm", "i8", FIXED, 8},
    {"ts", "i8", FIXED, 8},    {"b", "?", BITS, 1},
    {"u", "text", TEXT32, 4},  {"U", "text", TEXT64, 8},
    {"vu", "text", VIEWS, 16}, {"n", "f8", NOTHING, 8},
};

static const format *format_of(const char *code, const char *column)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        const format *f = &formats[i];

        if (strcmp(f->code, code) == 0 ||
            (strcmp(f->code, "ts") == 0 && strncmp(code, "ts", 2) == 0))
            return f;
    }
    PyErr_Format(PyExc_TypeError,
                 "column '%s' has the Arrow type '%s', expected numbers, texts "
                 "or a dictionary of them",
                 column, code);
    return NULL;
}

/* ---- a column ------------------------------------------------------------ */

typedef struct column {
    const format *how;
    heap values, valid, offsets;
    bool missing; /* any value */
    struct column *dictionary;
} column;

static void column_free(column *c)
{
    if (!c)
        return;
    free(c->values.at);
    free(c->valid.at);
    free(c->offsets.at);
    column_free(c->dictionary);
    free(c);
}

static bool bit(const void *bits, int64_t i)
{
    return ((const uint8_t *)bits)[i / 8] >> (i % 8) & 1;
}

static bool add_valid(column *c, const struct ArrowArray *a, int64_t from)
{
    char *to = heap_more(&c->valid, (size_t)a->length);
    const void *bits = a->n_buffers > 0 ? a->buffers[0] : NULL;

    if (!to)
        return false;
    for (int64_t i = 0; i < a->length; i++) {
        to[i] = c->how->how == NOTHING ? 0 : !bits || bit(bits, from + i);
        c->missing |= !to[i];
    }
    return true;
}

/* One text more; a missing one is empty. */
static bool add_text(column *c, const char *text, int64_t length)
{
    char *to = heap_more(&c->values, (size_t)length), *at;
    int64_t end;

    if (!to)
        return false;
    if (length > 0)
        memcpy(to, text, (size_t)length);
    end = (int64_t)c->values.n;
    at = heap_more(&c->offsets, sizeof(end));
    if (at)
        memcpy(at, &end, sizeof(end));
    return at != NULL;
}

/* The text at a view: 12 bytes or fewer lie in it, others in a buffer. */
static const char *view_text(const struct ArrowArray *a, int64_t i,
                             int64_t *length)
{
    const char *view = (const char *)a->buffers[1] + 16 * i;
    int32_t part[4];

    memcpy(part, view, sizeof(part));
    *length = part[0];
    return part[0] <= 12 ? view + 4
                         : (const char *)a->buffers[2 + part[2]] + part[3];
}

static bool add_texts(column *c, const struct ArrowArray *a, int64_t from,
                      const char *valid)
{
    for (int64_t i = 0; i < a->length; i++) {
        const int64_t p = from + i;
        const char *text;
        int64_t length;

        if (!valid[i]) {
            if (!add_text(c, NULL, 0))
                return false;
            continue;
        }
        if (c->how->how == VIEWS) {
            text = view_text(a, p, &length);
        } else if (c->how->how == TEXT32) {
            const int32_t *at = a->buffers[1];

            text = (const char *)a->buffers[2] + at[p];
            length = at[p + 1] - at[p];
        } else {
            const int64_t *at = a->buffers[1];

            text = (const char *)a->buffers[2] + at[p];
            length = at[p + 1] - at[p];
        }
        if (!add_text(c, text, length))
            return false;
    }
    return true;
}

static bool add_fixed(column *c, const struct ArrowArray *a, int64_t from)
{
    const size_t size = c->how->size, n = (size_t)a->length;
    char *to = heap_more(&c->values, n * size);

    if (!to)
        return false;
    if (c->how->how == NOTHING)
        memset(to, 0, n * size);
    else if (c->how->how == BITS)
        for (size_t i = 0; i < n; i++)
            to[i] = bit(a->buffers[1], from + (int64_t)i);
    else if (n > 0)
        memcpy(to, (const char *)a->buffers[1] + (size_t)from * size, n * size);
    return true;
}

/* A chunk of it; rows of a table are those from `offset` of the whole. */
static bool column_add(column *c, const struct ArrowArray *a, int64_t offset,
                       int64_t length)
{
    struct ArrowArray rows = *a;
    const int64_t from = a->offset + offset;
    const size_t before = c->valid.n;

    rows.length = length;
    if (!add_valid(c, &rows, from))
        return false;
    if (c->how->how == TEXT32 || c->how->how == TEXT64 || c->how->how == VIEWS)
        return add_texts(c, &rows, from, c->valid.at + before);
    return add_fixed(c, &rows, from);
}

static column *column_new(const struct ArrowSchema *schema, const char *name)
{
    column *c = calloc(1, sizeof(*c));
    const int64_t zero = 0;
    char *first;

    if (!c) {
        PyErr_NoMemory();
        return NULL;
    }
    c->how = format_of(schema->format, name);
    first = c->how ? heap_more(&c->offsets, sizeof(zero)) : NULL;
    if (first)
        memcpy(first, &zero, sizeof(zero));
    if (first && schema->dictionary)
        c->dictionary = column_new(schema->dictionary, name);
    if (!first || (schema->dictionary && !c->dictionary)) {
        column_free(c);
        return NULL;
    }
    return c;
}

/*
 * Dictionaries may differ from chunk to chunk: each is added behind the others,
 * and the indices of its chunk grow by what was there.
 */
static bool add_indices(column *c, const struct ArrowArray *a, int64_t offset,
                        int64_t length)
{
    const size_t before = c->values.n, size = c->how->size;
    const int64_t shift = (int64_t)c->dictionary->valid.n;

    if (!a->dictionary) {
        PyErr_SetString(PyExc_ValueError, "an Arrow dictionary is missing");
        return false;
    }
    if (!column_add(c, a, offset, length) ||
        !column_add(c->dictionary, a->dictionary, 0, a->dictionary->length))
        return false;
    if (shift == 0)
        return true;
    if (c->how->how != FIXED || size < 4) {
        PyErr_SetString(PyExc_ValueError,
                        "an Arrow column with several dictionaries has narrow "
                        "indices; make it one chunk first");
        return false;
    }
    for (size_t at = before; at < c->values.n; at += size) {
        int64_t wide;
        int32_t narrow;

        if (size == 8) {
            memcpy(&wide, c->values.at + at, 8);
            wide += shift;
            memcpy(c->values.at + at, &wide, 8);
        } else {
            memcpy(&narrow, c->values.at + at, 4);
            narrow += (int32_t)shift;
            memcpy(c->values.at + at, &narrow, 4);
        }
    }
    return true;
}

static PyObject *column_tell(column *c)
{
    PyObject *valid, *offsets, *dictionary;
    const bool text = strcmp(c->how->kind, "text") == 0;

    valid = c->missing ? heap_bytes(&c->valid) : Py_BuildValue("");
    offsets = text ? heap_bytes(&c->offsets) : Py_BuildValue("");
    dictionary = c->dictionary ? column_tell(c->dictionary) : Py_BuildValue("");
    return Py_BuildValue("(sNNNN)", c->how->kind, heap_bytes(&c->values), valid,
                         offsets, dictionary);
}

/* ---- a stream ------------------------------------------------------------ */

static bool stream_failed(struct ArrowArrayStream *s, int code)
{
    const char *why = code ? s->get_last_error(s) : NULL;

    if (code)
        PyErr_Format(PyExc_ValueError, "the Arrow stream failed: %s",
                     why ? why : "it does not say why");
    return code != 0;
}

/* Release what is given; it may be Python that does it, which cannot run with
 * an exception set. */
static void let_go(struct ArrowSchema *schema, struct ArrowArray *a,
                   struct ArrowArrayStream *s)
{
    PyObject *type, *value, *trace;

    PyErr_Fetch(&type, &value, &trace);
    if (schema)
        schema->release(schema);
    if (a)
        a->release(a);
    if (s)
        s->release(s);
    PyErr_Restore(type, value, trace);
}

/* All chunks of the columns, a struct each. */
static bool read_chunks(struct ArrowArrayStream *s, column **columns, int64_t n)
{
    for (;;) {
        struct ArrowArray chunk = {0};
        bool good = true;

        if (stream_failed(s, s->get_next(s, &chunk)))
            return false;
        if (!chunk.release)
            return true;
        for (int64_t i = 0; good && i < n; i++)
            if (columns[i])
                good = (columns[i]->dictionary ? add_indices : column_add)(
                    columns[i], chunk.children[i], chunk.offset, chunk.length);
        let_go(NULL, &chunk, NULL);
        if (!good)
            return false;
    }
}

/* Which columns are asked for: a new list, by choose(names); None: all. */
static PyObject *chosen(PyObject *choose, const struct ArrowSchema *schema)
{
    PyObject *names = PyList_New(0), *list;

    for (int64_t i = 0; names && i < schema->n_children; i++) {
        const char *name = schema->children[i]->name;
        PyObject *s = PyUnicode_FromString(name ? name : "");

        if (!s || PyList_Append(names, s) != 0)
            Py_CLEAR(names);
        Py_XDECREF(s);
    }
    if (!names || choose == Py_None)
        return names;
    list = PyObject_CallFunctionObjArgs(choose, names, NULL);
    Py_DECREF(names);
    return list;
}

/* Is the column among them?  -1, and an exception, if that cannot be told. */
static int wanted(PyObject *names, const char *name)
{
    PyObject *s = PyUnicode_FromString(name);
    const int found = s ? PySequence_Contains(names, s) : -1;

    Py_XDECREF(s);
    return found;
}

static const char *name_of(const struct ArrowSchema *of)
{
    return of->name ? of->name : "";
}

/* Begin the columns that are asked for. */
static bool begin_columns(const struct ArrowSchema *schema, PyObject *names,
                          column **columns)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        const char *name = name_of(schema->children[i]);
        const int use = wanted(names, name);

        if (use > 0)
            columns[i] = column_new(schema->children[i], name);
        if (use < 0 || (use > 0 && !columns[i]))
            return false;
    }
    return true;
}

/* Tell them all, by name. */
static PyObject *tell_columns(const struct ArrowSchema *schema,
                              column *const *columns)
{
    PyObject *dict = PyDict_New();

    for (int64_t i = 0; dict && i < schema->n_children; i++) {
        PyObject *one;

        if (!columns[i])
            continue;
        one = column_tell(columns[i]);
        if (!one ||
            PyDict_SetItemString(dict, name_of(schema->children[i]), one) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(one);
    }
    return dict;
}

static PyObject *read_columns(struct ArrowArrayStream *s,
                              const struct ArrowSchema *schema,
                              PyObject *choose)
{
    const int64_t n = schema->n_children;
    column **columns = calloc((size_t)n + 1, sizeof(column *));
    PyObject *names = chosen(choose, schema), *dict = NULL;

    if (!columns && !PyErr_Occurred())
        PyErr_NoMemory();
    if (columns && names && begin_columns(schema, names, columns) &&
        read_chunks(s, columns, n))
        dict = tell_columns(schema, columns);
    for (int64_t i = 0; columns && i < n; i++)
        column_free(columns[i]);
    free(columns);
    Py_XDECREF(names);
    return dict;
}

/* arrow_read(capsule, choose): a dict of columns, in their order: those that
 * choose(names) answers, all for None. */
PyObject *py_arrow_read(PyObject *self, PyObject *args)
{
    struct ArrowSchema schema = {0};
    struct ArrowArrayStream *s;
    PyObject *capsule, *choose, *out = NULL;

    (void)self;
    if (!PyArg_ParseTuple(args, "OO:arrow_read", &capsule, &choose))
        return NULL;
    s = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (!s)
        return NULL;
    if (!s->release)
        return PyErr_Format(PyExc_ValueError,
                            "the Arrow stream was read already");
    if (!stream_failed(s, s->get_schema(s, &schema))) {
        if (strcmp(schema.format, "+s") == 0)
            out = read_columns(s, &schema, choose);
        else
            PyErr_Format(PyExc_TypeError,
                         "an Arrow stream of '%s', expected one of a table",
                         schema.format);
        let_go(&schema, NULL, NULL);
    }
    let_go(NULL, NULL, s);
    return out;
}
