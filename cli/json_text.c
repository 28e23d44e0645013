#include "json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *json_utf8(const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const size_t length = strlen(text);
    char *out = malloc(3 * length + 1);
    size_t used = 0;

    for (size_t i = 0; out && i < length;) {
        size_t take = 1;
        json_t *fits = NULL;

        /* the longest of 1 to 4 bytes that is one code point */
        for (; take <= 4 && i + take <= length && !fits; take++)
            fits = json_stringn(text + i, take);
        take--;
        memcpy(out + used, fits ? text + i : replacement, fits ? take : 3);
        used += fits ? take : 3;
        i += fits ? take : 1;
        json_decref(fits);
    }
    if (out)
        out[used] = '\0';
    return out;
}

json_t *json_text(const char *text)
{
    char *valid = json_utf8(text);
    json_t *out = valid ? json_string(valid) : NULL;

    free(valid);
    return out;
}

json_t *json_count(int64_t n)
{
    return json_integer((json_int_t)n);
}

json_t *json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *json_hash(uint64_t hash)
{
    char text[24];

    snprintf(text, sizeof(text), "%016llx", (unsigned long long)hash);
    return json_string(text);
}

bool json_print(json_t *o, FILE *stream)
{
    /* Programs get characters as they are; a terminal might obey some. */
    const size_t ascii = isatty(fileno(stream)) ? JSON_ENSURE_ASCII : 0;

    if (!o)
        return false;
    json_dumpf(o, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(15) | ascii);
    fputc('\n', stream);
    json_decref(o);
    return true;
}
