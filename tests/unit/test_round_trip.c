/*
 * test_round_trip.c: from every format to every other and back is exact.
 */
#include <sys/stat.h>

#include "check.h"

/* Graphs of every kind: gaps, isolated nodes, text, weights. */
static const struct {
    const char *name, *edges, *nodes;
} graphs[] = {
    {"range", "0\t1\n1\t2\n0\t3\n", NULL},
    {"isolated", "0\t1\n", "0\n1\n2\n"},
    {"from one", "1\t2\n2\t3\n", NULL},
    {"gaps", "10\t20\n20\t99999999999\n", NULL},
    {"text", "ann lee\tbob\nbob\t#1\nbob\tc,\"d\"\n",
     "zoe\nbob\n#1\nann lee\nc,\"d\"\n"},
    {"tabs", "\"a\tb\",c\nc,\"  # d\"\nc,\" e\"\n", NULL},
    {"header-like", "from\tto\n1\t2\n", "from\nto\n1\n2\n"},
    {"weights", "0\t1\t2\n1\t2\t7\n", NULL},
    {"ones", "0\t1\t1\n1\t2\t1\n", NULL},
    {"fractions", "0\t1\t0.1\n1\t2\t3e-7\n", NULL},
    {"no edge", "0\t0\n1\t1\n", NULL},
};

static const char *const endings[] = {"kg",    "tsv", "csv",    "mtx",
                                      "graph", "npz", "tsv.gz", "csv.zst"};

static kith_graph *read_graph(const char *path, const char *nodes)
{
    kith_build_options o = {.nodes = nodes};
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(kith_graph_read(path, &o, &g, NULL, &err));
    return g;
}

/* METIS has integer weights only; a tab-separated file has no ids with tabs or
 * that look like a comment. */
static bool can_hold(const char *ending, const char *graph)
{
    if (strcmp(ending, "graph") == 0)
        return strcmp(graph, "fractions") != 0;
    if (strncmp(ending, "tsv", 3) == 0)
        return strcmp(graph, "text") != 0 && strcmp(graph, "tabs") != 0;
    return true;
}

static void check_trip(size_t i, const char *ending, const kith_graph *g)
{
    char name[64];
    kith_graph *back;
    kith_error err = {0};
    kith_status st;

    snprintf(name, sizeof(name), "trip.%s", ending);
    st = kith_graph_write(g, check_path(name), KITH_GRAPH_AUTO, NULL, &err);
    if (!can_hold(ending, graphs[i].name)) {
        CHECK(st == KITH_ERR_ARGUMENT);
        return;
    }
    if (st != KITH_OK) {
        check_failed(__FILE__, __LINE__, "%s as %s: %s", graphs[i].name, ending,
                     err.text);
        return;
    }
    back = read_graph(check_path(name), NULL);
    if (back && kith_graph_hash(back) != kith_graph_hash(g))
        check_failed(__FILE__, __LINE__, "%s changed by %s", graphs[i].name,
                     ending);
    kith_graph_free(back);
}

TEST(every_graph_survives_every_format)
{
    check_needs("gzip zstd");
    for (size_t i = 0; i < sizeof(graphs) / sizeof(*graphs); i++) {
        /* comments are no help here, so text comes as CSV from a list */
        const char *nodes = graphs[i].nodes
                                ? check_file("list.txt", graphs[i].nodes)
                                : NULL;
        kith_graph *g = read_graph(check_file("in.tsv", graphs[i].edges),
                                   nodes);

        for (size_t e = 0; g && e < sizeof(endings) / sizeof(*endings); e++)
            check_trip(i, endings[e], g);
        kith_graph_free(g);
    }
}

/* A list left by an earlier graph would belie the new one. */
TEST(a_stale_list_of_nodes_is_removed)
{
    kith_graph *text = read_graph(check_file("a.tsv", "x\ty\n"), NULL);
    kith_graph *plain = read_graph(check_file("b.tsv", "0\t1\n"), NULL);
    kith_graph *back;
    kith_error err;

    CHECK_OK(kith_graph_write(text, check_path("o.mtx"), KITH_GRAPH_AUTO, NULL,
                              &err));
    CHECK(access(check_path("o.mtx.nodes.txt"), F_OK) == 0);
    CHECK_OK(kith_graph_write(plain, check_path("o.mtx"), KITH_GRAPH_AUTO, NULL,
                              &err));
    CHECK(access(check_path("o.mtx.nodes.txt"), F_OK) != 0);
    back = read_graph(check_path("o.mtx"), NULL);
    CHECK(kith_graph_hash(back) == kith_graph_hash(plain));
    kith_graph_free(text);
    kith_graph_free(plain);
    kith_graph_free(back);
}

/* ---- features ------------------------------------------------------------ */

static bool same_features(const kith_features *a, const kith_features *b)
{
    const size_t n = (size_t)a->entries;

    return a->nodes == b->nodes && a->columns == b->columns &&
           a->entries == b->entries && !a->row == !b->row &&
           !a->value == !b->value &&
           (!a->row ||
            (memcmp(a->row, b->row, ((size_t)a->nodes + 1) * 8) == 0 &&
             memcmp(a->column, b->column, n * 4) == 0)) &&
           (!a->value || memcmp(a->value, b->value, n * 4) == 0);
}

TEST(features_survive_every_format)
{
    check_needs("gzip zstd");
    static const struct {
        const char *text, *endings[4];
    } kinds[] = {
        {"%%MatrixMarket matrix coordinate pattern general\n"
         "4 5 4\n1 1\n1 3\n2 2\n3 1\n",
         {"mtx", "svm", "npz", "mtx.gz"}},
        {"%%MatrixMarket matrix coordinate real general\n"
         "4 5 3\n1 1 0.1\n1 3 -7\n2 2 1e-9\n",
         {"mtx", "svm", "npz", "svm.zst"}},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n0.1\n0\n-3\n",
         {"mtx", "npy", "npz", "mtx.zst"}},
    };

    for (int k = 0; k < 3; k++) {
        kith_features *f = NULL, *back = NULL;
        kith_error err;

        CHECK_OK(
            kith_features_load(check_file("f.mtx", kinds[k].text), &f, &err));
        for (int e = 0; e < 4; e++) {
            char name[64];

            snprintf(name, sizeof(name), "ft.%s", kinds[k].endings[e]);
            CHECK_OK(kith_features_write(f, check_path(name),
                                         KITH_FEATURES_AUTO, &err));
            CHECK_OK(kith_features_load(check_path(name), &back, &err));
            if (!same_features(f, back))
                check_failed(__FILE__, __LINE__, "features %d changed by %s", k,
                             name);
            kith_features_free(back);
        }
        kith_features_free(f);
    }
}

/* ---- whole data sets ----------------------------------------------------- */

static void check_same_set(const kith_dataset *a, const kith_dataset *b)
{
    const size_t n = (size_t)kith_graph_nodes(a->graph);

    CHECK(kith_graph_hash(a->graph) == kith_graph_hash(b->graph));
    CHECK(same_features(a->features, b->features));
    CHECK_INT(a->labels->classes, b->labels->classes);
    CHECK(memcmp(a->labels->of, b->labels->of, n * 4) == 0);
    for (int32_t c = 0; c < a->labels->classes; c++)
        CHECK_TEXT(a->labels->names[c], b->labels->names[c]);
}

TEST(a_data_set_survives_folders_and_built_files)
{
    kith_dataset *d = NULL, *back = NULL;
    kith_error err;

    mkdir(check_path("d"), 0777);
    check_file("d/edges.tsv", "0\t1\n1\t2\n");
    check_file("d/labels.tsv", "0\tx\n3\ty z\n");
    check_file("d/features.mtx",
               "%%MatrixMarket matrix coordinate real general\n"
               "3 2 2\n1 1 0.5\n3 2 -1\n");
    mkdir(check_path("d/splits"), 0777);
    mkdir(check_path("d/splits/0"), 0777);
    check_file("d/splits/0/train.txt", "0\n");
    check_file("d/splits/0/test.txt", "3\n");
    CHECK_OK(kith_dataset_open(check_path("d"), NULL, &d, &err));
    for (int f = KITH_GRAPH_KG; f <= KITH_GRAPH_NPZ; f++) {
        kith_split s, t;

        CHECK_OK(kith_dataset_write(d, check_path("out"), (kith_graph_format)f,
                                    f % 2 ? KITH_FEATURES_SVMLIGHT
                                          : KITH_FEATURES_NPZ,
                                    true, NULL, &err));
        CHECK_OK(kith_dataset_open(check_path("out"), NULL, &back, &err));
        check_same_set(d, back);
        CHECK_OK(kith_split_read(d, "0", &s, &err));
        CHECK_OK(kith_split_read(back, "0", &t, &err));
        CHECK(s.hash == t.hash);
        kith_split_release(&s);
        kith_split_release(&t);
        kith_dataset_free(back);
    }
    CHECK_OK(kith_dataset_save(d, check_path("d.kg"), NULL, &err));
    CHECK_OK(kith_dataset_open(check_path("d.kg"), NULL, &back, &err));
    check_same_set(d, back);
    kith_dataset_free(back);
    CHECK(kith_dataset_write(d, check_path("out"), KITH_GRAPH_TSV,
                             KITH_FEATURES_MTX, false, NULL,
                             &err) == KITH_ERR_IO);
    CHECK(strstr(err.text, "exists already") != NULL);
    kith_dataset_free(d);
}
