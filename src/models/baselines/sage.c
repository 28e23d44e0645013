/*
 * sage.c: GraphSAGE with the mean aggregator (Hamilton, Ying, Leskovec, NIPS
 * 2017), two layers.
 *
 *     H = drop(relu(drop(X) W0 + M drop(X) V0 + b0))        n x hidden
 *     Z = H W1 + M H V1 + b1                                n x classes
 *     (M X)_u = mean of x_v over the neighbours v of u
 *
 * In training a node with more than SAMPLE neighbours averages a sample: each
 * is in it with probability SAMPLE / d_u, drawn anew in every step by a hash of
 * (step, layer, u, v).  So M'G, which backward needs, can ask at v whether u
 * took v into its sample, and nothing is stored per edge.  All nodes take part
 * in a step; there are no batches.  The authors scale rows of H to length 1; we
 * do not.
 *
 * `shared` is their variant "GCN": a node is one of those that the mean is of,
 * and W is left out.  Where one node of a class is known, its own row would
 * tell it from all others, and nothing would be learnt of neighbours.
 *
 * With `layers` it is a residual network (nn/residual.h) that gathers by M.
 */
#include <string.h>

#include "kernels/simd.h"
#include "models/baselines/net_method.h"
#include "nn/residual.h"

enum { SAMPLE = 25 };
enum { V0, B0, V1, B1, W0, W1 }; /* the last two not if `shared` */
/* rooms: the first two n x hidden, OTHER n x the larger of hidden and classes,
 * COUNT n x 2: 1 / what a row's mean is divided by, in each layer */
enum { HIDDEN, DHIDDEN, OTHER, COUNT };

static kith_status build(kith__net *net, kith_error *err)
{
    const int h = net->how.hidden, C = net->classes;
    kith_status st = KITH_OK;

    TRY(kith__net_weights(net, "v0", net->x.columns, h, true, err));
    TRY(kith__net_weights(net, "b0", 1, h, false, err));
    TRY(kith__net_weights(net, "v1", h, C, false, err));
    TRY(kith__net_weights(net, "b1", 1, C, false, err));
    if (!net->how.shared) {
        TRY(kith__net_weights(net, "w0", net->x.columns, h, true, err));
        TRY(kith__net_weights(net, "w1", h, C, false, err));
    }
    TRY(kith__net_room(net, h, err));
    TRY(kith__net_room(net, h, err));
    TRY(kith__net_room(net, h > C ? h : C, err));
    TRY(kith__net_room(net, 2, err));
out:
    return st;
}

/* Which neighbours u averages, in one layer of one pass, and what their number
 * is found to be. */
typedef struct sampling {
    const int64_t *rows;
    const int32_t *neighbours;
    const float *weights; /* NULL: 1 each */
    bool on;
    bool self; /* is u one of them? */
    kith__dropout hash;
    float *inverse; /* n: 1 / what a row's sum is divided by, from forward */
    /* rows of X that there are, and of Y that are wanted; NULL: all */
    const kith__row_set *in, *out;
    int32_t n;
    int threads;
} sampling;

static sampling sampling_of(const kith__net *net, uint64_t layer,
                            float *inverse)
{
    return (sampling){.rows = kith_graph_rows(net->graph),
                      .neighbours = kith_graph_neighbours(net->graph),
                      .weights = kith_graph_weights(net->graph),
                      .on = net->training,
                      .self = net->how.shared,
                      .hash = kith__dropout_at(0, net->step, 8 + layer),
                      .inverse = inverse,
                      .n = net->n,
                      .threads = net->threads};
}

/* Of the two layers, 0 or 1. */
static sampling shallow(const kith__net *net, int layer)
{
    sampling s = sampling_of(net, (uint64_t)layer,
                             net->room[COUNT] + (int64_t)layer * net->n);

    s.in = kith__net_near(net, 2 - layer);
    s.out = kith__net_near(net, 1 - layer);
    return s;
}

/* The weight of v, at p, in the sum of u. */
static inline float taken(const sampling *s, int32_t u, int32_t v, int64_t p)
{
    const int64_t degree = s->rows[u + 1] - s->rows[u];
    const float w = s->weights ? s->weights[p] : 1;
    uint64_t bits;

    if (!s->on || degree <= SAMPLE)
        return w;
    bits = kith__dropout_bits(&s->hash, (uint64_t)u << 32 | (uint32_t)v) >> 32;
    return (int64_t)(bits * (uint64_t)degree >> 32) < SAMPLE ? w : 0;
}

/* Y += M X; the divisors are kept. */
static void mean_forward(const sampling *s, const float *X, int k,
                         float *restrict Y)
{
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 256)
    for (int64_t i = 0; i < kith__row_count(s->out, s->n); i++) {
        const int32_t u = (int32_t)kith__nth_row(s->out, i);
        float *y = Y + (int64_t)u * k, count = s->self ? 1 : 0;

        for (int64_t p = s->rows[u]; p < s->rows[u + 1]; p++)
            count += taken(s, u, s->neighbours[p], p);
        s->inverse[u] = count > 0 ? 1 / count : 0;
        for (int64_t p = s->rows[u]; p < s->rows[u + 1]; p++) {
            const float w = taken(s, u, s->neighbours[p], p);

            if (w != 0)
                kith__add_scaled(y, w * s->inverse[u],
                                 X + (int64_t)s->neighbours[p] * k, k);
        }
        if (s->self)
            kith__add_scaled(y, s->inverse[u], X + (int64_t)u * k, k);
    }
}

/* dX = M'dY */
static void mean_backward(const sampling *s, const float *dY, int k,
                          float *restrict dX)
{
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 256)
    for (int64_t i = 0; i < kith__row_count(s->in, s->n); i++) {
        const int32_t v = (int32_t)kith__nth_row(s->in, i);
        float *d = dX + (int64_t)v * k;

        memset(d, 0, (size_t)k * sizeof(*d));
        for (int64_t p = s->rows[v]; p < s->rows[v + 1]; p++) {
            const int32_t u = s->neighbours[p];
            const float w = kith__has_row(s->out, u) ? taken(s, u, v, p) : 0;

            if (w != 0)
                kith__add_scaled(d, w * s->inverse[u], dY + (int64_t)u * k, k);
        }
        if (s->self && kith__has_row(s->out, v))
            kith__add_scaled(d, s->inverse[v], dY + (int64_t)v * k, k);
    }
}

static void clear_rows(float *X, int64_t n, int k, const kith__row_set *near)
{
    for (int64_t i = 0; i < kith__row_count(near, n); i++)
        memset(X + kith__nth_row(near, i) * k, 0, (size_t)k * sizeof(*X));
}

static void forward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const kith__row_set *own = kith__net_near(net, 0),
                        *first = kith__net_near(net, 1);
    const sampling s[2] = {shallow(net, 0), shallow(net, 1)};
    const int h = net->how.hidden, C = net->classes;
    const kith__weights *w = net->weights;
    float *H = net->room[HIDDEN], *other = net->room[OTHER];

    if (net->how.shared) {
        clear_rows(H, net->n, h, first);
        clear_rows(net->Z, net->n, C, own);
    } else {
        kith__inputs_forward(&net->x, w[W0].value, h, &in, first, H);
    }
    kith__inputs_forward(&net->x, w[V0].value, h, &in, s[0].in, other);
    mean_forward(&s[0], other, h, H);
    kith__relu_forward(H, net->n, h, w[B0].value, &inner, first, net->threads);
    if (!net->how.shared)
        kith__dense_forward(net, H, W1, own, net->Z);
    kith__dense_forward(net, H, V1, first, other);
    mean_forward(&s[1], other, C, net->Z);
    kith__bias_forward(net->Z, net->n, C, w[B1].value, own, net->threads);
}

static void backward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const kith__row_set *own = kith__net_near(net, 0),
                        *first = kith__net_near(net, 1);
    const sampling s[2] = {shallow(net, 0), shallow(net, 1)};
    const int h = net->how.hidden, C = net->classes;
    float *H = net->room[HIDDEN], *dH = net->room[DHIDDEN],
          *other = net->room[OTHER];

    kith__bias_backward(net, net->dZ, own, B1);
    mean_backward(&s[1], net->dZ, C, other);
    kith__dense_backward(net, H, other, V1, first, dH);
    if (!net->how.shared) {
        kith__dense_backward(net, H, net->dZ, W1, own, NULL);
        kith__dense_add_turned(net, net->dZ, W1, own, dH);
    }
    kith__relu_backward(H, net->n, h, &inner, first, dH, net->threads);
    kith__bias_backward(net, dH, first, B0);
    if (!net->how.shared)
        kith__inputs_backward(&net->x, dH, h, &in, first,
                              net->weights[W0].gradient);
    mean_backward(&s[0], dH, h, other);
    kith__inputs_backward(&net->x, other, h, &in, s[0].in,
                          net->weights[V0].gradient);
}

/* ---- as the layers of a residual network --------------------------------- */

static kith_status gather_build(kith__net *net, int layer, kith_error *err)
{
    (void)layer;
    return kith__net_room(net, 1, err);
}

static sampling deep(const kith__net *net, int layer)
{
    return sampling_of(net, 8 + (uint64_t)layer,
                       net->room[kith__gather_rooms(net, layer, 1)]);
}

static void gather_forward(kith__net *net, int layer, const float *P,
                           float *restrict T)
{
    const sampling s = deep(net, layer);

    clear_rows(T, net->n, net->how.hidden, NULL);
    mean_forward(&s, P, net->how.hidden, T);
}

static void gather_backward(kith__net *net, int layer, const float *P,
                            const float *dT, float *restrict dP)
{
    const sampling s = deep(net, layer);

    (void)P;
    mean_backward(&s, dT, net->how.hidden, dP);
}

static const kith__gather gather = {.build = gather_build,
                                    .forward = gather_forward,
                                    .backward = gather_backward};

static const kith__net_settings grid[] = {
    {.hidden = 64, .dropout = .5, .rate = .01, .decay = 5e-4},
    {.hidden = 64, .dropout = .5, .rate = .01, .decay = 5e-3},
    {.hidden = 64, .shared = true, .dropout = .5, .rate = .01, .decay = 5e-4},
    {.hidden = 64, .shared = true, .dropout = .5, .rate = .01, .decay = 0},
    {.hidden = 64, .layers = 2, .dropout = .2, .rate = .005, .decay = 0},
    {.hidden = 64, .layers = 3, .dropout = .5, .rate = .005, .decay = 5e-4},
};

const kith__net_type kith__sage_type = {.name = "sage",
                                        .grid = sizeof(grid) / sizeof(*grid),
                                        .settings = grid,
                                        .build = build,
                                        .gather = &gather,
                                        .forward = forward,
                                        .backward = backward};
