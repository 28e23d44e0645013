#include "graph/draw.h"

#include "check.h"
#include "models/labelled_nodes.h"

enum { NODES = 60 };

/* A ring with chords and weights, under text ids, its lines in one of two
 * orders. */
static kith_graph *ring(bool backwards)
{
    kith_graph *g = NULL;
    kith_error err;
    FILE *f = fopen(check_path("ring.tsv"), "w");

    for (int i = 0; i < 2 * NODES; i++) {
        const int e = backwards ? 2 * NODES - 1 - i : i, u = e / 2;
        const int v = (u + (e % 2 ? 7 : 1)) % NODES;

        fprintf(f, "n%d\tn%d\t%d\n", backwards ? v : u, backwards ? u : v,
                1 + e % 5);
    }
    fclose(f);
    CHECK_OK(kith_graph_read(check_path("ring.tsv"), NULL, &g, NULL, &err));
    return g;
}

static int32_t node_named(const kith_graph *g, int name)
{
    char id[16];

    snprintf(id, sizeof(id), "n%d", name);
    return kith_graph_find(g, id, strlen(id));
}

TEST(a_key_hangs_on_the_id_alone)
{
    kith_graph *g = ring(false), *h = ring(true);
    int moved = 0;

    for (int i = 0; i < NODES; i++) {
        const int32_t u = node_named(g, i), v = node_named(h, i);

        CHECK(kith__node_key(g, u) == kith__node_key(h, v));
        moved += u != v;
        for (int j = 0; j < i; j++)
            CHECK(kith__node_key(g, u) != kith__node_key(g, node_named(g, j)));
    }
    CHECK(moved > NODES / 2); /* or nothing was tested */
    /* XXH3_64bits("12"), from python3-xxhash */
    CHECK(kith__node_key(NULL, 12) == UINT64_C(9137010170949574516));
    kith_graph_free(g);
    kith_graph_free(h);
}

TEST(orders_differ_by_seed_and_stream_and_hold_every_node)
{
    int32_t order[4][NODES];
    kith_error err;

    for (int i = 0; i < 4; i++) {
        int seen[NODES] = {0};

        for (int32_t u = 0; u < NODES; u++) /* given in different orders */
            order[i][u] = i == 1 ? NODES - 1 - u : u;
        CHECK_OK(kith__draw_order(NULL, i < 3 ? 1 : 2, i < 2 ? 5 : 6, order[i],
                                  NODES, &err));
        for (int32_t u = 0; u < NODES; u++)
            seen[order[i][u]]++;
        for (int32_t u = 0; u < NODES; u++)
            CHECK_INT(seen[u], 1);
    }
    CHECK(memcmp(order[0], order[1], sizeof(order[0])) == 0);
    CHECK(memcmp(order[0], order[2], sizeof(order[0])) != 0);
    CHECK(memcmp(order[2], order[3], sizeof(order[0])) != 0);
}

/* Each class's nodes, and all of them, within one of the same number. */
TEST(parts_are_even_in_every_class)
{
    int32_t nodes[NODES], class_of[NODES];
    int part[NODES], count[4][5] = {{0}}, all[5] = {0};
    kith_error err;

    for (int32_t u = 0; u < NODES; u++) {
        nodes[u] = u;
        class_of[u] = u < 31 ? 0 : u < 52 ? 1 : u < 59 ? 2 : 3;
    }
    CHECK_OK(kith__draw_parts(NULL, nodes, class_of, NODES, 5, 1, part, &err));
    for (int32_t u = 0; u < NODES; u++) {
        CHECK(part[u] >= 0 && part[u] < 5);
        count[class_of[u]][part[u]]++;
        all[part[u]]++;
    }
    for (int p = 0; p < 5; p++) {
        CHECK(count[0][p] == 6 || count[0][p] == 7);
        CHECK(count[1][p] == 4 || count[1][p] == 5);
        CHECK(count[2][p] == 1 || count[2][p] == 2);
        CHECK_INT(all[p], 12);
    }
}

static float weight_between(const kith_graph *g, int32_t u, int32_t v)
{
    for (int64_t p = g->rows[u]; p < g->rows[u + 1]; p++)
        if (g->neighbours[p] == v)
            return g->weights[p];
    return 0;
}

/* The edges of g, and the same arrays whatever order the lines came in. */
TEST(a_drawn_graph_is_the_same_for_any_order_of_lines)
{
    kith_graph *g[2] = {ring(false), ring(true)};
    kith__drawn d[2];
    kith_error err;

    for (int i = 0; i < 2; i++) {
        CHECK_OK(kith__drawn_new(g[i], NULL, &d[i], &err));
        CHECK_INT(kith_graph_nodes(d[i].graph), NODES);
        for (int32_t u = 0; u < NODES; u++) {
            CHECK_INT(d[i].to[d[i].from[u]], u);
            CHECK(u == 0 || kith__node_key(g[i], d[i].from[u - 1]) <
                                kith__node_key(g[i], d[i].from[u]));
            for (int32_t v = 0; v < NODES; v++)
                CHECK(weight_between(d[i].graph, u, v) ==
                      weight_between(g[i], d[i].from[u], d[i].from[v]));
        }
    }
    CHECK(memcmp(d[0].graph->neighbours, d[1].graph->neighbours,
                 (size_t)d[0].graph->entries * sizeof(int32_t)) == 0);
    CHECK(kith_graph_hash(d[0].graph) == kith_graph_hash(d[1].graph));
    CHECK(kith_graph_hash(g[0]) != kith_graph_hash(g[1]));
    for (int i = 0; i < 2; i++) {
        kith__drawn_release(&d[i]);
        kith_graph_free(g[i]);
    }
}

TEST(nodes_ascend_each_once_with_their_classes)
{
    int32_t node[] = {9, 2, 7, 2, 0, 9}, truth[] = {1, 0, 2, 0, 3, 1};
    int32_t n = 6, none = 0;

    CHECK(kith__ascend(node, truth, &n));
    CHECK_INT(n, 4);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(node[i], ((int[]){0, 2, 7, 9})[i]);
        CHECK_INT(truth[i], ((int[]){3, 0, 2, 1})[i]);
    }
    CHECK(kith__ascend(NULL, NULL, &none));
}

TEST(drawing_survives_every_failed_allocation)
{
    kith_graph *g = ring(false);
    int32_t node[3] = {2, 0, 1}, class_of[3] = {0, 1, 0}, n = 3;
    kith__drawn d = {0};
    int part[3];

    CHECK_OOM(st = kith__drawn_new(g, NULL, &d, NULL), kith__drawn_release(&d));
    CHECK_OOM(st = kith__draw_order(g, 1, 1, node, 3, NULL), (void)0);
    CHECK_OOM(st = kith__draw_parts(g, node, class_of, 3, 2, 1, part, NULL),
              (void)0);
    CHECK_OOM(st = kith__ascend(node, class_of, &n) ? KITH_OK : KITH_ERR_NOMEM,
              (void)0);
    kith_graph_free(g);
}
