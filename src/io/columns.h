/*
 * columns.h: what the columns of a table are for, from its header or from what
 * the user names; and whether there is a header at all.
 */
#ifndef KITH_IO_COLUMNS_H
#define KITH_IO_COLUMNS_H

#include "io/table.h"
#include "kith/graph.h"

typedef enum kith__role {
    KITH__SOURCE,
    KITH__TARGET,
    KITH__WEIGHT,
    KITH__TIME,
    KITH__NODE,
    KITH__LABEL
} kith__role;

/* Is that a name that people give to such a column? */
bool kith__column_is(const kith__field *name, kith__role role);

/* The one column so named; -1 if there is none, or several. */
int kith__column_of(const kith__head *h, kith__role role);

/* Is every cell of a column a number, from `row` on?  There must be one. */
bool kith__column_is_numeric(const kith__head *h, int column, int row);

/* Does the first row name columns, by what it is made of: no numbers, no cell
 * empty or there twice, and numbers below one of them? */
bool kith__head_over_numbers(const kith__head *h);

/* Does a name of the first row stand below it too?  Then it is no name. */
bool kith__head_repeats(const kith__head *h, int column);

/* Does the first row of a table of nodes name its columns?  By its words, or by
 * what is below. */
bool kith__head_of_nodes(const kith__head *h);

/* The column that `name` stands for, or fail: by its name in the header, or by
 * its number.  `option` is what the user would type. */
kith_status kith__head_column(const kith__head *h, bool header,
                              const char *path, const char *option,
                              const char *name, int *column, kith_error *err);

/* The name of a column in a message; a number if there is no header. */
const char *kith__column_name(const kith__head *h, bool header, int column,
                              char out[KITH_QUOTE_BUFFER]);

/* Fail, since the first two lines do not tell: `what` is not sure, `options`
 * would settle it. */
kith_status kith__head_unsure(const kith__head *h, const char *path,
                              const char *what, const char *options,
                              kith_error *err);

/* What a table of edges is made of. */
typedef struct kith__edge_columns {
    bool header;
    bool by_name;       /* read by these columns, not as a plain edge list */
    int source, target; /* -1: a plain edge list, the first two fields */
    int weight, time;   /* -1: none */
} kith__edge_columns;

/*
 * Find them.  plain_header: the first two fields look like a header to the
 * reader of plain edge lists, whose layout stays where it is one.  named: it
 * does name the columns, and they come in an order that someone chose.
 */
kith_status kith__edge_columns_find(const kith__head *h, const char *path,
                                    const kith_build_options *options,
                                    bool plain_header, bool named,
                                    kith__edge_columns *out, kith_error *err);

/* A time: a number, or 2024-05-31, 2024-05-31 12:00[:30[.5]] (a T between, a Z
 * behind) as seconds since 1970.  False if it is neither. */
bool kith__parse_time(const char *text, size_t length, double *value);

/* Tell something of the input, if anyone wants to know. */
void kith__tell(const kith_build_options *options, const char *key,
                const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
