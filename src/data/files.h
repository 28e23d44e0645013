/*
 * files.h: files and folders of a data set.
 */
#ifndef KITH_DATA_FILES_H
#define KITH_DATA_FILES_H

#include <stdbool.h>

#include "core/out_set.h"

bool kith__is_folder(const char *path);

/* FOLDER/NAME, or it with .gz or .zst, whichever is there; *out NULL if none,
 * two are refused. */
kith_status kith__find_file(const char *folder, const char *name, char **out,
                            kith_error *err);

/* The one of several names that is there; more than one is refused. */
kith_status kith__find_one(const char *folder, const char *const *names,
                           char **out, kith_error *err);

/* mkdir -p */
kith_status kith__make_folders(const char *path, kith_error *err);

/* False also if it cannot be looked into. */
bool kith__folder_empty(const char *path);

/*
 * A folder that appears whole or not at all: work in `temp` beside it, then
 * kith__folder_commit() lets that take its place.  With replace, what was there
 * is removed after that; else it must not be there, or be empty.
 */
typedef struct kith__folder {
    char *path;  /* links resolved, no slash at the end */
    char *shown; /* that as it was given, for messages */
    char *temp;
    int fd; /* of temp */
    bool replace;
} kith__folder;

kith_status kith__folder_begin(const char *path, bool replace,
                               kith__folder *out, kith_error *err);
/* On failure what was there before is there again. */
kith_status kith__folder_commit(kith__folder *f, kith_error *err);
/* Let it appear with the others of a set. */
kith_status kith__folder_add(kith__folder *f, kith_outputs *with,
                             kith_error *err);
/* Remove what is not committed; also after a commit. */
void kith__folder_release(kith__folder *f);

/* Let an error about a file in temp name it as it would have been called. */
void kith__folder_blame(const kith__folder *f, kith_error *err);

#endif
