/*
 * test_neighbour_rows.c: own features beside neighbours' means, against dense
 * matrices.
 */
#include <math.h>

#include "models/potentials/neighbour_rows.h"
#include "small_graphs.h"

enum { N = 20, D = 4, COLUMNS = 3 * D + 1 };

/* Sparse features with empty rows, or dense ones with zeros. */
static kith_features features_new(bool sparse, int64_t *row, int32_t *column,
                                  float *value, float *dense)
{
    kith__rng r = kith__rng_start(8, 1);
    int64_t to = 0;

    for (int u = 0; u < N; u++) {
        row[u] = to;
        for (int j = 0; j < D; j++) {
            const bool has = u % 5 != 0 && kith__rng_below(&r, 2);

            dense[u * D + j] = has ? (float)kith__rng_real(&r) : 0;
            if (has) {
                column[to] = j;
                value[to++] = dense[u * D + j];
            }
        }
    }
    row[N] = to;
    return sparse ? (kith_features){.nodes = N,
                                    .columns = D,
                                    .entries = to,
                                    .row = row,
                                    .column = column,
                                    .value = value,
                                    .borrowed = true}
                  : (kith_features){.nodes = N,
                                    .columns = D,
                                    .entries = N * D,
                                    .value = dense};
}

static void literal(const kith_graph *g, const float *X, double *F)
{
    static double M[N * N];
    const float *w = kith_graph_weights(g);
    double MX[N * D], MMX[N * D], d[N] = {0};

    memset(M, 0, sizeof(M));
    for (int u = 0; u < N; u++)
        for (int64_t p = kith_graph_rows(g)[u]; p < kith_graph_rows(g)[u + 1];
             p++)
            d[u] += w ? (double)w[p] : 1;
    for (int u = 0; u < N; u++)
        for (int64_t p = kith_graph_rows(g)[u]; p < kith_graph_rows(g)[u + 1];
             p++)
            M[u * N + kith_graph_neighbours(g)[p]] = (w ? (double)w[p] : 1) /
                                                     d[u];
    for (int hop = 0; hop < 2; hop++)
        for (int u = 0; u < N; u++)
            for (int j = 0; j < D; j++) {
                double sum = 0;

                for (int v = 0; v < N; v++)
                    sum += M[u * N + v] *
                           (hop ? MX[v * D + j] : (double)X[v * D + j]);
                (hop ? MMX : MX)[u * D + j] = sum;
            }
    for (int u = 0; u < N; u++) {
        for (int j = 0; j < D; j++) {
            F[u * COLUMNS + j] = (double)X[u * D + j];
            F[u * COLUMNS + D + j] = MX[u * D + j];
            F[u * COLUMNS + 2 * D + j] = MMX[u * D + j];
        }
        F[u * COLUMNS + 3 * D] = d[u];
    }
}

/* Rows of some nodes, twice one of them; what has no entry is 0. */
static void check_rows(bool sparse, bool weighted)
{
    const int32_t asked[] = {7, 0, 19, 7, 5};
    kith_graph *g = small_graph(N, 26, weighted, 12);
    float value[N * D], dense[N * D];
    double F[N * COLUMNS];
    kith__neighbour_rows rows = {0};
    kith__csr_matrix x = {0};
    int64_t row[N + 1];
    int32_t column[N * D];
    const kith_features f = features_new(sparse, row, column, value, dense);
    kith_error err;

    literal(g, dense, F);
    CHECK_OK(kith__neighbour_rows_new(g, &f, &rows, &err));
    CHECK_INT(kith__neighbour_rows_columns(&rows), COLUMNS);
    CHECK_OK(kith__neighbour_rows_of(&rows, asked, 5, &x, &err));
    CHECK_INT(x.columns, COLUMNS);
    for (int i = 0; i < 5; i++) {
        double got[COLUMNS] = {0};
        int32_t last = -1;

        for (int64_t p = x.row[i]; p < x.row[i + 1]; p++) {
            CHECK(x.column[p] > last && x.column[p] < COLUMNS);
            last = x.column[p];
            got[last] = (double)x.value[p];
        }
        for (int j = 0; j < COLUMNS; j++)
            CHECK_NEAR(got[j], F[asked[i] * COLUMNS + j], 1e-6);
    }
    kith__csr_matrix_release(&x);
    kith__neighbour_rows_release(&rows);
    kith_graph_free(g);
}

TEST(rows_are_those_of_dense_matrices)
{
    check_rows(true, false);
    check_rows(true, true);
    check_rows(false, false);
    check_rows(false, true);
}

TEST(what_a_dense_matrix_says_is_0_is_there_and_what_nobody_says_is_missing)
{
    kith_graph *g;
    const char *list = check_file("one.nodes", "0\n1\n2\n");
    kith_build_options o = {.nodes = list};
    float value[] = {0, 5, 0};
    const kith_features f = {
        .nodes = 3, .columns = 1, .entries = 3, .value = value};
    const int32_t asked[] = {0, 2};
    kith__neighbour_rows rows = {0};
    kith__csr_matrix x = {0};
    kith_error err;

    CHECK_OK(
        kith_graph_read(check_file("one.tsv", "0\t1\n"), &o, &g, NULL, &err));
    CHECK_OK(kith__neighbour_rows_new(g, &f, &rows, &err));
    CHECK_OK(kith__neighbour_rows_of(&rows, asked, 2, &x, &err));
    CHECK_INT(x.row[1], 4); /* 0, its neighbour's 5, two hops on 0, degree 1 */
    CHECK_INT(x.row[2], 6); /* 0 and degree 0: it has no neighbours */
    CHECK_INT(x.column[4], 0);
    CHECK_INT(x.column[5], 3);
    CHECK_NEAR((double)x.value[1], 5, 0);
    kith__csr_matrix_release(&x);
    kith__neighbour_rows_release(&rows);
    kith_graph_free(g);
}

static kith_status form(const kith_graph *g, const kith_features *f)
{
    const int32_t asked[] = {1, 2, 3};
    kith__neighbour_rows rows = {0};
    kith__csr_matrix x = {0};
    kith_status st = kith__neighbour_rows_new(g, f, &rows, NULL);

    if (st == KITH_OK)
        st = kith__neighbour_rows_of(&rows, asked, 3, &x, NULL);
    kith__csr_matrix_release(&x);
    kith__neighbour_rows_release(&rows);
    return st;
}

TEST(rows_survive_every_failed_allocation)
{
    kith_graph *g = small_graph(N, 26, false, 12);
    float value[N * D], dense[N * D];
    int64_t row[N + 1];
    int32_t column[N * D];
    const kith_features f = features_new(true, row, column, value, dense);

    CHECK_OOM(st = form(g, &f), (void)0);
    kith_graph_free(g);
}
