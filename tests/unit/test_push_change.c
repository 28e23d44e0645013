/*
 * test_push_change.c: a change pushed from few rows against sums of powers of
 * dense matrices.
 */
#include <math.h>

#include "kernels/push_change.h"
#include "small_graphs.h"

enum { N = 40, K = 3, CELLS = N * K };

static const float H[] = {.4f, -.1f, .2f, -.1f, .3f, 0, .2f, 0, -.5f};

/* P += sum_{j <= steps} W^j R H^j */
static void dense(const double *W, const float *R, int steps, double *P)
{
    double term[CELLS], next[CELLS];

    for (int i = 0; i < CELLS; i++)
        term[i] = (double)R[i];
    for (int j = 0; j <= steps; j++) {
        memset(next, 0, sizeof(next));
        for (int i = 0; i < CELLS; i++)
            P[i] += term[i];
        for (int u = 0; u < N; u++)
            for (int v = 0; v < N; v++)
                for (int a = 0; a < K; a++)
                    for (int b = 0; b < K; b++)
                        next[u * K + b] += W[u * N + v] * term[v * K + a] *
                                           (double)H[a * K + b];
        memcpy(term, next, sizeof(term));
    }
}

/* A change of two rows after `steps` steps; `edges` decides whether rounds are
 * walks or passes over all.  Answers the edges passed over. */
static int64_t compare(int edges, int steps, bool weighted)
{
    kith_graph *g = small_graph(N, edges, weighted, 7);
    const int32_t rows[] = {2, 31};
    const kith__stopping stopping = {.most = steps};
    static float R[CELLS], P[CELLS];
    static double W[N * N], expected[CELLS];
    small_task task;
    kith__operator op;
    kith__pushed told;
    kith_error err;

    small_task_new(&task, g, K, 4, 2);
    op = kith__coupled(&task.task.W, K, H);
    dense_weights(&op, W);
    random_potentials(P, N, K, 3);
    memset(R, 0, sizeof(R));
    for (int c = 0; c < K; c++) {
        R[2 * K + c] = (float)(c == 1) - .25f;
        R[31 * K + c] = .5f * (float)c - 1;
    }
    for (int i = 0; i < CELLS; i++)
        expected[i] = (double)P[i];
    dense(W, R, steps, expected);
    CHECK_OK(kith__push_change(&op, &stopping, rows, 2, R, P, &told, &err));
    for (int i = 0; i < CELLS; i++)
        CHECK_NEAR(P[i], expected[i], 2e-6);
    CHECK(told.rounds <= steps);
    small_task_release(&task);
    kith_graph_free(g);
    return told.edges;
}

TEST(as_many_steps_as_a_run_did)
{
    CHECK_INT(compare(60, 0, false), 0);
    for (int steps = 1; steps < 6; steps++) {
        compare(60, steps, false);
        compare(60, steps, true);
    }
}

/* Over most of the graph a round is the operator's pass. */
TEST(a_change_that_goes_everywhere)
{
    CHECK(compare(300, 60, false) > 50 * 300);
}

/* A path of 40: what one step away can feel costs the ends no edge. */
TEST(what_is_next_to_nothing_is_not_passed_on)
{
    char text[N * 8] = "";
    kith_graph *g = NULL;
    const int32_t rows[] = {20};
    const kith__stopping stopping = {.most = 500, .tolerance = 1e-3};
    static float R[CELLS], P[CELLS];
    small_task task;
    kith__operator op;
    kith__pushed told;
    kith_error err;

    for (int i = 0; i + 1 < N; i++)
        snprintf(text + strlen(text), 8, "%d\t%d\n", i, i + 1);
    CHECK_OK(
        kith_graph_read(check_file("path.tsv", text), NULL, &g, NULL, &err));
    small_task_new(&task, g, K, 4, 1);
    op = kith__coupled(&task.task.W, K, H);
    for (int i = 0; i < CELLS; i++)
        P[i] = 1;
    memset(R, 0, sizeof(R));
    R[20 * K] = .1f;
    CHECK_OK(kith__push_change(&op, &stopping, rows, 1, R, P, &told, &err));
    CHECK(told.rounds > 1 && told.rounds < 8);
    CHECK(told.edges < N);
    CHECK_NEAR(P[20 * K], 1.1, 5e-2);
    CHECK(P[0] == 1 && P[CELLS - 1] == 1);
    memset(R, 0, sizeof(R));
    CHECK_OK(kith__push_change(&op, &stopping, rows, 1, R, P, &told, &err));
    CHECK_INT(told.rounds, 0);
    CHECK_OOM(
        st = kith__push_change(&op, &stopping, rows, 1, R, P, &told, &err),
        (void)0);
    small_task_release(&task);
    kith_graph_free(g);
}
