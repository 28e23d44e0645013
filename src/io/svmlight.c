/*
 * svmlight.c: rows of `label index:value ...`, as SVMlight and LIBSVM read
 * them; see docs/formats/svmlight.md.
 *
 * The format says neither how many rows and columns there are nor whether
 * indices count from 0 or 1.  What we write begins with a comment that does.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "io/formats.h"
#include "io/plausible.h"
#include "io/reader.h"
#include "io/writer.h"

static const char ANNOUNCEMENT[] = "# kith features ";

typedef struct svmlight {
    kith__reader in;
    bool announced; /* the first line tells rows and columns */
    int64_t rows, columns;
    int64_t rows_found;
    int64_t smallest, largest; /* indices met */
    kith__triples triples;     /* columns as indices in the file */
    uint64_t *sorted;          /* scratch for one row's indices */
    int64_t sorted_cap;
} svmlight;

static void release(svmlight *s)
{
    kith__reader_close(&s->in);
    kith__triples_release(&s->triples);
    kith__free(s->sorted);
}

/* ---- reading ------------------------------------------------------------- */

/* The first line, if it is ours: `# kith features ROWS COLUMNS`. */
static kith_status read_announcement(svmlight *s, kith_error *err)
{
    const char *at = s->in.text + sizeof(ANNOUNCEMENT) - 1, *word;
    const int64_t bytes = kith__source_size(s->in.source);
    size_t length = kith__next_word(&at, &word);
    bool good = kith__parse_int(word, length, &s->rows) && s->rows >= 0;

    length = kith__next_word(&at, &word);
    good = good && kith__parse_int(word, length, &s->columns) &&
           s->columns >= 0 && kith__next_word(&at, &word) == 0;
    if (!good)
        return kith__reader_fail(&s->in, err,
                                 "expected '# kith features ROWS COLUMNS'");
    if (!kith__plausible(s->rows, bytes) || s->columns > INT32_MAX - 1)
        return kith__fail(err, KITH_ERR_RANGE, s->in.path, s->in.line,
                          "claims %lld rows and %lld columns in a file of "
                          "%lld bytes, expected fewer",
                          (long long)s->rows, (long long)s->columns,
                          (long long)bytes);
    s->announced = true;
    return KITH_OK;
}

/* A number, or several with commas between as multi-label files have. */
static bool is_label(const char *word, size_t length)
{
    const char *const end = word + length;

    for (;;) {
        const char *comma = memchr(word, ',', (size_t)(end - word));
        double ignored;

        if (!kith__parse_real(word, (size_t)((comma ? comma : end) - word),
                              &ignored))
            return false;
        if (!comma)
            return true;
        word = comma + 1;
    }
}

static kith_status check_index(svmlight *s, int64_t index, kith_error *err)
{
    const int64_t least = s->announced ? 1 : 0;
    const int64_t most = s->announced ? s->columns : INT32_MAX - 1;

    if (index < least || index > most)
        return kith__reader_fail(&s->in, err,
                                 "index %lld is out of range, expected %lld to "
                                 "%lld",
                                 (long long)index, (long long)least,
                                 (long long)most);
    s->smallest = index < s->smallest ? index : s->smallest;
    s->largest = index > s->largest ? index : s->largest;
    return KITH_OK;
}

/* One `index:value`. */
static kith_status read_pair(svmlight *s, const char *word, size_t length,
                             kith_error *err)
{
    const char *colon = memchr(word, ':', length);
    const size_t before = colon ? (size_t)(colon - word) : 0;
    char shown[KITH_QUOTE_BUFFER];
    kith_status st = KITH_OK;
    int64_t index;
    double value;

    kith__quote(shown, word, length);
    if (before == 3 && memcmp(word, "qid", 3) == 0)
        goto out; /* which query a row belongs to: of no use here */
    if (!colon || !kith__parse_int(word, before, &index) ||
        !kith__parse_real(colon + 1, length - before - 1, &value))
        TRY(kith__reader_fail(&s->in, err, "expected index:value, found '%s'",
                              shown));
    if (!isfinite((float)value))
        TRY(kith__reader_fail(&s->in, err,
                              "'%s' is infinite or not a number, expected a "
                              "finite value",
                              shown));
    TRY(check_index(s, index, err));
    TRY(kith__triples_add(&s->triples, (int32_t)s->rows_found, (int32_t)index,
                          (float)value, err));
out:
    return st;
}

/* Refuse an index that occurs twice among the entries from `first` on. */
static kith_status refuse_repeats(svmlight *s, int64_t first, kith_error *err)
{
    const int64_t n = s->triples.n - first;
    const struct kith__triple *at;
    int64_t i = 1;

    if (n < 2)
        return KITH_OK;
    at = s->triples.at + first;
    while (i < n && at[i].column > at[i - 1].column)
        i++;
    if (i == n)
        return KITH_OK; /* ascending, as most files are */
    if (!kith__grow((void **)&s->sorted, &s->sorted_cap, n, sizeof(*s->sorted)))
        return kith__no_memory(err);
    for (i = 0; i < n; i++)
        s->sorted[i] = (uint64_t)at[i].column;
    kith__sort_u64(s->sorted, n);
    for (i = 1; i < n; i++)
        if (s->sorted[i] == s->sorted[i - 1])
            return kith__reader_fail(&s->in, err,
                                     "index %lld occurs twice, expected each "
                                     "once in a row",
                                     (long long)s->sorted[i]);
    return KITH_OK;
}

static kith_status read_row(svmlight *s, kith_error *err)
{
    const int64_t first = s->triples.n;
    const char *at = s->in.text, *word;
    char shown[KITH_QUOTE_BUFFER];
    kith_status st = KITH_OK;
    size_t length = kith__next_word(&at, &word);

    if (!is_label(word, length))
        TRY(kith__reader_fail(&s->in, err,
                              "expected a label (a number) first, found '%s'",
                              kith__quote(shown, word, length)));
    if (s->rows_found == (s->announced ? s->rows : INT32_MAX - 1))
        TRY(kith__reader_fail(&s->in, err, "expected %lld rows, found one more",
                              (long long)s->rows_found));
    while ((length = kith__next_word(&at, &word)) > 0)
        TRY(read_pair(s, word, length, err));
    TRY(refuse_repeats(s, first, err));
    s->rows_found++;
out:
    return st;
}

static kith_status read_rows(svmlight *s, kith_error *err)
{
    kith_status st = KITH_OK;

    for (;;) {
        char *comment;
        bool more;

        TRY(kith__reader_next(&s->in, &more, err));
        if (!more)
            break;
        if (s->in.line == 1 &&
            strncmp(s->in.text, ANNOUNCEMENT, sizeof(ANNOUNCEMENT) - 1) == 0)
            TRY(read_announcement(s, err));
        comment = strchr(s->in.text, '#');
        if (comment)
            *comment = '\0';
        if (s->in.text[strspn(s->in.text, " \t")] != '\0')
            TRY(read_row(s, err));
    }
    if (s->announced && s->rows_found < s->rows)
        TRY(kith__reader_fail(&s->in, err, "expected %lld rows, found %lld",
                              (long long)s->rows, (long long)s->rows_found));
    if (!s->announced && s->rows_found == 0)
        TRY(kith__reader_fail(&s->in, err,
                              "has no rows, expected 'label index:value ...'"));
out:
    return st;
}

kith_status kith__svmlight_read(kith__source *source, kith_features **out,
                                kith_error *err)
{
    svmlight s = {.smallest = INT64_MAX};
    kith_status st = KITH_OK;

    *out = NULL;
    kith__reader_over(source, &s.in);
    TRY(read_rows(&s, err));
    /* An index 0 anywhere says that the file counts from 0. */
    if (s.smallest > 0)
        for (int64_t i = 0; i < s.triples.n; i++)
            s.triples.at[i].column--;
    if (!s.announced)
        s.columns = s.smallest > 0 ? s.largest : s.largest + 1;
    TRY(kith__features_from_triples(&s.triples, s.rows_found, s.columns,
                                    s.in.path, out, err));
out:
    release(&s);
    return st;
}

/* ---- writing ------------------------------------------------------------- */

static void write_pair(kith__writer *w, int64_t column, float value)
{
    if (value == 0)
        return;
    kith__writer_print(w, " %lld:", (long long)column + 1);
    kith__writer_float(w, value);
}

void kith__svmlight_write(const kith_features *f, kith__writer *w)
{
    kith__writer_print(w, "%s%lld %lld\n", ANNOUNCEMENT, (long long)f->nodes,
                       (long long)f->columns);
    for (int64_t r = 0; r < f->nodes; r++) {
        kith__writer_text(w, "0");
        for (int64_t p = f->row ? f->row[r] : 0; f->row && p < f->row[r + 1];
             p++)
            write_pair(w, f->column[p], f->value ? f->value[p] : 1);
        for (int64_t c = 0; !f->row && c < f->columns; c++)
            write_pair(w, c, f->value[r * f->columns + c]);
        kith__writer_text(w, "\n");
    }
}
