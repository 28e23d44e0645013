#include "check.h"

static kith_graph *path_graph(void)
{
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(kith_graph_read(check_file("g.tsv", "0\t1\n1\t2\n2\t10\n"), NULL,
                             &g, NULL, &err));
    return g;
}

static kith_labels *labels_of(const kith_graph *g, const char *text)
{
    kith_labels *labels = NULL;
    kith_error err;

    CHECK_OK(kith_labels_read(check_file("l.tsv", text), g, &labels, &err));
    return labels;
}

TEST(integer_classes_are_in_numeric_order)
{
    kith_graph *g = path_graph();
    kith_labels *l = labels_of(g, "# c\n0\t10\n1\t9\n10\t10\n");

    CHECK_INT(l->classes, 2);
    CHECK_INT(l->labelled, 3);
    CHECK_TEXT(l->names[0], "9");
    CHECK_TEXT(l->names[1], "10");
    CHECK_INT(l->of[0], 1);
    CHECK_INT(l->of[1], 0);
    CHECK_INT(l->of[2], -1);
    CHECK_INT(l->of[3], 1);
    kith_labels_free(l);
    kith_graph_free(g);
}

TEST(named_classes_are_in_byte_order_and_headers_skipped)
{
    kith_graph *g = path_graph();
    kith_labels *l = labels_of(g, "node,label\n0,spam\n1,\"not, spam\"\n");

    CHECK_INT(l->classes, 2);
    CHECK_TEXT(l->names[0], "not, spam");
    CHECK_TEXT(l->names[1], "spam");
    kith_labels_free(l);
    l = labels_of(g, "0\tMr. Hi\r\n1\tOfficer\r\n0\tMr. Hi\r\n");
    CHECK_TEXT(l->names[0], "Mr. Hi");
    CHECK_INT(l->labelled, 2);
    kith_labels_free(l);
    kith_graph_free(g);
}

TEST(bad_label_lines_are_refused)
{
    static const struct {
        const char *text;
        int64_t line;
        const char *fragment;
    } cases[] = {
        {"0\ta\n7\tb\n", 2, "unknown node '7'"},
        {"0\ta\n0\tb\n", 2, "node '0' has a second class, it was 'a'"},
        {"0\ta\n1\n", 2, "expected a node and its class separated by a tab"},
        {"0\ta\n\tb\n", 2, "the node is empty"},
        {"0\ta\tb\n", 1, "more than two fields"},
        {"0 a b\n", 1, "more than two fields"},
        {"", 0, "has no labels"},
        {"# only this\n", 0, "has no labels"},
    };
    kith_graph *g = path_graph();

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *path = check_file("bad.tsv", cases[i].text);
        kith_error err = {0};
        kith_labels *l = NULL;

        CHECK(kith_labels_read(path, g, &l, &err) == KITH_ERR_PARSE);
        CHECK(l == NULL);
        CHECK_INT(err.line, cases[i].line);
        if (!strstr(err.text, cases[i].fragment))
            check_failed(__FILE__, __LINE__, "'%s' lacks '%s'", err.text,
                         cases[i].fragment);
    }
    kith_graph_free(g);
}

TEST(labels_are_written_so_that_they_read_back)
{
    check_needs("gzip");
    kith_graph *g = path_graph();
    kith_labels *l = labels_of(g, "10\tb c\n0\ta\n"), *back = NULL;
    kith_error err;

    CHECK_OK(kith_labels_write(l, g, check_path("w.tsv.gz"), &err));
    CHECK_OK(kith_labels_read(check_path("w.tsv.gz"), g, &back, &err));
    CHECK_INT(back->labelled, 2);
    CHECK(memcmp(back->of, l->of, 4 * sizeof(*l->of)) == 0);
    CHECK_TEXT(back->names[1], "b c");
    kith_labels_free(l);
    kith_labels_free(back);
    kith_graph_free(g);
}

/* Path 0-1-2-10 with classes a a b and none: edges 0-1 same, 1-2 not. */
TEST(homophily_counts_edges_with_both_ends_labelled)
{
    kith_graph *g = path_graph();
    kith_labels *l = labels_of(g, "0\ta\n1\ta\n2\tb\n");
    int64_t counted;

    CHECK_NEAR(kith_homophily(g, l, &counted), 0.5, 0);
    CHECK_INT(counted, 2);
    kith_labels_free(l);
    l = labels_of(g, "0\ta\n");
    CHECK(isnan(kith_homophily(g, l, &counted)));
    CHECK_INT(counted, 0);
    kith_labels_free(l);
    kith_graph_free(g);
}

TEST(labels_survive_every_failed_allocation)
{
    kith_graph *g = path_graph();
    const char *path = check_file("oom.tsv", "0\ta\n1\tb\n");
    kith_labels *l = NULL;

    CHECK_OOM(st = kith_labels_read(path, g, &l, NULL), kith_labels_free(l));
    kith_graph_free(g);
}
