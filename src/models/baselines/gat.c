/*
 * gat.c: graph attention network (Velickovic, Cucurull, Casanova, Romero, Lio,
 * Bengio, ICLR 2018): two layers of attention (nn/attention.h), the first with
 * K heads side by side, the second with one.
 *
 *     Y = attention(drop(X) W0)           n x K hidden
 *     H = drop(elu(Y + b0))               elu(x) = x if x > 0, else exp(x) - 1
 *     Z = attention(H W1) + b1            n x classes
 *
 * Backward through elu from H alone:  elu' = 1 where H > 0, else H + 1 (before
 * scaling), and where H = 0 the cell was dropped.  Edge weights are not used.
 *
 * With `layers` it is a residual network (nn/residual.h), each layer with K
 * heads.
 */
#include <math.h>
#include <string.h>

#include "models/baselines/net_method.h"
#include "nn/attention.h"
#include "nn/residual.h"

enum { W0, F0, T0, B0, W1, F1, T1, B1 };
/* rooms: n x K hidden; NODE0, NODE1 what attention stores; LEFT, RIGHT n x
 * classes */
enum { XW, Y0, HIDDEN, GRADIENT, NODE0, NODE1, LEFT, RIGHT };

static kith_status check_heads(int K, kith_error *err)
{
    return K >= 1 && K <= KITH__HEADS_MOST
               ? KITH_OK
               : kith__fail(err, KITH_ERR_CORRUPT, NULL, 0,
                            "the model has %d heads, expected 1 to %d", K,
                            KITH__HEADS_MOST);
}

static kith_status build(kith__net *net, kith_error *err)
{
    const int K = net->how.heads, h = net->how.hidden, C = net->classes;
    kith_status st = KITH_OK;

    TRY(check_heads(K, err));
    TRY(kith__net_weights(net, "w0", net->x.columns, K * h, true, err));
    TRY(kith__net_weights(net, "from0", K, h, true, err));
    TRY(kith__net_weights(net, "to0", K, h, true, err));
    TRY(kith__net_weights(net, "b0", 1, K * h, false, err));
    TRY(kith__net_weights(net, "w1", K * h, C, true, err));
    TRY(kith__net_weights(net, "from1", 1, C, true, err));
    TRY(kith__net_weights(net, "to1", 1, C, true, err));
    TRY(kith__net_weights(net, "b1", 1, C, false, err));
    for (int i = XW; i <= GRADIENT; i++)
        TRY(kith__net_room(net, K * h, err));
    TRY(kith__net_room(net, KITH__ATTENTION_NODE * K, err));
    TRY(kith__net_room(net, KITH__ATTENTION_NODE, err));
    TRY(kith__net_room(net, C, err));
    TRY(kith__net_room(net, C, err));
out:
    return st;
}

static kith__attention attention_of(const kith__net *net, int layer)
{
    const kith__weights *w = net->weights;

    return (kith__attention){.graph = net->graph,
                             .threads = net->threads,
                             .heads = layer ? 1 : net->how.heads,
                             .size = layer ? net->classes : net->how.hidden,
                             .from = w[layer ? F1 : F0].value,
                             .to = w[layer ? T1 : T0].value,
                             .H = net->room[layer ? LEFT : XW],
                             .node = net->room[layer ? NODE1 : NODE0],
                             .in = kith__net_near(net, 2 - layer),
                             .out = kith__net_near(net, 1 - layer),
                             .drop = kith__net_dropout(net, layer ? 3 : 2)};
}

static void elu_forward(const float *Y, int64_t n, int k, const float *bias,
                        const kith__dropout *d, const kith__row_set *near,
                        float *restrict H, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t r = 0; r < kith__row_count(near, n); r++)
        for (int c = 0; c < k; c++) {
            const int64_t i = kith__nth_row(near, r) * k + c;
            const float x = Y[i] + bias[c];

            H[i] = d->below && kith__dropped(d, (uint64_t)i) ? 0
                   : x > 0                                   ? x * d->scale
                           : expm1f(x) * d->scale;
        }
}

static void elu_backward(const float *H, int64_t n, int k,
                         const kith__dropout *d, const kith__row_set *near,
                         float *dH, int threads)
{
    const float scale = d->scale;

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t r = 0; r < kith__row_count(near, n); r++)
        for (int c = 0; c < k; c++) {
            const int64_t i = kith__nth_row(near, r) * k + c;

            dH[i] *= H[i] > 0 ? scale : H[i] < 0 ? H[i] + scale : 0;
        }
}

/* Z = Y + b, in the rows this pass is about. */
static void add_bias(const kith__net *net, const float *Y, const float *bias,
                     float *restrict Z)
{
    const kith__row_set *own = kith__net_near(net, 0);
    const int C = net->classes;

    for (int64_t r = 0; r < kith__row_count(own, net->n); r++)
        for (int c = 0; c < C; c++)
            Z[kith__nth_row(own, r) * C + c] =
                Y[kith__nth_row(own, r) * C + c] + bias[c];
}

static void forward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const int wide = net->how.heads * net->how.hidden;
    const kith__attention first = attention_of(net, 0),
                          second = attention_of(net, 1);
    const kith__weights *w = net->weights;

    kith__inputs_forward(&net->x, w[W0].value, wide, &in, first.in,
                         net->room[XW]);
    kith__attention_forward(&first, net->room[Y0]);
    elu_forward(net->room[Y0], net->n, wide, w[B0].value, &inner, first.out,
                net->room[HIDDEN], net->threads);
    kith__dense_forward(net, net->room[HIDDEN], W1, second.in, net->room[LEFT]);
    kith__attention_forward(&second, net->room[RIGHT]);
    add_bias(net, net->room[RIGHT], w[B1].value, net->Z);
}

static void backward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const int wide = net->how.heads * net->how.hidden;
    const kith__attention first = attention_of(net, 0),
                          second = attention_of(net, 1);
    kith__weights *w = net->weights;
    float *H = net->room[HIDDEN], *dH = net->room[GRADIENT], *dS = net->Z;

    kith__bias_backward(net, net->dZ, second.out, B1);
    kith__attention_backward(&second, net->room[RIGHT], net->dZ, dS,
                             w[F1].gradient, w[T1].gradient, net->partial);
    kith__dense_backward(net, H, dS, W1, second.in, dH);
    elu_backward(H, net->n, wide, &inner, first.out, dH, net->threads);
    kith__bias_backward(net, dH, first.out, B0);
    kith__attention_backward(&first, net->room[Y0], dH, H, w[F0].gradient,
                             w[T0].gradient, net->partial);
    kith__inputs_backward(&net->x, H, wide, &in, first.in, w[W0].gradient);
}

/* ---- as the layers of a residual network --------------------------------- */

/* Its own weights and rooms in each layer: what attention stores, and what it
 * gave. */
enum { FROM, TO, OWN_WEIGHTS };
enum { NODE, GIVEN, OWN_ROOMS };

static kith_status gather_build(kith__net *net, int layer, kith_error *err)
{
    static const char *const names[KITH__LAYERS_MOST][OWN_WEIGHTS] = {
        {"from-0", "to-0"},
        {"from-1", "to-1"},
        {"from-2", "to-2"},
        {"from-3", "to-3"}};
    const int K = net->how.heads, h = net->how.hidden;
    kith_status st = KITH_OK;

    TRY(check_heads(K, err));
    TRY(kith__net_weights(net, names[layer][FROM], K, h, true, err));
    TRY(kith__net_weights(net, names[layer][TO], K, h, true, err));
    TRY(kith__net_room(net, KITH__ATTENTION_NODE * K, err));
    TRY(kith__net_room(net, K * h, err));
out:
    return st;
}

static kith__attention deep(const kith__net *net, int layer, const float *P)
{
    const kith__weights *w =
        &net->weights[kith__gather_weights(net, layer, OWN_WEIGHTS)];

    return (kith__attention){
        .graph = net->graph,
        .threads = net->threads,
        .heads = net->how.heads,
        .size = net->how.hidden,
        .from = w[FROM].value,
        .to = w[TO].value,
        .H = P,
        .node = net->room[kith__gather_rooms(net, layer, OWN_ROOMS) + NODE],
        .drop = kith__net_dropout(net, 32 + (uint64_t)layer)};
}

static void gather_forward(kith__net *net, int layer, const float *P,
                           float *restrict T)
{
    const kith__attention a = deep(net, layer, P);
    float *given = net->room[kith__gather_rooms(net, layer, OWN_ROOMS) + GIVEN];
    const size_t cells = (size_t)net->n * (size_t)a.heads * (size_t)a.size;

    kith__attention_forward(&a, given);
    memcpy(T, given, cells * sizeof(*T));
}

static void gather_backward(kith__net *net, int layer, const float *P,
                            const float *dT, float *restrict dP)
{
    const kith__attention a = deep(net, layer, P);
    const float *given =
        net->room[kith__gather_rooms(net, layer, OWN_ROOMS) + GIVEN];
    kith__weights *w =
        &net->weights[kith__gather_weights(net, layer, OWN_WEIGHTS)];

    kith__attention_backward(&a, given, dT, dP, w[FROM].gradient,
                             w[TO].gradient, net->partial);
}

static const kith__gather gather = {.build = gather_build,
                                    .forward = gather_forward,
                                    .backward = gather_backward};

static const kith__net_settings grid[] = {
    {.hidden = 8, .heads = 8, .dropout = .6, .rate = .005, .decay = 5e-4},
    {.hidden = 8, .heads = 8, .dropout = .6, .rate = .01, .decay = 1e-3},
    {.hidden = 8, .heads = 8, .dropout = .6, .rate = .01, .decay = 0},
    {.hidden = 8,
     .heads = 8,
     .layers = 2,
     .dropout = .2,
     .rate = .005,
     .decay = 0},
};

const kith__net_type kith__gat_type = {.name = "gat",
                                       .grid = sizeof(grid) / sizeof(*grid),
                                       .settings = grid,
                                       .build = build,
                                       .gather = &gather,
                                       .forward = forward,
                                       .backward = backward};
