/*
 * sqlite.h: databases as sources of tables, and as where tables go.
 *
 * A path "bank.db:accounts" is a table of a database, "bank.db:SELECT ..." what
 * a query answers: docs/formats/sqlite.md.  Nothing that a database or a user
 * names becomes SQL by being pasted: values are bound, names quoted, and a
 * database that is read is opened read-only, its schema not trusted.
 */
#ifndef KITH_IO_SQLITE_H
#define KITH_IO_SQLITE_H

#include "core/job.h"
#include "core/status.h"

/* Does a path name a table or query of a database that is there?  Then *file,
 * new, is the database, and *query points behind the colon in path. */
kith_status kith__sqlite_parts(const char *path, char **file,
                               const char **query, kith_error *err);

/* The same for a table that is written: the database need not be there if its
 * name ends in .db, .sqlite or .sqlite3. */
kith_status kith__sqlite_target(const char *path, char **file,
                                const char **table, kith_error *err);

/* Is that how a database begins? */
bool kith__sqlite_begins(const char first[16]);

/* Fail, since a whole database is no table: name what it has. */
kith_status kith__sqlite_ask_for_query(const char *file, kith_error *err);

/* Write what the query answers to fd as CSV, the names of its columns first;
 * *size is how many bytes that is. */
kith_status kith__sqlite_read(const char *path, const char *file,
                              const char *query, const kith_job *job, int fd,
                              int64_t *size, kith_error *err);

/* ---- writing ------------------------------------------------------------- */

typedef struct kith__sqlite_table kith__sqlite_table;

/* Begin a table, in one transaction that nobody sees before the commit.  One of
 * that name is replaced if its first columns are these two names; any other is
 * somebody's data, and refused. */
kith_status kith__sqlite_create(const char *path, const char *file,
                                const char *table, const char *const *columns,
                                int n, int same, kith__sqlite_table **out,
                                kith_error *err);
/* The next cell, from left to right; after the last of them a row is there. */
kith_status kith__sqlite_put_text(kith__sqlite_table *t, const char *text,
                                  size_t length, kith_error *err);
kith_status kith__sqlite_put_number(kith__sqlite_table *t, double x,
                                    kith_error *err);
kith_status kith__sqlite_put_count(kith__sqlite_table *t, int64_t x,
                                   kith_error *err);
kith_status kith__sqlite_put_null(kith__sqlite_table *t, kith_error *err);
/* t is freed either way. */
kith_status kith__sqlite_commit(kith__sqlite_table *t, kith_error *err);
void kith__sqlite_abort(kith__sqlite_table *t); /* NULL is fine */

#endif
