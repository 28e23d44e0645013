/*
 * sgc.c: simple graph convolution (Wu, Souza, Zhang, Fifty, Yu, Weinberger,
 * ICML 2019): a GCN without nonlinearity, that is, logistic regression on
 * features smoothed K times.
 *
 *     Z = A^^K X W + b            dW = X'A^^K dZ
 *
 * The smoothed features are never formed: A^^K (X W), as classes are few.
 * Loss: mean cross-entropy on the training nodes plus decay / 2 |W|^2.
 */
#include "models/baselines/net_method.h"

enum { W, B };

static kith_status build(kith__net *net, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__net_weights(net, "w", net->x.columns, net->classes, true, err));
    TRY(kith__net_weights(net, "b", 1, net->classes, false, err));
    TRY(kith__net_room(net, net->classes, err));
    TRY(kith__net_room(net, net->classes, err));
out:
    return st;
}

static void forward(kith__net *net)
{
    const kith__dropout none = kith__dropout_at(0, 0, 0);
    const int C = net->classes, K = net->how.hops;
    float *X = net->room[0], *Y = net->room[1];

    kith__inputs_forward(&net->x, net->weights[W].value, C, &none,
                         kith__net_near(net, K), K > 0 ? X : net->Z);
    for (int k = K - 1; k >= 0; k--) {
        float *swap = X, *to = k > 0 ? Y : net->Z;

        kith__smooth(&net->A, 1, X, 0, NULL, C, kith__net_near(net, k), to);
        X = to;
        Y = swap;
    }
    kith__bias_forward(net->Z, net->n, C, net->weights[B].value,
                       kith__net_near(net, 0), net->threads);
}

static void backward(kith__net *net)
{
    const kith__dropout none = kith__dropout_at(0, 0, 0);
    const int C = net->classes, K = net->how.hops;
    const float *G = net->dZ;

    kith__bias_backward(net, net->dZ, kith__net_near(net, 0), B);
    for (int k = 0; k < K; k++) {
        float *to = net->room[k % 2];

        kith__smooth_back(&net->A, 1, G, C, kith__net_near(net, k),
                          kith__net_near(net, k + 1), to);
        G = to;
    }
    kith__inputs_backward(&net->x, G, C, &none, kith__net_near(net, K),
                          net->weights[W].gradient);
}

static const kith__net_settings grid[] = {
    {.hops = 2, .rate = .2, .decay = 5e-5},
    {.hops = 2, .rate = .2, .decay = 5e-6},
    {.hops = 2, .rate = .2, .decay = 5e-4},
    {.hops = 3, .rate = .2, .decay = 5e-5},
};

const kith__net_type kith__sgc_type = {.name = "sgc",
                                       .self_loops = true,
                                       .linear = true,
                                       .grid = sizeof(grid) / sizeof(*grid),
                                       .settings = grid,
                                       .build = build,
                                       .forward = forward,
                                       .backward = backward};
