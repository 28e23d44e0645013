/*
 * term.h: what the terminal can show, and numbers, bars and tables for it.
 */
#ifndef KITH_CLI_TERM_H
#define KITH_CLI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Escape sequences, all "" where colour is unwanted. */
typedef struct term_style {
    const char *bold;
    const char *accent; /* bars, names */
    const char *reset;
} term_style;

/* Colour only on a terminal, NO_COLOR unset, TERM not dumb. */
term_style term_style_of(FILE *stream);

/* Does a terminal that can move its cursor stand behind the stream? */
bool term_is_live(FILE *stream);

/* Columns to use: the terminal's, at most 80, at least 40; 80 elsewhere. */
int term_width(FILE *stream);

/* Is the locale, by LC_ALL, LC_CTYPE or LANG, one of UTF-8? */
bool term_is_utf8(void);

/* Columns that UTF-8 text takes, counting one for each code point. */
int term_columns(const char *text);

enum { TERM_NUMBER = 32 }; /* bytes that hold any number below */

/* "1,234,567" */
const char *term_count(int64_t n, char out[TERM_NUMBER]);
/* "812 bytes", "1.2 GiB" */
const char *term_bytes(double bytes, char out[TERM_NUMBER]);
/* "12.3 %", "0.04 %" */
const char *term_share(double share, char out[TERM_NUMBER]);
/* "0.31 s", "2 min 4 s" */
const char *term_seconds(double seconds, char out[TERM_NUMBER]);

/* A bar of share (0 to 1) times width columns: blocks in eighths of a column,
 * or '#' if the locale is not UTF-8.  A share above 0 always shows. */
void term_bar(FILE *stream, double share, int width);

/* A bar to the left (share below 0) or right of a line in the middle of width
 * columns. */
void term_signed_bar(FILE *stream, double share, int width);

/* One row of a table: "  key           value", tamed. */
void term_row(FILE *stream, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A heading above rows, bold on a terminal. */
void term_heading(FILE *stream, const char *text);

/* Bytes at the start of text that a terminal might obey and not show: control
 * characters, those that turn the direction of writing, and what is not UTF-8;
 * else 0. */
size_t term_obeyed(const char *text);

/* Make each of these a '?': every name or id that came from outside passes here
 * before it is shown. */
void term_tame(char *text);

/* Print a line that may hold such names, tamed, and end it. */
void term_line(FILE *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Print a text that may hold such names, tamed, in lines of the stream's width
 * broken at spaces, and end it. */
void term_paragraph(FILE *stream, const char *text);

/* Print text that came from outside, tamed; cut to `width` columns and, if pad,
 * filled up to them. */
void term_foreign(FILE *stream, const char *text, int width, bool pad);

#endif
