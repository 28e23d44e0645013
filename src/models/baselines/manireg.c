/*
 * manireg.c: manifold regularisation (Belkin, Niyogi, Sindhwani, JMLR 2006): a
 * linear classifier whose outputs shall change little along edges.
 *
 *     Z = X W + b
 *     loss = mean cross-entropy on the training nodes + decay / 2 |W|^2
 *            + alpha / (2 m) sum_uv a_uv |z_u - z_v|^2     over edges uv
 *
 * The last term sums over all edges: that is where unlabelled ones matter.  Its
 * gradient by Z is alpha / m  L Z, L = D - A.  The authors' loss is squared or
 * hinge and their classifier a kernel machine; ours is the multinomial one on
 * features.
 */
#include <string.h>

#include "models/baselines/net_method.h"
#include "nn/laplacian.h"

enum { W, B };

static kith_status build(kith__net *net, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__net_weights(net, "w", net->x.columns, net->classes, true, err));
    TRY(kith__net_weights(net, "b", 1, net->classes, false, err));
    TRY(kith__net_room(net, net->classes, err));
out:
    return st;
}

static void forward(kith__net *net)
{
    const kith__dropout none = kith__dropout_at(0, 0, 0);
    /* in training all rows, as all edges count */
    const kith__row_set *needed = net->training ? NULL : kith__net_near(net, 0);
    const int C = net->classes;

    kith__inputs_forward(&net->x, net->weights[W].value, C, &none, needed,
                         net->Z);
    kith__bias_forward(net->Z, net->n, C, net->weights[B].value, needed,
                       net->threads);
    if (net->training)
        kith__laplacian(net->graph, net->Z, C, net->room[0], net->threads);
}

static double penalty(const kith__net *net)
{
    return kith__laplacian_cost(net->graph, net->Z, net->room[0], net->classes,
                                net->how.alpha);
}

static void backward(kith__net *net)
{
    const kith__dropout none = kith__dropout_at(0, 0, 0);
    const int C = net->classes;
    float *G = net->Z; /* which is needed no more */

    memcpy(G, net->dZ, (size_t)net->n * (size_t)C * sizeof(*G));
    kith__laplacian_backward(net->graph, net->room[0], C, net->how.alpha, G,
                             net->threads);
    kith__bias_backward(net, G, NULL, B);
    kith__inputs_backward(&net->x, G, C, &none, NULL, net->weights[W].gradient);
}

static const kith__net_settings grid[] = {
    {.alpha = 1, .rate = .1, .decay = 1e-4},
    {.alpha = .1, .rate = .1, .decay = 1e-4},
    {.alpha = 10, .rate = .1, .decay = 1e-4},
    {.alpha = 1, .rate = .1, .decay = 1e-5},
};

const kith__net_type kith__manireg_type = {.name = "manireg",
                                           .linear = true,
                                           .grid = sizeof(grid) / sizeof(*grid),
                                           .settings = grid,
                                           .build = build,
                                           .forward = forward,
                                           .backward = backward,
                                           .penalty = penalty};
