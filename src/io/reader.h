/*
 * reader.h: lines of a text file one by one, with their numbers, for the
 * formats that are read in order.
 */
#ifndef KITH_IO_READER_H
#define KITH_IO_READER_H

#include "core/number.h"
#include "io/source.h"

typedef struct kith__reader {
    kith__source *source;
    bool borrowed; /* the source is the caller's */
    const char *path;
    kith__block block;
    int64_t at;     /* in the block */
    int64_t line;   /* number of the line last read, from 1 */
    char *text;     /* that line, NUL-terminated, without its line end */
    int64_t length; /* and its length */
} kith__reader;

kith_status kith__reader_open(const char *path, kith__reader *out,
                              kith_error *err);
/* The lines of a source, which stays the caller's, from its start. */
void kith__reader_over(kith__source *source, kith__reader *out);
void kith__reader_close(kith__reader *r); /* a zeroed one is fine */

/*
 * Step to the next line; *more is false at the end.  Windows line ends and a
 * byte order mark are taken off; a NUL byte is refused as not text, and so is a
 * carriage return inside a line.
 */
kith_status kith__reader_next(kith__reader *r, bool *more, kith_error *err);

/* Step to the next line that is neither blank nor a comment (any of `marks`
 * begins it, behind blanks). */
kith_status kith__reader_next_data(kith__reader *r, const char *marks,
                                   bool *more, kith_error *err);

/* Fail at the current line. */
#define kith__reader_fail(r, err, ...) \
    kith__fail(err, KITH_ERR_PARSE, (r)->path, (r)->line, __VA_ARGS__)

/* The next word at *at in a NUL-terminated line, blanks skipped; its length,
 * 0 at the end.  *at moves behind it. */
size_t kith__next_word(const char **at, const char **word);

#endif
