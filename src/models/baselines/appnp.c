/*
 * appnp.c: predict, then propagate with personalised PageRank (Klicpera,
 * Bojchevski, Guennemann, ICLR 2019).
 *
 *     H = drop(relu(drop(X) W0 + b0))                  n x hidden
 *     Z = P H W1 + b1                                  n x classes
 *     P Y by   Y0 = Y,   Y(k+1) = (1 - alpha) A^ Y(k) + alpha Y,   P Y = Y(K)
 *
 * P (H W1) or (P H) W1, whichever has fewer columns to propagate.  Backward, A^
 * and so P being symmetric:
 *
 *     G = dY(K);   K times:  dY += alpha G,  G = (1 - alpha) A^ G;   dY += G
 *
 * The authors drop entries of A^ too; we do not.
 */
#include <string.h>

#include "models/baselines/net_method.h"

enum { W0, B0, W1, B1 };
/* rooms: n x hidden twice; TURN and the next, DSUM as wide as what propagates;
 * OUTER n x classes */
enum { HIDDEN, DHIDDEN, TURN, DSUM = TURN + 2, OUTER };

/* Is it H W1 that propagates? */
static bool classes_first(const kith__net *net)
{
    return net->classes <= net->how.hidden;
}

static int width(const kith__net *net)
{
    return classes_first(net) ? net->classes : net->how.hidden;
}

static kith_status build(kith__net *net, kith_error *err)
{
    const int h = net->how.hidden, C = net->classes;
    kith_status st = KITH_OK;

    if (net->how.hops < 1)
        TRY(kith__fail(err, KITH_ERR_CORRUPT, NULL, 0,
                       "the model's number of hops is %d, expected 1 or more",
                       net->how.hops));
    TRY(kith__net_weights(net, "w0", net->x.columns, h, true, err));
    TRY(kith__net_weights(net, "b0", 1, h, false, err));
    TRY(kith__net_weights(net, "w1", h, C, false, err));
    TRY(kith__net_weights(net, "b1", 1, C, false, err));
    for (int i = HIDDEN; i <= OUTER; i++)
        TRY(kith__net_room(net,
                           i < TURN    ? h
                           : i < OUTER ? width(net)
                                       : C,
                           err));
out:
    return st;
}

/* out = P Y, in the rows this pass is about. */
static void propagate(kith__net *net, const float *Y, float *out)
{
    const float a = (float)net->how.alpha;
    const float *from = Y;

    for (int k = net->how.hops - 1; k >= 0; k--) {
        float *to = k > 0 ? net->room[TURN + k % 2] : out;

        kith__smooth(&net->A, 1 - a, from, a, Y, width(net),
                     kith__net_near(net, k), to);
        from = to;
    }
}

/* y += a x, in some rows */
static void add_rows(const kith__net *net, float a, const float *x,
                     const kith__row_set *rows, float *y)
{
    const int k = width(net);

#pragma omp parallel for num_threads(net->threads) schedule(static)
    for (int64_t i = 0; i < kith__row_count(rows, net->n); i++) {
        const int64_t u = kith__nth_row(rows, i);

        for (int64_t c = u * k; c < (u + 1) * k; c++)
            y[c] += a * x[c];
    }
}

/* dY = P G, in all rows; G is in those this pass is about, and 0 in others. */
static void propagate_back(kith__net *net, const float *G, float *dY)
{
    const float a = (float)net->how.alpha;
    const int K = net->how.hops;

    memset(dY, 0, (size_t)net->n * (size_t)width(net) * sizeof(*dY));
    for (int k = 0; k < K; k++) {
        const kith__row_set *here = kith__net_near(net, k);
        float *to = net->room[TURN + k % 2];

        add_rows(net, a, G, here, dY);
        kith__smooth_back(&net->A, 1 - a, G, width(net), here,
                          kith__net_near(net, k + 1), to);
        G = to;
    }
    add_rows(net, 1, G, kith__net_near(net, K), dY);
}

static void forward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const kith__row_set *own = kith__net_near(net, 0),
                        *needed = kith__net_near(net, net->how.hops);
    const kith__weights *w = net->weights;
    float *H = net->room[HIDDEN], *S = net->room[OUTER];

    kith__inputs_forward(&net->x, w[W0].value, net->how.hidden, &in, needed, H);
    kith__relu_forward(H, net->n, net->how.hidden, w[B0].value, &inner, needed,
                       net->threads);
    if (classes_first(net)) {
        kith__dense_forward(net, H, W1, needed, S);
        propagate(net, S, net->Z);
    } else {
        propagate(net, H, net->room[DHIDDEN]);
        kith__dense_forward(net, net->room[DHIDDEN], W1, own, net->Z);
    }
    kith__bias_forward(net->Z, net->n, net->classes, w[B1].value, own,
                       net->threads);
}

static void backward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const kith__row_set *own = kith__net_near(net, 0),
                        *needed = kith__net_near(net, net->how.hops);
    const int h = net->how.hidden;
    float *H = net->room[HIDDEN], *dH = net->room[DHIDDEN];
    float *sum = net->room[DSUM];

    kith__bias_backward(net, net->dZ, own, B1);
    if (classes_first(net)) {
        propagate_back(net, net->dZ, sum);
        kith__dense_backward(net, H, sum, W1, needed, dH);
    } else { /* room DHIDDEN is still P H */
        kith__dense_backward(net, dH, net->dZ, W1, own, sum);
        propagate_back(net, sum, dH);
    }
    kith__relu_backward(H, net->n, h, &inner, needed, dH, net->threads);
    kith__bias_backward(net, dH, needed, B0);
    kith__inputs_backward(&net->x, dH, h, &in, needed,
                          net->weights[W0].gradient);
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
