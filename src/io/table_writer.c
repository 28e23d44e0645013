#include "io/table_writer.h"

#include "core/alloc.h"
#include "core/number.h"
#include "io/gather.h"
#include "io/json_writer.h"
#include "io/sqlite.h"
#include "io/writer.h"

typedef enum format { TSV, CSV, JSON_LINES, DATABASE } format;

typedef struct column {
    char *name;
    const char *group; /* the caller's, for as long as the writer is there */
} column;

struct kith__table_writer {
    format format;
    char *path, *file; /* file: the database */
    const char *table; /* in it; part of path */
    kith__writer *w;   /* of text */
    kith__sqlite_table *db;
    column *column;
    int64_t capacity;
    int columns, at; /* the next cell's */
    bool begun;      /* the columns are known */
    kith__json row;
};

void kith__table_writer_abort(kith__table_writer *t)
{
    if (!t)
        return;
    kith__writer_abort(t->w);
    kith__sqlite_abort(t->db);
    for (int c = 0; c < t->columns; c++)
        kith__free(t->column[c].name);
    kith__free(t->column);
    kith__free(t->row.at);
    kith__free(t->path);
    kith__free(t->file);
    kith__free(t);
}

kith_status kith__table_writer_open(const char *path, kith__table_writer **out,
                                    kith_error *err)
{
    kith_status st = KITH_OK;
    kith__table_writer *t = NULL;
    const char *table;

    *out = NULL;
    TRY_NEW(t, kith__alloc_zeroed(1, sizeof(*t)));
    TRY_NEW(t->path, kith__copy_string(path, strlen(path)));
    TRY(kith__sqlite_target(t->path, &t->file, &table, err));
    t->table = table;
    t->format = t->file                       ? DATABASE
                : kith__named(path, ".csv")   ? CSV
                : kith__named(path, ".jsonl") ? JSON_LINES
                                              : TSV;
    if (t->file && !*table)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                       "names no table, expected FILE:TABLE"));
    if (t->format != DATABASE)
        TRY(kith__writer_open(path, &t->w, err));
    *out = t;
    t = NULL;
out:
    kith__table_writer_abort(t);
    return st;
}

/* ---- text ---------------------------------------------------------------- */

/* Text for one field.  A tab or line end in it would break the table. */
static kith_status put_plain(kith__table_writer *t, const char *text,
                             size_t length, const char *what, kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];

    if (memchr(text, '\t', length) || memchr(text, '\n', length))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "%s '%s' cannot be written: it has a tab or line "
                          "break (.csv and .jsonl can hold it)",
                          what, kith__quote(shown, text, length));
    kith__writer_bytes(t->w, text, length);
    return KITH_OK;
}

/* Would a spreadsheet run it?  Numbers, and a dash, it does not. */
static bool is_formula(const char *text, size_t length)
{
    double value;

    return length > 1 && memchr("=+-@\t\r", text[0], 6) &&
           !kith__parse_real(text, length, &value);
}

/* A field of CSV (RFC 4180); a formula gets an apostrophe before it, which
 * spreadsheets take for "this is text". */
static void put_csv(kith__table_writer *t, const char *text, size_t length)
{
    const bool formula = is_formula(text, length);
    bool quoted = formula || length == 0 || text[0] == ' ' || text[0] == '#' ||
                  text[0] == '%' || text[length - 1] == ' ';

    for (size_t i = 0; i < length && !quoted; i++)
        quoted = text[i] == '\t' || memchr("\",;\r\n", text[i], 5) != NULL;
    if (!quoted) {
        kith__writer_bytes(t->w, text, length);
        return;
    }
    kith__writer_text(t->w, formula ? "\"'" : "\"");
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            kith__writer_bytes(t->w, "\"", 1);
        kith__writer_bytes(t->w, text + i, 1);
    }
    kith__writer_bytes(t->w, "\"", 1);
}

/* What stands before the next cell of a text, and of an object. */
static void part(kith__table_writer *t, int at)
{
    if (at > 0)
        kith__writer_bytes(t->w, t->format == CSV ? "," : "\t", 1);
}

/* ---- columns and rows ---------------------------------------------------- */

kith_status kith__table_writer_column(kith__table_writer *t, const char *name,
                                      const char *group, const char *what,
                                      kith_error *err)
{
    kith_status st = KITH_OK;

    if (!kith__grow((void **)&t->column, &t->capacity, t->columns + 1,
                    sizeof(*t->column)))
        TRY(kith__no_memory(err));
    t->column[t->columns].group = group;
    TRY_NEW(t->column[t->columns].name, kith__copy_string(name, strlen(name)));
    if (t->format == TSV || t->format == CSV)
        part(t, t->columns);
    t->columns++;
    if (t->format == TSV)
        TRY(put_plain(t, name, strlen(name), what, err));
    if (t->format == CSV)
        put_csv(t, name, strlen(name));
out:
    return st;
}

static kith_status begin_database(kith__table_writer *t, kith_error *err)
{
    const char **names = NULL;
    kith_status st = KITH_OK;

    TRY_NEW(names, kith__alloc(t->columns, sizeof(*names)));
    for (int c = 0; c < t->columns; c++)
        names[c] = t->column[c].name;
    TRY(kith__sqlite_create(t->path, t->file, t->table, names, t->columns, 2,
                            &t->db, err));
out:
    kith__free(names);
    return st;
}

/* End the header, if that is still to be done. */
static kith_status begin(kith__table_writer *t, kith_error *err)
{
    kith_status st = KITH_OK;

    if (t->begun)
        return KITH_OK;
    t->begun = true;
    if (t->format == DATABASE)
        TRY(begin_database(t, err));
    else if (t->format != JSON_LINES)
        kith__writer_bytes(t->w, "\n", 1);
out:
    return st;
}

/* The name of the cell's value in an object, the object of its group begun. */
static const char *open_value(kith__table_writer *t)
{
    const column *c = &t->column[t->at];

    if (t->at == 0) {
        t->row.n = 0;
        t->row.comma = false;
        kith__json_open(&t->row, NULL, '{');
    }
    if (c->group && (t->at == 0 || t->column[t->at - 1].group != c->group))
        kith__json_open(&t->row, c->group, '{');
    return c->name;
}

/* The cell is there: end what ends with it. */
static kith_status end_cell(kith__table_writer *t, kith_error *err)
{
    const column *c = &t->column[t->at];
    const bool last = ++t->at == t->columns;

    if (t->format == JSON_LINES) {
        if (c->group && (last || t->column[t->at].group != c->group))
            kith__json_close(&t->row, '}');
        if (last)
            kith__json_close(&t->row, '}');
        if (t->row.failed)
            return kith__no_memory(err);
        if (last)
            kith__writer_bytes(t->w, t->row.at, (size_t)t->row.n);
    }
    if (!last)
        return KITH_OK;
    t->at = 0;
    if (t->w)
        kith__writer_bytes(t->w, "\n", 1);
    return KITH_OK;
}

kith_status kith__table_writer_text(kith__table_writer *t, const char *text,
                                    size_t length, const char *what,
                                    kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(begin(t, err));
    if (t->format == TSV || t->format == CSV)
        part(t, t->at);
    if (t->format == TSV)
        TRY(put_plain(t, text, length, what, err));
    else if (t->format == CSV)
        put_csv(t, text, length);
    else if (t->format == JSON_LINES)
        kith__json_text(&t->row, open_value(t), text, length, SIZE_MAX);
    else
        TRY(kith__sqlite_put_text(t->db, text, length, err));
    TRY(end_cell(t, err));
out:
    return st;
}

/* A number as it is spelt. */
static kith_status put_spelt(kith__table_writer *t, const char *text,
                             bool whole, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t count = 0;
    double x = 0;

    TRY(begin(t, err));
    if (t->format == TSV || t->format == CSV) {
        part(t, t->at);
        kith__writer_text(t->w, text);
    } else if (t->format == JSON_LINES) {
        kith__json_value(&t->row, open_value(t), text);
    } else if (whole && kith__parse_int(text, strlen(text), &count)) {
        TRY(kith__sqlite_put_count(t->db, count, err));
    } else if (kith__parse_real(text, strlen(text), &x)) {
        TRY(kith__sqlite_put_number(t->db, x, err));
    }
    TRY(end_cell(t, err));
out:
    return st;
}

kith_status kith__table_writer_number(kith__table_writer *t, double x,
                                      int digits, kith_error *err)
{
    char text[40];

    kith__print(text, sizeof(text), "%.*g", digits, x);
    return put_spelt(t, text, false, err);
}

kith_status kith__table_writer_count(kith__table_writer *t, int64_t x,
                                     kith_error *err)
{
    char text[40];

    snprintf(text, sizeof(text), "%lld", (long long)x);
    return put_spelt(t, text, true, err);
}

kith_status kith__table_writer_nothing(kith__table_writer *t, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(begin(t, err));
    if (t->format == TSV || t->format == CSV) {
        part(t, t->at);
        kith__writer_bytes(t->w, "-", 1);
    } else if (t->format == JSON_LINES) {
        kith__json_null(&t->row, open_value(t));
    } else {
        TRY(kith__sqlite_put_null(t->db, err));
    }
    TRY(end_cell(t, err));
out:
    return st;
}

kith_status kith__table_writer_add(kith__table_writer *t, kith_outputs *with,
                                   kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(begin(t, err));
    if (t->format == DATABASE) {
        st = kith__sqlite_commit(t->db, err);
        t->db = NULL;
    } else {
        st = kith__writer_add(t->w, with, err);
        t->w = NULL;
    }
out:
    kith__table_writer_abort(t);
    return st;
}
