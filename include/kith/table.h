/*
 * kith/table.h: data in tables, read by the names of their columns.
 *
 *     kith_table_options t = {.source = "sender", .target = "receiver",
 *                             .weight = "amount"};
 *     kith_build_options how = {.table = &t};
 *     kith_dataset_open("payments.csv", &how, &d, &err);
 *
 * A table is a CSV, TSV or semicolon file: fields may be quoted and then hold
 * separators and line ends; a byte order mark, Windows and old Mac line ends
 * are taken as they come, gzip and zstd unpacked.
 *
 * A column is named as the header names it, else as it does but for case, else
 * by its number, from 1.  What is NULL is looked for by well-known names, and
 * what was taken is told (kith_tell_fn); where that cannot be sure, reading
 * fails with the first two lines and the option that would settle it.
 */
#ifndef KITH_TABLE_H
#define KITH_TABLE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What reading took for granted or met: a short key and a sentence.  Called
 * during the call that reads, by the thread that made it. */
typedef void (*kith_tell_fn)(void *user, const char *key, const char *text);

/* Which columns of which table are what.  A zeroed struct is the default. */
typedef struct kith_table_options {
    /* The path is an SQLite database, and this its table of edges, or a SELECT;
       `nodes` of kith_build_options may be one, too.  Everywhere else a path
       "bank.db:accounts" or "bank.db:SELECT ..." stands for such a table. */
    const char *edges;

    /* Of a table of edges. */
    const char *source, *target; /* the two ends; both or none */
    const char *weight;          /* NULL: the edges have none */
    const char *time;            /* numbers, or dates as 2024-05-31 12:00 */
    const char *until;           /* edges after that time are left out */

    /* Of tables of nodes: labels, features, or a node table with both. */
    const char *node;       /* the ids */
    const char *label;      /* the class */
    const char *features;   /* of the node table: "a,b" or "all" */
    const char *unlabelled; /* more words that mean no label, "2,pending" */

    /* Of a table whose rows are the nodes, which are tied where they share a
       value: then `label` and `features` are columns of it, too. */
    bool rows;         /* the path is such a table */
    const char *id;    /* the rows' ids; NULL: their numbers, from 0 */
    const char *link;  /* the columns "a,b" whose values tie rows.  Needed. */
    const char *order; /* a row is tied to those before it by this column, of
                          numbers or dates; NULL: as the table has them */
    int window;        /* to how many of each column; 0: 2 */
    bool hub;          /* instead, all to a node that stands for the value */
    bool history;      /* more features, from the rows before: how many share a
                          value, how long ago the last, numbers against their mean */

    bool several; /* labels may give a node several classes, which are kept
                     and told (kith_labels.pairs); else that is refused */

    /* Of all of them. */
    bool strict; /* refuse labels and features of nodes that are not there;
                    else they are counted, told and left out */
} kith_table_options;

#ifdef __cplusplus
}
#endif
#endif
