/*
 * json_text.h: what several commands need to print JSON.
 */
#ifndef KITH_CLI_JSON_TEXT_H
#define KITH_CLI_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Text from a file need not be UTF-8, but JSON must be: bytes that do not fit
 * become U+FFFD.  Answers a new string, NULL without memory.
 */
char *json_utf8(const char *text);

json_t *json_text(const char *text); /* by json_utf8() */
json_t *json_count(int64_t n);       /* an integer */
json_t *json_number(double x);       /* null unless finite */
json_t *json_hash(uint64_t hash);    /* "0123456789abcdef" */

/* Print, indented, with a newline at the end, and let go of o.  Answers
 * whether there was something to print: NULL means that memory ran out. */
bool json_print(json_t *o, FILE *stream);

#endif
