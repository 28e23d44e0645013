#include "io/reader.h"

kith_status kith__reader_open(const char *path, kith__reader *out,
                              kith_error *err)
{
    kith_status st;

    *out = (kith__reader){0};
    st = kith__source_open(path, NULL, NULL, &out->source, err);
    out->path = st == KITH_OK ? kith__source_path(out->source) : NULL;
    return st;
}

void kith__reader_over(kith__source *source, kith__reader *out)
{
    *out = (kith__reader){
        .source = source, .borrowed = true, .path = kith__source_path(source)};
}

void kith__reader_close(kith__reader *r)
{
    if (!r->borrowed)
        kith__source_close(r->source);
    kith__block_release(&r->block);
    *r = (kith__reader){0};
}

/* Load the next block that has a line; *more is false at the end. */
static kith_status next_block(kith__reader *r, bool *more, kith_error *err)
{
    kith_status st = KITH_OK;

    do {
        TRY(kith__source_plan(r->source, &r->block, more, err));
        if (*more)
            TRY(kith__block_load(r->source, &r->block, err));
    } while (*more && r->block.length == 0);
    r->at = 0;
out:
    return st;
}

kith_status kith__reader_next(kith__reader *r, bool *more, kith_error *err)
{
    kith_status st = KITH_OK;
    char *end;

    *more = true;
    if (r->at >= r->block.length)
        TRY(next_block(r, more, err));
    if (!*more)
        goto out;
    r->text = r->block.text + r->at;
    end = memchr(r->text, '\n', (size_t)(r->block.length - r->at));
    r->at = end + 1 - r->block.text;
    r->line++;
    if (memchr(r->text, '\0', (size_t)(end - r->text)))
        TRY(kith__reader_fail(r, err, "has a NUL byte, expected text"));
    if (end > r->text && end[-1] == '\r')
        end--;
    *end = '\0';
    if (r->line == 1 && strncmp(r->text, "\xef\xbb\xbf", 3) == 0)
        r->text += 3;
    r->length = end - r->text;
    if (memchr(r->text, '\r', (size_t)r->length))
        TRY(kith__reader_fail(r, err,
                              "has a carriage return inside, expected lines "
                              "that end in a line feed"));
out:
    return st;
}

kith_status kith__reader_next_data(kith__reader *r, const char *marks,
                                   bool *more, kith_error *err)
{
    kith_status st = KITH_OK;

    do
        TRY(kith__reader_next(r, more, err));
    while (*more && strchr(marks, r->text[strspn(r->text, " \t")]));
out:
    return st;
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
    /* strtod takes blanks and hexadecimals: neither is a number here. */
    if (length >= sizeof(copy) || memchr(text, 'x', length) ||
        memchr(text, 'X', length) || strchr(" \t\n\v\f\r", text[0]))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *value = strtod(copy, &end);
    return end == copy + length;
}

size_t kith__next_word(const char **at, const char **word)
{
    *at += strspn(*at, " \t");
    *word = *at;
    *at += strcspn(*at, " \t");
    return (size_t)(*at - *word);
}
