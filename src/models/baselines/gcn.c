/*
 * gcn.c: graph convolutional network (Kipf, Welling, ICLR 2017).
 *
 *     H = drop(relu(A^ drop(X) W0 + b0))        n x hidden
 *     Z = A^ H W1 + b1                          n x classes
 *
 *   A^ = D~^-1/2 (A + I) D~^-1/2    X  rows that sum to 1
 *
 * Loss: mean cross-entropy of softmax(Z) on the training nodes, plus decay / 2
 * |W0|^2.  A^ (H W1) instead of (A^ H) W1, as classes are fewer than hidden
 * units.  Backward, with S = H W1:
 *
 *     dS = A^ dZ      dW1 = H'dS      dH = dS W1'
 *     G  = A^ (dH where H > 0)        dW0 = drop(X)'G
 *
 * A pass that is about a few nodes needs H in their rows and their neighbours',
 * and X W0 in those of theirs too.  Memory: two n x hidden matrices.  Cost of a
 * pass: O((nonzeros of X + m) hidden).
 *
 * With `layers` it is a residual network (nn/residual.h) that gathers by A^.
 */
#include "models/baselines/net_method.h"
#include "nn/residual.h"

enum { W0, B0, W1, B1 };   /* weights */
enum { LEFT, RIGHT, SUM }; /* rooms: n x hidden twice, n x classes */

static void gather_forward(kith__net *net, int layer, const float *P,
                           float *restrict T)
{
    (void)layer;
    kith__smooth(&net->A, 1, P, 0, NULL, net->how.hidden, NULL, T);
}

static void gather_backward(kith__net *net, int layer, const float *P,
                            const float *dT, float *restrict dP)
{
    (void)layer;
    (void)P;
    kith__smooth(&net->A, 1, dT, 0, NULL, net->how.hidden, NULL, dP);
}

static const kith__gather gather = {.forward = gather_forward,
                                    .backward = gather_backward};

static kith_status build(kith__net *net, kith_error *err)
{
    const int h = net->how.hidden, C = net->classes;
    kith_status st = KITH_OK;

    TRY(kith__net_weights(net, "w0", net->x.columns, h, true, err));
    TRY(kith__net_weights(net, "b0", 1, h, false, err));
    TRY(kith__net_weights(net, "w1", h, C, false, err));
    TRY(kith__net_weights(net, "b1", 1, C, false, err));
    TRY(kith__net_room(net, h, err));
    TRY(kith__net_room(net, h, err));
    TRY(kith__net_room(net, C, err));
out:
    return st;
}

static void forward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const kith__row_set *own = kith__net_near(net, 0),
                        *first = kith__net_near(net, 1);
    const int h = net->how.hidden, C = net->classes;
    const kith__weights *w = net->weights;
    float *XW = net->room[LEFT], *H = net->room[RIGHT], *S = net->room[SUM];

    kith__inputs_forward(&net->x, w[W0].value, h, &in, kith__net_near(net, 2),
                         XW);
    kith__smooth(&net->A, 1, XW, 0, NULL, h, first, H);
    kith__relu_forward(H, net->n, h, w[B0].value, &inner, first, net->threads);
    kith__dense_forward(net, H, W1, first, S);
    kith__smooth(&net->A, 1, S, 0, NULL, C, own, net->Z);
    kith__bias_forward(net->Z, net->n, C, w[B1].value, own, net->threads);
}

static void backward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const kith__row_set *own = kith__net_near(net, 0),
                        *first = kith__net_near(net, 1),
                        *second = kith__net_near(net, 2);
    const int h = net->how.hidden;
    float *H = net->room[RIGHT], *dH = net->room[LEFT], *dS = net->room[SUM];

    kith__bias_backward(net, net->dZ, own, B1);
    kith__smooth_back(&net->A, 1, net->dZ, net->classes, own, first, dS);
    kith__dense_backward(net, H, dS, W1, first, dH);
    kith__relu_backward(H, net->n, h, &inner, first, dH, net->threads);
    kith__bias_backward(net, dH, first, B0);
    kith__smooth_back(&net->A, 1, dH, h, first, second,
                      H); /* H is needed no more */
    kith__inputs_backward(&net->x, H, h, &in, second,
                          net->weights[W0].gradient);
}

/* The fourth is for graphs such as NELL, where few nodes have features and one
 * of each class is known: gradients of W0 are so small that any decay outweighs
 * them. */
static const kith__net_settings grid[] = {
    {.hidden = 64, .dropout = .5, .rate = .01, .decay = 5e-4},
    {.hidden = 64, .dropout = .5, .rate = .01, .decay = 5e-3},
    {.hidden = 64, .dropout = .8, .rate = .01, .decay = 5e-4},
    {.hidden = 64, .dropout = .5, .rate = .01, .decay = 0},
    {.hidden = 64, .layers = 2, .dropout = .2, .rate = .005, .decay = 0},
    {.hidden = 64, .layers = 3, .dropout = .5, .rate = .005, .decay = 5e-4},
};

const kith__net_type kith__gcn_type = {.name = "gcn",
                                       .self_loops = true,
                                       .grid = sizeof(grid) / sizeof(*grid),
                                       .settings = grid,
                                       .build = build,
                                       .gather = &gather,
                                       .forward = forward,
                                       .backward = backward};
