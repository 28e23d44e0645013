/*
 * writer.h: text or bytes to a file that appears whole or not at all, packed
 * if its name ends in .gz or .zst.
 */
#ifndef KITH_IO_WRITER_H
#define KITH_IO_WRITER_H

#include "core/out_file.h"

typedef struct kith__writer kith__writer;

/* "-" is standard output. */
kith_status kith__writer_open(const char *path, kith__writer **out,
                              kith_error *err);
const char *kith__writer_path(const kith__writer *w); /* for messages */
void kith__writer_bytes(kith__writer *w, const void *bytes, size_t length);
void kith__writer_text(kith__writer *w, const char *text);
void kith__writer_print(kith__writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Shortest form that reads back as the same float. */
void kith__writer_float(kith__writer *w, float x);

/* Calls above remember their first failure; these report it.  The first
 * writes what is left; the second does so too, gives the file its name and
 * frees the writer either way. */
kith_status kith__writer_finish(kith__writer *w, kith_error *err);
kith_status kith__writer_commit(kith__writer *w, kith_error *err);
/* As the second, but let it appear with the others of a set, if not NULL. */
kith_status kith__writer_add(kith__writer *w, kith_outputs *with,
                             kith_error *err);
void kith__writer_abort(kith__writer *w); /* NULL is fine */

#endif
