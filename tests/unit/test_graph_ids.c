/* A graph of edges between ids is that of a file with the same lines. */
#include "check.h"

/* b-a .5, a-c 1, b-a 2 again, c-c, d-b 3 */
static const char bytes_u[] = "babcd", bytes_v[] = "acacb";
static const int64_t narrow[] = {0, 1, 2, 3, 4, 5};
static const float w[] = {.5f, 1, 2, 4, 3};
static const char file[] = "x,y,w\nb,a,.5\na,c,1\nb,a,2\nc,c,4\nd,b,3\n";
static const char plain[] = "x,y\nb,a\na,c\nb,a\nc,c\nd,b\n";

static const kith_id_edges texts = {
    .u = {.offsets = {narrow, KITH_I64, 6}, .bytes = bytes_u},
    .v = {.offsets = {narrow, KITH_I64, 6}, .bytes = bytes_v},
    .weights = {w, KITH_F32, 5}};

static uint64_t hash_of_file(const char *text, const char *weight)
{
    const kith_table_options t = {
        .source = "x", .target = "y", .weight = weight};
    const kith_build_options o = {.table = &t};
    kith_graph *g = NULL;
    kith_error err;
    uint64_t hash;

    CHECK_OK(kith_graph_read(check_file("e.csv", text), &o, &g, NULL, &err));
    hash = kith_graph_hash(g);
    kith_graph_free(g);
    return hash;
}

static uint64_t hash_of(const kith_id_edges *e, const kith_ids *ids)
{
    kith_graph *g = NULL;
    kith_error err;
    uint64_t hash;

    CHECK_OK(kith_graph_from_id_edges(e, ids, NULL, &g, NULL, &err));
    hash = kith_graph_hash(g);
    kith_graph_free(g);
    return hash;
}

TEST(texts_give_the_graph_of_a_table)
{
    kith_id_edges counted = texts;

    counted.weights = (kith_array){0};
    CHECK_INT(hash_of(&texts, NULL), hash_of_file(file, "w"));
    CHECK_INT(hash_of(&counted, NULL), hash_of_file(plain, NULL));
}

TEST(what_is_cleaned_is_counted)
{
    kith_cleaning c = {0};
    kith_graph *g = NULL;
    kith_error err;
    size_t length;
    char number[KITH_ID_BUFFER];

    CHECK_OK(kith_graph_from_id_edges(&texts, NULL, NULL, &g, &c, &err));
    CHECK_INT(c.entries, 5);
    CHECK_INT(c.self_loops, 1);
    CHECK_INT(c.duplicates, 1);
    CHECK_INT(kith_graph_nodes(g), 4);
    CHECK_INT(kith_graph_edges(g), 3);
    CHECK(kith_graph_id(g, 0, number, &length)[0] == 'b'); /* comes first */
    kith_graph_free(g);
}

TEST(integers_go_by_value_whether_typed_or_written)
{
    static const int32_t u[] = {30, 7, 30}, v[] = {7, 100, 7};
    static const int64_t wide_u[] = {30, 7, 30}, wide_v[] = {7, 100, 7};
    static const int32_t at[] = {0, 2, 3, 5}, at_v[] = {0, 1, 4, 5};
    const kith_id_edges a = {.u = {.integers = {u, KITH_I32, 3}},
                             .v = {.integers = {v, KITH_I32, 3}}};
    const kith_id_edges b = {.u = {.integers = {wide_u, KITH_I64, 3}},
                             .v = {.integers = {wide_v, KITH_I64, 3}}};
    const kith_id_edges c = {
        .u = {.offsets = {at, KITH_I32, 4}, .bytes = "30730"},
        .v = {.offsets = {at_v, KITH_I32, 4}, .bytes = "71007"}};
    const uint64_t hash = hash_of(&a, NULL);

    CHECK_INT(hash_of(&b, NULL), hash);
    CHECK_INT(hash_of(&c, NULL), hash);
    CHECK_INT(hash_of_file("x,y\n30,7\n7,100\n30,7\n", NULL), hash);
}

TEST(a_list_of_nodes_says_which_there_are)
{
    static const int32_t at[] = {0, 1, 2, 3, 4, 5};
    const kith_array offsets = {at, KITH_I32, 6};
    static const int32_t u[] = {4}, v[] = {7};
    const kith_id_edges numbers = {.u = {.integers = {u, KITH_I32, 1}},
                                   .v = {.integers = {v, KITH_I32, 1}}};
    kith_graph *g = NULL;
    kith_ids *ids = NULL;
    kith_error err;

    CHECK_OK(kith_ids_from_strings(&offsets, "zabcd", &ids, &err));
    CHECK_OK(kith_graph_from_id_edges(&texts, ids, NULL, &g, NULL, &err));
    CHECK_INT(kith_graph_nodes(g), 5);
    CHECK_INT(kith_graph_find(g, "z", 1), 0);
    kith_graph_free(g);
    CHECK_INT(kith_graph_from_id_edges(&numbers, ids, NULL, &g, NULL, &err),
              KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "u[0] is node '4', which the ids do not list");
    kith_ids_free(ids);
    CHECK_OK(kith_ids_from_strings(&offsets, "zabc4", &ids, &err));
    CHECK_INT(kith_graph_from_id_edges(&texts, ids, NULL, &g, NULL, &err),
              KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "u[4] is node 'd', which the ids do not list");
    kith_ids_free(ids);
}

TEST(weights_may_be_left_out)
{
    const kith_build_options o = {.weights = KITH_NO};
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(kith_graph_from_id_edges(&texts, NULL, &o, &g, NULL, &err));
    CHECK(!kith_graph_weights(g));
    kith_graph_free(g);
}

static void check_refused(const kith_id_edges *e, kith_status status,
                          const char *text)
{
    kith_graph *g = NULL;
    kith_error err;

    CHECK_INT(kith_graph_from_id_edges(e, NULL, NULL, &g, NULL, &err), status);
    CHECK_TEXT(err.text, text);
    CHECK(!g);
}

TEST(ids_that_make_no_graph_are_refused)
{
    static const int32_t minus[] = {1, -3}, two[] = {1, 2};
    static const int64_t falls[] = {0, 2, 1, 3, 4, 5},
                         none[] = {0, 0, 1, 2, 3, 4};
    static const float bad[] = {1, -1, 1, 1, 1};
    kith_id_edges e = {.u = {.integers = {minus, KITH_I32, 2}},
                       .v = {.integers = {two, KITH_I32, 2}}};

    check_refused(&e, KITH_ERR_ARGUMENT,
                  "u[1] is -3, expected 0 to 9223372036854775806");
    e.u.integers.data = two;
    e.v.integers.count = 1;
    check_refused(&e, KITH_ERR_ARGUMENT,
                  "v has 1 ids, expected as many as u, 2");
    e.v = texts.v;
    check_refused(&e, KITH_ERR_ARGUMENT,
                  "one end of the edges is texts and the other integers, "
                  "expected both alike");
    e = texts;
    e.u.offsets.data = falls;
    check_refused(&e, KITH_ERR_ARGUMENT, "u: offset 2 falls from 2 to 1");
    e.u.offsets.data = none;
    check_refused(&e, KITH_ERR_ARGUMENT,
                  "u[0] is an id of 0 bytes, expected 1 to 65535");
    e = texts;
    e.u.bytes = NULL;
    check_refused(&e, KITH_ERR_ARGUMENT,
                  "u has no texts, expected one offset more than there are, "
                  "and bytes");
    e = texts;
    e.weights.data = bad;
    CHECK(kith_graph_from_id_edges(&e, NULL, NULL, &(kith_graph *){NULL}, NULL,
                                   NULL) == KITH_ERR_ARGUMENT);
    e.weights = (kith_array){w, KITH_F32, 4};
    check_refused(&e, KITH_ERR_ARGUMENT,
                  "weights has 4 numbers, expected as many as there are edges, "
                  "5");
    e = (kith_id_edges){.u = {.integers = {two, KITH_I32, 0}},
                        .v = {.integers = {two, KITH_I32, 0}}};
    check_refused(&e, KITH_ERR_RANGE,
                  "the graph has no edges and no list of nodes, expected some");
}

TEST(edges_of_ids_survive_every_failed_allocation)
{
    static const int32_t u[] = {30, 7, 30}, v[] = {7, 100, 7};
    static const int32_t at[] = {0, 2, 3, 5}, at_v[] = {0, 1, 4, 5};
    const kith_id_edges a = {.u = {.integers = {u, KITH_I32, 3}},
                             .v = {.integers = {v, KITH_I32, 3}}};
    const kith_id_edges c = {
        .u = {.offsets = {at, KITH_I32, 4}, .bytes = "30730"},
        .v = {.offsets = {at_v, KITH_I32, 4}, .bytes = "71007"}};
    const kith_id_edges *all[] = {&a, &c, &texts};
    kith_graph *g = NULL;

    for (int i = 0; i < 3; i++)
        CHECK_OOM(
            st = kith_graph_from_id_edges(all[i], NULL, NULL, &g, NULL, NULL),
            kith_graph_free(g));
}
