/*
 * test_coupling_views.c: the columns that couplings are fitted to, against
 * dense matrices.
 */
#include <math.h>

#include "models/lcm_trees/coupling_views.h"
#include "small_graphs.h"

enum { N = 24, C = 3, TRAIN = 7, COLUMNS = 5 * C + 1 };

/* Y = A X, dense. */
static void times(const double *A, const double *X, double *Y)
{
    for (int u = 0; u < N; u++)
        for (int c = 0; c < C; c++) {
            Y[u * C + c] = 0;
            for (int v = 0; v < N; v++)
                Y[u * C + c] += A[u * N + v] * X[v * C + c];
        }
}

/* A, the degrees, M = D^-1 A, W and M M without its diagonal. */
typedef struct dense {
    double A[N * N], d[N], M[N * N], W[N * N], MM[N * N];
} dense;

static void fill(const kith_graph *g, dense *x)
{
    const int64_t *rows = kith_graph_rows(g);
    const float *w = kith_graph_weights(g);

    memset(x, 0, sizeof(*x));
    for (int u = 0; u < N; u++)
        for (int64_t p = rows[u]; p < rows[u + 1]; p++) {
            const double a = w ? (double)w[p] : 1;

            x->A[u * N + kith_graph_neighbours(g)[p]] = a;
            x->d[u] += a;
        }
    for (int i = 0; i < N * N; i++) {
        const int u = i / N, v = i % N;

        if (x->A[i] == 0)
            continue;
        x->M[i] = x->A[i] / x->d[u];
        x->W[i] = x->A[i] / sqrt(x->d[u] * x->d[v]);
    }
    for (int i = 0; i < N * N; i++)
        for (int k = 0; k < N && i / N != i % N; k++)
            x->MM[i] += x->M[i / N * N + k] * x->M[k * N + i % N];
}

/* V of the definition in coupling_views.h. */
static void literal(const kith_graph *g, const float *Z, double *V)
{
    static dense x;
    double T[N * C], K[N * C] = {0}, Y[4][N * C], prior[C] = {0};

    fill(g, &x);
    for (int l = 0; l < TRAIN; l++)
        prior[l % C] += 1.0 / TRAIN;
    for (int u = 0; u < N; u++) {
        double sum = 0;

        for (int c = 0; c < C; c++)
            sum += exp((double)Z[u * C + c]);
        for (int c = 0; c < C; c++) {
            const double q = exp((double)Z[u * C + c]) / sum;

            V[u * COLUMNS + c] = log(q);
            T[u * C + c] = (u < TRAIN ? c == u % C : q) - prior[c];
            K[u * C + c] = u < TRAIN ? (c == u % C) - prior[c] : 0;
        }
    }
    times(x.M, T, Y[0]);
    times(x.W, T, Y[1]);
    times(x.MM, T, Y[2]);
    times(x.M, K, Y[3]);
    for (int u = 0; u < N; u++) {
        for (int i = 0; i < 4 * C; i++)
            V[u * COLUMNS + C + i] = Y[i / C][u * C + i % C];
        V[u * COLUMNS + 5 * C] = log(1 + x.d[u]);
    }
}

static void check_views(bool weighted)
{
    kith_graph *g = small_graph(N, 40, weighted, 5);
    kith__rng r = kith__rng_start(3, 1);
    float Z[N * C], V[N * COLUMNS];
    double expected[N * COLUMNS];
    small_task s;
    kith_error err;

    small_task_new(&s, g, C, TRAIN, 2);
    for (int i = 0; i < N * C; i++)
        Z[i] = (float)(4 * kith__rng_real(&r) - 2);
    literal(g, Z, expected);
    CHECK_INT(kith__coupling_columns(C), COLUMNS);
    CHECK_OK(kith__coupling_views(&s.task, Z, V, &err));
    for (int i = 0; i < N * COLUMNS; i++)
        CHECK_NEAR((double)V[i], expected[i], 2e-6);
    for (int i = 0; i < N * C; i++) /* Z became log q */
        CHECK_NEAR((double)Z[i], expected[i / C * COLUMNS + i % C], 2e-6);
    small_task_release(&s);
    kith_graph_free(g);
}

TEST(views_are_those_of_dense_matrices)
{
    check_views(false);
    check_views(true);
}

TEST(views_survive_every_failed_allocation)
{
    kith_graph *g = small_graph(N, 40, false, 5);
    float Z[N * C] = {0}, V[N * COLUMNS];
    small_task s;

    small_task_new(&s, g, C, TRAIN, 1);
    CHECK_OOM(st = kith__coupling_views(&s.task, Z, V, NULL), (void)0);
    small_task_release(&s);
    kith_graph_free(g);
}
