#include "paper/doc.h"

#include <math.h>
#include <stdarg.h>

#include "core/alloc.h"
#include "core/number.h"
#include "core/out_set.h"

void kith__doc_release(kith__doc *d)
{
    for (int64_t i = 0; i < d->tables; i++) {
        kith__free(d->table[i].row);
        kith__free(d->table[i].column);
        kith__free(d->table[i].group);
        kith__free(d->table[i].cell);
    }
    for (int64_t i = 0; i < d->matrices; i++) {
        kith__free(d->matrix[i].name);
        kith__free(d->matrix[i].value);
    }
    for (int64_t i = 0; i < d->findings; i++)
        kith__free(d->finding[i].chosen);
    kith__free(d->table);
    kith__free(d->matrix);
    kith__free(d->finding);
    kith__free(d->note);
    *d = (kith__doc){0};
}

kith__table *kith__doc_table(kith__doc *d, const char *id, int rows,
                             int columns, kith__unit unit, int wanted)
{
    const int64_t cells = (int64_t)rows * columns;
    kith__table *t;

    if (!kith__grow((void **)&d->table, &d->table_room, d->tables + 1,
                    sizeof(*d->table)))
        return NULL;
    t = &d->table[d->tables++];
    *t = (kith__table){.rows = rows, .columns = columns};
    snprintf(t->id, sizeof(t->id), "%s", id);
    t->row = kith__alloc_zeroed(rows, sizeof(*t->row));
    t->column = kith__alloc_zeroed(columns, sizeof(*t->column));
    t->group = kith__alloc_zeroed(rows, sizeof(*t->group));
    t->cell = kith__alloc_zeroed(cells, sizeof(*t->cell));
    if (!t->row || !t->column || !t->group || !t->cell)
        return NULL;
    for (int64_t i = 0; i < cells; i++)
        t->cell[i] = (kith__cell){
            .ours = kith_spread_of(NULL, 0), .wanted = wanted, .unit = unit};
    return t;
}

kith__matrix *kith__doc_matrix(kith__doc *d, const char *id, int size)
{
    kith__matrix *m;

    if (!kith__grow((void **)&d->matrix, &d->matrix_room, d->matrices + 1,
                    sizeof(*d->matrix)))
        return NULL;
    m = &d->matrix[d->matrices++];
    *m = (kith__matrix){.size = size};
    snprintf(m->id, sizeof(m->id), "%s", id);
    m->name = kith__alloc_zeroed(size, sizeof(*m->name));
    m->value = kith__alloc_zeroed((int64_t)size * size, sizeof(*m->value));
    return m->name && m->value ? m : NULL;
}

bool kith__doc_note(kith__doc *d, const char *text)
{
    for (int64_t i = 0; i < d->notes; i++)
        if (strncmp(d->note[i], text, KITH__NOTE - 1) == 0)
            return true;
    if (!kith__grow((void **)&d->note, &d->note_room, d->notes + 1,
                    sizeof(*d->note)))
        return false;
    snprintf(d->note[d->notes++], KITH__NOTE, "%s", text);
    return true;
}

bool kith__has_paper(const kith__table *t, int column)
{
    for (int i = 0; i < t->rows; i++)
        if (kith__cell_at(t, i, column)->paper != 0)
            return true;
    return false;
}

/* ---- numbers as text ----------------------------------------------------- */

/* ".823" without the 0 before the point. */
static void share(double x, char out[24])
{
    char digits[24];

    kith__print(digits, sizeof(digits), "%.3f", fmin(fmax(x, -1e9), 1e9));
    snprintf(out, 24, "%s", digits[0] == '0' ? digits + 1 : digits);
}

static void number(double x, kith__unit unit, char out[24])
{
    switch (unit) {
    case KITH__SHARE:
        share(x, out);
        break;
    case KITH__SECONDS:
        kith__print(out, 24, "%.*f", x < 10 ? 2 : x < 100 ? 1 : 0, x);
        break;
    case KITH__RATIO:
        kith__print(out, 24, "%.*f", x < 10 ? 2 : x < 100 ? 1 : 0, x);
        break;
    case KITH__VALUE:
        kith__print(out, 24, "%+.4f", x);
        break;
    }
}

static const char *with_spread(double mean, double std, bool deviates,
                               kith__unit unit, const char *plus_minus,
                               char out[KITH__CELL_TEXT])
{
    char a[24], b[24];

    number(mean, unit, a);
    number(std, unit, b);
    if (deviates)
        snprintf(out, KITH__CELL_TEXT, "%s %.8s%s", a, plus_minus, b);
    else
        snprintf(out, KITH__CELL_TEXT, "%s%s", a,
                 unit == KITH__RATIO ? "x" : "");
    return out;
}

const char *kith__cell_ours(const kith__cell *c, const char *plus_minus,
                            char out[KITH__CELL_TEXT])
{
    if (c->ours.n == 0)
        return "";
    with_spread(c->ours.mean, c->ours.std, c->ours.n > 1, c->unit, plus_minus,
                out);
    if (c->ours.n < c->wanted) {
        const size_t used = strlen(out);

        snprintf(out + used, KITH__CELL_TEXT - used, " (%d of %d)", c->ours.n,
                 c->wanted);
    }
    return out;
}

const char *kith__cell_paper(const kith__cell *c, const char *plus_minus,
                             char out[KITH__CELL_TEXT])
{
    if (c->paper == 0)
        return "";
    return with_spread(c->paper, c->paper_std, c->paper_std > 0, c->unit,
                       plus_minus, out);
}

void kith__put(kith__json *to, const char *format, ...)
{
    char text[2000];
    va_list list;

    va_start(list, format);
    kith__print_list(text, sizeof(text), format, list);
    va_end(list);
    kith__json_raw(to, text, strlen(text));
}

kith_status kith__text_add(kith__json *text, const char *path,
                           kith_outputs *with, kith_error *err)
{
    kith__out *o = NULL;
    kith_status st = KITH_OK;

    if (text->failed) {
        st = kith__no_memory(err);
        goto out;
    }
    TRY(kith__out_open(path, &o, err));
    TRY(kith__out_write(o, text->at, text->n, err));
    st = with ? kith__outputs_add(with, o, err) : kith__out_commit(o, err);
    o = NULL;
out:
    kith__out_abort(o);
    kith__free(text->at);
    *text = (kith__json){0};
    return st;
}

kith_status kith__text_save(kith__json *text, const char *path, kith_error *err)
{
    return kith__text_add(text, path, NULL, err);
}
