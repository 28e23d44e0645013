/*
 * test_large_files.c: graphs and features of more numbers than any format reads
 * or writes at once come back as they were.
 */
#include "check.h"

enum { N = 9000, HUGE_N = 4 * N, EACH = 4, COLUMNS = 3 };

/* The last three are read and written as tsv is. */
static const char *const endings[] = {"kg",  "tsv", "mtx",    "graph",
                                      "npz", "csv", "tsv.gz", "csv.zst"};

/* Nodes with chords, 4 edges each; whole weights, since METIS has no others. */
static kith_graph *large_graph(int nodes, bool weighted)
{
    char *text = malloc((size_t)nodes * EACH * 32);
    kith_graph *g = NULL;
    size_t at = 0;
    kith_error err;

    for (int u = 0; u < nodes; u++)
        for (int i = 0; i < EACH; i++) {
            const int v = (u + 1 + i * (i + 57)) % nodes;

            at += weighted ? (size_t)snprintf(text + at, 32, "%d\t%d\t%d\n", u,
                                              v, 1 + (u * 7 + i) % 1000)
                           : (size_t)snprintf(text + at, 32, "%d\t%d\n", u, v);
        }
    CHECK_OK(kith_graph_read(check_file("in.tsv", text), NULL, &g, NULL, &err));
    CHECK_INT(kith_graph_edges(g), (int64_t)nodes * EACH);
    free(text);
    return g;
}

static bool same_weights(const kith_graph *a, const kith_graph *b)
{
    const float *v = kith_graph_weights(a), *w = kith_graph_weights(b);

    return !v == !w &&
           (!v || memcmp(v, w,
                         (size_t)kith_graph_rows(a)[kith_graph_nodes(a)] *
                             sizeof(*v)) == 0);
}

static bool same_neighbours(const kith_graph *a, const kith_graph *b)
{
    const size_t n = (size_t)kith_graph_nodes(a);

    return (size_t)kith_graph_nodes(b) == n &&
           memcmp(kith_graph_rows(a), kith_graph_rows(b),
                  (n + 1) * sizeof(int64_t)) == 0 &&
           memcmp(kith_graph_neighbours(a), kith_graph_neighbours(b),
                  (size_t)kith_graph_rows(a)[n] * sizeof(int32_t)) == 0;
}

static void check_trip(const kith_graph *g, const char *ending)
{
    kith_graph *back = NULL;
    char name[40];
    kith_error err;

    snprintf(name, sizeof(name), "large.%s", ending);
    CHECK_OK(
        kith_graph_write(g, check_path(name), KITH_GRAPH_AUTO, NULL, &err));
    CHECK_OK(kith_graph_read(check_path(name), NULL, &back, NULL, &err));
    if (!same_neighbours(g, back) || !same_weights(g, back))
        check_failed(__FILE__, __LINE__, "changed by %s", ending);
    kith_graph_free(back);
}

TEST(large_graphs_survive_every_format)
{
    check_needs("gzip zstd");
    for (int weighted = 0; weighted < 2; weighted++) {
        kith_graph *g = large_graph(N, weighted);

        for (int e = 0; e < (weighted ? 8 : 5); e++)
            check_trip(g, endings[e]);
        kith_graph_free(g);
    }
}

/* Weights are copied by the mebibyte: these are 288,000. */
TEST(weights_of_a_built_file_come_in_portions)
{
    kith_graph *g = large_graph(HUGE_N, true);

    check_trip(g, "kg");
    kith_graph_free(g);
}

/* Rows of two numbers, or with `dense` of all columns. */
static kith_features *large_features(bool dense, bool ones)
{
    char *text = malloc(N * COLUMNS * 24 + 100);
    kith_features *f = NULL;
    size_t at;
    kith_error err;

    at = dense ? (size_t)snprintf(text, 100,
                                  "%%%%MatrixMarket matrix array real general\n"
                                  "%d %d\n",
                                  N, COLUMNS)
               : (size_t)snprintf(text, 100,
                                  "%%%%MatrixMarket matrix coordinate %s "
                                  "general\n%d %d %d\n",
                                  ones ? "pattern" : "real", N, COLUMNS, 2 * N);
    for (int i = 0; i < N * COLUMNS; i++) {
        if (dense)
            at += (size_t)snprintf(text + at, 24, "%d\n", i % 977);
        else if (i % COLUMNS != i / COLUMNS % COLUMNS)
            at += ones ? (size_t)snprintf(text + at, 24, "%d %d\n",
                                          i / COLUMNS + 1, i % COLUMNS + 1)
                       : (size_t)snprintf(text + at, 24, "%d %d %d.5\n",
                                          i / COLUMNS + 1, i % COLUMNS + 1,
                                          i % 977);
    }
    CHECK_OK(kith_features_load(check_file("f.mtx", text), &f, &err));
    CHECK_INT(f->entries, dense ? N * COLUMNS : 2 * N);
    free(text);
    return f;
}

static bool same_features(const kith_features *a, const kith_features *b)
{
    const size_t n = (size_t)a->entries;

    return a->nodes == b->nodes && a->columns == b->columns &&
           a->entries == b->entries && !a->row == !b->row &&
           !a->value == !b->value &&
           (!a->row || (memcmp(a->row, b->row, (N + 1) * 8) == 0 &&
                        memcmp(a->column, b->column, n * 4) == 0)) &&
           (!a->value || memcmp(a->value, b->value, n * 4) == 0);
}

TEST(large_features_survive_every_format)
{
    static const char *const forms[2][3] = {{"mtx", "svm", "npz"},
                                            {"mtx", "npy", "npz"}};

    for (int kind = 0; kind < 3; kind++) {
        kith_features *f = large_features(kind == 2, kind == 1);

        for (int i = 0; i < 3; i++) {
            const char *ending = forms[kind == 2][i];
            kith_features *back = NULL;
            char name[40];
            kith_error err;

            snprintf(name, sizeof(name), "features.%s", ending);
            CHECK_OK(kith_features_write(f, check_path(name),
                                         KITH_FEATURES_AUTO, &err));
            CHECK_OK(kith_features_load(check_path(name), &back, &err));
            if (!same_features(f, back))
                check_failed(__FILE__, __LINE__, "features %d changed by %s",
                             kind, ending);
            kith_features_free(back);
        }
        kith_features_free(f);
    }
}
