#include "format_checks.h"

/* As NetworkX writes it: the label of a node is drawn beside it. */
static const char written[] =
    "<?xml version='1.0' encoding='utf-8'?>\n"
    "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n"
    "  <graph defaultedgetype=\"undirected\" mode=\"static\">\n"
    "    <attributes mode=\"static\" class=\"node\">\n"
    "      <attribute id=\"0\" title=\"class\" type=\"string\">"
    "<default>z</default></attribute>\n"
    "    </attributes>\n"
    "    <attributes mode=\"static\" class=\"edge\">\n"
    "      <attribute id=\"0\" title=\"class\" type=\"string\"/>\n"
    "    </attributes>\n"
    "    <nodes>\n"
    "      <node id=\"0\" label=\"Mr. Hi\"><attvalues><attvalue for=\"0\" "
    "value=\"x\"/></attvalues></node>\n"
    "      <node id=\"1\" label=\"b\"/>\n"
    "      <node id=\"2\" label=\"c\"><attvalues><attvalue for=\"0\" "
    "value=\"?\"/></attvalues></node>\n"
    "    </nodes>\n"
    "    <edges>\n"
    "      <edge source=\"0\" target=\"1\" id=\"0\" weight=\"4\"><attvalues>"
    "<attvalue for=\"0\" value=\"friend\"/></attvalues></edge>\n"
    "      <edge source=\"2\" target=\"1\" id=\"1\"/>\n"
    "    </edges>\n"
    "  </graph>\n"
    "</gexf>\n";

static kith_status read_text(const char *text, kith_graph **g, kith_error *err)
{
    check_needs("xml");
    return read_graph(kith__gexf_read, check_file("g.gexf", text), KITH_AUTO, g,
                      NULL, err);
}

TEST(nodes_edges_weights_and_classes)
{
    kith_dataset *d;
    kith_error err;

    check_needs("xml");
    CHECK_OK(kith_dataset_open(check_file("k.gexf", written), NULL, &d, &err));
    CHECK_INT(kith_graph_nodes(d->graph), 3);
    CHECK_INT(kith_graph_edges(d->graph), 2);
    CHECK_ROW(d->graph, 1, 0, 2);
    CHECK(kith_graph_weights(d->graph)[0] == 4);
    CHECK(kith_graph_weights(d->graph)[2] == 1);
    CHECK_TEXT(d->label, "class");
    CHECK_INT(d->labels->labelled, 2);
    CHECK_TEXT(d->labels->names[d->labels->of[0]], "x");
    CHECK_TEXT(d->labels->names[d->labels->of[1]], "z"); /* by default */
    CHECK_INT(d->labels->of[2], -1);
    CHECK_INT(d->cleaning.lines, 20);
    CHECK_INT(d->cleaning.entries, 2);
    kith_dataset_free(d);
}

/* Gephi puts nodes into nodes. */
TEST(nodes_within_nodes_are_nodes)
{
    kith_graph *g;
    kith_error err;

    CHECK_OK(read_text("<gexf><graph><nodes><node id=\"a\"><nodes>"
                       "<node id=\"b\"/></nodes></node></nodes><edges>"
                       "<edge source=\"a\" target=\"b\"/></edges></graph>"
                       "</gexf>",
                       &g, &err));
    CHECK_INT(kith_graph_nodes(g), 2);
    CHECK_ROW(g, 0, 1);
    CHECK(!kith_graph_weights(g));
    kith_graph_free(g);
}

TEST(texts_that_are_refused)
{
    kith_graph *g;
    kith_error err;

    CHECK_REFUSED(read_text("<gexf><graph>\n<node label=\"x\"/>", &g, &err),
                  KITH_ERR_PARSE, 2, "a <node> has no id");
    CHECK_REFUSED(read_text("<gexf>\n<edge target=\"x\"/>", &g, &err),
                  KITH_ERR_PARSE, 2, "an <edge> has no source");
    CHECK_REFUSED(read_text("<gexf><edge source=\"a\" target=\"x\" "
                            "weight=\"inf\"/></gexf>",
                            &g, &err),
                  KITH_ERR_PARSE, 1, "weight 'inf' is infinite");
    CHECK_REFUSED(
        read_text("<gexf><attributes class=\"node\"><attribute/>", &g, &err),
        KITH_ERR_PARSE, 1, "an <attribute> has no id");
    CHECK_REFUSED(
        read_text("<gexf><node id=\"a\"><attvalue value=\"x\"/>", &g, &err),
        KITH_ERR_PARSE, 1, "an <attvalue> has no 'for'");
    CHECK_REFUSED(read_text("<gexf/>", &g, &err), KITH_ERR_PARSE, 0,
                  "has no nodes");
}

/* The same data built, opened again: classes come along. */
TEST(a_built_file_keeps_the_classes)
{
    const char *path = check_file("b.gexf", written);
    kith_dataset *d;
    kith_error err;

    check_needs("xml");
    CHECK_OK(kith_dataset_build(path, check_path("b.kg"), NULL, NULL, &err));
    CHECK_OK(kith_dataset_open(check_path("b.kg"), NULL, &d, &err));
    CHECK_INT(d->labels->labelled, 2);
    CHECK_INT(d->labels->classes, 2);
    kith_dataset_free(d);
}

TEST(reading_survives_every_failed_allocation)
{
    const char *path = check_file("oom.gexf", written);
    kith_dataset *d;

    check_needs("xml");
    CHECK_OOM(st = kith_dataset_open(path, NULL, &d, NULL),
              kith_dataset_free(d));
}
