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
