/*
 * test_nets.c: networks: the backward pass of each against finite differences,
 * products against plain loops, Adam against its formula.
 */
#include "kernels/gemm.h"
#include "models/baselines/net_method.h"
#include "small_graphs.h"

enum { N = 23, C = 3, F = 9 };

static float random_value(kith__rng *r)
{
    return (float)(2 * kith__rng_real(r) - 1);
}

/* ---- products ------------------------------------------------------------ */

static void fill(float *x, int64_t n, uint64_t stream)
{
    kith__rng r = kith__rng_start(5, stream);

    for (int64_t i = 0; i < n; i++)
        x[i] = random_value(&r);
}

/* Shapes over and under the size of a tile. */
TEST(products_equal_plain_loops)
{
    enum { ROWS = 150, J = 70, K = 67 };
    static float X[ROWS * J], W[J * K], Y[ROWS * K], T[ROWS * J], G[J * K],
        s[K], partial[KITH__GEMM_PARTS * J * K];
    double worst = 0;

    fill(X, ROWS * J, 1);
    fill(W, J * K, 2);
    kith__gemm(X, W, ROWS, NULL, J, K, false, Y, 2);
    kith__gemm_turned(Y, W, ROWS, NULL, J, K, false, T, 2);
    kith__gemm_over_rows(X, Y, ROWS, NULL, J, K, G, partial, 2);
    kith__column_sums(Y, ROWS, NULL, K, s, partial, 2);
    for (int u = 0; u < ROWS; u++)
        for (int c = 0; c < K; c++) {
            double y = 0;

            for (int j = 0; j < J; j++)
                y += (double)X[u * J + j] * (double)W[j * K + c];
            worst = fmax(worst, fabs(y - (double)Y[u * K + c]));
        }
    for (int u = 0; u < ROWS; u++)
        for (int j = 0; j < J; j++) {
            double t = 0;

            for (int c = 0; c < K; c++)
                t += (double)Y[u * K + c] * (double)W[j * K + c];
            worst = fmax(worst, fabs(t - (double)T[u * J + j]) / 10);
        }
    for (int j = 0; j < J; j++)
        for (int c = 0; c < K; c++) {
            double g = 0;

            for (int u = 0; u < ROWS; u++)
                g += (double)X[u * J + j] * (double)Y[u * K + c];
            worst = fmax(worst, fabs(g - (double)G[j * K + c]) / 10);
        }
    for (int c = 0; c < K; c++) {
        double sum = 0;

        for (int u = 0; u < ROWS; u++)
            sum += (double)Y[u * K + c];
        worst = fmax(worst, fabs(sum - (double)s[c]) / 10);
    }
    CHECK(worst < 2e-5);
}

/* The same of every third row, and the others stay as they are. */
TEST(products_of_some_rows_leave_the_others_alone)
{
    enum { ROWS = 400, J = 70, K = 67, SOME = (ROWS + 2) / 3 };
    static float X[ROWS * J], W[J * K], Y[ROWS * K], T[ROWS * J], G[J * K],
        s[K], partial[KITH__GEMM_PARTS * J * K];
    int32_t node[SOME];
    const kith__row_set some = {.count = SOME, .node = node};
    double worst = 0;

    fill(X, ROWS * J, 1);
    fill(W, J * K, 2);
    for (int i = 0; i < SOME; i++)
        node[i] = 3 * i;
    for (int i = 0; i < ROWS * K; i++)
        Y[i] = 1;
    memset(T, 0, sizeof(T));
    kith__gemm(X, W, ROWS, &some, J, K, true, Y, 2);
    kith__gemm_turned(Y, W, ROWS, &some, J, K, false, T, 2);
    kith__gemm_over_rows(X, Y, ROWS, &some, J, K, G, partial, 2);
    kith__column_sums(Y, ROWS, &some, K, s, partial, 2);
    for (int u = 0; u < ROWS; u++)
        for (int c = 0; c < K; c++) {
            double y = 1;

            for (int j = 0; u % 3 == 0 && j < J; j++)
                y += (double)X[u * J + j] * (double)W[j * K + c];
            worst = fmax(worst, fabs(y - (double)Y[u * K + c]));
        }
    for (int u = 0; u < ROWS; u++)
        for (int j = 0; j < J; j++) {
            double t = 0;

            for (int c = 0; u % 3 == 0 && c < K; c++)
                t += (double)Y[u * K + c] * (double)W[j * K + c];
            worst = fmax(worst, fabs(t - (double)T[u * J + j]) / 10);
        }
    for (int c = 0; c < K; c++) {
        double sum = 0;

        for (int u = 0; u < ROWS; u += 3)
            sum += (double)Y[u * K + c];
        worst = fmax(worst, fabs(sum - (double)s[c]) / 10);
        for (int j = 0; j < J; j++) {
            double g = 0;

            for (int u = 0; u < ROWS; u += 3)
                g += (double)X[u * J + j] * (double)Y[u * K + c];
            worst = fmax(worst, fabs(g - (double)G[j * K + c]) / 10);
        }
    }
    CHECK(worst < 2e-5);
}

/* By hand: the first step of Adam is the rate, whatever the gradient. */
TEST(adam_takes_steps_of_its_rate)
{
    float w[2] = {1, -2}, g[2] = {.5f, -30}, m[2] = {0}, v[2] = {0};

    kith__adam(w, g, m, v, 2, .01, 0, 1, 1);
    CHECK_NEAR(w[0], .99, 1e-6);
    CHECK_NEAR(w[1], -1.99, 1e-6);
    CHECK_NEAR(m[0], .05, 1e-7);
    CHECK_NEAR(v[1], .9, 1e-5);
}

/* Kingma, Ba, 2015: means of the gradient and of its square, each freed of
 * their start at 0; the decay is part of the gradient. */
TEST(adam_is_as_the_formula_says)
{
    enum { W = 5, STEPS = 4 };
    float w[W] = {1, -2, .5f, 0, 3}, g[W], m[W] = {0}, v[W] = {0};
    double x[W], first[W] = {0}, second[W] = {0};

    for (int i = 0; i < W; i++)
        x[i] = (double)w[i];
    for (int t = 1; t <= STEPS; t++) {
        for (int i = 0; i < W; i++)
            g[i] = (float)sin(3 * i + t);
        for (int i = 0; i < W; i++) {
            const double d = (double)g[i] + .3 * x[i];

            first[i] = .9 * first[i] + .1 * d;
            second[i] = .999 * second[i] + .001 * d * d;
            x[i] -= .05 * first[i] / (1 - pow(.9, t)) /
                    (sqrt(second[i] / (1 - pow(.999, t))) + 1e-8);
        }
        kith__adam(w, g, m, v, W, .05, .3, t, 2);
        for (int i = 0; i < W; i++)
            CHECK_NEAR(w[i], x[i], 1e-5);
    }
}

/* Glorot, Bengio, 2010: uniform within sqrt(6 / (rows + columns)). */
TEST(weights_start_uniform_within_their_bound)
{
    enum { ROWS_ = 300, COLUMNS_ = 40 };
    static float w[ROWS_ * COLUMNS_], other[ROWS_ * COLUMNS_];
    const double most = sqrt(6. / (ROWS_ + COLUMNS_));
    double mean = 0, square = 0, largest = 0;

    kith__glorot(w, ROWS_, COLUMNS_, 1, 2);
    kith__glorot(other, ROWS_, COLUMNS_, 2, 1);
    for (int c = 0; c < COLUMNS_; c++) {
        double column = 0;

        for (int u = 0; u < ROWS_; u++) {
            const double x = (double)w[u * COLUMNS_ + c];

            mean += x / (ROWS_ * COLUMNS_);
            square += x * x / (ROWS_ * COLUMNS_);
            column += x * x / ROWS_;
            largest = fmax(largest, fabs(x));
        }
        CHECK_NEAR(column / (most * most), 1. / 3, .1);
    }
    CHECK(largest <= most && largest > .99 * most);
    CHECK_NEAR(mean / most, 0, .03);
    CHECK_NEAR(square / (most * most), 1. / 3, .02);
    CHECK(memcmp(w, other, sizeof(w)) != 0);
}

/* ---- backward passes ----------------------------------------------------- */

/* Random features; in one row there are none. */
typedef struct small_features {
    kith_features f;
    int64_t row[N + 1];
    int32_t column[N * F];
    float value[N * F];
} small_features;

static const kith_features *make_features(small_features *s, bool sparse)
{
    kith__rng r = kith__rng_start(7, 7);
    int64_t p = 0;

    for (int u = 0; u < N; u++) {
        for (int c = 0; c < F; c++) {
            const float x = u == 4 ? 0 : random_value(&r) * 3;

            if (!sparse)
                s->value[u * F + c] = x;
            else if (kith__rng_real(&r) < .4 && u != 4) {
                s->column[p] = c;
                s->value[p++] = x;
            }
        }
        s->row[u + 1] = p;
    }
    s->row[0] = 0;
    s->f = (kith_features){.nodes = N,
                           .columns = F,
                           .entries = sparse ? p : N * F,
                           .row = sparse ? s->row : NULL,
                           .column = sparse ? s->column : NULL,
                           .value = s->value};
    return &s->f;
}

/* The loss is sum R o Z, and whatever the type adds. */
static double loss_of(kith__net *net, const float *R)
{
    double loss = 0;

    net->training = true;
    kith__net_forward(net);
    for (int i = 0; i < N * C; i++)
        loss += (double)R[i] * (double)net->Z[i];
    return loss + (net->type->penalty ? net->type->penalty(net) : 0);
}

/* Is g the derivative by w, by differences of step h on both sides, or where a
 * kink of the rectifier lies within the step, on one? */
static bool is_slope(kith__net *net, const float *R, float *w, double h,
                     double g, double tolerance)
{
    const float at = *w;
    double up, here, down;

    here = loss_of(net, R);
    *w = at + (float)h;
    up = loss_of(net, R);
    *w = at - (float)h;
    down = loss_of(net, R);
    *w = at;
    return fabs((up - down) / (2 * h) - g) <= tolerance ||
           fabs((up - here) / h - g) <= tolerance ||
           fabs((here - down) / h - g) <= tolerance;
}

/* The step is large for the sake of floats; of several layers there may be a
 * kink on either side, out of reach of a smaller one. */
static bool is_derivative(kith__net *net, const float *R, float *w, double g,
                          double tolerance)
{
    return is_slope(net, R, w, 4e-3, g, tolerance) ||
           is_slope(net, R, w, 5e-4, g, tolerance);
}

static void check_gradients(kith__net *net, const float *R, const char *what)
{
    int wrong = 0, all = 0;

    loss_of(net, R);
    memcpy(net->dZ, R, sizeof(*R) * N * C);
    kith__net_backward(net);
    for (int i = 0; i < net->n_weights; i++) {
        kith__weights *w = &net->weights[i];
        double largest = 1e-3;

        if (w->fixed)
            continue;
        for (int64_t j = 0; j < w->rows * w->columns; j++)
            largest = fmax(largest, fabs((double)w->gradient[j]));
        for (int64_t j = 0; j < w->rows * w->columns; j++, all++)
            wrong += !is_derivative(net, R, &w->value[j],
                                    (double)w->gradient[j], .01 * largest);
    }
    CHECK(all > 10);
    if (wrong > 0)
        check_failed(__FILE__, __LINE__, "%s: %d of %d derivatives are wrong",
                     what, wrong, all);
}

static void check_type(const kith__net_type *type, bool weighted,
                       const kith_features *f, const char *what)
{
    kith__net_settings how = type->settings[0];
    kith_graph *g = small_graph(N, 40, weighted, 11);
    float Z[N * C], R[N * C];
    kith__net net;
    kith_error err;
    char name[60];

    how.hidden = how.hidden > 5 ? 5 : how.hidden;
    fill(R, N * C, 3);
    CHECK_OK(kith__net_new(type, &how, g, f, C, 2, true, Z, &net, &err));
    kith__net_start(&net);
    for (int i = 0; i < net.n_weights; i++) /* biases too */
        fill(net.weights[i].value, net.weights[i].rows * net.weights[i].columns,
             20 + (uint64_t)i);
    net.step = 3;
    snprintf(name, sizeof(name), "%s, %s", type->name, what);
    check_gradients(&net, R, name);
    kith__net_release(&net);
    kith_graph_free(g);
}

/* Rows (3, 1), nothing, (0, 2): as shares (.75, .25) and (0, 1), lengths
 * sqrt(.625) and 1. */
TEST(the_length_of_inputs_leaves_out_empty_rows)
{
    int64_t row[] = {0, 2, 2, 3};
    int32_t column[] = {0, 1, 1};
    float value[] = {3, 1, 2};
    const kith_features f = {.nodes = 3,
                             .columns = 2,
                             .entries = 3,
                             .row = row,
                             .column = column,
                             .value = value};
    kith__inputs x;
    kith_error err;

    CHECK_OK(kith__inputs_new(&f, false, 3, 1, 2, &x, &err));
    CHECK_NEAR(kith__inputs_length(&x), (sqrt(.625) + 1) / 2, 1e-7);
    kith__inputs_release(&x);
    CHECK_OK(kith__inputs_new(NULL, false, 3, 1, 2, &x, &err));
    CHECK_NEAR(kith__inputs_length(&x), 1, 0);
    kith__inputs_release(&x);
}

static void check_inputs_of(const kith__net_type *type)
{
    small_features s;

    check_type(type, false, make_features(&s, true), "sparse features");
    check_type(type, false, make_features(&s, false), "dense features");
    check_type(type, false, NULL, "no features");
    check_type(type, true, make_features(&s, true), "weighted edges");
}

TEST(gcn_gradients_equal_finite_differences)
{
    check_inputs_of(&kith__gcn_type);
}

TEST(sgc_gradients_equal_finite_differences)
{
    check_inputs_of(&kith__sgc_type);
}

TEST(appnp_gradients_equal_finite_differences)
{
    kith__net_settings narrow = kith__appnp_type.settings[0];
    kith__net_type other = kith__appnp_type;
    small_features s;

    check_inputs_of(&kith__appnp_type);
    narrow.hidden = 2; /* fewer than classes, so H itself propagates */
    other.settings = &narrow;
    check_type(&other, false, make_features(&s, true), "two hidden units");
}

TEST(cheb_gradients_equal_finite_differences)
{
    check_inputs_of(&kith__cheb_type);
}

TEST(sage_gradients_equal_finite_differences)
{
    check_inputs_of(&kith__sage_type);
}

TEST(gat_gradients_equal_finite_differences)
{
    check_inputs_of(&kith__gat_type);
}

/* The same type in another shape. */
static void check_shape(const kith__net_type *type, kith__net_settings how)
{
    kith__net_type other = *type;

    other.settings = &how;
    check_inputs_of(&other);
}

TEST(residual_gradients_equal_finite_differences)
{
    check_shape(&kith__gcn_type,
                (kith__net_settings){.hidden = 5, .layers = 2, .dropout = .3});
    check_shape(&kith__sage_type,
                (kith__net_settings){.hidden = 5, .layers = 3, .dropout = .3});
    check_shape(&kith__gat_type,
                (kith__net_settings){
                    .hidden = 2, .heads = 2, .layers = 2, .dropout = .2});
}

TEST(sage_of_one_matrix_has_gradients_that_equal_finite_differences)
{
    check_shape(&kith__sage_type,
                (kith__net_settings){.hidden = 5, .shared = true});
}

TEST(manireg_gradients_equal_finite_differences)
{
    check_inputs_of(&kith__manireg_type);
}

TEST(semiemb_gradients_equal_finite_differences)
{
    check_inputs_of(&kith__semiemb_type);
}

TEST(planetoid_gradients_equal_finite_differences)
{
    check_inputs_of(&kith__planetoid_type);
    check_inputs_of(&kith__planetoid_i_type);
}

/* ---- forward passes ------------------------------------------------------ */

/* A^ of the path 0-1-2 by hand: d~ = 2, 3, 2.  With X = I, W = I and K = 1, Z
 * is A^ itself. */
TEST(smoothing_a_path_is_as_by_hand)
{
    const double expected[9] = {1. / 2,      1 / sqrt(6), 0,
                                1 / sqrt(6), 1. / 3,      1 / sqrt(6),
                                0,           1 / sqrt(6), 1. / 2};
    kith__net_settings how = {.hops = 1};
    kith_graph *g = NULL;
    kith__net net;
    kith_error err;
    float Z[9];

    CHECK_OK(kith_graph_read(check_file("path.tsv", "0\t1\n1\t2\n"), NULL, &g,
                             NULL, &err));
    CHECK_OK(kith__net_new(&kith__sgc_type, &how, g, NULL, 3, 1, false, Z, &net,
                           &err));
    for (int i = 0; i < 3; i++)
        net.weights[0].value[i * 3 + i] = 1;
    kith__net_predict(&net, NULL);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(Z[i], expected[i], 1e-6);
    kith__net_release(&net);
    kith_graph_free(g);
}

/* Half of the cells, the others doubled, and another half in the next step. */
TEST(dropout_keeps_its_share_and_the_mean)
{
    enum { ROWS = 1000, K = 30 };
    static float H[ROWS * K], G[ROWS * K];
    const kith__dropout d = kith__dropout_at(.5, 1, 0),
                        other = kith__dropout_at(.5, 2, 0);
    float bias[K] = {0};
    int kept = 0, both = 0;

    for (int i = 0; i < ROWS * K; i++)
        H[i] = G[i] = 1;
    kith__relu_forward(H, ROWS, K, bias, &d, NULL, 2);
    kith__relu_forward(G, ROWS, K, bias, &other, NULL, 1);
    for (int i = 0; i < ROWS * K; i++) {
        CHECK(H[i] == 0 || H[i] == 2);
        kept += H[i] > 0;
        both += H[i] > 0 && G[i] > 0;
    }
    CHECK_NEAR(kept, ROWS * K / 2., 4 * sqrt(ROWS * K / 4.));
    CHECK_NEAR(both, ROWS * K / 4., 4 * sqrt(ROWS * K * 3 / 16.));
}

/* A pass for a few nodes skips rows; what it does compute is the same, also
 * after a pass for other nodes, which leaves rows of its own behind. */
static void check_near(const kith__net_type *type, const kith_features *f,
                       int hidden, const char *what)
{
    const int32_t few[] = {2, 9}, others[] = {5, 14};
    kith_graph *g = small_graph(N, 25, false, 12);
    kith__net_settings how = type->settings[0];
    kith__near near[2];
    float Z[2][N * C];
    kith__net net[2];
    kith_error err;
    double apart = 0;

    how.hidden = hidden;
    CHECK_OK(kith__near_new(g, few, 2, &near[0], &err));
    CHECK_OK(kith__near_new(g, others, 2, &near[1], &err));
    CHECK(near[0].hop[2].count < N);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(
            kith__net_new(type, &how, g, f, C, 1, true, Z[i], &net[i], &err));
        kith__net_start(&net[i]);
        for (int step = 0; step < 3; step++) {
            kith__net_step(&net[i], few, (int32_t[]){0, 1}, 2,
                           i ? &near[0] : NULL);
            kith__net_predict(&net[i], i ? &near[1] : NULL);
        }
        kith__net_predict(&net[i], i ? &near[0] : NULL);
    }
    for (int i = 0; i < 2 * C; i++) {
        const int at = few[i / C] * C + i % C;

        apart = fmax(apart, fabs((double)Z[0][at] - (double)Z[1][at]));
    }
    if (!(apart < 1e-5))
        check_failed(__FILE__, __LINE__, "%s, %s: results are %g apart",
                     type->name, what, apart);
    for (int i = 0; i < 2; i++) {
        kith__near_release(&near[i]);
        kith__net_release(&net[i]);
    }
    kith_graph_free(g);
}

TEST(passes_for_a_few_nodes_equal_whole_ones)
{
    const kith__net_type *const types[] = {
        &kith__gcn_type,        &kith__sgc_type,     &kith__appnp_type,
        &kith__cheb_type,       &kith__sage_type,    &kith__gat_type,
        &kith__manireg_type,    &kith__semiemb_type, &kith__planetoid_type,
        &kith__planetoid_i_type};
    small_features sparse, dense;

    make_features(&sparse, true);
    make_features(&dense, false);
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        check_near(types[i], &sparse.f, 8, "sparse features");
        check_near(types[i], &dense.f, 8, "dense features");
        check_near(types[i], NULL, 8, "no features");
        check_near(types[i], &sparse.f, 2, "fewer units than classes");
    }
}
