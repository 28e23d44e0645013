#include "nn/residual.h"

#include <math.h>
#include <string.h>

/* weights: four, then EACH a layer, then the gather's */
enum { IN, BIN, OUT, BOUT, LAYERS };
enum { V, W, B, GAIN, SHIFT, EACH };
/* rooms, n x d: H and its gradient; M_l, dM_l, P_l, dP_l; the gradient of a
 * sum; H_0.  INVERSE n x (L + 1).  Then norm(H_l) and U_l of each layer, last
 * norm(H_L), and the gather's. */
enum { H, DH, M, DM, P, DP, D, FIRST, INVERSE, STORED };

/* Dropout's numbers of layers: gathers have those from 32 on. */
enum { DROP_IN = 0, DROP_FIRST = 1, DROP_LAYER = 16 };

static int width(const kith__net *net)
{
    return net->how.hidden * (net->how.heads > 0 ? net->how.heads : 1);
}

static int weight_at(int layer, int which)
{
    return LAYERS + EACH * layer + which;
}

int kith__gather_weights(const kith__net *net, int layer, int each)
{
    return LAYERS + EACH * net->how.layers + each * layer;
}

int kith__gather_rooms(const kith__net *net, int layer, int each)
{
    return STORED + 2 * net->how.layers + 1 + each * layer;
}

static float *norm_of(const kith__net *net, int layer)
{
    return net->room[STORED + 2 * layer];
}

static float *added_of(const kith__net *net, int layer)
{
    return net->room[STORED + 2 * layer + 1];
}

static float *inverse_of(const kith__net *net, int layer)
{
    return net->room[INVERSE] + (int64_t)layer * net->n;
}

kith_status kith__residual_build(kith__net *net, const kith__gather *gather,
                                 kith_error *err)
{
    static const char *const names[KITH__LAYERS_MOST][EACH] = {
        {"v-0", "w-0", "b-0", "b-gain-0", "b-shift-0"},
        {"v-1", "w-1", "b-1", "b-gain-1", "b-shift-1"},
        {"v-2", "w-2", "b-2", "b-gain-2", "b-shift-2"},
        {"v-3", "w-3", "b-3", "b-gain-3", "b-shift-3"}};
    const int d = width(net), L = net->how.layers, C = net->classes;
    kith_status st = KITH_OK;

    TRY(kith__net_weights(net, "in", net->x.columns, d, true, err));
    TRY(kith__net_weights(net, "b-in", 1, d, false, err));
    TRY(kith__net_weights(net, "out", d, C, true, err));
    TRY(kith__net_weights(net, "b-out", 1, C, false, err));
    for (int l = 0; l < L; l++) {
        TRY(kith__net_weights(net, names[l][V], d, d, true, err));
        TRY(kith__net_weights(net, names[l][W], d, d, true, err));
        for (int i = B; i <= SHIFT; i++)
            TRY(kith__net_weights(net, names[l][i], 1, d, false, err));
    }
    for (int i = H; i <= FIRST; i++)
        TRY(kith__net_room(net, d, err));
    TRY(kith__net_room(net, L + 1, err));
    for (int i = 0; i < 2 * L + 1; i++)
        TRY(kith__net_room(net, d, err));
    for (int l = 0; l < L && gather->build; l++)
        TRY(gather->build(net, l, err));
out:
    return st;
}

/* ---- norm ---------------------------------------------------------------- */

void kith__norm_forward(const float *X, int64_t n, int k, float *restrict Xhat,
                        float *restrict inverse, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t u = 0; u < n; u++) {
        const float *x = X + u * k;
        float mean = 0, square = 0;

        for (int c = 0; c < k; c++)
            mean += x[c] / (float)k;
        for (int c = 0; c < k; c++)
            square += (x[c] - mean) * (x[c] - mean) / (float)k;
        inverse[u] = 1 / sqrtf(square + 1e-5f);
        for (int c = 0; c < k; c++)
            Xhat[u * k + c] = (x[c] - mean) * inverse[u];
    }
}

void kith__norm_backward(const float *Xhat, const float *inverse,
                         const float *dXhat, int64_t n, int k, float *dH,
                         int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t u = 0; u < n; u++) {
        const float *x = Xhat + u * k, *d = dXhat + u * k;
        float mean = 0, along = 0;

        for (int c = 0; c < k; c++) {
            mean += d[c] / (float)k;
            along += d[c] * x[c] / (float)k;
        }
        for (int c = 0; c < k; c++)
            dH[u * k + c] += inverse[u] * (d[c] - mean - x[c] * along);
    }
}

/* M = X^ (1 + gain) + shift */
static void scale_and_shift(const kith__net *net, int layer, float *restrict to)
{
    const float *gain = net->weights[weight_at(layer, GAIN)].value,
                *shift = net->weights[weight_at(layer, SHIFT)].value,
                *x = norm_of(net, layer);
    const int d = width(net);

#pragma omp parallel for num_threads(net->threads) schedule(static)
    for (int64_t u = 0; u < net->n; u++)
        for (int c = 0; c < d; c++)
            to[u * d + c] = x[u * d + c] * (1 + gain[c]) + shift[c];
}

/* Few numbers that are not counts are not dropped. */
static kith__dropout input_dropout(const kith__net *net)
{
    return net->x.standard.value ? kith__dropout_at(0, net->step, DROP_IN)
                                 : kith__net_dropout(net, DROP_IN);
}

/* ---- forward ------------------------------------------------------------- */

static void add_rows(const kith__net *net, const float *from, float *to)
{
    const int64_t cells = (int64_t)net->n * width(net);

#pragma omp parallel for num_threads(net->threads) schedule(static)
    for (int64_t i = 0; i < cells; i++)
        to[i] += from[i];
}

static void copy_rows(const kith__net *net, const float *from, float *to)
{
    memcpy(to, from, (size_t)net->n * (size_t)width(net) * sizeof(*to));
}

static void layer_forward(kith__net *net, const kith__gather *gather, int layer)
{
    const kith__dropout drop = kith__net_dropout(net,
                                                 DROP_LAYER + (uint64_t)layer);
    float *U = added_of(net, layer);
    const int d = width(net);

    kith__norm_forward(net->room[H], net->n, d, norm_of(net, layer),
                       inverse_of(net, layer), net->threads);
    scale_and_shift(net, layer, net->room[M]);
    kith__dense_forward(net, net->room[M], weight_at(layer, V), NULL,
                        net->room[P]);
    gather->forward(net, layer, net->room[P], U);
    kith__dense_add(net, net->room[M], weight_at(layer, W), NULL, U);
    kith__relu_forward(U, net->n, d, net->weights[weight_at(layer, B)].value,
                       &drop, NULL, net->threads);
    add_rows(net, U, net->room[H]);
}

void kith__residual_forward(kith__net *net, const kith__gather *gather)
{
    const kith__dropout in = input_dropout(net),
                        first = kith__net_dropout(net, DROP_FIRST);
    const kith__row_set *own = kith__net_near(net, 0);
    const int d = width(net), L = net->how.layers;

    kith__inputs_forward(&net->x, net->weights[IN].value, d, &in, NULL,
                         net->room[FIRST]);
    kith__relu_forward(net->room[FIRST], net->n, d, net->weights[BIN].value,
                       &first, NULL, net->threads);
    copy_rows(net, net->room[FIRST], net->room[H]);
    for (int l = 0; l < L; l++)
        layer_forward(net, gather, l);
    kith__norm_forward(net->room[H], net->n, d, norm_of(net, L),
                       inverse_of(net, L), net->threads);
    kith__dense_forward(net, norm_of(net, L), OUT, own, net->Z);
    kith__bias_forward(net->Z, net->n, net->classes, net->weights[BOUT].value,
                       own, net->threads);
}

/* ---- backward ------------------------------------------------------------ */

/* dgain = sum_u dM X^, dshift = sum_u dM; dM becomes dX^ = dM (1 + gain). */
static void unscale(kith__net *net, int layer, float *dM, float *product)
{
    const float *gain = net->weights[weight_at(layer, GAIN)].value,
                *x = norm_of(net, layer);
    const int d = width(net);

    kith__bias_backward(net, dM, NULL, weight_at(layer, SHIFT));
#pragma omp parallel for num_threads(net->threads) schedule(static)
    for (int64_t u = 0; u < net->n; u++)
        for (int64_t i = u * d; i < (u + 1) * d; i++) {
            product[i] = dM[i] * x[i];
            dM[i] *= 1 + gain[i - u * d];
        }
    kith__bias_backward(net, product, NULL, weight_at(layer, GAIN));
}

/* From the gradient of H_l+1 to that of H_l, in place. */
static void layer_backward(kith__net *net, const kith__gather *gather,
                           int layer)
{
    const kith__dropout drop = kith__net_dropout(net,
                                                 DROP_LAYER + (uint64_t)layer);
    float *m = net->room[M], *dM = net->room[DM], *dP = net->room[DP],
          *sum = net->room[D];
    const int d = width(net);

    copy_rows(net, net->room[DH], sum);
    kith__relu_backward(added_of(net, layer), net->n, d, &drop, NULL, sum,
                        net->threads);
    kith__bias_backward(net, sum, NULL, weight_at(layer, B));
    scale_and_shift(net, layer, m);
    kith__dense_backward(net, m, sum, weight_at(layer, W), NULL, dM);
    kith__dense_forward(net, m, weight_at(layer, V), NULL, net->room[P]);
    gather->backward(net, layer, net->room[P], sum, dP);
    kith__dense_backward(net, m, dP, weight_at(layer, V), NULL, NULL);
    kith__dense_add_turned(net, dP, weight_at(layer, V), NULL, dM);
    unscale(net, layer, dM, dP);
    kith__norm_backward(norm_of(net, layer), inverse_of(net, layer), dM, net->n,
                        d, net->room[DH], net->threads);
}

void kith__residual_backward(kith__net *net, const kith__gather *gather)
{
    const kith__dropout in = input_dropout(net),
                        first = kith__net_dropout(net, DROP_FIRST);
    const kith__row_set *own = kith__net_near(net, 0);
    const int d = width(net), L = net->how.layers;
    const size_t bytes = (size_t)net->n * (size_t)d * sizeof(float);

    memset(net->room[DM], 0, bytes);
    memset(net->room[DH], 0, bytes);
    kith__bias_backward(net, net->dZ, own, BOUT);
    kith__dense_backward(net, norm_of(net, L), net->dZ, OUT, own,
                         net->room[DM]);
    kith__norm_backward(norm_of(net, L), inverse_of(net, L), net->room[DM],
                        net->n, d, net->room[DH], net->threads);
    for (int l = L - 1; l >= 0; l--)
        layer_backward(net, gather, l);
    kith__relu_backward(net->room[FIRST], net->n, d, &first, NULL,
                        net->room[DH], net->threads);
    kith__bias_backward(net, net->room[DH], NULL, BIN);
    kith__inputs_backward(&net->x, net->room[DH], d, &in, NULL,
                          net->weights[IN].gradient);
}
