/*
 * frame.h: a table in memory, by columns: the distinct values of each and, a
 * row, which it is.
 */
#ifndef KITH_DATA_FRAME_H
#define KITH_DATA_FRAME_H

#include "graph/ids.h"
#include "io/columns.h"
#include "kith/data.h"

typedef struct kith__frame_column {
    char *name;
    kith__id_set values; /* distinct, in order of appearance */
    int32_t *code;       /* a row: which value, -1 missing */
    int64_t capacity;
    int64_t missing;
    double *number; /* of each value, NULL if not all of them are numbers */
} kith__frame_column;

typedef struct kith__frame {
    const char *path; /* borrowed */
    int32_t rows;
    int columns;
    kith__frame_column *column;
    int id, label;          /* columns, -1 none: see kith__frame_roles */
    kith_cleaning cleaning; /* lines, comments, headers */
} kith__frame;

/* What is asked of a table before its rows are read. */
typedef struct kith__frame_roles {
    bool header;           /* the first row names the columns; else looked at,
                              and columns without names are "column 2" */
    const char *id_option; /* who named the column of ids, for messages */
    const char *id;        /* that column; NULL: by well-known names, or the
                              first where there is no header, if ids are looked
                              for; else none */
    bool look_for_ids;
} kith__frame_roles;

/*
 * Read all columns of a table.  Missing are empty cells, NA, NaN, null and ?,
 * but of ids empty ones alone.  Cost: O(cells); memory 4 bytes a cell, and the
 * distinct values.
 */
kith_status kith__frame_read(const char *path,
                             const kith_build_options *options,
                             const kith__frame_roles *roles, kith__frame *out,
                             kith_error *err);
void kith__frame_release(kith__frame *f); /* a zeroed one is fine */

/* The column of a name (as kith__head_column), or fail; `option` is what the
 * user typed. */
kith_status kith__frame_find(const kith__frame *f, const char *option,
                             const char *name, int *column, kith_error *err);

/* The text of a cell; NULL if it is missing. */
const char *kith__frame_text(const kith__frame *f, int column, int32_t row,
                             size_t *length);

/* The same as a number: NaN if it is missing or no number. */
double kith__frame_number(const kith__frame *f, int column, int32_t row);

/* Which columns "a,b" or "all" name, or fail: *chosen is a new array of flags.
 * NULL names none. */
kith_status kith__frame_select(const kith__frame *f, const char *option,
                               const char *list, bool **chosen,
                               kith_error *err);

/*
 * A class for each of n nodes from a column: row r is about node[r] (NULL: node
 * r), -1 about none.  Words that mean no label, and two classes of one node, as
 * of label files.
 */
kith_status kith__frame_labels(const kith__frame *f, int column,
                               const int32_t *node, int32_t n,
                               const kith_build_options *options,
                               kith_labels **out, kith_error *err);

#endif
