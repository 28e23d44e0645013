/*
 * test_operator.c: every operation of the operator against dense matrices.
 */
#include "kernels/operator.h"
#include "kernels/operator_lowrank.h"
#include "kernels/softmax.h"
#include "small_graphs.h"

static void random_floats(float *x, int n, uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 3);

    for (int i = 0; i < n; i++)
        x[i] = (float)(kith__rng_real(&r) - 0.5);
}

/* Y = Q + W X H by three dense loops, in double. */
static void dense_step(const double *W, int n, const float *X, int k,
                       const float *H, const float *Q, double *Y)
{
    for (int u = 0; u < n; u++)
        for (int c = 0; c < k; c++) {
            double y = (double)Q[u * k + c];

            for (int v = 0; v < n; v++)
                for (int j = 0; j < k; j++)
                    y += W[u * n + v] * (double)X[v * k + j] *
                         (double)H[j * k + c];
            Y[u * k + c] = y;
        }
}

static void check_step(int n, int edges, int k, bool weighted, int threads)
{
    kith_graph *g = small_graph(n, edges, weighted, 7);
    const int cells = n * k;
    float *X = malloc(sizeof(float) * (size_t)cells);
    float *Q = malloc(sizeof(float) * (size_t)cells);
    float *Y = malloc(sizeof(float) * (size_t)cells);
    float *H = malloc(sizeof(float) * (size_t)(k * k));
    double *W = malloc(sizeof(double) * (size_t)(n * n));
    double *want = malloc(sizeof(double) * (size_t)cells), change = 0;
    small_task s;

    random_floats(X, cells, 1);
    random_floats(Q, cells, 2);
    random_floats(H, k * k, 3);
    small_task_new(&s, g, 2, 0, threads);
    dense_weights(&s.task.W, W);
    dense_step(W, n, X, k, H, Q, want);
    for (int i = 0; i < cells; i++)
        change = fmax(change, fabs(want[i] - (double)X[i]));
    CHECK_NEAR(apply_all(&s.task.W, X, k, H, Q, Y), change, 1e-5);
    for (int i = 0; i < cells; i++)
        CHECK_NEAR(Y[i], want[i], 2e-6 * k);
    small_task_release(&s);
    kith_graph_free(g);
    free(X);
    free(Q);
    free(Y);
    free(H);
    free(W);
    free(want);
}

TEST(a_step_equals_dense_matrices)
{
    static const int classes[] = {1, 2, 3, 7, 16, 17, 33};

    for (int i = 0; i < 7; i++)
        for (int weighted = 0; weighted < 2; weighted++) {
            check_step(1, 1, classes[i], weighted, 1);
            check_step(50, 120, classes[i], weighted, 1);
            check_step(64, 700, classes[i], weighted, 3);
        }
}

/* The coupling as it starts takes a shorter way; it must be the same. */
TEST(a_uniform_coupling_equals_dense_matrices)
{
    kith_graph *g = small_graph(40, 100, false, 7);
    float X[40 * 20], Q[40 * 20], Y[40 * 20], H[400];
    double W[1600], want[40 * 20];
    small_task s;

    random_floats(X, 800, 1);
    random_floats(Q, 800, 2);
    kith__coupling_start(20, H);
    small_task_new(&s, g, 2, 0, 1);
    dense_weights(&s.task.W, W);
    dense_step(W, 40, X, 20, H, Q, want);
    apply_all(&s.task.W, X, 20, H, Q, Y);
    for (int i = 0; i < 800; i++)
        CHECK_NEAR(Y[i], want[i], 2e-6);
    small_task_release(&s);
    kith_graph_free(g);
}

/* Path 0-1-2, node 0 known: by hand, with d = 1, 2, 1 and k = 2,
 * y_1 = (q_0 / sqrt 2) H = (.3, -.3) / sqrt 2 x .2. */
TEST(one_step_on_a_path_by_hand)
{
    kith_graph *g = NULL;
    float X[6] = {.3f, -.3f}, Q[6] = {.3f, -.3f}, Y[6];
    const float H[4] = {.1f, -.1f, -.1f, .1f};
    small_task s;
    kith_error err;

    CHECK_OK(kith_graph_read(check_file("p.tsv", "0\t1\n1\t2\n"), NULL, &g,
                             NULL, &err));
    small_task_new(&s, g, 2, 0, 1);
    apply_all(&s.task.W, X, 2, H, Q, Y);
    CHECK_NEAR(Y[0], .3, 1e-7);
    CHECK_NEAR(Y[2], .06 / sqrt(2), 1e-7);
    CHECK_NEAR(Y[3], -.06 / sqrt(2), 1e-7);
    CHECK_NEAR(Y[4], 0, 0); /* two hops away: untouched */
    small_task_release(&s);
    kith_graph_free(g);
}

TEST(the_same_bytes_for_any_number_of_threads)
{
    kith_graph *g = small_graph(64, 600, false, 9);
    float X[64 * 20], H[400], first[64 * 20], Y[64 * 20];

    random_floats(X, 64 * 20, 4);
    random_floats(H, 400, 5);
    for (int threads = 1; threads <= 8; threads++) {
        small_task s;

        small_task_new(&s, g, 2, 0, threads);
        apply_all(&s.task.W, X, 20, H, X, Y);
        if (threads == 1)
            memcpy(first, Y, sizeof(Y));
        CHECK(memcmp(first, Y, sizeof(Y)) == 0);
        small_task_release(&s);
    }
    kith_graph_free(g);
}

/* The plain twin: one neighbour after the other, in float. */
static void step_ref(const kith__operator *W, const float *X, int k,
                     const float *H, const float *Q, float *Y)
{
    for (int32_t u = 0; u < W->n; u++) {
        float pulled[64] = {0};

        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
            const int32_t v = W->neighbours[p];
            const float w = W->weights ? W->weights[p]
                                       : W->scale[u] * W->scale[v];

            for (int c = 0; c < k; c++)
                pulled[c] += w * X[v * k + c];
        }
        for (int c = 0; c < k; c++) {
            Y[u * k + c] = Q[u * k + c];
            for (int j = 0; j < k; j++)
                Y[u * k + c] += pulled[j] * H[j * k + c];
        }
    }
}

/* Every form of a step, with AVX2 or without, X scaled before or not, on any
 * number of threads: the bits are the same, and near those of the twin. */
static void check_forms(const kith__operator *W, int k, bool usual)
{
    const size_t cells = (size_t)W->n * (size_t)k;
    float *X = malloc(cells * 4), *Q = malloc(cells * 4);
    float *want = malloc(cells * 4), *Y = malloc(cells * 4);
    float *first = malloc(cells * 4), H[64 * 64], change = 0;
    kith__operator form = *W;

    random_floats(X, (int)cells, 1);
    random_floats(Q, (int)cells, 2);
    random_floats(H, k * k, 3);
    if (usual) /* of two classes one column is enough then */
        kith__coupling_start(k, H);
    step_ref(W, X, k, H, Q, want);
    for (int i = 0; i < 8; i++) {
        float now;

        form.threads = 1 + i % 3;
        form.scratch = i & 1 ? NULL : W->scratch;
        memset(Y, 255, cells * 4);
        form.portable = i & 2;
        now = apply_all(&form, X, k, H, Q, Y);
        if (i == 0) {
            memcpy(first, Y, cells * 4);
            change = now;
        }
        CHECK(now == change && memcmp(first, Y, cells * 4) == 0);
        for (size_t c = 0; c < cells; c++)
            CHECK_NEAR(Y[c], want[c], 3e-6 * k);
    }
    free(X);
    free(Q);
    free(want);
    free(Y);
    free(first);
}

TEST(all_forms_of_a_step_come_to_the_same_bits)
{
    for (int weighted = 0; weighted < 2; weighted++)
        for (int k = 1; k <= 20; k++) {
            kith_graph *g = small_graph(64, 900, weighted, 4);
            small_task s;

            small_task_new(&s, g, 2, 0, 2);
            check_forms(&s.task.W, k, false);
            check_forms(&s.task.W, k, true);
            small_task_release(&s);
            kith_graph_free(g);
        }
}

/* A ring with chords, of which some nodes have none: X is larger than what is
 * taken to be in the cache, so its rows are asked for early. */
TEST(rows_asked_for_early_are_summed_as_others)
{
    enum { NODES = 2200000 };
    int64_t *rows = malloc((NODES + 1) * sizeof(*rows)), m = 0;
    int32_t *neighbours = malloc(4L * NODES * sizeof(*neighbours));
    float *scale = malloc(NODES * sizeof(*scale));
    kith__operator W = {.n = NODES,
                        .rows = rows,
                        .neighbours = neighbours,
                        .scale = scale,
                        .threads = 2};

    for (int32_t u = 0; u < NODES; u++) {
        rows[u] = m;
        neighbours[m++] = (u + 1) % NODES;
        neighbours[m++] = (u + NODES - 1) % NODES;
        if (u % 10 < 8) {
            neighbours[m++] = (int32_t)(u * 7919L % NODES);
            neighbours[m++] = (int32_t)((u + 17L) * 104729 % NODES);
        }
        scale[u] = 1 / sqrtf((float)(m - rows[u]));
    }
    rows[NODES] = m;
    check_forms(&W, 1, false);
    check_forms(&W, 2, true);
    free(rows);
    free(neighbours);
    free(scale);
}

/* ---- ranges, blocks, transposed, pushes ---------------------------------- */

enum { N = 48, MOST_COLUMNS = 24 };

/* An operator of some form on a random graph, with what it is made of. */
typedef struct scene {
    kith_graph *g;
    small_task task;
    kith__operator op;
    float H[MOST_COLUMNS * MOST_COLUMNS], X[N * MOST_COLUMNS];
    float Q[N * MOST_COLUMNS];
    double W[N * N], want[N * MOST_COLUMNS]; /* Q + W X H */
} scene;

static void scene_new(scene *s, bool weighted, int k, int blocks, bool each,
                      bool transposed)
{
    const int columns = k * blocks;

    s->g = small_graph(N, 150, weighted, 5);
    small_task_new(&s->task, s->g, 2, 0, 2);
    dense_weights(&s->task.task.W, s->W);
    random_floats(s->X, N * columns, 1);
    random_floats(s->Q, N * columns, 2);
    random_floats(s->H, k * k * (each ? blocks : 1), 3);
    s->op = kith__coupled(&s->task.task.W, k, s->H);
    s->op.blocks = blocks;
    s->op.each = each;
    s->op.transposed = transposed;
    s->op.h = .75f;
    for (int u = 0; u < N; u++)
        for (int c = 0; c < columns; c++) {
            const int b = c / k, j = c % k;
            const float *H = s->H + (each ? b * k * k : 0);
            double y = (double)s->Q[u * columns + c];

            for (int v = 0; v < N; v++)
                for (int i = 0; i < k; i++)
                    y += .75 * s->W[u * N + v] *
                         (double)s->X[v * columns + b * k + i] *
                         (double)H[transposed ? j * k + i : i * k + j];
            s->want[u * columns + c] = y;
        }
}

static void scene_release(scene *s)
{
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

/* All rows, then a range of them, the others untouched; without Q. */
static void check_ranges(const scene *s)
{
    const int columns = (int)kith__columns(&s->op);
    float Y[N * MOST_COLUMNS];

    kith__operator_apply(&s->op, 0, N, s->X, s->Q, Y);
    for (int i = 0; i < N * columns; i++)
        CHECK_NEAR(Y[i], s->want[i], 1e-5);
    for (int last = 7; last <= N; last += 41) { /* few rows, and most */
        for (int i = 0; i < N * columns; i++)
            Y[i] = 99;
        kith__operator_apply(&s->op, 5, last, s->X, NULL, Y);
        for (int i = 0; i < N * columns; i++)
            CHECK_NEAR(Y[i],
                       i < 5 * columns || i >= last * columns
                           ? 99
                           : s->want[i] - (double)s->Q[i],
                       1e-5);
    }
}

TEST(blocks_and_ranges_equal_dense_matrices)
{
    static const int shape[][2] = {{1, 1}, {2, 1}, {2, 3}, {3, 2}, {2, 4},
                                   {4, 2}, {8, 1}, {3, 4}, {5, 4}, {20, 1}};

    for (int i = 0; i < 10; i++)
        for (int way = 0; way < 8; way++) {
            static scene s;

            scene_new(&s, way & 1, shape[i][0], shape[i][1], way & 2, way & 4);
            check_ranges(&s);
            scene_release(&s);
        }
}

TEST(the_transposed_is_the_same_with_the_transposed_coupling)
{
    for (int k = 2; k <= 20; k += 9) {
        static scene s;
        float Y[N * MOST_COLUMNS];

        scene_new(&s, false, k, 1, false, true); /* `want` is with H' */
        s.op.transposed = false;
        kith__operator_apply_transposed(&s.op, 0, N, s.X, s.Q, Y);
        for (int i = 0; i < N * k; i++)
            CHECK_NEAR(Y[i], s.want[i], 1e-5);
        scene_release(&s);
    }
}

/* Without H it is h X. */
TEST(a_scaled_operator_equals_dense_matrices)
{
    for (int k = 1; k <= 20; k++) {
        static scene s;
        float Y[N * MOST_COLUMNS];

        scene_new(&s, k % 2, k, 1, false, false);
        s.op = kith__scaled(&s.op, k, .3f);
        kith__operator_apply(&s.op, 0, N, s.X, s.Q, Y);
        for (int u = 0; u < N; u++)
            for (int c = 0; c < k; c++) {
                double y = (double)s.Q[u * k + c];

                for (int v = 0; v < N; v++)
                    y += .3 * s.W[u * N + v] * (double)s.X[v * k + c];
                CHECK_NEAR(Y[u * k + c], y, 1e-5);
            }
        scene_release(&s);
    }
}

/* Pushing all rows is a step; a few rows reach their neighbours alone. */
TEST(pushed_rows_add_up_to_a_step)
{
    for (int way = 0; way < 4; way++) {
        static scene s;
        static int32_t touched[2 * 150], all[N];
        float Y[N * MOST_COLUMNS];
        const int columns = 6;
        const int32_t one[] = {3};
        int64_t count;

        scene_new(&s, way & 1, way & 2 ? 3 : 6, way & 2 ? 2 : 1, true, false);
        for (int u = 0; u < N; u++)
            all[u] = u;
        memcpy(Y, s.Q, sizeof(Y));
        count = kith__operator_push(&s.op, all, N, s.X, Y, touched);
        CHECK_INT(count, s.op.rows[N]);
        for (int i = 0; i < N * columns; i++)
            CHECK_NEAR(Y[i], s.want[i], 1e-5);
        memcpy(Y, s.Q, sizeof(Y));
        count = kith__operator_push(&s.op, one, 1, s.X, Y, touched);
        CHECK_INT(count, s.op.rows[4] - s.op.rows[3]);
        for (int64_t i = 0; i < count; i++) {
            CHECK_INT(touched[i], s.op.neighbours[s.op.rows[3] + i]);
            CHECK(Y[touched[i] * columns] != s.Q[touched[i] * columns]);
        }
        for (int u = 0; u < N; u++)
            CHECK(s.W[u * N + 3] != 0 || Y[u * columns] == s.Q[u * columns]);
        scene_release(&s);
    }
}

TEST(bounds_and_weights_equal_dense_matrices)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        static scene s;
        double got[N];

        scene_new(&s, weighted, 2, 1, false, false);
        kith__operator_bound(&s.op, 0, N, s.X, got);
        for (int u = 0; u < N; u++) {
            double sum = 0;

            for (int v = 0; v < N; v++)
                sum += fabs(s.W[u * N + v]) * (double)s.X[v];
            CHECK_NEAR(got[u], sum, 1e-6);
        }
        scene_release(&s);
    }
}

/* Two classes: one column of both, with node scales, a weight for each edge, in
 * any memory; y_u0 - q_u0 is the opposite of y_u1 - q_u1. */
TEST(two_centred_classes_are_summed_as_one_column)
{
    const float h[] = {.4f, -.4f, -.4f, .4f};
    const float lopsided[] = {.4f, -.4f, -.3f, .3f};

    for (int way = 0; way < 4; way++) {
        static scene s;
        float Y[2 * N];

        scene_new(&s, way & 1, 2, 1, false, false);
        if (way & 2)
            s.op.scratch = NULL;
        for (int centred = 0; centred < 2; centred++) {
            double want[2 * N];

            apply_all(&s.op, s.X, 2, centred ? h : lopsided, s.Q, Y);
            dense_step(s.W, N, s.X, 2, centred ? h : lopsided, s.Q, want);
            for (int i = 0; i < 2 * N; i++)
                CHECK_NEAR(Y[i], want[i], 1e-6);
        }
        scene_release(&s);
    }
}

/* ---- weights that are not stored ----------------------------------------- */

enum { TERMS = 3, TRAIN = 5 };

typedef struct lowrank_scene {
    kith_graph *g;
    small_task task;
    kith__lowrank I;
    double W[N * N];
} lowrank_scene;

/* W = A + sum_t s_t M_t s_t' at edges, s = softmax(P_t), and D; weights of any
 * sign. */
static void lowrank_new(lowrank_scene *s, int C, int carried)
{
    kith_error err;

    s->g = small_graph(N, 150, false, 5);
    small_task_new(&s->task, s->g, 2, TRAIN, 2);
    dense_weights(&s->task.task.W, s->W);
    CHECK_OK(kith__lowrank_new(&s->task.task.W, C, carried, TERMS,
                               s->task.task.train, TRAIN, &s->I, &err));
    for (int t = 0; t < TERMS; t++) {
        float P[N * 4], S[N * 4], M[16];
        double in[16], out[16];

        random_floats(P, N * C, (uint64_t)t + 1);
        random_floats(M, C * C, (uint64_t)t + 9);
        for (int u = 0; u < N; u++) { /* centred */
            float mean = 0;

            for (int c = 0; c < C; c++)
                mean += P[u * C + c] / (float)C;
            for (int c = 0; c < C; c++)
                P[u * C + c] -= mean;
        }
        for (int i = 0; i < C * C; i++)
            in[i] = (double)(M[i / C * C + i % C] + M[i % C * C + i / C]);
        kith__lowrank_put(&s->I, 0, N, P);
        kith__lowrank_put_x(&s->I, 0, N, t);
        kith__lowrank_to_coordinates(C, in, out);
        for (int i = 0; i < C * C; i++)
            s->I.M[t][i] = (float)out[i];
        kith__softmax_rows(P, N, C, 1, S, 1);
        for (int u = 0; u < N; u++)
            for (int v = 0; v < N; v++)
                for (int i = 0; s->W[u * N + v] != 0 && i < C * C; i++)
                    s->W[u * N + v] += (double)S[u * C + i / C] * in[i] *
                                       (double)S[v * C + i % C];
    }
    s->I.terms = TERMS;
    for (int32_t l = 0; l < TRAIN; l++)
        for (int64_t e = s->I.D.row[l]; e < s->I.D.row[l + 1]; e++) {
            const int u = s->task.nodes[l];
            const int v = kith__training_edges_neighbours(&s->I.D,
                                                          l)[e - s->I.D.row[l]];

            s->I.D.pushed[e] = (float)sin((double)e);
            s->W[u * N + v] += sin((double)e);
            s->W[v * N + u] += sin((double)e);
        }
}

static void lowrank_release(lowrank_scene *s)
{
    kith__lowrank_release(&s->I);
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

static void check_lowrank_steps(lowrank_scene *s, int C, int blocks)
{
    const kith__operator W = kith__lowrank_operator(&s->I);
    const int columns = C * blocks;
    float X[N * 8], Q[N * 8], Y[N * 8], H[2 * 16];
    kith__operator op = kith__coupled(&W, C, H);

    op.blocks = blocks;
    op.each = true;
    random_floats(X, N * columns, 20);
    random_floats(Q, N * columns, 21);
    random_floats(H, C * C * blocks, 22);
    for (int u = 0; u < N * blocks; u++) { /* centred */
        X[u * C] = 0;
        for (int c = 1; c < C; c++)
            X[u * C] -= X[u * C + c];
    }
    for (int way = 0; way < 3; way++) {
        const int first = way == 1 ? 7 : 0, last = way == 1 ? 30 : N;

        if (way < 2) {
            kith__operator_apply(&op, first, last, X, Q, Y);
        } else { /* all rows pushed */
            int32_t all[N], touched[2 * 150];

            for (int u = 0; u < N; u++)
                all[u] = u;
            memcpy(Y, Q, sizeof(Y));
            kith__operator_push(&op, all, N, X, Y, touched);
        }
        for (int u = first; u < last; u++)
            for (int c = 0; c < columns; c++) {
                double y = (double)Q[u * columns + c];

                for (int v = 0; v < N; v++)
                    for (int i = 0; i < C; i++)
                        y += s->W[u * N + v] *
                             (double)X[v * columns + c / C * C + i] *
                             (double)H[c / C * C * C + i * C + c % C];
                CHECK_NEAR(Y[u * columns + c], y, 2e-5);
            }
    }
}

static void check_lowrank_weights(lowrank_scene *s)
{
    float y[N], weights[2 * 150];
    kith__lowrank_writing writing = {&s->I, weights};
    const kith__operator op[2] = {kith__lowrank_operator(&s->I),
                                  kith__lowrank_writer(&writing)};
    double got[N];

    for (int u = 0; u < N; u++)
        y[u] = (float)(1 + u % 3);
    for (int i = 0; i < 2; i++) {
        kith__operator_bound(&op[i], 0, N, y, got);
        for (int u = 0; u < N; u++) {
            double sum = 0;

            for (int v = 0; v < N; v++)
                sum += fabs(s->W[u * N + v]) * (double)y[v];
            CHECK_NEAR(got[u], sum, 2e-5);
        }
    }
    for (int u = 0; u < N; u++)
        for (int64_t p = op->rows[u]; p < op->rows[u + 1]; p++) {
            const double w = s->W[u * N + op->neighbours[p]];

            CHECK_NEAR(kith__operator_weight(op, u, p), w, 2e-6);
            CHECK_NEAR(weights[p], w, 2e-6);
        }
}

TEST(weights_that_are_not_stored_equal_dense_matrices)
{
    for (int C = 2; C <= 4; C++)
        for (int carried = C - 1; carried <= C; carried++) {
            static lowrank_scene s;

            lowrank_new(&s, C, carried);
            check_lowrank_weights(&s);
            check_lowrank_steps(&s, C, 1);
            check_lowrank_steps(&s, C, 2);
            lowrank_release(&s);
        }
}

/* ---- numbers of all rows ------------------------------------------------- */

static void add_and_raise(void *user, int32_t first, int32_t last, double *out)
{
    const double *x = user;

    for (int32_t u = first; u < last; u++) {
        out[0] += x[u];
        out[1] += 1;
        out[2] = fmax(out[2], x[u]);
    }
}

TEST(reductions_are_the_same_bits_on_any_number_of_threads)
{
    enum { ROWS = 300007 };
    double *x = malloc(ROWS * sizeof(*x)), sum = 0, most = 0;
    double first[3], out[3];
    kith__operator op = {.n = ROWS};

    for (int i = 0; i < ROWS; i++) {
        x[i] = fabs(sin(i)) / 3;
        sum += x[i];
        most = fmax(most, x[i]);
    }
    for (op.threads = 1; op.threads <= 8; op.threads++) {
        kith__reduce(&op, add_and_raise, x, 2, 1, out);
        if (op.threads == 1)
            memcpy(first, out, sizeof(out));
        CHECK(memcmp(first, out, sizeof(out)) == 0);
    }
    CHECK_NEAR(out[0], sum, 1e-8);
    CHECK_NEAR(out[1], ROWS, 0);
    CHECK_NEAR(out[2], most, 0);
    free(x);
}
