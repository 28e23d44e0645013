/*
 * out_text.h: text that goes to a file whole or not at all, or to standard
 * output.
 */
#ifndef KITH_CLI_OUT_TEXT_H
#define KITH_CLI_OUT_TEXT_H

#include <stdio.h>

#include "cmd_shared.h"

typedef struct out_text {
    FILE *stream; /* to write to */
    char *path;   /* links resolved; NULL for standard output */
    char *temp;   /* name beside path that the file has for now, "" while it
                     has none; NULL where it is written in place */
    size_t room;  /* bytes for temp */
} out_text;

/* NULL and "-" are standard output.  A pipe or device is written in place. */
kith_status out_text_open(run *r, const char *path, out_text *o);

/* Give the file its name.  o is released either way.  What standard output
 * could not take is told at the end of main(). */
kith_status out_text_commit(run *r, out_text *o);

/* Give up: nothing remains.  A zeroed or released o is fine. */
void out_text_abort(out_text *o);

#endif
