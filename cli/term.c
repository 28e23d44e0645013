#include "term.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool term_is_live(FILE *stream)
{
    const char *kind = getenv("TERM");

    return isatty(fileno(stream)) && kind && strcmp(kind, "dumb") != 0;
}

term_style term_style_of(FILE *stream)
{
    const char *refused = getenv("NO_COLOR");
    const term_style plain = {"", "", ""};
    const term_style coloured = {"\033[1m", "\033[36m", "\033[0m"};

    return term_is_live(stream) && !(refused && refused[0]) ? coloured : plain;
}

int term_width(FILE *stream)
{
    struct winsize size = {0};

    if (!isatty(fileno(stream)) ||
        ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col > 80 ? 80 : size.ws_col < 40 ? 40 : size.ws_col;
}

bool term_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *locale = getenv(names[i]);
        const char *charset = locale ? strchr(locale, '.') : NULL;

        if (!locale || !locale[0])
            continue; /* the first that is set decides */
        return charset && (strncasecmp(charset + 1, "UTF-8", 5) == 0 ||
                           strncasecmp(charset + 1, "UTF8", 4) == 0);
    }
    return false;
}

int term_columns(const char *text)
{
    int columns = 0;

    for (; *text; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

const char *term_count(int64_t n, char out[TERM_NUMBER])
{
    char digits[TERM_NUMBER];
    const int length = snprintf(digits, sizeof(digits), "%lld", (long long)n);
    int at = 0;

    for (int i = 0; i < length; i++) {
        out[at++] = digits[i];
        if ((length - 1 - i) % 3 == 0 && i < length - 1 && digits[i] != '-')
            out[at++] = ',';
    }
    out[at] = '\0';
    return out;
}

const char *term_bytes(double bytes, char out[TERM_NUMBER])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;

    if (bytes < 1024) {
        snprintf(out, TERM_NUMBER, "%.0f bytes", bytes);
        return out;
    }
    for (bytes /= 1024; bytes >= 1023.5 && unit < 4; unit++)
        bytes /= 1024;
    snprintf(out, TERM_NUMBER, "%.*f %s", bytes < 99.95 ? 1 : 0, bytes,
             units[unit]);
    return out;
}

const char *term_share(double share, char out[TERM_NUMBER])
{
    const double percent = 100 * share;
    const int digits = percent != 0 && percent < 0.1 ? 3 : 1;

    snprintf(out, TERM_NUMBER, "%.*f %%", digits, percent);
    return out;
}

const char *term_seconds(double seconds, char out[TERM_NUMBER])
{
    const int whole = (int)fmin(seconds + 0.5, 1e9);

    if (seconds < 9.995)
        snprintf(out, TERM_NUMBER, "%.2f s", seconds);
    else if (seconds < 99.95)
        snprintf(out, TERM_NUMBER, "%.1f s", seconds);
    else if (seconds < 3600)
        snprintf(out, TERM_NUMBER, "%d min %d s", whole / 60, whole % 60);
    else
        snprintf(out, TERM_NUMBER, "%d h %d min", whole / 3600,
                 whole / 60 % 60);
    return out;
}

void term_bar(FILE *stream, double share, int width)
{
    /* U+258F down to U+2589: an eighth to seven eighths of a block */
    static const char *const eighth[] = {"",       "\u258f", "\u258e",
                                         "\u258d", "\u258c", "\u258b",
                                         "\u258a", "\u2589"};
    const bool blocks = term_is_utf8();
    const int parts = blocks ? 8 : 1;
    const term_style style = term_style_of(stream);
    int filled = (int)lround(fmin(fmax(share, 0), 1) * width * parts);

    if (share > 0 && filled == 0)
        filled = 1;
    fputs(style.accent, stream);
    for (; filled >= parts; filled -= parts)
        fputs(blocks ? "\u2588" : "#", stream);
    if (blocks)
        fputs(eighth[filled], stream);
    fputs(style.reset, stream);
}

/* Whole and half columns only: blocks that fill from the right have no
 * eighths. */
static void left_bar(FILE *stream, double share, int width)
{
    const bool blocks = term_is_utf8();
    const term_style style = term_style_of(stream);
    int halves = (int)lround(fmin(share, 1) * 2 * width);

    halves = halves < 1 ? 1 : halves;
    if (!blocks)
        halves += halves % 2;
    for (int i = 0; i < width - (halves + 1) / 2; i++)
        fputc(' ', stream);
    fputs(style.accent, stream);
    if (halves % 2)
        fputs("\u2590", stream);
    for (; halves >= 2; halves -= 2)
        fputs(blocks ? "\u2588" : "#", stream);
    fputs(style.reset, stream);
}

void term_signed_bar(FILE *stream, double share, int width)
{
    const int half = (width - 1) / 2;

    if (share < 0)
        left_bar(stream, -share, half);
    else
        fprintf(stream, "%*s", half, "");
    fputs(term_is_utf8() ? "\u2502" : "|", stream);
    if (share > 0)
        term_bar(stream, share, half);
}

/* What format and list make, tamed; longer text is cut. */
enum { LONGEST_LINE = 8192 };

__attribute__((format(printf, 2, 0))) static void
tamed_text(char out[LONGEST_LINE], const char *format, va_list list)
{
    vsnprintf(out, LONGEST_LINE, format, list);
    term_tame(out);
}

void term_row(FILE *stream, const char *key, const char *format, ...)
{
    char text[LONGEST_LINE];
    va_list list;

    fputs("  ", stream);
    term_foreign(stream, key, term_columns(key) > 16 ? 60 : 16,
                 term_columns(key) <= 16);
    va_start(list, format);
    tamed_text(text, format, list);
    va_end(list);
    fprintf(stream, "  %s\n", text);
}

void term_line(FILE *stream, const char *format, ...)
{
    char text[LONGEST_LINE];
    va_list list;

    va_start(list, format);
    tamed_text(text, format, list);
    va_end(list);
    fprintf(stream, "%s\n", text);
}

/* Where a line of at most `width` columns ends that begins at text: at its last
 * space; a longer word is a line of its own. */
static size_t line_end(const char *text, int width)
{
    size_t end = 0, at = 0;
    int columns = 0;

    for (; text[at]; at++) {
        if (text[at] == ' ')
            end = at;
        columns += ((unsigned char)text[at] & 0xC0) != 0x80;
        if (columns > width && end > 0)
            return end;
    }
    return at;
}

void term_paragraph(FILE *stream, const char *text)
{
    const int width = isatty(fileno(stream)) ? term_width(stream) : INT_MAX;
    char *tame = strdup(text);

    if (!tame)
        return;
    term_tame(tame);
    for (const char *at = tame; *at;) {
        const size_t n = line_end(at, width);

        fprintf(stream, "%.*s\n", (int)n, at);
        at += n;
        at += *at == ' ';
    }
    free(tame);
}

void term_heading(FILE *stream, const char *text)
{
    const term_style style = term_style_of(stream);

    fputs(style.bold, stream);
    term_foreign(stream, text, LONGEST_LINE, false);
    fprintf(stream, "%s\n", style.reset);
}

/* Bytes of the UTF-8 character at c, 0 if there is none. */
static size_t utf8_bytes(const unsigned char *c)
{
    const size_t n = c[0] < 0x80 ? 1 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;

    if (n == 1)
        return 1;
    if (c[0] < 0xC2 || c[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xC0) != 0x80) /* the end of the text, too */
            return 0;
    /* longer than need be, half of a pair, above U+10FFFF */
    return (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F) ||
                   (c[0] == 0xF0 && c[1] < 0x90) ||
                   (c[0] == 0xF4 && c[1] > 0x8F)
               ? 0
               : n;
}

size_t term_obeyed(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;

    if (c[0] < 32 || c[0] == 127)
        return c[0] != '\0';
    if (utf8_bytes(c) == 0)
        return 1; /* a terminal may take it for one of the bytes 80 to 9F */
    if (c[0] == 0xC2 && c[1] < 0xA0)
        return 2; /* U+0080 to U+009F, among them another ESC [ */
    if (c[0] == 0xD8 && c[1] == 0x9C)
        return 2; /* U+061C */
    if (c[0] == 0xE2 && c[1] == 0x80 &&
        (c[2] == 0x8E || c[2] == 0x8F || (c[2] >= 0xA8 && c[2] <= 0xAE)))
        return 3; /* U+200E, U+200F, U+2028 to U+202E */
    return c[0] == 0xE2 && c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9
               ? 3 /* U+2066 to U+2069 */
               : 0;
}

void term_tame(char *text)
{
    char *to = text;

    while (*text) {
        const size_t obeyed = term_obeyed(text);
        const size_t kept = obeyed ? 0 : utf8_bytes((unsigned char *)text);

        memmove(to, obeyed ? "?" : text, obeyed ? 1 : kept);
        to += obeyed ? 1 : kept;
        text += obeyed + kept;
    }
    *to = '\0';
}

void term_foreign(FILE *stream, const char *text, int width, bool pad)
{
    char tame[LONGEST_LINE];
    int columns = 0, shown;

    snprintf(tame, sizeof(tame), "%s", text);
    term_tame(tame);
    shown = term_columns(tame) > width ? width - 2 : width;
    for (const char *at = tame; *at; at++) {
        const bool starts = ((unsigned char)*at & 0xC0) != 0x80;

        if (columns + starts > shown)
            break;
        columns += starts;
        fputc(*at, stream);
    }
    if (shown < width)
        columns += fputs("..", stream) >= 0 ? 2 : 0;
    while (pad && columns++ < width)
        fputc(' ', stream);
}
