/*
 * npz.c: NumPy's .npz, a zip archive of .npy members, holding a SciPy sparse
 * matrix or one dense array; see docs/formats/numpy.md.
 *
 * The size of a member must be what the shape in its header says.
 */
#include <math.h>

#include "core/job.h"
#include "io/formats.h"
#include "io/gather.h"
#include "io/npy.h"
#include "io/plausible.h"
#include "io/zip.h"

typedef kith__zip archive;
typedef kith__zip_member member;

/* ---- members ------------------------------------------------------------- */

/* An array of the archive: its header, and its numbers. */
typedef struct array {
    kith__npy npy;
    const unsigned char *at; /* the first number */
    kith__zip_bytes bytes;   /* the whole member */
    char name[KITH_QUOTE_BUFFER];
} array;

static void release_array(array *a)
{
    kith__zip_release(&a->bytes);
    *a = (array){0};
}

/* A member being loaded. */
typedef struct loading {
    const archive *z;
    const member *m;
    array *a;
} loading;

/* Parse the header at the front of a member, of which `have` bytes are known;
 * its shape must ask for the member's size exactly. */
static kith_status parse_header(void *user, const unsigned char *bytes,
                                int64_t have, kith_error *err)
{
    const loading *l = user;
    const archive *z = l->z;
    const member *m = l->m;
    array *a = l->a;
    kith_status st = KITH_OK;
    int64_t length;

    if (have < KITH__NPY_PREFIX)
        TRY(kith__zip_fail(z, m, KITH_ERR_PARSE,
                           "is too short for a NumPy array", err));
    TRY(kith__npy_length(bytes, z->path, a->name, &length, err));
    if (length > have)
        TRY(kith__zip_fail(z, m, KITH_ERR_PARSE, "is truncated in its header",
                           err));
    TRY(kith__npy_parse(bytes, length, z->path, a->name, &a->npy, err));
    if (a->npy.start + a->npy.bytes != m->size)
        TRY(kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                       "member '%s' has %lld bytes, but its shape asks for "
                       "%lld",
                       a->name, (long long)m->size,
                       (long long)(a->npy.start + a->npy.bytes)));
out:
    return st;
}

/* Load a member; a is zeroed, and released by the caller also on failure. */
static kith_status load_member(const archive *z, const member *m, array *a,
                               kith_error *err)
{
    loading l = {.z = z, .m = m, .a = a};
    kith_status st = KITH_OK;

    kith__quote(a->name, m->name, (size_t)m->name_n);
    TRY(kith__zip_load(z, m, KITH__NPY_HEADER, parse_header, &l, &a->bytes,
                       err));
    a->at = a->bytes.at + a->npy.start;
out:
    return st;
}

/* ---- SciPy's sparse matrices --------------------------------------------- */

typedef enum layout { LAYOUT_CSR, LAYOUT_CSC, LAYOUT_COO } layout;

typedef struct sparse {
    layout layout;
    int64_t rows, columns, entries;
    array offsets; /* indptr; not in coo */
    array minor;   /* indices; col in coo */
    array major;   /* row in coo */
    array data;
} sparse;

static void release_sparse(sparse *s)
{
    release_array(&s->offsets);
    release_array(&s->minor);
    release_array(&s->major);
    release_array(&s->data);
}

/* Load a list of `count` (or, if -1, any number of) numbers. */
static kith_status load_list(const archive *z, const char *name, bool integers,
                             int64_t count, array *a, kith_error *err)
{
    const member *m = kith__zip_find(z, name);
    kith_status st = KITH_OK;

    if (!m)
        TRY(kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                       "has no member '%s', expected a sparse matrix as "
                       "scipy.sparse.save_npz() writes it",
                       name));
    TRY(load_member(z, m, a, err));
    if (!kith__npy_numeric(&a->npy) || a->npy.dimensions != 1 ||
        (integers && a->npy.kind != 'i' && a->npy.kind != 'u'))
        TRY(kith__zip_fail(z, m, KITH_ERR_PARSE,
                           integers ? "is no list of integers"
                                    : "is no list of numbers",
                           err));
    if (count >= 0 && a->npy.count != count)
        TRY(kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                       "member '%s' has %lld numbers, expected %lld", a->name,
                       (long long)a->npy.count, (long long)count));
out:
    return st;
}

/* format.npy is one string: bytes, or (from old files) 4-byte characters. */
static kith_status read_layout(const archive *z, const member *m, sparse *s,
                               kith_error *err)
{
    static const char *const names[] = {"csr", "csc", "coo"};
    char text[8] = "", shown[KITH_QUOTE_BUFFER];
    kith_status st = KITH_OK;
    array a = {0};
    int64_t step, found = -1;

    TRY(load_member(z, m, &a, err));
    step = a.npy.kind == 'U' ? 4 : 1;
    if (kith__npy_numeric(&a.npy) || a.npy.count != 1)
        TRY(kith__zip_fail(z, m, KITH_ERR_PARSE, "is no string", err));
    for (int64_t i = 0; i < a.npy.width / step && i < 7; i++)
        text[i] = (char)a.at[i * step];
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0)
            found = i;
    if (found < 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                       "is a sparse matrix in the format '%s', expected csr, "
                       "csc or coo",
                       kith__quote(shown, text, strlen(text))));
    s->layout = (layout)found;
out:
    release_array(&a);
    return st;
}

static kith_status read_shape(const archive *z, sparse *s, kith_error *err)
{
    kith_status st = KITH_OK;
    array a = {0};

    TRY(load_list(z, "shape.npy", true, 2, &a, err));
    s->rows = kith__npy_integer(&a.npy, a.at, 0);
    s->columns = kith__npy_integer(&a.npy, a.at, 1);
    if (s->rows < 0 || s->columns < 0 || s->rows > INT32_MAX - 1 ||
        s->columns > INT32_MAX - 1 || !kith__plausible(s->rows, z->map->size))
        TRY(kith__fail(err, KITH_ERR_RANGE, z->path, 0,
                       "claims %lld rows and %lld columns in a file of %lld "
                       "bytes, expected fewer",
                       (long long)s->rows, (long long)s->columns,
                       (long long)z->map->size));
out:
    release_array(&a);
    return st;
}

/* Offsets begin at 0, never fall, and end at the number of entries. */
static kith_status check_offsets(const archive *z, const sparse *s,
                                 kith_error *err)
{
    const array *a = &s->offsets;
    int64_t last = 0;

    for (int64_t i = 0; i < a->npy.count; i++) {
        const int64_t at = kith__npy_integer(&a->npy, a->at, i);

        if ((i == 0 && at != 0) || at < last || at > s->entries)
            return kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                              "member '%s' has the offset %lld at place %lld, "
                              "expected %lld to %lld",
                              a->name, (long long)at, (long long)i,
                              (long long)last,
                              (long long)(i == 0 ? 0 : s->entries));
        last = at;
    }
    if (last != s->entries)
        return kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                          "member '%s' ends with %lld, but there are %lld "
                          "entries",
                          a->name, (long long)last, (long long)s->entries);
    return KITH_OK;
}

static kith_status read_sparse(const archive *z, const member *format,
                               sparse *s, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(read_layout(z, format, s, err));
    TRY(read_shape(z, s, err));
    TRY(load_list(z, "data.npy", false, -1, &s->data, err));
    s->entries = s->data.npy.count;
    if (s->layout == LAYOUT_COO) {
        TRY(load_list(z, "row.npy", true, s->entries, &s->major, err));
        TRY(load_list(z, "col.npy", true, s->entries, &s->minor, err));
        goto out;
    }
    TRY(load_list(z, "indices.npy", true, s->entries, &s->minor, err));
    TRY(load_list(z, "indptr.npy", true,
                  (s->layout == LAYOUT_CSR ? s->rows : s->columns) + 1,
                  &s->offsets, err));
    TRY(check_offsets(z, s, err));
out:
    return st;
}

/* Steps through the entries of a sparse matrix. */
typedef struct cursor {
    const sparse *s;
    int64_t next;  /* entry */
    int64_t major; /* row (csr) or column (csc) it is in */
    int64_t row, column;
    float value;
} cursor;

static int64_t major_of(cursor *c)
{
    const array *a = &c->s->offsets;

    if (c->s->layout == LAYOUT_COO)
        return kith__npy_integer(&c->s->major.npy, c->s->major.at, c->next);
    while (kith__npy_integer(&a->npy, a->at, c->major + 1) <= c->next)
        c->major++;
    return c->major;
}

/* Step on; indices and values are checked. */
static kith_status step(const archive *z, cursor *c, kith_error *err)
{
    const sparse *s = c->s;
    const int64_t major = major_of(c);
    const int64_t minor = kith__npy_integer(&s->minor.npy, s->minor.at,
                                            c->next);
    const double value = kith__npy_real(&s->data.npy, s->data.at, c->next);

    c->row = s->layout == LAYOUT_CSC ? minor : major;
    c->column = s->layout == LAYOUT_CSC ? major : minor;
    c->value = (float)value;
    if (c->row < 0 || c->row >= s->rows || c->column < 0 ||
        c->column >= s->columns)
        return kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                          "entry %lld is in row %lld, column %lld (counted "
                          "from 0), outside of %lld x %lld",
                          (long long)c->next, (long long)c->row,
                          (long long)c->column, (long long)s->rows,
                          (long long)s->columns);
    if (!isfinite(c->value))
        return kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                          "value %g in row %lld, column %lld (counted from 0) "
                          "is infinite or not a number",
                          value, (long long)c->row, (long long)c->column);
    c->next++;
    return KITH_OK;
}

/* ---- features ------------------------------------------------------------ */

static kith_status sparse_features(const archive *z, const member *format,
                                   kith_features **out, kith_error *err)
{
    kith__triples triples = {0};
    kith_status st = KITH_OK;
    sparse s = {0};
    cursor c = {.s = &s};

    TRY(read_sparse(z, format, &s, err));
    while (c.next < s.entries) {
        TRY(step(z, &c, err));
        TRY(kith__triples_add(&triples, (int32_t)c.row, (int32_t)c.column,
                              c.value, err));
    }
    release_sparse(&s);
    TRY(kith__features_from_triples(&triples, s.rows, s.columns, z->path, out,
                                    err));
out:
    kith__triples_release(&triples);
    release_sparse(&s);
    return st;
}

static kith_status copy_dense(const archive *z, const array *a,
                              kith_features *f, kith_error *err)
{
    const int64_t rows = a->npy.shape[0], columns = a->npy.shape[1];

    for (int64_t k = 0; k < a->npy.count; k++) {
        const int64_t to = a->npy.fortran ? k % rows * columns + k / rows : k;
        const double value = kith__npy_real(&a->npy, a->at, k);

        f->value[to] = (float)value;
        if (!isfinite(f->value[to]))
            return kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                              "value %g in row %lld, column %lld (counted from "
                              "0) is infinite or not a number",
                              value, (long long)(to / columns),
                              (long long)(to % columns));
    }
    return KITH_OK;
}

static kith_status dense_features(const archive *z, kith_features **out,
                                  kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features *f = NULL;
    array a = {0};

    if (z->n != 1)
        TRY(kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                       "has %lld arrays and no 'format.npy', expected a SciPy "
                       "sparse matrix or one dense array",
                       (long long)z->n));
    TRY(load_member(z, &z->members[0], &a, err));
    if (a.npy.dimensions != 2 || !kith__npy_numeric(&a.npy))
        TRY(kith__zip_fail(z, &z->members[0], KITH_ERR_PARSE,
                           "is no matrix, expected numbers in 2 dimensions",
                           err));
    TRY(kith__features_dense(a.npy.shape[0], a.npy.shape[1], z->path, &f, err));
    TRY(copy_dense(z, &a, f, err));
    *out = f;
    f = NULL;
out:
    kith_features_free(f);
    release_array(&a);
    return st;
}

kith_status kith__npz_features_read(kith__source *source, kith_features **out,
                                    kith_error *err)
{
    kith_status st = KITH_OK;
    const member *format;
    archive z = {0};

    *out = NULL;
    TRY(kith__zip_open(source, &z, err));
    format = kith__zip_find(&z, "format.npy");
    TRY(format ? sparse_features(&z, format, out, err)
               : dense_features(&z, out, err));
out:
    kith__zip_close(&z);
    return st;
}

/* ---- graphs -------------------------------------------------------------- */

enum { PROGRESS_ENTRIES = 1 << 20 };

/* Ones in a matrix of SciPy's only say where its entries are; a weighted graph
 * whose weights are all 1 has a member more, which SciPy passes over. */
static const char WEIGHTED[] = "weighted.npy";

/* Do the values say anything?  All ones do not. */
static bool values_differ_from_1(const sparse *s)
{
    for (int64_t i = 0; i < s->entries; i++)
        if (kith__npy_real(&s->data.npy, s->data.at, i) != 1)
            return true;
    return false;
}

static kith_status feed_entries(const archive *z, const sparse *s,
                                const kith_job *job, kith__feed *feed,
                                kith_error *err)
{
    kith_status st = KITH_OK;
    cursor c = {.s = s};

    while (c.next < s->entries) {
        if (c.next % PROGRESS_ENTRIES == 0)
            TRY(kith__progress(job, "reading edges", c.next, s->entries,
                               "entries", err));
        TRY(step(z, &c, err));
        if (feed->weighted && c.value < 0)
            TRY(kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                           "weight %g in row %lld, column %lld (counted from "
                           "0) is negative, expected 0 or more",
                           (double)c.value, (long long)c.row,
                           (long long)c.column));
        /* + 0: no minus zero among the weights */
        TRY(kith__feed_edge(feed, (uint32_t)c.row, (uint32_t)c.column,
                            c.value + 0.0f, err));
    }
    TRY(kith__feed_finish(feed, err));
out:
    return st;
}

kith_status kith__npz_graph_read(kith__source *source, const kith__known *known,
                                 const kith_build_options *options,
                                 kith__gathered *out, kith_error *err)
{
    kith_status st = KITH_OK;
    const member *format;
    kith__feed feed = {0};
    archive z = {0};
    sparse s = {0};

    TRY(kith__zip_open(source, &z, err));
    format = kith__zip_find(&z, "format.npy");
    if (!format)
        TRY(kith__fail(err, KITH_ERR_PARSE, z.path, 0,
                       "has no member 'format.npy', expected a sparse matrix "
                       "as scipy.sparse.save_npz() writes it"));
    TRY(read_sparse(&z, format, &s, err));
    if (s.rows != s.columns)
        TRY(kith__fail(err, KITH_ERR_PARSE, z.path, 0,
                       "has %lld rows and %lld columns, expected a square "
                       "matrix for a graph",
                       (long long)s.rows, (long long)s.columns));
    feed.weighted =
        options->weights == KITH_YES ||
        (options->weights == KITH_AUTO &&
         (kith__zip_find(&z, WEIGHTED) || values_differ_from_1(&s)));
    TRY(kith__gather_numbered(z.path, known, options, s.rows, feed.weighted,
                              out, err));
    feed.builder = out->builder;
    TRY(feed_entries(&z, &s, &options->job, &feed, err));
    out->cleaning.entries = s.entries;
out:
    kith__feed_release(&feed);
    release_sparse(&s);
    kith__zip_close(&z);
    return st;
}

/* ---- writing ------------------------------------------------------------- */

enum { OUT_CHUNK = 1 << 14, CSR_ARRAYS = 5, MOST_ARRAYS };

/* How the numbers of a member come from an array in memory. */
typedef enum source_kind {
    AS_IT_IS,
    NARROWED, /* int64_t to int32_t */
    ALL_ONES  /* float ones, without an array */
} source_kind;

/* An array to be written. */
typedef struct output {
    const char *name, *descr;
    int dimensions;
    source_kind kind;
    int64_t shape[2];
    const void *from;
    int64_t count;
    size_t width;
} output;

/* Elements first .. first + n - 1 as bytes, in `chunk` if they are made. */
static const void *numbers(const output *o, int64_t first, int64_t n,
                           void *chunk)
{
    const int64_t *wide = o->from;

    if (o->kind == AS_IT_IS)
        return (const char *)o->from + (size_t)first * o->width;
    for (int64_t i = 0; i < n; i++) {
        if (o->kind == NARROWED)
            ((int32_t *)chunk)[i] = (int32_t)wide[first + i];
        else
            ((float *)chunk)[i] = 1;
    }
    return chunk;
}

static void give_array(const void *user, kith__zip_sink *to)
{
    const output *o = user;
    int32_t chunk[OUT_CHUNK];
    char header[KITH__NPY_PRINTED];

    kith__npy_print(header, o->descr, o->dimensions, o->shape);
    kith__zip_give(to, header, sizeof(header));
    for (int64_t first = 0; first < o->count; first += OUT_CHUNK) {
        const int64_t left = o->count - first;
        const int64_t n = left < OUT_CHUNK ? left : OUT_CHUNK;

        kith__zip_give(to, numbers(o, first, n, chunk), n * (int64_t)o->width);
    }
}

/* n is at most MOST_ARRAYS. */
static void write_arrays(kith__writer *w, const output *o, int n)
{
    kith__zip_output members[MOST_ARRAYS];

    for (int i = 0; i < n; i++)
        members[i] = (kith__zip_output){
            .name = o[i].name, .source = give_array, .user = &o[i]};
    kith__zip_write(w, members, n);
}

/* SciPy's layout.  Offsets are 32-bit where they fit, as SciPy's are; `marked`:
 * with the member that says that ones are weights. */
static void write_csr(kith__writer *w, int64_t rows, int64_t columns,
                      const int64_t *offsets, const int32_t *indices,
                      const float *data, bool marked)
{
    const int64_t entries = offsets[rows], shape[] = {rows, columns};
    const bool narrow = entries <= INT32_MAX;
    const output o[MOST_ARRAYS] = {
        {.name = "indices.npy",
         .descr = "<i4",
         .dimensions = 1,
         .shape = {entries},
         .from = indices,
         .count = entries,
         .width = 4},
        {.name = "indptr.npy",
         .descr = narrow ? "<i4" : "<i8",
         .dimensions = 1,
         .shape = {rows + 1},
         .kind = narrow ? NARROWED : AS_IT_IS,
         .from = offsets,
         .count = rows + 1,
         .width = narrow ? 4 : 8},
        {.name = "format.npy",
         .descr = "|S3",
         .from = "csr",
         .count = 1,
         .width = 3},
        {.name = "shape.npy",
         .descr = "<i8",
         .dimensions = 1,
         .shape = {2},
         .from = shape,
         .count = 2,
         .width = 8},
        {.name = "data.npy",
         .descr = "<f4",
         .dimensions = 1,
         .shape = {entries},
         .kind = data ? AS_IT_IS : ALL_ONES,
         .from = data,
         .count = entries,
         .width = 4},
        {.name = WEIGHTED,
         .descr = "|b1",
         .from = "\1",
         .count = 1,
         .width = 1},
    };

    write_arrays(w, o, marked ? MOST_ARRAYS : CSR_ARRAYS);
}

void kith__npz_features_write(const kith_features *f, kith__writer *w)
{
    const output dense = {.name = "arr_0.npy",
                          .descr = "<f4",
                          .dimensions = 2,
                          .shape = {f->nodes, f->columns},
                          .from = f->value,
                          .count = f->entries,
                          .width = 4};

    if (f->row)
        write_csr(w, f->nodes, f->columns, f->row, f->column, f->value, false);
    else
        write_arrays(w, &dense, 1);
}

static bool all_ones(const float *values, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (values[i] != 1)
            return false;
    return true;
}

void kith__npz_graph_write(const kith_graph *g, kith__writer *w)
{
    const int32_t n = kith_graph_nodes(g);
    const int64_t *rows = kith_graph_rows(g);
    const float *weights = kith_graph_weights(g);

    write_csr(w, n, n, rows, kith_graph_neighbours(g), weights,
              weights && all_ones(weights, rows[n]));
}
