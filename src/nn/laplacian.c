#include "nn/laplacian.h"

double kith__laplacian_forward(const kith__smoother *A, const float *Z, int k,
                               double alpha, float *LZ)
{
    const int64_t *rows = A->W.rows;
    double sum = 0;

    kith__smooth(A, -1, Z, 1, Z, k, NULL, LZ);
    for (int32_t u = 0; u < A->W.n; u++) /* in order, for the sum's sake */
        for (int64_t i = (int64_t)u * k; i < ((int64_t)u + 1) * k; i++) {
            LZ[i] = rows[u] < rows[u + 1] ? LZ[i] : 0;
            sum += (double)Z[i] * (double)LZ[i];
        }
    return alpha / (2 * (double)A->W.n) * sum;
}

void kith__laplacian_backward(const kith__smoother *A, const float *LZ, int k,
                              double alpha, float *dZ)
{
    const float a = (float)(alpha / (double)A->W.n);

#pragma omp parallel for num_threads(A->W.threads) schedule(static)
    for (int64_t i = 0; i < (int64_t)A->W.n * k; i++)
        dZ[i] += a * LZ[i];
}
