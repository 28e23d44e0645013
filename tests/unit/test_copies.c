/*
 * test_copies.c: a graph of many copies of a small one, side by side, gives
 * each of them the beliefs of the small one: it has more rows and sums more
 * than what is worked on at once, wherever that is cut.
 */
#include "kernels/spectral_bound.h"
#include "models/lcm/lcm.h"
#include "models/model_object.h"
#include "small_graphs.h"

enum { N = 60, EDGES = 150, COPIES = 150, MOST = 4, TRAIN = 9, POINTS = 5 };

typedef struct scene {
    kith_graph *g;
    kith__task t;
    float *scale, *weights, *Q;
    int32_t *node, *truth; /* training nodes */
    int32_t *seen, *right; /* and those to score on */
    kith__labelled_nodes val;
    int n, copies;
} scene;

static kith_graph *copies_of(const kith_graph *g, int copies)
{
    const float *w = kith_graph_weights(g);
    const size_t room = (size_t)copies * 40 *
                        ((size_t)kith_graph_rows(g)[N] + N);
    char *text = malloc(room), *nodes = malloc(room);
    size_t at = 0, end = 0;
    kith_build_options o = {0};
    kith_graph *all = NULL;
    kith_error err;

    for (int k = 0; k < copies; k++)
        for (int u = 0; u < N; u++) {
            end += (size_t)snprintf(nodes + end, 12, "%d\n", k * N + u);
            for (int64_t p = kith_graph_rows(g)[u];
                 p < kith_graph_rows(g)[u + 1]; p++) {
                const int v = kith_graph_neighbours(g)[p];

                if (v < u)
                    continue;
                at += (size_t)snprintf(text + at, 24, "%d\t%d", k * N + u,
                                       k * N + v);
                at += w ? (size_t)snprintf(text + at, 16, "\t%.9g\n",
                                           (double)w[p])
                        : (size_t)snprintf(text + at, 2, "\n");
            }
        }
    o.nodes = check_file("copies.nodes", nodes);
    CHECK_OK(
        kith_graph_read(check_file("copies.tsv", text), &o, &all, NULL, &err));
    free(text);
    free(nodes);
    return all;
}

static void scene_new(scene *s, const kith_graph *g, int copies, int C)
{
    const size_t rows = (size_t)copies * N;
    float Q[N * MOST];

    *s = (scene){.g = copies_of(g, copies),
                 .Q = malloc(sizeof(float) * rows * (size_t)C),
                 .node = malloc(sizeof(int32_t) * rows),
                 .truth = malloc(sizeof(int32_t) * rows),
                 .seen = malloc(sizeof(int32_t) * rows),
                 .right = malloc(sizeof(int32_t) * rows),
                 .n = (int)rows,
                 .copies = copies};
    s->t = (kith__task){.graph = s->g,
                        .n = (int32_t)rows,
                        .classes = C,
                        .train = s->node,
                        .truth = s->truth,
                        .threads = 2};
    random_potentials(Q, N, C, 5);
    for (int u = 0; u < (int)rows; u++) {
        memcpy(s->Q + u * C, Q + u % N * C, (size_t)C * sizeof(float));
        if (u % N < TRAIN) {
            s->node[s->t.n_train] = u;
            s->truth[s->t.n_train++] = u % N % C;
        } else {
            s->seen[s->val.n] = u;
            s->right[s->val.n++] = u % N % C;
        }
    }
    s->val.node = s->seen;
    s->val.truth = s->right;
    CHECK_INT(kith_graph_nodes(s->g), rows);
    CHECK(kith__operator_start(s->g, 2, &s->t.W, &s->scale, &s->weights));
}

static void scene_release(scene *s)
{
    kith_graph_free(s->g);
    free(s->scale);
    free(s->weights);
    free(s->Q);
    free(s->node);
    free(s->truth);
    free(s->seen);
    free(s->right);
}

/* What one row of `wide` floats a node comes to, in all copies. */
static void check_copies(const scene *one, const float *x, const scene *all,
                         const float *y, int wide, const char *what)
{
    double apart = 0;

    (void)one;
    for (int i = 0; i < all->n * wide; i++) {
        const double wanted = (double)x[i % (N * wide)];

        apart = fmax(apart,
                     fabs((double)y[i] - wanted) / fmax(2, fabs(wanted)));
    }
    if (!(apart < 2e-5))
        check_failed(__FILE__, __LINE__, "%s of %d classes: %g apart", what,
                     one->t.classes, apart);
}

static kith_params usual(void)
{
    kith_params p;

    kith_params_init(&p);
    p.iterations = 14;
    p.tolerance = 0;
    p.g1 = .1;
    p.g2 = .002;
    p.lambda = .5;
    return p;
}

/* A method by its name, or (NULL) LCM of implicit weights, with room to store
 * them or without. */
static float *beliefs(const scene *s, const char *method, int64_t memory,
                      kith_certificate *cert)
{
    kith_job job = {.memory = memory};
    kith__task t = s->t;
    kith_params p = usual();
    float H[MOST * MOST],
        *P = malloc(sizeof(float) * (size_t)(s->n * s->t.classes));
    kith__beliefs b = {.P = P, .coupling = H};
    kith_error err;

    t.job = &job;
    CHECK_OK(method ? kith__method_find(method)->run(&t, &p, s->Q, &b, &err)
                    : kith__lcm_run_lowrank(&t, &p, KITH__CONSISTENCY, s->Q, &b,
                                            &err));
    *cert = b.certificate;
    return P;
}

static void compare(const scene *one, const scene *all, const char *method,
                    int64_t memory, const char *what)
{
    kith_certificate c, d;
    float *x = beliefs(one, method, memory, &c),
          *y = beliefs(all, method, memory, &d);

    check_copies(one, x, all, y, one->t.classes, what);
    CHECK_NEAR(d.residual, c.residual, 2e-5);
    if (!isnan(c.rho))
        CHECK_NEAR(d.rho, c.rho, 2e-5);
    free(x);
    free(y);
}

static void check_classes(int C, bool weighted)
{
    kith_graph *g = small_graph(N, EDGES, weighted, 9);
    scene one, all;

    scene_new(&one, g, 1, C);
    scene_new(&all, g, COPIES, C);
    compare(&one, &all, "linbp", 0, "linbp");
    compare(&one, &all, "bp", 0, "bp");
    compare(&one, &all, "lcm", 0, "lcm");
    CHECK_NEAR(kith__rho_bound(&all.t.W, 3, 0), kith__rho_bound(&one.t.W, 3, 0),
               1e-6);
    if (!weighted) {
        compare(&one, &all, NULL, 0, "lcm, implicit");
        compare(&one, &all, NULL, 1, "lcm, never stored");
    }
    scene_release(&one);
    scene_release(&all);
    kith_graph_free(g);
}

TEST(each_copy_has_the_beliefs_of_the_one)
{
    check_classes(2, false);
    check_classes(3, false);
    check_classes(4, true);
}

static float *labels_spread(const scene *s)
{
    float *P = malloc(sizeof(float) * (size_t)(s->n * s->t.classes));
    kith__labelled_nodes none = {0};
    kith__beliefs b = {.P = P};
    kith__fit_state state = {0};
    kith_train_options o;
    kith_error err;

    kith_train_options_init(&o);
    o.params.iterations = 20;
    o.fixed = KITH_FIX_ALL;
    CHECK_OK(kith__lp_fit(&s->t, NULL, &o, &none, &state, &b, &err));
    kith__fit_state_release(&state);
    return P;
}

TEST(labels_spread_in_each_copy_as_in_the_one)
{
    kith_graph *g = small_graph(N, EDGES, true, 9);
    scene one, all;
    float *x, *y;

    scene_new(&one, g, 1, 3);
    scene_new(&all, g, COPIES, 3);
    x = labels_spread(&one);
    y = labels_spread(&all);
    check_copies(&one, x, &all, y, 3, "lp");
    free(x);
    free(y);
    scene_release(&one);
    scene_release(&all);
    kith_graph_free(g);
}
