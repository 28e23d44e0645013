/*
 * fields.h: splitting a line of a table into fields.
 *
 * Tabs part fields exactly, so ids may have blanks; commas and semicolons part
 * CSV fields, which may be quoted, blanks around them taken off; ' ' stands
 * for any blanks.
 */
#ifndef KITH_IO_FIELDS_H
#define KITH_IO_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct kith__field {
    const char *text;
    size_t length;
} kith__field;

static inline bool kith__is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* What parts the fields of this line: a tab if it has one, else a semicolon
 * (commas may be decimal), a comma, or blanks.  What is quoted counts only if
 * nothing else parts them. */
char kith__separator_of(const char *line, size_t length);
const char *kith__separator_name(char separator); /* "a tab" */

/*
 * The next field of [*at, end); false at the end of the line.  Quoted fields
 * are unquoted in place.  *at is NULL after a quote that does not close.
 */
bool kith__field_next(char **at, const char *end, char separator,
                      kith__field *out);

/* "0,5", as some spreadsheets write numbers. */
bool kith__has_decimal_comma(const kith__field *f);

#endif
