/*
 * out_file.h: files that appear whole or not at all.
 *
 * What is written has no name until kith__out_commit(): the file is unnamed
 * (O_TMPFILE) where the file system can, else it has a temporary name beside
 * the target.  Commit syncs it, then renames it over the target.  A process
 * killed at any moment leaves the old file or the new one; a temporary name
 * that it leaves is removed by the next one that opens the target.  Several
 * files that belong together: out_set.h.
 */
#ifndef KITH_CORE_OUT_FILE_H
#define KITH_CORE_OUT_FILE_H

#include <stdbool.h>

#include "core/status.h"

typedef struct kith__out {
    int fd;
    bool stream;     /* kith_path_is_stream(): written in place, cannot seek */
    char *path;      /* the target, links resolved */
    char *shown;     /* that as it was given, for messages */
    char *temp;      /* temporary name, NULL while unnamed */
    int64_t size;    /* bytes appended so far */
    int64_t started; /* of them, on their way to the disk */
} kith__out;

/* "-" is standard output.  A file that is replaced hands on its access rights
 * and owner; a link leads to its target, there already or not. */
kith_status kith__out_open(const char *path, kith__out **out, kith_error *err);

/* Append bytes. */
kith_status kith__out_write(kith__out *o, const void *bytes, int64_t length,
                            kith_error *err);

/* Overwrite bytes at an offset already appended (not in a stream). */
kith_status kith__out_rewrite(kith__out *o, int64_t offset, const void *bytes,
                              int64_t length, kith_error *err);

/* Sync and give the file its name; o is freed either way. */
kith_status kith__out_commit(kith__out *o, kith_error *err);

/* Give up: nothing remains.  NULL is fine. */
void kith__out_abort(kith__out *o);

/* An unnamed scratch file in `folder` (the descriptor); gone when closed. */
kith_status kith__scratch_open(const char *folder, int *fd, kith_error *err);

/* What a path leads to, in kith__alloc()'s memory: the target of links, also
 * one that is not there yet. */
kith_status kith__resolve(const char *path, char **out, kith_error *err);

/* pwrite / pread of everything; false with errno on failure or early end. */
bool kith__write_at(int fd, const void *bytes, int64_t length, int64_t offset);
bool kith__read_at(int fd, void *bytes, int64_t length, int64_t offset);

/* The folder part of a path: "." for a bare name.  NULL if no memory. */
char *kith__folder_of(const char *path);

#endif
