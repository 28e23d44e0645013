#include "models/propagation/two_classes.h"

#include <math.h>

/* Of a sum of two numbers below 1 in floats. */
static const float ROUNDING = 1e-6f;

/* Is every row of X, n x 2, (x, -x)? */
static bool is_opposite(const float *X, int32_t n, int threads)
{
    float most = 0;

#pragma omp parallel for num_threads(threads) schedule(static) \
    reduction(max                                              \
              : most)
    for (int64_t u = 0; u < n; u++) {
        const float sum = fabsf(X[2 * u] + X[2 * u + 1]);

        most = sum > most ? sum : most;
    }
    return most <= ROUNDING;
}

bool kith__is_one_column(const kith__task *t, const float *H, const float *Q,
                         const float *P)
{
    return t->classes == 2 && is_opposite(H, 2, 1) &&
           fabsf(H[0] + H[2]) <= ROUNDING && is_opposite(Q, t->n, t->threads) &&
           is_opposite(P, t->n, t->threads);
}

void kith__first_column(const float *X, int32_t n, int threads,
                        float *restrict x)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t u = 0; u < n; u++)
        x[u] = X[2 * u];
}

void kith__both_columns(const float *x, int32_t n, int threads,
                        float *restrict X)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t u = 0; u < n; u++) {
        X[2 * u] = x[u];
        X[2 * u + 1] = -x[u];
    }
}
