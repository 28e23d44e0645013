#include "kernels/dense.h"

#include "kernels/blas.h"

/* Above this many classes BLAS beats the loop. */
enum { SMALL = 16 };

/* Is H = a I + b 11'?  The coupling is, as it starts. */
static _Bool is_uniform(const float *H, int k, float *a, float *b)
{
    *b = k > 1 ? H[1] : 0;
    *a = H[0] - *b;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            if (H[(int64_t)i * k + j] != (i == j ? H[0] : *b))
                return 0;
    return 1;
}

/* Y += X (a I + b 11'), in O(n k) instead of O(n k^2). */
static void add_uniform(const float *X, int64_t n, int k, float a, float b,
                        float *restrict Y)
{
    for (int64_t u = 0; u < n; u++) {
        const float *x = X + u * k;
        float *y = Y + u * k, sum = 0;

        for (int c = 0; c < k; c++)
            sum += x[c];
#pragma omp simd
        for (int c = 0; c < k; c++)
            y[c] += a * x[c] + b * sum;
    }
}

void kith__add_product(const float *X, int64_t n, int k, const float *H,
                       float *restrict Y)
{
    float a, b;

    if (k > SMALL && is_uniform(H, k, &a, &b)) {
        add_uniform(X, n, k, a, b, Y);
        return;
    }
    if (k > SMALL &&
        kith__blas_multiply(false, false, (int)n, k, k, X, k, H, k, true, Y, k))
        return;
    for (int64_t u = 0; u < n; u++) {
        const float *x = X + u * k;
        float *y = Y + u * k;

        for (int j = 0; j < k; j++) {
            const float *h = H + (int64_t)j * k;

#pragma omp simd
            for (int c = 0; c < k; c++)
                y[c] += x[j] * h[c];
        }
    }
}

void kith__add_gram(const float *X, const float *Y, int64_t n, int k,
                    double *restrict G, float *scratch)
{
    if (k > SMALL) {
        if (kith__blas_multiply(true, false, k, k, (int)n, X, k, Y, k, false,
                                scratch, k)) {
            for (int64_t i = 0; i < (int64_t)k * k; i++)
                G[i] += (double)scratch[i];
            return;
        }
    }
    for (int64_t u = 0; u < n; u++) {
        const float *x = X + u * k, *y = Y + u * k;

        for (int i = 0; i < k; i++) {
            double *g = G + (int64_t)i * k;
            const double xi = (double)x[i];

#pragma omp simd
            for (int j = 0; j < k; j++)
                g[j] += xi * (double)y[j];
        }
    }
}
