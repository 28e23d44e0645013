/*
 * table_writer.h: tables that Kith writes, in the format that the name's ending
 * tells: tab-separated text, .csv, .jsonl, or a table of a database
 * ("bank.db:scores").  docs/formats/output.md
 */
#ifndef KITH_IO_TABLE_WRITER_H
#define KITH_IO_TABLE_WRITER_H

#include "core/out_set.h"

typedef struct kith__table_writer kith__table_writer;

kith_status kith__table_writer_open(const char *path, kith__table_writer **out,
                                    kith_error *err);

/* A column, from left to right, before the first row.  `group`: in JSON it is
 * in an object of that name; NULL: by itself.  What is no text for the format
 * (a tab in a .tsv) is refused, here and below, as a `what`. */
kith_status kith__table_writer_column(kith__table_writer *t, const char *name,
                                      const char *group, const char *what,
                                      kith_error *err);

/* The next cell. */
kith_status kith__table_writer_text(kith__table_writer *t, const char *text,
                                    size_t length, const char *what,
                                    kith_error *err);
kith_status kith__table_writer_number(kith__table_writer *t, double x,
                                      int digits, kith_error *err);
kith_status kith__table_writer_count(kith__table_writer *t, int64_t x,
                                     kith_error *err);
/* That there is nothing to say: "-" in text, else null. */
kith_status kith__table_writer_nothing(kith__table_writer *t, kith_error *err);

/* Finish, and let it appear with the others of a set, if not NULL; a database
 * at once.  t is freed either way. */
kith_status kith__table_writer_add(kith__table_writer *t, kith_outputs *with,
                                   kith_error *err);
void kith__table_writer_abort(kith__table_writer *t); /* NULL is fine */

#endif
