#include "io/zip.h"

#include <stdbool.h>

#ifdef KITH_HAVE_ZLIB
#include <zlib.h>
#endif

#include "core/alloc.h"
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

void kith__zip_close(kith__zip *z)
{
    kith__free(z->members);
    kith__map_release(z->map);
    *z = (kith__zip){0};
}

/* A little-endian number of n bytes; one beyond int64 comes out negative. */
static int64_t number(const unsigned char *at, int n)
{
    uint64_t value = 0;

    for (int i = n - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return (int64_t)value;
}

static kith_status corrupt(const kith__zip *z, const char *what,
                           kith_error *err)
{
    return kith__fail(err, KITH_ERR_CORRUPT, z->path, 0, "%s", what);
}

kith_status kith__zip_fail(const kith__zip *z, const kith__zip_member *m,
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
static kith_status find_directory64(kith__zip *z, kith_error *err)
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

static kith_status find_directory(kith__zip *z, kith_error *err)
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
static bool read_extra64(kith__zip_member *m, const unsigned char *extra,
                         int64_t n)
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
static kith_status read_member(kith__zip *z, int64_t *at, kith__zip_member *m,
                               kith_error *err)
{
    const int64_t end = z->directory + z->directory_n;
    const unsigned char *const e = z->map->bytes + *at; /* at < end */
    int64_t extra, whole;

    if (!inside(*at, ENTRY_BYTES, end) || memcmp(e, "PK\1\2", 4) != 0)
        return corrupt(z, "has a broken entry in its directory", err);
    extra = number(e + 30, 2);
    *m = (kith__zip_member){.name = (const char *)e + ENTRY_BYTES,
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
        return kith__zip_fail(z, m, KITH_ERR_PARSE,
                              "is encrypted, expected a plain one", err);
    *at += whole;
    return KITH_OK;
}

kith_status kith__zip_open(const kith__source *source, kith__zip *z,
                           kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t at;

    *z = (kith__zip){.path = kith__source_path(source)};
    TRY(kith__source_map(source, &z->map, err));
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

const kith__zip_member *kith__zip_find(const kith__zip *z, const char *name)
{
    const kith__zip_member *found = NULL;
    const size_t n = strlen(name);

    for (int64_t i = 0; i < z->n; i++) {
        const kith__zip_member *m = &z->members[i];

        if ((size_t)m->name_n == n && memcmp(m->name, name, n) == 0)
            found = m;
    }
    return found;
}

/* ---- members ------------------------------------------------------------- */

void kith__zip_release(kith__zip_bytes *bytes)
{
    kith__free(bytes->unpacked);
    *bytes = (kith__zip_bytes){0};
}

/* What kith__zip_load() was asked for. */
typedef struct request {
    int64_t head;
    kith__zip_look_fn look;
    void *user;
} request;

static int64_t head_of(const kith__zip_member *m, const request *r)
{
    return m->size < r->head ? m->size : r->head;
}

/* Where a member's bytes begin, behind its local header. */
static kith_status find_data(const kith__zip *z, const kith__zip_member *m,
                             const unsigned char **data, kith_error *err)
{
    const unsigned char *local;
    int64_t start;

    if (!inside(m->at, LOCAL_BYTES, z->directory) ||
        memcmp(z->map->bytes + m->at, "PK\3\4", 4) != 0)
        return kith__zip_fail(z, m, KITH_ERR_CORRUPT,
                              "is not where the directory says", err);
    local = z->map->bytes + m->at;
    start = m->at + LOCAL_BYTES + number(local + 26, 2) + number(local + 28, 2);
    if (!inside(start, m->packed, z->directory) || m->size < 0)
        return kith__zip_fail(z, m, KITH_ERR_CORRUPT,
                              "reaches beyond the file's data", err);
    *data = z->map->bytes + start;
    return KITH_OK;
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

/* Memory is taken for the first bytes, and for the rest only if they were
 * looked at without objection. */
static kith_status inflate_member(const kith__zip *z, const kith__zip_member *m,
                                  const unsigned char *data, const request *r,
                                  kith__zip_bytes *out, kith_error *err)
{
    const unsigned char *const end = data + m->packed;
    const int64_t head = head_of(m, r);
    kith_status st = KITH_OK;
    unsigned char *bigger;
    z_stream s = {0};

    if (m->size / DEFLATE_RATIO > m->packed)
        return kith__zip_fail(z, m, KITH_ERR_CORRUPT,
                              "claims to unpack to more than deflate can", err);
    if (inflateInit2(&s, -15) != Z_OK)
        return kith__no_memory(err);
    TRY_NEW(out->unpacked, kith__alloc(head, 1));
    if (!unpack(&s, &data, end, out->unpacked, head))
        TRY(kith__zip_fail(z, m, KITH_ERR_CORRUPT, "cannot be unpacked", err));
    TRY(r->look(r->user, out->unpacked, head, err));
    TRY_NEW(bigger, kith__resize(out->unpacked, m->size, 1));
    out->unpacked = bigger;
    if (!unpack(&s, &data, end, out->unpacked + head, m->size - head) ||
        !ended(&s, data, end))
        TRY(kith__zip_fail(z, m, KITH_ERR_CORRUPT, "cannot be unpacked", err));
out:
    inflateEnd(&s);
    return st;
}
#else
static kith_status inflate_member(const kith__zip *z, const kith__zip_member *m,
                                  const unsigned char *data, const request *r,
                                  kith__zip_bytes *out, kith_error *err)
{
    (void)data, (void)r, (void)out;
    return kith__zip_fail(z, m, KITH_ERR_ARGUMENT,
                          "is deflated, which this build cannot read (save it "
                          "uncompressed)",
                          err);
}
#endif

kith_status kith__zip_load(const kith__zip *z, const kith__zip_member *m,
                           int64_t head, kith__zip_look_fn look, void *user,
                           kith__zip_bytes *out, kith_error *err)
{
    const request r = {.head = head, .look = look, .user = user};
    const unsigned char *bytes = NULL;
    kith_status st = KITH_OK;

    TRY(find_data(z, m, &bytes, err));
    if (m->method == DEFLATED) {
        TRY(inflate_member(z, m, bytes, &r, out, err));
        bytes = out->unpacked;
    } else if (m->method != STORED) {
        TRY(kith__zip_fail(z, m, KITH_ERR_PARSE,
                           "is packed in an unknown way, expected stored or "
                           "deflated",
                           err));
    } else {
        if (m->packed != m->size)
            TRY(kith__zip_fail(z, m, KITH_ERR_CORRUPT, "is stored in two sizes",
                               err));
        TRY(look(user, bytes, head_of(m, &r), err));
    }
    if (VERIFY && crc_add(0, bytes, m->size) != m->crc)
        TRY(kith__zip_fail(z, m, KITH_ERR_CORRUPT,
                           "does not match its checksum", err));
    out->at = bytes;
out:
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

/* Where bytes go: into a file, or (w NULL) into a checksum only. */
struct kith__zip_sink {
    kith__writer *w;
    int64_t at; /* bytes so far */
    uint32_t crc;
};

typedef kith__zip_sink sink;

static void put_bytes(sink *z, const void *bytes, size_t n)
{
    kith__writer_bytes(z->w, bytes, n);
    z->at += (int64_t)n;
}

void kith__zip_give(kith__zip_sink *to, const void *bytes, int64_t n)
{
    if (to->w) {
        put_bytes(to, bytes, (size_t)n);
        return;
    }
    to->crc = crc_add(to->crc, bytes, n);
    to->at += n;
}

static void put(sink *z, int64_t value, int n)
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
static void put_short(sink *z, int64_t value)
{
    put(z, is_long(value) ? (int64_t)UINT32_MAX : value, 4);
}

/* Version needed, flags, method, and a time that never changes: 1980-01-01. */
static void put_common(sink *z, const kith__zip_output *o, bool zip64)
{
    put(z, zip64 ? 45 : 20, 2);
    put(z, 0, 2);
    put(z, STORED, 2);
    put(z, 0, 2);
    put(z, 1 << 5 | 1, 2);
    put(z, o->crc, 4);
}

static void put_member(sink *z, kith__zip_output *o)
{
    sink summed = {0};
    bool zip64;

    o->source(o->user, &summed);
    o->crc = summed.crc;
    o->size = summed.at;
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
    o->source(o->user, z);
}

static void put_entry(sink *z, const kith__zip_output *o)
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

static void put_end64(sink *z, int n, int64_t directory, int64_t size)
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

static void put_directory(sink *z, const kith__zip_output *o, int n)
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

void kith__zip_write(kith__writer *w, kith__zip_output *members, int n)
{
    sink z = {.w = w};

    for (int i = 0; i < n; i++)
        put_member(&z, &members[i]);
    put_directory(&z, members, n);
}
