/* Databases: read as tables, written in one transaction. */
#include "check.h"
#include "io/sqlite.h"

#ifdef KITH_HAVE_SQLITE

/* Make a table of text with two columns and rows of cells; NULL ends them. */
static kith_status make(const char *file, const char *table, const char *a,
                        const char *b, const char *const *cells,
                        kith_error *err)
{
    const char *const columns[] = {a, b};
    kith__sqlite_table *t = NULL;
    kith_status st;

    st = kith__sqlite_create(file, file, table, columns, 2, 2, &t, err);
    for (; st == KITH_OK && *cells; cells++)
        st = kith__sqlite_put_text(t, *cells, strlen(*cells), err);
    if (st == KITH_OK)
        return kith__sqlite_commit(t, err);
    kith__sqlite_abort(t);
    return st;
}

static const char *const payments[] = {
    "ann", "bob", "x,\"y\"", "bob", "=cmd()", "#bob", "ann", "bob", NULL};
static const char *const states[] = {"ann", "good", "bob", "bad",
                                     "zoe", "good", NULL};

static const char *bank(void)
{
    const char *file = check_path("bank.db");
    kith_error err;

    (void)unlink(file);
    CHECK_OK(make(file, "pay", "from", "to", payments, &err));
    CHECK_OK(make(file, "states", "who", "state", states, &err));
    return file;
}

static const char *path_of(const char *file, const char *query)
{
    static char out[1000];

    snprintf(out, sizeof(out), "%s:%s", file, query);
    return out;
}

TEST(edges_and_labels_come_from_tables_and_queries)
{
    const kith_table_options t = {.edges = "pay"};
    const kith_build_options how = {.table = &t};
    const char *file = bank();
    kith_dataset *d = NULL;
    kith_labels *l = NULL;
    kith_error err;

    CHECK_OK(kith_dataset_open(file, &how, &d, &err));
    CHECK_INT(kith_graph_nodes(d->graph), 5);
    CHECK_INT(kith_graph_edges(d->graph), 3);
    CHECK(kith_graph_find(d->graph, "x,\"y\"", 5) >= 0);
    CHECK(kith_graph_find(d->graph, "#bob", 4) >= 0);
    CHECK_NEAR((double)kith_graph_weights(d->graph)[kith_graph_rows(
                   d->graph)[kith_graph_find(d->graph, "ann", 3)]],
               2, 0);
    CHECK_OK(kith_labels_read_table(
        path_of(file, "SELECT who, state FROM states WHERE who <> 'zoe'"),
        d->graph, &how, &l, &err));
    CHECK_INT(l->labelled, 2);
    kith_labels_free(l);
    kith_dataset_free(d);
}

TEST(a_long_query_is_no_name_of_a_file)
{
    char query[3000] = "SELECT \"from\", \"to\" FROM pay WHERE 1";
    size_t n = strlen(query);
    kith_dataset *d = NULL;
    kith_error err;

    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(query + n, sizeof(query) - n, " AND '/' <> 'a'");
    {
        const kith_table_options t = {.edges = query};
        const kith_build_options how = {.table = &t};

        CHECK_OK(kith_dataset_open(bank(), &how, &d, &err));
        CHECK_INT(kith_graph_nodes(d->graph), 5);
        kith_dataset_free(d);
    }
}

TEST(what_is_no_question_is_refused)
{
    static const char *const cases[][2] = {
        {"nosuch", "no table of the database"},
        {"pay\"; DROP TABLE pay; --", "no table of the database"},
        {"DELETE FROM pay", "nor a SELECT"},
        {"SELECT 1, 2; DROP TABLE pay", "more than one statement"},
        {"WITH x AS (SELECT 1) DELETE FROM pay", "would write"},
        {"SELECT nosuch, 2 FROM pay", "no such column"},
        {"SELECT 1", "has one column"},
        {"SELECT x'00ff', 1", "has a blob"},
        {"SELECT load_extension('x'), 1", "the database"},
        {"SELECT 'a' || char(0) || 'b', 1", "NUL byte"},
    };
    const char *file = bank();
    kith_graph *g;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        kith_error err = {0};

        CHECK(kith_graph_read(path_of(file, cases[i][0]), NULL, &g, NULL,
                              &err) != KITH_OK);
        if (!strstr(err.text, cases[i][1]))
            check_failed(__FILE__, __LINE__, "'%s' lacks '%s'", err.text,
                         cases[i][1]);
    }
    CHECK(kith_graph_read(file, NULL, &g, NULL, NULL) != KITH_OK);
    CHECK(kith_graph_read(path_of(file, "pay"), NULL, &g, NULL, NULL) ==
          KITH_OK);
    kith_graph_free(g);
}

TEST(names_are_quoted_and_columns_called_apart)
{
    const char *const name = "we\"ird'; DROP TABLE pay; --";
    const char *file = bank();
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(make(file, name, "A\"b", "a\"B", payments, &err));
    CHECK_OK(make(file, name, "A\"b", "a\"B (2)", states, &err));
    CHECK_OK(kith_graph_read(path_of(file, name), NULL, &g, NULL, &err));
    CHECK_INT(kith_graph_edges(g), 3);
    kith_graph_free(g);
    CHECK_OK(kith_graph_read(path_of(file, "pay"), NULL, &g, NULL, &err));
    kith_graph_free(g);
}

TEST(somebody_elses_table_is_not_replaced)
{
    const char *file = bank();
    kith_error err = {0};

    CHECK(make(file, "pay", "node", "label", states, &err) == KITH_ERR_IO);
    CHECK(strstr(err.text, "is not replaced"));
}

/* A table that is given up leaves no trace, nor does a database. */
TEST(a_table_appears_whole_or_not_at_all)
{
    const char *const columns[] = {"node", "label"};
    const char *file = bank(), *fresh = check_path("fresh.db");
    kith__sqlite_table *t = NULL;
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(kith__sqlite_create(file, file, "out", columns, 2, 2, &t, &err));
    CHECK_OK(kith__sqlite_put_text(t, "a", 1, &err));
    CHECK_OK(kith__sqlite_put_null(t, &err));
    kith__sqlite_abort(t);
    CHECK(kith_graph_read(path_of(file, "out"), NULL, &g, NULL, &err) !=
          KITH_OK);
    CHECK_OK(kith__sqlite_create(fresh, fresh, "out", columns, 2, 2, &t, &err));
    kith__sqlite_abort(t);
    CHECK(access(fresh, F_OK) != 0);
}

/* Any change to its bytes is refused or read, and harms nobody. */
TEST(damaged_databases_are_refused)
{
    const char *file = bank(), *bad = check_path("bad.db");
    size_t n;
    char *bytes = check_read(file, &n);

    CHECK(bytes != NULL);
    for (size_t at = 16; bytes && at < n; at += at < 200 ? 1 : 97) {
        FILE *f = fopen(bad, "w");
        kith_graph *g = NULL;
        kith_error err;

        bytes[at] = (char)~bytes[at];
        fwrite(bytes, 1, n, f);
        (void)fclose(f);
        bytes[at] = (char)~bytes[at];
        (void)kith_graph_read(path_of(bad, "pay"), NULL, &g, NULL, &err);
        kith_graph_free(g);
    }
    free(bytes);
}

TEST(databases_survive_every_failed_allocation)
{
    const char *path = path_of(bank(), "pay");
    const kith_build_options how = {.job.threads = 1};
    kith_graph *g;

    CHECK_OOM(st = kith_graph_read(path, &how, &g, NULL, NULL),
              kith_graph_free(g));
}

#else

TEST(databases_are_refused_by_name)
{
    kith_error err = {0};
    kith_graph *g;

    CHECK(kith_graph_read(check_file("a.db", "SQLite format 3"), NULL, &g, NULL,
                          &err) != KITH_OK);
}

#endif
