/*
 * test_deepwalk.c: a classifier on vectors of nodes: how it is fitted, and
 * which penalty validation takes.  The vectors are what walks make of them.
 */
#include <math.h>

#include "core/alloc.h"
#include "models/potentials/logreg.h"
#include "small_graphs.h"

enum { N = 30, C = 3, SIZE = 128, TRAIN = 9, VAL = 12 };

/* Logits of all nodes by logistic regression on the training nodes' rows. */
static void literal(const float *E, double penalty, float *P)
{
    float rows[TRAIN * SIZE], B[(SIZE + 1) * C] = {0};
    kith__csr_matrix m = {.n = TRAIN, .columns = SIZE, .value = rows};
    int32_t truth[TRAIN];
    kith_error err;

    for (int l = 0; l < TRAIN; l++) {
        truth[l] = l % C;
        memcpy(rows + l * SIZE, E + l * SIZE, SIZE * sizeof(*E));
    }
    CHECK_OK(kith__logreg_fit(&m, truth, C, penalty, false, B, &err));
    for (int u = 0; u < N; u++)
        for (int c = 0; c < C; c++) {
            double sum = (double)B[SIZE * C + c];

            for (int j = 0; j < SIZE; j++)
                sum += (double)E[u * SIZE + j] * (double)B[j * C + c];
            P[u * C + c] = (float)sum;
        }
}

static void check_choice(int how)
{
    const double penalties[] = {.05, .5, .005, 5}; /* as documented */
    kith_graph *g = small_graph(N, 60, false, 61);
    int32_t node[VAL], truth[VAL];
    const kith__labelled_nodes val = {node, truth, VAL};
    kith__score best = {-1, 0};
    kith__fit_state state = {0};
    kith_train_options o;
    float P[N * C], wanted[N * C];
    kith__beliefs out = {.P = P};
    double chosen = 0;
    const float *E;
    small_task t;
    kith_error err;

    small_task_new(&t, g, C, TRAIN, 1);
    kith_train_options_init(&o);
    o.params.iterations = 2;
    for (int i = 0; i < VAL; i++) {
        node[i] = TRAIN + i;
        truth[i] = (i * (how + 2) / 2) % C;
    }
    CHECK_OK(kith__deepwalk_fit(&t.task, NULL, &o, &val, &state, &out, &err));
    E = kith__fit_state_values(&state, "vectors", N, SIZE);
    CHECK(E != NULL);
    for (int u = 0; u < N; u++) {
        double square = 0;

        for (int j = 0; j < SIZE; j++)
            square += (double)E[u * SIZE + j] * (double)E[u * SIZE + j];
        CHECK_NEAR(square, 1, 1e-4);
    }
    for (int i = 0; i < 4; i++) {
        kith__score score;

        literal(E, penalties[i], wanted);
        score = kith__score_of(wanted, C, &val);
        if (kith__better(&score, &best)) {
            best = score;
            chosen = penalties[i];
        }
    }
    CHECK_NEAR(kith__fit_state_number(&state, "penalty", 0), chosen, 0);
    literal(E, chosen, wanted);
    for (int i = 0; i < N * C; i++)
        CHECK_NEAR(P[i], wanted[i], 1e-4);
    memset(P, 0, sizeof(P));
    CHECK_OK(kith__deepwalk_apply(&t.task, NULL, &state, &out, &err));
    for (int i = 0; i < N * C; i++)
        CHECK_NEAR(P[i], wanted[i], 1e-4);
    kith__fit_state_release(&state);
    small_task_release(&t);
    kith_graph_free(g);
}

TEST(validation_takes_the_best_penalty)
{
    for (int how = 0; how < 6; how++)
        check_choice(how);
}
