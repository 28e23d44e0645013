/*
 * calibrate.c: probabilities are softmax(P / T), T with the least log-loss on
 * some nodes.  Where every node is right, that would be T -> 0 and certainty;
 * so, as in Platt (1999), a node counts as its class with 1 - e and as any
 * other with e / (C - 1), e = 1 / (n + 2).  The loss is convex in 1 / T, so a
 * golden-section search over log T finds the best.
 */
#include "models/potentials/calibrate.h"

#include <math.h>

#include "kernels/softmax.h"

double kith__log_loss(const float *P, int classes,
                      const kith__labelled_nodes *at, double temperature)
{
    double sum = 0;

    for (int32_t i = 0; i < at->n; i++) {
        const float *p = P + (int64_t)at->node[i] * classes;

        sum += kith__log_sum_exp(p, classes, temperature) -
               (double)p[at->truth[i]] / temperature;
    }
    return at->n ? sum / at->n : 0;
}

/* The log-loss with targets that are not quite certain. */
static double soft_loss(const float *P, int C, const kith__labelled_nodes *at,
                        double t)
{
    const double e = C > 1 ? 1.0 / (at->n + 2.0) : 0;
    double sum = 0;

    for (int32_t i = 0; i < at->n; i++) {
        const float *p = P + (int64_t)at->node[i] * C;
        const double own = (double)p[at->truth[i]];
        double others = 0;

        for (int c = 0; c < C; c++)
            others += (double)p[c];
        others = C > 1 ? (others - own) / (C - 1) : 0;
        sum += kith__log_sum_exp(p, C, t) - ((1 - e) * own + e * others) / t;
    }
    return sum;
}

double kith__fit_temperature(const float *P, int classes,
                             const kith__labelled_nodes *at)
{
    const double golden = 0.6180339887498949;
    double low = log(1e-3), high = log(1e3);
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double fa, fb;

    if (at->n == 0)
        return 1;
    fa = soft_loss(P, classes, at, exp(a));
    fb = soft_loss(P, classes, at, exp(b));
    while (high - low > 1e-4) {
        if (fa <= fb) {
            high = b;
            b = a;
            fb = fa;
            a = high - golden * (high - low);
            fa = soft_loss(P, classes, at, exp(a));
        } else {
            low = a;
            a = b;
            fa = fb;
            b = low + golden * (high - low);
            fb = soft_loss(P, classes, at, exp(b));
        }
    }
    return exp((low + high) / 2);
}

double kith__accuracy(const float *P, int classes,
                      const kith__labelled_nodes *at)
{
    int32_t right = 0;

    for (int32_t i = 0; i < at->n; i++) {
        const float *p = P + (int64_t)at->node[i] * classes;
        int best = 0;

        for (int c = 1; c < classes; c++)
            if (p[c] > p[best])
                best = c;
        right += best == at->truth[i];
    }
    return at->n ? (double)right / at->n : (double)NAN;
}

kith__score kith__score_of(const float *P, int classes,
                           const kith__labelled_nodes *at)
{
    const double t = kith__fit_temperature(P, classes, at);

    return (kith__score){kith__accuracy(P, classes, at),
                         kith__log_loss(P, classes, at, t)};
}

bool kith__better(const kith__score *a, const kith__score *b)
{
    return a->accuracy > b->accuracy ||
           (a->accuracy == b->accuracy && a->log_loss < b->log_loss);
}

bool kith__clearly_better(const kith__score *a, const kith__score *b,
                          int32_t nodes)
{
    const double mean = (a->accuracy + b->accuracy) / 2;
    const double error = sqrt(fmax(mean * (1 - mean), 1e-4) / nodes);

    if (fabs(a->accuracy - b->accuracy) > error)
        return a->accuracy > b->accuracy;
    return a->log_loss < b->log_loss;
}
