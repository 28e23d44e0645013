/*
 * npz.c: NumPy's .npz, a zip archive of .npy members, holding a SciPy sparse
 * matrix or one dense array; see docs/formats/numpy.md.
 *
 * The archive is mapped.  A stored member is used where it lies, a deflated
 * one is unpacked; either way its checksum is verified, and its size must be
 * what the shape in its header says.
 */
#include <math.h>
#ifdef KITH_HAVE_ZLIB
#include <zlib.h>
#endif

#include "core/alloc.h"
#include "core/job.h"
#include "core/map.h"
#include "io/formats.h"
#include "io/gather.h"
#include "io/npy.h"
#include "io/plausible.h"
#include "io/writer.h"

/* ---- checksum ------------------------------------------------------------ */

#ifdef KITH_HAVE_ZLIB
static uint32_t crc_add(uint32_t crc, const void *bytes, int64_t n)
{
    return (uint32_t)crc32_z(crc, bytes, (size_t)n);
}
#else
/* CRC-32 of ISO 3309, a byte at a time. */
static uint32_t crc_add(uint32_t crc, const void *bytes, int64_t n)
{
    const unsigned char *at = bytes;
    uint32_t table[256];

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    crc = ~crc;
    for (int64_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ at[i]) & 255];
    return ~crc;
}
#endif

/* A fuzzer that had to guess checksums would not get behind them. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { VERIFY = 0 };
#else
enum { VERIFY = 1 };
#endif

/* ---- the archive --------------------------------------------------------- */

enum {
    END_BYTES = 22,     /* end of central directory, without its comment */
    LOCATOR_BYTES = 20, /* where the 64-bit end is */
    END64_BYTES = 56,
    ENTRY_BYTES = 46, /* of the central directory, without names */
    LOCAL_BYTES = 30, /* the header before a member, without names */
    STORED = 0,
    DEFLATED = 8,
    DEFLATE_RATIO = 1032 /* the most that deflate can pack */
};

typedef struct member {
    const char *name; /* in the map, not ended */
    int64_t name_n;
    int method;
    uint32_t crc;
    int64_t packed, size; /* bytes stored, bytes unpacked */
    int64_t at;           /* its local header */
} member;

typedef struct archive {
    kith__map *map;
    const char *path;
    int64_t directory, directory_n; /* where, and how many bytes */
    int64_t end;                    /* where the directory must be over */
    member *members;
    int64_t n, capacity;
} archive;

static void close_archive(archive *z)
{
    kith__free(z->members);
    kith__map_release(z->map);
    *z = (archive){0};
}

/* A little-endian number of n bytes; one beyond int64 comes out negative. */
static int64_t number(const unsigned char *at, int n)
{
    uint64_t value = 0;

    for (int i = n - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return (int64_t)value;
}

static kith_status corrupt(const archive *z, const char *what, kith_error *err)
{
    return kith__fail(err, KITH_ERR_CORRUPT, z->path, 0, "%s", what);
}

/* A message about one member. */
static kith_status member_fail(const archive *z, const member *m,
                               kith_status status, const char *what,
                               kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];

    return kith__fail(err, status, z->path, 0, "member '%s' %s",
                      kith__quote(shown, m->name, (size_t)m->name_n), what);
}

/* Do n bytes at `at` lie below `limit`? */
static bool inside(int64_t at, int64_t n, int64_t limit)
{
    return at >= 0 && n >= 0 && at <= limit && n <= limit - at;
}

/* The end record, behind which only its comment may follow; -1 if none. */
static int64_t find_end(const kith__map *map)
{
    const int64_t lowest = map->size - END_BYTES - 65535;

    for (int64_t at = map->size - END_BYTES; at >= 0 && at >= lowest; at--)
        if (memcmp(map->bytes + at, "PK\5\6", 4) == 0 &&
            at + END_BYTES + number(map->bytes + at + 20, 2) == map->size)
            return at;
    return -1;
}

/* Archives beyond 4 GiB tell where their directory is in a second record. */
static kith_status find_directory64(archive *z, kith_error *err)
{
    const unsigned char *const bytes = z->map->bytes;
    const int64_t locator = z->end - LOCATOR_BYTES;
    int64_t at;

    if (locator < 0 || memcmp(bytes + locator, "PK\6\7", 4) != 0)
        return KITH_OK; /* then the small fields are meant as they are */
    at = number(bytes + locator + 8, 8);
    if (!inside(at, END64_BYTES, locator) ||
        memcmp(bytes + at, "PK\6\6", 4) != 0)
        return corrupt(z, "has a broken zip64 end of its directory", err);
    z->directory_n = number(bytes + at + 40, 8);
    z->directory = number(bytes + at + 48, 8);
    z->end = at;
    return KITH_OK;
}

static kith_status find_directory(archive *z, kith_error *err)
{
    const unsigned char *bytes = z->map->bytes;
    kith_status st = KITH_OK;

    z->end = find_end(z->map);
    if (z->end < 0)
        TRY(corrupt(z,
                    "is no whole zip archive: the end of its directory is "
                    "missing",
                    err));
    z->directory_n = number(bytes + z->end + 12, 4);
    z->directory = number(bytes + z->end + 16, 4);
    TRY(find_directory64(z, err));
    if (!inside(z->directory, z->directory_n, z->end))
        TRY(corrupt(z, "has a directory outside of the file", err));
out:
    return st;
}

/* Fields that do not fit 32 bits stand in an extra field with id 1, in order,
 * those that do fit left out. */
static bool read_extra64(member *m, const unsigned char *extra, int64_t n)
{
    int64_t *const fields[] = {&m->size, &m->packed, &m->at};
    int64_t at = 0, end;

    while (at + 4 <= n && number(extra + at, 2) != 1)
        at += 4 + number(extra + at + 2, 2);
    end = at + 4 <= n ? at + 4 + number(extra + at + 2, 2) : at;
    if (end > n)
        return false;
    at += 4;
    for (int i = 0; i < 3; i++) {
        if (*fields[i] != UINT32_MAX)
            continue;
        if (at + 8 > end)
            return false;
        *fields[i] = number(extra + at, 8);
        at += 8;
    }
    return true;
}

/* The entry of the directory at *at, which moves behind it. */
static kith_status read_member(archive *z, int64_t *at, member *m,
                               kith_error *err)
{
    const int64_t end = z->directory + z->directory_n;
    const unsigned char *const e = z->map->bytes + *at; /* at < end */
    int64_t extra, whole;

    if (!inside(*at, ENTRY_BYTES, end) || memcmp(e, "PK\1\2", 4) != 0)
        return corrupt(z, "has a broken entry in its directory", err);
    extra = number(e + 30, 2);
    *m = (member){.name = (const char *)e + ENTRY_BYTES,
                  .name_n = number(e + 28, 2),
                  .method = (int)number(e + 10, 2),
                  .crc = (uint32_t)number(e + 16, 4),
                  .packed = number(e + 20, 4),
                  .size = number(e + 24, 4),
                  .at = number(e + 42, 4)};
    whole = ENTRY_BYTES + m->name_n + extra + number(e + 32, 2);
    if (!inside(*at, whole, end) ||
        !read_extra64(m, e + ENTRY_BYTES + m->name_n, extra))
        return corrupt(z, "has a broken entry in its directory", err);
    if (e[8] & 1)
        return member_fail(z, m, KITH_ERR_PARSE,
                           "is encrypted, expected a plain one", err);
    *at += whole;
    return KITH_OK;
}

static kith_status open_archive(const char *path, archive *z, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t at;

    *z = (archive){.path = path};
    TRY(kith__map_open(path, &z->map, err));
    TRY(find_directory(z, err));
    for (at = z->directory; at < z->directory + z->directory_n;) {
        if (!kith__grow((void **)&z->members, &z->capacity, z->n + 1,
                        sizeof(*z->members)))
            TRY(kith__no_memory(err));
        TRY(read_member(z, &at, &z->members[z->n], err));
        z->n++;
    }
out:
    return st;
}

/* The member NAME.npy, the last of them as in Python; NULL if there is none. */
static const member *find_member(const archive *z, const char *name)
{
    const member *found = NULL;
    const size_t n = strlen(name);

    for (int64_t i = 0; i < z->n; i++) {
        const member *m = &z->members[i];

        if ((size_t)m->name_n == n + 4 && memcmp(m->name, name, n) == 0 &&
            memcmp(m->name + n, ".npy", 4) == 0)
            found = m;
    }
    return found;
}

/* ---- members ------------------------------------------------------------- */

/* An array of the archive: its header, and its numbers. */
typedef struct array {
    kith__npy npy;
    const unsigned char *at; /* the first number */
    unsigned char *unpacked; /* the whole member if it was deflated */
    char name[KITH_QUOTE_BUFFER];
} array;

static void release_array(array *a)
{
    kith__free(a->unpacked);
    *a = (array){0};
}

/* Where a member's bytes begin, behind its local header. */
static kith_status find_data(const archive *z, const member *m,
                             const unsigned char **data, kith_error *err)
{
    const unsigned char *local;
    int64_t start;

    if (!inside(m->at, LOCAL_BYTES, z->directory) ||
        memcmp(z->map->bytes + m->at, "PK\3\4", 4) != 0)
        return member_fail(z, m, KITH_ERR_CORRUPT,
                           "is not where the directory says", err);
    local = z->map->bytes + m->at;
    start = m->at + LOCAL_BYTES + number(local + 26, 2) + number(local + 28, 2);
    if (!inside(start, m->packed, z->directory) || m->size < 0)
        return member_fail(z, m, KITH_ERR_CORRUPT,
                           "reaches beyond the file's data", err);
    *data = z->map->bytes + start;
    return KITH_OK;
}

/* Parse the header at the front of a member, of which `have` bytes are known;
 * its shape must ask for the member's size exactly. */
static kith_status parse_header(const archive *z, const member *m,
                                const unsigned char *bytes, int64_t have,
                                array *a, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t length;

    if (have < KITH__NPY_PREFIX)
        TRY(member_fail(z, m, KITH_ERR_PARSE, "is too short for a NumPy array",
                        err));
    TRY(kith__npy_length(bytes, z->path, a->name, &length, err));
    if (length > have)
        TRY(member_fail(z, m, KITH_ERR_PARSE, "is truncated in its header",
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

#ifdef KITH_HAVE_ZLIB
/* Unpack until `want` bytes are out; *packed moves on.  False if the data end
 * or break before. */
static bool unpack(z_stream *s, const unsigned char **packed,
                   const unsigned char *end, unsigned char *out, int64_t want)
{
    int64_t have = 0;
    int answer = Z_OK;

    while (have < want && answer == Z_OK) {
        /* zlib counts in 32 bits. */
        const int64_t in = end - *packed, room = want - have;

        s->next_in = (unsigned char *)*packed;
        s->avail_in = (uInt)(in < 1 << 30 ? in : 1 << 30);
        s->next_out = out + have;
        s->avail_out = (uInt)(room < 1 << 30 ? room : 1 << 30);
        answer = inflate(s, Z_NO_FLUSH);
        *packed = s->next_in;
        have = s->next_out - out;
    }
    return have == want;
}

/* All bytes are out: does the stream end here too? */
static bool ended(z_stream *s, const unsigned char *packed,
                  const unsigned char *end)
{
    unsigned char more;
    const int64_t in = end - packed;

    s->next_in = (unsigned char *)packed;
    s->avail_in = (uInt)(in < 1 << 30 ? in : 1 << 30);
    s->next_out = &more;
    s->avail_out = 1;
    return inflate(s, Z_FINISH) == Z_STREAM_END && s->avail_out == 1 &&
           s->next_in == end;
}

/* Memory is taken for the header first, and for the rest only if the header's
 * shape asks for it. */
static kith_status inflate_member(const archive *z, const member *m,
                                  const unsigned char *data, array *a,
                                  kith_error *err)
{
    const unsigned char *const end = data + m->packed;
    const int64_t head = m->size < KITH__NPY_HEADER ? m->size
                                                    : KITH__NPY_HEADER;
    kith_status st = KITH_OK;
    unsigned char *bigger;
    z_stream s = {0};

    if (m->size / DEFLATE_RATIO > m->packed)
        return member_fail(z, m, KITH_ERR_CORRUPT,
                           "claims to unpack to more than deflate can", err);
    if (inflateInit2(&s, -15) != Z_OK)
        return kith__no_memory(err);
    TRY_NEW(a->unpacked, kith__alloc(head, 1));
    if (!unpack(&s, &data, end, a->unpacked, head))
        TRY(member_fail(z, m, KITH_ERR_CORRUPT, "cannot be unpacked", err));
    TRY(parse_header(z, m, a->unpacked, head, a, err));
    TRY_NEW(bigger, kith__resize(a->unpacked, m->size, 1));
    a->unpacked = bigger;
    if (!unpack(&s, &data, end, a->unpacked + head, m->size - head) ||
        !ended(&s, data, end))
        TRY(member_fail(z, m, KITH_ERR_CORRUPT, "cannot be unpacked", err));
out:
    inflateEnd(&s);
    return st;
}
#else
static kith_status inflate_member(const archive *z, const member *m,
                                  const unsigned char *data, array *a,
                                  kith_error *err)
{
    (void)data, (void)a;
    return member_fail(z, m, KITH_ERR_ARGUMENT,
                       "is deflated, which this build cannot read (save it "
                       "uncompressed)",
                       err);
}
#endif

/* Load a member; a is zeroed, and released by the caller also on failure. */
static kith_status load_member(const archive *z, const member *m, array *a,
                               kith_error *err)
{
    const unsigned char *bytes = NULL;
    kith_status st = KITH_OK;

    kith__quote(a->name, m->name, (size_t)m->name_n);
    TRY(find_data(z, m, &bytes, err));
    if (m->method == DEFLATED) {
        TRY(inflate_member(z, m, bytes, a, err));
        bytes = a->unpacked;
    } else if (m->method != STORED) {
        TRY(member_fail(z, m, KITH_ERR_PARSE,
                        "is packed in an unknown way, expected stored or "
                        "deflated",
                        err));
    } else {
        if (m->packed != m->size)
            TRY(member_fail(z, m, KITH_ERR_CORRUPT, "is stored in two sizes",
                            err));
        TRY(parse_header(z, m, bytes, m->size, a, err));
    }
    if (VERIFY && crc_add(0, bytes, m->size) != m->crc)
        TRY(member_fail(z, m, KITH_ERR_CORRUPT, "does not match its checksum",
                        err));
    a->at = bytes + a->npy.start;
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

/* Load NAME.npy, a list of `count` (or, if -1, any number of) numbers. */
static kith_status load_list(const archive *z, const char *name, bool integers,
                             int64_t count, array *a, kith_error *err)
{
    const member *m = find_member(z, name);
    kith_status st = KITH_OK;

    if (!m)
        TRY(kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                       "has no member '%s.npy', expected a sparse matrix as "
                       "scipy.sparse.save_npz() writes it",
                       name));
    TRY(load_member(z, m, a, err));
    if (!kith__npy_numeric(&a->npy) || a->npy.dimensions != 1 ||
        (integers && a->npy.kind != 'i' && a->npy.kind != 'u'))
        TRY(member_fail(z, m, KITH_ERR_PARSE,
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
        TRY(member_fail(z, m, KITH_ERR_PARSE, "is no string", err));
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

    TRY(load_list(z, "shape", true, 2, &a, err));
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
    TRY(load_list(z, "data", false, -1, &s->data, err));
    s->entries = s->data.npy.count;
    if (s->layout == LAYOUT_COO) {
        TRY(load_list(z, "row", true, s->entries, &s->major, err));
        TRY(load_list(z, "col", true, s->entries, &s->minor, err));
        goto out;
    }
    TRY(load_list(z, "indices", true, s->entries, &s->minor, err));
    TRY(load_list(z, "indptr", true,
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
        TRY(member_fail(z, &z->members[0], KITH_ERR_PARSE,
                        "is no matrix, expected numbers in 2 dimensions", err));
    TRY(kith__features_dense(a.npy.shape[0], a.npy.shape[1], z->path, &f, err));
    TRY(copy_dense(z, &a, f, err));
    *out = f;
    f = NULL;
out:
    kith_features_free(f);
    release_array(&a);
    return st;
}

kith_status kith__npz_features_read(const char *path, kith_features **out,
                                    kith_error *err)
{
    kith_status st = KITH_OK;
    const member *format;
    archive z = {0};

    *out = NULL;
    TRY(open_archive(path, &z, err));
    format = find_member(&z, "format");
    TRY(format ? sparse_features(&z, format, out, err)
               : dense_features(&z, out, err));
out:
    close_archive(&z);
    return st;
}

/* ---- graphs -------------------------------------------------------------- */

enum { PROGRESS_ENTRIES = 1 << 20 };

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

kith_status kith__npz_graph_read(const char *path, const kith__known *known,
                                 const kith_build_options *options,
                                 kith__gathered *out, kith_error *err)
{
    kith_status st = KITH_OK;
    const member *format;
    kith__feed feed = {0};
    archive z = {0};
    sparse s = {0};

    TRY(open_archive(path, &z, err));
    format = find_member(&z, "format");
    if (!format)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "has no member 'format.npy', expected a sparse matrix "
                       "as scipy.sparse.save_npz() writes it"));
    TRY(read_sparse(&z, format, &s, err));
    if (s.rows != s.columns)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "has %lld rows and %lld columns, expected a square "
                       "matrix for a graph",
                       (long long)s.rows, (long long)s.columns));
    feed.weighted = options->weights == KITH_YES ||
                    (options->weights == KITH_AUTO && values_differ_from_1(&s));
    TRY(kith__gather_numbered(path, known, options, s.rows, feed.weighted, out,
                              err));
    feed.builder = out->builder;
    TRY(feed_entries(&z, &s, &options->job, &feed, err));
    out->cleaning.entries = s.entries;
out:
    kith__feed_release(&feed);
    release_sparse(&s);
    close_archive(&z);
    return st;
}

/* ---- writing ------------------------------------------------------------- */

/*
 * What does not fit 32 bits goes into zip64 fields.  A build for tests may set
 * the border lower, to see those fields without 4 GiB of data.
 */
#ifndef KITH__ZIP64_FROM
#define KITH__ZIP64_FROM UINT32_MAX
#endif

enum { OUT_CHUNK = 1 << 14 };

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
    int64_t shape[2];
    source_kind kind;
    const void *from;
    int64_t count;
    size_t width;
    /* found on the way */
    uint32_t crc;
    int64_t size, at;
} output;

typedef struct zip_writer {
    kith__writer *w;
    int64_t at; /* bytes written */
} zip_writer;

static void put_bytes(zip_writer *z, const void *bytes, size_t n)
{
    kith__writer_bytes(z->w, bytes, n);
    z->at += (int64_t)n;
}

static void put(zip_writer *z, int64_t value, int n)
{
    unsigned char bytes[8];

    for (int i = 0; i < n; i++)
        bytes[i] = (unsigned char)((uint64_t)value >> 8 * i);
    put_bytes(z, bytes, (size_t)n);
}

static bool is_long(int64_t value)
{
    return value >= (int64_t)KITH__ZIP64_FROM;
}

/* 4 bytes, all ones if the value stands in a zip64 field instead. */
static void put_short(zip_writer *z, int64_t value)
{
    put(z, is_long(value) ? (int64_t)UINT32_MAX : value, 4);
}

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

/* Hand all bytes of a member to the file, or (z NULL) to its checksum. */
static void pass_member(output *o, zip_writer *z)
{
    int32_t chunk[OUT_CHUNK];
    char header[KITH__NPY_PRINTED];

    kith__npy_print(header, o->descr, o->dimensions, o->shape);
    if (z)
        put_bytes(z, header, sizeof(header));
    else
        o->crc = crc_add(0, header, sizeof(header));
    for (int64_t first = 0; first < o->count; first += OUT_CHUNK) {
        const int64_t left = o->count - first;
        const int64_t n = left < OUT_CHUNK ? left : OUT_CHUNK;
        const void *bytes = numbers(o, first, n, chunk);

        if (z)
            put_bytes(z, bytes, (size_t)n * o->width);
        else
            o->crc = crc_add(o->crc, bytes, n * (int64_t)o->width);
    }
    o->size = KITH__NPY_PRINTED + o->count * (int64_t)o->width;
}

/* Version needed, flags, method, and a time that never changes: 1980-01-01. */
static void put_common(zip_writer *z, const output *o, bool zip64)
{
    put(z, zip64 ? 45 : 20, 2);
    put(z, 0, 2);
    put(z, STORED, 2);
    put(z, 0, 2);
    put(z, 1 << 5 | 1, 2);
    put(z, o->crc, 4);
}

static void put_member(zip_writer *z, output *o)
{
    bool zip64;

    pass_member(o, NULL);
    zip64 = is_long(o->size);
    o->at = z->at;
    put_bytes(z, "PK\3\4", 4);
    put_common(z, o, zip64);
    put_short(z, o->size);
    put_short(z, o->size);
    put(z, (int64_t)strlen(o->name), 2);
    put(z, zip64 ? 20 : 0, 2);
    put_bytes(z, o->name, strlen(o->name));
    if (zip64) {
        put(z, 1, 2);
        put(z, 16, 2);
        put(z, o->size, 8);
        put(z, o->size, 8);
    }
    pass_member(o, z);
}

static void put_entry(zip_writer *z, const output *o)
{
    const int extra = (is_long(o->size) ? 16 : 0) + (is_long(o->at) ? 8 : 0);

    put_bytes(z, "PK\1\2", 4);
    put(z, 45, 2); /* made by version 4.5, on no system in particular */
    put_common(z, o, extra > 0);
    put_short(z, o->size);
    put_short(z, o->size);
    put(z, (int64_t)strlen(o->name), 2);
    put(z, extra ? extra + 4 : 0, 2);
    put(z, 0, 2); /* comment */
    put(z, 0, 2); /* disk */
    put(z, 0, 2); /* attributes */
    put(z, 0, 4);
    put_short(z, o->at);
    put_bytes(z, o->name, strlen(o->name));
    if (extra) {
        put(z, 1, 2);
        put(z, extra, 2);
    }
    if (is_long(o->size)) {
        put(z, o->size, 8);
        put(z, o->size, 8);
    }
    if (is_long(o->at))
        put(z, o->at, 8);
}

static void put_end64(zip_writer *z, int n, int64_t directory, int64_t size)
{
    const int64_t at = z->at;

    put_bytes(z, "PK\6\6", 4);
    put(z, END64_BYTES - 12, 8);
    put(z, 45, 2);
    put(z, 45, 2);
    put(z, 0, 4);
    put(z, 0, 4);
    put(z, n, 8);
    put(z, n, 8);
    put(z, size, 8);
    put(z, directory, 8);
    put_bytes(z, "PK\6\7", 4);
    put(z, 0, 4);
    put(z, at, 8);
    put(z, 1, 4);
}

static void put_directory(zip_writer *z, const output *o, int n)
{
    const int64_t directory = z->at;
    int64_t size;

    for (int i = 0; i < n; i++)
        put_entry(z, &o[i]);
    size = z->at - directory;
    if (is_long(directory))
        put_end64(z, n, directory, size);
    put_bytes(z, "PK\5\6", 4);
    put(z, 0, 4);
    put(z, n, 2);
    put(z, n, 2);
    put(z, size, 4);
    put_short(z, directory);
    put(z, 0, 2);
}

static kith_status write_archive(const char *path, output *o, int n,
                                 kith_error *err)
{
    kith_status st = KITH_OK;
    zip_writer z = {0};

    TRY(kith__writer_open(path, &z.w, err));
    for (int i = 0; i < n; i++)
        put_member(&z, &o[i]);
    put_directory(&z, o, n);
    TRY(kith__writer_commit(z.w, err));
out:
    return st;
}

/* SciPy's layout.  Offsets are 32-bit where they fit, as SciPy's are. */
static kith_status write_csr(const char *path, int64_t rows, int64_t columns,
                             const int64_t *offsets, const int32_t *indices,
                             const float *data, kith_error *err)
{
    const int64_t entries = offsets[rows], shape[] = {rows, columns};
    const bool narrow = entries <= INT32_MAX;
    output o[] = {
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
    };

    return write_archive(path, o, (int)(sizeof(o) / sizeof(o[0])), err);
}

kith_status kith__npz_features_write(const kith_features *f, const char *path,
                                     kith_error *err)
{
    output dense = {.name = "arr_0.npy",
                    .descr = "<f4",
                    .dimensions = 2,
                    .shape = {f->nodes, f->columns},
                    .from = f->value,
                    .count = f->entries,
                    .width = 4};

    if (f->row)
        return write_csr(path, f->nodes, f->columns, f->row, f->column,
                         f->value, err);
    return write_archive(path, &dense, 1, err);
}

kith_status kith__npz_graph_write(const kith_graph *g, const char *path,
                                  kith_error *err)
{
    const int32_t n = kith_graph_nodes(g);

    return write_csr(path, n, n, kith_graph_rows(g), kith_graph_neighbours(g),
                     kith_graph_weights(g), err);
}
