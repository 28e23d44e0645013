/*
 * number.h: numbers as text, the same bytes whatever locale the host program
 * has set: the point is a point, and nothing separates thousands.
 *
 * Nothing else in the library turns text into a float or a float into text
 * (banned.h and tests/lint/lint.sh see to that).  The command stays in the C
 * locale, in which every program starts.
 */
#ifndef KITH_CORE_NUMBER_H
#define KITH_CORE_NUMBER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- strictly: all of [text, text + length), no spaces ------------------- */

/* Decimal digits with an optional minus; false if not, or beyond int64. */
bool kith__parse_int(const char *text, size_t length, int64_t *value);

/* Any decimal or exponent form, also inf and nan (the caller refuses those);
 * false if it is no number. */
bool kith__parse_real(const char *text, size_t length, double *value);

/* ---- writing ------------------------------------------------------------- */

/* As snprintf() and vsnprintf(). */
int kith__print(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int kith__print_list(char *out, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* The shortest text, of at least 6 digits' worth, that reads back as x. */
#define KITH_FLOAT_BUFFER 32
const char *kith__print_float(char out[KITH_FLOAT_BUFFER], float x);

#endif
