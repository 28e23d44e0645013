#include "kernels/spectral.h"

#include <math.h>

#include "core/alloc.h"

/* out_u = scale (v_u + sum_v |w_uv| v_v), kept above 0; returns the bound that
 * v gives, max_u of that sum / v_u. */
static double step(const kith__coupled *W, const double *v, double scale,
                   double *out)
{
    double bound = 0;

#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 1024) \
    reduction(max                                                        \
              : bound)
    for (int32_t u = 0; u < W->n; u++) {
        double sum = 0, next, here;

        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
            const int32_t j = W->neighbours[p];
            const double w = W->weights ? fabs((double)W->weights[p])
                                        : (double)W->scale[j];

            sum += w * v[j];
        }
        if (!W->weights)
            sum *= (double)W->scale[u];
        next = scale * (v[u] + sum);
        out[u] = next > 1e-300 ? next : 1e-300;
        here = sum / v[u];
        bound = here > bound ? here : bound;
    }
    return bound;
}

double kith__rho_bound(const kith__coupled *W, int most)
{
    double *v = kith__alloc(W->n, sizeof(*v));
    double *next = kith__alloc(W->n, sizeof(*next));
    double bound = INFINITY, last = INFINITY, scale = 1;

    for (int32_t u = 0; v && next && u < W->n; u++)
        v[u] = sqrt((double)(W->rows[u + 1] - W->rows[u]) + 1e-12);
    for (int i = 0; v && next && i < most; i++) {
        double *swap = v;

        bound = fmin(bound, step(W, v, scale, next));
        if (bound > last * (1 - 1e-4))
            break;
        last = bound;
        v = next;
        next = swap;
        scale = 1 / (1 + bound); /* so that no entry grows */
    }
    if (!v || !next)
        bound = -1;
    kith__free(v);
    kith__free(next);
    return bound == INFINITY ? 0 : bound;
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
