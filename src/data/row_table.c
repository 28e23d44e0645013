#include "data/row_table.h"

#include <math.h>
#include <xxhash.h>

#include "core/alloc.h"
#include "data/encode.h"
#include "kith/arrays.h"

enum { WINDOW = 2 };

/* A table of rows on its way to a data set. */
typedef struct row_table {
    const kith_build_options *options;
    const kith_table_options *t;
    kith__frame f;
    int id, order, label; /* columns, -1 none */
    int *link;            /* columns that tie rows */
    int links;
    double *when;    /* of each row */
    int32_t *sorted; /* rows in the order of that */
    int32_t nodes;   /* rows, and hubs behind them */
    int32_t *u, *v;  /* ends of edges */
    int64_t edges, cap_u, cap_v;
    kith__encoder encoder;
} row_table;

static void release(row_table *r)
{
    kith__frame_release(&r->f);
    kith__encoder_release(&r->encoder);
    kith__free(r->link);
    kith__free(r->when);
    kith__free(r->sorted);
    kith__free(r->u);
    kith__free(r->v);
}

/* ---- which columns ------------------------------------------------------- */

static kith_status find_one(const row_table *r, const char *option,
                            const char *name, int *column, kith_error *err)
{
    *column = -1;
    return name ? kith__frame_find(&r->f, option, name, column, err) : KITH_OK;
}

/* Do all rows have the same value there?  Then it ties nothing apart. */
static bool is_the_same(const kith__frame_column *c)
{
    return c->values.n <= 1 && c->missing == 0;
}

static kith_status add_link(row_table *r, const char *name, size_t length,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    char *text = NULL;
    int column;

    TRY_NEW(text, kith__copy_string(name, length));
    TRY(find_one(r, "--link", text, &column, err));
    if (is_the_same(&r->f.column[column]))
        kith__tell(r->options, "left out",
                   "'%.60s', which all rows share, ties nothing", text);
    else
        r->link[r->links++] = column;
out:
    kith__free(text);
    return st;
}

static kith_status find_links(row_table *r, kith_error *err)
{
    const char *at = r->t->link;
    kith_status st = KITH_OK;
    int64_t most = 1;

    if (!at || !*at)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, r->f.path, 0,
                       "--table needs --link A,B: the columns whose values "
                       "tie rows together"));
    for (const char *c = at; *c; c++)
        most += *c == ',';
    TRY_NEW(r->link, kith__alloc(most, sizeof(*r->link)));
    while (*at) {
        const size_t n = strcspn(at, ",");

        TRY(add_link(r, at, n, err));
        at += n + (at[n] == ',');
    }
    if (r->links == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, r->f.path, 0,
                       "has one value in each column of --link, which ties "
                       "nothing"));
out:
    return st;
}

static kith_status find_columns(row_table *r, kith_error *err)
{
    const kith_table_options *t = r->t;
    kith_status st = KITH_OK;

    if (r->f.rows == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, r->f.path, 0,
                       "has no rows below its header"));
    r->id = r->f.id;
    TRY(find_one(r, "--order", t->order ? t->order : t->time, &r->order, err));
    TRY(find_one(r, "--label", t->label, &r->label, err));
    TRY(find_links(r, err));
out:
    return st;
}

/* ---- the order of rows --------------------------------------------------- */

typedef struct placed {
    double when;
    uint64_t tie; /* of the id, so that the order of lines does not matter */
    int32_t row;
} placed;

static int by_time(const void *a, const void *b)
{
    const placed *x = a, *y = b;

    if (x->when != y->when)
        return x->when < y->when ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie < y->tie ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static kith_status sort_rows(row_table *r, kith_error *err)
{
    const int32_t n = r->f.rows;
    kith_status st = KITH_OK;
    placed *at = NULL;

    TRY_NEW(at, kith__alloc(n, sizeof(*at)));
    TRY_NEW(r->when, kith__alloc(n, sizeof(*r->when)));
    TRY_NEW(r->sorted, kith__alloc(n, sizeof(*r->sorted)));
    for (int32_t i = 0; i < n; i++) {
        size_t length = 0;
        const char *id = r->id < 0 ? NULL
                                   : kith__frame_text(&r->f, r->id, i, &length);

        r->when[i] = r->order < 0 ? (double)i
                                  : kith__frame_number(&r->f, r->order, i);
        at[i] = (placed){r->when[i], id ? XXH3_64bits(id, length) : 0, i};
        if (isnan(r->when[i]))
            TRY(kith__fail(err, KITH_ERR_PARSE, r->f.path, 0,
                           "has no number or date in column '%.60s' of row %d",
                           r->f.column[r->order].name, (int)i + 1));
    }
    qsort(at, (size_t)n, sizeof(*at), by_time);
    for (int32_t i = 0; i < n; i++)
        r->sorted[i] = at[i].row;
out:
    kith__free(at);
    return st;
}

/* ---- edges --------------------------------------------------------------- */

static kith_status tie(row_table *r, int32_t u, int32_t v, kith_error *err)
{
    if (!kith__grow((void **)&r->u, &r->cap_u, r->edges + 1, sizeof(*r->u)) ||
        !kith__grow((void **)&r->v, &r->cap_v, r->edges + 1, sizeof(*r->v)))
        return kith__no_memory(err);
    r->u[r->edges] = u;
    r->v[r->edges++] = v;
    return KITH_OK;
}

/* Tie each row to the `window` rows before it that share its value. */
static kith_status tie_in_order(row_table *r, const kith__frame_column *c,
                                kith_error *err)
{
    const int window = r->t->window > 0 ? r->t->window : WINDOW;
    int32_t *last = NULL, *before = NULL;
    kith_status st = KITH_OK;

    TRY_NEW(last, kith__alloc(c->values.n, sizeof(*last)));
    TRY_NEW(before, kith__alloc(r->f.rows, sizeof(*before)));
    memset(last, -1, (size_t)c->values.n * sizeof(*last));
    for (int32_t i = 0; i < r->f.rows; i++) {
        const int32_t row = r->sorted[i], code = c->code[row];
        int32_t other;

        if (code < 0)
            continue;
        before[row] = other = last[code];
        last[code] = row;
        for (int k = 0; k < window && other >= 0; k++) {
            TRY(tie(r, row, other, err));
            other = before[other];
        }
    }
out:
    kith__free(last);
    kith__free(before);
    return st;
}

/* Tie all rows of a value to a node of its own. */
static kith_status tie_to_hubs(row_table *r, const kith__frame_column *c,
                               kith_error *err)
{
    kith_status st = KITH_OK;

    if (r->nodes > INT32_MAX - 1 - c->values.n)
        TRY(kith__fail(err, KITH_ERR_RANGE, r->f.path, 0,
                       "has more than 2147483646 rows and values"));
    for (int32_t i = 0; i < r->f.rows; i++)
        if (c->code[i] >= 0)
            TRY(tie(r, i, r->nodes + c->code[i], err));
    r->nodes += c->values.n;
out:
    return st;
}

/* ---- ids ----------------------------------------------------------------- */

typedef struct id_list {
    char *bytes;
    int64_t used, cap_bytes;
    int64_t *offset;
    int64_t n, cap_offset;
} id_list;

static kith_status add_id(id_list *l, const char *a, const char *mark,
                          const char *b, size_t length, kith_error *err)
{
    const size_t first = strlen(a), middle = strlen(mark);
    const int64_t need = l->used + (int64_t)(first + middle + length);

    if (!kith__grow((void **)&l->bytes, &l->cap_bytes, need + 1, 1) ||
        !kith__grow((void **)&l->offset, &l->cap_offset, l->n + 2,
                    sizeof(*l->offset)))
        return kith__no_memory(err);
    memcpy(l->bytes + l->used, a, first);
    memcpy(l->bytes + l->used + first, mark, middle);
    memcpy(l->bytes + l->used + first + middle, b, length);
    l->offset[l->n++] = l->used;
    l->offset[l->n] = l->used = need;
    return KITH_OK;
}

static kith_status row_id(const row_table *r, int32_t row, id_list *l,
                          kith_error *err)
{
    char number[16];
    size_t length;
    const char *text = number;

    if (r->id >= 0)
        text = kith__frame_text(&r->f, r->id, row, &length);
    else
        length = (size_t)snprintf(number, sizeof(number), "%d", (int)row);
    if (!text)
        return kith__fail(err, KITH_ERR_PARSE, r->f.path, 0,
                          "has no id in column '%.60s' of row %d",
                          r->f.column[r->id].name, (int)row + 1);
    return add_id(l, "", "", text, length, err);
}

/* Ids of rows, then of hubs, "Column=value"; NULL where numbers do. */
static kith_status make_ids(const row_table *r, kith_ids **out, kith_error *err)
{
    kith_status st = KITH_OK;
    id_list l = {0};

    *out = NULL;
    if (r->id < 0 && !r->t->hub)
        return KITH_OK;
    for (int32_t i = 0; i < r->f.rows; i++)
        TRY(row_id(r, i, &l, err));
    for (int k = 0; k < r->links && r->t->hub; k++) {
        const kith__frame_column *c = &r->f.column[r->link[k]];

        for (int32_t v = 0; v < c->values.n; v++) {
            size_t length;
            const char *text = kith__id_set_get(&c->values, v, &length);

            TRY(add_id(&l, c->name, "=", text, length, err));
        }
    }
    TRY(kith_ids_from_strings(&(kith_array){l.offset, KITH_I64, l.n + 1},
                              l.bytes, out, err));
out:
    kith__free(l.bytes);
    kith__free(l.offset);
    return st;
}

static kith_status make_graph(row_table *r, kith_dataset *d, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_ids *ids = NULL;
    kith_coo edges = {0};

    r->nodes = r->f.rows;
    for (int k = 0; k < r->links; k++) {
        const kith__frame_column *c = &r->f.column[r->link[k]];

        TRY(r->t->hub ? tie_to_hubs(r, c, err) : tie_in_order(r, c, err));
    }
    if (r->edges == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, r->f.path, 0,
                       "has no two rows that share a value of --link"));
    TRY(make_ids(r, &ids, err));
    edges.u = (kith_array){r->u, KITH_I32, r->edges};
    edges.v = (kith_array){r->v, KITH_I32, r->edges};
    edges.nodes = r->nodes;
    d->cleaning = r->f.cleaning;
    TRY(kith_graph_from_coo(&edges, ids, r->options, &d->graph, &d->cleaning,
                            err));
out:
    kith_ids_free(ids);
    return st;
}

/* ---- history ------------------------------------------------------------- */

/* What is known of a value from the rows before. */
typedef struct past {
    int64_t count;
    double last;
} past;

/* How many rows before share the value, and how long ago the last was; as
 * log2(1 + x), since such counts spread over decades. */
static kith_status encode_counts(row_table *r, const kith__frame_column *c,
                                 kith_error *err)
{
    double *count = NULL, *gap = NULL;
    kith_status st = KITH_OK;
    past *seen = NULL;
    char name[200];

    TRY_NEW(count, kith__alloc(r->f.rows, sizeof(*count)));
    TRY_NEW(gap, kith__alloc(r->f.rows, sizeof(*gap)));
    TRY_NEW(seen, kith__alloc_zeroed(c->values.n, sizeof(*seen)));
    for (int32_t i = 0; i < r->f.rows; i++) {
        const int32_t row = r->sorted[i], code = c->code[row];

        count[row] = gap[row] = (double)NAN;
        if (code < 0)
            continue;
        count[row] = log2(1 + (double)seen[code].count);
        if (seen[code].count++ > 0)
            gap[row] = log2(1 + r->when[row] - seen[code].last);
        seen[code].last = r->when[row];
    }
    snprintf(name, sizeof(name), "rows before of the same %.120s", c->name);
    TRY(kith__encode_numbers(&r->encoder, name, count, err));
    snprintf(name, sizeof(name), "gap since the same %.120s", c->name);
    TRY(kith__encode_numbers(&r->encoder, name, gap, err));
out:
    kith__free(count);
    kith__free(gap);
    kith__free(seen);
    return st;
}

/* A number against its mean in the rows before that share the value:
 * log2 of (1 + |x|) / (1 + mean of |x|). */
static kith_status encode_ratio(row_table *r, const kith__frame_column *c,
                                int column, kith_error *err)
{
    double *ratio = NULL, *sum = NULL;
    int64_t *count = NULL;
    kith_status st = KITH_OK;
    char name[300];

    TRY_NEW(ratio, kith__alloc(r->f.rows, sizeof(*ratio)));
    TRY_NEW(sum, kith__alloc_zeroed(c->values.n, sizeof(*sum)));
    TRY_NEW(count, kith__alloc_zeroed(c->values.n, sizeof(*count)));
    for (int32_t i = 0; i < r->f.rows; i++) {
        const int32_t row = r->sorted[i], code = c->code[row];
        const double x = fabs(kith__frame_number(&r->f, column, row));

        ratio[row] = (double)NAN;
        if (code < 0 || isnan(x))
            continue;
        if (count[code] > 0)
            ratio[row] = log2((1 + x) / (1 + sum[code] / (double)count[code]));
        sum[code] += x;
        count[code]++;
    }
    snprintf(name, sizeof(name), "%.100s against its mean before, same %.100s",
             r->f.column[column].name, c->name);
    TRY(kith__encode_numbers(&r->encoder, name, ratio, err));
out:
    kith__free(ratio);
    kith__free(sum);
    kith__free(count);
    return st;
}

static bool is_special(const row_table *r, int column)
{
    return column == r->id || column == r->order || column == r->label;
}

static bool is_linked(const row_table *r, int column)
{
    for (int k = 0; k < r->links; k++)
        if (r->link[k] == column)
            return true;
    return false;
}

static kith_status encode_history(row_table *r, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int k = 0; k < r->links; k++) {
        const kith__frame_column *c = &r->f.column[r->link[k]];

        TRY(encode_counts(r, c, err));
        for (int i = 0; i < r->f.columns; i++)
            if (r->f.column[i].number && !is_special(r, i) && !is_linked(r, i))
                TRY(encode_ratio(r, c, i, err));
    }
out:
    return st;
}

/* ---- features ------------------------------------------------------------ */

static kith_status make_features(row_table *r, kith_dataset *d, kith_error *err)
{
    kith_status st = KITH_OK;
    bool *chosen = NULL;

    if (!r->t->features && !r->t->history)
        return KITH_OK;
    r->encoder = (kith__encoder){.rows = r->f.rows, .nodes = r->nodes};
    TRY(kith__frame_select(&r->f, "--features", r->t->features, &chosen, err));
    for (int i = 0; i < r->f.columns; i++)
        chosen[i] = chosen[i] && !is_special(r, i);
    TRY(kith__encode_columns(&r->encoder, &r->f, chosen, err));
    if (r->t->history)
        TRY(encode_history(r, err));
    kith__encode_tell(&r->encoder, r->options);
    TRY(kith__encode_finish(&r->encoder, r->f.path, &d->features, err));
out:
    kith__free(chosen);
    return st;
}

/* Say what ties the rows. */
static void tell_links(const row_table *r)
{
    char text[300] = "";
    size_t n = 0;

    for (int k = 0; k < r->links && n < sizeof(text) - 80; k++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s'%.60s'",
                              k ? ", " : "", r->f.column[r->link[k]].name);
    if (r->t->hub)
        kith__tell(r->options, "rows tied", "to a node for each value of %s",
                   text);
    else
        kith__tell(r->options, "rows tied",
                   "to the %d before that share a value of %s, by %.60s",
                   r->t->window > 0 ? r->t->window : WINDOW, text,
                   r->order < 0 ? "their order in the table"
                                : r->f.column[r->order].name);
}

kith_status kith__row_table_open(const char *path,
                                 const kith_build_options *options,
                                 kith_dataset **out, kith_error *err)
{
    const kith__frame_roles roles = {
        .header = true, .id_option = "--id", .id = options->table->id};
    row_table r = {.options = options, .t = options->table};
    kith_status st = KITH_OK;
    kith_dataset *d = NULL;

    *out = NULL;
    TRY_NEW(d, kith__alloc_zeroed(1, sizeof(*d)));
    TRY(kith__frame_read(path, options, &roles, &r.f, err));
    TRY(find_columns(&r, err));
    TRY(sort_rows(&r, err));
    tell_links(&r);
    TRY(make_graph(&r, d, err));
    if (r.label >= 0)
        TRY(kith__frame_labels(&r.f, r.label, NULL, r.nodes, options,
                               &d->labels, err));
    TRY(make_features(&r, d, err));
    *out = d;
    d = NULL;
out:
    kith_dataset_free(d);
    release(&r);
    return st;
}
