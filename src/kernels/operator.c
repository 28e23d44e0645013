#include "kernels/operator.h"

#include <string.h>

/* ---- made ---------------------------------------------------------------- */

kith__operator kith__weighted(const kith__operator *W, const float *weights)
{
    kith__operator op = *W;

    op.weights = weights;
    op.scale = NULL;
    op.form = NULL;
    op.rho = -1;
    return op;
}

kith__operator kith__adjacency(const kith__operator *W, const kith_graph *g,
                               const float *ones)
{
    const float *weights = kith_graph_weights(g);
    kith__operator op = kith__weighted(W, weights);

    op.scale = weights ? NULL : ones;
    return op;
}

kith__operator kith__coupled(const kith__operator *W, int k, const float *H)
{
    kith__operator op = *W;

    op.k = k;
    op.blocks = 1;
    op.H = H;
    op.h = 1;
    op.each = op.transposed = 0;
    return op;
}

kith__operator kith__scaled(const kith__operator *W, int k, float h)
{
    kith__operator op = kith__coupled(W, k, NULL);

    op.h = h;
    return op;
}

float kith__operator_apply_transposed(const kith__operator *op, int32_t first,
                                      int32_t last, const float *X,
                                      const float *Q, float *restrict Y)
{
    kith__operator turned = *op;

    turned.transposed = !op->transposed;
    return kith__operator_apply(&turned, first, last, X, Q, Y);
}

/* ---- numbers of all rows ------------------------------------------------- */

enum { PARTS = 1024, ROWS = 256 /* of a part, at least */ };

void kith__reduce(const kith__operator *op, kith__rows_fn *of, void *user,
                  int sums, int maxima, double *out)
{
    const int64_t n = op->n, wanted = n / ROWS;
    const int64_t parts = wanted > PARTS ? PARTS : wanted < 1 ? 1 : wanted;
    double part[PARTS][KITH__REDUCED];

#pragma omp parallel for num_threads(op->threads) schedule(dynamic, 1)
    for (int64_t i = 0; i < parts; i++) {
        memset(part[i], 0, sizeof(part[i]));
        of(user, (int32_t)(n * i / parts), (int32_t)(n * (i + 1) / parts),
           part[i]);
    }
    for (int j = 0; j < sums + maxima; j++)
        out[j] = 0;
    for (int64_t i = 0; i < parts; i++) {
        for (int j = 0; j < sums; j++)
            out[j] += part[i][j];
        for (int j = sums; j < sums + maxima; j++)
            out[j] = part[i][j] > out[j] ? part[i][j] : out[j];
    }
}
