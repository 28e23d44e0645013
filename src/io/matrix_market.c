/*
 * matrix_market.c: the text format of NIST's Matrix Market; see
 * docs/formats/matrix-market.md.
 *
 * Both readers, of graphs and of features, step through the same entries; the
 * file is never held in memory.
 */
#include <math.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/job.h"
#include "io/formats.h"
#include "io/gather.h"
#include "io/plausible.h"
#include "io/reader.h"
#include "io/writer.h"

enum { PROGRESS_ENTRIES = 1 << 16 };

typedef struct mtx {
    kith__reader in;
    bool array;     /* dense, column by column, else coordinates */
    bool pattern;   /* no values */
    bool integer;   /* values are integers */
    bool symmetric; /* the lower triangle stands for both */
    int64_t rows, columns;
    int64_t promised; /* entries the header announces */
    int64_t found;
} mtx;

/* One line of a coordinate file, counted from 0. */
typedef struct entry {
    int32_t row, column;
    float value;
} entry;

/* ---- header -------------------------------------------------------------- */

static bool same(const char *word, size_t length, const char *expected)
{
    return strlen(expected) == length &&
           strncasecmp(word, expected, length) == 0;
}

/* The next word of the banner as the number of a choice; -1 if it is none. */
static int choose(const char **at, const char *const *choices, char *shown)
{
    const char *word;
    const size_t length = kith__next_word(at, &word);

    kith__quote(shown, word, length);
    for (int i = 0; choices[i]; i++)
        if (same(word, length, choices[i]))
            return i;
    return -1;
}

static kith_status read_banner(mtx *m, kith_error *err)
{
    static const char *const first[] = {"%%MatrixMarket", NULL};
    static const char *const objects[] = {"matrix", NULL};
    static const char *const formats[] = {"coordinate", "array", NULL};
    static const char *const fields[] = {"pattern", "integer", "real", NULL};
    static const char *const symmetries[] = {"general", "symmetric", NULL};
    char shown[KITH_QUOTE_BUFFER];
    kith_status st = KITH_OK;
    const char *at, *word;
    int format, field, symmetry;
    bool more;

    TRY(kith__reader_next(&m->in, &more, err));
    at = more ? m->in.text : "";
    if (choose(&at, first, shown) < 0)
        TRY(kith__reader_fail(&m->in, err,
                              "expected the line '%%%%MatrixMarket matrix ...' "
                              "first, found '%s'",
                              shown));
    if (choose(&at, objects, shown) < 0)
        TRY(kith__reader_fail(&m->in, err,
                              "object '%s' is not supported, expected 'matrix'",
                              shown));
    if ((format = choose(&at, formats, shown)) < 0)
        TRY(kith__reader_fail(&m->in, err,
                              "format '%s' is not supported, expected "
                              "'coordinate' or 'array'",
                              shown));
    if ((field = choose(&at, fields, shown)) < 0)
        TRY(kith__reader_fail(&m->in, err,
                              "field '%s' is not supported, expected "
                              "'pattern', 'integer' or 'real'",
                              shown));
    if ((symmetry = choose(&at, symmetries, shown)) < 0)
        TRY(kith__reader_fail(&m->in, err,
                              "symmetry '%s' is not supported, expected "
                              "'general' or 'symmetric'",
                              shown));
    if (kith__next_word(&at, &word) > 0)
        TRY(kith__reader_fail(&m->in, err, "expected five words, found more"));
    m->array = format == 1;
    m->pattern = field == 0;
    m->integer = field == 1;
    m->symmetric = symmetry == 1;
    if (m->array && m->pattern)
        TRY(kith__reader_fail(&m->in, err,
                              "is an array without values, expected "
                              "'integer' or 'real'"));
out:
    return st;
}

/* Exactly n counts on the current line. */
static bool read_counts(const char *at, int64_t *counts, int n)
{
    const char *word;

    for (int i = 0; i < n; i++) {
        const size_t length = kith__next_word(&at, &word);

        if (!kith__parse_int(word, length, &counts[i]) || counts[i] < 0)
            return false;
    }
    return kith__next_word(&at, &word) == 0;
}

/* Values of an array file: of a symmetric one, the lower triangle's. */
static int64_t array_values(const mtx *m)
{
    return m->symmetric ? m->rows * (m->rows + 1) / 2 : m->rows * m->columns;
}

/* Refuse what cannot be before memory is taken for it. */
static kith_status check_size(const mtx *m, kith_error *err)
{
    const int64_t bytes = kith__source_size(m->in.source);
    const int64_t limit = INT32_MAX - 1;

    if (m->rows > limit || m->columns > limit)
        return kith__fail(err, KITH_ERR_RANGE, m->in.path, m->in.line,
                          "has %lld rows and %lld columns, expected at most "
                          "%lld of each",
                          (long long)m->rows, (long long)m->columns,
                          (long long)limit);
    if (m->symmetric && m->rows != m->columns)
        return kith__reader_fail(&m->in, err,
                                 "is symmetric with %lld rows and %lld "
                                 "columns, expected as many",
                                 (long long)m->rows, (long long)m->columns);
    if (!kith__plausible(m->array ? m->rows * m->columns : m->rows, bytes))
        return kith__fail(err, KITH_ERR_RANGE, m->in.path, m->in.line,
                          "claims %lld rows and %lld columns in a file of "
                          "%lld bytes, expected fewer",
                          (long long)m->rows, (long long)m->columns,
                          (long long)bytes);
    return KITH_OK;
}

static kith_status open_mtx(kith__source *source, mtx *m, kith_error *err)
{
    int64_t counts[3] = {0};
    kith_status st = KITH_OK;
    bool more;

    *m = (mtx){0};
    kith__reader_over(source, &m->in);
    TRY(read_banner(m, err));
    TRY(kith__reader_next_data(&m->in, "%", &more, err));
    if (!more || !read_counts(m->in.text, counts, m->array ? 2 : 3))
        TRY(kith__reader_fail(&m->in, err, "expected a line of %s",
                              m->array ? "two counts, 'rows columns'"
                                       : "three counts, 'rows columns "
                                         "entries'"));
    m->rows = counts[0];
    m->columns = counts[1];
    TRY(check_size(m, err));
    m->promised = m->array ? array_values(m) : counts[2];
out:
    return st;
}

/* ---- entries ------------------------------------------------------------- */

static kith_status read_value(mtx *m, const char **at, float *value,
                              kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];
    const char *word;
    const size_t length = kith__next_word(at, &word);
    int64_t whole = 0;
    double real = 0;
    bool good;

    if (m->integer) {
        good = kith__parse_int(word, length, &whole);
        real = (double)whole;
    } else {
        good = kith__parse_real(word, length, &real);
    }
    if (!good)
        return kith__reader_fail(&m->in, err, "value '%s' is not %s",
                                 kith__quote(shown, word, length),
                                 m->integer ? "an integer" : "a number");
    *value = (float)real;
    if (!isfinite(*value))
        return kith__reader_fail(&m->in, err,
                                 "value '%s' is infinite or not a number, "
                                 "expected a finite one",
                                 kith__quote(shown, word, length));
    return KITH_OK;
}

static kith_status read_index(mtx *m, const char **at, const char *what,
                              int64_t count, int32_t *index, kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];
    const char *word;
    const size_t length = kith__next_word(at, &word);
    int64_t i;

    if (!kith__parse_int(word, length, &i))
        return kith__reader_fail(&m->in, err, "%s '%s' is not an integer", what,
                                 kith__quote(shown, word, length));
    if (i < 1 || i > count)
        return kith__reader_fail(&m->in, err,
                                 "%s %lld is out of range, expected 1 to %lld",
                                 what, (long long)i, (long long)count);
    *index = (int32_t)(i - 1);
    return KITH_OK;
}

/* Step to the next line with an entry; at the end, their number must be as
 * promised. */
static kith_status next_line(mtx *m, bool *more, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__reader_next_data(&m->in, "%", more, err));
    if (*more && m->found == m->promised)
        TRY(kith__reader_fail(&m->in, err,
                              "header promises %lld entries, found one more",
                              (long long)m->promised));
    if (!*more && m->found < m->promised)
        TRY(kith__reader_fail(&m->in, err,
                              "header promises %lld entries, found %lld",
                              (long long)m->promised, (long long)m->found));
    m->found += *more;
out:
    return st;
}

static kith_status end_line(mtx *m, const char *at, kith_error *err)
{
    const char *word;

    if (kith__next_word(&at, &word) == 0)
        return KITH_OK;
    return kith__reader_fail(&m->in, err, "expected %s, found more",
                             m->array     ? "one value"
                             : m->pattern ? "'row column'"
                                          : "'row column value'");
}

static kith_status next_entry(mtx *m, entry *e, bool *more, kith_error *err)
{
    kith_status st = KITH_OK;
    const char *at;

    TRY(next_line(m, more, err));
    if (!*more)
        goto out;
    at = m->in.text;
    TRY(read_index(m, &at, "row", m->rows, &e->row, err));
    TRY(read_index(m, &at, "column", m->columns, &e->column, err));
    e->value = 1;
    if (!m->pattern)
        TRY(read_value(m, &at, &e->value, err));
    TRY(end_line(m, at, err));
out:
    return st;
}

/* ---- graphs -------------------------------------------------------------- */

static kith_status check_graph(const mtx *m, const kith_build_options *options,
                               kith_error *err)
{
    if (m->array)
        return kith__reader_fail(&m->in, err,
                                 "is a dense array, expected a graph as "
                                 "'coordinate'");
    if (m->rows != m->columns)
        return kith__reader_fail(&m->in, err,
                                 "has %lld rows and %lld columns, expected a "
                                 "square matrix for a graph",
                                 (long long)m->rows, (long long)m->columns);
    if (m->pattern && options->weights == KITH_YES)
        return kith__reader_fail(&m->in, err,
                                 "is a pattern without values, expected "
                                 "weights");
    return KITH_OK;
}

static kith_status feed_entries(mtx *m, const kith_build_options *options,
                                kith__feed *feed, kith_error *err)
{
    kith_status st = KITH_OK;
    bool more = true;
    entry e;

    for (;;) {
        if (m->found % PROGRESS_ENTRIES == 0)
            TRY(kith__progress(&options->job, "reading edges",
                               kith__source_done(m->in.source),
                               kith__source_size(m->in.source), "bytes", err));
        TRY(next_entry(m, &e, &more, err));
        if (!more)
            break;
        if (feed->weighted && e.value < 0)
            TRY(kith__reader_fail(&m->in, err,
                                  "weight %g is negative, expected 0 or more",
                                  (double)e.value));
        /* + 0: no minus zero among the weights */
        TRY(kith__feed_edge(feed, (uint32_t)e.row, (uint32_t)e.column,
                            e.value + 0.0f, err));
    }
    TRY(kith__feed_finish(feed, err));
out:
    return st;
}

kith_status kith__mtx_graph_read(kith__source *source, const kith__known *known,
                                 const kith_build_options *options,
                                 kith__gathered *out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__feed feed = {0};
    mtx m = {0};

    TRY(open_mtx(source, &m, err));
    TRY(check_graph(&m, options, err));
    feed.weighted = !m.pattern && options->weights != KITH_NO;
    TRY(kith__gather_numbered(m.in.path, known, options, m.rows, feed.weighted,
                              out, err));
    feed.builder = out->builder;
    TRY(feed_entries(&m, options, &feed, err));
    out->cleaning.lines = m.in.line;
    out->cleaning.comments = m.in.line - m.found - 2; /* banner and counts */
    out->cleaning.entries = m.found;
out:
    kith__feed_release(&feed);
    kith__reader_close(&m.in);
    return st;
}

/* ---- features ------------------------------------------------------------ */

static kith_status read_sparse(mtx *m, kith_features **out, kith_error *err)
{
    kith__triples triples = {0};
    kith_status st = KITH_OK;
    bool more = true;
    entry e;

    for (;;) {
        TRY(next_entry(m, &e, &more, err));
        if (!more)
            break;
        TRY(kith__triples_add(&triples, e.row, e.column, e.value, err));
        if (m->symmetric && e.row != e.column)
            TRY(kith__triples_add(&triples, e.column, e.row, e.value, err));
    }
    TRY(kith__features_from_triples(&triples, m->rows, m->columns, m->in.path,
                                    out, err));
out:
    kith__triples_release(&triples);
    return st;
}

/* Column by column, each from the diagonal down if the matrix is symmetric. */
static kith_status read_dense(mtx *m, kith_features **out, kith_error *err)
{
    int64_t row = 0, column = 0;
    kith_status st = KITH_OK;
    kith_features *f = NULL;
    bool more = true;

    TRY(kith__features_dense(m->rows, m->columns, m->in.path, &f, err));
    for (;;) {
        const char *at;
        float value;

        TRY(next_line(m, &more, err));
        if (!more)
            break;
        at = m->in.text;
        TRY(read_value(m, &at, &value, err));
        TRY(end_line(m, at, err));
        f->value[row * m->columns + column] = value;
        if (m->symmetric)
            f->value[column * m->columns + row] = value;
        if (++row == m->rows) {
            column++;
            row = m->symmetric ? column : 0;
        }
    }
    *out = f;
    f = NULL;
out:
    kith_features_free(f);
    return st;
}

kith_status kith__mtx_features_read(kith__source *source, kith_features **out,
                                    kith_error *err)
{
    kith_status st = KITH_OK;
    mtx m = {0};

    *out = NULL;
    TRY(open_mtx(source, &m, err));
    TRY(m.array ? read_dense(&m, out, err) : read_sparse(&m, out, err));
out:
    kith__reader_close(&m.in);
    return st;
}

/* ---- writing ------------------------------------------------------------- */

static void write_sparse(kith__writer *w, const kith_features *f)
{
    kith__writer_print(w,
                       "%%%%MatrixMarket matrix coordinate %s general\n"
                       "%lld %lld %lld\n",
                       f->value ? "real" : "pattern", (long long)f->nodes,
                       (long long)f->columns, (long long)f->entries);
    for (int32_t r = 0; r < f->nodes; r++) {
        for (int64_t p = f->row[r]; p < f->row[r + 1]; p++) {
            kith__writer_print(w, "%lld %lld", (long long)r + 1,
                               (long long)f->column[p] + 1);
            if (f->value) {
                kith__writer_text(w, " ");
                kith__writer_float(w, f->value[p]);
            }
            kith__writer_text(w, "\n");
        }
    }
}

static void write_dense(kith__writer *w, const kith_features *f)
{
    kith__writer_print(w,
                       "%%%%MatrixMarket matrix array real general\n"
                       "%lld %lld\n",
                       (long long)f->nodes, (long long)f->columns);
    for (int32_t c = 0; c < f->columns; c++) {
        for (int32_t r = 0; r < f->nodes; r++) {
            kith__writer_float(w, f->value[(int64_t)r * f->columns + c]);
            kith__writer_text(w, "\n");
        }
    }
}

void kith__mtx_features_write(const kith_features *f, kith__writer *w)
{
    if (f->row)
        write_sparse(w, f);
    else
        write_dense(w, f);
}

void kith__mtx_graph_write(const kith_graph *g, kith__writer *w)
{
    const int64_t *rows = kith_graph_rows(g);
    const int32_t *neighbours = kith_graph_neighbours(g);
    const float *weights = kith_graph_weights(g);
    const int32_t n = kith_graph_nodes(g);

    kith__writer_print(w,
                       "%%%%MatrixMarket matrix coordinate %s symmetric\n"
                       "%lld %lld %lld\n",
                       weights ? "real" : "pattern", (long long)n, (long long)n,
                       (long long)kith_graph_edges(g));
    for (int32_t u = 0; u < n; u++) {
        /* Neighbours ascend: the lower triangle is where the row begins. */
        for (int64_t p = rows[u]; p < rows[u + 1] && neighbours[p] < u; p++) {
            kith__writer_print(w, "%lld %lld", (long long)u + 1,
                               (long long)neighbours[p] + 1);
            if (weights) {
                kith__writer_text(w, " ");
                kith__writer_float(w, weights[p]);
            }
            kith__writer_text(w, "\n");
        }
    }
}
