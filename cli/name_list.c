#include "name_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 10000, MOST_DIGITS = 9 };

static name_list_status add(name_list *l, const char *text, size_t length,
                            const char *ending)
{
    const size_t room = length + strlen(ending) + 1;
    char **more = realloc(l->name, ((size_t)l->count + 1) * sizeof(*l->name));
    char *name = malloc(room);

    if (more)
        l->name = more;
    if (!more || !name) {
        free(name);
        return NAMES_NO_MEMORY;
    }
    snprintf(name, room, "%.*s%s", (int)length, text, ending);
    l->name[l->count++] = name;
    return NAMES_OK;
}

/* Digits at the end of text[0..length). */
static size_t digits_before(const char *text, size_t length)
{
    size_t n = 0;

    while (n < length && isdigit((unsigned char)text[length - 1 - n]))
        n++;
    return n;
}

/* Add one part, as it is or as the range that it ends in. */
static name_list_status add_part(name_list *l, const char *text, size_t length,
                                 bool ranges)
{
    const size_t to = ranges ? digits_before(text, length) : 0;
    const bool dots = to > 0 && to < length - 2 && to <= MOST_DIGITS &&
                      memcmp(text + length - to - 2, "..", 2) == 0;
    const size_t before = dots ? length - to - 2 : 0;
    const size_t from = digits_before(text, before);
    name_list_status st = NAMES_OK;
    long first, last;

    if (!dots || from == 0 || from > MOST_DIGITS)
        return add(l, text, length, "");
    first = strtol(text + before - from, NULL, 10);
    last = strtol(text + length - to, NULL, 10);
    if (first > last || last - first >= MOST_NAMES)
        return NAMES_BACKWARD;
    for (long i = first; st == NAMES_OK && i <= last; i++) {
        char number[32];

        /* as many digits as the first has: 08..10 is 08, 09, 10 */
        snprintf(number, sizeof(number), "%0*ld", (int)from, i);
        st = add(l, text, before - from, number);
    }
    return st;
}

name_list_status name_list_read(const char *text, bool ranges, name_list *out)
{
    name_list_status st = NAMES_OK;

    memset(out, 0, sizeof(*out));
    while (st == NAMES_OK) {
        const size_t length = strcspn(text, ",");

        st = length > 0 ? add_part(out, text, length, ranges) : NAMES_EMPTY;
        if (!text[length])
            break;
        text += length + 1;
    }
    if (st == NAMES_OK && out->count > MOST_NAMES)
        st = NAMES_BACKWARD;
    if (st != NAMES_OK)
        name_list_release(out);
    return st;
}

void name_list_release(name_list *l)
{
    for (int i = 0; i < l->count; i++)
        free(l->name[i]);
    free(l->name);
    memset(l, 0, sizeof(*l));
}
