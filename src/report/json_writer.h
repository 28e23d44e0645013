/*
 * json_writer.h: JSON that can stand inside an HTML page.
 */
#ifndef KITH_REPORT_JSON_WRITER_H
#define KITH_REPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kith/graph.h"

/* A growing text; once memory runs out `failed` is set and nothing is added. */
typedef struct kith__json {
    char *at;
    int64_t n, room;
    bool failed;
    bool comma; /* a value came before at this level */
} kith__json;

void kith__json_raw(kith__json *j, const char *text, size_t length);

/* { } [ ], values, and "name": before a value in an object; NULL in arrays. */
void kith__json_open(kith__json *j, const char *name, char bracket);
void kith__json_close(kith__json *j, char bracket);
void kith__json_number(kith__json *j, const char *name, double x); /* or null */
void kith__json_bool(kith__json *j, const char *name, bool x);
/* What is no UTF-8 becomes U+FFFD; <, >, & and what JavaScript takes for line
 * ends are escaped; cut after `most` bytes. */
void kith__json_text(kith__json *j, const char *name, const char *text,
                     size_t length, size_t most);
void kith__json_string(kith__json *j, const char *name, const char *text);
void kith__json_node(kith__json *j, const char *name, const kith_graph *g,
                     int32_t node);

#endif
