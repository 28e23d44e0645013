/*
 * out_text.h: text, JSON and tables to a file, whole or not at all, or to
 * standard output, where a terminal gets nothing that it might obey.
 */
#ifndef KITH_CLI_OUT_TEXT_H
#define KITH_CLI_OUT_TEXT_H

#include <stdio.h>

#include "cmd_shared.h"

/* What is printed by `print`.  NULL and "-" are standard output; a file appears
 * with the others of a set, if `with` is not NULL. */
typedef void print_fn(FILE *out, const void *what);
kith_status out_print(run *r, const char *path, kith_outputs *with,
                      print_fn *print, const void *what);

/* A text that the library made, which is freed. */
kith_status out_write(run *r, const char *path, kith_outputs *with, char *text,
                      size_t length);
/* The HTML report. */
kith_status out_report(run *r, const kith_report_input *in, const char *path,
                       kith_outputs *with);
/* The same of JSON, alone. */
kith_status out_json(run *r, const char *path, char *json, size_t length);

/* A table that the library writes to the path that out_table() answers, which
 * is `path` but on a terminal; then out_table_end() shows it there.  The path
 * is NULL if that failed. */
typedef struct out_table_state {
    FILE *hidden;
    char path[32];
} out_table_state;

const char *out_table(run *r, const char *path, out_table_state *t);
kith_status out_table_end(out_table_state *t, kith_status st);

#endif
