/*
 * encode.h: columns of a table as features.
 *
 * A column of numbers becomes itself, standardised, and one column for each of
 * up to 20 quantile bins (or values, if there are no more), since linear
 * methods see no bends.  A column of text becomes one column for each value
 * that is not rare, and one for all that are.  What is missing has a column of
 * its own.  Text that is another one in almost every row, as ids are, tells
 * nothing and is left out.
 */
#ifndef KITH_DATA_ENCODE_H
#define KITH_DATA_ENCODE_H

#include "data/frame.h"
#include "io/formats.h"

typedef struct kith__encoder {
    const int32_t *node; /* of each row, -1 none; NULL: row r is node r */
    int32_t rows, nodes;
    int32_t columns; /* made so far */
    kith__triples triples;
    char **names;
    int64_t capacity;
    char left_out[200]; /* names of columns that look like ids */
} kith__encoder;

void kith__encoder_release(kith__encoder *e);

/* A column of a frame; its kind is found out. */
kith_status kith__encode_column(kith__encoder *e, const kith__frame *f,
                                int column, kith_error *err);

/* The columns of a frame that are chosen. */
kith_status kith__encode_columns(kith__encoder *e, const kith__frame *f,
                                 const bool *chosen, kith_error *err);

/* Say what was made, and what was left out. */
void kith__encode_tell(const kith__encoder *e,
                       const kith_build_options *options);

/* Numbers, a row each, NaN where one is missing. */
kith_status kith__encode_numbers(kith__encoder *e, const char *name,
                                 const double *value, kith_error *err);

/* The matrix, with the names of its columns; the encoder is empty then. */
kith_status kith__encode_finish(kith__encoder *e, const char *path,
                                kith_features **out, kith_error *err);

#endif
