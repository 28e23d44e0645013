#include "out_text.h"

#include <stdlib.h>
#include <string.h>

#include "term.h"

static bool is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

kith_status out_print(run *r, const char *path, kith_outputs *with,
                      print_fn *print, const void *what)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out;
    kith_status st;

    if (is_standard(path)) {
        print(stdout, what);
        return KITH_OK;
    }
    out = open_memstream(&text, &length);
    if (!out)
        return run_no_memory(r);
    print(out, what);
    st = fclose(out) == 0 ? kith_file_write(path, text, length, with, &r->err)
                          : run_no_memory(r);
    free(text);
    return st;
}

kith_status out_write(run *r, const char *path, kith_outputs *with, char *text,
                      size_t length)
{
    kith_status st = KITH_OK;

    if (is_standard(path))
        fwrite(text, 1, length, stdout);
    else
        st = kith_file_write(path, text, length, with, &r->err);
    kith_array_free(text);
    return st;
}

kith_status out_report(run *r, const kith_report_input *in, const char *path,
                       kith_outputs *with)
{
    char *html = NULL;
    size_t length = 0;
    const kith_status st = kith_report(in, &html, &length, &r->err);

    return st == KITH_OK ? out_write(r, path, with, html, length) : st;
}

/* ---- on a terminal ------------------------------------------------------- */

/* The code point at *at, which moves behind it. */
static unsigned next_code(const unsigned char **at)
{
    const unsigned char *c = *at;
    const int n = c[0] < 0x80 ? 1 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
    unsigned code = n == 1 ? c[0] : c[0] & (0xFFu >> (n + 1));

    for (int i = 1; i < n; i++)
        code = code << 6 | (c[i] & 0x3F);
    *at = c + n;
    return code;
}

/* What is not ASCII as its number: JSON that the library made is UTF-8. */
static void put_ascii(const char *json)
{
    const unsigned char *at = (const unsigned char *)json;

    while (*at) {
        const unsigned c = next_code(&at);

        if (c < 0x80)
            putchar((int)c);
        else if (c < 0x10000)
            printf("\\u%04X", c);
        else
            printf("\\u%04X\\u%04X", 0xD800 + ((c - 0x10000) >> 10),
                   0xDC00 + ((c - 0x10000) & 0x3FF));
    }
}

kith_status out_json(run *r, const char *path, char *json, size_t length)
{
    if (!is_standard(path) || !r->terminal)
        return out_write(r, path, NULL, json, length);
    put_ascii(json);
    kith_array_free(json);
    return KITH_OK;
}

const char *out_table(run *r, const char *path, out_table_state *t)
{
    t->hidden = NULL;
    fflush(stdout);
    if (!is_standard(path))
        return path;
    if (!r->terminal)
        return "-";
    t->hidden = tmpfile();
    if (!t->hidden) {
        run_fail(r, KITH_ERR_IO, NULL, "cannot create a temporary file");
        return NULL;
    }
    snprintf(t->path, sizeof(t->path), "/dev/fd/%d", fileno(t->hidden));
    return t->path;
}

static void put_row(char *row)
{
    for (char *field; (field = strsep(&row, "\t"));) {
        term_tame(field);
        fputs(field, stdout);
        if (row)
            putchar('\t');
    }
    putchar('\n');
}

kith_status out_table_end(out_table_state *t, kith_status st)
{
    char *row = NULL;
    size_t room = 0;
    ssize_t length;

    if (!t->hidden)
        return st;
    rewind(t->hidden);
    while (st == KITH_OK && (length = getline(&row, &room, t->hidden)) > 0) {
        row[length - 1] = '\0';
        put_row(row);
    }
    free(row);
    (void)fclose(t->hidden);
    return st;
}
