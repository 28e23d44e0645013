/*
 * test_row_fits.c: rows of a feature map, and regressions on them, against the
 * map itself: whether rows are turned or not, the optimum is that of the
 * objective over all nodes.
 */
#include <math.h>

#include "models/potentials/feature_blocks.h"
#include "models/potentials/row_fits.h"
#include "models/potentials/soft_logreg.h"
#include "small_graphs.h"

enum { N = 60, C = 3, WIDE = 40, MOST_ROWS = 30, ASKED = 12 };

typedef struct scene {
    kith_graph *g;
    small_task task;
    float x[N * WIDE];
    kith_features f;
    kith__feature_blocks blocks;
    kith__feature_operator map;
    int32_t node[N], truth[N];
} scene;

/* Own features beside neighbours' means at one and two hops. */
static void scene_new(scene *s, int columns)
{
    kith__rng r = kith__rng_start(3, (uint64_t)columns);
    kith_error err;

    s->g = small_graph(N, 110, true, 4);
    small_task_new(&s->task, s->g, C, 0, 1);
    for (int i = 0; i < N * columns; i++)
        s->x[i] = kith__rng_real(&r) < .6 ? 0 : (float)kith__rng_real(&r);
    s->f = (kith_features){
        .nodes = N, .columns = columns, .entries = N * columns, .value = s->x};
    for (int u = 0; u < N; u++) {
        s->node[u] = (u * 7) % N; /* in no order */
        s->truth[u] = s->node[u] % C;
    }
    CHECK_OK(kith__feature_blocks_new(&s->task.task, &s->f, &s->blocks, &err));
    CHECK_OK(kith__feature_blocks_operator(
        &s->blocks, KITH__X | KITH__AX | KITH__A2X | KITH__DEG, &s->map, &err));
}

static void scene_release(scene *s)
{
    kith__feature_operator_release(&s->map);
    kith__feature_blocks_release(&s->blocks);
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

/* Row by row: F'E with E one 1. */
static void check_rows(const scene *s)
{
    const int64_t d = s->map.columns;
    float E[N], *G = malloc((size_t)(d + 1) * sizeof(*G));
    kith__feature_workspace room;
    kith__csr_matrix x = {0};
    kith_error err;

    CHECK_OK(kith__feature_workspace_new(&s->map, 1, &room, &err));
    CHECK_OK(kith__feature_rows(&s->map, s->node, MOST_ROWS, &x, &err));
    CHECK_INT(x.n, MOST_ROWS);
    CHECK_INT(x.columns, d);
    for (int l = 0; l < MOST_ROWS; l++) {
        memset(E, 0, sizeof(E));
        E[s->node[l]] = 1;
        kith__feature_transpose(&s->map, E, 1, &room, G);
        for (int64_t p = kith__row_begin(&x, l); p < kith__row_begin(&x, l + 1);
             p++) {
            const int64_t j = x.row ? x.column[p] : p - kith__row_begin(&x, l);

            CHECK_NEAR(x.value[p], G[j], 1e-5);
            G[j] = 0;
        }
        for (int64_t j = 0; j < d; j++)
            CHECK_NEAR(G[j], 0, 0);
    }
    kith__csr_matrix_release(&x);
    kith__feature_workspace_release(&room);
    free(G);
}

/* The gradient of the objective over all nodes is 0 at B; logits are F B. */
static void check_fit(const scene *s, int rows, bool turned)
{
    const kith__labelled_nodes train = {s->node, s->truth, rows};
    const kith__labelled_nodes others = {s->node + rows, s->truth + rows,
                                         ASKED};
    const int64_t size = (s->map.columns + 1) * C;
    float a[MOST_ROWS], *w, *B, Zt[MOST_ROWS * C], Zo[ASKED * C], *Z, *G;
    static float target[N * C], weight[N];
    double *at, *gradient;
    kith__feature_workspace room;
    kith__row_fits f;
    kith_error err;

    CHECK_OK(kith__row_fits_new(&s->map, &train, &others, C, &f, &err));
    CHECK((f.R != NULL) == turned);
    w = calloc((size_t)kith__row_fits_size(&f), sizeof(*w));
    B = calloc((size_t)size, sizeof(*B));
    Z = calloc(N * 4, sizeof(*Z));
    G = calloc((size_t)(s->map.columns + 1) * 4, sizeof(*G));
    at = calloc((size_t)size, sizeof(*at));
    gradient = calloc((size_t)size, sizeof(*gradient));
    memset(weight, 0, sizeof(weight));
    memset(target, 0, sizeof(target));
    for (int l = 0; l < rows; l++) {
        a[l] = l % 5 != 0; /* a fold is left out */
        weight[s->node[l]] = a[l];
        target[s->node[l] * C + s->truth[l]] = 1;
    }
    CHECK_OK(kith__row_fits_fit(&f, a, .3, 300, 1e-5, w, Zt, Zo, &err));
    CHECK_OK(kith__row_fits_unfold(&f, w, B, &err));
    for (int64_t i = 0; i < size; i++)
        at[i] = (double)B[i];
    CHECK_OK(kith__feature_workspace_new(&s->map, 4, &room, &err));
    kith__soft_objective(&s->map, &(kith__soft_rows){target, weight}, C, .3, at,
                         gradient, &room, Z, G);
    for (int64_t i = 0; i < size; i++)
        CHECK_NEAR(gradient[i], 0, 5e-3);
    kith__feature_apply(&s->map, B, C, &room, Z);
    for (int i = 0; i < rows * C; i++)
        CHECK_NEAR(Zt[i], Z[s->node[i / C] * C + i % C], 1e-3);
    for (int i = 0; i < ASKED * C; i++)
        CHECK_NEAR(Zo[i], Z[s->node[rows + i / C] * C + i % C], 1e-3);
    kith__feature_workspace_release(&room);
    kith__row_fits_release(&f);
    free(w);
    free(B);
    free(Z);
    free(G);
    free(at);
    free(gradient);
}

TEST(rows_are_those_of_the_map)
{
    static scene s;

    scene_new(&s, WIDE);
    check_rows(&s);
    scene_release(&s);
    scene_new(&s, 2);
    check_rows(&s);
    scene_release(&s);
}

TEST(few_rows_are_turned_and_many_are_not)
{
    static scene s;

    scene_new(&s, WIDE);
    check_fit(&s, 20, true);
    scene_release(&s);
}

TEST(many_rows_are_fitted_as_they_are)
{
    static scene s;

    scene_new(&s, 1); /* 17 columns a hop, and 9 of degrees */
    check_fit(&s, MOST_ROWS, MOST_ROWS < s.map.columns / 2);
    scene_release(&s);
}

TEST(nobody_else_need_be_asked_of)
{
    static scene s;
    const kith__labelled_nodes none = {0};
    kith__row_fits f;
    kith_error err;

    scene_new(&s, WIDE);
    CHECK_OK(kith__row_fits_new(&s.map,
                                &(kith__labelled_nodes){s.node, s.truth, 9},
                                &none, C, &f, &err));
    CHECK_INT(f.ask.n, 0);
    kith__row_fits_release(&f);
    scene_release(&s);
}
