#include "data/encode.h"

#include <math.h>
#include <stdarg.h>

#include "core/alloc.h"
#include "core/number.h"

enum {
    BINS = 20,
    LEAST = 10, /* rows that a value of its own needs */
    MOST_VALUES = 5000,
    FAR_OUT = 5 /* standard deviations; what is beyond counts as that */
};

void kith__encoder_release(kith__encoder *e)
{
    for (int32_t c = 0; c < e->columns; c++)
        kith__free(e->names[c]);
    kith__free(e->names);
    kith__triples_release(&e->triples);
    *e = (kith__encoder){0};
}

/* A further column; its number is the last. */
static kith_status add_column(kith__encoder *e, kith_error *err,
                              const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static kith_status add_column(kith__encoder *e, kith_error *err,
                              const char *format, ...)
{
    char text[256];
    va_list list;
    int n;

    va_start(list, format);
    n = kith__print_list(text, sizeof(text), format, list);
    va_end(list);
    n = n < (int)sizeof(text) ? n : (int)sizeof(text) - 1;
    if (!kith__grow((void **)&e->names, &e->capacity, e->columns + 1,
                    sizeof(*e->names)))
        return kith__no_memory(err);
    e->names[e->columns] = kith__copy_string(text, (size_t)n);
    if (!e->names[e->columns])
        return kith__no_memory(err);
    e->columns++;
    return KITH_OK;
}

static kith_status put(kith__encoder *e, int32_t row, int32_t column,
                       float value, kith_error *err)
{
    const int32_t u = e->node ? e->node[row] : row;

    if (u < 0 || value == 0)
        return KITH_OK;
    return kith__triples_add(&e->triples, u, column, value, err);
}

/* ---- numbers ------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Upper ends of bins of about as many of the n sorted values each, or one for
 * each value if there are no more than BINS; returns how many. */
static int cut(const double *sorted, int64_t n, double *upper)
{
    int bins = 0;

    for (int64_t i = 1; i <= n && bins <= BINS; i++)
        if (i == n || sorted[i] != sorted[i - 1]) {
            if (bins < BINS)
                upper[bins] = sorted[i - 1];
            bins++;
        }
    if (bins <= BINS)
        return bins;
    bins = 0;
    for (int b = 1; b <= BINS; b++) {
        const double end = sorted[n * b / BINS - 1];

        if (bins == 0 || end > upper[bins - 1])
            upper[bins++] = end;
    }
    return bins;
}

static int bin_of(const double *upper, int bins, double value)
{
    int low = 0, high = bins - 1;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (value <= upper[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* x -> (x - mean) / deviation, far-out values drawn in. */
static kith_status put_standardised(kith__encoder *e, const char *name,
                                    const double *value, const double *sorted,
                                    int64_t n, kith_error *err)
{
    double sum = 0, squares = 0, mean, deviation;
    kith_status st = KITH_OK;

    for (int64_t i = 0; i < n; i++)
        sum += sorted[i];
    mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++)
        squares += (sorted[i] - mean) * (sorted[i] - mean);
    deviation = sqrt(squares / (double)n);
    TRY(add_column(e, err, "%.200s", name));
    for (int32_t r = 0; r < e->rows; r++) {
        double x = (value[r] - mean) / deviation;

        if (isnan(x))
            continue;
        x = x > FAR_OUT ? FAR_OUT : x < -FAR_OUT ? -FAR_OUT : x;
        TRY(put(e, r, e->columns - 1, (float)x, err));
    }
out:
    return st;
}

static kith_status put_bins(kith__encoder *e, const char *name,
                            const double *value, const double *upper, int bins,
                            kith_error *err)
{
    const int32_t first = e->columns;
    kith_status st = KITH_OK;

    for (int b = 0; b < bins; b++)
        TRY(b + 1 < bins
                ? add_column(e, err, "%.180s up to %.6g", name, upper[b])
                : add_column(e, err, "%.180s above %.6g", name, upper[b - 1]));
    for (int32_t r = 0; r < e->rows; r++)
        if (!isnan(value[r]))
            TRY(put(e, r, first + bin_of(upper, bins, value[r]), 1, err));
out:
    return st;
}

static kith_status put_missing(kith__encoder *e, const char *name,
                               const double *value, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(add_column(e, err, "%.200s missing", name));
    for (int32_t r = 0; r < e->rows; r++)
        if (isnan(value[r]))
            TRY(put(e, r, e->columns - 1, 1, err));
out:
    return st;
}

kith_status kith__encode_numbers(kith__encoder *e, const char *name,
                                 const double *value, kith_error *err)
{
    double upper[BINS], *sorted = NULL;
    kith_status st = KITH_OK;
    int64_t n = 0;
    int bins;

    TRY_NEW(sorted, kith__alloc(e->rows, sizeof(*sorted)));
    for (int32_t r = 0; r < e->rows; r++)
        if (!isnan(value[r]))
            sorted[n++] = value[r];
    qsort(sorted, (size_t)n, sizeof(*sorted), ascending);
    bins = n > 0 ? cut(sorted, n, upper) : 0;
    if (bins > 1) {
        TRY(put_standardised(e, name, value, sorted, n, err));
        TRY(put_bins(e, name, value, upper, bins, err));
    }
    if (n > 0 && n < e->rows)
        TRY(put_missing(e, name, value, err));
out:
    kith__free(sorted);
    return st;
}

/* ---- text ---------------------------------------------------------------- */

/* A value of a column, and in how many rows it is. */
typedef struct counted {
    const char *text;
    size_t length;
    int32_t value, rows;
} counted;

/* By its text, so that the order of lines does not matter. */
static int by_text(const void *a, const void *b)
{
    const counted *x = a, *y = b;
    const size_t common = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->text, y->text, common);

    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* The commonest first. */
static int by_rows(const void *a, const void *b)
{
    const counted *x = a, *y = b;

    return x->rows != y->rows ? (x->rows < y->rows) - (x->rows > y->rows)
                              : by_text(a, b);
}

/* Columns for the values that are in enough rows, the commonest of them if
 * there are too many: to[v] is that of value v, or -1. */
static kith_status name_values(kith__encoder *e, const kith__frame_column *c,
                               const int32_t *count, int32_t least, int32_t *to,
                               int32_t *made, kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];
    kith_status st = KITH_OK;
    counted *value = NULL;

    *made = 0;
    TRY_NEW(value, kith__alloc(c->values.n, sizeof(*value)));
    for (int32_t v = 0; v < c->values.n; v++) {
        counted *k = &value[*made];

        to[v] = -1;
        k->text = kith__id_set_get(&c->values, v, &k->length);
        k->value = v;
        k->rows = count[v];
        *made += count[v] >= least;
    }
    qsort(value, (size_t)*made, sizeof(*value), by_rows);
    *made = *made < MOST_VALUES ? *made : MOST_VALUES;
    qsort(value, (size_t)*made, sizeof(*value), by_text);
    for (int32_t k = 0; k < *made; k++) {
        TRY(add_column(e, err, "%.150s=%s", c->name,
                       kith__quote(shown, value[k].text, value[k].length)));
        to[value[k].value] = e->columns - 1;
    }
out:
    kith__free(value);
    return st;
}

/* One column for each value that is in enough rows, and one for the rest. */
static kith_status put_values(kith__encoder *e, const kith__frame *f,
                              int column, const int32_t *count, kith_error *err)
{
    const kith__frame_column *c = &f->column[column];
    kith_status st = KITH_OK;
    const int32_t short_of = f->rows / 200 > 2 ? f->rows / 200 : 2;
    const int32_t least = short_of < LEAST ? short_of : LEAST;
    int32_t *to = NULL, rare = -1, made;

    TRY_NEW(to, kith__alloc(c->values.n, sizeof(*to)));
    TRY(name_values(e, c, count, least, to, &made, err));
    if (made > 0 && made < c->values.n) {
        TRY(add_column(e, err, "%.150s is rare", c->name));
        rare = e->columns - 1;
    }
    for (int32_t r = 0; r < f->rows && made > 0; r++)
        if (c->code[r] >= 0)
            TRY(put(e, r, to[c->code[r]] >= 0 ? to[c->code[r]] : rare, 1, err));
    if (made > 0 && c->missing > 0) {
        TRY(add_column(e, err, "%.150s missing", c->name));
        for (int32_t r = 0; r < f->rows; r++)
            if (c->code[r] < 0)
                TRY(put(e, r, e->columns - 1, 1, err));
    }
out:
    kith__free(to);
    return st;
}

/* Another value in almost every row?  Of numbers: whole ones, one after the
 * other. */
static bool looks_like_id(const kith__frame_column *c, int32_t rows)
{
    const int64_t there = rows - c->missing;
    double least = HUGE_VAL, most = -HUGE_VAL;

    if (there < 50 || (double)c->values.n < .9 * (double)there)
        return false;
    if (!c->number)
        return true;
    if (c->values.n < there)
        return false;
    for (int32_t v = 0; v < c->values.n; v++) {
        if (c->number[v] != floor(c->number[v]))
            return false;
        least = fmin(least, c->number[v]);
        most = fmax(most, c->number[v]);
    }
    return most - least < 1.2 * (double)there;
}

static void note_left_out(kith__encoder *e, const char *name)
{
    const size_t n = strlen(e->left_out);

    snprintf(e->left_out + n, sizeof(e->left_out) - n, "%s%.60s", n ? ", " : "",
             name);
}

kith_status kith__encode_column(kith__encoder *e, const kith__frame *f,
                                int column, kith_error *err)
{
    const kith__frame_column *c = &f->column[column];
    kith_status st = KITH_OK;
    int32_t *count = NULL, before;
    double *value = NULL;

    if (looks_like_id(c, f->rows)) {
        note_left_out(e, c->name);
        return KITH_OK;
    }
    if (c->number) {
        TRY_NEW(value, kith__alloc(f->rows, sizeof(*value)));
        for (int32_t r = 0; r < f->rows; r++)
            value[r] = kith__frame_number(f, column, r);
        TRY(kith__encode_numbers(e, c->name, value, err));
        goto out;
    }
    TRY_NEW(count, kith__alloc_zeroed(c->values.n, sizeof(*count)));
    for (int32_t r = 0; r < f->rows; r++)
        if (c->code[r] >= 0)
            count[c->code[r]]++;
    before = e->columns;
    TRY(put_values(e, f, column, count, err));
    if (e->columns == before && c->values.n > 1)
        note_left_out(e, c->name);
out:
    kith__free(value);
    kith__free(count);
    return st;
}

kith_status kith__encode_columns(kith__encoder *e, const kith__frame *f,
                                 const bool *chosen, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int c = 0; c < f->columns; c++)
        if (chosen[c])
            TRY(kith__encode_column(e, f, c, err));
out:
    return st;
}

void kith__encode_tell(const kith__encoder *e,
                       const kith_build_options *options)
{
    if (e->left_out[0])
        kith__tell(options, "no features",
                   "%s: another value in almost every row, as ids have",
                   e->left_out);
    kith__tell(options, "features", "%d columns made", e->columns);
}

/* ---- the matrix ---------------------------------------------------------- */

kith_status kith__encode_finish(kith__encoder *e, const char *path,
                                kith_features **out, kith_error *err)
{
    kith_status st = KITH_OK;

    *out = NULL;
    if (e->columns == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "has no column that makes a feature%s%s",
                       e->left_out[0] ? ": left out, as ids: " : "",
                       e->left_out));
    TRY(kith__features_from_triples(&e->triples, e->nodes, e->columns, path,
                                    out, err));
    (*out)->names = e->names;
    e->names = NULL;
    e->columns = 0;
out:
    return st;
}
