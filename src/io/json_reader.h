/*
 * json_reader.h: JSON token by token, from a source of any size.
 *
 * Memory is for one token.  Strict (RFC 8259): UTF-8 in pairs of quotes, no
 * control characters in strings, no comments, no commas too many; but one value
 * may follow another (JSON lines), and NaN and Infinity, which Python writes,
 * are numbers.  Arrays and objects nest at most 64 deep, a string has at most
 * 64 MiB; the character U+0000 is refused.
 */
#ifndef KITH_IO_JSON_READER_H
#define KITH_IO_JSON_READER_H

#include "io/fields.h"
#include "io/source.h"

enum { KITH__JSON_DEEPEST = 64 };

typedef enum kith__json_token {
    KITH__JSON_END, /* of the file */
    KITH__JSON_OBJECT,
    KITH__JSON_OBJECT_END,
    KITH__JSON_ARRAY,
    KITH__JSON_ARRAY_END,
    KITH__JSON_NAME, /* of a member; its value follows */
    KITH__JSON_STRING,
    KITH__JSON_NUMBER,
    KITH__JSON_TRUE,
    KITH__JSON_FALSE,
    KITH__JSON_NULL
} kith__json_token;

typedef struct kith__json_reader {
    kith__source *source; /* the caller's */
    const char *path;
    int64_t line; /* of the last token, from 1 */
    /* A name's or string's text, a number as it is written. */
    kith__field text;
    char *buffer; /* of the source */
    int64_t at, n;
    bool ended;
    char *memory; /* of text */
    int64_t length, capacity;
    int depth;
    bool in_object[KITH__JSON_DEEPEST];
    bool first;       /* nothing yet in the array or object */
    bool wants_value; /* a name was told */
} kith__json_reader;

/* The tokens of a source, from its start. */
kith_status kith__json_reader_open(kith__source *source, kith__json_reader *out,
                                   kith_error *err);
void kith__json_reader_close(kith__json_reader *r); /* a zeroed one is fine */

kith_status kith__json_next(kith__json_reader *r, kith__json_token *token,
                            kith_error *err);

/* Pass over the value that `token` begins. */
kith_status kith__json_skip(kith__json_reader *r, kith__json_token token,
                            kith_error *err);

/* Fail at the line of the last token. */
#define kith__json_fail(r, err, ...) \
    kith__fail(err, KITH_ERR_PARSE, (r)->path, (r)->line, __VA_ARGS__)

#endif
