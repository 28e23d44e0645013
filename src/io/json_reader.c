#include "io/json_reader.h"

#include "core/alloc.h"

enum { BUFFER = 1 << 16 };

kith_status kith__json_reader_open(kith__source *source, kith__json_reader *out,
                                   kith_error *err)
{
    *out = (kith__json_reader){.source = source,
                               .path = kith__source_path(source),
                               .line = 1,
                               .first = true};
    out->buffer = kith__alloc(BUFFER, 1);
    return out->buffer ? KITH_OK : kith__no_memory(err);
}

void kith__json_reader_close(kith__json_reader *r)
{
    kith__free(r->buffer);
    kith__free(r->memory);
    *r = (kith__json_reader){0};
}

/* ---- bytes --------------------------------------------------------------- */

/* The byte at hand, -1 at the end. */
static kith_status peek(kith__json_reader *r, int *c, kith_error *err)
{
    kith_status st = KITH_OK;

    if (r->at == r->n && !r->ended) {
        r->at = 0;
        TRY(kith__source_read(r->source, r->buffer, BUFFER, &r->n, err));
        r->ended = r->n == 0;
    }
    *c = r->at < r->n ? (unsigned char)r->buffer[r->at] : -1;
out:
    return st;
}

/* The same, and step behind it. */
static kith_status take(kith__json_reader *r, int *c, kith_error *err)
{
    const kith_status st = peek(r, c, err);

    if (st == KITH_OK && *c >= 0) {
        r->at++;
        r->line += *c == '\n';
    }
    return st;
}

static kith_status skip_blanks(kith__json_reader *r, int *c, kith_error *err)
{
    kith_status st = KITH_OK;

    for (;;) {
        TRY(peek(r, c, err));
        if (*c != ' ' && *c != '\t' && *c != '\n' && *c != '\r')
            break;
        r->line += *c == '\n';
        r->at++;
    }
out:
    return st;
}

static kith_status push(kith__json_reader *r, const char *bytes, int64_t n,
                        kith_error *err)
{
    if (r->length + n > KITH__LINE_LONGEST)
        return kith__json_fail(r, err, "a string is longer than 64 MiB");
    if (!kith__grow((void **)&r->memory, &r->capacity, r->length + n, 1))
        return kith__no_memory(err);
    memcpy(r->memory + r->length, bytes, (size_t)n);
    r->length += n;
    return KITH_OK;
}

static kith_status unexpected(const kith__json_reader *r, int c,
                              const char *expected, kith_error *err)
{
    const char byte = (char)c;
    char shown[KITH_QUOTE_BUFFER];

    if (c < 0)
        return kith__json_fail(r, err, "ends early, expected %s", expected);
    return kith__json_fail(r, err, "is not JSON: found '%s', expected %s",
                           kith__quote(shown, &byte, 1), expected);
}

/* ---- strings ------------------------------------------------------------- */

static kith_status take_hex(kith__json_reader *r, uint32_t *code,
                            kith_error *err)
{
    kith_status st = KITH_OK;

    *code = 0;
    for (int i = 0; i < 4; i++) {
        int c;
        const char *digit, *digits = "0123456789abcdefABCDEF";

        TRY(take(r, &c, err));
        digit = c > 0 ? strchr(digits, c) : NULL;
        if (!digit)
            TRY(unexpected(r, c, "four hexadecimal digits", err));
        else
            *code = *code * 16 + (uint32_t)(digit - digits < 16
                                                ? digit - digits
                                                : digit - digits - 6);
    }
out:
    return st;
}

static kith_status push_code(kith__json_reader *r, uint32_t code,
                             kith_error *err)
{
    char bytes[4];
    int n = 0;

    if (code < 0x80) {
        bytes[n++] = (char)code;
    } else if (code < 0x800) {
        bytes[n++] = (char)(0xc0 | code >> 6);
        bytes[n++] = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        bytes[n++] = (char)(0xe0 | code >> 12);
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[n++] = (char)(0x80 | (code & 0x3f));
    } else {
        bytes[n++] = (char)(0xf0 | code >> 18);
        bytes[n++] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[n++] = (char)(0x80 | (code & 0x3f));
    }
    return push(r, bytes, n, err);
}

/* \uXXXX, of which two may be one character. */
static kith_status take_code(kith__json_reader *r, kith_error *err)
{
    kith_status st = KITH_OK;
    uint32_t code, low;
    int c;

    TRY(take_hex(r, &code, err));
    if (code == 0)
        TRY(kith__json_fail(r, err, "a string has the character U+0000"));
    if (code >= 0xdc00 && code <= 0xdfff)
        TRY(kith__json_fail(r, err, "has half of a surrogate pair"));
    if (code >= 0xd800 && code <= 0xdbff) {
        TRY(take(r, &c, err));
        if (c == '\\')
            TRY(take(r, &c, err));
        else
            c = 0;
        low = 0;
        if (c == 'u')
            TRY(take_hex(r, &low, err));
        if (low < 0xdc00 || low > 0xdfff)
            TRY(kith__json_fail(r, err, "has half of a surrogate pair"));
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    TRY(push_code(r, code, err));
out:
    return st;
}

static kith_status take_escape(kith__json_reader *r, kith_error *err)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    kith_status st = KITH_OK;
    const char *at;
    int c;

    TRY(take(r, &c, err));
    if (c == 'u')
        return take_code(r, err);
    at = c > 0 ? strchr(from, c) : NULL;
    if (!at)
        TRY(unexpected(r, c, "an escape of JSON", err));
    else
        TRY(push(r, to + (at - from), 1, err));
out:
    return st;
}

/* As many plain bytes as the buffer has. */
static kith_status take_plain(kith__json_reader *r, kith_error *err)
{
    const char *from = r->buffer + r->at;
    int64_t n = 0;

    while (r->at + n < r->n && from[n] != '"' && from[n] != '\\' &&
           (unsigned char)from[n] >= ' ')
        n++;
    r->at += n;
    return push(r, from, n, err);
}

/* Is all of it UTF-8?  No byte order of more than four, nothing too long. */
static bool is_utf8(const char *text, int64_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    for (int64_t i = 0; i < length;) {
        const unsigned char c = (unsigned char)text[i];
        const int n = c < 0x80   ? 1
                      : c < 0xc2 ? 0
                      : c < 0xe0 ? 2
                      : c < 0xf0 ? 3
                      : c < 0xf5 ? 4
                                 : 0;
        uint32_t code = n > 1 ? c & (0xffu >> (n + 1)) : c;

        if (n == 0 || i + n > length)
            return false;
        for (int j = 1; j < n; j++) {
            if (((unsigned char)text[i + j] & 0xc0) != 0x80)
                return false;
            code = code << 6 | ((unsigned char)text[i + j] & 0x3f);
        }
        if (code < least[n] || code > 0x10ffff ||
            (code >= 0xd800 && code <= 0xdfff))
            return false;
        i += n;
    }
    return true;
}

/* The rest of a string, behind its quote. */
static kith_status take_string(kith__json_reader *r, kith_error *err)
{
    kith_status st = KITH_OK;
    int c;

    r->length = 0;
    for (;;) {
        TRY(peek(r, &c, err));
        if (c == '"')
            break;
        if (c < ' ')
            TRY(c < 0 ? unexpected(r, c, "the end of a string", err)
                      : kith__json_fail(r, err,
                                        "a string has a control character"));
        if (c != '\\') {
            TRY(take_plain(r, err));
            continue;
        }
        r->at++;
        TRY(take_escape(r, err));
    }
    r->at++;
    if (!is_utf8(r->memory, r->length))
        TRY(kith__json_fail(r, err, "a string is not UTF-8"));
    r->text = (kith__field){r->length ? r->memory : "", (size_t)r->length};
out:
    return st;
}

/* ---- numbers and words --------------------------------------------------- */

static const char *digits_end(const char *at)
{
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

/* -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static bool is_number(const char *at)
{
    const char *end;

    at += *at == '-';
    if (strcmp(at, "NaN") == 0 || strcmp(at, "Infinity") == 0)
        return true;
    end = digits_end(at);
    if (end == at || (*at == '0' && end > at + 1))
        return false;
    at = end;
    if (*at == '.') {
        end = digits_end(at + 1);
        if (end == at + 1)
            return false;
        at = end;
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        end = digits_end(at);
        if (end == at)
            return false;
        at = end;
    }
    return !*at;
}

/* true, false, null, or a number. */
static kith_status take_word(kith__json_reader *r, kith__json_token *token,
                             kith_error *err)
{
    static const char of_words[] = "+-.0123456789"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "abcdefghijklmnopqrstuvwxyz";
    char shown[KITH_QUOTE_BUFFER];
    kith_status st = KITH_OK;
    int c;

    r->length = 0;
    for (;;) {
        char byte;

        TRY(peek(r, &c, err));
        if (c <= 0 || !strchr(of_words, c))
            break;
        byte = (char)c;
        TRY(push(r, &byte, 1, err));
        r->at++;
    }
    if (r->length == 0)
        TRY(unexpected(r, c, "a value", err));
    TRY(push(r, "", 1, err));
    r->text = (kith__field){r->memory, (size_t)r->length - 1};
    if (strcmp(r->memory, "true") == 0)
        *token = KITH__JSON_TRUE;
    else if (strcmp(r->memory, "false") == 0)
        *token = KITH__JSON_FALSE;
    else if (strcmp(r->memory, "null") == 0)
        *token = KITH__JSON_NULL;
    else if (is_number(r->memory))
        *token = KITH__JSON_NUMBER;
    else
        TRY(kith__json_fail(r, err, "is not JSON: found '%s', expected a value",
                            kith__quote(shown, r->text.text, r->text.length)));
out:
    return st;
}

/* ---- tokens -------------------------------------------------------------- */

static kith_status enter(kith__json_reader *r, bool object, kith_error *err)
{
    if (r->depth == KITH__JSON_DEEPEST)
        return kith__json_fail(r, err, "is nested more than %d deep",
                               KITH__JSON_DEEPEST);
    r->in_object[r->depth++] = object;
    r->first = true;
    return KITH_OK;
}

static kith_status take_value(kith__json_reader *r, int c,
                              kith__json_token *token, kith_error *err)
{
    const bool object = c == '{';

    r->wants_value = false;
    if (object || c == '[') {
        r->at++;
        *token = object ? KITH__JSON_OBJECT : KITH__JSON_ARRAY;
        return enter(r, object, err);
    }
    r->first = false;
    if (c == '"') {
        r->at++;
        *token = KITH__JSON_STRING;
        return take_string(r, err);
    }
    return take_word(r, token, err);
}

/* A member's name and the colon behind it. */
static kith_status take_name(kith__json_reader *r, int c, kith_error *err)
{
    kith_status st = KITH_OK;

    if (c != '"')
        TRY(unexpected(r, c, "a name in quotes", err));
    r->at++;
    TRY(take_string(r, err));
    TRY(skip_blanks(r, &c, err));
    if (c != ':')
        TRY(unexpected(r, c, "a colon", err));
    r->at++;
    r->first = false;
    r->wants_value = true;
out:
    return st;
}

/* At the top: a byte order mark at most, values one behind the other. */
static kith_status next_at_top(kith__json_reader *r, int c,
                               kith__json_token *token, kith_error *err)
{
    if (r->first && r->line == 1 && r->n - r->at >= 3 &&
        memcmp(r->buffer + r->at, "\xef\xbb\xbf", 3) == 0) {
        kith_status st;

        r->at += 3;
        st = skip_blanks(r, &c, err);
        if (st != KITH_OK)
            return st;
    }
    if (c < 0) {
        *token = KITH__JSON_END;
        return KITH_OK;
    }
    return take_value(r, c, token, err);
}

kith_status kith__json_next(kith__json_reader *r, kith__json_token *token,
                            kith_error *err)
{
    const bool object = r->depth > 0 && r->in_object[r->depth - 1];
    kith_status st = KITH_OK;
    int c;

    TRY(skip_blanks(r, &c, err));
    if (r->depth == 0)
        return next_at_top(r, c, token, err);
    if (r->wants_value)
        return take_value(r, c, token, err);
    if (c == (object ? '}' : ']')) {
        r->at++;
        r->depth--;
        r->first = false;
        *token = object ? KITH__JSON_OBJECT_END : KITH__JSON_ARRAY_END;
        goto out;
    }
    if (!r->first) {
        if (c != ',')
            TRY(unexpected(r, c, object ? "a comma or }" : "a comma or ]",
                           err));
        r->at++;
        TRY(skip_blanks(r, &c, err));
    }
    if (object) {
        *token = KITH__JSON_NAME;
        TRY(take_name(r, c, err));
    } else {
        TRY(take_value(r, c, token, err));
    }
out:
    return st;
}

kith_status kith__json_skip(kith__json_reader *r, kith__json_token token,
                            kith_error *err)
{
    const int outside = r->depth - 1;
    kith_status st = KITH_OK;

    if (token != KITH__JSON_OBJECT && token != KITH__JSON_ARRAY)
        return KITH_OK;
    while (r->depth > outside)
        TRY(kith__json_next(r, &token, err));
out:
    return st;
}
