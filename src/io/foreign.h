/*
 * foreign.h: files of other programs that Kith does not read, known by their
 * first bytes or their names, and the line of Python that makes them readable.
 */
#ifndef KITH_IO_FOREIGN_H
#define KITH_IO_FOREIGN_H

#include "core/status.h"

/* Fail if the file is one of those; first: its first 16 bytes, unpacked. */
kith_status kith__foreign_check(const char *path, const char first[16],
                                kith_error *err);

#endif
