/*
 * source.h: the bytes of an input, plain or compressed, in blocks of whole
 * lines.
 *
 * A table or query of a database, "bank.db:accounts" (sqlite.h), is one, too:
 * its rows as CSV.
 *
 * gzip and zstd are recognised by their first bytes.  A plain file is read by
 * position, so blocks can be loaded by several threads at once; a compressed
 * one is unpacked in order.  What is not a regular file (a pipe) is copied to a
 * scratch file first, so that every input can be read twice.  It can be opened
 * only once, so the source, not its path, is handed to the readers.
 */
#ifndef KITH_IO_SOURCE_H
#define KITH_IO_SOURCE_H

#include <stdbool.h>

#include "core/map.h"

typedef struct kith__source kith__source;

/* "-" is standard input.  A pipe is copied into the folder `scratch` (NULL:
 * /tmp) under the job's progress (may be NULL). */
kith_status kith__source_open(const char *path, const char *scratch,
                              const kith_job *job, kith__source **out,
                              kith_error *err);
void kith__source_close(kith__source *s); /* NULL is fine */

/* Begin again at the first byte. */
kith_status kith__source_rewind(kith__source *s, kith_error *err);

const char *kith__source_path(const kith__source *s); /* for messages */
/* Is it the answer of a database, whose first line names the columns? */
bool kith__source_names_columns(const kith__source *s);
bool kith__source_compressed(const kith__source *s);
int64_t kith__source_size(const kith__source *s); /* bytes of the file */
int64_t kith__source_done(const kith__source *s); /* of them, read so far */

/* The first bytes, unpacked, to recognise a format by; zeros after the end. */
enum { KITH__SOURCE_FIRST = 16 };
const char *kith__source_first(const kith__source *s);
bool kith__source_empty(const kith__source *s);

/* All of it mapped, for formats that are read in place; what is compressed is
 * refused. */
kith_status kith__source_map(const kith__source *s, kith__map **out,
                             kith_error *err);

/* Read up to n unpacked bytes in order; *got < n only at the end. */
kith_status kith__source_read(kith__source *s, void *bytes, int64_t n,
                              int64_t *got, kith_error *err);

/* Whole lines: text[0 .. length), ending in '\n' (added at the end of a file
 * that lacks it), and 64 zero bytes after them for readers that look ahead. */
typedef struct kith__block {
    char *text; /* in memory, behind the end of a line of the block before */
    int64_t length;
    char *memory;
    int64_t capacity;
    int64_t from, to; /* place in a plain file, -1 if filled already */
} kith__block;

enum { KITH__BLOCK_BYTES = 1 << 18 }; /* it stays in the cache */
enum { KITH__LINE_LONGEST = 1 << 26 };

void kith__block_release(kith__block *b);

/*
 * Plan the next block; *more is false at the end.  One of a compressed source
 * is filled here, one of a plain source by kith__block_load(), which threads
 * may call for different blocks at once.
 */
kith_status kith__source_plan(kith__source *s, kith__block *b, bool *more,
                              kith_error *err);
kith_status kith__block_load(const kith__source *s, kith__block *b,
                             kith_error *err);

#endif
