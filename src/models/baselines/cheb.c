/*
 * cheb.c: Chebyshev filters (Defferrard, Bresson, Vandergheynst, NIPS 2016),
 * two layers as in Kipf and Welling (ICLR 2017).
 *
 *     H = drop(relu(filter(drop(X), W0*) + b0))         n x hidden
 *     Z = filter(H, W1*) + b1                           n x classes
 *     filter(X, W*) = sum_k T_k(L~) X W_k,   k = 0 .. K
 *
 *   T_0 = 1,  T_1 = x,  T_k = 2 x T_(k-1) - T_(k-2)
 *   L~  = L - I = - D^-1/2 A D^-1/2, taking 2 for the largest eigenvalue of L
 *
 * Forward by Clenshaw's rule on the products B_k = X W_k, which have fewer
 * columns than X:   b_k = B_k + 2 L~ b_(k+1) - b_(k+2),
 *                   filter = B_0 + L~ b_1 - b_2.
 * Backward by the recurrence itself, L~ being symmetric:
 *     G_k = T_k(L~) dY,    dW_k = X'G_k,    dX = sum_k G_k W_k'.
 */
#include <string.h>

#include "models/baselines/net_method.h"

enum { DEGREE_MOST = 6 };
/* rooms: the first three n x the larger of hidden and classes */
enum { TURN, HIDDEN = 3, DHIDDEN };

static const char *const names[2][DEGREE_MOST + 1] = {
    {"w00", "w01", "w02", "w03", "w04", "w05", "w06"},
    {"w10", "w11", "w12", "w13", "w14", "w15", "w16"}};

/* The weights: K + 1 matrices and a bias for each layer. */
static int weights_of(const kith__net *net, int layer)
{
    return layer * (net->how.hops + 2);
}

static int bias_of(const kith__net *net, int layer)
{
    return weights_of(net, layer) + net->how.hops + 1;
}

static kith_status build(kith__net *net, kith_error *err)
{
    const int h = net->how.hidden, C = net->classes, wide = h > C ? h : C;
    kith_status st = KITH_OK;

    if (net->how.hops < 1 || net->how.hops > DEGREE_MOST)
        TRY(kith__fail(err, KITH_ERR_CORRUPT, NULL, 0,
                       "the model's degree is %d, expected 1 to %d",
                       net->how.hops, DEGREE_MOST));
    for (int layer = 0; layer < 2; layer++) {
        for (int k = 0; k <= net->how.hops; k++)
            TRY(kith__net_weights(net, names[layer][k],
                                  layer ? h : net->x.columns, layer ? C : h,
                                  layer == 0, err));
        TRY(kith__net_weights(net, layer ? "b1" : "b0", 1, layer ? C : h, false,
                              err));
    }
    for (int i = TURN; i <= DHIDDEN; i++)
        TRY(kith__net_room(net, i < HIDDEN ? wide : h, err));
out:
    return st;
}

/* The rows of a layer's sums that are needed after k more steps: the second
 * layer's filter looks K hops far, the first one's that much farther. */
static const kith__row_set *rows_at(const kith__net *net, int layer, int k)
{
    return kith__net_near(net, (layer ? 0 : net->how.hops) + k);
}

/* X W_k; X is the inputs or, in the second layer, H. */
static void product(kith__net *net, int layer, int k, const kith__dropout *in,
                    float *out)
{
    const kith__row_set *rows = rows_at(net, layer, k);
    const int w = weights_of(net, layer) + k;

    if (layer)
        kith__dense_forward(net, net->room[HIDDEN], w, rows, out);
    else
        kith__inputs_forward(&net->x, net->weights[w].value, net->how.hidden,
                             in, rows, out);
}

/* y -= x */
static void subtract(const kith__net *net, const float *x, int k,
                     const kith__row_set *rows, float *y)
{
#pragma omp parallel for num_threads(net->threads) schedule(static)
    for (int64_t i = 0; i < kith__row_count(rows, net->n); i++) {
        const int64_t u = kith__nth_row(rows, i);

        for (int64_t c = u * k; c < (u + 1) * k; c++)
            y[c] -= x[c];
    }
}

static void filter_forward(kith__net *net, int layer, const kith__dropout *in,
                           float *Y)
{
    const int columns = layer ? net->classes : net->how.hidden;
    float *b1 = NULL, *b2 = NULL;

    for (int k = net->how.hops; k >= 0; k--) {
        const kith__row_set *rows = rows_at(net, layer, k);
        /* a room that is neither b1 nor b2 */
        float *B = k > 0 ? net->room[TURN + k % 3] : Y;

        product(net, layer, k, in, B);
        if (b1)
            kith__smooth(&net->A, k > 0 ? -2 : -1, b1, 1, B, columns, rows, B);
        if (b2)
            subtract(net, b2, columns, rows, B);
        b2 = b1;
        b1 = B;
    }
}

/* The gradients of the layer's weights, and in the second layer of H, which is
 * 0 before. */
static void filter_backward(kith__net *net, int layer, const kith__dropout *in,
                            const float *dY)
{
    const int columns = layer ? net->classes : net->how.hidden;
    const float *G1 = NULL, *G2 = NULL;

    for (int k = 0; k <= net->how.hops; k++) {
        const kith__row_set *rows = rows_at(net, layer, k);
        const int w = weights_of(net, layer) + k;
        float *room = net->room[TURN + k % 3];
        const float *G = k > 0 ? room : dY;

        if (k > 0)
            kith__smooth_back(&net->A, k > 1 ? -2 : -1, G1, columns,
                              rows_at(net, layer, k - 1), rows, room);
        if (k > 1)
            subtract(net, G2, columns, rows_at(net, layer, k - 2), room);
        G2 = G1;
        G1 = G;
        if (!layer) {
            kith__inputs_backward(&net->x, G, columns, in, rows,
                                  net->weights[w].gradient);
            continue;
        }
        kith__dense_backward(net, net->room[HIDDEN], G, w, rows, NULL);
        kith__dense_add_turned(net, G, w, rows, net->room[DHIDDEN]);
    }
}

static void forward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    float *H = net->room[HIDDEN];

    filter_forward(net, 0, &in, H);
    kith__relu_forward(H, net->n, net->how.hidden,
                       net->weights[bias_of(net, 0)].value, &inner,
                       rows_at(net, 0, 0), net->threads);
    filter_forward(net, 1, NULL, net->Z);
    kith__bias_forward(net->Z, net->n, net->classes,
                       net->weights[bias_of(net, 1)].value, rows_at(net, 1, 0),
                       net->threads);
}

static void backward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const kith__row_set *rows = rows_at(net, 0, 0);
    const int h = net->how.hidden;
    float *dH = net->room[DHIDDEN];

    kith__bias_backward(net, net->dZ, rows_at(net, 1, 0), bias_of(net, 1));
    memset(dH, 0, (size_t)net->n * (size_t)h * sizeof(*dH));
    filter_backward(net, 1, NULL, net->dZ);
    kith__relu_backward(net->room[HIDDEN], net->n, h, &inner, rows, dH,
                        net->threads);
    kith__bias_backward(net, dH, rows, bias_of(net, 0));
    filter_backward(net, 0, &in, dH);
}

static const kith__net_settings grid[] = {
    {.hidden = 32, .hops = 2, .dropout = .5, .rate = .01, .decay = 5e-3},
    {.hidden = 32, .hops = 2, .dropout = .5, .rate = .01, .decay = 5e-4},
    {.hidden = 32, .hops = 2, .dropout = .8, .rate = .01, .decay = 5e-3},
    {.hidden = 32, .hops = 2, .dropout = .5, .rate = .01, .decay = 0},
};

const kith__net_type kith__cheb_type = {.name = "cheb",
                                        .grid = sizeof(grid) / sizeof(*grid),
                                        .settings = grid,
                                        .build = build,
                                        .forward = forward,
                                        .backward = backward};
