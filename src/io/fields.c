#include "io/fields.h"

#include <stdint.h>
#include <string.h>

#include "core/number.h"

/* A quoted CSV field at *at; its text is unquoted in place.  NULL if the quote
 * is not closed or something follows it. */
static const char *quoted_field(char *at, const char *end, char separator,
                                kith__field *out)
{
    char *from = at + 1, *to = at + 1;

    out->text = to;
    while (from < end && (*from != '"' || (from + 1 < end && from[1] == '"'))) {
        from += *from == '"';
        *to++ = *from++;
    }
    out->length = (size_t)(to - out->text);
    if (from == end)
        return NULL;
    for (from++; from < end && kith__is_blank(*from); from++)
        ;
    return from == end || *from == separator ? from : NULL;
}

/* The next field of [*at, end); false at the end of the line.  *at is NULL
 * after a quote that does not close. */
bool kith__field_next(char **at, const char *end, char separator,
                      kith__field *out)
{
    char *from = *at, *stop;

    if (!from || from > end)
        return false;
    if (separator != '\t')
        while (from < end && kith__is_blank(*from))
            from++;
    if (separator == ' ' && from == end)
        return false;
    if (separator != '\t' && separator != ' ' && from < end && *from == '"') {
        const char *after = quoted_field(from, end, separator, out);

        *at = after ? (char *)after + 1 : NULL;
        return after != NULL;
    }
    stop = from;
    while (stop < end &&
           (separator == ' ' ? !kith__is_blank(*stop) : *stop != separator))
        stop++;
    *at = stop + 1;
    if (separator != '\t')
        while (stop > from && kith__is_blank(stop[-1]))
            stop--;
    *out = (kith__field){from, (size_t)(stop - from)};
    return true;
}

const char *kith__separator_name(char separator)
{
    return separator == '\t'  ? "a tab"
           : separator == ',' ? "a comma"
           : separator == ';' ? "a semicolon"
                              : "blanks";
}

/* Behind the quoted field at `at`, or `at` itself if its quote does not end. */
static const char *skip_quoted(const char *at, const char *end)
{
    for (const char *c = at + 1; c < end; c++) {
        if (*c == '"' && (c + 1 == end || c[1] != '"'))
            return c + 1;
        c += *c == '"';
    }
    return at;
}

char kith__separator_of(const char *line, size_t length)
{
    static const char marks[] = "\t;,";
    const char *end = line + length;
    bool seen[sizeof(marks)] = {false}, at_start = true;

    for (const char *at = line; at < end; at++) {
        const char *mark;

        if (*at == '"' && at_start)
            at = skip_quoted(at, end);
        if (at == end)
            break;
        mark = memchr(marks, *at, sizeof(marks) - 1);
        if (mark)
            seen[mark - marks] = true;
        at_start = mark || (at_start && *at == ' ');
    }
    for (int i = 0; marks[i]; i++)
        if (seen[i])
            return marks[i];
    for (int i = 0; marks[i]; i++)
        if (memchr(line, marks[i], length))
            return marks[i];
    return ' ';
}

bool kith__has_decimal_comma(const kith__field *f)
{
    const char *comma = memchr(f->text, ',', f->length);
    int64_t whole, part;

    return comma &&
           kith__parse_int(f->text, (size_t)(comma - f->text), &whole) &&
           kith__parse_int(comma + 1, f->length - (size_t)(comma + 1 - f->text),
                           &part);
}
