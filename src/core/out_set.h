/*
 * out_set.h: files and folders that appear together or not at all.
 *
 * All are written and synced under temporary names first.  A single file then
 * is renamed.  Of several, a list goes beside the first one, as
 * ".NAME.kith-set": from the moment it is there the set counts as written.
 * Then each takes its name, what it replaces taking the temporary one; at the
 * end the old ones and the list are removed.  If a name cannot be had, those
 * taken are given back.  If the run is killed in between, the list stays, and
 * whoever next opens the first file, to read or to write, finishes first:
 * kith__outputs_settle().  What somebody else has changed since is left alone.
 */
#ifndef KITH_CORE_OUT_SET_H
#define KITH_CORE_OUT_SET_H

#include "core/out_file.h"

/* Let a file that is whole appear with the set; o is the set's, also on
 * failure.  A stream has been written already. */
kith_status kith__outputs_add(kith_outputs *s, kith__out *o, kith_error *err);

/* The same for the folder `temp`, open as fd, that is to be at `path`; an older
 * one is replaced with all that it holds, or refused unless it is empty.  All
 * but the paths, which are copied, is the set's, also on failure. */
kith_status kith__outputs_add_folder(kith_outputs *s, const char *path,
                                     const char *temp, int fd, bool replace,
                                     kith_error *err);

/* Let the file disappear, if it is there, when the others appear. */
kith_status kith__outputs_add_removal(kith_outputs *s, const char *path,
                                      kith_error *err);

/* Finish what a killed run began with the set that path is the first of. */
kith_status kith__outputs_settle(const char *path, kith_error *err);

#endif
