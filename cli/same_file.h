/*
 * same_file.h: an output must not be what the command reads, or its other
 * output.
 */
#ifndef KITH_CLI_SAME_FILE_H
#define KITH_CLI_SAME_FILE_H

#include "cmd_shared.h"

/* Refuse a path, of which some option or argument is the text itself, if
 * another file of the command line is the same: by name, by device and inode,
 * or as a part of a data set folder. */
kith_status check_apart(run *r, const char *path);

#endif
