/*
 * test_lcm_em.c: the parts of lcm-em against their slow twins, and the whole on
 * graphs of every kind.
 */
#include <math.h>

#include "core/alloc.h"
#include "kernels/small_dense.h"
#include "models/lcm_em/coupling_fit.h"
#include "models/potentials/feature_operator.h"
#include "models/potentials/soft_logreg.h"
#include "models/potentials/spectral_embedding.h"
#include "small_graphs.h"

enum { N = 24, D = 7, K = 3 };

/* ---- the feature map ----------------------------------------------------- */

/* Sparse features with some empty rows, also dense in X (N x D). */
static void some_features(kith__csc_matrix *t, double *X)
{
    kith__rng r = kith__rng_start(5, 5);
    kith__csr_matrix m = {.n = N, .columns = D};
    kith_error err;
    int64_t at = 0;

    m.row = kith__alloc(N + 1, sizeof(*m.row));
    m.column = kith__alloc(N * D, sizeof(*m.column));
    m.value = kith__alloc(N * D, sizeof(*m.value));
    memset(X, 0, N * D * sizeof(*X));
    for (int u = 0; u < N; u++) {
        m.row[u] = at;
        for (int j = 0; j < D; j++) {
            if (u % 6 == 5 || kith__rng_real(&r) < .5)
                continue;
            m.column[at] = j;
            m.value[at] = (float)(kith__rng_real(&r) + .2);
            X[u * D + j] = (double)m.value[at++];
        }
    }
    m.row[N] = at;
    CHECK_OK(kith__csc_matrix_new(&m, t, &err));
}

/* Y = M X, M N x N. */
static void dense_times(const double *M, const double *X, double *Y)
{
    for (int u = 0; u < N; u++)
        for (int j = 0; j < D; j++) {
            Y[u * D + j] = 0;
            for (int v = 0; v < N; v++)
                Y[u * D + j] += M[u * N + v] * X[v * D + j];
        }
}

/* a_uv of a graph, with `loop` on the diagonal; d its row sums. */
static void dense_adjacency(const kith_graph *g, double loop, double *A,
                            double *d)
{
    const int64_t *rows = kith_graph_rows(g);
    const float *w = kith_graph_weights(g);

    memset(A, 0, N * N * sizeof(*A));
    for (int u = 0; u < N; u++) {
        A[u * N + u] = d[u] = loop;
        for (int64_t p = rows[u]; p < rows[u + 1]; p++) {
            const double a = w ? (double)w[p] : 1;

            A[u * N + kith_graph_neighbours(g)[p]] = a;
            d[u] += a;
        }
    }
}

static void unit_rows(double *F)
{
    for (int u = 0; u < N; u++) {
        double sum = 0;

        for (int j = 0; j < D; j++)
            sum += F[u * D + j] * F[u * D + j];
        for (int j = 0; j < D && sum > 1e-12; j++)
            F[u * D + j] /= sqrt(sum);
    }
}

/* F of kith__feature_smooth_each(), literally. */
static void literal_smooth(const kith_graph *g, const double *X, int hops,
                           double a, double *F)
{
    double A[N * N], d[N], Y[N * D], Z[N * D];

    dense_adjacency(g, 1, A, d);
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++)
            A[u * N + v] /= sqrt(d[u] * d[v]);
    memcpy(Y, X, sizeof(Y));
    memset(F, 0, N * D * sizeof(*F));
    for (int h = 0; h <= hops; h++) {
        const double w = h < hops ? a * pow(1 - a, h) : pow(1 - a, h);

        for (int i = 0; i < N * D; i++)
            F[i] += w * Y[i];
        dense_times(A, Y, Z);
        memcpy(Y, Z, sizeof(Y));
    }
    unit_rows(F);
    for (int j = 0; j < D; j++) {
        double mean = 0;

        for (int u = 0; u < N; u++)
            mean += F[u * D + j] / N;
        for (int u = 0; u < N; u++)
            F[u * D + j] -= mean;
    }
    unit_rows(F);
}

/* The means block, literally: (D^-1 A)^hops X, mean squared length 1. */
static void literal_means(const kith_graph *g, const double *X, int hops,
                          double *F)
{
    double A[N * N], d[N], Z[N * D], sum = 0;

    dense_adjacency(g, 0, A, d);
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++)
            A[u * N + v] = d[u] > 0 ? A[u * N + v] / d[u] : 0;
    memcpy(F, X, N * D * sizeof(*F));
    for (int h = 0; h < hops; h++) {
        dense_times(A, F, Z);
        memcpy(F, Z, sizeof(Z));
    }
    for (int i = 0; i < N * D; i++)
        sum += F[i] * F[i];
    for (int i = 0; i < N * D; i++)
        F[i] *= sqrt(N / sum);
}

/* Apply the map of one block to each unit vector: F itself must come out; and
 * back, from each node: F'.  As it is, and if it is formed, not formed. */
static void check_map(kith__feature_operator *map, const double *F)
{
    float B[(D + 1) * D] = {0}, E[N * N] = {0}, Z[N * D], G[(D + 1) * N];
    kith__feature_workspace room;
    kith_error err;
    bool formed;

    for (int j = 0; j < D; j++)
        B[j * D + j] = 1;
    for (int u = 0; u < N; u++)
        E[u * N + u] = 1;
    CHECK_OK(kith__feature_workspace_new(map, N, &room, &err));
    do {
        kith__feature_apply(map, B, D, &room, Z);
        kith__feature_transpose(map, E, N, &room, G);
        for (int u = 0; u < N; u++)
            for (int j = 0; j < D; j++) {
                CHECK_NEAR(Z[u * D + j], F[u * D + j], 2e-5);
                CHECK_NEAR(G[j * N + u], F[u * D + j], 2e-5);
            }
        formed = map->block[0].formed.x.value;
        kith__csc_matrix_release(&map->block[0].formed);
    } while (formed);
    kith__feature_workspace_release(&room);
}

TEST(features_through_the_graph_are_as_the_formula_says)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        kith_graph *g = small_graph(N, 40, weighted, 3);
        const float a[] = {.1f, .3f};
        kith__feature_operator maps[2] = {0};
        double X[N * D], F[N * D];
        kith__smoother s;
        kith__csc_matrix t;
        kith_error err;

        some_features(&t, X);
        CHECK_OK(kith__smoother_new(g, true, 2, &s, &err));
        CHECK_OK(kith__feature_smooth_each(&t, &s, 4, a, 2, 2, maps, &err));
        for (int i = 0; i < 2; i++) {
            literal_smooth(g, X, 4, (double)a[i], F);
            CHECK(maps[i].block[0].formed.x.value != NULL);
            check_map(&maps[i], F);
            kith__feature_operator_release(&maps[i]);
        }
        kith__csc_matrix_release(&t);
        kith__smoother_release(&s);
        kith_graph_free(g);
    }
}

/* sqrt of the weighted degree. */
static void roots(const kith_graph *g, float *root)
{
    double A[N * N], d[N];

    dense_adjacency(g, 0, A, d);
    for (int u = 0; u < N; u++)
        root[u] = (float)sqrt(d[u]);
}

TEST(means_of_neighbours_are_as_the_formula_says)
{
    for (int hops = 0; hops <= 2; hops++) {
        kith_graph *g = small_graph(N, 30, true, 4);
        kith__feature_operator map = {.n = N, .threads = 2};
        double X[N * D], F[N * D];
        small_task task;
        kith__csc_matrix t;
        float root[N];
        kith_error err;

        small_task_new(&task, g, K, 6, 2);
        some_features(&t, X);
        roots(g, root);
        CHECK_OK(
            kith__feature_add_means(&map, &t, &task.task.W, root, hops, &err));
        literal_means(g, X, hops, F);
        check_map(&map, F);
        kith__feature_operator_release(&map);
        kith__csc_matrix_release(&t);
        small_task_release(&task);
        kith_graph_free(g);
    }
}

/* A map of two blocks, with a bias. */
typedef struct two_blocks {
    kith_graph *g;
    small_task task;
    kith__smoother s;
    kith__csc_matrix t;
    kith__feature_operator map;
} two_blocks;

static void two_blocks_new(two_blocks *b)
{
    const float a = .2f;
    double X[N * D];
    float root[N];
    kith_error err;

    b->g = small_graph(N, 50, false, 6);
    small_task_new(&b->task, b->g, K, 9, 1);
    some_features(&b->t, X);
    roots(b->g, root);
    CHECK_OK(kith__smoother_new(b->g, true, 1, &b->s, &err));
    b->map = (kith__feature_operator){0};
    CHECK_OK(
        kith__feature_smooth_each(&b->t, &b->s, 3, &a, 1, 1, &b->map, &err));
    CHECK_OK(kith__feature_add_means(&b->map, &b->t, &b->task.task.W, root, 1,
                                     &err));
}

static void two_blocks_release(two_blocks *b)
{
    kith__feature_operator_release(&b->map);
    kith__csc_matrix_release(&b->t);
    kith__smoother_release(&b->s);
    small_task_release(&b->task);
    kith_graph_free(b->g);
}

static float random_float(kith__rng *r)
{
    return (float)(kith__rng_real(r) - .5);
}

/* <F B, E> = <B, F'E> for any B and E. */
TEST(the_way_back_is_the_transpose)
{
    enum { ROWS = 2 * D + 1 };
    float B[ROWS * K], E[N * K], Z[N * K], G[ROWS * K];
    kith__rng r = kith__rng_start(9, 9);
    double there = 0, back = 0;
    kith__feature_workspace room;
    two_blocks b;
    kith_error err;

    two_blocks_new(&b);
    for (int i = 0; i < ROWS * K; i++)
        B[i] = random_float(&r);
    for (int i = 0; i < N * K; i++)
        E[i] = random_float(&r);
    CHECK_OK(kith__feature_workspace_new(&b.map, K, &room, &err));
    kith__feature_apply(&b.map, B, K, &room, Z);
    kith__feature_transpose(&b.map, E, K, &room, G);
    for (int i = 0; i < N * K; i++)
        there += (double)Z[i] * (double)E[i];
    for (int i = 0; i < ROWS * K; i++)
        back += (double)B[i] * (double)G[i];
    CHECK_NEAR(there, back, 1e-5);
    kith__feature_workspace_release(&room);
    two_blocks_release(&b);
}

/* ---- gradients ----------------------------------------------------------- */

TEST(soft_logistic_regression_has_the_gradient_of_its_objective)
{
    enum { ROWS = 2 * D + 1, WIDE = 4 };
    float T[N * K], weight[N], Z[N * WIDE], G[ROWS * WIDE];
    double B[ROWS * K], gradient[ROWS * K], other[ROWS * K];
    kith__rng r = kith__rng_start(2, 2);
    const kith__soft_rows rows = {T, weight};
    kith__feature_workspace room;
    two_blocks b;
    kith_error err;

    CHECK_INT(kith__soft_width(K), WIDE);
    two_blocks_new(&b);
    for (int u = 0; u < N; u++) {
        T[u * K] = .2f;
        T[u * K + 1] = (float)kith__rng_real(&r) * .8f;
        T[u * K + 2] = .8f - T[u * K + 1];
        weight[u] = u % 5 == 0 ? 0 : (float)kith__rng_real(&r);
    }
    for (int i = 0; i < ROWS * K; i++)
        B[i] = (double)random_float(&r);
    CHECK_OK(kith__feature_workspace_new(&b.map, WIDE, &room, &err));
    kith__soft_objective(&b.map, &rows, K, .3, B, gradient, &room, Z, G);
    for (int i = 0; i < ROWS * K; i++) {
        const double step = 1e-2, was = B[i];
        double up, down;

        B[i] = was + step;
        up = kith__soft_objective(&b.map, &rows, K, .3, B, other, &room, Z, G);
        B[i] = was - step;
        down = kith__soft_objective(&b.map, &rows, K, .3, B, other, &room, Z,
                                    G);
        B[i] = was;
        CHECK_NEAR((up - down) / (2 * step), gradient[i], 5e-4);
    }
    kith__feature_workspace_release(&room);
    two_blocks_release(&b);
}

TEST(the_fit_of_the_coupling_has_the_gradient_of_its_objective)
{
    enum { SIZE = 2 + K + K * (K + 1) / 2 };
    int32_t node[N], truth[N];
    const kith__labelled_nodes at = {node, truth, N};
    double theta[SIZE], gradient[SIZE], other[SIZE];
    kith__rng r = kith__rng_start(3, 3);
    float L[N * K], M[N * K];

    for (int i = 0; i < N * K; i++) {
        L[i] = 4 * random_float(&r);
        M[i] = random_float(&r);
    }
    for (int i = 0; i < N; i++) {
        node[i] = N - 1 - i;
        truth[i] = i % K;
    }
    for (int i = 0; i < SIZE; i++)
        theta[i] = (double)random_float(&r);
    kith__coupling_objective(L, M, K, &at, .7, theta, gradient);
    for (int i = 0; i < SIZE; i++) {
        const double step = 1e-5, was = theta[i];
        double up, down;

        theta[i] = was + step;
        up = kith__coupling_objective(L, M, K, &at, .7, theta, other);
        theta[i] = was - step;
        down = kith__coupling_objective(L, M, K, &at, .7, theta, other);
        theta[i] = was;
        CHECK_NEAR((up - down) / (2 * step), gradient[i], 1e-6);
    }
}

/* Labels that follow the opposite of their neighbours': H must say so. */
TEST(a_heterophilous_coupling_is_found)
{
    float L[200 * 2] = {0}, M[200 * 2], H[4], b[2], P[200 * 2];
    int32_t node[200], truth[200];
    const kith__labelled_nodes at = {node, truth, 200};
    kith__fitted_coupling f = {0, H, b};
    kith_error err;

    for (int i = 0; i < 200; i++) {
        node[i] = i;
        truth[i] = i % 2;
        M[2 * i] = i % 2 ? .9f : .1f; /* neighbours of the other class */
        M[2 * i + 1] = 1 - M[2 * i];
    }
    CHECK_OK(kith__coupling_fit(L, M, 2, &at, 1, &f, &err));
    CHECK(H[0] < H[1] && H[3] < H[1]);
    CHECK(fabs((double)(H[1] - H[2])) < 1e-6); /* symmetric */
    kith__coupling_apply(L, M, 200, 2, &f, P);
    CHECK(kith__accuracy(P, 2, &at) == 1);
}

/* ---- eigenvectors -------------------------------------------------------- */

TEST(eigenvectors_are_those_of_the_dense_matrix)
{
    enum { RANK = 5 };
    kith_graph *g = small_graph(N, 60, false, 8);
    double dense[N * N], values[N], V[N * N];
    float vectors[N * RANK], found[RANK];
    small_task t;
    kith_error err;

    small_task_new(&t, g, K, 3, 2);
    CHECK_OK(kith__embed(&t.task.W, t.task.graph, RANK, vectors, found, &err));
    dense_weights(&t.task.W, dense);
    kith__jacobi(dense, N, values, V);
    CHECK_NEAR(found[0], 1, 1e-4); /* D^-1/2 A D^-1/2 has it */
    for (int r = 0; r < RANK; r++) {
        double nearest = 9, largest = 0;

        dense_weights(&t.task.W, dense);
        for (int i = 0; i < N; i++)
            nearest = fmin(nearest, fabs(values[i] - (double)found[r]));
        CHECK(nearest < 1e-3);
        for (int u = 0; u < N; u++) { /* W v = value v */
            double sum = 0;

            for (int v = 0; v < N; v++)
                sum += dense[u * N + v] * (double)vectors[v * RANK + r];
            largest = fmax(
                largest,
                fabs(sum - (double)found[r] * (double)vectors[u * RANK + r]));
        }
        CHECK(largest < 5e-3);
        CHECK(r == 0 || fabsf(found[r]) <= fabsf(found[r - 1]));
    }
    small_task_release(&t);
    kith_graph_free(g);
}

/* ---- the whole ----------------------------------------------------------- */

/* Labels i mod classes for nodes i < labelled; train, val: every other one. */
static kith_model *fit(const kith_graph *g, const kith_features *f, int classes,
                       int labelled, const char *method, float *p)
{
    int32_t of[SMALL_MOST], nodes[2][SMALL_MOST];
    char *names[SMALL_MOST], text[SMALL_MOST][8];
    kith_labels labels = {.nodes = kith_graph_nodes(g),
                          .classes = classes,
                          .names = names,
                          .of = of};
    kith_dataset d = {.graph = (kith_graph *)g,
                      .labels = &labels,
                      .features = (kith_features *)f};
    kith_split s = {.train = nodes[0], .val = nodes[1]};
    kith_train_options o;
    kith_model *m = NULL;
    kith_error err = {0};

    for (int c = 0; c < classes; c++) {
        snprintf(text[c], sizeof(text[c]), "c%d", c);
        names[c] = text[c];
    }
    for (int u = 0; u < kith_graph_nodes(g); u++) {
        of[u] = u < labelled ? u % classes : -1;
        if (u < labelled && u / classes % 2 == 0)
            s.train[s.n_train++] = u;
        else if (u < labelled)
            s.val[s.n_val++] = u;
    }
    kith_train_options_init(&o);
    o.job.threads = 2;
    CHECK_OK(kith_model_train(&d, method, &s, &o, &m, p, &err));
    return m;
}

/* Finite distributions and a certificate that holds. */
static void check_sound(const kith_graph *g, int classes, int labelled,
                        const char *method)
{
    const int n = kith_graph_nodes(g);
    float *p = calloc((size_t)(n * classes), sizeof(*p));
    kith_model *m = fit(g, NULL, classes, labelled, method, p);
    const kith_certificate *c = m ? kith_model_certificate(m) : NULL;

    for (int u = 0; u < n; u++) {
        double sum = 0;

        for (int k = 0; k < classes; k++) {
            CHECK(isfinite(p[u * classes + k]));
            sum += (double)p[u * classes + k];
        }
        CHECK_NEAR(sum, 1, 1e-4);
    }
    CHECK(c && !(c->rho >= 1) && c->iterations >= 0);
    /* both are told of what was propagated, and neither else */
    CHECK(c && isnan(c->rho) == isnan(c->residual));
    kith_model_free(m);
    free(p);
}

TEST(any_graph_gives_finite_beliefs_that_converge)
{
    static const char *const methods[] = {"lcm-em", "lcm", "lcm-wo", "linbp"};
    static const int classes[] = {2, 3, 7, 50};

    for (int i = 0; i < 4; i++)
        for (int weighted = 0; weighted < 2; weighted++) {
            kith_graph *g = small_graph(60, 20 + 60 * i, weighted,
                                        (uint64_t)(10 + i));

            for (int m = 0; m < 4; m++)
                check_sound(g, classes[i], 60, methods[m]);
            kith_graph_free(g);
        }
}

/* One hub, its leaves, weights from tiny to huge, and nodes apart. */
TEST(extreme_degrees_and_weights_do_no_harm)
{
    char text[4000], nodes[600];
    kith_build_options o = {0};
    kith_graph *g = NULL;
    size_t at = 0, to = 0;
    kith_error err;

    for (int i = 0; i < 50; i++) {
        to += (size_t)snprintf(nodes + to, 8, "%d\n", i);
        if (i > 0 && i < 45)
            at += (size_t)snprintf(text + at, 60, "0\t%d\t%g\n", i,
                                   pow(10, i % 13 - 6));
    }
    o.nodes = check_file("hub.nodes", nodes);
    CHECK_OK(kith_graph_read(check_file("hub.tsv", text), &o, &g, NULL, &err));
    check_sound(g, 2, 50, "lcm-em");
    check_sound(g, 2, 50, "lcm");
    check_sound(g, 5, 20, "auto");
    kith_graph_free(g);
}

TEST(little_to_learn_from_is_enough)
{
    kith_graph *g = small_graph(30, 50, false, 1);
    kith_graph *empty = small_graph(30, 0, false, 1);

    check_sound(g, 3, 3, "lcm-em");   /* one node each, none to validate */
    check_sound(g, 20, 10, "lcm-em"); /* classes without any node */
    check_sound(empty, 3, 30, "lcm-em");
    check_sound(empty, 2, 8, "auto");
    kith_graph_free(g);
    kith_graph_free(empty);
}

/* Following a recipe again: the whole search has the same parts. */
TEST(a_recipe_survives_every_failed_allocation)
{
    kith_generate_options o;
    kith_train_options t;
    kith_dataset *d = NULL;
    kith_model *m = NULL, *again = NULL;
    kith_split s;
    kith_error err;

    CHECK_OK(kith_generate_preset("sbm", 1, &o, &err));
    o.nodes = 40;
    o.edges = 80;
    o.classes = 2;
    o.features = 12;
    o.words = 4;
    o.signal = .5;
    o.train = 4;
    o.val = 5;
    o.test = 5;
    CHECK_OK(kith_generate(&o, check_path("tiny"), &err));
    CHECK_OK(kith_dataset_open(check_path("tiny"), NULL, &d, &err));
    CHECK_OK(kith_split_read(d, "0", &s, &err));
    kith_train_options_init(&t);
    t.job.threads = 1;
    CHECK_OK(kith_model_train(d, "lcm-em", &s, &t, &m, NULL, &err));
    t.like = m;
    CHECK_OOM(st = kith_model_train(d, "auto", &s, &t, &again, NULL, NULL),
              kith_model_free(again));
    kith_model_free(m);
    kith_split_release(&s);
    kith_dataset_free(d);
}
