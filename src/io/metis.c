/*
 * metis.c: the adjacency lists of METIS, KaHIP and the 10th DIMACS challenge;
 * see docs/formats/metis.md.
 *
 * A blank line is a node without neighbours, so lines are counted, not
 * skipped.
 */
#include <math.h>

#include "core/job.h"
#include "io/formats.h"
#include "io/gather.h"
#include "io/reader.h"
#include "io/writer.h"

enum { PROGRESS_NODES = 1 << 12 };

/* Above 2^53 not every integer is a double: such weights would be rounded. */
static const int64_t WEIGHT_LIMIT = INT64_C(1) << 53;

typedef struct metis {
    kith__reader in;
    int64_t nodes, edges;
    int64_t skip;     /* numbers before the neighbours: node sizes, weights */
    bool has_weights; /* a weight after each neighbour */
    int64_t entries;  /* neighbours read so far */
    int64_t comments;
} metis;

/* Step to the next line that is no comment. */
static kith_status next_line(metis *m, bool *more, kith_error *err)
{
    kith_status st = KITH_OK;

    for (;;) {
        TRY(kith__reader_next(&m->in, more, err));
        if (!*more || m->in.text[0] != '%')
            break;
        m->comments++;
    }
out:
    return st;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t")] == '\0';
}

/* A number of at least `least`, said to be `what`. */
static kith_status read_number(metis *m, const char *word, size_t length,
                               const char *what, int64_t least, int64_t *value,
                               kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];

    if (length == 0)
        return kith__reader_fail(&m->in, err, "expected %s, found none", what);
    if (!kith__parse_int(word, length, value) || *value < least)
        return kith__reader_fail(
            &m->in, err, "%s '%s' is not an integer of %lld or more", what,
            kith__quote(shown, word, length), (long long)least);
    return KITH_OK;
}

/* ---- header -------------------------------------------------------------- */

/* fmt is up to three digits, 0 or 1: node sizes, node weights, edge weights. */
static kith_status read_layout(metis *m, const char **at, kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER], digits[4] = "000";
    kith_status st = KITH_OK;
    const char *word;
    size_t length = kith__next_word(at, &word);
    int64_t weights = 0;

    if (length > 3 || strspn(word, "01") < length)
        TRY(kith__reader_fail(&m->in, err,
                              "fmt '%s' is not supported, expected up to three "
                              "digits 0 or 1",
                              kith__quote(shown, word, length)));
    memcpy(digits + 3 - length, word, length);
    m->has_weights = digits[2] == '1';
    weights = digits[1] == '1';
    length = kith__next_word(at, &word);
    if (length > 0) {
        TRY(read_number(m, word, length, "ncon", 0, &weights, err));
        if ((weights > 0) != (digits[1] == '1'))
            TRY(kith__reader_fail(
                &m->in, err, "ncon is %lld, but fmt says %s node weights",
                (long long)weights, digits[1] == '1' ? "there are" : "no"));
    }
    if (weights > KITH__LINE_LONGEST)
        TRY(kith__reader_fail(&m->in, err,
                              "ncon %lld does not fit a line, expected fewer",
                              (long long)weights));
    m->skip = weights + (digits[0] == '1');
out:
    return st;
}

static kith_status read_header(metis *m, kith_error *err)
{
    kith_status st = KITH_OK;
    const char *at, *word;
    size_t length;
    bool more;

    do
        TRY(next_line(m, &more, err));
    while (more && is_blank(m->in.text) && ++m->comments);
    at = more ? m->in.text : "";
    length = kith__next_word(&at, &word);
    TRY(read_number(m, word, length, "the number of nodes", 0, &m->nodes, err));
    length = kith__next_word(&at, &word);
    TRY(read_number(m, word, length, "the number of edges", 0, &m->edges, err));
    TRY(read_layout(m, &at, err));
    if (kith__next_word(&at, &word) > 0)
        TRY(kith__reader_fail(&m->in, err,
                              "expected 'nodes edges [fmt [ncon]]', found "
                              "more"));
    if (m->edges > INT64_MAX / 2)
        TRY(kith__fail(err, KITH_ERR_RANGE, m->in.path, m->in.line,
                       "has %lld edges, expected fewer", (long long)m->edges));
out:
    return st;
}

/* ---- nodes --------------------------------------------------------------- */

static kith_status skip_numbers(metis *m, const char **at, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int64_t i = 0; i < m->skip; i++) {
        const char *word;
        const size_t length = kith__next_word(at, &word);
        int64_t ignored;

        TRY(read_number(m, word, length, "a node's size or weight", 0, &ignored,
                        err));
    }
out:
    return st;
}

static kith_status read_neighbour(metis *m, const char *word, size_t length,
                                  int64_t *v, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(read_number(m, word, length, "neighbour", 1, v, err));
    if (*v > m->nodes)
        TRY(kith__reader_fail(&m->in, err,
                              "neighbour %lld is out of range, expected 1 to "
                              "%lld",
                              (long long)*v, (long long)m->nodes));
    if (++m->entries > 2 * m->edges)
        TRY(kith__reader_fail(&m->in, err,
                              "header promises %lld edges, each listed twice, "
                              "found more neighbours",
                              (long long)m->edges));
out:
    return st;
}

/* The neighbours of node u, counted from 0, on the current line. */
static kith_status read_node(metis *m, uint32_t u, kith__feed *feed,
                             kith_error *err)
{
    const char *at = m->in.text, *word;
    kith_status st = KITH_OK;
    size_t length;

    TRY(skip_numbers(m, &at, err));
    while ((length = kith__next_word(&at, &word)) > 0) {
        int64_t v, weight = 1;

        TRY(read_neighbour(m, word, length, &v, err));
        if (m->has_weights) {
            length = kith__next_word(&at, &word);
            TRY(read_number(m, word, length, "an edge's weight", 1, &weight,
                            err));
        }
        TRY(kith__feed_edge(feed, u, (uint32_t)(v - 1), (float)weight, err));
    }
out:
    return st;
}

static kith_status read_nodes(metis *m, const kith_job *job, kith__feed *feed,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    bool more;

    for (int64_t u = 0; u < m->nodes; u++) {
        if (u % PROGRESS_NODES == 0)
            TRY(kith__progress(job, "reading edges",
                               kith__source_done(m->in.source),
                               kith__source_size(m->in.source), "bytes", err));
        TRY(next_line(m, &more, err));
        if (!more)
            TRY(kith__reader_fail(
                &m->in, err,
                "header promises %lld nodes, found %lld lines "
                "of neighbours",
                (long long)m->nodes, (long long)u));
        TRY(read_node(m, (uint32_t)u, feed, err));
    }
    for (;;) {
        TRY(next_line(m, &more, err));
        if (!more)
            break;
        if (!is_blank(m->in.text))
            TRY(kith__reader_fail(&m->in, err,
                                  "header promises %lld nodes, found one more "
                                  "line",
                                  (long long)m->nodes));
        m->comments++;
    }
    if (m->entries != 2 * m->edges)
        TRY(kith__reader_fail(&m->in, err,
                              "header promises %lld edges, each listed twice, "
                              "found %lld neighbours",
                              (long long)m->edges, (long long)m->entries));
    TRY(kith__feed_finish(feed, err));
out:
    return st;
}

kith_status kith__metis_read(kith__source *source, const kith__known *known,
                             const kith_build_options *options,
                             kith__gathered *out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__feed feed = {0};
    metis m = {0};

    kith__reader_over(source, &m.in);
    TRY(read_header(&m, err));
    if (!m.has_weights && options->weights == KITH_YES)
        TRY(kith__reader_fail(&m.in, err,
                              "fmt says no edge weights, expected weights"));
    feed.weighted = m.has_weights && options->weights != KITH_NO;
    TRY(kith__gather_numbered(m.in.path, known, options, m.nodes, feed.weighted,
                              out, err));
    feed.builder = out->builder;
    TRY(read_nodes(&m, &options->job, &feed, err));
    out->cleaning.lines = m.in.line;
    out->cleaning.comments = m.comments;
    out->cleaning.entries = m.entries;
out:
    kith__feed_release(&feed);
    kith__reader_close(&m.in);
    return st;
}

/* ---- writing ------------------------------------------------------------- */

static kith_status check_weights(const kith_graph *g, const char *path,
                                 kith_error *err)
{
    const int64_t entries = kith_graph_rows(g)[kith_graph_nodes(g)];
    const float *weights = kith_graph_weights(g);

    for (int64_t p = 0; weights && p < entries; p++) {
        const double w = (double)weights[p];

        if (w < 1 || w > (double)WEIGHT_LIMIT || w != floor(w))
            return kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                              "cannot hold the weight %.9g, METIS weights are "
                              "integers from 1 to 2^53 (write .tsv, .mtx or "
                              ".kg instead)",
                              w);
    }
    return KITH_OK;
}

kith_status kith__metis_write(const kith_graph *g, kith__writer *w,
                              kith_error *err)
{
    const int64_t *rows = kith_graph_rows(g);
    const int32_t *neighbours = kith_graph_neighbours(g);
    const float *weights = kith_graph_weights(g);
    const int32_t n = kith_graph_nodes(g);
    kith_status st = KITH_OK;

    TRY(check_weights(g, kith__writer_path(w), err));
    kith__writer_print(w, "%lld %lld%s\n", (long long)n,
                       (long long)kith_graph_edges(g), weights ? " 001" : "");
    for (int32_t u = 0; u < n; u++) {
        for (int64_t p = rows[u]; p < rows[u + 1]; p++) {
            kith__writer_print(w, "%s%lld", p > rows[u] ? " " : "",
                               (long long)neighbours[p] + 1);
            if (weights)
                kith__writer_print(w, " %.0f", (double)weights[p]);
        }
        kith__writer_text(w, "\n");
    }
out:
    return st;
}
