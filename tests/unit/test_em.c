/*
 * test_em.c: rounds of EM against their formulas (models/lcm_em/em.c), in
 * double and with dense matrices.  The M-step's regression is the library's
 * own, on the twin's targets: test_lcm_em.c checks that.
 */
#include <math.h>

#include "core/alloc.h"
#include "models/lcm_em/em.h"
#include "small_graphs.h"

enum { N = 18, D = 4, MOST = 9, VISITS = 8, TRAIN = 7 };

/* ---- what is visited ----------------------------------------------------- */

typedef struct visited {
    int round[VISITS];
    bool has_Q[VISITS];
    float Q[VISITS][N * MOST], P[VISITS][N * MOST];
    int count, cells;
} visited;

static void visit(void *user, int round, const float *Q, const float *P)
{
    visited *v = user;
    const int at = v->count++;
    const size_t bytes = (size_t)v->cells * sizeof(*P);

    CHECK(at < VISITS);
    v->round[at] = round;
    v->has_Q[at] = Q != NULL;
    if (Q)
        memcpy(v->Q[at], Q, bytes);
    memcpy(v->P[at], P, bytes);
}

/* ---- the twin ------------------------------------------------------------ */

typedef struct twin {
    const kith__em *em;
    const kith__em_params *p;
    double W[N * N];
    int C;
    double Z[N * MOST], Q[N * MOST], P[N * MOST], T[N * MOST], weight[N];
} twin;

static void literal_train(const twin *t, double low, double high, double *X)
{
    const kith__task *task = t->em->task;

    for (int l = 0; l < task->n_train; l++)
        for (int c = 0; c < t->C; c++)
            X[task->train[l] * t->C + c] = c == task->truth[l] ? high : low;
}

/* Q = (1 - h) beta (softmax(Z) - 1/C), labels instead of it where known. */
static void literal_potentials(twin *t)
{
    const double keep = 1 - (double)t->p->h, mean = 1.0 / t->C;

    for (int u = 0; u < N; u++) {
        double all = 0;

        for (int c = 0; c < t->C; c++)
            all += exp(t->Z[u * t->C + c]);
        for (int c = 0; c < t->C; c++)
            t->Q[u * t->C + c] =
                t->em->has && !t->em->has[u]
                    ? 0
                    : keep * (double)t->p->beta *
                          (exp(t->Z[u * t->C + c]) / all - mean);
    }
    literal_train(t, -mean * keep, (1 - mean) * keep, t->Q);
}

static void literal_spread(twin *t)
{
    double now[N * MOST], next[N * MOST];

    memcpy(now, t->Q, sizeof(now));
    memcpy(t->P, t->Q, sizeof(now));
    for (int hop = 0; hop < t->p->hops; hop++) {
        memset(next, 0, sizeof(next));
        for (int u = 0; u < N; u++)
            for (int v = 0; v < N; v++)
                for (int c = 0; c < t->C; c++)
                    next[u * t->C + c] += (double)t->p->h * t->W[u * N + v] *
                                          now[v * t->C + c];
        memcpy(now, next, sizeof(now));
        for (int i = 0; i < N * t->C; i++)
            t->P[i] += now[i];
    }
}

/* T ~ x^g, rows that sum to 1; returns the mean of their largest. */
static double literal_power(twin *t, const double *x, double g)
{
    double mean = 0;

    for (int u = 0; u < N; u++) {
        double sum = 0, top = 0;

        for (int c = 0; c < t->C; c++)
            sum += pow(x[u * t->C + c], g);
        for (int c = 0; c < t->C; c++) {
            t->T[u * t->C + c] = pow(x[u * t->C + c], g) / sum;
            top = fmax(top, t->T[u * t->C + c]);
        }
        mean += top / N;
    }
    return mean;
}

static void literal_balance(twin *t)
{
    double mean[MOST] = {0};

    for (int i = 0; i < N * t->C; i++)
        mean[i % t->C] += t->T[i] / N;
    for (int u = 0; u < N; u++) {
        double sum = 0;

        for (int c = 0; c < t->C; c++) {
            t->T[u * t->C + c] /= pow(mean[c], (double)t->p->balance);
            sum += t->T[u * t->C + c];
        }
        for (int c = 0; c < t->C; c++)
            t->T[u * t->C + c] /= sum;
    }
}

static void literal_targets(twin *t)
{
    double x[N * MOST], low = .01, high = 1000;

    for (int u = 0; u < N; u++) {
        double sum = 0;

        for (int c = 0; c < t->C; c++)
            sum += fabs(t->P[u * t->C + c]);
        for (int c = 0; c < t->C; c++)
            x[u * t->C + c] =
                fmax(t->P[u * t->C + c] / (t->em->labels && sum > 0 ? sum : 1) +
                         1.0 / t->C,
                     1e-4);
    }
    for (int i = 0; i < 100; i++) {
        const double g = sqrt(low * high);

        if (literal_power(t, x, g) < (double)t->p->kappa)
            low = g;
        else
            high = g;
    }
    literal_balance(t);
    literal_train(t, 0, 1, t->T);
    for (int u = 0; u < N; u++) {
        t->weight[u] = 0;
        for (int c = 0; c < t->C; c++)
            t->weight[u] = fmax(t->weight[u], t->T[u * t->C + c]);
        t->weight[u] *= (double)t->p->unknown;
    }
    for (int l = 0; l < t->em->task->n_train; l++)
        t->weight[t->em->task->train[l]] = 1;
    for (int u = 0; t->em->has && u < N; u++)
        if (!t->em->has[u])
            t->weight[u] = 0;
}

/* Ten steps from B: as many as a round takes. */
static void literal_fit(const twin *t, float *B)
{
    float target[N * MOST], weight[N];
    const kith__soft_rows rows = {target, weight};
    kith_error err;

    for (int i = 0; i < N * t->C; i++)
        target[i] = (float)t->T[i];
    for (int u = 0; u < N; u++)
        weight[u] = (float)t->weight[u];
    CHECK_OK(kith__soft_fit(t->em->map, &rows, t->C, (double)t->p->penalty, 10,
                            1e-5, B, &err));
}

/* ---- a case -------------------------------------------------------------- */

typedef struct example {
    kith_graph *g;
    small_task task;
    kith__csc_matrix table;
    kith__feature_operator map;
    kith__em em;
    kith__em_params p;
    bool has[N];
    float B[(D + 1) * MOST];
} example;

static void example_new(example *e, int C)
{
    kith__csr_matrix m = {.n = N, .columns = D};
    kith__rng r = kith__rng_start(4, 4);
    float root[N] = {0};
    kith_error err;

    *e = (example){.p = {.h = .6f,
                         .kappa = C == 3 ? .7f : .5f,
                         .unknown = .3f,
                         .penalty = .05f,
                         .balance = .5f,
                         .beta = .8f,
                         .hops = 3}};
    e->g = small_graph(N, 40, true, 8);
    small_task_new(&e->task, e->g, C, TRAIN, 2);
    for (int l = 0; l < TRAIN; l++) /* not the first nodes */
        e->task.nodes[l] = 2 * l + 3;
    m.value = kith__alloc(N * D, sizeof(*m.value));
    for (int i = 0; i < N * D; i++)
        m.value[i] = (float)kith__rng_real(&r) - .5f;
    CHECK_OK(kith__csc_matrix_new(&m, &e->table, &err));
    e->map = (kith__feature_operator){.n = N, .threads = 2};
    CHECK_OK(kith__feature_add_means(&e->map, &e->table, &e->task.task.W, root,
                                     0, &err));
    for (int i = 0; i < (D + 1) * C; i++)
        e->B[i] = (float)kith__rng_real(&r) * 2 - 1;
    for (int u = 0; u < N; u++)
        e->has[u] = u % 5 != 2;
    e->em = (kith__em){.task = &e->task.task, .map = &e->map};
}

static void example_release(example *e)
{
    kith__feature_operator_release(&e->map);
    kith__csc_matrix_release(&e->table);
    small_task_release(&e->task);
    kith_graph_free(e->g);
}

static void near(const float *got, const double *wanted, int n, bool roots)
{
    for (int i = 0; i < n; i++) {
        const double root = copysign(sqrt(sqrt(fabs(wanted[i]))), wanted[i]);

        CHECK_NEAR(got[i], roots ? root : wanted[i], roots ? 2e-3 : 1e-4);
    }
}

/* Rounds 0 .. to by formulas, visit by visit. */
static void compare(example *e, int to)
{
    const int C = e->task.task.classes;
    static visited v;
    static twin t;
    float B[(D + 1) * MOST], Z[N * MOST];
    kith__feature_workspace room;
    kith_error err;
    int at = 0;

    v = (visited){.cells = N * C};
    t = (twin){.em = &e->em, .p = &e->p, .C = C};
    dense_weights(&e->task.task.W, t.W);
    memcpy(B, e->B, sizeof(B));
    CHECK_OK(kith__em_run(&e->em, &e->p, 0, to, e->B, visit, &v, &err));
    CHECK_OK(kith__feature_workspace_new(&e->map, C, &room, &err));
    for (int round = 0; round <= to; round++) {
        if (round == 0 && e->em.labels) {
            memset(t.Q, 0, sizeof(t.Q));
            literal_train(&t, -1.0 / C, 1 - 1.0 / C, t.Q);
        } else {
            kith__feature_apply(&e->map, B, C, &room, Z);
            for (int i = 0; i < N * C; i++)
                t.Z[i] = (double)Z[i];
            CHECK(!v.has_Q[at]);
            CHECK_INT(v.round[at], round);
            near(v.P[at++], t.Z, N * C, false);
            literal_potentials(&t);
        }
        literal_spread(&t);
        if (e->p.h > 0) {
            CHECK(v.has_Q[at]);
            CHECK_INT(v.round[at], round);
            near(v.Q[at], t.Q, N * C, false);
            near(v.P[at++], t.P, N * C, e->em.labels);
        }
        if (round == to)
            break;
        literal_targets(&t);
        literal_fit(&t, B);
    }
    CHECK_INT(v.count, at);
    for (int i = 0; i < (D + 1) * C; i++)
        CHECK_NEAR(e->B[i], B[i], 1e-3);
    kith__feature_workspace_release(&room);
}

static void rounds(int C, bool labels, bool some, float h, float balance)
{
    example e;

    example_new(&e, C);
    e.em.labels = labels;
    e.em.has = some ? e.has : NULL;
    e.p.h = h;
    e.p.balance = balance;
    compare(&e, 2);
    example_release(&e);
}

TEST(rounds_are_as_the_formulas_say)
{
    rounds(3, false, false, .6f, .5f);
    rounds(3, false, true, .6f, 0);
    rounds(MOST, false, false, .6f, .5f);
    rounds(3, false, false, 0, .5f);
}

TEST(rounds_from_labels_are_as_the_formulas_say)
{
    rounds(3, true, false, .6f, .5f);
    rounds(MOST, true, true, .6f, 1);
}

/* Rounds 0 to 1 and on to 2 give the B of 0 to 2; what was seen before is not
 * seen again. */
TEST(rounds_go_on_from_where_they_were)
{
    static visited v, rest;
    kith_error err;
    example e;
    float B[(D + 1) * MOST];

    example_new(&e, 3);
    memcpy(B, e.B, sizeof(B));
    v.cells = rest.cells = N * 3;
    CHECK_OK(kith__em_run(&e.em, &e.p, 0, 2, e.B, visit, &v, &err));
    CHECK_OK(kith__em_run(&e.em, &e.p, 0, 1, B, visit, &rest, &err));
    CHECK_INT(rest.count, 4);
    CHECK_OK(kith__em_run(&e.em, &e.p, 1, 2, B, visit, &rest, &err));
    CHECK_INT(rest.count, 6);
    CHECK_INT(v.count, 6);
    CHECK(memcmp(B, e.B, sizeof(B)) == 0);
    CHECK(memcmp(v.P[5], rest.P[5], sizeof(v.P[5])) == 0);
    example_release(&e);
}

/* Without features the labels are all there is. */
TEST(without_features_labels_are_propagated)
{
    static visited v;
    static twin t;
    kith_error err;
    example e;

    example_new(&e, 3);
    e.em.map = NULL;
    v.cells = N * 3;
    CHECK_OK(kith__em_run(&e.em, &e.p, 0, 0, NULL, visit, &v, &err));
    t = (twin){.em = &e.em, .p = &e.p, .C = 3};
    dense_weights(&e.task.task.W, t.W);
    literal_train(&t, -1.0 / 3, 2.0 / 3, t.Q);
    literal_spread(&t);
    CHECK_INT(v.count, 1);
    near(v.Q[0], t.Q, N * 3, false);
    near(v.P[0], t.P, N * 3, false);
    example_release(&e);
}
