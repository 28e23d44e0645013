#include "nn/laplacian.h"

static double share(const kith_graph *g, double alpha)
{
    const int64_t m = kith_graph_edges(g);

    return m > 0 ? alpha / (double)m : 0;
}

void kith__laplacian(const kith_graph *g, const float *Z, int k,
                     float *restrict LZ, int threads)
{
    const int64_t *rows = kith_graph_rows(g);
    const int32_t *neighbours = kith_graph_neighbours(g);
    const float *weights = kith_graph_weights(g);
    const int32_t n = kith_graph_nodes(g);

#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
    for (int32_t u = 0; u < n; u++) {
        const float *z = Z + (int64_t)u * k;
        float *l = LZ + (int64_t)u * k;

        for (int c = 0; c < k; c++)
            l[c] = 0;
        for (int64_t p = rows[u]; p < rows[u + 1]; p++) {
            const float *other = Z + (int64_t)neighbours[p] * k;
            const float w = weights ? weights[p] : 1;

#pragma omp simd
            for (int c = 0; c < k; c++)
                l[c] += w * (z[c] - other[c]);
        }
    }
}

double kith__laplacian_cost(const kith_graph *g, const float *Z,
                            const float *LZ, int k, double alpha)
{
    const int64_t cells = (int64_t)kith_graph_nodes(g) * k;
    double sum = 0;

    for (int64_t i = 0; i < cells; i++)
        sum += (double)Z[i] * (double)LZ[i];
    return share(g, alpha) / 2 * sum;
}

void kith__laplacian_backward(const kith_graph *g, const float *LZ, int k,
                              double alpha, float *dZ, int threads)
{
    const float a = (float)share(g, alpha);

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < (int64_t)kith_graph_nodes(g) * k; i++)
        dZ[i] += a * LZ[i];
}
