/* Tables: records, quotes, line ends, and what columns are for. */
#include "check.h"
#include "core/alloc.h"
#include "io/columns.h"

/* All records of a text as "field|field;...", read with a header or not. */
static void check_records(const char *text, bool header, const char *expected)
{
    char got[4096] = "";
    size_t used = 0;
    kith_error err;
    kith__table t;
    bool more = true;

    CHECK_OK(kith__table_open(check_file("t.csv", text), &t, &err));
    CHECK_OK(kith__table_header(&t, header, &err));
    for (;;) {
        CHECK_OK(kith__table_next(&t, &more, &err));
        if (!more)
            break;
        for (int i = 0; i < t.fields; i++)
            used += (size_t)snprintf(got + used, sizeof(got) - used, "%s%.*s",
                                     i ? "|" : "", (int)t.field[i].length,
                                     t.field[i].text);
        used += (size_t)snprintf(got + used, sizeof(got) - used, ";");
    }
    CHECK_TEXT(got, expected);
    kith__table_close(&t);
}

TEST(records_are_split_at_separators_outside_quotes)
{
    check_records("a,b\n1,2\n", false, "a|b;1|2;");
    check_records("a,b\n1,2\n", true, "1|2;");
    check_records("a;b\n\"1;2\";\"say \"\"hi\"\"\"\n", true, "1;2|say \"hi\";");
    check_records("a,b\n\"two\nlines\" , x\n", true, "two\nlines|x;");
    check_records("# c\n\na,b\n%\n1,\n", true, "1|;");
    check_records("a b  c\n1  2 3\n", false, "a|b|c;1|2|3;");
}

TEST(line_ends_and_the_mark_are_taken_off)
{
    check_records("\xef\xbb\xbf"
                  "a,b\r\n1,2\r\n",
                  true, "1|2;");
    check_records("a,b\r1,2\r3,4", true, "1|2;3|4;");
    check_records("a,b\n\"1\",\"2\"\r\n", true, "1|2;");
    check_records("a,b\n1,2", true, "1|2;");
}

/* Kith writes ids into tables with tabs as they are: quotes are text there. */
TEST(quotes_between_tabs_are_text_unless_there_is_a_header)
{
    check_records("\"a\tb\n", false, "\"a|b;");
    check_records("x\ty\n\"1\t2\"\t3\n", true, "1\t2|3;");
}

TEST(a_record_may_be_longer_than_a_block)
{
    const int64_t n = 3 * KITH__BLOCK_BYTES;
    char *text = malloc((size_t)n + 64);
    kith__table t;
    kith_error err;
    bool more;

    memcpy(text, "id,note\n1,\"", 11);
    for (int64_t i = 0; i < n; i++)
        text[11 + i] = i % 1000 ? 'x' : '\n';
    memcpy(text + 11 + n, "\"\n2,y\n", 7);
    CHECK_OK(kith__table_open(check_file("long.csv", text), &t, &err));
    CHECK_OK(kith__table_header(&t, true, &err));
    CHECK_OK(kith__table_next(&t, &more, &err));
    CHECK(more && (int64_t)t.field[1].length == n);
    CHECK_OK(kith__table_next(&t, &more, &err));
    CHECK(more && t.field[0].text[0] == '2');
    CHECK_INT(t.line, 3 + n / 1000 + (n % 1000 > 0));
    CHECK_OK(kith__table_next(&t, &more, &err));
    CHECK(!more);
    kith__table_close(&t);
    free(text);
}

TEST(what_is_broken_is_refused_with_its_line)
{
    static const struct {
        const char *text;
        int line;
        const char *fragment;
    } cases[] = {{"a,b\n1,2\n\"3,4\n5,6\n", 3, "a quoted field does not end"},
                 {"a,b\n\"1\"x,2\n", 2, "a quoted field does not end"}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        kith_status st = KITH_OK;
        kith_error err = {0};
        kith__table t;
        bool more = true;

        CHECK_OK(
            kith__table_open(check_file("bad.csv", cases[i].text), &t, &err));
        while (st == KITH_OK && more)
            st = kith__table_next(&t, &more, &err);
        CHECK_INT(st, KITH_ERR_PARSE);
        CHECK_INT(err.line, cases[i].line);
        CHECK(strstr(err.text, cases[i].fragment));
        kith__table_close(&t);
    }
}

static bool named(const char *name, kith__role role)
{
    return kith__column_is(&(kith__field){name, strlen(name)}, role);
}

TEST(well_known_names_are_known_however_they_are_written)
{
    CHECK(named("source", KITH__SOURCE) && named("SenderId", KITH__SOURCE));
    CHECK(named("sender_email", KITH__SOURCE) && named(":START_ID(P)", 0));
    CHECK(named("to account", KITH__TARGET) && named("x:END_ID", 1));
    CHECK(named("is_fraud", KITH__LABEL) && named("created at", KITH__TIME));
    CHECK(!named("class7", KITH__LABEL) && !named("city", KITH__SOURCE));
    CHECK(!named("total tomatoes", KITH__TARGET) && !named("", KITH__NODE));
}

/* Python: datetime(2024, 5, 31, 12, 0, 30, 500000, timezone.utc).timestamp() */
TEST(times_are_numbers_or_dates)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"17.5", 17.5},
                {"1970-01-01", 0},
                {"2024-02-29", 1709164800},
                {"2024-05-31T12:00:30.5Z", 1717156830.5},
                {"1969/12/31 23:59", -60}};
    static const char *const bad[] = {"", "soon", "2024-13-01", "2024-05-31x",
                                      "2024-05-31 25:00"};
    double value;

    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        CHECK(kith__parse_time(good[i].text, strlen(good[i].text), &value));
        CHECK_NEAR(value, good[i].value, 1e-6);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        CHECK(!kith__parse_time(bad[i], strlen(bad[i]), &value));
}

/* ---- graphs by column name ----------------------------------------------- */

/* The weight between two nodes; 0 without an edge, 1 without weights. */
static float between(const kith_graph *g, const char *a, const char *b)
{
    const int32_t u = kith_graph_find(g, a, strlen(a));
    const int32_t v = kith_graph_find(g, b, strlen(b));

    for (int64_t p = kith_graph_rows(g)[u]; p < kith_graph_rows(g)[u + 1]; p++)
        if (kith_graph_neighbours(g)[p] == v)
            return kith_graph_weights(g) ? kith_graph_weights(g)[p] : 1;
    return 0;
}

static const char payments[] = "id;from;to;sum;day\n"
                               "1;ann;bob;2;2024-01-01\n"
                               "2;\"bob\";ann;3;2024-01-02\n"
                               "3;bob;\"c;d\";5;2024-01-03\n"
                               "4;;bob;5;2024-01-03\n";

TEST(edges_are_read_by_the_names_of_their_columns)
{
    const kith_table_options t = {
        .source = "from", .target = "TO", .weight = "sum"};
    static const struct {
        kith_merge merge;
        float ann_bob;
    } cases[] = {{KITH_MERGE_AUTO, 5},
                 {KITH_MERGE_SUM, 5},
                 {KITH_MERGE_MAX, 3},
                 {KITH_MERGE_MEAN, 2.5},
                 {KITH_MERGE_COUNT, 2}};
    kith_graph *g;
    kith_error err;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const kith_build_options how = {.table = &t, .merge = cases[i].merge};

        CHECK_OK(kith_graph_read(check_file("p.csv", payments), &how, &g, NULL,
                                 &err));
        CHECK_INT(kith_graph_nodes(g), 3);
        CHECK_INT(kith_graph_edges(g), 2);
        CHECK_NEAR(between(g, "ann", "bob"), cases[i].ann_bob, 1e-6);
        kith_graph_free(g);
    }
}

TEST(edges_after_a_time_are_left_out)
{
    const kith_table_options t = {
        .source = "from", .target = "to", .time = "day", .until = "2024-01-02"};
    const kith_build_options how = {.table = &t};
    kith_graph *g;
    kith_error err;

    CHECK_OK(
        kith_graph_read(check_file("p.csv", payments), &how, &g, NULL, &err));
    CHECK_INT(kith_graph_nodes(g), 2);
    CHECK_NEAR(between(g, "ann", "bob"), 2, 0); /* given twice */
    kith_graph_free(g);
}

TEST(the_same_graph_comes_of_any_number_of_threads)
{
    const kith_table_options t = {.source = "a", .target = "b"};
    char *text = malloc(1 << 21), *at = text;
    uint64_t hash[2];

    at += snprintf(at, 64, "a,note,b\n");
    for (int i = 0; i < 60000; i++)
        at += snprintf(at, 64, "u%d,\"%s\",v%d\n", i % 1000,
                       i % 7 ? "x" : "li\nnes", i % 777);
    check_file("many.csv", text);
    for (int i = 0; i < 2; i++) {
        const kith_build_options how = {.table = &t, .job.threads = 1 + 3 * i};
        kith_graph *g;
        kith_error err;

        CHECK_OK(kith_graph_read(check_path("many.csv"), &how, &g, NULL, &err));
        CHECK_INT(kith_graph_nodes(g), 1777);
        CHECK_NEAR(between(g, "u0", "v0"), 1, 0);
        hash[i] = kith_graph_hash(g);
        kith_graph_free(g);
    }
    CHECK(hash[0] == hash[1]);
    free(text);
}

static void keep(void *user, const char *key, const char *text)
{
    char *told = user;
    const size_t n = strlen(told);

    snprintf(told + n, 512 - n, "%s: %s\n", key, text);
}

/* What is recognised without being named, and said; or where it stops. */
TEST(headers_are_recognised_or_the_run_stops)
{
    static const struct {
        const char *text, *told; /* NULL: refused with `refusal` */
        const char *refusal;
    } cases[] = {
        {"a\tb\nc\td\n", "", NULL},
        {"1 2 .5\n2 3 .25\n", "", NULL},
        {"source,target\na,b\n", "columns: source 'source', target 'target'\n",
         NULL},
        {"sender_email,receiver_email,amount\na@x,b@y,3\na@x,b@y,4\n",
         "columns: source 'sender_email', target 'receiver_email', weight "
         "'amount'\nweights: added up where an edge is given several times\n",
         NULL},
        {":START_ID,:END_ID,:TYPE\np,q,KNOWS\n",
         "columns: source ':START_ID', target ':END_ID', no weights\n"
         "weights: how often each edge is given\n",
         NULL},
        {"time,payer,payee\n5,a,b\n6,b,c\n",
         "columns: source 'payer', target 'payee', no weights\n"
         "weights: how often each edge is given\n",
         NULL},
        {"when,x,y\n5,a,b\n6,b,c\n", NULL, "which columns are the ends"},
        {"when,x,y\n5,1,2\n6,2,3\n", NULL, "which columns are the ends"},
        {"1690000001,7,8\n1690000002,8,9\n1690000003,7,9\n", NULL,
         "looks like times"},
        {"sender_id,other\na,b\nb,c\n", NULL,
         "whether the first line names the columns"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char told[512] = "";
        const kith_build_options how = {.tell = keep, .tell_user = told};
        kith_graph *g = NULL;
        kith_error err = {0};
        const kith_status st = kith_graph_read(
            check_file("h.csv", cases[i].text), &how, &g, NULL, &err);

        CHECK((st == KITH_OK) == (cases[i].told != NULL));
        if (cases[i].told)
            CHECK_TEXT(told, cases[i].told);
        else if (!strstr(err.text, cases[i].refusal))
            check_failed(__FILE__, __LINE__, "'%s' lacks '%s'", err.text,
                         cases[i].refusal);
        kith_graph_free(g);
    }
}

/* ---- labels -------------------------------------------------------------- */

TEST(labels_are_read_by_column_and_words_that_say_nothing_counted)
{
    const kith_table_options t = {
        .node = "acct", .label = "state", .unlabelled = "later,2"};
    char told[512] = "";
    const kith_build_options how = {
        .table = &t, .tell = keep, .tell_user = told};
    kith_graph *g;
    kith_labels *l;
    kith_error err;

    CHECK_OK(kith_graph_read(check_file("e.tsv", "a\tb\nb\tc\nc\td\nd\te\n"),
                             NULL, &g, NULL, &err));
    CHECK_OK(kith_labels_read_table(
        check_file("n.csv", "state,acct,x\nbad,a,1\nNA,b,1\n,c,1\ngood,d,1\n"
                            "2,e,1\nbad,zoe,1\n"),
        g, &how, &l, &err));
    CHECK_INT(l->labelled, 2);
    CHECK_INT(l->classes, 2);
    CHECK_TEXT(told, "labels from: node 'acct', class 'state'\n"
                     "unlabelled: 3 rows without a label\n"
                     "not in graph: 1 label left out: 'zoe'\n");
    kith_labels_free(l);
    kith_graph_free(g);
}

TEST(tables_survive_every_failed_allocation)
{
    const kith_table_options t = {
        .source = "from", .target = "to", .weight = "sum"};
    const kith_build_options how = {.table = &t, .job.threads = 1};
    const char *path = check_file("p.csv", payments);
    kith_graph *g;

    CHECK_OOM(st = kith_graph_read(path, &how, &g, NULL, NULL),
              kith_graph_free(g));
}
