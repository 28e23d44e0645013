/*
 * table.h: tables as people have them: CSV, TSV, semicolons or blanks; quoted
 * fields that may hold separators and line ends; a byte order mark; lines that
 * end as on Unix, Windows or an old Mac; plain, gzip or zstd.
 *
 * A record is what a table has in a row: one line, or several if a quoted field
 * holds line ends.  Lines that begin with # or % are comments between records.
 */
#ifndef KITH_IO_TABLE_H
#define KITH_IO_TABLE_H

#include "io/fields.h"
#include "io/source.h"

/* ---- records in blocks --------------------------------------------------- */

/* Blocks of whole records of a source, in the order of the file. */
typedef struct kith__records {
    kith__source *source; /* the caller's */
    char separator;       /* 0: found in the first block */
    bool quotes;          /* fields may be quoted; false: quotes are text */
    bool old_mac;         /* lines end in CR */
    bool started, finished;
    char *carry; /* the begun record after the last block */
    int64_t carry_n, carry_cap;
} kith__records;

void kith__records_release(kith__records *r);

/* Fill b with the next records, each ending in '\n' and 64 zero bytes behind
 * them; *more is false at the end.  The byte order mark is taken off, and a
 * quoted field that does not end is left to whoever splits the record. */
kith_status kith__records_next(kith__records *r, kith__block *b, bool *more,
                               kith_error *err);

/*
 * Split the record at *at, which moves behind it, into its fields, unquoted in
 * place if there are quotes; the first `most` of them are kept, and *found says
 * how many there are. Adds the lines passed to *lines.  False if a quoted field
 * does not end, or goes on behind its quote.
 */
bool kith__record_split(char **at, char *end, char separator, bool quotes,
                        kith__field *field, int most, int *found,
                        int64_t *lines);

/* Is the line at `at` a comment, or blank? */
bool kith__record_is_comment(const char *at, const char *end);

/* ---- the head of a table ------------------------------------------------- */

enum { KITH__HEAD_ROWS = 64, KITH__COLUMNS_MOST = 1 << 16 };

/* The first records, to tell a header and the meaning of columns by. */
typedef struct kith__head {
    char separator;
    int columns;       /* fields of the first record */
    int rows;          /* records seen, of that many fields */
    kith__field *cell; /* rows x columns */
    char *text;        /* what they lie in */
    char line[2][80];  /* the first two, for messages */
} kith__head;

/* From a file's first block, which is not changed.  An empty file has none. */
kith_status kith__head_read(const kith__block *first, char separator,
                            kith__head *out, kith_error *err);
void kith__head_release(kith__head *h);

static inline const kith__field *kith__head_cell(const kith__head *h, int row,
                                                 int column)
{
    return &h->cell[(int64_t)row * h->columns + column];
}

/* ---- record by record ---------------------------------------------------- */

typedef struct kith__table {
    kith__source *source;
    bool borrowed; /* the source is the caller's */
    const char *path;
    kith__records records;
    kith__head head;
    bool header; /* kith__table_next() has passed over it: see there */
    kith__block block;
    char *at;
    kith__field *field; /* of the record at hand */
    int fields;         /* how many it has */
    int columns;        /* how many of them are kept: those of the head */
    int64_t line;       /* where it begins, from 1 */
    int64_t lines;      /* lines passed */
    int64_t comments;
} kith__table;

kith_status kith__table_open(const char *path, kith__table *out,
                             kith_error *err);
/* The same of a source, which stays the caller's, from its start. */
kith_status kith__table_over(kith__source *source, kith__table *out,
                             kith_error *err);
void kith__table_close(kith__table *t); /* a zeroed one is fine */

/* The first record names the columns, or not.  Tabs part fields exactly, and
 * quotes are text, unless there is a header: then a program wrote a table.
 * Begins again at the first record. */
kith_status kith__table_header(kith__table *t, bool header, kith_error *err);

/* Begin again at the first record. */
kith_status kith__table_rewind(kith__table *t, kith_error *err);

/* Step to the next record; *more is false at the end.  NUL bytes are refused
 * as not text.  The first is left out where t->header says it names columns. */
kith_status kith__table_next(kith__table *t, bool *more, kith_error *err);

/* Fail at the record at hand. */
#define kith__table_fail(t, err, ...) \
    kith__fail(err, KITH_ERR_PARSE, (t)->path, (t)->line, __VA_ARGS__)

#endif
