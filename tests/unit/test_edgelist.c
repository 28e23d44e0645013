#include "check.h"
#include "core/rng.h"

/* Read text as a graph; the test fails if that does. */
static kith_graph *graph_of(const char *text, kith_cleaning *c)
{
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(kith_graph_read(check_file("in.tsv", text), NULL, &g, c, &err));
    return g;
}

static int32_t node(const kith_graph *g, const char *id)
{
    const int32_t u = kith_graph_find(g, id, strlen(id));

    if (u < 0)
        check_failed(__FILE__, __LINE__, "no node '%s'", id);
    return u;
}

static bool adjacent(const kith_graph *g, const char *a, const char *b)
{
    const int32_t u = node(g, a), v = node(g, b);

    for (int64_t p = kith_graph_rows(g)[u]; p < kith_graph_rows(g)[u + 1]; p++)
        if (kith_graph_neighbours(g)[p] == v)
            return true;
    return false;
}

static void refuse(const char *text, int64_t line, const char *fragment)
{
    kith_error err = {0};
    kith_graph *g = NULL;

    CHECK(kith_graph_read(check_file("bad.tsv", text), NULL, &g, NULL, &err) ==
          KITH_ERR_PARSE);
    CHECK(g == NULL);
    CHECK_INT(err.line, line);
    if (!strstr(err.text, fragment))
        check_failed(__FILE__, __LINE__, "'%s' does not contain '%s'", err.text,
                     fragment);
}

TEST(cleaning_is_counted)
{
    kith_cleaning c;
    kith_graph *g = graph_of("# a comment\n"
                             "\n"
                             "0\t1\n"
                             "1\t0\n" /* the other way */
                             "0\t1\n" /* a repeat */
                             "2\t2\n" /* a loop: node 2 stays, alone */
                             "1\t3\n"
                             "% another\n",
                             &c);

    CHECK_INT(kith_graph_nodes(g), 4);
    CHECK_INT(kith_graph_edges(g), 2);
    CHECK_INT(c.lines, 8);
    CHECK_INT(c.comments, 3);
    CHECK_INT(c.entries, 5);
    CHECK_INT(c.duplicates, 1);
    CHECK_INT(c.self_loops, 1);
    CHECK_INT(c.both_ways, 1);
    CHECK_INT(c.one_way, 1);
    CHECK_INT(c.isolated, 1);
    CHECK_INT(c.headers, 0);
    kith_graph_free(g);
}

TEST(separators_line_ends_and_missing_newline)
{
    static const char *const texts[] = {"0\t1\n1\t2\n",
                                        "0,1\n1,2",
                                        "0 1\n1 2\n",
                                        "0\t1\r\n1\t2\r\n",
                                        "0;1\n1;2\n",
                                        "  0   1  \n1 \t 2\n",
                                        "0, 1\r\n1 ,2\r\n",
                                        "\xef\xbb\xbf"
                                        "0\t1\n1\t2\n",
                                        "0 1 \n1 2",
                                        "\"0\",\"1\"\n1,2\n"};
    uint64_t hash = 0;

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        kith_graph *g = graph_of(texts[i], NULL);

        CHECK_INT(kith_graph_nodes(g), 3);
        CHECK_INT(kith_graph_edges(g), 2);
        CHECK(i == 0 || kith_graph_hash(g) == hash);
        hash = kith_graph_hash(g);
        kith_graph_free(g);
    }
}

TEST(strings_with_spaces_quotes_and_commas)
{
    kith_graph *g = graph_of("ann lee\tbob\nbob\tzoe, jr\n", NULL);

    CHECK_INT(kith_graph_nodes(g), 3);
    CHECK(adjacent(g, "ann lee", "bob"));
    CHECK(adjacent(g, "zoe, jr", "bob"));
    kith_graph_free(g);
    g = graph_of("\"lee, ann\",\"say \"\"hi\"\"\"\nbob,\"lee, ann\"\n", NULL);
    CHECK(adjacent(g, "lee, ann", "say \"hi\""));
    CHECK(adjacent(g, "lee, ann", "bob"));
    kith_graph_free(g);
}

TEST(quoted_marks_do_not_separate)
{
    kith_graph *g = graph_of("\"Lee, Ann\";bob\n", NULL);

    CHECK(adjacent(g, "Lee, Ann", "bob"));
    kith_graph_free(g);
    g = graph_of("\"a\tb\",\"c; \"\"d\"\"\"\n", NULL);
    CHECK(adjacent(g, "a\tb", "c; \"d\""));
    kith_graph_free(g);
    g = graph_of("\"open\tshut\"\n", NULL); /* nothing else parts them */
    CHECK(adjacent(g, "\"open", "shut\""));
    kith_graph_free(g);
    g = graph_of("say \"a\tb\"\n", NULL); /* no field begins there */
    CHECK(adjacent(g, "say \"a", "b\""));
    kith_graph_free(g);
    refuse("\"never,ends\n", 1, "a quoted field does not end");
}

TEST(semicolons_part_before_commas)
{
    kith_graph *g = graph_of("a;b,c\n", NULL);

    CHECK(adjacent(g, "a", "b,c"));
    kith_graph_free(g);
    refuse("1;2;0,5\n2;3;1,5\n", 1, "has a comma");
    refuse("1;2;1.5\n2;3;1,5\n", 2, "has a comma");
}

TEST(comments_may_be_indented)
{
    kith_cleaning c;
    kith_graph *g = graph_of("  # hello world\na b\n\t% bye\n", &c);

    CHECK_INT(kith_graph_nodes(g), 2);
    CHECK_INT(c.comments, 2);
    kith_graph_free(g);
}

TEST(text_ids_are_numbered_by_appearance)
{
    kith_graph *g = graph_of("z\ta\nm\tz\n", NULL);

    CHECK_INT(node(g, "z"), 0);
    CHECK_INT(node(g, "a"), 1);
    CHECK_INT(node(g, "m"), 2);
    kith_graph_free(g);
}

TEST(integer_ids_are_numbered_by_value)
{
    /* small, sparse, and beyond 32 bits */
    static const char *const texts[] = {"7\t3\n", "2000000000\t3\n",
                                        "99999999999\t3\n"};

    for (int i = 0; i < 3; i++) {
        kith_graph *g = graph_of(texts[i], NULL);

        CHECK_INT(node(g, "3"), 0);
        CHECK_INT(kith_graph_nodes(g), 2);
        kith_graph_free(g);
    }
}

TEST(a_leading_zero_makes_ids_text)
{
    kith_graph *g = graph_of("7\t8\n007\t8\n", NULL);

    CHECK_INT(kith_graph_nodes(g), 3);
    CHECK(adjacent(g, "007", "8"));
    CHECK(!adjacent(g, "007", "7"));
    kith_graph_free(g);
}

TEST(headers_are_recognised)
{
    kith_cleaning c;
    kith_graph *g = graph_of("source,target\na,b\nb,c\n", &c);

    CHECK_INT(c.headers, 1);
    CHECK_INT(kith_graph_edges(g), 2);
    CHECK_INT(kith_graph_find(g, "source", 6), -1);
    kith_graph_free(g);
    g = graph_of("# x\nWho\tWhom\n1\t2\n", &c);
    CHECK_INT(c.headers, 1);
    CHECK_INT(c.comments, 1);
    CHECK_INT(c.lines, 3);
    CHECK_INT(kith_graph_nodes(g), 2);
    kith_graph_free(g);
    g = graph_of("a\tb\nb\tc\n", &c);
    CHECK_INT(c.headers, 0);
    CHECK_INT(kith_graph_nodes(g), 3);
    kith_graph_free(g);
}

TEST(header_and_weights_can_be_said)
{
    kith_build_options o = {.header = KITH_YES, .weights = KITH_NO};
    const char *path = check_file("h.tsv", "a\tb\t1\nb\tc\t2\n");
    kith_graph *g = NULL;
    kith_cleaning c;
    kith_error err;

    CHECK_OK(kith_graph_read(path, &o, &g, &c, &err));
    CHECK_INT(c.headers, 1);
    CHECK_INT(c.extra_fields, 1);
    CHECK_INT(kith_graph_edges(g), 1);
    CHECK(kith_graph_weights(g) == NULL);
    kith_graph_free(g);
    o.header = KITH_NO;
    o.weights = KITH_YES;
    CHECK_OK(kith_graph_read(path, &o, &g, &c, &err));
    CHECK_INT(kith_graph_edges(g), 2);
    CHECK_NEAR(kith_graph_weights(g)[0], 1, 0);
    kith_graph_free(g);
}

TEST(a_third_number_is_a_weight)
{
    kith_graph *g = graph_of("0\t1\t2.5\n1\t2\t1e-1\n1\t0\t0.5\n", NULL);

    CHECK(kith_graph_weights(g) != NULL);
    CHECK_NEAR(kith_graph_weights(g)[0], 2.5, 0); /* the larger of two */
    CHECK_NEAR(kith_graph_weights(g)[3], 0.1, 1e-8);
    kith_graph_free(g);
    g = graph_of("from,to,weight\n0,1,3\n", NULL);
    CHECK_NEAR(kith_graph_weights(g)[0], 3, 0);
    kith_graph_free(g);
    g = graph_of("0\t1\tfriend\n1\t2\tfoe\n", NULL);
    CHECK(kith_graph_weights(g) == NULL);
    kith_graph_free(g);
}

TEST(fields_beyond_the_weight_are_counted)
{
    kith_build_options o = {.weights = KITH_YES};
    kith_graph *g = NULL;
    kith_cleaning c;
    kith_error err;

    CHECK_OK(kith_graph_read(check_file("x.tsv", "0\t1\t2\tmay\n1\t2\t3\n"), &o,
                             &g, &c, &err));
    CHECK_INT(c.extra_fields, 1);
    CHECK_NEAR(kith_graph_weights(g)[0], 2, 0);
    kith_graph_free(g);
}

TEST(refusals_name_the_line)
{
    refuse("0\t1\n2\n", 2, "expected two node ids separated by a tab");
    refuse("0,1\n\n# c\n2,\n", 4, "node id is empty");
    refuse("0\t1\t1\n1\t2\n", 2, "expected a weight in the third field");
    refuse("0\t1\t1\n1\t2\tx\n", 2, "weight 'x' is not a number");
    refuse("0\t1\t1\n1\t2\tnan\n", 2, "not a number");
    refuse("0\t1\t1\n1\t2\tinf\n", 2, "infinite");
    refuse("0\t1\t1\n1\t2\t-1\n", 2, "negative");
    refuse("0\t1\t1\n1\t2\t1e39\n", 2, "infinite");
    refuse("a,b\n\"c,d\n", 2, "quoted field does not end");
    refuse("", 0, "is empty");
    refuse("# nothing\n\n", 0, "has no edges");
}

TEST(bytes_that_are_not_text_are_refused)
{
    kith_error err = {0};
    kith_graph *g = NULL;

    check_file_bytes("nul.tsv", "0\t1\n1\t\0002\n", 9);
    CHECK(kith_graph_read(check_path("nul.tsv"), NULL, &g, NULL, &err) ==
          KITH_ERR_PARSE);
    CHECK_INT(err.line, 2);
    CHECK(strstr(err.text, "NUL") != NULL);
}

TEST(an_id_of_any_reasonable_length)
{
    char *text = malloc(80000);
    kith_error err = {0};
    kith_graph *g = NULL;

    memset(text, 'x', 80000);
    snprintf(text + 65535, 10, "\ty\n");
    g = graph_of(text, NULL);
    CHECK_INT(kith_graph_nodes(g), 2);
    kith_graph_free(g);
    text[65535] = 'x';
    snprintf(text + 65536, 10, "\ty\n");
    CHECK(kith_graph_read(check_file("long.tsv", text), NULL, &g, NULL, &err) ==
          KITH_ERR_PARSE);
    CHECK(strstr(err.text, "65536 bytes") != NULL);
    free(text);
}

TEST(a_list_of_nodes_fixes_order_and_isolated_nodes)
{
    kith_build_options o = {.nodes = check_file("n.txt", "c\nb\nlone\na\n")};
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(
        kith_graph_read(check_file("e.tsv", "a\tb\n"), &o, &g, NULL, &err));
    CHECK_INT(kith_graph_nodes(g), 4);
    CHECK_INT(node(g, "c"), 0);
    CHECK_INT(node(g, "a"), 3);
    kith_graph_free(g);
    CHECK(kith_graph_read(check_file("e.tsv", "a\tb\nb\tq\n"), &o, &g, NULL,
                          &err) == KITH_ERR_PARSE);
    CHECK_INT(err.line, 2);
    CHECK(strstr(err.text, "unknown node 'q'") != NULL);
}

/* A first line that looks like a header is an edge if its fields are nodes. */
TEST(listed_nodes_are_no_header)
{
    kith_build_options o = {.nodes = check_file("n2.txt", "from\nto\n1\n2\n")};
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(kith_graph_read(check_file("e2.tsv", "from\tto\n1\t2\n"), &o, &g,
                             NULL, &err));
    CHECK_INT(kith_graph_edges(g), 2);
    kith_graph_free(g);
}

/* A file of several blocks, in each of the three kinds of ids. */
static const char *big_file(const char *name, const char *form, int lines)
{
    FILE *f = fopen(check_path(name), "w");
    kith__rng r = kith__rng_start(5, 5);

    for (int i = 0; i < lines; i++)
        fprintf(f, form, (unsigned)kith__rng_below(&r, 5000),
                (unsigned)kith__rng_below(&r, 5000));
    fclose(f);
    return check_path(name);
}

TEST(threads_and_memory_do_not_change_the_graph)
{
    static const char *const forms[] = {"%u\t%u\n",
                                        "1%06u000000\t1%06u000000\n",
                                        "user %u\tuser %u\n", "%u,%u,0.5\n"};

    for (int f = 0; f < 4; f++) {
        const char *path = big_file("big.tsv", forms[f], 150000);
        uint64_t hash = 0;
        kith_cleaning first = {0};

        for (int i = 0; i < 5; i++) {
            static const int threads[] = {1, 2, 3, 8, 2};
            kith_build_options o = {
                .job = {.threads = threads[i], .memory = i == 4 ? 100000 : 0},
                .spill_to = check_folder()};
            kith_graph *g = NULL;
            kith_cleaning c;
            kith_error err;

            CHECK_OK(kith_graph_read(path, &o, &g, &c, &err));
            CHECK(i == 0 || kith_graph_hash(g) == hash);
            CHECK(i == 0 || memcmp(&c, &first, sizeof(c)) == 0);
            hash = kith_graph_hash(g);
            first = c;
            kith_graph_free(g);
        }
    }
}

/* A path over the squares, so that ids have 1 to 8 digits, and between its
 * short lines those that only the careful reader takes, at any place in a
 * chunk. */
TEST(odd_lines_between_short_ones_change_nothing)
{
    static const char *const forms[] = {"%d\t%d\n", "%d\t%d\r\n", "%d\t%d\n",
                                        "%d\t%d\tx\n", "# %d %d\n"};
    enum { LAST = 4000 };
    FILE *f = fopen(check_path("squares.tsv"), "w");
    kith__rng r = kith__rng_start(7, 7);
    int comments = 0, extra = 0, lines = 0;

    for (int i = 0; i < LAST; lines++) {
        const int form = i == 0 ? 0 : (int)kith__rng_below(&r, 5);

        fprintf(f, forms[form], i * i, (i + 1) * (i + 1));
        comments += form == 4;
        extra += form == 3;
        i += form != 4;
    }
    fclose(f);
    for (int threads = 1; threads <= 3; threads++) {
        kith_build_options o = {.job = {.threads = threads}};
        kith_graph *g = NULL;
        kith_cleaning c;
        kith_error err;

        CHECK_OK(kith_graph_read(check_path("squares.tsv"), &o, &g, &c, &err));
        CHECK_INT(c.lines, lines);
        CHECK_INT(c.comments, comments);
        CHECK_INT(c.extra_fields, extra);
        CHECK_INT(kith_graph_nodes(g), LAST + 1);
        CHECK_INT(kith_graph_edges(g), LAST);
        for (int i = 0; i < LAST; i++) {
            char id[2][16];

            snprintf(id[0], sizeof(id[0]), "%d", i * i);
            snprintf(id[1], sizeof(id[1]), "%d", (i + 1) * (i + 1));
            CHECK_INT(node(g, id[0]), i);
            CHECK(adjacent(g, id[0], id[1]));
        }
        kith_graph_free(g);
    }
}

/* The error is on the same line whatever the threads, also far into it. */
TEST(errors_far_into_a_file_name_their_line)
{
    const char *path = big_file("late.tsv", "%u\t%u\n", 300000);
    FILE *f = fopen(path, "a");

    fprintf(f, "only-one\n1\t2\n");
    fclose(f);
    for (int threads = 1; threads <= 8; threads *= 2) {
        kith_build_options o = {.job = {.threads = threads}};
        kith_error err = {0};
        kith_graph *g = NULL;

        CHECK(kith_graph_read(path, &o, &g, NULL, &err) == KITH_ERR_PARSE);
        CHECK_INT(err.line, 300001);
    }
}

static int stop_at_once(void *user, const kith_progress *step)
{
    (void)user, (void)step;
    return 1;
}

TEST(the_callback_cancels)
{
    kith_build_options o = {.job = {.progress = stop_at_once}};
    kith_error err = {0};
    kith_graph *g = NULL;

    CHECK(kith_graph_read(check_file("c.tsv", "0\t1\n"), &o, &g, NULL, &err) ==
          KITH_ERR_CANCELLED);
    CHECK(g == NULL);
}

TEST(reading_survives_every_failed_allocation)
{
    static const char *const texts[] = {"0\t1\n1\t2\n", "a,\"b\"\nb,c\n",
                                        "0\t1\t2\n", "99999999999\t1\n"};

    for (int i = 0; i < 4; i++) {
        const char *path = check_file("oom.tsv", texts[i]);
        kith_build_options o = {.job = {.threads = 1}};
        kith_graph *g = NULL;

        CHECK_OOM(st = kith_graph_read(path, &o, &g, NULL, NULL),
                  kith_graph_free(g));
        o.job.memory = 1;
        o.spill_to = check_folder();
        CHECK_OOM(st = kith_graph_read(path, &o, &g, NULL, NULL),
                  kith_graph_free(g));
    }
}

/*
 * Ids of up to 8 digits are read eight bytes at a time.  Here ids near 16
 * million make room, so that a part of a longer one would be an id, too.
 */
TEST(ids_of_nine_digits_are_read_whole)
{
    static const char *const ids[] = {"16000000",  "15999999", "101234567",
                                      "112345678", "10123456", "1234567"};
    char text[4000];
    size_t used = 0;
    kith_graph *g = NULL;
    kith_error err;

    for (int i = 0; i < 120; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\t%s\n",
                                 ids[i % 6], ids[(i + 1 + i / 60) % 6]);
    CHECK_OK(
        kith_graph_read(check_file("nine.tsv", text), NULL, &g, NULL, &err));
    CHECK_INT(kith_graph_nodes(g), 6);
    CHECK_INT(kith_graph_edges(g), 12); /* a ring of six, and every second */
    for (int i = 0; i < 6; i++)
        CHECK(kith_graph_find(g, ids[i], strlen(ids[i])) >= 0);
    kith_graph_free(g);
}
