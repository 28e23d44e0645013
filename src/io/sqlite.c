#include "io/sqlite.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/out_file.h"
#include "io/gather.h"

/* ---- paths --------------------------------------------------------------- */

static const char mark[16] = "SQLite format 3"; /* and a NUL */

bool kith__sqlite_begins(const char first[16])
{
    return memcmp(first, mark, sizeof(mark)) == 0;
}

static bool is_database(const char *path)
{
    char first[sizeof(mark)];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat at;
    bool is;

    if (fd < 0)
        return false;
    is = fstat(fd, &at) == 0 && S_ISREG(at.st_mode) &&
         kith__read_at(fd, first, sizeof(first), 0) &&
         kith__sqlite_begins(first);
    close(fd);
    return is;
}

/* May a database be made under that name?  An empty file is one. */
static bool may_become(const char *path)
{
    struct stat at;

    if (stat(path, &at) == 0)
        return S_ISREG(at.st_mode) && at.st_size == 0;
    return kith__named(path, ".db") || kith__named(path, ".sqlite") ||
           kith__named(path, ".sqlite3");
}

/* Split at the first colon before which there is a database. */
static kith_status split(const char *path, bool target, char **file,
                         const char **rest, kith_error *err)
{
    kith_status st = KITH_OK;
    char *before = NULL;

    *file = NULL;
    *rest = NULL;
    if (access(path, F_OK) == 0)
        return KITH_OK;
    for (const char *at = strchr(path, ':'); at; at = strchr(at + 1, ':')) {
        TRY_NEW(before, kith__copy_string(path, (size_t)(at - path)));
        if (is_database(before) || (target && may_become(before))) {
            *file = before;
            *rest = at + 1;
            before = NULL;
            break;
        }
        kith__free(before);
        before = NULL;
    }
out:
    kith__free(before);
    return st;
}

kith_status kith__sqlite_parts(const char *path, char **file,
                               const char **query, kith_error *err)
{
    return split(path, false, file, query, err);
}

kith_status kith__sqlite_target(const char *path, char **file,
                                const char **table, kith_error *err)
{
    return split(path, true, file, table, err);
}

#ifdef KITH_HAVE_SQLITE

#include <sqlite3.h>

enum {
    PATIENCE = 5000, /* ms that another program may hold the database */
    STEPS = 10000,   /* of its machine, between looks at the job */
    MOST_BYTES = 1 << 26,
    BUFFER = 1 << 16
};

/* ---- opening, failing ---------------------------------------------------- */

/* Say what the database said. */
static kith_status fail_of(sqlite3 *db, int code, const char *path,
                           kith_error *err)
{
    const char *said = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);

    switch (code & 0xFF) {
    case SQLITE_NOMEM:
        return kith__no_memory(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return kith__fail(err, KITH_ERR_IO, path, 0,
                          "is locked by another program that writes to it; try "
                          "again when that is done");
    case SQLITE_INTERRUPT:
        return kith__fail(err, KITH_ERR_CANCELLED, path, 0, "cancelled");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "is a damaged database (%.120s)", said);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_IOERR:
    case SQLITE_FULL:
        return kith__fail(err, KITH_ERR_IO, path, 0,
                          "the database cannot be used: %.120s", said);
    default:
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "the database says: %.160s", said);
    }
}

/* It may have been made to harm whoever opens it: what its schema says may call
 * no function that does anything, and its limits are ours. */
static kith_status open_database(const char *path, const char *file, bool write,
                                 sqlite3 **out, kith_error *err)
{
    const int how = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                          : SQLITE_OPEN_READONLY;
    int code;

    *out = NULL;
    code = sqlite3_open_v2(file, out, how, NULL);
    if (code == SQLITE_OK) {
        sqlite3_busy_timeout(*out, PATIENCE);
        (void)sqlite3_db_config(*out, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        (void)sqlite3_db_config(*out, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        (void)sqlite3_limit(*out, SQLITE_LIMIT_LENGTH, MOST_BYTES);
        (void)sqlite3_limit(*out, SQLITE_LIMIT_ATTACHED, 0);
        return KITH_OK;
    }
    return fail_of(*out, code, path, err);
}

/* A statement of our own, with `name` bound to ?1 if it has that. */
static kith_status prepare(sqlite3 *db, const char *path, const char *sql,
                           const char *name, sqlite3_stmt **out,
                           kith_error *err)
{
    int code = sqlite3_prepare_v2(db, sql, -1, out, NULL);

    if (code == SQLITE_OK && name)
        code = sqlite3_bind_text(*out, 1, name, -1, SQLITE_STATIC);
    return code == SQLITE_OK ? KITH_OK : fail_of(db, code, path, err);
}

static kith_status run(sqlite3 *db, const char *path, const char *sql,
                       kith_error *err)
{
    const int code = sqlite3_exec(db, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? KITH_OK : fail_of(db, code, path, err);
}

static kith_status has_table(sqlite3 *db, const char *path, const char *name,
                             bool *has, kith_error *err)
{
    sqlite3_stmt *s = NULL;
    kith_status st = KITH_OK;
    int code;

    TRY(prepare(db, path,
                "SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name = ?1 COLLATE NOCASE",
                name, &s, err));
    code = sqlite3_step(s);
    *has = code == SQLITE_ROW;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        TRY(fail_of(db, code, path, err));
out:
    sqlite3_finalize(s);
    return st;
}

/* "accounts, payments, ..." */
static void list_tables(sqlite3 *db, char *out, size_t size)
{
    sqlite3_stmt *s = NULL;
    char shown[KITH_QUOTE_BUFFER];
    size_t used = 0;

    snprintf(out, size, "none");
    if (prepare(db, "",
                "SELECT name FROM sqlite_master WHERE type IN ('table', "
                "'view') AND name NOT LIKE 'sqlite_%' ORDER BY name",
                NULL, &s, NULL) == KITH_OK)
        while (used + 100 < size && sqlite3_step(s) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(s, 0);

            if (name)
                used += (size_t)snprintf(
                    out + used, size - used, "%s%.60s", used ? ", " : "",
                    kith__quote(shown, name, strlen(name)));
        }
    sqlite3_finalize(s);
}

kith_status kith__sqlite_ask_for_query(const char *file, kith_error *err)
{
    char names[180];
    sqlite3 *db = NULL;
    kith_status st = KITH_OK;

    TRY(open_database(file, file, false, &db, err));
    list_tables(db, names, sizeof(names));
    st = kith__fail(err, KITH_ERR_ARGUMENT, file, 0,
                    "is a database, expected a table of it, FILE:TABLE, or "
                    "--edges 'SELECT ...'; its tables are %s",
                    names);
out:
    sqlite3_close(db);
    return st;
}

/* ---- what is asked ------------------------------------------------------- */

static bool begins_query(const char *text)
{
    static const char *const words[] = {"select", "with", "values"};

    text += strspn(text, " \t\r\n(");
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        const size_t n = strlen(words[i]);

        if (strncasecmp(text, words[i], n) == 0 &&
            strchr(" \t\r\n(*'\"", text[n]))
            return true;
    }
    return false;
}

/* One statement that reads, and answers rows. */
static kith_status check_statement(sqlite3_stmt *s, const char *tail,
                                   const char *path, kith_error *err)
{
    if (tail && tail[strspn(tail, " \t\r\n;")])
        return kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                          "is more than one statement, expected one SELECT");
    if (!s || !sqlite3_stmt_readonly(s) || sqlite3_column_count(s) == 0)
        return kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                          "answers no rows or would write, expected a SELECT");
    return KITH_OK;
}

/* A table by its name, else a SELECT. */
static kith_status prepare_query(sqlite3 *db, const char *path,
                                 const char *query, sqlite3_stmt **out,
                                 kith_error *err)
{
    char names[180], *sql = NULL;
    const char *tail = NULL;
    kith_status st = KITH_OK;
    bool table;
    int code;

    TRY(has_table(db, path, query, &table, err));
    if (!table && !begins_query(query)) {
        list_tables(db, names, sizeof(names));
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                       "is no table of the database, nor a SELECT; its tables "
                       "are %s",
                       names));
    }
    sql = table ? sqlite3_mprintf("SELECT * FROM \"%w\"", query)
                : sqlite3_mprintf("%s", query);
    if (!sql)
        TRY(kith__no_memory(err));
    code = sqlite3_prepare_v2(db, sql, -1, out, &tail);
    if (code != SQLITE_OK)
        TRY(fail_of(db, code, path, err));
    TRY(check_statement(*out, tail, path, err));
out:
    sqlite3_free(sql);
    return st;
}

/* ---- reading ------------------------------------------------------------- */

/* CSV on its way to a file. */
typedef struct csv {
    const char *path;
    int fd;
    int64_t size; /* written */
    int64_t n, capacity;
    char *at;
} csv;

static kith_status flush(csv *c, kith_error *err)
{
    if (!kith__write_at(c->fd, c->at, c->n, c->size))
        return kith__fail_errno(err, c->path, "write a temporary file for");
    c->size += c->n;
    c->n = 0;
    return KITH_OK;
}

static kith_status reserve(csv *c, int64_t more, kith_error *err)
{
    return kith__grow((void **)&c->at, &c->capacity, c->n + more, 1)
               ? KITH_OK
               : kith__no_memory(err);
}

static kith_status put_raw(csv *c, const char *text, int64_t length,
                           kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(reserve(c, length, err));
    memcpy(c->at + c->n, text, (size_t)length);
    c->n += length;
out:
    return st;
}

/* Text is quoted whatever it holds, so that nothing in it is seen as ours. */
static kith_status put_quoted(csv *c, const char *text, int64_t length,
                              kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(reserve(c, 2 * length + 2, err));
    c->at[c->n++] = '"';
    for (int64_t i = 0; i < length; i++) {
        if (text[i] == '"')
            c->at[c->n++] = '"';
        c->at[c->n++] = text[i];
    }
    c->at[c->n++] = '"';
out:
    return st;
}

static kith_status put_cell(csv *c, sqlite3 *db, sqlite3_stmt *s, int column,
                            kith_error *err)
{
    char number[40];
    const char *text;

    switch (sqlite3_column_type(s, column)) {
    case SQLITE_NULL:
        return KITH_OK;
    case SQLITE_INTEGER:
        snprintf(number, sizeof(number), "%lld",
                 (long long)sqlite3_column_int64(s, column));
        return put_raw(c, number, (int64_t)strlen(number), err);
    case SQLITE_BLOB:
        return kith__fail(err, KITH_ERR_PARSE, c->path, 0,
                          "has a blob in column '%.60s', expected text or "
                          "numbers",
                          sqlite3_column_name(s, column));
    default: /* real numbers as SQLite writes them, which reads back */
        text = (const char *)sqlite3_column_text(s, column);
        if (!text)
            return fail_of(db, SQLITE_NOMEM, c->path, err);
        return put_quoted(c, text, sqlite3_column_bytes(s, column), err);
    }
}

static kith_status put_row(csv *c, sqlite3 *db, sqlite3_stmt *s, bool names,
                           kith_error *err)
{
    const int columns = sqlite3_column_count(s);
    kith_status st = KITH_OK;

    for (int i = 0; i < columns; i++) {
        const char *name = names ? sqlite3_column_name(s, i) : NULL;

        if (i > 0)
            TRY(put_raw(c, ",", 1, err));
        if (names && !name)
            TRY(kith__no_memory(err));
        TRY(names ? put_quoted(c, name, (int64_t)strlen(name), err)
                  : put_cell(c, db, s, i, err));
    }
    TRY(put_raw(c, "\n", 1, err));
    if (c->n >= BUFFER)
        TRY(flush(c, err));
out:
    return st;
}

/* Stop a query that would run forever when the job is cancelled. */
static int look_at_job(void *user)
{
    const kith_job *job = user;

    return kith__progress(job, "asking the database", 0, 0, "rows", NULL) !=
           KITH_OK;
}

kith_status kith__sqlite_read(const char *path, const char *file,
                              const char *query, const kith_job *job, int fd,
                              int64_t *size, kith_error *err)
{
    csv c = {.path = path, .fd = fd};
    sqlite3_stmt *s = NULL;
    kith_status st = KITH_OK;
    sqlite3 *db = NULL;
    int code;

    TRY(open_database(path, file, false, &db, err));
    if (job)
        sqlite3_progress_handler(db, STEPS, look_at_job, (void *)job);
    TRY(prepare_query(db, path, query, &s, err));
    TRY(put_row(&c, db, s, true, err));
    while ((code = sqlite3_step(s)) == SQLITE_ROW)
        TRY(put_row(&c, db, s, false, err));
    if (code != SQLITE_DONE)
        TRY(fail_of(db, code, path, err));
    TRY(flush(&c, err));
    *size = c.size;
out:
    kith__free(c.at);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return st;
}

/* ---- writing ------------------------------------------------------------- */

struct kith__sqlite_table {
    char *path, *file;
    sqlite3 *db;
    sqlite3_stmt *insert;
    int columns, column; /* the next cell's */
    bool fresh;          /* the database was not there */
};

void kith__sqlite_abort(kith__sqlite_table *t)
{
    if (!t)
        return;
    sqlite3_finalize(t->insert);
    if (t->db && !sqlite3_get_autocommit(t->db))
        (void)sqlite3_exec(t->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(t->db);
    if (t->fresh)
        (void)unlink(t->file);
    kith__free(t->path);
    kith__free(t->file);
    kith__free(t);
}

/* Make way for a table: one of ours is dropped, any other refused. */
static kith_status make_way(kith__sqlite_table *t, const char *table,
                            const char *const *columns, int same,
                            kith_error *err)
{
    sqlite3_stmt *s = NULL;
    kith_status st = KITH_OK;
    char *sql = NULL;
    bool there;
    int code, found = 0;

    TRY(has_table(t->db, t->path, table, &there, err));
    if (!there)
        goto out;
    TRY(prepare(t->db, t->path, "SELECT name FROM pragma_table_info(?1)", table,
                &s, err));
    while ((code = sqlite3_step(s)) == SQLITE_ROW && found < same) {
        const char *name = (const char *)sqlite3_column_text(s, 0);

        if (!name || strcmp(name, columns[found]) != 0)
            break;
        found++;
    }
    sqlite3_finalize(s);
    s = NULL;
    if (found < same)
        TRY(kith__fail(err, KITH_ERR_IO, t->path, 0,
                       "is not replaced: its first column is no '%.60s', so it "
                       "is no earlier output; name another table",
                       columns[0]));
    sql = sqlite3_mprintf("DROP TABLE \"%w\"", table);
    TRY(sql ? run(t->db, t->path, sql, err) : kith__no_memory(err));
out:
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return st;
}

/* Columns are called apart, case aside: a class may be called like another. */
static bool is_taken(const char *const *columns, int i)
{
    for (int k = 0; k < i; k++)
        if (sqlite3_stricmp(columns[k], columns[i]) == 0)
            return true;
    return false;
}

/* "CREATE TABLE ..." and "INSERT INTO ... VALUES (?, ...)". */
static void spell(sqlite3_str *create, sqlite3_str *insert, const char *table,
                  const char *const *columns, int n)
{
    sqlite3_str_appendf(create, "CREATE TABLE \"%w\" (", table);
    sqlite3_str_appendf(insert, "INSERT INTO \"%w\" VALUES (", table);
    for (int i = 0; i < n; i++) {
        sqlite3_str_appendf(create, "%s\"%w", i ? ", " : "", columns[i]);
        if (is_taken(columns, i))
            sqlite3_str_appendf(create, " (%d)", i + 1);
        sqlite3_str_appendall(create, "\"");
        sqlite3_str_appendall(insert, i ? ", ?" : "?");
    }
    sqlite3_str_appendall(create, ")");
    sqlite3_str_appendall(insert, ")");
}

static kith_status create_table(kith__sqlite_table *t, const char *table,
                                const char *const *columns, kith_error *err)
{
    sqlite3_str *create = sqlite3_str_new(t->db);
    sqlite3_str *insert = sqlite3_str_new(t->db);
    kith_status st = KITH_OK;
    char *create_sql, *insert_sql;

    spell(create, insert, table, columns, t->columns);
    create_sql = sqlite3_str_finish(create);
    insert_sql = sqlite3_str_finish(insert);
    if (!create_sql || !insert_sql)
        TRY(kith__no_memory(err));
    TRY(run(t->db, t->path, create_sql, err));
    TRY(prepare(t->db, t->path, insert_sql, NULL, &t->insert, err));
out:
    sqlite3_free(create_sql);
    sqlite3_free(insert_sql);
    return st;
}

kith_status kith__sqlite_create(const char *path, const char *file,
                                const char *table, const char *const *columns,
                                int n, int same, kith__sqlite_table **out,
                                kith_error *err)
{
    kith__sqlite_table *t = NULL;
    kith_status st = KITH_OK;

    *out = NULL;
    TRY_NEW(t, kith__alloc_zeroed(1, sizeof(*t)));
    TRY_NEW(t->path, kith__copy_string(path, strlen(path)));
    TRY_NEW(t->file, kith__copy_string(file, strlen(file)));
    t->columns = n;
    t->fresh = access(file, F_OK) != 0;
    TRY(open_database(path, file, true, &t->db, err));
    TRY(run(t->db, path, "BEGIN IMMEDIATE", err));
    TRY(make_way(t, table, columns, same, err));
    TRY(create_table(t, table, columns, err));
    *out = t;
    t = NULL;
out:
    kith__sqlite_abort(t);
    return st;
}

/* A cell was bound with `code`; the last of a row inserts it. */
static kith_status went(kith__sqlite_table *t, int code, kith_error *err)
{
    if (code == SQLITE_OK && ++t->column == t->columns) {
        t->column = 0;
        code = sqlite3_step(t->insert);
        code = code == SQLITE_DONE ? sqlite3_reset(t->insert) : code;
    }
    return code == SQLITE_OK ? KITH_OK : fail_of(t->db, code, t->path, err);
}

kith_status kith__sqlite_put_text(kith__sqlite_table *t, const char *text,
                                  size_t length, kith_error *err)
{
    return went(t,
                sqlite3_bind_text64(t->insert, t->column + 1, text, length,
                                    SQLITE_TRANSIENT, SQLITE_UTF8),
                err);
}

kith_status kith__sqlite_put_number(kith__sqlite_table *t, double x,
                                    kith_error *err)
{
    return went(t, sqlite3_bind_double(t->insert, t->column + 1, x), err);
}

kith_status kith__sqlite_put_count(kith__sqlite_table *t, int64_t x,
                                   kith_error *err)
{
    return went(t, sqlite3_bind_int64(t->insert, t->column + 1, x), err);
}

kith_status kith__sqlite_put_null(kith__sqlite_table *t, kith_error *err)
{
    return went(t, sqlite3_bind_null(t->insert, t->column + 1), err);
}

kith_status kith__sqlite_commit(kith__sqlite_table *t, kith_error *err)
{
    kith_status st = KITH_OK;

    sqlite3_finalize(t->insert);
    t->insert = NULL;
    TRY(run(t->db, t->path, "COMMIT", err));
    t->fresh = false;
out:
    kith__sqlite_abort(t);
    return st;
}

#else

static kith_status unavailable(const char *path, kith_error *err)
{
    return kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                      "is of a database, which this build does not know (made "
                      "without sqlite)");
}

kith_status kith__sqlite_ask_for_query(const char *file, kith_error *err)
{
    return unavailable(file, err);
}

kith_status kith__sqlite_read(const char *path, const char *file,
                              const char *query, const kith_job *job, int fd,
                              int64_t *size, kith_error *err)
{
    (void)file, (void)query, (void)job, (void)fd, (void)size;
    return unavailable(path, err);
}

kith_status kith__sqlite_create(const char *path, const char *file,
                                const char *table, const char *const *columns,
                                int n, int same, kith__sqlite_table **out,
                                kith_error *err)
{
    (void)file, (void)table, (void)columns, (void)n, (void)same;
    *out = NULL;
    return unavailable(path, err);
}

kith_status kith__sqlite_put_text(kith__sqlite_table *t, const char *text,
                                  size_t length, kith_error *err)
{
    (void)t, (void)text, (void)length;
    return unavailable("", err);
}

kith_status kith__sqlite_put_number(kith__sqlite_table *t, double x,
                                    kith_error *err)
{
    (void)t, (void)x;
    return unavailable("", err);
}

kith_status kith__sqlite_put_count(kith__sqlite_table *t, int64_t x,
                                   kith_error *err)
{
    (void)t, (void)x;
    return unavailable("", err);
}

kith_status kith__sqlite_put_null(kith__sqlite_table *t, kith_error *err)
{
    (void)t;
    return unavailable("", err);
}

kith_status kith__sqlite_commit(kith__sqlite_table *t, kith_error *err)
{
    (void)t;
    return unavailable("", err);
}

void kith__sqlite_abort(kith__sqlite_table *t)
{
    (void)t;
}

#endif
