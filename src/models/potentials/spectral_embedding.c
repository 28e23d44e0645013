/*
 * spectral_embedding.c: subspace iteration with Rayleigh-Ritz.
 *
 *     V <- orth(W V), ROUNDS times, from random V with a few columns to spare
 *     V'W V = U diag(values) U',  vectors = V U
 *
 * Orthogonalisation by Cholesky: V'V = R R', V <- V R^-T, row by row.
 * Cost of a round: one pass over the edges with k columns, O(n k^2).
 */
#include "models/potentials/spectral_embedding.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/rng.h"
#include "graph/draw.h"
#include "kernels/small_dense.h"

enum { ROUNDS = 20, SPARE = 8, WIDEST = KITH__EMBED_MOST + SPARE };

/* G = X'Y: a thread sums whole rows of G, over nodes in order. */
static void gram(const float *X, const float *Y, int32_t n, int k, double *G,
                 int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
    for (int i = 0; i < k; i++) {
        double *g = G + (int64_t)i * k;

        memset(g, 0, (size_t)k * sizeof(*g));
        for (int64_t u = 0; u < n; u++) {
            const double x = (double)X[u * k + i];

            for (int j = 0; j < k; j++)
                g[j] += x * (double)Y[u * k + j];
        }
    }
}

/* Rows of V times R^-T: orthonormal columns then. */
static void orthogonalise(float *V, int32_t n, int k, double *G, int threads)
{
    double top = 0;

    gram(V, V, n, k, G, threads);
    for (int i = 0; i < k; i++)
        top = fmax(top, G[i * k + i]);
    (void)kith__cholesky(G, k, 1e-10 * top);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t u = 0; u < n; u++) {
        float *v = V + (int64_t)u * k;
        double x[WIDEST];

        for (int i = 0; i < k; i++)
            x[i] = (double)v[i];
        kith__solve_lower(G, k, 1, x);
        for (int i = 0; i < k; i++)
            v[i] = (float)x[i];
    }
}

/* The columns of V U for the `rank` largest |value|, signs so that the largest
 * entry of a column of U is positive. */
static void ritz(const float *V, int32_t n, int k, const double *value,
                 const double *U, int rank, float *vectors, float *values)
{
    int order[WIDEST] = {0};

    for (int i = 0; i < k; i++) {
        int at = i;

        for (; at > 0 && fabs(value[order[at - 1]]) < fabs(value[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int r = 0; r < rank; r++)
        values[r] = (float)value[order[r]];
    for (int32_t u = 0; u < n; u++)
        for (int r = 0; r < rank; r++) {
            double sum = 0;

            for (int i = 0; i < k; i++)
                sum += (double)V[(int64_t)u * k + i] * U[i * k + order[r]];
            vectors[(int64_t)u * rank + r] = (float)sum;
        }
}

/* Random numbers, the same for a node whatever its number is. */
static void start_rows(const kith_graph *g, int32_t n, int k, float *V,
                       int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t u = 0; u < n; u++) {
        kith__rng random = kith__rng_start(kith__node_key(g, u), 1);

        for (int i = 0; i < k; i++)
            V[(int64_t)u * k + i] = (float)(kith__rng_real(&random) - 0.5);
    }
}

kith_status kith__embed(const kith__operator *W, const kith_graph *g, int rank,
                        float *vectors, float *values, kith_error *err)
{
    const int32_t n = W->n;
    const int k = rank + SPARE < n ? rank + SPARE : n;
    const int64_t cells = (int64_t)n * k, kk = (int64_t)k * k;
    const kith__operator op = kith__scaled(W, k, 1);
    kith_status st = KITH_OK;
    double value[WIDEST];
    float *V = NULL, *X = NULL;
    double *G = NULL, *U = NULL;

    TRY_NEW(V, kith__alloc_big(cells, sizeof(*V)));
    TRY_NEW(X, kith__alloc_big(cells, sizeof(*X)));
    TRY_NEW(G, kith__alloc(kk, sizeof(*G)));
    TRY_NEW(U, kith__alloc(kk, sizeof(*U)));
    start_rows(g, n, k, V, W->threads);
    for (int i = 0; i < ROUNDS; i++) {
        float *swap = V;

        orthogonalise(V, n, k, G, W->threads);
        kith__operator_apply(&op, 0, n, V, NULL, X);
        V = X;
        X = swap;
    }
    orthogonalise(V, n, k, G, W->threads);
    kith__operator_apply(&op, 0, n, V, NULL, X);
    gram(V, X, n, k, G, W->threads);
    kith__jacobi(G, k, value, U);
    ritz(V, n, k, value, U, rank, vectors, values);
out:
    kith__free(V);
    kith__free(X);
    kith__free(G);
    kith__free(U);
    return st;
}
