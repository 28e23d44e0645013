/* Tables in the format that their name tells: to the byte. */
#include "check.h"
#include "io/table_writer.h"

static kith_status put(const char *path, const char *id, kith_error *err)
{
    kith__table_writer *t = NULL;
    kith_status st = kith__table_writer_open(path, &t, err);

    if (st == KITH_OK)
        st = kith__table_writer_column(t, "node", NULL, "column", err);
    if (st == KITH_OK)
        st = kith__table_writer_column(t, "rank", NULL, "column", err);
    if (st == KITH_OK)
        st = kith__table_writer_column(t, "a,b", "p", "class", err);
    if (st == KITH_OK)
        st = kith__table_writer_column(t, "=c", "p", "class", err);
    for (int row = 0; row < 2 && st == KITH_OK; row++) {
        st = kith__table_writer_text(t, id, strlen(id), "node", err);
        if (st == KITH_OK)
            st = kith__table_writer_count(t, row + 1, err);
        if (st == KITH_OK)
            st = kith__table_writer_number(t, 1. / 3, 7, err);
        if (st == KITH_OK)
            st = kith__table_writer_nothing(t, err);
    }
    if (st == KITH_OK)
        return kith__table_writer_add(t, NULL, err);
    kith__table_writer_abort(t);
    return st;
}

static void check_table(const char *name, const char *id, const char *wanted)
{
    const char *path = check_path(name);
    kith_error err;
    size_t n;
    char *text;

    CHECK_OK(put(path, id, &err));
    text = check_read(path, &n);
    CHECK(text != NULL);
    if (text)
        CHECK_TEXT(text, wanted);
    free(text);
}

TEST(the_name_tells_the_format)
{
    check_table("t.tsv", "x y",
                "node\trank\ta,b\t=c\n"
                "x y\t1\t0.3333333\t-\nx y\t2\t0.3333333\t-\n");
    check_table("t.csv", "x y",
                "node,rank,\"a,b\",\"'=c\"\n"
                "x y,1,0.3333333,-\nx y,2,0.3333333,-\n");
    check_table("t.jsonl", "x\"y",
                "{\"node\":\"x\\u0022y\",\"rank\":1,\"p\":{\"a,b\":0.3333333,"
                "\"=c\":null}}\n"
                "{\"node\":\"x\\u0022y\",\"rank\":2,\"p\":{\"a,b\":0.3333333,"
                "\"=c\":null}}\n");
}

/* What a spreadsheet would run begins with an apostrophe; numbers stay. */
TEST(cells_of_csv_that_would_be_run_are_guarded)
{
    static const char *const cases[][2] = {
        {"=1+1", "\"'=1+1\""},
        {"@SUM(A1)", "\"'@SUM(A1)\""},
        {"+a", "\"'+a\""},
        {"-a", "\"'-a\""},
        {"\tx", "\"'\tx\""},
        {"\r=x", "\"'\r=x\""},
        {"-5", "-5"},
        {"+49.5", "+49.5"},
        {"-", "-"},
        {"a=b", "a=b"},
        {"say \"hi\"", "\"say \"\"hi\"\"\""},
        {"a\nb", "\"a\nb\""},
        {"#x", "\"#x\""},
        {"a;b", "\"a;b\""},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char wanted[200];

        snprintf(wanted, sizeof(wanted),
                 "node,rank,\"a,b\",\"'=c\"\n%s,1,0.3333333,-\n"
                 "%s,2,0.3333333,-\n",
                 cases[i][1], cases[i][1]);
        check_table("g.csv", cases[i][0], wanted);
    }
}

TEST(tab_separated_text_cannot_hold_a_tab)
{
    kith_error err = {0};

    CHECK(put(check_path("bad.tsv"), "a\tb", &err) == KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "has a tab or line break"));
    CHECK(access(check_path("bad.tsv"), F_OK) != 0);
}

TEST(packed_tables_have_the_format_before_the_packing)
{
    kith_error err;

    check_needs("gzip");
    CHECK_OK(put(check_path("p.csv.gz"), "a", &err));
    CHECK_OK(put(check_path("p.jsonl.gz"), "a", &err));
}

TEST(tables_survive_every_failed_allocation)
{
    const char *csv = check_path("o.csv"), *json = check_path("o.jsonl");

    CHECK_OOM(st = put(csv, "a", NULL), (void)0);
    CHECK_OOM(st = put(json, "a", NULL), (void)0);
}
