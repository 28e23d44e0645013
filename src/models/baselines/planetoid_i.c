/*
 * planetoid_i.c: Planetoid-I, the inductive form (Yang, Cohen, Salakhutdinov,
 * ICML 2016): as Planetoid-T, but a node's vector is a function of its
 * features, so that nodes of a grown graph have one too.
 *
 *     H = drop(relu(drop(X) W0 + b0)),    M = drop(relu(drop(X) V0 + b2))
 *     Z = H W1 + M V1 + b1
 *     loss = mean cross-entropy on the training nodes + decay / 2 (|W0|^2 + ..)
 *            - alpha / 2m sum over edges (u, v), both ways, log s(m_u . q_v)
 *            - alpha / n  sum over random pairs (u, v)      log s(-m_u . q_v)
 *
 *   s(x) = 1 / (1 + exp(-x)),  q_v  a vector of v as context
 *
 * The authors draw contexts on walks; here the context of a node is its
 * neighbours.  A random pair is (u, v), v a random distance after u, another
 * one in every step.  Both sums are over all nodes in every step, and row u of
 * the gradients of M and of q has one writer.
 */
#include <math.h>
#include <string.h>

#include "models/baselines/net_method.h"

enum { W0, B0, V0, B2, W1, V1, B1, Q };
enum { HIDDEN, OTHER, DHIDDEN }; /* rooms, n x hidden */

static kith_status build(kith__net *net, kith_error *err)
{
    const int h = net->how.hidden, C = net->classes;
    kith_status st = KITH_OK;

    TRY(kith__net_weights(net, "w0", net->x.columns, h, true, err));
    TRY(kith__net_weights(net, "b0", 1, h, false, err));
    TRY(kith__net_weights(net, "v0", net->x.columns, h, true, err));
    TRY(kith__net_weights(net, "b2", 1, h, false, err));
    TRY(kith__net_weights(net, "w1", h, C, false, err));
    TRY(kith__net_weights(net, "v1", h, C, false, err));
    TRY(kith__net_weights(net, "b1", 1, C, false, err));
    if (net->learns) /* contexts serve training alone */
        TRY(kith__net_weights(net, "contexts", net->n, h, false, err));
    for (int i = HIDDEN; i <= DHIDDEN; i++)
        TRY(kith__net_room(net, h, err));
out:
    return st;
}

static int64_t distance(const kith__net *net)
{
    kith__rng r = kith__rng_start(net->step, 78);

    return net->n < 2 ? 0
                      : 1 + (int64_t)kith__rng_below(&r, (uint64_t)net->n - 1);
}

static float dot(const float *x, const float *y, int k)
{
    float sum = 0;

    for (int c = 0; c < k; c++)
        sum += x[c] * y[c];
    return sum;
}

/* -log s(x), safe for any x. */
static double minus_log(double x)
{
    return fmax(-x, 0) + log1p(exp(-fabs(x)));
}

/* The cost of the contexts. */
static double penalty(const kith__net *net)
{
    const int64_t *rows = kith_graph_rows(net->graph), far = distance(net);
    const int32_t *neighbours = kith_graph_neighbours(net->graph);
    const float *M = net->room[OTHER], *q = net->weights[Q].value;
    const int h = net->how.hidden;
    double near = 0, other = 0;

    for (int64_t u = 0; u < net->n; u++) {
        const float *m = M + u * h;

        for (int64_t p = rows[u]; p < rows[u + 1]; p++)
            near +=
                minus_log((double)dot(m, q + (int64_t)neighbours[p] * h, h));
        if (far > 0)
            other += minus_log(-(double)dot(m, q + (u + far) % net->n * h, h));
    }
    near = rows[net->n] > 0 ? near / (double)rows[net->n] : 0;
    return net->how.alpha * (near + other / (double)net->n);
}

/* What a pair (m, q) of one kind adds to dm and dq, `share` its weight:
 * (s(m.q) - target) q and (s(m.q) - target) m. */
static inline void add_pair(const float *m, const float *q, const float *to_add,
                            int k, float target, float share,
                            float *restrict out)
{
    const float g = share * (1 / (1 + expf(-dot(m, q, k))) - target);

    for (int c = 0; c < k; c++)
        out[c] += g * to_add[c];
}

static void contexts_backward(kith__net *net, float *restrict dM,
                              float *restrict dq)
{
    const int64_t *rows = kith_graph_rows(net->graph), far = distance(net);
    const int32_t *neighbours = kith_graph_neighbours(net->graph);
    const float *M = net->room[OTHER], *q = net->weights[Q].value;
    const int h = net->how.hidden;
    const int64_t n = net->n;
    const float near = rows[n] > 0 ? (float)(net->how.alpha / (double)rows[n])
                                   : 0;
    const float other = (float)(net->how.alpha / (double)n);

    memset(dq, 0, (size_t)(n * h) * sizeof(*dq));
#pragma omp parallel for num_threads(net->threads) schedule(dynamic, 128)
    for (int64_t u = 0; u < n; u++) {
        const float *m = M + u * h, *c = q + u * h;
        const int64_t after = (u + far) % n, before = (u + n - far) % n;

        for (int64_t p = rows[u]; p < rows[u + 1]; p++) {
            const int64_t v = (int64_t)neighbours[p] * h;

            add_pair(m, q + v, q + v, h, 1, near, dM + u * h);
            add_pair(M + v, c, M + v, h, 1, near, dq + u * h);
        }
        if (far == 0)
            continue;
        add_pair(m, q + after * h, q + after * h, h, 0, other, dM + u * h);
        add_pair(M + before * h, c, M + before * h, h, 0, other, dq + u * h);
    }
}

static void forward(kith__net *net)
{
    const kith__dropout in = kith__net_dropout(net, 0),
                        inner = kith__net_dropout(net, 1),
                        other = kith__net_dropout(net, 2);
    /* in training every node has a context */
    const kith__row_set *own = kith__net_near(net, 0),
                        *needed = net->training ? NULL : own;
    const int h = net->how.hidden;
    const kith__weights *w = net->weights;
    float *H = net->room[HIDDEN], *M = net->room[OTHER];

    kith__inputs_forward(&net->x, w[W0].value, h, &in, own, H);
    kith__relu_forward(H, net->n, h, w[B0].value, &inner, own, net->threads);
    kith__inputs_forward(&net->x, w[V0].value, h, &in, needed, M);
    kith__relu_forward(M, net->n, h, w[B2].value, &other, needed, net->threads);
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
    kith__weights *w = net->weights;
    float *H = net->room[HIDDEN], *M = net->room[OTHER],
          *dH = net->room[DHIDDEN];

    kith__bias_backward(net, net->dZ, own, B1);
    kith__dense_backward(net, H, net->dZ, W1, own, dH);
    kith__relu_backward(H, net->n, h, &inner, own, dH, net->threads);
    kith__bias_backward(net, dH, own, B0);
    kith__inputs_backward(&net->x, dH, h, &in, own, w[W0].gradient);
    memset(dH, 0, (size_t)net->n * (size_t)h * sizeof(*dH));
    kith__dense_backward(net, M, net->dZ, V1, own, dH);
    contexts_backward(net, dH, w[Q].gradient);
    kith__relu_backward(M, net->n, h, &other, NULL, dH, net->threads);
    kith__bias_backward(net, dH, NULL, B2);
    kith__inputs_backward(&net->x, dH, h, &in, NULL, w[V0].gradient);
}

static const kith__net_settings grid[] = {
    {.hidden = 64, .alpha = 1, .dropout = .5, .rate = .01, .decay = 5e-4},
    {.hidden = 64, .alpha = 3, .dropout = .5, .rate = .01, .decay = 5e-5},
};

const kith__net_type kith__planetoid_i_type = {.name = "planetoid-i",
                                               .grid = sizeof(grid) /
                                                       sizeof(*grid),
                                               .settings = grid,
                                               .build = build,
                                               .forward = forward,
                                               .backward = backward,
                                               .penalty = penalty};
