/*
 * test_lp.c: label propagation, literally, and the number of iterations that
 * validation takes.
 */
#include <math.h>

#include "small_graphs.h"

enum { N = 26, C = 3, TRAIN = 7, VAL = 11 };

typedef struct scene {
    kith_graph *g;
    small_task task;
} scene;

/* Training nodes are 1 .. TRAIN. */
static void scene_new(scene *s, bool weighted)
{
    s->g = small_graph(N, 30, weighted, 44);
    small_task_new(&s->task, s->g, C, TRAIN, 2);
    for (int l = 0; l < TRAIN; l++)
        s->task.nodes[l] = l + 1;
}

static bool trained(int u)
{
    return u >= 1 && u <= TRAIN;
}

static void scene_release(scene *s)
{
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

/* Rows are means of neighbours' rows, training nodes keep their class, nodes
 * without neighbours what they began with: the shares of the classes. */
static int literal(const scene *s, int most, double tolerance, double *F,
                   double *change)
{
    const int64_t *rows = kith_graph_rows(s->g);
    const float *w = kith_graph_weights(s->g);
    int done = 0;

    for (int u = 0; u < N; u++)
        for (int c = 0; c < C; c++)
            F[u * C + c] = trained(u)
                               ? c == (u - 1) % C
                               : (double)((TRAIN - c + C - 1) / C) / TRAIN;
    *change = INFINITY;
    while (done < most && !(*change <= tolerance)) {
        double next[N * C];

        done++;
        *change = 0;
        for (int u = 0; u < N; u++)
            for (int c = 0; c < C; c++) {
                double sum = 0, d = 0;

                for (int64_t p = rows[u]; p < rows[u + 1]; p++) {
                    const double a = w ? (double)w[p] : 1;

                    sum += a * F[kith_graph_neighbours(s->g)[p] * C + c];
                    d += a;
                }
                next[u * C + c] = trained(u) || d == 0 ? F[u * C + c] : sum / d;
                *change = fmax(*change, fabs(next[u * C + c] - F[u * C + c]));
            }
        memcpy(F, next, sizeof(next));
    }
    return done;
}

static void apply(const scene *s, int most, double tolerance, float *P,
                  kith_certificate *certificate)
{
    kith__beliefs out = {.P = P};
    kith__fit_state state = {0};
    kith_error err;

    CHECK(kith__fit_state_set(&state, "iterations", most));
    CHECK(kith__fit_state_set(&state, "tolerance", tolerance));
    CHECK_OK(kith__lp_apply(&s->task.task, NULL, &state, &out, &err));
    *certificate = out.certificate;
    CHECK(!out.has_coupling);
    kith__fit_state_release(&state);
}

TEST(labels_spread_as_the_formula_says)
{
    const int counts[] = {1, 2, 5, 1000};
    int isolated = 0;

    for (int weighted = 0; weighted < 2; weighted++) {
        scene s;

        scene_new(&s, weighted);
        for (int u = TRAIN + 1; u < N; u++)
            isolated += kith_graph_rows(s.g)[u + 1] == kith_graph_rows(s.g)[u];
        for (int i = 0; i < 4; i++) {
            double F[N * C], change;
            float P[N * C];
            kith_certificate c;
            const int done = literal(&s, counts[i], 1e-4, F, &change);

            apply(&s, counts[i], 1e-4, P, &c);
            for (int j = 0; j < N * C; j++)
                CHECK_NEAR(P[j], log(fmax(F[j], 1e-12)), 1e-3);
            CHECK_INT(c.iterations, done);
            CHECK_NEAR(c.residual, change, 1e-6);
            CHECK(c.converged == (change <= 1e-4));
            CHECK(isnan(c.rho));
            CHECK(i < 3 || (done > 5 && done < 1000));
        }
        scene_release(&s);
    }
    CHECK(isolated > 0);
}

/* A number in a model's file is not trusted. */
TEST(iterations_out_of_range_are_all_of_them)
{
    float wanted[N * C], got[N * C];
    const double odd[] = {0, -3, 1001, 1e9};
    kith_certificate c;
    scene s;

    scene_new(&s, false);
    apply(&s, 1000, 1e-4, wanted, &c);
    for (int i = 0; i < 4; i++) {
        apply(&s, (int)odd[i], 1e-4, got, &c);
        CHECK(memcmp(wanted, got, sizeof(got)) == 0);
    }
    scene_release(&s);
}

/* The first of 5, 10, 20, 50, 100 and all that has the best accuracy, then
 * the least loss. */
TEST(validation_takes_the_best_number_of_iterations)
{
    const int counts[] = {5, 10, 20, 50, 100, 1000};

    for (int how = 0; how < 6; how++) {
        int32_t node[VAL], truth[VAL];
        const kith__labelled_nodes val = {node, truth, VAL};
        kith__score best = {-1, 0};
        kith__fit_state state = {0};
        kith_train_options o;
        int chosen = 0;
        float P[N * C];
        kith_error err;
        scene s;

        scene_new(&s, true);
        kith_train_options_init(&o);
        o.params.tolerance = 1e-6;
        o.params.iterations = 77;
        for (int i = 0; i < VAL; i++) {
            node[i] = TRAIN + 1 + i;
            truth[i] = (i * (how + 1) + how) % C;
        }
        for (int i = 0; i < 6; i++) {
            kith_certificate c;
            kith__score score;

            apply(&s, counts[i], 1e-6, P, &c);
            score = kith__score_of(P, C, &val);
            if (kith__better(&score, &best)) {
                best = score;
                chosen = counts[i];
            }
        }
        CHECK_OK(kith__lp_fit(&s.task.task, NULL, &o, &val, &state,
                              &(kith__beliefs){.P = P}, &err));
        CHECK_NEAR(kith__fit_state_number(&state, "iterations", 0), chosen, 0);
        CHECK_NEAR(kith__fit_state_number(&state, "tolerance", 0), 1e-6, 0);
        kith__fit_state_release(&state);
        o.fixed = KITH_FIX_ITERATIONS;
        CHECK_OK(kith__lp_fit(&s.task.task, NULL, &o, &val, &state,
                              &(kith__beliefs){.P = P}, &err));
        CHECK_NEAR(kith__fit_state_number(&state, "iterations", 0), 77, 0);
        kith__fit_state_release(&state);
        scene_release(&s);
    }
}
