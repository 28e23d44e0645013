/*
 * planetoid.c: Planetoid-T, the transductive form (Yang, Cohen, Salakhutdinov,
 * ICML 2016): labels from features and from a vector of the node together.
 *
 *     E  vectors that predict the nodes near them, by skip-gram on random walks
 *        (nn/skipgram.h)
 *     H = drop(relu(drop(X) W0 + b0)),    M = drop(relu(drop(alpha E) V0 + c0))
 *     Z = H W1 + M V1 + b1
 *
 * Rows of E are as long as rows of X on average: vectors of length 1 drown
 * features whose rows sum to 1.  Validation may halve them (alpha), as where
 * many nodes have few neighbours.
 *
 * The authors alternate steps on E and on the labels, and also walk along
 * labels; here E is learnt first, from the graph alone, and then fixed.  A
 * version with walks along labels, shorter walks and no dropout of E did worse
 * on Cora; which of the three matters was not tried apart.
 */
#include <math.h>
#include <string.h>

#include "models/baselines/net_method.h"
#include "nn/skipgram.h"

enum { SIZE = 128 };
enum { E, W0, B0, V0, C0, W1, V1, B1 };
enum { HIDDEN, OTHER, DHIDDEN, DROPPED }; /* rooms: n x hidden; n x SIZE */

static kith_status build(kith__net *net, kith_error *err)
{
    const int h = net->how.hidden, C = net->classes;
    kith_status st = KITH_OK;

    TRY(kith__net_fixed(net, "vectors", net->n, SIZE, err));
    TRY(kith__net_weights(net, "w0", net->x.columns, h, true, err));
    TRY(kith__net_weights(net, "b0", 1, h, false, err));
    TRY(kith__net_weights(net, "v0", SIZE, h, true, err));
    TRY(kith__net_weights(net, "b2", 1, h, false, err));
    TRY(kith__net_weights(net, "w1", h, C, false, err));
    TRY(kith__net_weights(net, "v1", h, C, false, err));
    TRY(kith__net_weights(net, "b1", 1, C, false, err));
    for (int i = HIDDEN; i <= DROPPED; i++)
        TRY(kith__net_room(net, i < DROPPED ? h : SIZE, err));
out:
    return st;
}

static kith_status prepare(kith__net *net, const float *known,
                           const kith_job *job, kith_error *err)
{
    const kith__walks how = {
        .size = SIZE, .walks = 10, .length = 40, .window = 5, .rate = .05};
    const double length = kith__inputs_length(&net->x);
    float *vectors = net->weights[E].value;
    kith_status st = KITH_OK;

    if (known)
        memcpy(vectors, known, (size_t)net->n * SIZE * sizeof(*vectors));
    else
        TRY(kith__skipgram(net->graph, &how, job, net->threads, vectors, err));
#pragma omp parallel for num_threads(net->threads) schedule(static)
    for (int64_t u = 0; u < net->n; u++) {
        double sum = 1e-30;

        for (int c = 0; c < SIZE; c++)
            sum += pow((double)vectors[u * SIZE + c], 2);
        for (int c = 0; c < SIZE; c++)
            vectors[u * SIZE + c] *= (float)(length / sqrt(sum));
    }
out:
    return st;
}

/* drop(alpha E) */
static void drop_vectors(kith__net *net)
{
    const kith__dropout d = kith__net_dropout(net, 3);
    const float *vectors = net->weights[E].value;
    const kith__row_set *own = kith__net_near(net, 0);
    const float scale = d.scale * (float)net->how.alpha;
    float *out = net->room[DROPPED];

#pragma omp parallel for num_threads(net->threads) schedule(static)
    for (int64_t r = 0; r < kith__row_count(own, net->n); r++)
        for (int c = 0; c < SIZE; c++) {
            const int64_t i = kith__nth_row(own, r) * SIZE + c;

            out[i] = d.below && kith__dropped(&d, (uint64_t)i)
                         ? 0
                         : vectors[i] * scale;
        }
}

static void forward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1),
                        other = kith__net_dropout(net, 2);
    const kith__row_set *own = kith__net_near(net, 0);
    const int h = net->how.hidden;
    const kith__weights *w = net->weights;
    float *H = net->room[HIDDEN], *M = net->room[OTHER];

    kith__inputs_forward(&net->x, w[W0].value, h, &in, own, H);
    kith__relu_forward(H, net->n, h, w[B0].value, &inner, own, net->threads);
    drop_vectors(net);
    kith__dense_forward(net, net->room[DROPPED], V0, own, M);
    kith__relu_forward(M, net->n, h, w[C0].value, &other, own, net->threads);
    kith__dense_forward(net, H, W1, own, net->Z);
    kith__dense_add(net, M, V1, own, net->Z);
    kith__bias_forward(net->Z, net->n, net->classes, w[B1].value, own,
                       net->threads);
}

static void backward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1),
                        other = kith__net_dropout(net, 2);
    const kith__row_set *own = kith__net_near(net, 0);
    const int h = net->how.hidden;
    float *H = net->room[HIDDEN], *M = net->room[OTHER],
          *dH = net->room[DHIDDEN];

    kith__bias_backward(net, net->dZ, own, B1);
    kith__dense_backward(net, H, net->dZ, W1, own, dH);
    kith__relu_backward(H, net->n, h, &inner, own, dH, net->threads);
    kith__bias_backward(net, dH, own, B0);
    kith__inputs_backward(&net->x, dH, h, &in, own, net->weights[W0].gradient);
    kith__dense_backward(net, M, net->dZ, V1, own, dH);
    kith__relu_backward(M, net->n, h, &other, own, dH, net->threads);
    kith__bias_backward(net, dH, own, C0);
    kith__dense_backward(net, net->room[DROPPED], dH, V0, own, NULL);
}

static const kith__net_settings grid[] = {
    {.hidden = 64, .alpha = 1, .dropout = .5, .rate = .01, .decay = 5e-4},
    {.hidden = 64, .alpha = 1, .dropout = .5, .rate = .01, .decay = 5e-3},
    {.hidden = 64, .alpha = .5, .dropout = .5, .rate = .01, .decay = 5e-4},
    {.hidden = 64, .alpha = .5, .dropout = .5, .rate = .01, .decay = 5e-3},
};

const kith__net_type kith__planetoid_type = {.name = "planetoid",
                                             .grid = sizeof(grid) /
                                                     sizeof(*grid),
                                             .settings = grid,
                                             .build = build,
                                             .prepare = prepare,
                                             .forward = forward,
                                             .backward = backward};
