#include "kernels/softmax.h"

#include <math.h>

void kith__softmax(const float *x, int k, float *out)
{
    float top = x[0];
    double sum = 0;

    for (int i = 1; i < k; i++)
        top = fmaxf(top, x[i]);
    for (int i = 0; i < k; i++) {
        out[i] = expf(x[i] - top);
        sum += (double)out[i];
    }
    for (int i = 0; i < k; i++)
        out[i] = (float)((double)out[i] / sum);
}

void kith__softmax_rows(const float *X, int64_t n, int k, double temperature,
                        float *out, int threads)
{
    const float inverse = (float)(1 / temperature);

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t u = 0; u < n; u++) {
        const float *x = X + u * k;
        float *o = out + u * k;

        for (int i = 0; i < k; i++)
            o[i] = x[i] * inverse;
        kith__softmax(o, k, o);
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
