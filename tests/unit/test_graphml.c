#include "format_checks.h"

#define HEAD                                                      \
    "<?xml version='1.0' encoding='utf-8'?>\n"                    \
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n" \
    "<key id=\"d1\" for=\"edge\" attr.name=\"weight\" "           \
    "attr.type=\"double\"/>\n"                                    \
    "<key id=\"d0\" for=\"node\" attr.name=\"class\" "            \
    "attr.type=\"string\"/>\n"
#define GRAPH(body) \
    HEAD "<graph edgedefault=\"undirected\">" body "</graph></graphml>\n"

static kith_status read_text(const char *text, kith_graph **g, kith_error *err)
{
    check_needs("xml");
    return read_graph(kith__graphml_read, check_file("g.graphml", text),
                      KITH_AUTO, g, NULL, err);
}

static kith_status open_text(const char *text, const char *label,
                             kith_dataset **d, kith_error *err)
{
    const kith_build_options how = {.job.threads = 1, .label = label};

    check_needs("xml");
    return kith_dataset_open(check_file("d.graphml", text), &how, d, err);
}

static int32_t node(const kith_graph *g, const char *id)
{
    return kith_graph_find(g, id, strlen(id));
}

/* Path b - a - "c & d", the second edge without a weight. */
static const char path_text[] = GRAPH(
    "<node id=\"a\"><data key=\"d0\">x</data></node>"
    "<node id=\"b\"><data key=\"d0\"> y\n</data></node>"
    "<node id=\"c &amp; d\"/>"
    "<edge source=\"b\" target=\"a\"><data key=\"d1\">2.5</data></edge>"
    "<edge source=\"a\" target=\"c &#38; d\"/>");

TEST(nodes_edges_and_weights)
{
    kith_cleaning cleaning;
    kith_graph *g;
    kith_error err;

    check_needs("xml");
    CHECK_OK(read_graph(kith__graphml_read, check_file("g.graphml", path_text),
                        KITH_AUTO, &g, &cleaning, &err));
    CHECK_INT(kith_graph_nodes(g), 3);
    CHECK_INT(kith_graph_edges(g), 2);
    CHECK_INT(node(g, "a"), 0);
    CHECK_INT(node(g, "b"), 1);
    CHECK_INT(node(g, "c & d"), 2);
    CHECK_ROW(g, 0, 1, 2);
    CHECK(kith_graph_weights(g)[0] == 2.5f && kith_graph_weights(g)[1] == 1);
    CHECK_INT(cleaning.entries, 2);
    kith_graph_free(g);
}

TEST(weights_can_be_left_out_but_not_made_up)
{
    const char *path = check_file("w.graphml", path_text);
    kith_graph *g;
    kith_error err;

    check_needs("xml");
    CHECK_OK(read_graph(kith__graphml_read, path, KITH_NO, &g, NULL, &err));
    CHECK(!kith_graph_weights(g));
    kith_graph_free(g);
    CHECK_REFUSED(
        read_graph(kith__graphml_read, path, KITH_YES, &g, NULL, &err),
        KITH_ERR_PARSE, 6, "an edge has no weight");
}

/* Integer ids are in numeric order, whatever the order of the file. */
TEST(ids_that_are_integers_are_sorted)
{
    kith_graph *g;
    kith_error err;

    CHECK_OK(read_text(GRAPH("<edge source=\"10\" target=\"9\"/>"
                             "<node id=\"2\"/>"),
                       &g, &err));
    CHECK_INT(kith_graph_nodes(g), 3);
    CHECK_INT(node(g, "2"), 0);
    CHECK_INT(node(g, "9"), 1);
    CHECK_ROW(g, 1, 2);
    kith_graph_free(g);
}

TEST(class_is_the_label_of_a_node)
{
    kith_dataset *d;
    kith_error err;

    CHECK_OK(open_text(GRAPH("<node id=\"a\"><data key=\"d0\">x</data></node>"
                             "<node id=\"b\"><data key=\"d0\">y</data></node>"
                             "<node id=\"c\"><data key=\"d0\">unknown</data>"
                             "</node><edge source=\"a\" target=\"c\"/>"),
                       NULL, &d, &err));
    CHECK_TEXT(d->label, "class");
    CHECK_INT(d->labels->classes, 2);
    CHECK_INT(d->labels->labelled, 2);
    CHECK_TEXT(d->labels->names[d->labels->of[1]], "y");
    CHECK_INT(d->labels->of[2], -1);
    kith_dataset_free(d);
}

/* Ten nodes with ten labels: `label` names them; `class` has two. */
TEST(what_is_different_for_every_node_is_no_class)
{
    char text[4096] = HEAD "<key id=\"d2\" for=\"node\" attr.name=\"label\"/>"
                           "<graph>";
    kith_dataset *d;
    kith_error err;

    for (int i = 0; i < 10; i++) {
        const size_t used = strlen(text);

        snprintf(text + used, sizeof(text) - used,
                 "<node id=\"n%d\"><data key=\"d0\">%c</data>"
                 "<data key=\"d2\">name %d</data></node>",
                 i, "xy"[i % 2], i);
    }
    snprintf(text + strlen(text), 64, "</graph></graphml>");
    CHECK_OK(open_text(text, NULL, &d, &err));
    CHECK_TEXT(d->label, "class");
    CHECK_INT(d->labels->classes, 2);
    kith_dataset_free(d);
    CHECK_OK(open_text(text, "label", &d, &err)); /* who insists */
    CHECK_INT(d->labels->classes, 10);
    kith_dataset_free(d);
    CHECK_REFUSED(open_text(text, "colour", &d, &err), KITH_ERR_PARSE, 0,
                  "no node with an attribute 'colour'");
}

TEST(defaults_stand_for_what_is_not_given)
{
    const char *text =
        "<graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\">"
        "<default>3</default></key><key id=\"c\" for=\"node\" "
        "attr.name=\"class\"><default>good</default></key><graph>"
        "<node id=\"a\"/><node id=\"b\"><data key=\"c\">bad</data></node>"
        "<edge source=\"a\" target=\"b\"/></graph></graphml>";
    kith_dataset *d;
    kith_error err;

    CHECK_OK(open_text(text, NULL, &d, &err));
    CHECK_INT(d->labels->labelled, 2);
    CHECK_TEXT(d->labels->names[d->labels->of[0]], "good");
    CHECK_TEXT(d->labels->names[d->labels->of[1]], "bad");
    CHECK(kith_graph_weights(d->graph)[0] == 3);
    kith_dataset_free(d);
}

/* A node that holds a graph is a node as others are. */
TEST(graphs_within_nodes_are_flattened)
{
    kith_dataset *d;
    kith_error err;

    CHECK_OK(open_text(GRAPH("<node id=\"a\"><data key=\"d0\">x</data>"
                             "<graph><node id=\"a::b\"><data key=\"d0\">y"
                             "</data></node></graph></node>"
                             "<edge source=\"a\" target=\"a::b\"/>"),
                       NULL, &d, &err));
    CHECK_INT(kith_graph_nodes(d->graph), 2);
    CHECK_TEXT(d->labels->names[d->labels->of[0]], "x");
    CHECK_TEXT(d->labels->names[d->labels->of[1]], "y");
    kith_dataset_free(d);
}

/* Each laugh is ten of the next: a billion, if entities were read. */
TEST(entities_are_refused)
{
    const char *const laughs =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE graphml [\n"
        "<!ENTITY lol \"lol\">\n<!ENTITY lol1 \"&lol;&lol;&lol;\">\n]>\n"
        "<graphml><graph><node id=\"&lol1;\"/></graph></graphml>";
    const char *const outside =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE graphml [\n"
        "<!ENTITY file SYSTEM \"/etc/passwd\">\n]>\n"
        "<graphml><graph><node id=\"a\"/></graph></graphml>";
    kith_graph *g;
    kith_error err;

    CHECK_REFUSED(read_text(laughs, &g, &err), KITH_ERR_PARSE, 3,
                  "declares an entity");
    CHECK_REFUSED(read_text(outside, &g, &err), KITH_ERR_PARSE, 3,
                  "declares an entity");
    CHECK_REFUSED(read_text("<!DOCTYPE graphml SYSTEM \"x.dtd\">\n<graphml>"
                            "<graph><node id=\"a\">&b;</node></graph>"
                            "</graphml>",
                            &g, &err),
                  KITH_ERR_PARSE, 2, "the entity 'b', which is not declared");
}

TEST(deep_elements_and_long_tags_are_refused)
{
    const size_t n = (size_t)5 << 20;
    char *text = malloc(n + 64);
    kith_graph *g;
    kith_error err;

    CHECK(text);
    snprintf(text, n, "%s", "<graphml>");
    for (int i = 0; i < 64; i++)
        snprintf(text + 9 + 3 * i, n - 300, "<x>");
    CHECK_REFUSED(read_text(text, &g, &err), KITH_ERR_PARSE, 1,
                  "nested more than 64 deep");
    snprintf(text, n, "<graphml x=\"");
    memset(text + strlen("<graphml x=\""), 'a', n);
    text[n] = '\0';
    CHECK_REFUSED(read_text(text, &g, &err), KITH_ERR_PARSE, 1,
                  "a tag is longer than 4 MiB");
    free(text);
}

TEST(texts_that_are_refused)
{
    kith_graph *g;
    kith_error err;

    CHECK_REFUSED(read_text("<graphml><graph></graph>", &g, &err),
                  KITH_ERR_PARSE, 1, "is not well-formed XML");
    CHECK_REFUSED(read_text(GRAPH(""), &g, &err), KITH_ERR_PARSE, 0,
                  "has no nodes");
    CHECK_REFUSED(read_text(GRAPH("<node/>"), &g, &err), KITH_ERR_PARSE, 5,
                  "a <node> has no id");
    CHECK_REFUSED(read_text(GRAPH("<node id=\"\"/>"), &g, &err), KITH_ERR_PARSE,
                  5, "id is empty");
    CHECK_REFUSED(read_text(GRAPH("<edge source=\"a\"/>"), &g, &err),
                  KITH_ERR_PARSE, 5, "an <edge> has no target");
    CHECK_REFUSED(read_text(GRAPH("<edge source=\"a\" target=\"b\">"
                                  "<data key=\"d1\">-1</data></edge>"),
                            &g, &err),
                  KITH_ERR_PARSE, 5, "weight '-1' is negative");
    CHECK_REFUSED(read_text(GRAPH("<edge source=\"a\" target=\"b\">"
                                  "<data key=\"d1\">heavy</data></edge>"),
                            &g, &err),
                  KITH_ERR_PARSE, 5, "weight 'heavy' is not a number");
    CHECK_REFUSED(read_text(GRAPH("<hyperedge/>"), &g, &err), KITH_ERR_PARSE, 5,
                  "<hyperedge>");
    CHECK_REFUSED(read_text(GRAPH("<node id=\"a\"><data/></node>"), &g, &err),
                  KITH_ERR_PARSE, 5, "a <data> has no key");
}

TEST(a_node_with_two_classes_is_refused)
{
    kith_dataset *d;
    kith_error err;

    CHECK_REFUSED(
        open_text(GRAPH("<node id=\"a\"><data key=\"d0\">x</data></node>"
                        "<node id=\"a\"><data key=\"d0\">y</data></node>"),
                  NULL, &d, &err),
        KITH_ERR_PARSE, 5, "the node has a second class");
}

TEST(other_xml_is_refused_by_its_root)
{
    kith_graph *g;
    kith_error err;

    check_needs("xml");
    CHECK_REFUSED(
        kith_graph_read(check_file("x.txt", "<?xml version=\"1.0\"?><svg/>"),
                        NULL, &g, NULL, &err),
        KITH_ERR_PARSE, 0, "is XML of <svg>, expected <graphml> or <gexf>");
}

TEST(reading_survives_every_failed_allocation)
{
    const char *path = check_file("oom.graphml", path_text);
    kith_dataset *d;

    check_needs("xml");
    CHECK_OOM(st = kith_dataset_open(path, NULL, &d, NULL),
              kith_dataset_free(d));
}
