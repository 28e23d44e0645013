/*
 * json_writer.h: JSON, for programs (indented, 15 digits) or to stand inside
 * an HTML page (in one line, 6 digits, no markup).
 */
#ifndef KITH_IO_JSON_WRITER_H
#define KITH_IO_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kith/graph.h"

/* A growing text; once memory runs out `failed` is set and nothing is added. */
typedef struct kith__json {
    char *at;
    int64_t n, room;
    bool indented; /* for programs */
    bool failed;
    bool comma; /* a value came before at this level */
    int depth;
} kith__json;

void kith__json_raw(kith__json *j, const char *text, size_t length);

/* { } [ ], values, and "name": before a value in an object; NULL in arrays. */
void kith__json_open(kith__json *j, const char *name, char bracket);
void kith__json_close(kith__json *j, char bracket);
void kith__json_number(kith__json *j, const char *name, double x); /* or null */
void kith__json_count(kith__json *j, const char *name, int64_t x);
void kith__json_bool(kith__json *j, const char *name, bool x);
void kith__json_null(kith__json *j, const char *name);
void kith__json_hash(kith__json *j, const char *name, uint64_t hash);
/* What is no UTF-8 becomes U+FFFD; inside HTML <, >, & and what JavaScript
 * takes for line ends are escaped; cut after `most` bytes. */
void kith__json_text(kith__json *j, const char *name, const char *text,
                     size_t length, size_t most);
/* Inside HTML strings are cut after 384 bytes, ids of nodes after 96. */
void kith__json_string(kith__json *j, const char *name, const char *text);
void kith__json_node(kith__json *j, const char *name, const kith_graph *g,
                     int32_t node);
/* A value that was written indented by itself. */
void kith__json_value(kith__json *j, const char *name, const char *text);

/* Hand the text over, *length bytes and a NUL at *out, to be freed with
 * kith_array_free(); for programs a line end is added. */
kith_status kith__json_take(kith__json *j, char **out, size_t *length,
                            kith_error *err);

#endif
