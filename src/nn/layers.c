#include "nn/layers.h"

#include <math.h>
#include <string.h>

#include "kernels/softmax.h"

void kith__bias_forward(float *X, int64_t n, int k, const float *bias,
                        const kith__row_set *near, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < kith__row_count(near, n); i++) {
        float *x = X + kith__nth_row(near, i) * k;

        for (int c = 0; c < k; c++)
            x[c] += bias[c];
    }
}

void kith__relu_forward(float *H, int64_t n, int k, const float *bias,
                        const kith__dropout *d, const kith__row_set *near,
                        int threads)
{
    const uint64_t words = ((uint64_t)k + 3) / 4;

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < kith__row_count(near, n); i++) {
        const int64_t u = kith__nth_row(near, i);
        float *h = H + u * k;
        uint64_t bits = 0;

        for (int c = 0; c < k; c++) {
            const float x = h[c] + bias[c];

            if (d->below && c % 4 == 0)
                bits = kith__dropout_bits(d, (uint64_t)u * words +
                                                 (uint64_t)c / 4);
            h[c] = (bits & 0xffff) >= d->below && x > 0 ? x * d->scale : 0;
            bits >>= 16;
        }
    }
}

void kith__relu_backward(const float *H, int64_t n, int k,
                         const kith__dropout *d, const kith__row_set *near,
                         float *dH, int threads)
{
    const float scale = d->scale;

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < kith__row_count(near, n); i++) {
        const int64_t u = kith__nth_row(near, i);

        for (int64_t c = u * k; c < (u + 1) * k; c++)
            dH[c] = H[c] > 0 ? dH[c] * scale : 0;
    }
}

double kith__cross_entropy(const float *Z, int k, const int32_t *nodes,
                           const int32_t *truth, int32_t count,
                           float *restrict dZ)
{
    const float share = 1 / (float)count;
    double loss = 0;

    for (int32_t i = 0; i < count; i++) {
        const float *z = Z + (int64_t)nodes[i] * k;
        float *d = dZ + (int64_t)nodes[i] * k;

        loss += kith__log_sum_exp(z, k, 1) - (double)z[truth[i]];
        kith__softmax(z, k, d);
        d[truth[i]] -= 1;
        for (int c = 0; c < k; c++)
            d[c] *= share;
    }
    return loss / count;
}

void kith__adam(float *w, const float *gradient, float *m, float *v, int64_t n,
                double rate, double decay, int64_t t, int threads)
{
    const float step = (float)(rate / (1 - pow(.9, (double)t)));
    const float second = (float)(1 / (1 - pow(.999, (double)t)));
    const float shrink = (float)decay;

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        const float g = gradient[i] + shrink * w[i];

        m[i] = .9f * m[i] + .1f * g;
        v[i] = .999f * v[i] + .001f * g * g;
        w[i] -= step * m[i] / (sqrtf(v[i] * second) + 1e-8f);
    }
}

void kith__glorot(float *w, int64_t rows, int64_t columns, uint64_t stream,
                  int threads)
{
    const double most = sqrt(6.0 / (double)(rows + columns));

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t u = 0; u < rows; u++) {
        kith__rng r = kith__rng_start((uint64_t)u, stream);

        for (int64_t c = 0; c < columns; c++)
            w[u * columns + c] = (float)((2 * kith__rng_real(&r) - 1) * most);
    }
}
