/*
 * inflate.h: unpacking gzip and zstd, the two behind one interface.
 */
#ifndef KITH_IO_INFLATE_H
#define KITH_IO_INFLATE_H

#include <stdbool.h>

#include "core/status.h"

typedef enum kith__packing {
    KITH__PLAIN,
    KITH__GZIP,
    KITH__ZSTD
} kith__packing;

/* From the first bytes of a file. */
kith__packing kith__packing_of(const unsigned char *bytes, int64_t n);
/* From a file name's ending, ".gz" or ".zst". */
kith__packing kith__packing_named(const char *path);
/* Formats that are used where they lie cannot be packed: refuse such a name. */
kith_status kith__packing_none(const char *path, kith_error *err);

typedef struct kith__inflate kith__inflate;

/* Unpack the file behind fd from its start; path is for messages. */
kith_status kith__inflate_new(kith__packing packing, int fd, const char *path,
                              kith__inflate **out, kith_error *err);
void kith__inflate_free(kith__inflate *z); /* NULL is fine */

/* Up to n bytes; *got < n only at the end.  A file that is cut or broken is
 * refused. */
kith_status kith__inflate_read(kith__inflate *z, void *bytes, int64_t n,
                               int64_t *got, kith_error *err);
int64_t kith__inflate_consumed(const kith__inflate *z); /* packed bytes */

#endif
