/*
 * appnp.c: predict, then propagate with personalised PageRank (Klicpera,
 * Bojchevski, Guennemann, ICLR 2019).
 *
 *     H  = drop(relu(drop(X) W0 + b0))                 n x hidden
 *     L  = H W1 + b1                                   n x classes
 *     Z0 = L,   Z(k+1) = (1 - alpha) A^ Z(k) + alpha L,    Z = Z(K)
 *
 * Backward through the propagation, A^ being symmetric:
 *
 *     G = dZ;   K times:  dL += alpha G,  G = (1 - alpha) A^ G;   dL += G
 *
 * The authors drop entries of A^ too; we do not.
 */
#include <string.h>

#include "models/net_method.h"

enum { W0, B0, W1, B1 };
enum { LEFT, RIGHT, OWN, OTHER, THIRD }; /* rooms; the last three n x classes */

static kith_status build(kith__net *net, kith_error *err)
{
    const int h = net->how.hidden, C = net->classes;
    kith_status st = KITH_OK;

    TRY(kith__net_weights(net, "w0", net->x.columns, h, true, err));
    TRY(kith__net_weights(net, "b0", 1, h, false, err));
    TRY(kith__net_weights(net, "w1", h, C, false, err));
    TRY(kith__net_weights(net, "b1", 1, C, false, err));
    for (int i = LEFT; i <= THIRD; i++)
        TRY(kith__net_room(net, i < OWN ? h : C, err));
out:
    return st;
}

/* From Z0 = L in room OWN. */
static void propagate(kith__net *net)
{
    const float a = (float)net->how.alpha;
    const float *L = net->room[OWN], *from = L;
    float *to = net->room[OTHER], *next = net->room[THIRD];

    for (int k = 0; k < net->how.hops; k++) {
        float *swap = to;

        kith__smooth(&net->A, 1 - a, from, a, L, net->classes, NULL, to);
        from = swap;
        to = next;
        next = swap;
    }
    memcpy(net->Z, from, (size_t)net->n * (size_t)net->classes * sizeof(float));
}

/* dL into room OWN. */
static void propagate_back(kith__net *net)
{
    const int64_t cells = (int64_t)net->n * net->classes;
    const float a = (float)net->how.alpha;
    const float *G = net->dZ;
    float *dL = net->room[OWN], *to = net->room[OTHER],
          *next = net->room[THIRD];

    memset(dL, 0, (size_t)cells * sizeof(*dL));
    for (int k = 0; k <= net->how.hops; k++) {
        const float share = k < net->how.hops ? a : 1;
        float *swap = to;

#pragma omp parallel for num_threads(net->threads) schedule(static)
        for (int64_t i = 0; i < cells; i++)
            dL[i] += share * G[i];
        if (k == net->how.hops)
            return;
        kith__smooth(&net->A, 1 - a, G, 0, NULL, net->classes, NULL, to);
        G = swap;
        to = next;
        next = swap;
    }
}

static void forward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const kith__weights *w = net->weights;
    float *H = net->room[LEFT], *L = net->room[OWN];

    kith__inputs_forward(&net->x, w[W0].value, net->how.hidden, &in, NULL, H);
    kith__relu_forward(H, net->n, net->how.hidden, w[B0].value, &inner, NULL,
                       net->threads);
    kith__dense_forward(net, H, W1, L);
    kith__bias_forward(L, net->n, net->classes, w[B1].value, net->threads);
    propagate(net);
}

static void backward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const int h = net->how.hidden;
    float *H = net->room[LEFT], *dH = net->room[RIGHT], *dL = net->room[OWN];

    propagate_back(net);
    kith__bias_backward(net, dL, B1);
    kith__dense_backward(net, H, dL, W1, dH);
    kith__relu_backward(H, net->n, h, &inner, NULL, dH, net->threads);
    kith__bias_backward(net, dH, B0);
    kith__inputs_backward(&net->x, dH, h, &in, NULL, net->weights[W0].gradient);
}

static const kith__net_settings grid[] = {
    {.hidden = 64,
     .hops = 10,
     .alpha = .1,
     .dropout = .5,
     .rate = .01,
     .decay = 5e-3},
    {.hidden = 64,
     .hops = 10,
     .alpha = .1,
     .dropout = .5,
     .rate = .01,
     .decay = 5e-4},
    {.hidden = 64,
     .hops = 10,
     .alpha = .2,
     .dropout = .5,
     .rate = .01,
     .decay = 5e-3},
    {.hidden = 64,
     .hops = 10,
     .alpha = .1,
     .dropout = .5,
     .rate = .01,
     .decay = 0},
};

const kith__net_type kith__appnp_type = {.name = "appnp",
                                         .self_loops = true,
                                         .grid = sizeof(grid) / sizeof(*grid),
                                         .settings = grid,
                                         .build = build,
                                         .forward = forward,
                                         .backward = backward};

KITH__NET_METHOD(appnp, kith__appnp_type)
