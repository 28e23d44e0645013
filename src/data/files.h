/*
 * files.h: files and folders of a data set.
 */
#ifndef KITH_DATA_FILES_H
#define KITH_DATA_FILES_H

#include <stdbool.h>

#include "core/status.h"

bool kith__is_folder(const char *path);

/* FOLDER/NAME, or it with .gz or .zst, whichever is there; *out NULL if none.
 */
kith_status kith__find_file(const char *folder, const char *name, char **out,
                            kith_error *err);

/* The one of several names that is there; more than one is refused. */
kith_status kith__find_one(const char *folder, const char *const *names,
                           char **out, kith_error *err);

/* mkdir -p */
kith_status kith__make_folders(const char *path, kith_error *err);

/*
 * A folder that appears whole or not at all: work in a temporary one beside it,
 * then kith__folder_commit() renames it.  With replace, what was there is
 * removed after the rename; else it must not be there, or be empty.
 */
kith_status kith__folder_begin(const char *path, bool replace, char **temp,
                               kith_error *err);
kith_status kith__folder_commit(const char *path, char *temp, bool replace,
                                kith_error *err);
void kith__folder_abort(char *temp); /* remove it; NULL is fine */

#endif
