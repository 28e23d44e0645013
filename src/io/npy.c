#include "io/npy.h"

#include <math.h>

#include "core/alloc.h"
#include "io/formats.h"
#include "io/plausible.h"
#include "io/source.h"
#include "io/writer.h"

/* Numbers are copied between memory and file as they are. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               ".npy code expects a little-endian machine");

/* ---- the dictionary ------------------------------------------------------ */

/* What is parsed: the text of the dictionary, and where errors are. */
typedef struct dictionary {
    const char *at, *end;
    const char *path, *name;
    kith_error *err;
} dictionary;

/* "member 'x': " before a message about a member of an archive. */
static kith_status fail(const dictionary *d, kith_status status,
                        const char *what, const char *shown)
{
    const char *const member = d->name ? d->name : "";

    return kith__fail(d->err, status, d->path, 0, "%s%s%s%s%s",
                      d->name ? "member '" : "", member, d->name ? "': " : "",
                      what, shown);
}

static void skip_blanks(dictionary *d)
{
    while (d->at < d->end && (*d->at == ' ' || *d->at == '\n'))
        d->at++;
}

/* Take a character if it comes next, blanks skipped. */
static bool take(dictionary *d, char c)
{
    skip_blanks(d);
    if (d->at == d->end || *d->at != c)
        return false;
    d->at++;
    return true;
}

static bool take_word(dictionary *d, const char *word)
{
    const size_t n = strlen(word);

    skip_blanks(d);
    if ((size_t)(d->end - d->at) < n || memcmp(d->at, word, n) != 0)
        return false;
    d->at += n;
    return true;
}

/* A quoted string without escapes; NULL if there is none. */
static const char *take_string(dictionary *d, size_t *length)
{
    const char *text, *close;
    char quote;

    skip_blanks(d);
    if (d->at == d->end || (*d->at != '\'' && *d->at != '"'))
        return NULL;
    quote = *d->at++;
    text = d->at;
    close = memchr(text, quote, (size_t)(d->end - text));
    if (!close)
        return NULL;
    *length = (size_t)(close - text);
    d->at = close + 1;
    return text;
}

static bool take_count(dictionary *d, int64_t *value)
{
    const char *begin;

    skip_blanks(d);
    *value = 0;
    for (begin = d->at; d->at < d->end && *d->at >= '0' && *d->at <= '9';
         d->at++)
        if (!kith__multiply(*value, 10, value) ||
            !kith__add(*value, *d->at - '0', value))
            return false;
    if (d->at == begin)
        return false;
    if (d->at < d->end && *d->at == 'L') /* Python 2's long integers */
        d->at++;
    return true;
}

/* A kind and a width that we can read? */
static bool known_type(char kind, int64_t width)
{
    switch (kind) {
    case 'f':
        return width == 4 || width == 8;
    case 'i':
    case 'u':
        return width == 1 || width == 2 || width == 4 || width == 8;
    case 'b':
        return width == 1;
    case 'S':
    case 'U':
        return width <= 1 << 16;
    default:
        return false;
    }
}

static kith_status parse_descr(dictionary *d, kith__npy *a)
{
    char shown[KITH_QUOTE_BUFFER];
    dictionary number;
    const char *text;
    size_t length;

    skip_blanks(d);
    if (d->at < d->end && *d->at == '[')
        return fail(d, KITH_ERR_PARSE,
                    "is an array of structures, expected plain numbers", "");
    text = take_string(d, &length);
    if (!text)
        return fail(d, KITH_ERR_PARSE,
                    "has no type, expected a string as descr", "");
    kith__quote(shown, text, length);
    if (length > 0 && text[0] == '>')
        return fail(d, KITH_ERR_PARSE,
                    "has big-endian numbers, expected little-endian: descr ",
                    shown);
    number = (dictionary){.at = text + 2, .end = text + length};
    if (length < 3 || length >= sizeof(a->descr) || !strchr("<|=", text[0]) ||
        !take_count(&number, &a->width) || number.at != number.end ||
        !known_type(text[1], a->width))
        return fail(d, KITH_ERR_PARSE,
                    "has a type that is not supported, expected integers, "
                    "float32 or float64: descr ",
                    shown);
    a->kind = text[1];
    a->width *= a->kind == 'U' ? 4 : 1;
    memcpy(a->descr, shown, length + 1);
    return KITH_OK;
}

/* (), (3,) or (3, 4) */
static kith_status parse_shape(dictionary *d, kith__npy *a)
{
    bool closed;

    if (!take(d, '('))
        return fail(d, KITH_ERR_PARSE, "has no shape, expected '('", "");
    a->count = 1;
    a->dimensions = 0;
    while (!(closed = take(d, ')')) && a->dimensions < KITH__NPY_DIMENSIONS) {
        int64_t *const extent = &a->shape[a->dimensions++];

        if (!take_count(d, extent) ||
            !kith__multiply(a->count, *extent, &a->count))
            return fail(d, KITH_ERR_PARSE,
                        "has a shape that is no list of counts", "");
        if (!take(d, ',') && (d->at == d->end || *d->at != ')'))
            return fail(d, KITH_ERR_PARSE,
                        "has a shape that does not end, expected ')'", "");
    }
    if (!closed)
        return fail(d, KITH_ERR_PARSE, "has more than 8 dimensions, expected 2",
                    "");
    return KITH_OK;
}

static kith_status parse_order(dictionary *d, kith__npy *a)
{
    a->fortran = take_word(d, "True");
    if (!a->fortran && !take_word(d, "False"))
        return fail(d, KITH_ERR_PARSE,
                    "has an unknown fortran_order, expected True or False", "");
    return KITH_OK;
}

static kith_status parse_pair(dictionary *d, kith__npy *a, int *seen)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    static kith_status (*const parse[])(dictionary *, kith__npy *) = {
        parse_descr, parse_order, parse_shape};
    size_t length = 0;
    const char *key = take_string(d, &length);

    for (int i = 0; key && i < 3; i++) {
        if (strlen(keys[i]) != length || memcmp(keys[i], key, length) != 0)
            continue;
        if (*seen & 1 << i || !take(d, ':'))
            break;
        *seen |= 1 << i;
        return parse[i](d, a);
    }
    return fail(d, KITH_ERR_PARSE,
                "has a broken header, expected descr, fortran_order and shape",
                "");
}

static kith_status parse_dictionary(dictionary *d, kith__npy *a)
{
    kith_status st = KITH_OK;
    int seen = 0;
    bool closed;

    if (!take(d, '{'))
        TRY(fail(d, KITH_ERR_PARSE, "has a broken header, expected '{'", ""));
    while (!(closed = take(d, '}'))) {
        TRY(parse_pair(d, a, &seen));
        if (!take(d, ',') && (d->at == d->end || *d->at != '}'))
            break;
    }
    skip_blanks(d);
    if (!closed || d->at != d->end)
        TRY(fail(d, KITH_ERR_PARSE, "has a header that does not end with '}'",
                 ""));
    if (seen != 7)
        TRY(fail(d, KITH_ERR_PARSE,
                 "lacks a part of its header, expected descr, fortran_order "
                 "and shape",
                 ""));
out:
    return st;
}

/* ---- header -------------------------------------------------------------- */

/* Version 1 has 2 bytes for the length, versions 2 and 3 have 4. */
static int prefix_bytes(const unsigned char *prefix)
{
    return prefix[6] == 1 ? 10 : 12;
}

kith_status kith__npy_length(const unsigned char *prefix, const char *path,
                             const char *name, int64_t *length, kith_error *err)
{
    const dictionary d = {.path = path, .name = name, .err = err};

    if (memcmp(prefix, "\x93NUMPY", 6) != 0)
        return fail(&d, KITH_ERR_PARSE,
                    "is no NumPy array, expected '\\x93NUMPY' first", "");
    if (prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0)
        return fail(&d, KITH_ERR_PARSE,
                    "has an unknown .npy version, expected 1.0, 2.0 or 3.0",
                    "");
    *length = prefix[8] | prefix[9] << 8;
    if (prefix[6] > 1)
        *length |= (int64_t)prefix[10] << 16 | (int64_t)prefix[11] << 24;
    *length += prefix_bytes(prefix);
    if (*length > KITH__NPY_HEADER)
        return fail(&d, KITH_ERR_PARSE,
                    "has a header longer than 64 KiB, expected a short one",
                    "");
    if (*length < KITH__NPY_PREFIX)
        return fail(&d, KITH_ERR_PARSE, "has an empty header", "");
    return KITH_OK;
}

kith_status kith__npy_parse(const unsigned char *header, int64_t length,
                            const char *path, const char *name, kith__npy *out,
                            kith_error *err)
{
    dictionary d = {.at = (const char *)header + prefix_bytes(header),
                    .end = (const char *)header + length,
                    .path = path,
                    .name = name,
                    .err = err};
    kith_status st = KITH_OK;

    *out = (kith__npy){.start = length};
    TRY(parse_dictionary(&d, out));
    if (!kith__multiply(out->count, out->width, &out->bytes) ||
        out->bytes > INT64_MAX - length)
        TRY(fail(&d, KITH_ERR_RANGE, "has a shape beyond any file", ""));
out:
    return st;
}

bool kith__npy_numeric(const kith__npy *a)
{
    return a->kind != 'S' && a->kind != 'U';
}

int64_t kith__npy_integer(const kith__npy *a, const unsigned char *at,
                          int64_t i)
{
    const unsigned char *const from = at + i * a->width;
    const bool sign = a->kind == 'i';
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (a->width) {
    case 1:
        return sign ? (int64_t)(int8_t)*from : *from;
    case 2:
        memcpy(&two, from, sizeof(two));
        return sign ? (int64_t)(int16_t)two : two;
    case 4:
        memcpy(&four, from, sizeof(four));
        return sign ? (int64_t)(int32_t)four : four;
    default:
        memcpy(&eight, from, sizeof(eight));
        return (int64_t)eight;
    }
}

double kith__npy_real(const kith__npy *a, const unsigned char *at, int64_t i)
{
    const unsigned char *const from = at + i * a->width;
    float single;
    double real;

    if (a->kind == 'b')
        return *from != 0;
    if (a->kind == 'u' && a->width == 8)
        return (double)(uint64_t)kith__npy_integer(a, at, i);
    if (a->kind != 'f')
        return (double)kith__npy_integer(a, at, i);
    if (a->width == 4) {
        memcpy(&single, from, sizeof(single));
        return single;
    }
    memcpy(&real, from, sizeof(real));
    return real;
}

void kith__npy_print(char *out, const char *descr, int dimensions,
                     const int64_t *shape)
{
    char list[64] = "";
    int n;

    if (dimensions == 1)
        snprintf(list, sizeof(list), "%lld,", (long long)shape[0]);
    else if (dimensions == 2)
        snprintf(list, sizeof(list), "%lld, %lld", (long long)shape[0],
                 (long long)shape[1]);
    memset(out, ' ', KITH__NPY_PRINTED);
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = KITH__NPY_PRINTED - 10;
    out[9] = 0;
    n = snprintf(out + 10, KITH__NPY_PRINTED - 10,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                 descr, list);
    out[10 + n] = ' '; /* over the NUL */
    out[KITH__NPY_PRINTED - 1] = '\n';
}

/* ---- reading ------------------------------------------------------------- */

enum { CHUNK = 1 << 15 }; /* elements */

static kith_status truncated(const char *path, int64_t need, int64_t found,
                             kith_error *err)
{
    return kith__fail(err, KITH_ERR_PARSE, path, 0,
                      "is truncated: expected %lld bytes of numbers, found "
                      "%lld",
                      (long long)need, (long long)found);
}

static kith_status read_header(kith__source *s, kith__npy *a, kith_error *err)
{
    const char *const path = kith__source_path(s);
    unsigned char prefix[KITH__NPY_PREFIX];
    kith_status st = KITH_OK;
    unsigned char *header = NULL;
    int64_t got, length;

    TRY(kith__source_read(s, prefix, sizeof(prefix), &got, err));
    if (got < KITH__NPY_PREFIX)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "is too short for a NumPy array"));
    TRY(kith__npy_length(prefix, path, NULL, &length, err));
    TRY_NEW(header, kith__alloc(length, 1));
    memcpy(header, prefix, sizeof(prefix));
    TRY(kith__source_read(s, header + sizeof(prefix), length - KITH__NPY_PREFIX,
                          &got, err));
    if (got < length - KITH__NPY_PREFIX)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "is truncated in its header"));
    TRY(kith__npy_parse(header, length, path, NULL, a, err));
out:
    kith__free(header);
    return st;
}

/* Refuse what is no matrix, or cannot be in the file. */
static kith_status check_header(const kith__source *s, const kith__npy *a,
                                kith_error *err)
{
    const char *const path = kith__source_path(s);
    const int64_t size = kith__source_size(s), found = size - a->start;

    if (a->dimensions != 2)
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "has %d dimensions, expected 2 (nodes x features)",
                          a->dimensions);
    if (!kith__npy_numeric(a))
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "has text of type '%s', expected numbers", a->descr);
    if (kith__source_compressed(s)) {
        if (!kith__plausible(a->count, size))
            return kith__fail(err, KITH_ERR_RANGE, path, 0,
                              "claims %lld numbers in a file of %lld bytes, "
                              "expected fewer",
                              (long long)a->count, (long long)size);
        return KITH_OK; /* how many there are shows when they are read */
    }
    if (found < a->bytes)
        return truncated(path, a->bytes, found, err);
    if (found > a->bytes)
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "has %lld bytes after its numbers, expected none",
                          (long long)(found - a->bytes));
    return KITH_OK;
}

/* Put n numbers, the first being number `first` of the file, into place. */
static kith_status place(const kith__npy *a, const unsigned char *bytes,
                         int64_t first, int64_t n, const char *path,
                         kith_features *f, kith_error *err)
{
    const int64_t rows = a->shape[0], columns = a->shape[1];

    for (int64_t i = 0; i < n; i++) {
        const int64_t k = first + i;
        const int64_t to = a->fortran ? k % rows * columns + k / rows : k;
        const double real = kith__npy_real(a, bytes, i);

        f->value[to] = (float)real;
        if (!isfinite(f->value[to]))
            return kith__fail(err, KITH_ERR_PARSE, path, 0,
                              "value %g in row %lld, column %lld (counted from "
                              "1) is infinite or not a number",
                              real, (long long)(to / columns) + 1,
                              (long long)(to % columns) + 1);
    }
    return KITH_OK;
}

static kith_status read_numbers(kith__source *s, const kith__npy *a,
                                kith_features *f, kith_error *err)
{
    const char *const path = kith__source_path(s);
    kith_status st = KITH_OK;
    unsigned char *chunk = NULL;
    int64_t got;

    TRY_NEW(chunk, kith__alloc(CHUNK, (size_t)a->width));
    for (int64_t first = 0; first < a->count; first += CHUNK) {
        const int64_t left = a->count - first, n = left < CHUNK ? left : CHUNK;

        TRY(kith__source_read(s, chunk, n * a->width, &got, err));
        if (got < n * a->width)
            TRY(truncated(path, a->bytes, first * a->width + got, err));
        TRY(place(a, chunk, first, n, path, f, err));
    }
    TRY(kith__source_read(s, chunk, 1, &got, err));
    if (got > 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "has bytes after its numbers, expected none"));
out:
    kith__free(chunk);
    return st;
}

kith_status kith__npy_features_read(kith__source *s, kith_features **out,
                                    kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features *f = NULL;
    kith__npy a;

    *out = NULL;
    TRY(read_header(s, &a, err));
    TRY(check_header(s, &a, err));
    TRY(kith__features_dense(a.shape[0], a.shape[1], kith__source_path(s), &f,
                             err));
    TRY(read_numbers(s, &a, f, err));
    *out = f;
    f = NULL;
out:
    kith_features_free(f);
    return st;
}

/* ---- writing ------------------------------------------------------------- */

/* A sparse matrix may grow this far when it is written densely: 2 GiB. */
static const int64_t DENSE_LIMIT = INT64_C(1) << 31;

static kith_status write_sparse(kith__writer *w, const kith_features *f,
                                kith_error *err)
{
    float *row = kith__alloc_zeroed(f->columns, sizeof(*row));

    if (!row)
        return kith__no_memory(err);
    for (int32_t r = 0; r < f->nodes; r++) {
        for (int64_t p = f->row[r]; p < f->row[r + 1]; p++)
            row[f->column[p]] = f->value ? f->value[p] : 1;
        kith__writer_bytes(w, row, (size_t)f->columns * sizeof(*row));
        for (int64_t p = f->row[r]; p < f->row[r + 1]; p++)
            row[f->column[p]] = 0;
    }
    kith__free(row);
    return KITH_OK;
}

kith_status kith__npy_features_write(const kith_features *f, kith__writer *w,
                                     kith_error *err)
{
    const int64_t shape[] = {f->nodes, f->columns};
    char header[KITH__NPY_PRINTED];
    kith_status st = KITH_OK;

    if (f->row && shape[0] * shape[1] > DENSE_LIMIT / 4)
        TRY(kith__fail(err, KITH_ERR_RANGE, kith__writer_path(w), 0,
                       "would take %lld x %lld numbers, more than 2 GiB, as a "
                       "dense array (write .npz, .mtx or .svm instead)",
                       (long long)shape[0], (long long)shape[1]));
    kith__npy_print(header, "<f4", 2, shape);
    kith__writer_bytes(w, header, sizeof(header));
    if (f->row)
        TRY(write_sparse(w, f, err));
    else
        kith__writer_bytes(w, f->value, (size_t)f->entries * sizeof(float));
out:
    return st;
}
