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

/* 1000 nodes: a star of 601, a path of 397 and an edge. */
TEST(percentiles_and_buckets_of_a_star_a_path_and_an_edge)
{
    FILE *f = fopen(check_path("s.tsv"), "w");
    kith_graph *g = NULL;
    kith_graph_stats s;
    kith_error err;

    for (int i = 1; i <= 600; i++)
        fprintf(f, "0\t%d\n", i);
    for (int i = 601; i < 997; i++)
        fprintf(f, "%d\t%d\n", i + 1, i); /* 601 .. 997: 397 nodes */
    fprintf(f, "998\t999\n");
    fclose(f);
    CHECK_OK(kith_graph_read(check_path("s.tsv"), NULL, &g, NULL, &err));
    CHECK_OK(kith_graph_stats_compute(g, NULL, &s, &err));
    CHECK_INT(s.components, 3);
    CHECK_INT(s.largest, 601);
    CHECK_INT(s.isolated, 0);
    CHECK_INT(s.max_degree, 600);
    CHECK_NEAR(s.mean_degree, 2 * (600 + 396 + 1) / 1000.0, 1e-12);
    CHECK_INT(s.degree_bucket[0], 0);
    CHECK_INT(s.degree_bucket[1], 604); /* leaves, two ends, the edge */
    CHECK_INT(s.degree_bucket[2], 395); /* within the path */
    CHECK_INT(s.degree_bucket[10], 1);  /* 512 <= 600 < 1024 */
    CHECK_INT(s.percentile[0], 1);
    CHECK_INT(s.percentile[1], 1);
    CHECK_INT(s.percentile[2], 2);
    CHECK_INT(s.percentile[3], 2);
    CHECK_INT(s.percentile[4], 2); /* 999 of 1000: 99.9 % exactly */
    kith_graph_free(g);
}

static int stop(void *user, const kith_progress *step)
{
    (void)user, (void)step;
    return 1;
}

TEST(counting_can_be_cancelled)
{
    const kith_job job = {.progress = stop};
    kith_graph *g = NULL;
    kith_graph_stats s;
    kith_error err;

    CHECK_OK(
        kith_graph_read(check_file("one.tsv", "0\t1\n"), NULL, &g, NULL, &err));
    CHECK_INT(kith_graph_stats_compute(g, &job, &s, &err), KITH_ERR_CANCELLED);
    kith_graph_free(g);
}
