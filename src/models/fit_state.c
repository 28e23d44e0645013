#include "models/fit_state.h"

#include <string.h>

#include "core/alloc.h"

static void release_entry(kith__entry *e)
{
    kith__free(e->name);
    kith__free(e->text);
    kith__free(e->values);
    *e = (kith__entry){0};
}

void kith__fit_state_release(kith__fit_state *s)
{
    for (int64_t i = 0; i < s->n; i++)
        release_entry(&s->entries[i]);
    kith__free(s->entries);
    *s = (kith__fit_state){0};
}

const kith__entry *kith__fit_state_find(const kith__fit_state *s,
                                        const char *name)
{
    for (int64_t i = 0; i < s->n; i++)
        if (strcmp(s->entries[i].name, name) == 0)
            return &s->entries[i];
    return NULL;
}

/* Take an entry over, in place of one of the same name; its name is still to
 * be copied.  On failure it is released. */
static kith__entry *put(kith__fit_state *s, const char *name, kith__entry e)
{
    kith__entry *old = (kith__entry *)kith__fit_state_find(s, name);

    e.name = kith__copy_string(name, strlen(name));
    if (!e.name || (!old && !kith__grow((void **)&s->entries, &s->capacity,
                                        s->n + 1, sizeof(*s->entries)))) {
        release_entry(&e);
        return NULL;
    }
    if (old)
        release_entry(old);
    else
        old = &s->entries[s->n++];
    *old = e;
    return old;
}

bool kith__fit_state_set(kith__fit_state *s, const char *name, double number)
{
    return put(s, name, (kith__entry){.number = number}) != NULL;
}

bool kith__fit_state_choose(kith__fit_state *s, const char *name,
                            const char *text)
{
    char *copy = kith__copy_string(text, strlen(text));

    return copy && put(s, name, (kith__entry){.text = copy});
}

float *kith__fit_state_array(kith__fit_state *s, const char *name, int64_t rows,
                             int64_t columns)
{
    kith__entry e = {.rows = rows, .columns = columns}, *kept;
    int64_t cells;

    if (!kith__multiply(rows, columns, &cells))
        return NULL;
    e.values = kith__alloc_zeroed(cells, sizeof(float));
    kept = e.values ? put(s, name, e) : NULL;
    return kept ? kept->values : NULL;
}

void kith__fit_state_drop_arrays(kith__fit_state *s)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < s->n; i++)
        if (s->entries[i].values)
            release_entry(&s->entries[i]);
        else
            s->entries[kept++] = s->entries[i];
    s->n = kept;
}

double kith__fit_state_number(const kith__fit_state *s, const char *name,
                              double otherwise)
{
    const kith__entry *e = kith__fit_state_find(s, name);

    return e && !e->text && !e->values ? e->number : otherwise;
}

const char *kith__fit_state_text(const kith__fit_state *s, const char *name)
{
    const kith__entry *e = kith__fit_state_find(s, name);

    return e && e->text ? e->text : "";
}

const float *kith__fit_state_values(const kith__fit_state *s, const char *name,
                                    int64_t rows, int64_t columns)
{
    const kith__entry *e = kith__fit_state_find(s, name);

    return e && e->rows == rows && e->columns == columns ? e->values : NULL;
}

bool kith__fit_state_copy_choices(const kith__fit_state *from,
                                  kith__fit_state *to)
{
    for (int64_t i = 0; i < from->n; i++) {
        const kith__entry *e = &from->entries[i];

        if (e->values)
            continue;
        if (e->text ? !kith__fit_state_choose(to, e->name, e->text)
                    : !kith__fit_state_set(to, e->name, e->number))
            return false;
    }
    return true;
}
