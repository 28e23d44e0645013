/*
 * doc.h: tables, matrices and the results behind them, before they are written
 * as Markdown, JSON, LaTeX or HTML.
 */
#ifndef KITH_PAPER_DOC_H
#define KITH_PAPER_DOC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "io/json_writer.h"
#include "kith/eval.h"
#include "paper/plan.h"

enum { KITH__LABEL = 64, KITH__NOTE = 400 };

typedef enum kith__unit {
    KITH__SHARE,   /* .823 */
    KITH__SECONDS, /* 12.3 */
    KITH__RATIO,   /* 1.5x */
    KITH__VALUE    /* -0.0123 */
} kith__unit;

/* A number of ours and, perhaps, the paper's. */
typedef struct kith__cell {
    kith_spread ours;        /* mean NaN: none */
    int wanted;              /* values that there should be */
    double paper, paper_std; /* 0: none */
    kith__unit unit;
} kith__cell;

typedef struct kith__table {
    char id[KITH__LABEL]; /* "table1" */
    char title[160];
    char text[1200]; /* what it shows and how it came about */
    int rows, columns;
    char (*row)[KITH__LABEL];
    char (*column)[KITH__LABEL];
    const char **group; /* of each row; NULL: the rows are not grouped */
    kith__cell *cell;   /* rows x columns */
    bool chart;         /* also drawn, a line per row */
} kith__table;

/* A coupling matrix to be drawn. */
typedef struct kith__matrix {
    char id[KITH__LABEL];
    char title[160];
    int size;
    char (*name)[KITH__LABEL]; /* of the classes */
    float *value;              /* size x size */
} kith__matrix;

/* One result, for those who want to look closer. */
typedef struct kith__finding {
    const char *set, *method, *how;
    char split[KITH__LABEL];
    uint64_t split_hash;
    double accuracy, validation, seconds;
    char *chosen; /* parameters; may be NULL */
} kith__finding;

typedef struct kith__doc {
    kith__table *table;
    int64_t tables, table_room;
    kith__matrix *matrix;
    int64_t matrices, matrix_room;
    kith__finding *finding;
    int64_t findings, finding_room;
    char (*note)[KITH__NOTE];
    int64_t notes, note_room;
    bool quick;
    kith_fit fit;
    bool unfinished;
} kith__doc;

void kith__doc_release(kith__doc *d); /* a zeroed one is fine */

/* A new table with empty cells that want `wanted` values each; NULL without
 * memory.  The pointer is good until the next one is added. */
kith__table *kith__doc_table(kith__doc *d, const char *id, int rows,
                             int columns, kith__unit unit, int wanted);
kith__matrix *kith__doc_matrix(kith__doc *d, const char *id, int size);
/* False without memory; a note that is there already is not repeated. */
bool kith__doc_note(kith__doc *d, const char *text);

static inline kith__cell *kith__cell_at(const kith__table *t, int row,
                                        int column)
{
    return &t->cell[(int64_t)row * t->columns + column];
}

/* Does the paper have a number in that column? */
bool kith__has_paper(const kith__table *t, int column);

/* ".823 ±.014", "12.3", "–"; what stands for plus-minus is given.  The paper's
 * number the same way. */
enum { KITH__CELL_TEXT = 64 };
const char *kith__cell_ours(const kith__cell *c, const char *plus_minus,
                            char out[KITH__CELL_TEXT]);
const char *kith__cell_paper(const kith__cell *c, const char *plus_minus,
                             char out[KITH__CELL_TEXT]);

/* The same document four ways. */
typedef void kith__write_fn(kith__json *to, const kith__doc *d);
kith__write_fn kith__write_markdown, kith__write_json, kith__write_latex,
    kith__write_html;

/* Write the text to a file, whole or not at all and with the others of a set if
 * that is not NULL, and release it. */
kith_status kith__text_add(kith__json *text, const char *path,
                           kith_outputs *with, kith_error *err);

/* Text by a format, at most 2,000 bytes. */
void kith__put(kith__json *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
