#include "data/frame.h"

#include <math.h>

#include "core/alloc.h"
#include "core/number.h"
#include "data/labels.h"

void kith__frame_release(kith__frame *f)
{
    for (int c = 0; f->column && c < f->columns; c++) {
        kith__free(f->column[c].name);
        kith__id_set_release(&f->column[c].values);
        kith__free(f->column[c].code);
        kith__free(f->column[c].number);
    }
    kith__free(f->column);
    *f = (kith__frame){0};
}

/* ---- reading ------------------------------------------------------------- */

static bool is_missing(const kith__field *f)
{
    static const char *const words[] = {"", "na", "nan", "null", "?"};

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (f->length == strlen(words[i]) &&
            strncasecmp(f->text, words[i], f->length) == 0)
            return true;
    return false;
}

/* words: those that mean nothing are missing, too. */
static kith_status add_cell(kith__frame_column *c, int32_t row,
                            const kith__field *f, bool words, kith_error *err)
{
    const bool missing = words ? is_missing(f) : f->length == 0;
    int32_t code = -1;

    if (!kith__grow((void **)&c->code, &c->capacity, (int64_t)row + 1,
                    sizeof(*c->code)))
        return kith__no_memory(err);
    if (missing)
        c->missing++;
    else
        code = kith__id_set_add(&c->values, f->text, f->length, NULL);
    c->code[row] = code;
    return code < 0 && !missing ? kith__no_memory(err) : KITH_OK;
}

/* The names, from the first row of the head or by their numbers. */
static kith_status name_columns(kith__table *t, kith__frame *f, kith_error *err)
{
    kith_status st = KITH_OK;
    char number[32];

    if (t->head.rows == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, t->path, 0,
                       "is empty, expected a table whose first line names the "
                       "columns"));
    f->columns = t->head.columns;
    TRY_NEW(f->column, kith__alloc_zeroed(f->columns, sizeof(*f->column)));
    for (int c = 0; c < f->columns; c++) {
        const kith__field *name = kith__head_cell(&t->head, 0, c);

        snprintf(number, sizeof(number), "column %d", c + 1);
        TRY_NEW(f->column[c].name,
                t->header ? kith__copy_string(name->text, name->length)
                          : kith__copy_string(number, strlen(number)));
    }
out:
    return st;
}

/* Is there a number in the columns behind the first? */
static bool has_numbers(const kith__head *h)
{
    for (int c = 1; c < h->columns; c++)
        if (kith__column_is_numeric(h, c, 0))
            return true;
    return false;
}

/* Find out about the header, and which columns hold ids and classes. */
static kith_status find_roles(kith__table *t, const kith__frame_roles *roles,
                              kith__frame *f, kith_error *err)
{
    const kith__head *h = &t->head;
    kith_status st = KITH_OK;
    int64_t number;
    const bool named = kith__source_names_columns(t->source);
    bool header = roles->header || named || kith__head_of_nodes(h);

    if (roles->id && !kith__parse_int(roles->id, strlen(roles->id), &number))
        header = true;
    TRY(kith__table_header(t, header, err));
    if (roles->id)
        TRY(kith__head_column(h, header, t->path, roles->id_option, roles->id,
                              &f->id, err));
    if (!roles->look_for_ids)
        goto out;
    if (!roles->id && (header || has_numbers(h)))
        f->id = header ? kith__column_of(h, KITH__NODE) : 0;
    if (f->id < 0 && named)
        f->id = 0;
    if (f->id < 0 && h->rows > 0)
        TRY(kith__head_unsure(h, t->path, "which column holds the node",
                              "--node COL", err));
    f->label = header ? kith__column_of(h, KITH__LABEL) : -1;
    f->label = f->label == f->id ? -1 : f->label;
out:
    return st;
}

static kith_status add_row(kith__table *t, kith__frame *f, kith_error *err)
{
    kith_status st = KITH_OK;

    if (t->fields != f->columns)
        TRY(kith__table_fail(t, err, "has %d fields, but the first line has %d",
                             t->fields, f->columns));
    if (f->rows == INT32_MAX - 1)
        TRY(kith__table_fail(t, err, "has more than 2147483646 rows"));
    for (int c = 0; c < f->columns; c++) {
        if (t->field[c].length > KITH__LINE_LONGEST)
            TRY(kith__table_fail(t, err, "has a field of more than 64 MiB"));
        TRY(add_cell(&f->column[c], f->rows, &t->field[c], c != f->id, err));
    }
    f->rows++;
out:
    return st;
}

/* Columns all of whose values are finite numbers get them as such. */
static kith_status find_numbers(kith__frame_column *c, kith_error *err)
{
    double *number;
    bool all = c->values.n > 0;

    number = kith__alloc(c->values.n, sizeof(*number));
    if (!number)
        return kith__no_memory(err);
    for (int32_t i = 0; i < c->values.n && all; i++) {
        size_t length;
        const char *text = kith__id_set_get(&c->values, i, &length);

        all = kith__parse_time(text, length, &number[i]);
    }
    if (all)
        c->number = number;
    else
        kith__free(number);
    return KITH_OK;
}

kith_status kith__frame_read(const char *path,
                             const kith_build_options *options,
                             const kith__frame_roles *roles, kith__frame *out,
                             kith_error *err)
{
    kith_status st = KITH_OK;
    kith__table t = {0};
    bool more;

    *out = (kith__frame){.path = path, .id = -1, .label = -1};
    TRY(kith__table_open(path, &t, err));
    TRY(find_roles(&t, roles, out, err));
    TRY(name_columns(&t, out, err));
    for (;;) {
        if (out->rows % 65536 == 0)
            TRY(kith__progress(&options->job, "reading the table",
                               kith__source_done(t.source),
                               kith__source_size(t.source), "bytes", err));
        TRY(kith__table_next(&t, &more, err));
        if (!more)
            break;
        TRY(add_row(&t, out, err));
    }
    out->cleaning = (kith_cleaning){
        .lines = t.lines, .comments = t.comments, .headers = t.header};
    for (int c = 0; c < out->columns; c++)
        TRY(find_numbers(&out->column[c], err));
out:
    kith__table_close(&t);
    return st;
}

/* ---- looking ------------------------------------------------------------- */

kith_status kith__frame_find(const kith__frame *f, const char *option,
                             const char *name, int *column, kith_error *err)
{
    int64_t number;

    for (int c = 0; c < f->columns; c++)
        if (strcmp(f->column[c].name, name) == 0) {
            *column = c;
            return KITH_OK;
        }
    for (int c = 0; c < f->columns; c++)
        if (strcasecmp(f->column[c].name, name) == 0) {
            *column = c;
            return KITH_OK;
        }
    if (kith__parse_int(name, strlen(name), &number) && number >= 1 &&
        number <= f->columns) {
        *column = (int)number - 1;
        return KITH_OK;
    }
    return kith__fail(err, KITH_ERR_PARSE, f->path, 0,
                      "has no column '%.60s' (%s); its first is '%.60s', of %d",
                      name, option, f->column[0].name, f->columns);
}

const char *kith__frame_text(const kith__frame *f, int column, int32_t row,
                             size_t *length)
{
    const kith__frame_column *c = &f->column[column];

    *length = 0;
    return c->code[row] < 0
               ? NULL
               : kith__id_set_get(&c->values, c->code[row], length);
}

double kith__frame_number(const kith__frame *f, int column, int32_t row)
{
    const kith__frame_column *c = &f->column[column];

    return c->number && c->code[row] >= 0 ? c->number[c->code[row]]
                                          : (double)NAN;
}

kith_status kith__frame_select(const kith__frame *f, const char *option,
                               const char *list, bool **chosen, kith_error *err)
{
    const bool all = list && strcmp(list, "all") == 0;
    kith_status st = KITH_OK;
    bool *flag = NULL;
    char *name = NULL;
    int column;

    *chosen = NULL;
    TRY_NEW(flag, kith__alloc_zeroed(f->columns, sizeof(*flag)));
    for (int c = 0; c < f->columns; c++)
        flag[c] = all;
    while (list && !all && *list) {
        const size_t n = strcspn(list, ",");

        TRY_NEW(name, kith__copy_string(list, n));
        TRY(kith__frame_find(f, option, name, &column, err));
        flag[column] = true;
        kith__free(name);
        name = NULL;
        list += n + (list[n] == ',');
    }
    *chosen = flag;
    flag = NULL;
out:
    kith__free(name);
    kith__free(flag);
    return st;
}

/* ---- labels -------------------------------------------------------------- */

kith_status kith__frame_labels(const kith__frame *f, int column,
                               const int32_t *node, int32_t n,
                               const kith_build_options *options,
                               kith_labels **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_labels *l = NULL;
    kith__id_set classes = {0};
    int64_t unlabelled = 0;

    *out = NULL;
    TRY_NEW(l, kith__alloc_zeroed(1, sizeof(*l)));
    l->nodes = n;
    TRY_NEW(l->of, kith__alloc(n, sizeof(*l->of)));
    memset(l->of, -1, (size_t)n * sizeof(*l->of));
    for (int32_t r = 0; r < f->rows; r++) {
        const int32_t u = node ? node[r] : r;
        kith__field cell;
        int32_t c;

        cell.text = kith__frame_text(f, column, r, &cell.length);
        if (u < 0)
            continue;
        if (!cell.text || kith__says_nothing(options, &cell)) {
            unlabelled++;
            continue;
        }
        c = kith__id_set_add(&classes, cell.text, cell.length, NULL);
        if (c < 0)
            TRY(kith__no_memory(err));
        if (l->of[u] >= 0 && l->of[u] != c)
            TRY(kith__fail(err, KITH_ERR_PARSE, f->path, 0,
                           "row %d gives a node a second class, '%.60s'",
                           (int)r + 1, cell.text));
        l->labelled += l->of[u] < 0;
        l->of[u] = c;
    }
    if (l->labelled == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, f->path, 0,
                       "has no labels in column '%.60s'",
                       f->column[column].name));
    TRY(kith__labels_order(l, &classes, err));
    TRY(kith__labels_name_others(l, err));
    if (unlabelled > 0)
        kith__tell(options, "unlabelled", "%lld %s without a label",
                   (long long)unlabelled, unlabelled == 1 ? "row" : "rows");
    *out = l;
    l = NULL;
out:
    kith_labels_free(l);
    kith__id_set_release(&classes);
    return st;
}
