#include "models/held_positives.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"

/* ---- the share of positives ---------------------------------------------- */

static int by_above(const void *a, const void *b)
{
    const double x = ((const kith__held_positive *)a)->above;
    const double y = ((const kith__held_positive *)b)->above;

    return (x > y) - (x < y);
}

/* Wilson (1927), 95 %. */
static void interval(double hits, double n, double *low, double *high)
{
    const double z = 1.959963984540054, p = hits / n;
    const double middle = p + z * z / (2 * n);
    const double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));

    *low = fmax(0, (middle - half) / (1 + z * z / n));
    *high = fmin(1, (middle + half) / (1 + z * z / n));
}

kith__positive_share kith__estimate_share(kith__held_positive *held, int32_t k)
{
    kith__positive_share s = {1, 0, 1, (double)NAN, (double)NAN};
    double sum = 0, low, high;

    qsort(held, (size_t)k, sizeof(*held), by_above);
    for (int32_t i = 0; i < k; i++) {
        const double r = (i + 1.0) / k, share = held[i].above / r;

        sum += held[i].above;
        if (r < .2 || r > .9 || share >= s.share)
            continue;
        interval(i + 1, k, &low, &high);
        s.share = share;
        s.low = held[i].above / high;
        s.high = fmin(1, held[i].above / fmax(low, 1e-9));
    }
    s.above = k > 0 ? sum / k : (double)NAN;
    /* A positive is above half of those that are like it:
     * mean above = share / 2 + (1 - share) (1 - AUC) */
    if (k > 0 && s.share < 1)
        s.auc = 1 - (s.above - s.share / 2) / (1 - s.share);
    return s;
}

/* Where scores tell little, the bound is far above the share. */
bool kith__share_is_told(const kith__positive_share *s, int32_t k)
{
    return k >= 20 && s->above <= .3 && s->auc >= .8 && s->high <= 3 * s->low;
}

/* ---- the sigmoid --------------------------------------------------------- */

enum { KNOTS = 1024 };

/* The unknown nodes in at most so many means of as many each. */
typedef struct knots {
    double x[KNOTS], weight[KNOTS];
    int n;
    double share;
} knots;

static void gather(const float *x, int32_t n, knots *k)
{
    for (int i = 0; i < KNOTS; i++) {
        const int64_t first = (int64_t)n * i / KNOTS;
        const int64_t last = (int64_t)n * (i + 1) / KNOTS;
        double sum = 0;

        for (int64_t j = first; j < last; j++)
            sum += (double)x[j];
        if (last == first)
            continue;
        k->x[k->n] = sum / (double)(last - first);
        k->weight[k->n++] = (double)(last - first) / n;
    }
}

/* b0 by bisection: the mean rises with it. */
static double offset_for(const knots *k, double b1)
{
    double low = -60, high = 60;

    for (int i = 0; i < 60; i++) {
        const double b0 = (low + high) / 2;
        double mean = 0;

        for (int j = 0; j < k->n; j++)
            mean += k->weight[j] / (1 + exp(-(b0 + b1 * k->x[j])));
        if (mean < k->share)
            low = b0;
        else
            high = b0;
    }
    return (low + high) / 2;
}

static double fit_of(const knots *k, const kith__held_positive *held,
                     int32_t n_held, double b1)
{
    const double b0 = offset_for(k, b1);
    double sum = -(b1 - 1) * (b1 - 1) / 8;

    for (int32_t i = 0; i < n_held; i++)
        sum -= log1p(exp(-(b0 + b1 * (double)held[i].x)));
    return sum;
}

bool kith__fit_sigmoid(const float *x, int32_t n,
                       const kith__held_positive *held, int32_t k, double share,
                       double *b0, double *b1)
{
    knots *nodes = kith__alloc_zeroed(1, sizeof(*nodes));
    double low = 0, step = .5, best = -HUGE_VAL, at = 1;

    if (!nodes)
        return false;
    gather(x, n, nodes);
    nodes->share = share;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i <= (round == 0 ? 16 : 8); i++) {
            const double slope = fmin(fmax(low + i * step, 0), 8);
            const double fit = fit_of(nodes, held, k, slope);

            if (fit > best) {
                best = fit;
                at = slope;
            }
        }
        low = at - step; /* from here to at + step, in quarters */
        step /= 4;
    }
    *b1 = at;
    *b0 = offset_for(nodes, at);
    kith__free(nodes);
    return true;
}
