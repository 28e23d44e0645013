/* Files of other programs: refused by name, with the way out; KONECT and SNAP;
 * the raw folder of the Open Graph Benchmark. */
#include <sys/stat.h>

#include "check.h"

static char told[1000];

static void note(void *user, const char *key, const char *text)
{
    const size_t n = strlen(told);

    (void)user;
    snprintf(told + n, sizeof(told) - n, "%s: %s\n", key, text);
}

static kith_status read_text(const char *name, const char *text, kith_graph **g,
                             kith_error *err)
{
    const kith_build_options how = {.tell = note};

    told[0] = '\0';
    return kith_graph_read(check_file(name, text), &how, g, NULL, err);
}

TEST(what_is_not_read_is_refused_with_the_line_that_converts_it)
{
    static const struct {
        const char *name, *text, *fragment;
    } cases[] = {
        {"a.data", "PAR1....", "is Parquet"},
        {"a.parquet", "x", "pandas.read_parquet('a.parquet')"},
        {"a.xlsx", "PK\3\4", "is an Excel workbook"},
        {"a.pt", "PK\3\4", "torch.load('a.pt').edge_index"},
        {"a.pkl.gz", "x", "is a Python pickle"},
        {"a.bin", "\x80\4\x95.", "is a Python pickle"},
        {"a.gml", "graph [", "networkx.read_gml('a.gml')"},
        {"a.txt", "*vertices 2\n", "is Pajek"},
        {"a.dat", "\x89HDF\r\n\x1a\n", "is HDF5"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        kith_error err = {0};
        kith_graph *g;

        CHECK(read_text(cases[i].name, cases[i].text, &g, &err) ==
              KITH_ERR_PARSE);
        if (!strstr(err.text, cases[i].fragment))
            check_failed(__FILE__, __LINE__, "'%s' lacks '%s'", err.text,
                         cases[i].fragment);
    }
}

TEST(konect_has_weights_third_and_times_fourth)
{
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(read_text("out.x",
                       "% asym weighted\n% 3 3 3\n1 2 5 13\n2 3 1 14\n"
                       "1 2 5 15\n",
                       &g, &err));
    CHECK_INT(kith_graph_edges(g), 2);
    CHECK_NEAR((double)kith_graph_weights(g)[0], 10, 0);
    CHECK_TEXT(told, "columns: of KONECT: two ends, weight, time\n");
    kith_graph_free(g);
    CHECK(read_text("out.y", "% bip unweighted\n1 2\n", &g, &err) ==
          KITH_ERR_PARSE);
    CHECK(strstr(err.text, "bipartite"));
    CHECK_OK(read_text("out.z", "% sym unweighted\n1 2\n1 3\n", &g, &err));
    CHECK_INT(kith_graph_edges(g), 2);
    kith_graph_free(g);
}

TEST(times_behind_the_ends_are_no_weights)
{
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(read_text("s.txt", "1 2 1300000000\n2 3 1300000005\n", &g, &err));
    CHECK(!kith_graph_weights(g));
    CHECK(strstr(told, "the third column looks like times"));
    kith_graph_free(g);
    CHECK_OK(read_text("t.txt", "1 2 7\n2 3 1300000005\n", &g, &err));
    CHECK(kith_graph_weights(g) != NULL);
    kith_graph_free(g);
}

static const char *ogb(const char *count, const char *edges, const char *labels,
                       const char *features)
{
    const char *folder = check_path("raw");

    (void)mkdir(folder, 0700);
    check_file("raw/num-node-list.csv", count);
    check_file("raw/edge.csv", edges);
    check_file("raw/node-label.csv", labels);
    check_file("raw/node-feat.csv", features);
    return folder;
}

TEST(the_open_graph_benchmark_has_a_line_a_node)
{
    const char *folder = ogb("4\n", "0,1\n1,2\n", "3\nnan\n7\n3\n",
                             "1,2\n0,0.5\n-1,0\n4,4\n");
    kith_dataset *d = NULL;
    kith_error err;

    CHECK_OK(kith_dataset_open(folder, NULL, &d, &err));
    CHECK_INT(kith_graph_nodes(d->graph), 4);
    CHECK_INT(kith_graph_edges(d->graph), 2);
    CHECK_INT(d->labels->labelled, 3);
    CHECK_INT(d->labels->of[1], -1);
    CHECK_TEXT(d->labels->names[d->labels->of[2]], "7");
    CHECK_INT(d->features->columns, 2);
    CHECK_NEAR((double)d->features->value[3], .5, 0);
    kith_dataset_free(d);
    CHECK_OK(kith_dataset_build(folder, check_path("o.kg"), NULL, NULL, &err));
    CHECK_OK(kith_dataset_open(check_path("o.kg"), NULL, &d, &err));
    CHECK_INT(d->labels->labelled, 3);
    kith_dataset_free(d);
}

TEST(a_benchmark_folder_that_does_not_fit_is_refused)
{
    static const char *const cases[][5] = {
        {"2\n3\n", "0,1\n", "1\n", "1\n", "no count of nodes"},
        {"x\n", "0,1\n", "1\n", "1\n1\n", "no count of nodes"},
        {"2\n", "0,1\n", "1,0\n", "1\n1\n", "has 2 labels a line"},
        {"2\n", "0,1\n", "1\n1\n1\n", "1\n1\n", "is a label of node 2"},
        {"2\n", "0,1\n", "nan\n", "1\n1\n", "has no labels"},
        {"2\n", "0,1\n", "1\n", "1\n", "has 1 lines"},
        {"2\n", "0,1\n", "1\n", "1,2\n1\n", "has 1 fields"},
        {"2\n", "0,1\n", "1\n", "1\nx\n", "is no number"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *folder = ogb(cases[i][0], cases[i][1], cases[i][2],
                                 cases[i][3]);
        kith_error err = {0};
        kith_dataset *d;

        CHECK(kith_dataset_open(folder, NULL, &d, &err) != KITH_OK);
        if (!strstr(err.text, cases[i][4]))
            check_failed(__FILE__, __LINE__, "'%s' lacks '%s'", err.text,
                         cases[i][4]);
    }
}

TEST(a_benchmark_folder_survives_every_failed_allocation)
{
    const kith_build_options how = {.job.threads = 1};
    const char *folder = ogb("3\n", "0,1\n1,2\n", "3\nnan\n7\n",
                             "1,2\n0,0.5\n-1,0\n");
    kith_dataset *d;

    CHECK_OOM(st = kith_dataset_open(folder, &how, &d, NULL),
              kith_dataset_free(d));
}
