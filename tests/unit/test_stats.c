#include "check.h"

/* A triangle, an edge, a lone node: degrees 2 2 2 1 1 0. */
TEST(components_and_degrees_by_hand)
{
    kith_build_options o = {.nodes = check_file("n.txt", "0\n1\n2\n3\n4\n5\n")};
    kith_graph *g = NULL;
    kith_graph_stats s;
    kith_error err;

    CHECK_OK(kith_graph_read(check_file("g.tsv", "0\t1\n1\t2\n2\t0\n3\t4\n"),
                             &o, &g, NULL, &err));
    CHECK_OK(kith_graph_stats_compute(g, NULL, &s, &err));
    CHECK_INT(s.components, 3);
    CHECK_INT(s.largest, 3);
    CHECK_INT(s.isolated, 1);
    CHECK_INT(s.max_degree, 2);
    CHECK_NEAR(s.mean_degree, 8.0 / 6, 1e-12);
    CHECK_INT(s.percentile[0], 0); /* 1 of 6 nodes has degree 0: 17 % */
    CHECK_INT(s.percentile[1], 1); /* 3 of 6 have at most 1 */
    CHECK_INT(s.percentile[2], 2);
    CHECK_INT(s.degree_bucket[0], 1);
    CHECK_INT(s.degree_bucket[1], 2);
    CHECK_INT(s.degree_bucket[2], 3);
    kith_graph_free(g);
}

TEST(a_long_path_is_one_component)
{
    FILE *f = fopen(check_path("p.tsv"), "w");
    kith_graph *g = NULL;
    kith_graph_stats s;
    kith_error err;

    for (int i = 0; i < 100000; i++)
        fprintf(f, "%d\t%d\n", i, i + 1);
    fclose(f);
    CHECK_OK(kith_graph_read(check_path("p.tsv"), NULL, &g, NULL, &err));
    CHECK_OK(kith_graph_stats_compute(g, NULL, &s, &err));
    CHECK_INT(s.components, 1);
    CHECK_INT(s.largest, 100001);
    CHECK_OOM(st = kith_graph_stats_compute(g, NULL, &s, NULL), );
    kith_graph_free(g);
}
