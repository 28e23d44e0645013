/*
 * test_net_forward.c: what each network computes, against its formula in double
 * on dense matrices; backward passes are checked against forward ones in
 * test_nets.c.  In training passes the twin drops the cells that dropout.h
 * says.
 */
#include <math.h>

#include "models/baselines/net_method.h"
#include "nn/layers.h"
#include "small_graphs.h"

enum { N = 40, C = 3, F = 7, WIDE = 128 };

typedef double mat[N][WIDE];

typedef struct twin {
    const kith__net *net;
    const kith_features *features;
    mat A; /* weights of edges */
    mat S; /* A^ with self-loops */
    mat L; /* D^-1/2 A D^-1/2 */
    mat X; /* inputs, after dropout */
    mat Z; /* what is wanted */
    double penalty;
} twin;

static double weight(const kith__net *net, int i, int64_t row, int64_t column)
{
    return (double)net->weights[i]
        .value[row * net->weights[i].columns + column];
}

/* Y += A X, A of n x n */
static void spread(const mat A, const mat X, double a, mat Y)
{
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++)
            for (int c = 0; A[u][v] != 0 && c < WIDE; c++)
                Y[u][c] += a * A[u][v] * X[v][c];
}

/* Y += X w_i */
static void times(const kith__net *net, const mat X, int i, mat Y)
{
    for (int u = 0; u < N; u++)
        for (int j = 0; j < net->weights[i].rows; j++)
            for (int c = 0; X[u][j] != 0 && c < net->weights[i].columns; c++)
                Y[u][c] += X[u][j] * weight(net, i, j, c);
}

static void add_bias(const kith__net *net, int i, mat Y)
{
    for (int u = 0; u < N; u++)
        for (int c = 0; c < net->weights[i].columns; c++)
            Y[u][c] += weight(net, i, 0, c);
}

static double rate_of(const kith__net *net)
{
    return net->training ? net->how.dropout : 0;
}

/* The k-th of the four times sixteen bits of word i are below the rate. */
static bool dropped(const kith__net *net, uint64_t layer, uint64_t i,
                    uint64_t k)
{
    const kith__dropout d = kith__dropout_at(rate_of(net), net->step, layer);
    const uint64_t bits = kith__dropout_bits(&d, i);

    return (double)(bits >> (16 * k) & 0xffff) < 65536 * rate_of(net);
}

static double scale_of(const kith__net *net)
{
    return 1 / (1 - rate_of(net));
}

/* One word for each cell of `columns` */
static void drop_cells(const kith__net *net, uint64_t layer, int columns, mat X)
{
    for (int u = 0; u < N; u++)
        for (int c = 0; c < columns; c++)
            X[u][c] *= dropped(net, layer, (uint64_t)(u * columns + c), 0)
                           ? 0
                           : scale_of(net);
}

/* X <- drop(relu(X + w_i)): one word for four cells of a row */
static void relu(const kith__net *net, uint64_t layer, bool drops, int i, mat X)
{
    const int columns = (int)net->weights[i].columns;

    add_bias(net, i, X);
    for (int u = 0; u < N; u++)
        for (int c = 0; c < columns; c++) {
            const uint64_t word = (uint64_t)(u * ((columns + 3) / 4) + c / 4);

            X[u][c] = fmax(X[u][c], 0);
            if (drops)
                X[u][c] *= dropped(net, layer, word, (uint64_t)c % 4)
                               ? 0
                               : scale_of(net);
        }
}

/* Row u of the features as they are; of the identity where there are none. */
static void fill_row(const kith_features *f, int u, double *x)
{
    if (!f) {
        x[u] = 1;
    } else if (f->row) {
        for (int64_t p = f->row[u]; p < f->row[u + 1]; p++)
            x[f->column[p]] = f->value ? (double)f->value[p] : 1;
    } else {
        for (int c = 0; c < F; c++)
            x[c] = (double)f->value[u * F + c];
    }
}

/* Columns of mean 0 and variance 1, as a residual network takes them where
 * enough entries are there. */
static void fill_standard(const kith_features *f, mat X)
{
    for (int u = 0; u < N; u++)
        fill_row(f, u, X[u]);
    for (int c = 0; c < F; c++) {
        double mean = 0, variance = 0;

        for (int u = 0; u < N; u++)
            mean += X[u][c] / N;
        for (int u = 0; u < N; u++)
            variance += (X[u][c] - mean) * (X[u][c] - mean) / N;
        for (int u = 0; u < N; u++)
            X[u][c] = variance > 0 ? (X[u][c] - mean) / sqrt(variance) : 0;
    }
}

/* Rows of features that sum to 1, or the identity; cells or rows are dropped.
 */
static void fill_inputs(twin *t, bool drops)
{
    const kith_features *f = t->features;

    if (f && t->net->how.layers > 0) {
        fill_standard(f, t->X);
        return;
    }
    for (int u = 0; u < N; u++) {
        double sum = 0;

        fill_row(f, u, t->X[u]);
        for (int c = 0; c < WIDE; c++)
            sum += fabs(t->X[u][c]);
        for (int c = 0; sum > 0 && c < WIDE; c++)
            t->X[u][c] /= sum;
        for (int c = 0; !f && drops && c < N; c++)
            t->X[u][c] *= dropped(t->net, 0, (uint64_t)u, 0) ? 0
                                                             : scale_of(t->net);
    }
    if (f && drops)
        drop_cells(t->net, 0, F, t->X);
}

static void fill_graph(twin *t)
{
    const kith_graph *g = t->net->graph;
    const float *w = kith_graph_weights(g);
    double d[N] = {0};

    for (int u = 0; u < N; u++)
        for (int64_t p = kith_graph_rows(g)[u]; p < kith_graph_rows(g)[u + 1];
             p++) {
            t->A[u][kith_graph_neighbours(g)[p]] = w ? (double)w[p] : 1;
            d[u] += w ? (double)w[p] : 1;
        }
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++) {
            t->S[u][v] = (t->A[u][v] + (u == v)) /
                         sqrt((d[u] + 1) * (d[v] + 1));
            t->L[u][v] = t->A[u][v] != 0 ? t->A[u][v] / sqrt(d[u] * d[v]) : 0;
        }
}

/* ---- the types ----------------------------------------------------------- */

static void gcn(twin *t)
{
    static mat XW, H, HW;

    memset(XW, 0, sizeof(mat));
    memset(H, 0, sizeof(mat));
    memset(HW, 0, sizeof(mat));
    times(t->net, t->X, 0, XW);
    spread(t->S, XW, 1, H);
    relu(t->net, 1, true, 1, H);
    times(t->net, H, 2, HW);
    spread(t->S, HW, 1, t->Z);
    add_bias(t->net, 3, t->Z);
}

static void sgc(twin *t)
{
    static mat Y, next;

    memcpy(Y, t->X, sizeof(mat));
    for (int k = 0; k < t->net->how.hops; k++) {
        memset(next, 0, sizeof(mat));
        spread(t->S, Y, 1, next);
        memcpy(Y, next, sizeof(mat));
    }
    times(t->net, Y, 0, t->Z);
    add_bias(t->net, 1, t->Z);
}

static void appnp(twin *t)
{
    const double alpha = t->net->how.alpha;
    static mat H, first, Y, next;

    memset(H, 0, sizeof(mat));
    memset(first, 0, sizeof(mat));
    times(t->net, t->X, 0, H);
    relu(t->net, 1, true, 1, H);
    times(t->net, H, 2, first);
    memcpy(Y, first, sizeof(mat));
    for (int k = 0; k < t->net->how.hops; k++) {
        memset(next, 0, sizeof(mat));
        spread(t->S, Y, 1 - alpha, next);
        for (int i = 0; i < N * WIDE; i++)
            Y[i / WIDE][i % WIDE] = next[i / WIDE][i % WIDE] +
                                    alpha * first[i / WIDE][i % WIDE];
    }
    memcpy(t->Z, Y, sizeof(mat));
    add_bias(t->net, 3, t->Z);
}

/* sum_k T_k(-L) X W_k by T_k = 2 x T_(k-1) - T_(k-2) */
static void chebyshev(const twin *t, const mat X, int w, mat out)
{
    static mat T[8];

    memset(T, 0, sizeof(T));
    memcpy(T[0], X, sizeof(mat));
    spread(t->L, X, -1, T[1]);
    for (int k = 2; k <= t->net->how.hops; k++) {
        spread(t->L, T[k - 1], -2, T[k]);
        for (int i = 0; i < N * WIDE; i++)
            T[k][i / WIDE][i % WIDE] -= T[k - 2][i / WIDE][i % WIDE];
    }
    for (int k = 0; k <= t->net->how.hops; k++)
        times(t->net, T[k], w + k, out);
}

static void cheb(twin *t)
{
    const int each = t->net->how.hops + 2; /* with the biases */
    static mat H;

    memset(H, 0, sizeof(mat));
    chebyshev(t, t->X, 0, H);
    relu(t->net, 1, true, each - 1, H);
    chebyshev(t, H, each, t->Z);
    add_bias(t->net, 2 * each - 1, t->Z);
}

/* M: means over neighbours; in training over those of at most 25 in the mean
 * that the hash of (step, layer, u, v) takes. */
static void means(const twin *t, uint64_t layer, mat M)
{
    const kith__dropout hash = kith__dropout_at(0, t->net->step, 8 + layer);

    memset(M, 0, sizeof(mat));
    for (int u = 0; u < N; u++) {
        double sum = t->net->how.shared;
        int degree = 0;

        for (int v = 0; v < N; v++)
            degree += t->A[u][v] != 0;
        for (int v = 0; v < N; v++) {
            const uint64_t pair = (uint64_t)u << 32 | (uint64_t)v;
            const double draw = (double)(kith__dropout_bits(&hash, pair) >> 32);

            M[u][v] = t->A[u][v];
            if (t->net->training && degree > 25 &&
                draw / 4294967296 * degree >= 25)
                M[u][v] = 0;
            sum += M[u][v];
        }
        M[u][u] += t->net->how.shared;
        for (int v = 0; v < N; v++)
            M[u][v] /= sum > 0 ? sum : 1;
    }
}

static void sage(twin *t)
{
    static mat M, XV, H, HV;

    memset(XV, 0, sizeof(mat));
    memset(H, 0, sizeof(mat));
    memset(HV, 0, sizeof(mat));
    if (!t->net->how.shared)
        times(t->net, t->X, 4, H);
    times(t->net, t->X, 0, XV);
    means(t, 0, M);
    spread(M, XV, 1, H);
    relu(t->net, 1, true, 1, H);
    if (!t->net->how.shared)
        times(t->net, H, 5, t->Z);
    times(t->net, H, 2, HV);
    means(t, 1, M);
    spread(M, HV, 1, t->Z);
    add_bias(t->net, 3, t->Z);
}

/* Heads of `size` columns side by side; w: from, to. */
static void attend(const twin *t, const mat H, int heads, int size, int w,
                   uint64_t layer, mat Y)
{
    for (int u = 0; u < N; u++)
        for (int k = 0; k < heads; k++) {
            double sum = 0;

            for (int v = 0; v < N; v++) {
                const uint64_t pair = (uint64_t)u << 32 | (uint64_t)v;
                double e = 0, a;

                if (t->A[u][v] == 0 && u != v)
                    continue;
                for (int c = 0; c < size; c++)
                    e += H[u][k * size + c] * weight(t->net, w, k, c) +
                         H[v][k * size + c] * weight(t->net, w + 1, k, c);
                a = exp(e > 0 ? e : .2 * e);
                sum += a;
                if (dropped(t->net, layer, 2 * pair + (uint64_t)k / 4,
                            (uint64_t)k % 4))
                    continue;
                for (int c = k * size; c < (k + 1) * size; c++)
                    Y[u][c] += a * scale_of(t->net) * H[v][c];
            }
            for (int c = k * size; c < (k + 1) * size; c++)
                Y[u][c] /= sum;
        }
}

static void gat(twin *t)
{
    const int K = t->net->how.heads, h = t->net->how.hidden;
    static mat XW, H, HW;

    memset(XW, 0, sizeof(mat));
    memset(H, 0, sizeof(mat));
    memset(HW, 0, sizeof(mat));
    times(t->net, t->X, 0, XW);
    attend(t, XW, K, h, 1, 2, H);
    add_bias(t->net, 3, H);
    for (int u = 0; u < N; u++)
        for (int c = 0; c < K * h; c++)
            H[u][c] = H[u][c] > 0 ? H[u][c] : exp(H[u][c]) - 1;
    drop_cells(t->net, 1, K * h, H);
    times(t->net, H, 4, HW);
    attend(t, HW, 1, C, 5, 3, t->Z);
    add_bias(t->net, 7, t->Z);
}

/* Row by row: the mean off, then divided by the deviation. */
static void norm(const mat X, int columns, mat Y)
{
    for (int u = 0; u < N; u++) {
        double mean = 0, variance = 0;

        for (int c = 0; c < columns; c++)
            mean += X[u][c] / columns;
        for (int c = 0; c < columns; c++)
            variance += (X[u][c] - mean) * (X[u][c] - mean) / columns;
        for (int c = 0; c < columns; c++)
            Y[u][c] = (X[u][c] - mean) / sqrt(variance + 1e-5);
    }
}

/* How the type gathers P in a layer. */
static void gather(const twin *t, int layer, const mat P, mat T)
{
    static mat M;

    if (t->net->type == &kith__gcn_type) {
        spread(t->S, P, 1, T);
    } else if (t->net->type == &kith__sage_type) {
        means(t, 8 + (uint64_t)layer, M);
        spread(M, P, 1, T);
    } else {
        attend(t, P, t->net->how.heads, t->net->how.hidden,
               4 + 5 * t->net->how.layers + 2 * layer, 32 + (uint64_t)layer, T);
    }
}

static void residual(twin *t)
{
    const kith__net *net = t->net;
    const int d = (int)net->weights[0].columns;
    static mat H, M, P, T;

    memset(H, 0, sizeof(mat));
    times(net, t->X, 0, H);
    relu(net, 1, true, 1, H);
    for (int l = 0; l < net->how.layers; l++) {
        const int w = 4 + 5 * l;

        norm(H, d, M);
        for (int u = 0; u < N; u++)
            for (int c = 0; c < d; c++)
                M[u][c] = M[u][c] * (1 + weight(net, w + 3, 0, c)) +
                          weight(net, w + 4, 0, c);
        memset(P, 0, sizeof(mat));
        memset(T, 0, sizeof(mat));
        times(net, M, w, P);
        gather(t, l, P, T);
        times(net, M, w + 1, T);
        relu(net, 16 + (uint64_t)l, true, w + 2, T);
        for (int i = 0; i < N * WIDE; i++)
            H[i / WIDE][i % WIDE] += T[i / WIDE][i % WIDE];
    }
    norm(H, d, M);
    times(net, M, 2, t->Z);
    add_bias(net, 3, t->Z);
}

static double square(const mat X, int u, int v)
{
    double sum = 0;

    for (int c = 0; c < WIDE; c++)
        sum += (X[u][c] - X[v][c]) * (X[u][c] - X[v][c]);
    return sum;
}

/* alpha / (2 m) sum over edges of a |x_u - x_v|^2 */
static double cost_of_edges(const twin *t, const mat X)
{
    double sum = 0, m = 0;

    for (int u = 0; u < N; u++)
        for (int v = 0; v < u; v++) {
            sum += t->A[u][v] * square(X, u, v);
            m += t->A[u][v] != 0;
        }
    return t->net->how.alpha / (2 * m) * sum;
}

static void manireg(twin *t)
{
    times(t->net, t->X, 0, t->Z);
    add_bias(t->net, 1, t->Z);
    t->penalty = cost_of_edges(t, t->Z);
}

/* How far apart the pairs of this step are: a draw of 1 .. n - 1. */
static int distance(const twin *t, uint64_t stream)
{
    kith__rng r = kith__rng_start(t->net->step, stream);

    return 1 + (int)kith__rng_below(&r, N - 1);
}

static void semiemb(twin *t)
{
    static mat H;

    memset(H, 0, sizeof(mat));
    times(t->net, t->X, 0, H);
    relu(t->net, 1, false, 1, H);
    times(t->net, H, 2, t->Z);
    add_bias(t->net, 3, t->Z);
    t->penalty = cost_of_edges(t, H);
    for (int u = 0; u < N; u++) {
        const double d = sqrt(square(H, u, (u + distance(t, 77)) % N));

        t->penalty += t->net->how.alpha / (2 * N) * pow(fmax(0, 1 - d), 2);
    }
}

/* H W1 + M V1 + b1 */
static void two_towers(twin *t, const mat H, const mat M, int w)
{
    times(t->net, H, w, t->Z);
    times(t->net, M, w + 1, t->Z);
    add_bias(t->net, w + 2, t->Z);
}

static void planetoid(twin *t)
{
    static mat E, H, M;

    memset(H, 0, sizeof(mat));
    memset(M, 0, sizeof(mat));
    for (int u = 0; u < N; u++)
        for (int c = 0; c < 128; c++)
            E[u][c] = t->net->how.alpha * weight(t->net, 0, u, c);
    drop_cells(t->net, 3, 128, E);
    times(t->net, t->X, 1, H);
    relu(t->net, 1, true, 2, H);
    times(t->net, E, 3, M);
    relu(t->net, 2, true, 4, M);
    two_towers(t, H, M, 5);
}

static double minus_log_sigmoid(double x)
{
    return log(1 + exp(-x));
}

static void planetoid_i(twin *t)
{
    const kith__net *net = t->net;
    const int far = distance(t, 78);
    double near = 0, other = 0, entries = 0;
    static mat H, M;

    memset(H, 0, sizeof(mat));
    memset(M, 0, sizeof(mat));
    times(net, t->X, 0, H);
    relu(net, 1, true, 1, H);
    times(net, t->X, 2, M);
    relu(net, 2, true, 3, M);
    two_towers(t, H, M, 4);
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++) {
            double x = 0;

            for (int c = 0; c < net->how.hidden; c++)
                x += M[u][c] * weight(net, 7, v, c);
            near += t->A[u][v] != 0 ? minus_log_sigmoid(x) : 0;
            entries += t->A[u][v] != 0;
            other += v == (u + far) % N ? minus_log_sigmoid(-x) : 0;
        }
    t->penalty = net->how.alpha * (near / entries + other / N);
}

/* ---- comparing ----------------------------------------------------------- */

typedef struct kind {
    const kith__net_type *type;
    void (*twin)(twin *t);
    bool drops; /* cells of the inputs? */
    int hidden, heads, hops, layers;
    bool shared;
} kind;

static const kind kinds[] = {
    {&kith__gcn_type, gcn, true, 5, 0, 0, 0, false},
    {&kith__sgc_type, sgc, false, 0, 0, 1, 0, false},
    {&kith__sgc_type, sgc, false, 0, 0, 2, 0, false},
    {&kith__sgc_type, sgc, false, 0, 0, 3, 0, false},
    {&kith__appnp_type, appnp, true, 5, 0, 1, 0, false},
    {&kith__appnp_type, appnp, true, 5, 0, 4, 0, false},
    {&kith__appnp_type, appnp, true, 2, 0, 3, 0, false},
    {&kith__cheb_type, cheb, true, 5, 0, 1, 0, false},
    {&kith__cheb_type, cheb, true, 5, 0, 2, 0, false},
    {&kith__cheb_type, cheb, true, 2, 0, 6, 0, false},
    {&kith__sage_type, sage, true, 5, 0, 0, 0, false},
    {&kith__sage_type, sage, true, 2, 0, 0, 0, false},
    {&kith__sage_type, sage, true, 5, 0, 0, 0, true},
    {&kith__gcn_type, residual, true, 5, 0, 0, 2, false},
    {&kith__sage_type, residual, true, 6, 0, 0, 3, false},
    {&kith__gat_type, residual, true, 3, 2, 0, 2, false},
    {&kith__gat_type, gat, true, 8, 8, 0, 0, false},
    {&kith__gat_type, gat, true, 3, 6, 0, 0, false},
    {&kith__gat_type, gat, true, 5, 1, 0, 0, false},
    {&kith__manireg_type, manireg, false, 0, 0, 0, 0, false},
    {&kith__semiemb_type, semiemb, true, 5, 0, 0, 0, false},
    {&kith__planetoid_type, planetoid, true, 6, 0, 0, 0, false},
    {&kith__planetoid_i_type, planetoid_i, true, 6, 0, 0, 0, false},
};

static void compare(const kind *k, const kith_graph *g, const kith_features *f,
                    bool training, uint64_t step, const char *what)
{
    const kith__net_settings how = {.hidden = k->hidden,
                                    .heads = k->heads,
                                    .hops = k->hops,
                                    .layers = k->layers,
                                    .shared = k->shared,
                                    .alpha = .3,
                                    .dropout = .25};
    static twin t;
    float Z[N * C];
    double apart = 0;
    kith__net net;
    kith_error err;

    CHECK_OK(kith__net_new(k->type, &how, g, f, C, 2, true, Z, &net, &err));
    for (int i = 0; i < net.n_weights; i++) {
        kith__rng r = kith__rng_start(9, (uint64_t)i);

        for (int64_t j = 0; j < net.weights[i].rows * net.weights[i].columns;
             j++)
            net.weights[i].value[j] = (float)(2 * kith__rng_real(&r) - 1);
    }
    net.training = training;
    net.step = step;
    kith__net_forward(&net);
    memset(&t, 0, sizeof(t));
    t.net = &net;
    t.features = f;
    fill_graph(&t);
    fill_inputs(&t, k->drops);
    k->twin(&t);
    for (int i = 0; i < N * C; i++)
        apart = fmax(apart, fabs((double)Z[i] - t.Z[i / C][i % C]) /
                                (1 + fabs(t.Z[i / C][i % C])));
    if (!(apart < 2e-5))
        check_failed(__FILE__, __LINE__,
                     "%s of %d hops, %d layers, %s: %g apart", k->type->name,
                     k->hops, k->layers, what, apart);
    CHECK_INT(k->type->penalty != NULL, t.penalty > 0);
    if (training && k->type->penalty)
        CHECK_NEAR(k->type->penalty(&net), t.penalty, 1e-5 * t.penalty);
    kith__net_release(&net);
}

/* Sparse features, in one row none; column 2 in no row. */
static kith_features sparse_features(int64_t *row, int32_t *column,
                                     float *value)
{
    kith__rng r = kith__rng_start(4, 4);
    int64_t p = 0;

    row[0] = 0;
    for (int u = 0; u < N; u++) {
        for (int c = 0; c < F; c++)
            if (u != 6 && c != 2 && kith__rng_real(&r) < .5) {
                column[p] = c;
                value[p++] = (float)(kith__rng_real(&r) * 4 - 1);
            }
        row[u + 1] = p;
    }
    return (kith_features){.nodes = N,
                           .columns = F,
                           .entries = p,
                           .row = row,
                           .column = column,
                           .value = value};
}

/* Node 0 has 30 neighbours, more than GraphSAGE averages in training; node 1
 * exactly 25. */
static kith_graph *hub_graph(bool weighted)
{
    char nodes[N * 4], text[8000];
    size_t at = 0;
    kith_build_options o = {0};
    kith_graph *g = NULL;
    kith_error err;

    for (int i = 0; i < N; i++)
        at += (size_t)snprintf(nodes + at, 4, "%d\n", i);
    at = 0;
    for (int i = 0; i < 30 + 25 + 30; i++) {
        const int u = i < 30 ? 0 : i < 55 ? 1 : 2 + i % 7;
        const int v = i < 30 ? 2 + i : i < 55 ? i - 28 : 9 + (i * 5) % 29;

        at += weighted ? (size_t)snprintf(text + at, 40, "%d\t%d\t%.2f\n", u, v,
                                          .2 + i % 9 * .3)
                       : (size_t)snprintf(text + at, 40, "%d\t%d\n", u, v);
    }
    o.nodes = check_file("hub.nodes", nodes);
    CHECK_OK(kith_graph_read(check_file("hub.tsv", text), &o, &g, NULL, &err));
    CHECK_INT(kith_graph_rows(g)[1] - kith_graph_rows(g)[0], 30);
    CHECK_INT(kith_graph_rows(g)[2] - kith_graph_rows(g)[1], 25);
    return g;
}

TEST(each_network_computes_its_formula)
{
    static float dense[N * F], value[N * F];
    int64_t row[N + 1];
    int32_t column[N * F];
    const kith_features sparse = sparse_features(row, column, value);
    kith_features ones = sparse;
    const kith_features full = {
        .nodes = N, .columns = F, .entries = N * F, .value = dense};
    kith_graph *g[] = {hub_graph(false), hub_graph(true)};

    ones.value = NULL;
    for (int i = 0; i < N * F; i++)
        dense[i] = i / F == 6 ? 0 : (float)sin(i * i);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        const kind *k = &kinds[i];

        compare(k, g[0], &sparse, false, 0, "sparse features");
        compare(k, g[1], &sparse, true, 1, "sparse features, training");
        compare(k, g[0], &ones, true, 2, "zeros and ones, training");
        compare(k, g[1], &full, false, 0, "dense features");
        compare(k, g[0], &full, true, 3, "dense features, training");
        compare(k, g[1], NULL, false, 0, "no features");
        compare(k, g[1], NULL, true, 4, "no features, training");
    }
    kith_graph_free(g[0]);
    kith_graph_free(g[1]);
}

/* By hand: of logits 0 and log 3 the softmax is (1/4, 3/4). */
TEST(cross_entropy_by_hand)
{
    const float l3 = logf(3);
    const float Z[4 * 2] = {0, l3, 9, 9, l3, 0, 0, l3};
    const int32_t nodes[] = {0, 3, 2}, truth[] = {0, 1, 0};
    float d[4 * 2] = {0};

    CHECK_NEAR(kith__cross_entropy(Z, 2, nodes, truth, 3, d),
               (log(4) + 2 * log(4. / 3)) / 3, 1e-6);
    CHECK_NEAR(d[0], (.25 - 1) / 3, 1e-6);
    CHECK_NEAR(d[1], .75 / 3, 1e-6);
    CHECK(d[2] == 0 && d[3] == 0);
    CHECK_NEAR(d[4], (.75 - 1) / 3, 1e-6);
    CHECK_NEAR(d[5], .25 / 3, 1e-6);
    CHECK_NEAR(d[6], .25 / 3, 1e-6);
    CHECK_NEAR(d[7], (.75 - 1) / 3, 1e-6);
}

/* A step is the gradient of the mean over the nodes, into Adam, whose first
 * step is the rate against the sign of gradient + decay w; biases do not
 * decay. */
TEST(a_step_goes_down_the_gradient)
{
    const kith__net_settings how = {.hops = 1, .rate = .125, .decay = 10};
    static const int32_t nodes[] = {0, 5, 7}, truth[] = {0, 1, 1};
    kith_graph *g = small_graph(N, 60, false, 5);
    kith__near near;
    float Z[N * C], was[N * C], first[N * C];
    kith__net net;
    kith_error err;

    CHECK_OK(kith__near_new(g, nodes, 3, &near, &err));
    CHECK_OK(kith__net_new(&kith__sgc_type, &how, g, NULL, C, 2, true, Z, &net,
                           &err));
    kith__net_start(&net);
    for (int i = 0; i < N * C; i++)
        CHECK(net.weights[0].value[i] == 0);
    kith__net_step(&net, nodes, truth, 3, &near);
    CHECK_INT(net.step, 1);
    CHECK(net.training);
    /* one third of the nodes are of class 0, two of class 1, none of class 2:
     * gradients 0, -1/3, 1/3 */
    CHECK_NEAR(net.weights[1].gradient[0], 0, 1e-6);
    CHECK_NEAR(net.weights[1].value[1], .125, 1e-5);
    CHECK_NEAR(net.weights[1].value[2], -.125, 1e-5);
    for (int i = 0; i < N * C; i++)
        CHECK(net.dZ[i] == 0);
    memcpy(first, net.weights[0].gradient, sizeof(first));
    memcpy(was, net.weights[0].value, sizeof(was));
    kith__net_step(&net, nodes, truth, 3, &near);
    for (int i = 0; i < N * C; i++) {
        const double g1 = (double)first[i];
        const double g2 = (double)net.weights[0].gradient[i] +
                          10 * (double)was[i];
        const double m = (.09 * g1 + .1 * g2) / (1 - .81);
        const double v = (.000999 * g1 * g1 + .001 * g2 * g2) /
                         (1 - .999 * .999);

        CHECK_NEAR(net.weights[0].value[i],
                   (double)was[i] - .125 * m / (sqrt(v) + 1e-8), 2e-5);
    }
    CHECK_INT(net.step, 2);
    kith__net_predict(&net, NULL);
    CHECK(!net.training);
    kith__near_release(&near);
    kith__net_release(&net);
    kith_graph_free(g);
}
