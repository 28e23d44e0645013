/*
 * semiemb.c: deep learning via semi-supervised embedding (Weston, Ratle,
 * Collobert, ICML 2008): a perceptron whose hidden layer is an embedding that
 * puts neighbours together and others apart.
 *
 *     H = relu(drop(X) W0 + b0),     Z = H W1 + b1
 *     loss = mean cross-entropy on the training nodes + decay / 2 |W0|^2
 *            + alpha / (2 m) sum_uv a_uv |h_u - h_v|^2         over edges uv
 *            + alpha / (2 n) sum_(u, v) max(0, 1 - |h_u - h_v|)^2
 *
 *   (u, v): random pairs, two for each node, others
 * in every step: v is the node a random distance after u, so that u finds the
 *   pairs it is in, and every row of the gradient has one writer.
 */
#include <math.h>
#include <string.h>

#include "models/baselines/net_method.h"
#include "nn/laplacian.h"

enum { W0, B0, W1, B1 };
enum { HIDDEN, DHIDDEN, LH }; /* rooms, n x hidden */

static kith_status build(kith__net *net, kith_error *err)
{
    const int h = net->how.hidden, C = net->classes;
    kith_status st = KITH_OK;

    TRY(kith__net_weights(net, "w0", net->x.columns, h, true, err));
    TRY(kith__net_weights(net, "b0", 1, h, false, err));
    TRY(kith__net_weights(net, "w1", h, C, false, err));
    TRY(kith__net_weights(net, "b1", 1, C, false, err));
    for (int i = HIDDEN; i <= LH; i++)
        TRY(kith__net_room(net, h, err));
out:
    return st;
}

/* How far apart the pairs of this step are, in 1 .. n - 1; 0 if n is 1. */
static int32_t distance(const kith__net *net)
{
    kith__rng r = kith__rng_start(net->step, 77);

    return net->n < 2 ? 0
                      : 1 + (int32_t)kith__rng_below(&r, (uint64_t)net->n - 1);
}

static double apart(const float *a, const float *b, int k)
{
    double sum = 0;

    for (int c = 0; c < k; c++)
        sum += ((double)a[c] - (double)b[c]) * ((double)a[c] - (double)b[c]);
    return sqrt(sum);
}

static double cost_of_pairs(const kith__net *net)
{
    const int h = net->how.hidden;
    const int64_t far = distance(net);
    const float *H = net->room[HIDDEN];
    double sum = 0;

    for (int64_t u = 0; far > 0 && u < net->n; u++) {
        const double d = apart(H + u * h, H + (u + far) % net->n * h, h);

        sum += d < 1 ? (1 - d) * (1 - d) : 0;
    }
    return net->how.alpha / (2 * (double)net->n) * sum;
}

/* dh_u += alpha / n (1 - d) / d (h_v - h_u) for both pairs of u */
static void pairs_backward(const kith__net *net, float *restrict dH)
{
    const int h = net->how.hidden;
    const int64_t far = distance(net), n = net->n;
    const float *H = net->room[HIDDEN];

#pragma omp parallel for num_threads(net->threads) schedule(static)
    for (int64_t u = 0; u < (far > 0 ? n : 0); u++)
        for (int way = 0; way < 2; way++) {
            const int64_t v = (u + (way ? far : n - far)) % n;
            const double d = apart(H + u * h, H + v * h, h);
            const float a = d < 1 && d > 1e-6 ? (float)(net->how.alpha /
                                                        (double)n * (1 - d) / d)
                                              : 0;

            for (int c = 0; c < h; c++)
                dH[u * h + c] += a * (H[v * h + c] - H[u * h + c]);
        }
}

static void forward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        none = kith__dropout_at(0, 0, 0);
    /* in training every node has a place among others */
    const kith__row_set *own = kith__net_near(net, 0),
                        *needed = net->training ? NULL : own;
    const int h = net->how.hidden;
    const kith__weights *w = net->weights;
    float *H = net->room[HIDDEN];

    kith__inputs_forward(&net->x, w[W0].value, h, &in, needed, H);
    kith__relu_forward(H, net->n, h, w[B0].value, &none, needed, net->threads);
    kith__dense_forward(net, H, W1, own, net->Z);
    kith__bias_forward(net->Z, net->n, net->classes, w[B1].value, own,
                       net->threads);
    if (net->training)
        kith__laplacian(net->graph, H, h, net->room[LH], net->threads);
}

static double penalty(const kith__net *net)
{
    return cost_of_pairs(net) +
           kith__laplacian_cost(net->graph, net->room[HIDDEN], net->room[LH],
                                net->how.hidden, net->how.alpha);
}

static void backward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        none = kith__dropout_at(0, 0, 0);
    const kith__row_set *own = kith__net_near(net, 0);
    const int h = net->how.hidden;
    float *H = net->room[HIDDEN], *dH = net->room[DHIDDEN];

    kith__bias_backward(net, net->dZ, own, B1);
    memset(dH, 0, (size_t)net->n * (size_t)h * sizeof(*dH));
    kith__dense_backward(net, H, net->dZ, W1, own, dH);
    kith__laplacian_backward(net->graph, net->room[LH], h, net->how.alpha, dH,
                             net->threads);
    pairs_backward(net, dH);
    kith__relu_backward(H, net->n, h, &none, NULL, dH, net->threads);
    kith__bias_backward(net, dH, NULL, B0);
    kith__inputs_backward(&net->x, dH, h, &in, NULL, net->weights[W0].gradient);
}

static const kith__net_settings grid[] = {
    {.hidden = 64, .alpha = 1, .dropout = .5, .rate = .01, .decay = 5e-4},
    {.hidden = 64, .alpha = 10, .dropout = .5, .rate = .01, .decay = 5e-4},
    {.hidden = 64, .alpha = 10, .dropout = .5, .rate = .01, .decay = 5e-5},
};

const kith__net_type kith__semiemb_type = {.name = "semiemb",
                                           .grid = sizeof(grid) / sizeof(*grid),
                                           .settings = grid,
                                           .build = build,
                                           .forward = forward,
                                           .backward = backward,
                                           .penalty = penalty};
