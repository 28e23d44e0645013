#include "format_checks.h"

static kith_status read_text(const char *text, kith_graph **g, kith_error *err)
{
    return read_graph(kith__metis_read, check_file("g.graph", text), KITH_AUTO,
                      g, NULL, err);
}

/* Path 0-1-3; node 2 is a blank line. */
TEST(a_blank_line_is_a_node_without_neighbours)
{
    const char *path = check_file("g.graph", "% comment\n4 2\n2\n% more\n1 4\n"
                                             "\n 2 \n\n");
    kith_cleaning cleaning;
    kith_graph *g;
    kith_error err;

    CHECK_OK(
        read_graph(kith__metis_read, path, KITH_AUTO, &g, &cleaning, &err));
    CHECK_INT(kith_graph_nodes(g), 4);
    CHECK_INT(kith_graph_edges(g), 2);
    CHECK(!kith_graph_weights(g));
    CHECK_ROW(g, 0, 1);
    CHECK_ROW(g, 1, 0, 3);
    CHECK_INT(kith_graph_rows(g)[3] - kith_graph_rows(g)[2], 0);
    CHECK_ROW(g, 3, 1);
    CHECK_INT(cleaning.lines, 8);
    CHECK_INT(cleaning.comments, 3);
    CHECK_INT(cleaning.entries, 4);
    CHECK_INT(cleaning.isolated, 1);
    kith_graph_free(g);
}

/* fmt 111, two weights a node: size, weight, weight, then pairs. */
TEST(sizes_and_node_weights_are_skipped)
{
    kith_graph *g;
    kith_error err;

    CHECK_OK(read_text("2 1 111 2\n9 8 7 2 5\n6 5 4 1 5\n", &g, &err));
    CHECK_ROW(g, 0, 1);
    CHECK(kith_graph_weights(g)[0] == 5 && kith_graph_weights(g)[1] == 5);
    kith_graph_free(g);
    CHECK_OK(read_text("2 1 10\n3 2\n3 1\n", &g, &err));
    CHECK_ROW(g, 0, 1);
    CHECK(!kith_graph_weights(g));
    kith_graph_free(g);
}

TEST(weights_can_be_left_out_but_not_made_up)
{
    const char *path = check_file("w.graph", "2 1 1\n2 5\n1 5\n");
    kith_graph *g;
    kith_error err;

    CHECK_OK(read_graph(kith__metis_read, path, KITH_NO, &g, NULL, &err));
    CHECK(!kith_graph_weights(g));
    kith_graph_free(g);
    path = check_file("p.graph", "2 1\n2\n1\n");
    CHECK_REFUSED(read_graph(kith__metis_read, path, KITH_YES, &g, NULL, &err),
                  KITH_ERR_PARSE, 1, "no edge weights");
}

TEST(self_loops_are_left_to_the_builder)
{
    const char *path = check_file("l.graph", "2 2\n1 2\n1 2\n");
    kith_cleaning cleaning;
    kith_graph *g;
    kith_error err;

    CHECK_OK(
        read_graph(kith__metis_read, path, KITH_AUTO, &g, &cleaning, &err));
    CHECK_INT(cleaning.self_loops, 2);
    CHECK_INT(kith_graph_edges(g), 1);
    kith_graph_free(g);
}

TEST(headers_that_are_refused)
{
    kith_graph *g;
    kith_error err;

    CHECK_REFUSED(read_text("", &g, &err), KITH_ERR_PARSE, 0,
                  "expected the number of nodes, found none");
    CHECK_REFUSED(read_text("x 1\n", &g, &err), KITH_ERR_PARSE, 1,
                  "the number of nodes 'x' is not an integer of 0 or more");
    CHECK_REFUSED(read_text("% c\n2\n", &g, &err), KITH_ERR_PARSE, 2,
                  "expected the number of edges, found none");
    CHECK_REFUSED(read_text("2 -1\n", &g, &err), KITH_ERR_PARSE, 1,
                  "the number of edges '-1'");
    CHECK_REFUSED(read_text("2 1 2\n", &g, &err), KITH_ERR_PARSE, 1, "fmt '2'");
    CHECK_REFUSED(read_text("2 1 0001\n", &g, &err), KITH_ERR_PARSE, 1,
                  "fmt '0001'");
    CHECK_REFUSED(read_text("2 1 1 1\n", &g, &err), KITH_ERR_PARSE, 1,
                  "ncon is 1, but fmt says no node weights");
    CHECK_REFUSED(read_text("2 1 10 0\n", &g, &err), KITH_ERR_PARSE, 1,
                  "ncon is 0, but fmt says there are");
    CHECK_REFUSED(read_text("2 1 10 99999999999\n", &g, &err), KITH_ERR_PARSE,
                  1, "does not fit a line");
    CHECK_REFUSED(read_text("2 1 10 1 1\n", &g, &err), KITH_ERR_PARSE, 1,
                  "expected 'nodes edges [fmt [ncon]]'");
    CHECK_REFUSED(read_text("2 9000000000000000000\n", &g, &err),
                  KITH_ERR_RANGE, 1, "expected fewer");
    CHECK_REFUSED(read_text("3000000000 0\n", &g, &err), KITH_ERR_RANGE, 0,
                  "at most 2147483646");
}

TEST(nodes_that_are_refused)
{
    kith_graph *g;
    kith_error err;

    CHECK_REFUSED(read_text("2 1\n3\n1\n", &g, &err), KITH_ERR_PARSE, 2,
                  "neighbour 3 is out of range, expected 1 to 2");
    CHECK_REFUSED(read_text("2 1\n2\n0\n", &g, &err), KITH_ERR_PARSE, 3,
                  "neighbour '0' is not an integer of 1 or more");
    CHECK_REFUSED(read_text("2 1\n2\n", &g, &err), KITH_ERR_PARSE, 2,
                  "header promises 2 nodes, found 1 lines");
    CHECK_REFUSED(read_text("2 1\n2\n1\n\n1\n", &g, &err), KITH_ERR_PARSE, 5,
                  "header promises 2 nodes, found one more line");
    CHECK_REFUSED(read_text("2 2\n2\n1\n", &g, &err), KITH_ERR_PARSE, 3,
                  "header promises 2 edges, each listed twice, found 2");
    CHECK_REFUSED(read_text("2 1\n2\n1 1\n", &g, &err), KITH_ERR_PARSE, 3,
                  "header promises 1 edges, each listed twice, found more");
    CHECK_REFUSED(read_text("2 1 1\n2\n1 1\n", &g, &err), KITH_ERR_PARSE, 2,
                  "expected an edge's weight, found none");
    CHECK_REFUSED(read_text("2 1 1\n2 0\n1 1\n", &g, &err), KITH_ERR_PARSE, 2,
                  "an edge's weight '0' is not an integer of 1 or more");
    CHECK_REFUSED(read_text("2 1 1\n2 1.5\n1 1\n", &g, &err), KITH_ERR_PARSE, 2,
                  "an edge's weight '1.5'");
    CHECK_REFUSED(read_text("1 0 100\n\n", &g, &err), KITH_ERR_PARSE, 2,
                  "expected a node's size or weight, found none");
}

TEST(a_graph_comes_back_as_it_was)
{
    const char *const texts[] = {"4 2\n2\n1 4\n\n2\n",
                                 "3 2 001\n2 7\n1 7 3 16777216\n"
                                 "2 16777216\n"};

    for (int i = 0; i < 2; i++) {
        const char *path = check_path("out.graph");
        kith_graph *g;
        kith_error err;
        char *written;
        size_t n;

        CHECK_OK(read_text(texts[i], &g, &err));
        CHECK_OK(kith_graph_write(g, path, KITH_GRAPH_METIS, NULL, &err));
        written = check_read(path, &n);
        CHECK_TEXT(written, texts[i]);
        free(written);
        kith_graph_free(g);
    }
}

TEST(weights_that_are_no_integers_cannot_be_written)
{
    const char *path = check_file("w.mtx",
                                  "%%MatrixMarket matrix coordinate real "
                                  "symmetric\n2 2 1\n2 1 0.5\n");
    kith_graph *g;
    kith_error err;

    CHECK_OK(read_graph(kith__mtx_graph_read, path, KITH_AUTO, &g, NULL, &err));
    CHECK_REFUSED(kith_graph_write(g, check_path("no.graph"), KITH_GRAPH_METIS,
                                   NULL, &err),
                  KITH_ERR_ARGUMENT, 0, "cannot hold the weight 0.5");
    CHECK(strstr(err.text, ".tsv, .mtx or .kg"));
    CHECK(access(check_path("no.graph"), F_OK) != 0);
    kith_graph_free(g);
}

TEST(reading_survives_every_failed_allocation)
{
    const char *path = check_file("g.graph", "2 1 1\n2 5\n1 5\n");
    kith_graph *g;

    CHECK_OOM(
        st = read_graph(kith__metis_read, path, KITH_AUTO, &g, NULL, NULL),
        kith_graph_free(g));
}
