#include <math.h>

#include "kernels/softmax.h"
#include "models/lcm_em/candidate.h"

kith__score kith__score_losses(const float *P, int classes,
                               const kith__labelled_nodes *at, float *loss)
{
    const double t = kith__fit_temperature(P, classes, at);
    double sum = 0;

    for (int32_t i = 0; i < at->n; i++) {
        const float *p = P + (int64_t)at->node[i] * classes;
        const double one = kith__log_sum_exp(p, classes, t) -
                           (double)p[at->truth[i]] / t;

        sum += one;
        if (loss)
            loss[i] = (float)one;
    }
    return (kith__score){kith__accuracy(P, classes, at),
                         at->n ? sum / at->n : 0};
}

double kith__paired_gain(const float *a, const float *b, int32_t n)
{
    double mean = 0, square = 0;

    for (int32_t i = 0; i < n; i++)
        mean += ((double)a[i] - (double)b[i]) / n;
    for (int32_t i = 0; i < n; i++) {
        const double x = (double)a[i] - (double)b[i] - mean;

        square += x * x;
    }
    return n > 1 && square > 0 ? mean / sqrt(square / (n - 1) / n) : 0;
}
