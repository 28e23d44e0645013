/*
 * test_two_classes.c: two classes as one column, beside steps of both.
 */
#include "models/propagation/fixed_point.h"
#include "models/propagation/two_classes.h"
#include "small_graphs.h"

enum { N = 200, STEPS = 12 };

typedef struct fixture {
    kith_graph *g;
    kith__task task;
    float *scale, *weights;
    float Q[2 * N], P[2 * N], other[2 * N];
} fixture;

static void set_up(fixture *f, double uncentred)
{
    kith__rng r = kith__rng_start(3, 4);

    *f = (fixture){.g = small_graph(N, 700, false, 9)};
    f->task = (kith__task){.graph = f->g, .n = N, .classes = 2, .threads = 2};
    f->task.W = (kith__operator){.n = N,
                                 .rows = kith_graph_rows(f->g),
                                 .neighbours = kith_graph_neighbours(f->g),
                                 .threads = 2};
    CHECK(kith__operator_start(f->g, 2, &f->task.W, &f->scale, &f->weights));
    for (int u = 0; u < N; u++) {
        f->Q[2 * u] = (float)(kith__rng_real(&r) - .5);
        f->Q[2 * u + 1] = -f->Q[2 * u] + (float)uncentred;
    }
    memcpy(f->P, f->Q, sizeof(f->P));
}

static void clean_up(fixture *f)
{
    free(f->scale);
    free(f->weights);
    kith_graph_free(f->g);
}

/* Steps of both columns, to the letter; returns the last change. */
static float take_steps(const fixture *f, const float *H, float *P)
{
    float next[2 * N], change = 0;

    memcpy(P, f->Q, sizeof(f->Q));
    for (int i = 0; i < STEPS; i++) {
        change = kith__operator_apply(&f->task.W, P, 2, H, f->Q, next);
        memcpy(P, next, sizeof(next));
    }
    return change;
}

static double apart(const float *x, const float *y)
{
    double most = 0;

    for (int i = 0; i < 2 * N; i++)
        most = fmax(most, fabs((double)x[i] - (double)y[i]));
    return most;
}

TEST(one_column_takes_the_steps_of_two)
{
    const float H[] = {.4f, -.4f, -.4f, .4f};
    kith_certificate c;
    kith_error err;
    float both[2 * N];
    fixture f;

    for (int steps = STEPS; steps >= STEPS - 1; steps--) { /* even and odd */
        set_up(&f, 0);
        CHECK(kith__is_one_column(&f.task, H, f.Q, f.P));
        CHECK_OK(kith__propagate(&f.task, &f.task.W, H, f.Q, steps, 0, f.P,
                                 f.other, &c, &err));
        CHECK_INT(c.iterations, steps);
        if (steps == STEPS) {
            CHECK_NEAR(c.residual, (double)take_steps(&f, H, both), 1e-6);
            CHECK(apart(f.P, both) < 1e-6);
        } else {
            kith__operator_apply(&f.task.W, f.P, 2, H, f.Q, f.other);
            CHECK(apart(f.other, both) < 1e-6);
        }
        clean_up(&f);
    }
}

/* What is not centred goes the way of both columns. */
TEST(other_potentials_and_couplings_keep_two_columns)
{
    const float H[] = {.4f, -.4f, -.4f, .4f},
                lopsided[] = {.4f, -.4f, -.3f, .3f};
    const float uneven[] = {.4f, -.3f, -.3f, .4f};
    kith_certificate c;
    kith_error err;
    float both[2 * N];
    fixture f;

    set_up(&f, 0);
    CHECK(!kith__is_one_column(&f.task, lopsided, f.Q, f.P));
    CHECK(!kith__is_one_column(&f.task, uneven, f.Q, f.P));
    f.task.classes = 3;
    CHECK(!kith__is_one_column(&f.task, H, f.Q, f.P));
    clean_up(&f);
    set_up(&f, .1);
    CHECK(!kith__is_one_column(&f.task, H, f.Q, f.P));
    take_steps(&f, H, both);
    CHECK_OK(kith__propagate(&f.task, &f.task.W, H, f.Q, STEPS, 0, f.P, f.other,
                             &c, &err));
    CHECK(apart(f.P, both) == 0);
    clean_up(&f);
}

/* Z = E + W Z H, checked by that: of one column, as is chosen; and of two, to
 * what is worth little to P; from all nodes, and from one, whose first steps
 * are few rows'. */
TEST(the_fixed_point_of_one_column_is_that_of_two)
{
    const float H[] = {.4f, -.4f, -.4f, .4f};
    float *room, Z[2 * N], again[2 * N], one[2 * N] = {.5f, -.5f};
    kith_error err;
    fixture f;

    set_up(&f, 0);
    room = malloc((size_t)kith__solve_workspace(N, 2) * sizeof(*room));
    for (int way = 0; way < 4; way++) {
        const float *E = way / 2 ? one : f.Q;

        if (way % 2)
            CHECK_OK(kith__solve_system(
                &(kith__system){&f.task, &f.task.W, 2, H}, f.P, 1e-6, 1e-6,
                "solving", room, E, Z, &err));
        else
            CHECK_OK(kith__fixed_point(&f.task, &f.task.W, H, 1e-6, room, E, Z,
                                       &err));
        kith__operator_apply(&f.task.W, Z, 2, H, E, again);
        CHECK(apart(Z, again) < 1e-5);
        CHECK(apart(Z, E) > .01);
    }
    free(room);
    clean_up(&f);
}

/* What a step would change, of one column and two, in other words: the step
 * itself, less X. */
TEST(the_change_of_a_step_and_its_worth)
{
    const float H[] = {.4f, -.4f, -.4f, .4f}, h = .8f;
    double R[2 * N], r[N], Z[2 * N], z[N], worth = 0;
    float next[2 * N], q[N], p[N];
    fixture f;

    set_up(&f, 0);
    kith__operator_apply(&f.task.W, f.P, 2, H, f.Q, next);
    kith__residual(&f.task.W, f.P, 2, H, f.Q, R);
    kith__first_column(f.Q, N, 1, q);
    kith__first_column(f.P, N, 1, p);
    kith__residual(&f.task.W, p, 1, &h, q, r);
    for (int i = 0; i < 2 * N; i++) {
        Z[i] = i % 7 - 3;
        CHECK_NEAR(R[i], (double)next[i] - (double)f.P[i], 1e-6);
        worth += R[i] * Z[i];
    }
    CHECK_NEAR(kith__residual_dot(&f.task.W, f.P, 2, H, f.Q, Z), worth, 1e-12);
    worth = 0;
    for (int u = 0; u < N; u++) {
        z[u] = u % 5 - 2;
        CHECK_NEAR(r[u], R[2 * u], 1e-6);
        worth += r[u] * z[u];
    }
    CHECK_NEAR(kith__residual_dot(&f.task.W, p, 1, &h, q, z), worth, 1e-12);
    clean_up(&f);
}
