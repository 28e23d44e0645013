#include "term.h"

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

void term_row(FILE *stream, const char *key, const char *format, ...)
{
    va_list list;

    fprintf(stream, "  %-16s  ", key);
    va_start(list, format);
    vfprintf(stream, format, list);
    va_end(list);
    fputc('\n', stream);
}

void term_heading(FILE *stream, const char *text)
{
    const term_style style = term_style_of(stream);

    fprintf(stream, "%s%s%s\n", style.bold, text, style.reset);
}

void term_foreign(FILE *stream, const char *text, int width, bool pad)
{
    const bool cut = term_columns(text) > width;
    const int shown = cut ? width - 2 : width;
    int columns = 0;

    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool starts = (c & 0xC0) != 0x80;

        if (columns + starts > shown)
            break;
        columns += starts;
        fputc(c < 32 || c == 127 ? '?' : c, stream);
    }
    if (cut)
        columns += fputs("..", stream) >= 0 ? 2 : 0;
    while (pad && columns++ < width)
        fputc(' ', stream);
}
