/*
 * sections.h: the container of our own files: magic, version, and a table of
 * sections, each at a page of its own and under a checksum.
 *
 *     offset  size
 *          0     8  magic
 *          8     4  version
 *         12     4  number of sections
 *         16     8  size of the file
 *         24    32  the format's own
 *         56     8  XXH3-64 of bytes 0 to 55 followed by the table
 *         64    40  of each section: tag, offset, size, XXH3-64, element size
 *       4096        sections, each from a multiple of 4096, zeros between
 *
 * docs/formats/kg.md and model.md are the formats that use it.
 */
#ifndef KITH_IO_SECTIONS_H
#define KITH_IO_SECTIONS_H

#include <stdbool.h>

#include "core/map.h"
#include "graph/ids.h"

enum {
    KITH__SECTIONS = 64, /* most in a file */
    KITH__SECTIONS_OWN = 32,
    KITH__SECTIONS_PAGE = 4096
};

/* What tells one format from another. */
typedef struct kith__sections_format {
    unsigned char magic[8];
    uint32_t version, newest; /* those that can be read; first is written */
    const char *noun;         /* for messages: "is not a sound NOUN" */
    const char *remedy;       /* for another version: "build it again" */
} kith__sections_format;

typedef struct kith__section {
    char tag[8];
    int64_t offset, size; /* bytes */
    uint64_t checksum;
    uint32_t element, zero;
} kith__section;

/* ---- writing ------------------------------------------------------------- */

typedef struct kith__sections_writer kith__sections_writer;

kith_status kith__sections_create(const kith__sections_format *format,
                                  const char *path, kith__sections_writer **out,
                                  kith_error *err);
void kith__sections_abort(kith__sections_writer *w); /* NULL is fine */

/* The target, links resolved. */
const char *kith__sections_path(const kith__sections_writer *w);

/* Write another version than the format's first. */
void kith__sections_set_version(kith__sections_writer *w, uint32_t version);

/* One section after another, of elements of 1, 4 or 8 bytes; between begin
 * and end its bytes, in any number of calls. */
kith_status kith__sections_begin(kith__sections_writer *w, const char *tag,
                                 uint32_t element, kith_error *err);
kith_status kith__sections_append(kith__sections_writer *w, const void *bytes,
                                  int64_t size, kith_error *err);
void kith__sections_end(kith__sections_writer *w);

/* A whole section. */
kith_status kith__sections_put(kith__sections_writer *w, const char *tag,
                               uint32_t element, const void *bytes,
                               int64_t count, kith_error *err);

/* Sections of the arrays of ids (idvals; or idgroups, idbytes, idslots); their
 * kind, number and base are left to the format. */
kith_status kith__sections_put_ids(kith__sections_writer *w,
                                   const kith__ids *ids, kith_error *err);

/* Write the header with the format's own KITH__SECTIONS_OWN bytes, sync, and
 * give the file its name; w is freed either way. */
kith_status kith__sections_commit(kith__sections_writer *w, const void *own,
                                  kith_error *err);
/* The same, but let it appear with the others of a set, if it is not NULL. */
kith_status kith__sections_add(kith__sections_writer *w, const void *own,
                               kith_outputs *with, kith_error *err);

/* ---- reading ------------------------------------------------------------- */

/* A mapped file whose header and table have been checked. */
typedef struct kith__sections {
    const kith__sections_format *format;
    kith__map *map;
    unsigned char own[KITH__SECTIONS_OWN];
    uint32_t version, count;
    kith__section table[KITH__SECTIONS];
} kith__sections;

/* Map a file and check its first page; s->map is released by the caller, also
 * on failure. */
kith_status kith__sections_open(const kith__sections_format *format,
                                const char *path, kith__sections *s,
                                kith_error *err);

/* The same for a file that is mapped already; the map is borrowed. */
kith_status kith__sections_read(const kith__sections_format *format,
                                kith__map *map, kith__sections *s,
                                kith_error *err);

/* "is not a sound NOUN: what" */
kith_status kith__sections_corrupt(const kith__sections *s, kith_error *err,
                                   const char *what);

/* NULL if there is none. */
const kith__section *kith__sections_find(const kith__sections *s,
                                         const char *tag);

/*
 * The bytes of a section of exactly `count` elements (-1: any number, given
 * back in *found, which may be NULL); NULL if it is absent or has another
 * size.  They lie in the map: not const, for objects that may own theirs, but
 * never to be written to.
 */
void *kith__sections_get(const kith__sections *s, const char *tag,
                         uint32_t element, int64_t count, int64_t *found);

/* The arrays of `ids`, whose kind, n and base are set; false if they are absent
 * or do not fit.  What is in them is for kith__ids_valid(). */
bool kith__sections_get_ids(const kith__sections *s, kith__ids *ids);

/*
 * Copy `count` names, each ended by a zero byte, from bytes[*at] on; *at moves
 * behind them.  count is at most size.  *out is to be freed also on failure,
 * with as many of its names as are not NULL.
 */
kith_status kith__sections_get_names(const kith__sections *s, const char *bytes,
                                     int64_t size, int64_t *at, int32_t count,
                                     char ***out, kith_error *err);

/* Compare all checksums. */
kith_status kith__sections_verify(const kith__sections *s, const kith_job *job,
                                  kith_error *err);

/* True if the sections lie as the writer puts them, nothing behind them, and
 * all gaps hold zeros: with verified checksums, no byte is unaccounted for. */
bool kith__sections_packed(const kith__sections *s);

#endif
