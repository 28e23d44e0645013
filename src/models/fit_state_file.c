/*
 * fit_state_file.c: what a method learnt, in the sections of a model file;
 * docs/formats/model.md has the layout.
 */
#include "models/fit_state_file.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"

static bool all_finite(const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

const char *kith__fit_state_fault(const kith__fit_state *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        const kith__entry *e = &s->entries[i];

        if (!isfinite(e->number) ||
            !all_finite(e->values, e->rows * e->columns))
            return e->name;
    }
    return NULL;
}

/* ---- saving -------------------------------------------------------------- */

/* Three numbers per entry: what it is, rows, columns. */
enum { TEXT = 0, NUMBER = 1, ARRAY = 2 };

static kith_status put_table(kith__sections_writer *w, const kith__fit_state *s,
                             kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__sections_begin(w, "entries", 8, err));
    for (int64_t i = 0; i < s->n; i++) {
        const kith__entry *e = &s->entries[i];
        const int64_t row[] = {e->text     ? TEXT
                               : e->values ? ARRAY
                                           : NUMBER,
                               e->rows, e->columns};

        TRY(kith__sections_append(w, row, sizeof(row), err));
    }
    kith__sections_end(w);
    TRY(kith__sections_begin(w, "numbers", 8, err));
    for (int64_t i = 0; i < s->n; i++)
        TRY(kith__sections_append(w, &s->entries[i].number, 8, err));
    kith__sections_end(w);
out:
    return st;
}

kith_status kith__fit_state_put(kith__sections_writer *w,
                                const kith__fit_state *s, kith_error *err)
{
    kith_status st = KITH_OK;

    if (s->n == 0)
        return KITH_OK;
    TRY(put_table(w, s, err));
    TRY(kith__sections_begin(w, "texts", 1, err));
    for (int64_t i = 0; i < s->n; i++) {
        const char *text = s->entries[i].text ? s->entries[i].text : "";

        TRY(kith__sections_append(w, s->entries[i].name,
                                  (int64_t)strlen(s->entries[i].name) + 1,
                                  err));
        TRY(kith__sections_append(w, text, (int64_t)strlen(text) + 1, err));
    }
    kith__sections_end(w);
    TRY(kith__sections_begin(w, "arrays", 4, err));
    for (int64_t i = 0; i < s->n; i++)
        if (s->entries[i].values)
            TRY(kith__sections_append(
                w, s->entries[i].values,
                s->entries[i].rows * s->entries[i].columns * 4, err));
    kith__sections_end(w);
out:
    return st;
}

/* ---- opening ------------------------------------------------------------- */

/* The parts of a state in the file, and how far they have been read. */
typedef struct state_parts {
    const int64_t *entries;
    const double *numbers;
    const char *texts;
    const float *arrays;
    int64_t n, n_texts, n_arrays; /* entries, bytes, floats */
    int64_t text_at, array_at;
} state_parts;

/* The next text, NULL if there is none that ends. */
static const char *next_text(state_parts *f)
{
    const char *text = f->texts + f->text_at;
    const int64_t left = f->n_texts - f->text_at;
    const char *end = left > 0 ? memchr(text, '\0', (size_t)left) : NULL;

    if (!end)
        return NULL;
    f->text_at += end - text + 1;
    return text;
}

/* May an entry be of this kind, with this text and as many floats? */
static bool entry_fits(int64_t what, const char *text, int64_t rows,
                       int64_t columns, int64_t floats_left)
{
    int64_t cells;

    if (what == ARRAY)
        return rows > 0 && columns > 0 &&
               kith__multiply(rows, columns, &cells) && cells <= floats_left &&
               !*text;
    return rows == 0 && columns == 0 &&
           (what == TEXT || (what == NUMBER && !*text));
}

/* Take entry i over; *fits says whether the file was in order. */
static bool get_entry(state_parts *f, int64_t i, kith__fit_state *s, bool *fits)
{
    const int64_t what = f->entries[3 * i], rows = f->entries[3 * i + 1],
                  columns = f->entries[3 * i + 2];
    const char *name = next_text(f), *text = name ? next_text(f) : NULL;
    float *values;

    *fits = text && *name && !kith__fit_state_find(s, name) &&
            isfinite(f->numbers[i]) &&
            entry_fits(what, text, rows, columns, f->n_arrays - f->array_at);
    if (!*fits)
        return true;
    if (what == TEXT)
        return kith__fit_state_choose(s, name, text);
    if (what == NUMBER)
        return kith__fit_state_set(s, name, f->numbers[i]);
    values = kith__fit_state_array(s, name, rows, columns);
    if (!values)
        return false;
    memcpy(values, f->arrays + f->array_at,
           (size_t)(rows * columns) * sizeof(*values));
    f->array_at += rows * columns;
    *fits = all_finite(values, rows * columns);
    return true;
}

kith_status kith__fit_state_get(const kith__sections *s, kith__fit_state *out,
                                kith_error *err)
{
    state_parts f = {0};
    int64_t items = 0;
    bool fits = true;

    if (!kith__sections_find(s, "entries"))
        return KITH_OK;
    f.entries = kith__sections_get(s, "entries", 8, -1, &items);
    f.n = items / 3;
    f.numbers = kith__sections_get(s, "numbers", 8, f.n, NULL);
    f.texts = kith__sections_get(s, "texts", 1, -1, &f.n_texts);
    f.arrays = kith__sections_get(s, "arrays", 4, -1, &f.n_arrays);
    if (!f.entries || !f.numbers || !f.texts || !f.arrays || items % 3 != 0)
        return kith__sections_corrupt(s, err,
                                      "'entries' are missing or do not fit");
    for (int64_t i = 0; fits && i < f.n; i++)
        if (!get_entry(&f, i, out, &fits))
            return kith__no_memory(err);
    if (!fits || f.text_at != f.n_texts || f.array_at != f.n_arrays)
        return kith__sections_corrupt(s, err, "'entries' do not fit");
    return KITH_OK;
}
