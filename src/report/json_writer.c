#include "report/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"

enum { TEXT_MOST = 96 };

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

static void name_it(kith__json *j, const char *name)
{
    if (j->comma)
        kith__json_raw(j, ",", 1);
    j->comma = true;
    if (!name)
        return;
    kith__json_raw(j, "\"", 1);
    kith__json_raw(j, name, strlen(name));
    kith__json_raw(j, "\":", 2);
}

void kith__json_open(kith__json *j, const char *name, char bracket)
{
    name_it(j, name);
    kith__json_raw(j, &bracket, 1);
    j->comma = false;
}

void kith__json_close(kith__json *j, char bracket)
{
    kith__json_raw(j, &bracket, 1);
    j->comma = true;
}

void kith__json_number(kith__json *j, const char *name, double x)
{
    char text[40];

    name_it(j, name);
    kith__print(text, sizeof(text),
                x == floor(x) && fabs(x) < 1e15 ? "%.0f" : "%.6g", x);
    if (isfinite(x))
        kith__json_raw(j, text, strlen(text));
    else
        kith__json_raw(j, "null", 4);
}

void kith__json_bool(kith__json *j, const char *name, bool x)
{
    name_it(j, name);
    kith__json_raw(j, x ? "true" : "false", x ? 4 : 5);
}

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

void kith__json_text(kith__json *j, const char *name, const char *text,
                     size_t length, size_t most)
{
    size_t i = 0;

    name_it(j, name);
    kith__json_raw(j, "\"", 1);
    while (i < length && i < most) {
        uint32_t c = 0xFFFD;
        const size_t n = code_point((const unsigned char *)text + i, length - i,
                                    &c);
        char escape[8];

        if (n > 0 && !must_escape(c)) {
            kith__json_raw(j, text + i, n);
        } else {
            snprintf(escape, sizeof(escape), "\\u%04x",
                     n ? (unsigned)c : 0xFFFDu);
            kith__json_raw(j, escape, 6);
        }
        i += n ? n : 1;
    }
    if (i < length)
        kith__json_raw(j, "\\u2026", 6);
    kith__json_raw(j, "\"", 1);
}

void kith__json_string(kith__json *j, const char *name, const char *text)
{
    kith__json_text(j, name, text, strlen(text), 4 * (size_t)TEXT_MOST);
}

void kith__json_node(kith__json *j, const char *name, const kith_graph *g,
                     int32_t node)
{
    char buffer[KITH_ID_BUFFER];
    size_t length;
    const char *id = kith_graph_id(g, node, buffer, &length);

    kith__json_text(j, name, id, length, TEXT_MOST);
}
