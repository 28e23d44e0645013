/*
 * zip.h: zip archives, as far as NumPy and SciPy use them: members that are
 * stored or deflated, zip64, no encryption.
 *
 * The archive is mapped.  A stored member is used where it lies, a deflated
 * one is unpacked; either way its checksum is verified.
 */
#ifndef KITH_IO_ZIP_H
#define KITH_IO_ZIP_H

#include "io/source.h"
#include "io/writer.h"

/* ---- reading ------------------------------------------------------------- */

typedef struct kith__zip_member {
    const char *name; /* in the map, not ended */
    int64_t name_n;
    int method;
    uint32_t crc;
    int64_t packed, size; /* bytes stored, bytes unpacked */
    int64_t at;           /* its local header */
} kith__zip_member;

typedef struct kith__zip {
    kith__map *map;
    const char *path;               /* the source's */
    int64_t directory, directory_n; /* where, and how many bytes */
    int64_t end;                    /* where the directory must be over */
    kith__zip_member *members;
    int64_t n, capacity;
} kith__zip;

/* Map an archive and read its directory; z is closed by the caller, also on
 * failure. */
kith_status kith__zip_open(const kith__source *source, kith__zip *z,
                           kith_error *err);
void kith__zip_close(kith__zip *z); /* of a zeroed z is fine */

/* The member of a name, the last of them as in Python; NULL if none. */
const kith__zip_member *kith__zip_find(const kith__zip *z, const char *name);

/* "member 'NAME' what" */
kith_status kith__zip_fail(const kith__zip *z, const kith__zip_member *m,
                           kith_status status, const char *what,
                           kith_error *err);

/* The m->size bytes of a member. */
typedef struct kith__zip_bytes {
    const unsigned char *at; /* in the map or unpacked */
    unsigned char *unpacked; /* NULL if it was stored */
} kith__zip_bytes;

/* Looks at the first bytes of a member and refuses what is not worth unpacking
 * all of it. */
typedef kith_status (*kith__zip_look_fn)(void *user, const unsigned char *bytes,
                                         int64_t have, kith_error *err);

/*
 * Load a member.  `look` is shown its first `head` bytes, or all if there are
 * fewer; memory for the rest is taken only if it has no objection.  out is
 * zeroed, and released by the caller also on failure.
 */
kith_status kith__zip_load(const kith__zip *z, const kith__zip_member *m,
                           int64_t head, kith__zip_look_fn look, void *user,
                           kith__zip_bytes *out, kith_error *err);
void kith__zip_release(kith__zip_bytes *bytes);

/* ---- writing ------------------------------------------------------------- */

typedef struct kith__zip_sink kith__zip_sink;

/* Hands over all bytes of a member by kith__zip_give(); called twice, for the
 * checksum and for the file. */
typedef void (*kith__zip_source_fn)(const void *user, kith__zip_sink *to);

void kith__zip_give(kith__zip_sink *to, const void *bytes, int64_t n);

/* A member to be written. */
typedef struct kith__zip_output {
    const char *name;
    kith__zip_source_fn source;
    const void *user;
    /* found on the way */
    uint32_t crc;
    int64_t size, at;
} kith__zip_output;

/* Write an archive of n stored members.  The same members give the same
 * bytes. */
void kith__zip_write(kith__writer *w, kith__zip_output *members, int n);

#endif
