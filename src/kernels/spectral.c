#include "kernels/spectral.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/pull.h"

enum { BLOCK = 256 }; /* rows at once */

/* sum_v |w_uv| y_v */
static double norm_of_row(const kith__coupled *W, int32_t u, const float *y)
{
    const int32_t *at = W->neighbours;
    const int64_t last = W->rows[W->n] - 1;
    double sum = 0;

    for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
        const int32_t v = at[p];

        __builtin_prefetch(y +
                           at[p + KITH__AHEAD < last ? p + KITH__AHEAD : last]);
        sum += (double)y[v] *
               (W->weights ? fabs((double)W->weights[p]) : (double)W->scale[v]);
    }
    return W->weights ? sum : sum * (double)W->scale[u];
}

static void norm_of_rows(const void *of, int32_t first, int32_t last,
                         const float *y, double *out)
{
    for (int32_t u = first; u < last; u++)
        out[u - first] = norm_of_row(of, u, y);
}

/* next_u = scale (y_u / 4 + sum_v |w_uv| y_v), kept above 0; bounds are what y
 * gives, max_u of that sum / y_u. */
static void step_block(int count, const double *sum, const float *y,
                       const double *scale, int64_t cells, float *next,
                       double *bound)
{
    for (int64_t i = 0; i < cells; i++) {
        const int j = (int)(i % count);
        const double own = (double)y[i], here = sum[i] / own;
        const double to = scale[j] * (own / 4 + sum[i]);

        next[i] = to > 1e-30 ? (float)to : 1e-30f;
        bound[j] = here > bound[j] ? here : bound[j];
    }
}

static void step(const kith__coupled *shape, kith__norm_fn *norm, const void *W,
                 int count, const float *y, const double *scale, float *next,
                 double *bounds)
{
    double bound[KITH__RHO_MOST] = {0};

#pragma omp parallel for num_threads(shape->threads) schedule(dynamic, 4) \
    reduction(max                                                         \
              : bound[:KITH__RHO_MOST])
    for (int32_t first = 0; first < shape->n; first += BLOCK) {
        const int32_t rest = shape->n - first;
        const int32_t rows = rest < BLOCK ? rest : BLOCK;
        const int64_t at = (int64_t)first * count;
        double sum[BLOCK * KITH__RHO_MOST];

        norm(W, first, first + rows, y, sum);
        step_block(count, sum, y + at, scale, (int64_t)rows * count, next + at,
                   bound);
    }
    memcpy(bounds, bound, sizeof(bound));
}

/* The least bound so far, of those that are not finished: good enough, or
 * hardly falling.  True once all are. */
static _Bool improve(int count, const double *found, const double *enough,
                     _Bool *finished, double *bounds, double *scale)
{
    _Bool all = 1;

    for (int j = 0; j < count; j++) {
        const double last = bounds[j];

        if (finished[j])
            continue;
        bounds[j] = fmin(last, found[j]);
        finished[j] = bounds[j] <= enough[j] || bounds[j] > last * 0.99;
        scale[j] = 1 / (0.25 + bounds[j]); /* so that no entry grows */
        all &= finished[j];
    }
    return all;
}

_Bool kith__rho_bounds_of(const kith__coupled *shape, kith__norm_fn *norm,
                          const void *W, int count, int most,
                          const double *enough, double *bounds)
{
    const int64_t cells = (int64_t)shape->n * count;
    const int64_t padded = cells + KITH__LANES; /* norms may read vectors */
    float *y = kith__alloc_big(padded, sizeof(*y));
    float *next = kith__alloc_big(padded, sizeof(*next));
    double scale[KITH__RHO_MOST], found[KITH__RHO_MOST];
    const _Bool good = y && next;
    _Bool done = !good, finished[KITH__RHO_MOST] = {0};

    for (int j = 0; j < count; j++) {
        bounds[j] = INFINITY;
        scale[j] = 1;
    }
#pragma omp parallel for num_threads(shape->threads) schedule(static)
    for (int64_t i = 0; i < (good ? cells : 0); i++) {
        const int64_t u = i / count;

        y[i] = sqrtf((float)(shape->rows[u + 1] - shape->rows[u]) + 1e-12f);
    }
    for (int i = 0; i < most && !done; i++) {
        float *swap = y;

        step(shape, norm, W, count, y, scale, next, found);
        done = improve(count, found, enough, finished, bounds, scale);
        y = next;
        next = swap;
    }
    kith__free(y);
    kith__free(next);
    return good;
}

double kith__rho_bound(const kith__coupled *W, int most, double enough)
{
    double bound;

    if (!kith__rho_bounds_of(W, norm_of_rows, W, 1, most, &enough, &bound))
        return -1;
    return bound;
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
