/*
 * out_text.h: text that goes to a file whole or not at all, or to standard
 * output.
 */
#ifndef KITH_CLI_OUT_TEXT_H
#define KITH_CLI_OUT_TEXT_H

#include <stdio.h>

#include "cmd_shared.h"

typedef struct out_text {
    FILE *stream;        /* to write to */
    char *path;          /* for messages; NULL for standard output */
    kith_outputs *alone; /* NULL if it belongs to a set */
} out_text;

/* NULL and "-" are standard output.  A pipe or device is written in place.  The
 * file appears with the others of a set, if `with` is not NULL. */
kith_status out_text_open(run *r, const char *path, kith_outputs *with,
                          out_text *o);

/* All is written: give the file its name, or leave that to its set.  o is
 * released either way.  What standard output could not take is told at the end
 * of main(). */
kith_status out_text_commit(run *r, out_text *o);

/* Give up: nothing remains.  A zeroed or released o is fine. */
void out_text_abort(out_text *o);

#endif
