#include "kernels/spectral.h"

#include <math.h>

#include "core/alloc.h"

/* sum_v |w_uv| y_v */
static double norm_of_row(const void *of, int32_t u, const double *y)
{
    const kith__coupled *W = of;
    double sum = 0;

    for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
        const int32_t v = W->neighbours[p];

        sum += y[v] *
               (W->weights ? fabs((double)W->weights[p]) : (double)W->scale[v]);
    }
    return W->weights ? sum : sum * (double)W->scale[u];
}

/* out_u = scale (y_u + sum_v |w_uv| y_v), kept above 0; returns the bound that
 * y gives, max_u of that sum / y_u. */
static double step(const kith__coupled *shape, kith__norm_fn *norm,
                   const void *W, const double *y, double scale, double *out)
{
    double bound = 0;

#pragma omp parallel for num_threads(shape->threads) schedule(dynamic, 1024) \
    reduction(max                                                            \
              : bound)
    for (int32_t u = 0; u < shape->n; u++) {
        const double sum = norm(W, u, y), here = sum / y[u];
        const double next = scale * (y[u] + sum);

        out[u] = next > 1e-300 ? next : 1e-300;
        bound = here > bound ? here : bound;
    }
    return bound;
}

double kith__rho_bound_of(const kith__coupled *shape, kith__norm_fn *norm,
                          const void *W, int most, double enough)
{
    double *y = kith__alloc_big(shape->n, sizeof(*y));
    double *next = kith__alloc_big(shape->n, sizeof(*next));
    double bound = INFINITY, last = INFINITY, scale = 1;

    for (int32_t u = 0; y && next && u < shape->n; u++)
        y[u] = sqrt((double)(shape->rows[u + 1] - shape->rows[u]) + 1e-12);
    for (int i = 0; y && next && i < most; i++) {
        double *swap = y;

        bound = fmin(bound, step(shape, norm, W, y, scale, next));
        if (bound <= enough || bound > last * (1 - 1e-4))
            break;
        last = bound;
        y = next;
        next = swap;
        scale = 1 / (1 + bound); /* so that no entry grows */
    }
    if (!y || !next)
        bound = -1;
    kith__free(y);
    kith__free(next);
    return bound == INFINITY ? 0 : bound;
}

double kith__rho_bound(const kith__coupled *W, int most, double enough)
{
    return kith__rho_bound_of(W, norm_of_row, W, most, enough);
}

double kith__rho_small(const float *H, int k)
{
    double v[KITH__CLASSES_MOST], next[KITH__CLASSES_MOST];
    double norm = 0, last = -1;

    for (int i = 0; i < k; i++) /* no symmetry of H should be in the start */
        v[i] = 1 + 0.37 * sin(1 + 2.3 * i);
    for (int it = 0; it < 1000; it++) {
        double length = 0;

        for (int i = 0; i < k; i++)
            length += v[i] * v[i];
        length = sqrt(length);
        if (length == 0)
            return 0;
        norm = 0;
        for (int i = 0; i < k; i++) {
            next[i] = 0;
            for (int j = 0; j < k; j++)
                next[i] += (double)H[(int64_t)i * k + j] * v[j] / length;
            norm += next[i] * next[i];
        }
        norm = sqrt(norm); /* |H v| / |v|: from below, also for +- pairs */
        if (fabs(norm - last) <= 1e-12 * norm)
            break;
        last = norm;
        for (int i = 0; i < k; i++)
            v[i] = next[i];
    }
    return norm;
}
