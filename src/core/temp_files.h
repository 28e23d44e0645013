/*
 * temp_files.h: temporary files and folders beside what they will replace, and
 * what killed runs left of them.
 *
 * ".NAME.kith-PID-N" is being written; ".NAME.kith-new-PID-N" is whole and
 * waits for the others of its set (out_set.h).  Who makes one locks it (flock)
 * for as long as it lives, so one that nobody has locked is a leftover.
 */
#ifndef KITH_CORE_TEMP_FILES_H
#define KITH_CORE_TEMP_FILES_H

#include "core/status.h"

/* The calls below that make a descriptor answer -1, and those that make a name
 * false, with errno. */

/* FOLDER/.NAME and the ending, for FOLDER/NAME; NULL if no memory. */
char *kith__temp_name(const char *path, const char *ending);

/* A file that has no name yet, where the file system can. */
int kith__temp_unnamed(const char *path);
int kith__temp_file(const char *path, char **name);
int kith__temp_folder(const char *path, char **name);

/* Name an unnamed file (*name is NULL), or rename a temporary one, as one that
 * waits or is still written. */
bool kith__temp_rename(const char *path, bool waits, int fd, char **name);

/* Let a new file or folder have the access rights of the one it replaces, if
 * any, and its owner where that is allowed; at least the rights `needed`. */
bool kith__temp_like(int fd, const char *path, unsigned needed);

/* Remove what dead runs left beside path; with `waiting` also what waits, which
 * is safe only once path itself has been replaced. */
void kith__temp_sweep(const char *path, bool waiting);

/* rm -r */
void kith__remove_tree(const char *path);

/* Exchange two names; false with EINVAL where the file system cannot. */
bool kith__exchange(const char *a, const char *b);
/* Rename unless `to` is there (EEXIST), where the file system can tell. */
bool kith__rename_new(const char *from, const char *to);

/* So that names survive a power cut.  Some file systems cannot; the data is
 * safe in any case. */
void kith__sync_folder_of(const char *path);

#endif
