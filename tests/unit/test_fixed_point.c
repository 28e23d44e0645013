/*
 * test_fixed_point.c: conjugate gradients against the same steps with dense
 * matrices in double (Hestenes, Stiefel, 1952), and where they end.
 */
#include <math.h>

#include "kernels/fixed_point.h"
#include "small_graphs.h"

enum { N = 24, MOST_K = 3, MOST = N * MOST_K };

typedef struct scene {
    kith_graph *g;
    small_task task;
    int k;
    kith__operator op;
    float H[MOST_K * MOST_K], E[MOST], P[MOST], room[3 * MOST];
    double W[N * N];
} scene;

/* `few`: E is 0 but at one node.  Two classes are centred: one column. */
static void scene_new(scene *s, int k, bool weighted, bool few)
{
    const float three[] = {.4f, -.1f, .2f, -.1f, .3f, 0, .2f, 0, -.5f};
    const float two[] = {.35f, -.35f, -.35f, .35f};
    kith__rng r = kith__rng_start(19, 1);

    s->k = k;
    s->g = small_graph(N, 50, weighted, 23);
    small_task_new(&s->task, s->g, k, 4, 2);
    memcpy(s->H, k == 3 ? three : two, (size_t)(k * k) * sizeof(float));
    dense_weights(&s->task.task.W, s->W);
    s->op = kith__coupled(&s->task.task.W, k, s->H);
    for (int i = 0; i < N * k; i++) {
        s->E[i] = few && i / k != 5 ? 0 : (float)kith__rng_real(&r) - .5f;
        s->P[i] = (float)kith__rng_real(&r) - .5f;
        if (k == 2 && i % 2 == 1) {
            s->E[i] = -s->E[i - 1];
            s->P[i] = -s->P[i - 1];
        }
    }
}

static void scene_release(scene *s)
{
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

/* out = X - W X H */
static void dense_system(const scene *s, const double *X, double *out)
{
    const int k = s->k;

    for (int u = 0; u < N; u++)
        for (int c = 0; c < k; c++) {
            double sum = X[u * k + c];

            for (int v = 0; v < N; v++)
                for (int i = 0; i < k; i++)
                    sum -= s->W[u * N + v] * X[v * k + i] *
                           (double)s->H[i * k + c];
            out[u * k + c] = sum;
        }
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

typedef struct dense {
    double Z[MOST], R[MOST], D[MOST];
    int cells;
} dense;

static void dense_start(const scene *s, const float *from, dense *x)
{
    double image[MOST];

    x->cells = N * s->k;
    for (int i = 0; i < x->cells; i++)
        x->Z[i] = from ? (double)from[i] : 0;
    dense_system(s, x->Z, image);
    for (int i = 0; i < x->cells; i++)
        x->D[i] = x->R[i] = (double)s->E[i] - image[i];
}

static void dense_step(const scene *s, dense *x)
{
    double image[MOST], before = dot(x->R, x->R, x->cells), a;

    dense_system(s, x->D, image);
    a = before / dot(x->D, image, x->cells);
    for (int i = 0; i < x->cells; i++) {
        x->Z[i] += a * x->D[i];
        x->R[i] -= a * image[i];
    }
    a = dot(x->R, x->R, x->cells) / before;
    for (int i = 0; i < x->cells; i++)
        x->D[i] = x->R[i] + a * x->D[i];
}

static double largest(const dense *x)
{
    double most = 0;

    for (int i = 0; i < x->cells; i++)
        most = fmax(most, fabs(x->R[i]));
    return most;
}

static void near(const float *got, const dense *x)
{
    for (int i = 0; i < x->cells; i++)
        CHECK_NEAR(got[i], x->Z[i], 2e-5);
}

/* At most so many passes: one to see what is left, one for each step; or, of
 * a single one, a plain step. */
TEST(settling_takes_the_steps_of_conjugate_gradients)
{
    for (int k = 2; k <= 3; k++)
        for (int weighted = 0; weighted < 2; weighted++)
            for (int most = 1; most <= 7; most++) {
                static scene s;
                static dense x;
                kith_certificate c;
                float P[MOST];
                kith_error err;

                scene_new(&s, k, weighted, false);
                memcpy(P, s.P, sizeof(P));
                dense_start(&s, s.P, &x);
                CHECK_OK(kith__solve_fixed_point(
                    &s.op, &(kith__stopping){.most = most}, s.E, P, s.room, &c,
                    &err));
                for (int i = 1; i < most; i++)
                    dense_step(&s, &x);
                CHECK_INT(c.iterations, most);
                CHECK(!c.converged);
                CHECK_NEAR(c.residual, largest(&x), 2e-5);
                for (int i = 0; most == 1 && i < x.cells; i++)
                    x.Z[i] += x.R[i];
                near(P, &x);
                scene_release(&s);
            }
}

/* It ends with the first step after which no belief would change by more. */
TEST(settling_ends_at_the_tolerance)
{
    const kith__stopping hundred = {.most = 100, .tolerance = 1e-3};

    for (int k = 2; k <= 3; k++) {
        static scene s;
        static dense x;
        kith_certificate c;
        float P[MOST];
        int passes = 1;
        kith_error err;

        scene_new(&s, k, true, false);
        memcpy(P, s.P, sizeof(P));
        dense_start(&s, s.P, &x);
        for (; largest(&x) > 1e-3; passes++)
            dense_step(&s, &x);
        CHECK_OK(
            kith__solve_fixed_point(&s.op, &hundred, s.E, P, s.room, &c, &err));
        CHECK_INT(c.iterations, passes);
        CHECK(c.converged && passes > 3);
        near(P, &x);
        /* there already: one more pass, a plain step */
        CHECK_OK(
            kith__solve_fixed_point(&s.op, &hundred, s.E, P, s.room, &c, &err));
        CHECK_INT(c.iterations, 1);
        CHECK(c.converged);
        scene_release(&s);
    }
}

/* Z = E + W Z H' beside steps with dense matrices until nothing is left. */
TEST(the_adjoint_is_exact_to_more_digits_than_floats_have)
{
    for (int few = 0; few < 2; few++)
        for (int k = 2; k <= 3; k++) {
            static scene s;
            static dense x;
            double Z[MOST];
            kith_error err;

            scene_new(&s, k, false, few);
            dense_start(&s, NULL, &x);
            do
                dense_step(&s, &x);
            while (dot(x.R, x.R, x.cells) > 1e-26);
            CHECK_OK(kith__solve_adjoint(&s.op, &(kith__stopping){.most = 500},
                                         s.P, .1, s.E, Z, &err));
            for (int i = 0; i < x.cells; i++)
                CHECK_NEAR(Z[i], x.Z[i], 2e-7);
            scene_release(&s);
        }
}

/* Until |R| is so small a part of |E|. */
TEST(the_fixed_point_is_as_near_as_asked)
{
    for (int few = 0; few < 2; few++)
        for (int k = 2; k <= 3; k++) {
            static scene s;
            static dense x;
            float Z[MOST];
            double first;
            kith_error err;

            scene_new(&s, k, true, few);
            dense_start(&s, NULL, &x);
            first = dot(x.R, x.R, x.cells);
            do
                dense_step(&s, &x);
            while (sqrt(dot(x.R, x.R, x.cells) / first) > 1e-2);
            CHECK_OK(kith__solve_linear(
                &s.op, &(kith__stopping){.most = 500, .tolerance = 1e-2}, s.E,
                Z, s.room, &err));
            near(Z, &x);
            scene_release(&s);
        }
}

/* R = Q + W X H - X, and the sum of r z. */
TEST(the_change_of_a_step_is_as_the_formula_says)
{
    for (int k = 2; k <= 3; k++) {
        static scene s;
        double X[MOST], Z[MOST], image[MOST], R[MOST], sum = 0;

        scene_new(&s, k, true, false);
        for (int i = 0; i < N * k; i++) {
            X[i] = (double)s.P[i];
            Z[i] = sin(i);
        }
        dense_system(&s, X, image);
        kith__residual(&s.op, s.P, s.E, R);
        for (int i = 0; i < N * k; i++) {
            CHECK_NEAR(R[i], (double)s.E[i] - image[i], 1e-6);
            sum += ((double)s.E[i] - image[i]) * Z[i];
        }
        CHECK_NEAR(kith__residual_dot(&s.op, s.P, s.E, Z), sum, 1e-5);
        scene_release(&s);
    }
}

/* ---- plain iterations ---------------------------------------------------- */

/* P = Q + W P H to the letter; the changes too. */
static void dense_iterations(const scene *s, int steps, double *P,
                             double *changes)
{
    for (int i = 0; i < steps; i++) {
        double image[MOST];

        dense_system(s, P, image);
        changes[i] = 0;
        for (int c = 0; c < N * s->k; c++) {
            const double left = (double)s->E[c] - image[c];

            P[c] += left;
            changes[i] = fmax(changes[i], fabs(left));
        }
    }
}

/* Even and odd numbers of steps: P is where it was put. */
TEST(iterations_are_those_of_dense_matrices)
{
    for (int steps = 0; steps <= 7; steps++)
        for (int k = 2; k <= 3; k++) {
            static scene s;
            double want[MOST], changes[7], trace[7];
            const kith__stopping all = {.most = steps, .trace = trace};
            float P[MOST], other[MOST];
            kith_certificate c = {.residual = 5, .converged = true};
            kith_error err;

            scene_new(&s, k, true, false);
            for (int i = 0; i < N * k; i++)
                want[i] = (double)(P[i] = s.P[i]);
            dense_iterations(&s, steps, want, changes);
            CHECK_OK(kith__iterate(&s.op, &all, s.E, P, other, &c, &err));
            CHECK_INT(c.iterations, steps);
            CHECK(!c.converged);
            CHECK_NEAR(c.residual, steps ? changes[steps - 1] : 5, 1e-5);
            for (int i = 0; i < N * k; i++)
                CHECK_NEAR(P[i], want[i], 1e-5);
            for (int i = 0; i < steps; i++)
                CHECK_NEAR(trace[i], changes[i], 1e-5);
            scene_release(&s);
        }
}

TEST(iterations_end_at_the_tolerance)
{
    static scene s;
    double want[MOST], changes[60];
    const kith__stopping stopping = {.most = 60, .tolerance = 1e-2};
    float P[MOST], other[MOST];
    int passes = 0;
    kith_certificate c;
    kith_error err;

    scene_new(&s, 3, true, false);
    for (int i = 0; i < N * 3; i++)
        want[i] = (double)(P[i] = s.P[i]);
    dense_iterations(&s, 60, want, changes);
    while (changes[passes++] > 1e-2)
        ;
    CHECK_OK(kith__iterate(&s.op, &stopping, s.E, P, other, &c, &err));
    CHECK_INT(c.iterations, passes);
    CHECK(c.converged && passes > 3);
    scene_release(&s);
}

/* Times 1e30 a step: beyond floats after two, and there it ends. */
TEST(iterations_end_where_numbers_do)
{
    static scene s;
    const kith__stopping stopping = {.most = 60};
    float P[MOST], other[MOST];
    kith_certificate c;
    kith_error err;

    scene_new(&s, 3, true, false);
    memcpy(P, s.P, sizeof(P));
    s.op.h = 1e30f;
    CHECK_OK(kith__iterate(&s.op, &stopping, s.E, P, other, &c, &err));
    CHECK_INT(c.iterations, 2);
    CHECK(!c.converged && !isfinite(c.residual));
    scene_release(&s);
}

/* What it is made of is told with every iteration, and may be stopped. */
static int count_and_stop(void *user, const kith_progress *at)
{
    int *told = user;

    (void)at;
    return ++*told == 3;
}

TEST(iterations_are_told_and_can_be_stopped)
{
    static scene s;
    int told = 0;
    const kith_job job = {.progress = count_and_stop, .user = &told};
    const kith__stopping stopping = {
        .job = &job, .stage = "propagating", .most = 60, .tolerance = -1};
    float P[MOST], other[MOST];
    kith_certificate c;
    kith_error err;

    scene_new(&s, 3, true, false);
    memcpy(P, s.P, sizeof(P));
    CHECK(kith__iterate(&s.op, &stopping, s.E, P, other, &c, &err) ==
          KITH_ERR_CANCELLED);
    CHECK_INT(told, 3);
    scene_release(&s);
}
