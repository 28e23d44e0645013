/*
 * test_ica.c: which penalty iterative classification takes, and that what is
 * taken is what is fitted and applied.
 */
#include <math.h>

#include "models/potentials/logreg.h"
#include "small_graphs.h"

enum { N = 40, D = 5, C = 3, TRAIN = 9, VAL = 15 };

typedef struct scene {
    kith_graph *g;
    small_task task;
    float x[N * D];
    kith_features f;
    int32_t node[VAL], truth[VAL];
    kith__labelled_nodes val;
} scene;

static void scene_new(scene *s, int how)
{
    kith__rng r = kith__rng_start(3, (uint64_t)how);

    s->g = small_graph(N, 80, false, 71);
    small_task_new(&s->task, s->g, C, TRAIN, 1);
    for (int i = 0; i < N * D; i++)
        s->x[i] = (float)(kith__rng_real(&r) + .4 * (i % D == i / D % C));
    s->f = (kith_features){
        .nodes = N, .columns = D, .entries = N * D, .value = s->x};
    for (int i = 0; i < VAL; i++) {
        s->node[i] = TRAIN + i;
        s->truth[i] = s->node[i] % C;
    }
    s->val = (kith__labelled_nodes){s->node, s->truth, VAL};
}

static void scene_release(scene *s)
{
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

/* With this penalty, or, if it is 0, with what validation takes. */
static double fit(const scene *s, const kith_features *f, double penalty,
                  kith__fit_state *state, float *P)
{
    kith__beliefs out = {.P = P};
    kith_train_options o;
    kith_error err;

    kith_train_options_init(&o);
    if (penalty > 0)
        CHECK(kith__fit_state_set(state, "penalty", penalty));
    CHECK_OK(kith__ica_fit(&s->task.task, f, &o, &s->val, state, &out, &err));
    return kith__fit_state_number(state, "penalty", -1);
}

TEST(validation_takes_the_best_penalty)
{
    const double penalties[] = {.5, .05, 5, 50, 500}; /* as documented */

    for (int how = 0; how < 8; how++) {
        float P[N * C], wanted[N * C], again[N * C];
        kith__fit_state state = {0}, applied = {0};
        kith__score best = {-1, 0};
        double chosen = 0;
        kith_error err;
        static scene s;
        const kith_features *f = how % 4 == 3 ? NULL : &s.f;

        scene_new(&s, how);
        for (int i = 0; i < 5; i++) {
            kith__fit_state one = {0};
            kith__score score;

            CHECK_NEAR(fit(&s, f, penalties[i], &one, P), penalties[i], 0);
            score = kith__score_of(P, C, &s.val);
            if (kith__better(&score, &best)) {
                best = score;
                chosen = penalties[i];
                memcpy(wanted, P, sizeof(P));
            }
            kith__fit_state_release(&one);
        }
        CHECK_NEAR(fit(&s, f, 0, &applied, P), chosen, 0);
        CHECK(memcmp(P, wanted, sizeof(P)) == 0);
        CHECK_OK(kith__ica_apply(&s.task.task, f, &applied,
                                 &(kith__beliefs){.P = again}, &err));
        CHECK(memcmp(again, wanted, sizeof(P)) == 0);
        kith__fit_state_release(&state);
        kith__fit_state_release(&applied);
        scene_release(&s);
    }
}

/* ---- the whole of it, in plain loops ------------------------------------- */

typedef struct twin {
    const scene *s;
    const float *x; /* NULL: no features */
    double shares[N][C], P[N][C];
    int label[N];
} twin;

/* x_u of length 1 */
static void unit_row(const float *x, int u, double *out)
{
    double square = 0;

    for (int j = 0; j < D; j++)
        square += (double)x[u * D + j] * (double)x[u * D + j];
    for (int j = 0; j < D; j++)
        out[j] = (double)x[u * D + j] / sqrt(square);
}

/* The likeliest class of each node; training nodes have their own. */
static void likeliest(twin *t)
{
    for (int u = 0; u < N; u++) {
        t->label[u] = 0;
        for (int c = 1; c < C; c++)
            if (t->P[u][c] > t->P[u][t->label[u]])
                t->label[u] = c;
        if (u < TRAIN)
            t->label[u] = u % C;
    }
}

static void first_labels(twin *t, const float *first)
{
    for (int u = 0; u < N; u++) {
        double x[D];

        t->label[u] = u < TRAIN ? u % C : -1;
        if (!t->x)
            continue;
        unit_row(t->x, u, x);
        for (int c = 0; c < C; c++) {
            t->P[u][c] = (double)first[D * C + c];
            for (int j = 0; j < D; j++)
                t->P[u][c] += x[j] * (double)first[j * C + c];
        }
    }
    if (t->x)
        likeliest(t);
}

/* Shares of the classes among labelled neighbours, by weight. */
static void find_shares(twin *t)
{
    const kith_graph *g = t->s->g;
    const float *w = kith_graph_weights(g);

    for (int u = 0; u < N; u++) {
        double sum = 0;

        for (int c = 0; c < C; c++)
            t->shares[u][c] = 0;
        for (int64_t p = kith_graph_rows(g)[u]; p < kith_graph_rows(g)[u + 1];
             p++) {
            const int label = t->label[kith_graph_neighbours(g)[p]];
            const double a = w ? (double)w[p] : 1;

            if (label >= 0)
                t->shares[u][label] += a;
            sum += label >= 0 ? a : 0;
        }
        for (int c = 0; c < C; c++)
            t->shares[u][c] /= sum > 0 ? sum : 1;
    }
}

/* [x, shares] of node u; how many there are. */
static int local_row(const twin *t, int u, double *out)
{
    const int columns = t->x ? D : 0;

    if (t->x)
        unit_row(t->x, u, out);
    for (int c = 0; c < C; c++)
        out[columns + c] = t->shares[u][c];
    return columns + C;
}

static void classify(twin *t, const float *B)
{
    for (int u = 0; u < N; u++) {
        double row[D + C];
        const int columns = local_row(t, u, row);

        for (int c = 0; c < C; c++) {
            t->P[u][c] = (double)B[columns * C + c];
            for (int j = 0; j < columns; j++)
                t->P[u][c] += row[j] * (double)B[j * C + c];
        }
    }
    likeliest(t);
}

/* Logistic regression on the first `columns` of the training nodes' rows. */
static void regress(const twin *t, bool local, float *B)
{
    float rows[TRAIN * (D + C)];
    int32_t truth[TRAIN];
    kith__csr_matrix m = {.n = TRAIN, .value = rows};
    kith_error err;

    for (int l = 0; l < TRAIN; l++) {
        double row[D + C];

        m.columns = local_row(t, l, row);
        m.columns = local ? m.columns : D;
        for (int j = 0; j < m.columns; j++)
            rows[l * m.columns + j] = (float)row[j];
        truth[l] = l % C;
    }
    CHECK_OK(kith__logreg_fit(&m, truth, C, .5, false, B, &err));
}

static void literal(twin *t)
{
    float first[(D + 1) * C] = {0}, B[(D + C + 1) * C] = {0};

    if (t->x)
        regress(t, false, first);
    first_labels(t, first);
    for (int round = 0; round < 10; round++) {
        find_shares(t);
        regress(t, true, B);
        classify(t, B);
    }
    first_labels(t, first);
    for (int round = 0; round < 10; round++) {
        find_shares(t);
        classify(t, B);
    }
}

/* With dense features, sparse ones and none; edges weighted and not. */
TEST(beliefs_equal_plain_loops)
{
    static scene s;

    for (int how = 0; how < 12; how++) {
        int64_t row[N + 1];
        int32_t column[N * D];
        kith__fit_state state = {0};
        kith_features f;
        twin t = {.s = &s, .x = how % 3 == 2 ? NULL : s.x};
        float P[N * C];

        scene_new(&s, how);
        kith_graph_free(s.g);
        small_task_release(&s.task);
        s.g = small_graph(N, 90, how % 2, 80 + (uint64_t)how);
        small_task_new(&s.task, s.g, C, TRAIN, 2);
        for (int i = 0; i < N * D; i++) {
            column[i] = i % D;
            row[i / D] = i / D * D;
        }
        row[N] = N * D;
        f = s.f;
        f.row = how % 3 == 1 ? row : NULL;
        f.column = how % 3 == 1 ? column : NULL;
        fit(&s, t.x ? &f : NULL, .5, &state, P);
        literal(&t);
        for (int i = 0; i < N * C; i++)
            CHECK_NEAR(P[i], t.P[i / C][i % C], 2e-4);
        kith__fit_state_release(&state);
        scene_release(&s);
    }
}
