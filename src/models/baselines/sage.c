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
 */
#include "core/alloc.h"
#include "models/baselines/net_method.h"

enum { SAMPLE = 25 };
enum { W0, V0, B0, W1, V1, B1 };
/* rooms: the first two n x hidden, OTHER n x the larger of hidden and classes,
 * COUNT n x 2: 1 / what a row's mean is divided by, in each layer */
enum { HIDDEN, DHIDDEN, OTHER, COUNT };

static kith_status build(kith__net *net, kith_error *err)
{
    const int h = net->how.hidden, C = net->classes;
    kith_status st = KITH_OK;

    TRY(kith__net_weights(net, "w0", net->x.columns, h, true, err));
    TRY(kith__net_weights(net, "v0", net->x.columns, h, true, err));
    TRY(kith__net_weights(net, "b0", 1, h, false, err));
    TRY(kith__net_weights(net, "w1", h, C, false, err));
    TRY(kith__net_weights(net, "v1", h, C, false, err));
    TRY(kith__net_weights(net, "b1", 1, C, false, err));
    TRY(kith__net_room(net, h, err));
    TRY(kith__net_room(net, h, err));
    TRY(kith__net_room(net, h > C ? h : C, err));
    TRY(kith__net_room(net, 2, err));
out:
    return st;
}

/* Which neighbours u averages, in one layer of one pass. */
typedef struct sampling {
    const int64_t *rows;
    const int32_t *neighbours;
    const float *weights; /* NULL: 1 each */
    bool on;
    kith__dropout hash;
} sampling;

static sampling sampling_of(const kith__net *net, uint64_t layer)
{
    return (sampling){.rows = kith_graph_rows(net->graph),
                      .neighbours = kith_graph_neighbours(net->graph),
                      .weights = kith_graph_weights(net->graph),
                      .on = net->training,
                      .hash = kith__dropout_at(0, net->step, 8 + layer)};
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
static void mean_forward(kith__net *net, int layer, const float *X, int k,
                         float *restrict Y)
{
    const kith__row_set *near = kith__net_near(net, 1 - layer);
    const sampling s = sampling_of(net, (uint64_t)layer);
    float *inverse = net->room[COUNT] + (int64_t)layer * net->n;

#pragma omp parallel for num_threads(net->threads) schedule(dynamic, 256)
    for (int64_t i = 0; i < kith__row_count(near, net->n); i++) {
        const int32_t u = (int32_t)kith__nth_row(near, i);
        float count = 0;

        for (int64_t p = s.rows[u]; p < s.rows[u + 1]; p++)
            count += taken(&s, u, s.neighbours[p], p);
        inverse[u] = count > 0 ? 1 / count : 0;
        for (int64_t p = s.rows[u]; p < s.rows[u + 1]; p++) {
            const float *x = X + (int64_t)s.neighbours[p] * k;
            const float w = taken(&s, u, s.neighbours[p], p) * inverse[u];
            float *y = Y + (int64_t)u * k;

#pragma omp simd
            for (int c = 0; c < k; c++)
                y[c] += w * x[c];
        }
    }
}

/* dX = M'dY */
static void mean_backward(kith__net *net, int layer, const float *dY, int k,
                          float *restrict dX)
{
    const kith__row_set *from = kith__net_near(net, 1 - layer),
                        *to = kith__net_near(net, 2 - layer);
    const sampling s = sampling_of(net, (uint64_t)layer);
    const float *inverse = net->room[COUNT] + (int64_t)layer * net->n;

#pragma omp parallel for num_threads(net->threads) schedule(dynamic, 256)
    for (int64_t i = 0; i < kith__row_count(to, net->n); i++) {
        const int32_t v = (int32_t)kith__nth_row(to, i);
        float *d = dX + (int64_t)v * k;

        for (int c = 0; c < k; c++)
            d[c] = 0;
        for (int64_t p = s.rows[v]; p < s.rows[v + 1]; p++) {
            const int32_t u = s.neighbours[p];
            const float *y = dY + (int64_t)u * k;
            float w;

            if (!kith__has_row(from, u))
                continue;
            w = taken(&s, u, v, p) * inverse[u];
#pragma omp simd
            for (int c = 0; c < k; c++)
                d[c] += w * y[c];
        }
    }
}

static void forward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const kith__row_set *own = kith__net_near(net, 0),
                        *first = kith__net_near(net, 1);
    const int h = net->how.hidden, C = net->classes;
    const kith__weights *w = net->weights;
    float *H = net->room[HIDDEN], *other = net->room[OTHER];

    kith__inputs_forward(&net->x, w[W0].value, h, &in, first, H);
    kith__inputs_forward(&net->x, w[V0].value, h, &in, kith__net_near(net, 2),
                         other);
    mean_forward(net, 0, other, h, H);
    kith__relu_forward(H, net->n, h, w[B0].value, &inner, first, net->threads);
    kith__dense_forward(net, H, W1, own, net->Z);
    kith__dense_forward(net, H, V1, first, other);
    mean_forward(net, 1, other, C, net->Z);
    kith__bias_forward(net->Z, net->n, C, w[B1].value, own, net->threads);
}

static void backward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1);
    const kith__row_set *own = kith__net_near(net, 0),
                        *first = kith__net_near(net, 1);
    const int h = net->how.hidden, C = net->classes;
    float *H = net->room[HIDDEN], *dH = net->room[DHIDDEN],
          *other = net->room[OTHER];

    kith__bias_backward(net, net->dZ, own, B1);
    mean_backward(net, 1, net->dZ, C, other);
    kith__dense_backward(net, H, other, V1, first, dH);
    kith__dense_backward(net, H, net->dZ, W1, own, NULL);
    kith__dense_add_turned(net, net->dZ, W1, own, dH);
    kith__relu_backward(H, net->n, h, &inner, first, dH, net->threads);
    kith__bias_backward(net, dH, first, B0);
    kith__inputs_backward(&net->x, dH, h, &in, first,
                          net->weights[W0].gradient);
    mean_backward(net, 0, dH, h, other);
    kith__inputs_backward(&net->x, other, h, &in, kith__net_near(net, 2),
                          net->weights[V0].gradient);
}

static const kith__net_settings grid[] = {
    {.hidden = 64, .dropout = .5, .rate = .01, .decay = 5e-4},
    {.hidden = 64, .dropout = .5, .rate = .01, .decay = 5e-3},
    {.hidden = 64, .dropout = .8, .rate = .01, .decay = 5e-3},
    {.hidden = 64, .dropout = .5, .rate = .01, .decay = 0},
};

const kith__net_type kith__sage_type = {.name = "sage",
                                        .grid = sizeof(grid) / sizeof(*grid),
                                        .settings = grid,
                                        .build = build,
                                        .forward = forward,
                                        .backward = backward};
