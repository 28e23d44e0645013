#include "io/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "core/status.h"

enum { TEXT_MOST = 96, INDENT = 2 };

void kith__json_raw(kith__json *j, const char *text, size_t length)
{
    if (j->failed ||
        !kith__grow((void **)&j->at, &j->room, j->n + (int64_t)length + 1, 1)) {
        j->failed = true;
        return;
    }
    memcpy(j->at + j->n, text, length);
    j->n += (int64_t)length;
    j->at[j->n] = '\0';
}

static void put(kith__json *j, const char *text)
{
    kith__json_raw(j, text, strlen(text));
}

static void new_line(kith__json *j)
{
    put(j, "\n");
    for (int i = 0; i < j->depth * INDENT; i++)
        put(j, " ");
}

/* ---- text ---------------------------------------------------------------- */

/* Bytes of the code point at text, 0 if it is not UTF-8; its number. */
static size_t code_point(const unsigned char *text, size_t left, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t n = text[0] < 0x80   ? 1
                     : text[0] < 0xC0 ? 0
                     : text[0] < 0xE0 ? 2
                     : text[0] < 0xF0 ? 3
                     : text[0] < 0xF8 ? 4
                                      : 0;
    uint32_t c = n == 1 ? text[0] : text[0] & (0xFFu >> (n + 1));

    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (text[i] & 0x3F);
    }
    *out = c;
    return c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? 0 : n;
}

static bool must_escape(uint32_t c)
{
    return c < 32 || c == 127 || c == '"' || c == '\\' || c == '<' ||
           c == '>' || c == '&' || c == 0x2028 || c == 0x2029;
}

/* A code point of n bytes at text; n = 0: a byte that is none. */
static void put_in_page(kith__json *j, const char *text, size_t n, uint32_t c)
{
    char escape[8];

    if (n > 0 && !must_escape(c)) {
        kith__json_raw(j, text, n);
        return;
    }
    snprintf(escape, sizeof(escape), "\\u%04x", n ? (unsigned)c : 0xFFFDu);
    put(j, escape);
}

static void put_for_programs(kith__json *j, const char *text, size_t n,
                             uint32_t c)
{
    static const char from[] = "\b\f\n\r\t\"\\", to[] = "bfnrt\"\\";
    const char *known = c > 0 && c < 128 ? strchr(from, (int)c) : NULL;
    char escape[8];

    if (n == 0)
        put(j, "\xEF\xBF\xBD");
    else if (known)
        snprintf(escape, sizeof(escape), "\\%c", to[known - from]);
    else if (c < 32)
        snprintf(escape, sizeof(escape), "\\u%04X", (unsigned)c);
    else
        kith__json_raw(j, text, n);
    if (n > 0 && (known || c < 32))
        put(j, escape);
}

static void put_quoted(kith__json *j, const char *text, size_t length,
                       size_t most)
{
    size_t i = 0;

    put(j, "\"");
    while (i < length && i < most) {
        uint32_t c = 0xFFFD;
        const size_t n = code_point((const unsigned char *)text + i, length - i,
                                    &c);

        (j->indented ? put_for_programs : put_in_page)(j, text + i, n, c);
        i += n ? n : 1;
    }
    if (i < length)
        put(j, "\\u2026");
    put(j, "\"");
}

/* ---- values -------------------------------------------------------------- */

static void name_it(kith__json *j, const char *name)
{
    if (j->comma)
        put(j, ",");
    if (j->indented && j->depth > 0)
        new_line(j);
    j->comma = true;
    if (!name)
        return;
    put_quoted(j, name, strlen(name), SIZE_MAX);
    put(j, j->indented ? ": " : ":");
}

void kith__json_open(kith__json *j, const char *name, char bracket)
{
    name_it(j, name);
    kith__json_raw(j, &bracket, 1);
    j->comma = false;
    j->depth++;
}

void kith__json_close(kith__json *j, char bracket)
{
    j->depth--;
    if (j->indented && j->comma)
        new_line(j);
    kith__json_raw(j, &bracket, 1);
    j->comma = true;
}

/* The shortest of 15 digits, with a point or an exponent, 1e-5 for 1e-05. */
static void put_real(kith__json *j, double x)
{
    char text[40], *e;

    kith__print(text, sizeof(text), "%.15g", x);
    e = strchr(text, 'e');
    if (!e && !strchr(text, '.')) {
        memcpy(text + strlen(text), ".0", 3);
    } else if (e) {
        char *to = e + 1 + (e[1] == '-'), *from = e + 2;

        from += strspn(from, "0");
        memmove(to, from, strlen(from) + 1);
    }
    put(j, text);
}

void kith__json_number(kith__json *j, const char *name, double x)
{
    char text[40];

    name_it(j, name);
    if (!isfinite(x)) {
        put(j, "null");
    } else if (j->indented) {
        put_real(j, x);
    } else {
        kith__print(text, sizeof(text),
                    x == floor(x) && fabs(x) < 1e15 ? "%.0f" : "%.6g", x);
        put(j, text);
    }
}

void kith__json_count(kith__json *j, const char *name, int64_t x)
{
    char text[24];

    name_it(j, name);
    snprintf(text, sizeof(text), "%" PRId64, x);
    put(j, text);
}

void kith__json_bool(kith__json *j, const char *name, bool x)
{
    name_it(j, name);
    put(j, x ? "true" : "false");
}

void kith__json_null(kith__json *j, const char *name)
{
    name_it(j, name);
    put(j, "null");
}

void kith__json_hash(kith__json *j, const char *name, uint64_t hash)
{
    char text[24];

    snprintf(text, sizeof(text), "%016" PRIx64, hash);
    kith__json_text(j, name, text, strlen(text), SIZE_MAX);
}

void kith__json_text(kith__json *j, const char *name, const char *text,
                     size_t length, size_t most)
{
    name_it(j, name);
    put_quoted(j, text, length, most);
}

void kith__json_string(kith__json *j, const char *name, const char *text)
{
    kith__json_text(j, name, text, strlen(text),
                    j->indented ? SIZE_MAX : 4 * (size_t)TEXT_MOST);
}

void kith__json_node(kith__json *j, const char *name, const kith_graph *g,
                     int32_t node)
{
    char buffer[KITH_ID_BUFFER];
    size_t length;
    const char *id = kith_graph_id(g, node, buffer, &length);

    kith__json_text(j, name, id, length, j->indented ? SIZE_MAX : TEXT_MOST);
}

void kith__json_value(kith__json *j, const char *name, const char *text)
{
    name_it(j, name);
    for (; *text; text++)
        if (*text != '\n')
            kith__json_raw(j, text, 1);
        else if (text[1])
            new_line(j);
}

kith_status kith__json_take(kith__json *j, char **out, size_t *length,
                            kith_error *err)
{
    if (j->indented)
        put(j, "\n");
    if (j->failed || !j->at)
        kith__free(j->at);
    else
        *length = (size_t)j->n;
    *out = j->failed ? NULL : j->at;
    *j = (kith__json){0};
    return *out ? KITH_OK : kith__no_memory(err);
}
