#include "kernels/softmax.h"

#include <math.h>

#include "kernels/operator.h"
#include "kernels/simd.h"

void kith__softmax(const float *x, int k, float *out)
{
    float top = x[0];
    double sum = 0;

    for (int i = 1; i < k; i++)
        top = x[i] > top ? x[i] : top;
    for (int i = 0; i < k; i++) {
        out[i] = expf(x[i] - top);
        sum += (double)out[i];
    }
    for (int i = 0; i < k; i++)
        out[i] = (float)((double)out[i] / sum);
}

/* Floats that are in the cache from one loop below to the next. */
enum { TOGETHER = 4096 };

/* out_i = exp(out_i), four by four across the ends of rows. */
static void exp_all(float *out, int64_t n)
{
    int64_t i = 0;

    for (; i + KITH__LANES <= n; i += KITH__LANES)
        kith__v4_store(out + i, kith__v4_exp(kith__v4_load(out + i)));
    for (; i < n; i++)
        out[i] = kith__v4_exp(kith__v4_all(out[i]))[0];
}

/* As kith__softmax() of x / temperature, for n rows. */
KITH__ALWAYS_INLINE void softmax_block(const float *X, int64_t n, int k,
                                       float inverse, float *out)
{
    for (int64_t u = 0; u < n; u++) {
        const float *x = X + u * k;
        float *o = out + u * k, top = x[0];

        for (int i = 1; i < k; i++)
            top = x[i] > top ? x[i] : top;
        for (int i = 0; i < k; i++)
            o[i] = (x[i] - top) * inverse;
    }
    exp_all(out, n * k);
    for (int64_t u = 0; u < n; u++) {
        float *o = out + u * k;
        double sum = 0;

        for (int i = 0; i < k; i++)
            sum += (double)o[i];
        sum = 1 / sum;
        for (int i = 0; i < k; i++)
            o[i] = (float)((double)o[i] * sum);
    }
}

void kith__softmax_rows(const float *X, int64_t n, int k, double temperature,
                        float *out, int threads)
{
    const float inverse = (float)(1 / temperature);
    const int64_t block = k < TOGETHER ? TOGETHER / k : 1;

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t first = 0; first < n; first += block) {
        const int64_t rows = n - first < block ? n - first : block;

#define BLOCK(K) softmax_block(X + first * K, rows, K, inverse, out + first * K)
        KITH__WITH_CONSTANT(k, BLOCK);
#undef BLOCK
    }
}

double kith__log_sum_exp(const float *x, int k, double t)
{
    double top = (double)x[0], sum = 0;

    for (int i = 1; i < k; i++)
        top = fmax(top, (double)x[i]);
    for (int i = 0; i < k; i++)
        sum += exp(((double)x[i] - top) / t);
    return top / t + log(sum);
}
