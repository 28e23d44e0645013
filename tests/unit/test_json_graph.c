#include "format_checks.h"

static kith_status read_text(const char *text, kith_graph **g, kith_error *err)
{
    return read_graph(kith__json_graph_read, check_file("g.json", text),
                      KITH_AUTO, g, NULL, err);
}

static int32_t node(const kith_graph *g, const char *id)
{
    return kith_graph_find(g, id, strlen(id));
}

/* As networkx.node_link_data() and json.dump(..., indent=1) write it. */
static const char node_link[] =
    "{\n \"directed\": false,\n \"multigraph\": false,\n"
    " \"graph\": {\"name\": \"x\", \"deep\": [[1, {\"id\": 2}], null]},\n"
    " \"nodes\": [\n  {\"class\": \"x\", \"age\": NaN, \"id\": \"a\"},\n"
    "  {\"class\": \"y\", \"id\": \"b\\u00e9\"},\n  {\"id\": \"c\"}\n ],\n"
    " \"links\": [\n  {\"weight\": 2.5, \"source\": \"a\", \"target\": "
    "\"b\\u00e9\"},\n  {\"source\": \"b\xc3\xa9\", \"target\": \"c\", "
    "\"key\": 0}\n ]\n}\n";

TEST(node_link_as_networkx_writes_it)
{
    kith_dataset *d;
    kith_error err;

    CHECK_OK(kith_dataset_open(check_file("n.txt", node_link), NULL, &d, &err));
    CHECK_INT(kith_graph_nodes(d->graph), 3);
    CHECK_INT(kith_graph_edges(d->graph), 2);
    CHECK_INT(node(d->graph, "b\xc3\xa9"), 1);
    CHECK_ROW(d->graph, 1, 0, 2);
    CHECK(kith_graph_weights(d->graph)[0] == 2.5f);
    CHECK(kith_graph_weights(d->graph)[2] == 1);
    CHECK_TEXT(d->label, "class");
    CHECK_INT(d->labels->labelled, 2);
    CHECK_INT(d->labels->of[2], -1);
    CHECK_INT(d->cleaning.lines, 14);
    CHECK_INT(d->cleaning.entries, 2);
    kith_dataset_free(d);
}

/* Links before nodes; the weight is a `value`; older D3 counts its nodes. */
TEST(node_link_as_d3_writes_it)
{
    kith_graph *g;
    kith_error err;

    CHECK_OK(read_text("{\"links\":[{\"source\":\"Napoleon\",\"target\":"
                       "\"Myriel\",\"value\":3}],\"nodes\":[{\"id\":"
                       "\"Myriel\",\"group\":1},{\"id\":\"Napoleon\"}]}",
                       &g, &err));
    CHECK_INT(kith_graph_nodes(g), 2);
    CHECK_ROW(g, 0, 1);
    CHECK(kith_graph_weights(g)[0] == 3);
    kith_graph_free(g);
    CHECK_OK(read_text("{\"nodes\":[{\"name\":\"x\"},{\"name\":\"y\"},{}],"
                       "\"links\":[{\"source\":2,\"target\":0}]}",
                       &g, &err));
    CHECK_INT(kith_graph_nodes(g), 3);
    CHECK_ROW(g, 0, 2);
    CHECK(!kith_graph_weights(g));
    kith_graph_free(g);
}

TEST(edges_one_behind_the_other)
{
    static const char *const texts[] = {
        "{\"source\": \"a\", \"target\": \"b\", \"weight\": 2}\n"
        "{\"target\": \"c\", \"note\": {\"x\": []}, \"source\": \"b\"}\n",
        "\xef\xbb\xbf{\"from\":\"a\",\"to\":\"b\",\"weight\":\"2\"}\r\n"
        "{\"src\":\"c\",\"dst\":\"b\",\"weight\":null}",
        "[\"a\", \"b\", 2]\n[\"b\", \"c\", 1]\n",
        "[[\"a\", \"b\", 2], [\"b\", \"c\"]]",
        "[{\"source\":\"a\",\"target\":\"b\",\"weight\":2e0},\n"
        " {\"source\":\"b\",\"target\":\"c\"}]\n",
        "{\"nodes\": [\"a\", \"b\", \"c\"],\n"
        " \"edges\": [[\"a\", \"b\", {\"weight\": 2}], [\"b\", \"c\", {}]]}"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        kith_graph *g = NULL;
        kith_error err;

        CHECK_OK(read_text(texts[i], &g, &err));
        if (!g)
            continue;
        CHECK_INT(kith_graph_nodes(g), 3);
        CHECK_ROW(g, 1, 0, 2);
        CHECK(kith_graph_weights(g)[0] == 2 && kith_graph_weights(g)[2] == 1);
        kith_graph_free(g);
    }
}

/* Two halves of a surrogate pair are one character: U+1F600. */
TEST(escapes_are_the_bytes_they_stand_for)
{
    kith_graph *g;
    kith_error err;

    CHECK_OK(read_text("[\"\\ud83d\\ude00\", \"\\\"\\\\\\/\\t\\n\\u0041\"]", &g,
                       &err));
    CHECK(node(g, "\xf0\x9f\x98\x80") >= 0);
    CHECK(node(g, "\"\\/\t\nA") >= 0);
    kith_graph_free(g);
}

/* Numbers are ids as they are written; 1 and "1" are the same. */
TEST(ids_may_be_numbers)
{
    kith_graph *g;
    kith_error err;

    CHECK_OK(read_text("[10, 9]\n[\"9\", 2]\n", &g, &err));
    CHECK_INT(kith_graph_nodes(g), 3);
    CHECK_INT(node(g, "2"), 0);
    CHECK_ROW(g, 1, 0, 2);
    kith_graph_free(g);
}

/* A token that ends where one portion of the file ends and the next begins. */
TEST(tokens_across_portions)
{
    for (int shift = 0; shift < 24; shift++) {
        char *text = malloc((1 << 16) + 100);
        const int blanks = (1 << 16) - shift;
        kith_graph *g;
        kith_error err;

        memset(text, ' ', (size_t)blanks);
        memcpy(text, "{\"", 2);
        memcpy(text + 2, "source\":", 8);
        snprintf(text + blanks, 100,
                 "\"\\u00e9a\\n\",\"target\":\"b\",\"weight\":12.5e0}");
        CHECK_OK(read_text(text, &g, &err));
        CHECK(node(g, "\xc3\xa9"
                      "a\n") >= 0);
        CHECK(kith_graph_weights(g)[0] == 12.5f);
        kith_graph_free(g);
        free(text);
    }
}

TEST(what_is_not_json_is_refused)
{
    static const struct {
        const char *text, *why;
        int line;
    } cases[] = {
        {"[\"a\", \"b\",]", "found ']', expected a value", 1},
        {"{\"source\": \"a\",\n}", "found '}', expected a name", 2},
        {"{\"source\" \"a\"}", "expected a colon", 1},
        {"[\"a\" \"b\"]", "expected a comma or ]", 1},
        {"{\"source\": \"a\"\n\"target\": 1}", "expected a comma or }", 2},
        {"[\"a\", \"b\"", "ends early", 1},
        {"[\"a\", \"b", "ends early, expected the end of a string", 1},
        {"[\"a\", \"b\n\"]", "a string has a control character", 1},
        {"[\"a\", \"\\x\"]", "expected an escape of JSON", 1},
        {"[\"a\", \"\\u12g4\"]", "four hexadecimal digits", 1},
        {"[\"a\", \"\\ud83d\"]", "half of a surrogate pair", 1},
        {"[\"a\", \"\\ude00\"]", "half of a surrogate pair", 1},
        {"[\"a\", \"\\u0000\"]", "the character U+0000", 1},
        {"[\"a\", \"\xff\"]", "is not UTF-8", 1},
        {"[\"a\", \"\xc0\xaf\"]", "is not UTF-8", 1},
        {"[\"a\", \"\xed\xa0\x80\"]", "is not UTF-8", 1},
        {"[1, 02]", "found '02'", 1},
        {"[1, 1.]", "found '1.'", 1},
        {"[1, +1]", "found '+1'", 1},
        {"[1, tru]", "found 'tru'", 1},
        {"[1, 'a']", "found '''", 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        kith_graph *g;
        kith_error err;

        CHECK_REFUSED(read_text(cases[i].text, &g, &err), KITH_ERR_PARSE,
                      cases[i].line, cases[i].why);
    }
}

TEST(what_is_no_graph_is_refused)
{
    kith_graph *g;
    kith_error err;

    CHECK_REFUSED(read_text("{\"source\": \"a\"}", &g, &err), KITH_ERR_PARSE, 1,
                  "an edge has no target");
    CHECK_REFUSED(read_text("[1]", &g, &err), KITH_ERR_PARSE, 1,
                  "an edge has no target");
    CHECK_REFUSED(read_text("[1, 2, 3, 4]", &g, &err), KITH_ERR_PARSE, 1,
                  "more than two ends and a weight");
    CHECK_REFUSED(read_text("{\"a\": 1}", &g, &err), KITH_ERR_PARSE, 1,
                  "without 'source' and 'target', or 'nodes' and 'links'");
    CHECK_REFUSED(read_text("{\"nodes\": 5}", &g, &err), KITH_ERR_PARSE, 1,
                  "is no array");
    CHECK_REFUSED(read_text("{\"links\": [5]}", &g, &err), KITH_ERR_PARSE, 1,
                  "an edge is neither an object nor an array");
    CHECK_REFUSED(read_text("{\"nodes\": [{\"id\": [1, 2]}]}", &g, &err),
                  KITH_ERR_PARSE, 1, "an id is neither a string nor a number");
    CHECK_REFUSED(read_text("{\"nodes\": []}", &g, &err), KITH_ERR_PARSE, 0,
                  "has no nodes");
    CHECK_REFUSED(read_text("\"a\"", &g, &err), KITH_ERR_PARSE, 1,
                  "expected an object or an array");
    CHECK_REFUSED(read_text("[1, 2, NaN]", &g, &err), KITH_ERR_PARSE, 1,
                  "weight 'NaN' is infinite or not a number");
}

TEST(deep_nesting_is_refused)
{
    char text[128];
    kith_graph *g;
    kith_error err;

    memset(text, '[', sizeof(text));
    text[127] = '\0';
    memcpy(text, "{\"x\":", 5);
    CHECK_REFUSED(read_text(text, &g, &err), KITH_ERR_PARSE, 1,
                  "nested more than 64 deep");
}

TEST(reading_survives_every_failed_allocation)
{
    const char *path = check_file("oom.json", node_link);
    kith_dataset *d;

    CHECK_OOM(st = kith_dataset_open(path, NULL, &d, NULL),
              kith_dataset_free(d));
}
