/* The only user of strtod() and its kin, which banned.h poisons: not included
 * here. */
#include "core/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C library's own C locale: not allocated, the same at every call. */
static locale_t c_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

bool kith__parse_int(const char *text, size_t length, int64_t *value)
{
    const bool negative = length > 0 && text[0] == '-';
    int64_t v = 0;

    if (length == (size_t)negative)
        return false;
    for (size_t i = negative; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' ||
            __builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, text[i] - '0', &v))
            return false;
    }
    *value = negative ? -v : v;
    return true;
}

/* Plain decimals of up to 15 digits are exact in double arithmetic: digits and
 * a power of ten below 10^22 round once (Clinger 1990). */
static bool parse_short_decimal(const char *text, size_t length, double *value)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3, 1e4,  1e5,
                                   1e6,  1e7,  1e8,  1e9, 1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15};
    const bool negative = text[0] == '-';
    size_t digits = 0, fraction = 0;
    bool point = false;
    int64_t v = 0;

    for (size_t i = negative; i < length; i++) {
        if (text[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9')
            return false;
        v = v * 10 + (text[i] - '0');
        digits++;
        fraction += point;
    }
    if (digits == 0)
        return false;
    *value = (double)(negative ? -v : v) / power[fraction];
    return v != 0 || !negative;
}

bool kith__parse_real(const char *text, size_t length, double *value)
{
    char copy[64], *end;

    if (length == 0)
        return false;
    if (length <= 16 && parse_short_decimal(text, length, value))
        return true;
    /* strtod_l takes blanks and hexadecimals: neither is a number here. */
    if (length >= sizeof(copy) || memchr(text, 'x', length) ||
        memchr(text, 'X', length) || strchr(" \t\n\v\f\r", text[0]))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *value = strtod_l(copy, &end, c_locale());
    return end == copy + length;
}

int kith__print_list(char *out, size_t size, const char *format, va_list args)
{
    const locale_t before = uselocale(c_locale()); /* of this thread only */
    const int length = vsnprintf(out, size, format, args);

    uselocale(before);
    return length;
}

int kith__print(char *out, size_t size, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = kith__print_list(out, size, format, args);
    va_end(args);
    return length;
}

const char *kith__print_float(char out[KITH_FLOAT_BUFFER], float x)
{
    for (int digits = 6; digits <= 9; digits++) {
        kith__print(out, KITH_FLOAT_BUFFER, "%.*g", digits, (double)x);
        if (strtof_l(out, NULL, c_locale()) == x)
            break;
    }
    return out;
}
