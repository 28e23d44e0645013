/*
 * soft_logreg.c:
 *
 *     min_B  sum_i a_i ( log sum_c exp z_ic - t_i . z_i )  +  penalty/2 |B|^2
 *
 *   Z = F B + 1 b'   n x k, F the feature map, b free
 *   t_i  target of row i, a distribution;  a_i its weight
 *
 * Inside F a row has `wide` >= k floats, zeros at its end, so that it is whole
 * vectors.  Gradient: E = diag(a) (softmax(Z) - T), dB = F'E + penalty B, db =
 * 1'E. Training through the graph is no dearer: F' is the adjoint of F.  Floats
 * inside F, doubles outside of it.
 */
#include "models/potentials/soft_logreg.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/job.h"

/* Rows whose losses are summed together, so that the sum does not depend on
 * the threads. */
enum { BLOCK = 512 };

/* Z becomes E; the loss of rows from .. to. */
static double block_loss(const kith__soft_rows *rows, int k, int wide,
                         int64_t from, int64_t to, float *Z)
{
    double loss = 0;

    for (int64_t u = from; u < to; u++) {
        const float *t = rows->target + u * k;
        const float a = rows->weight[u];
        float *z = Z + u * wide, top = z[0], sum = 0, dot = 0;

        if (a == 0) {
            memset(z, 0, (size_t)wide * sizeof(*z));
            continue;
        }
        for (int c = 1; c < k; c++)
            top = z[c] > top ? z[c] : top;
        for (int c = 0; c < k; c++) {
            dot += t[c] * (z[c] - top);
            z[c] = expf(z[c] - top);
            sum += z[c];
        }
        for (int c = 0; c < k; c++)
            z[c] = a * (z[c] / sum - t[c]);
        for (int c = k; c < wide; c++)
            z[c] = 0;
        loss += (double)a * (log((double)sum) - (double)dot);
    }
    return loss;
}

/* Z becomes E; the loss of all rows. */
static double all_losses(const kith__soft_rows *rows, int32_t n, int k,
                         int wide, int threads, float *Z)
{
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    double loss = 0;

    for (int64_t from = 0; from < blocks; from += BLOCK) {
        const int64_t many = blocks - from < BLOCK ? blocks - from : BLOCK;
        double part[BLOCK];

#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
        for (int64_t i = 0; i < many; i++) {
            const int64_t u = (from + i) * BLOCK;

            part[i] = block_loss(rows, k, wide, u,
                                 u + BLOCK < n ? u + BLOCK : n, Z);
        }
        for (int64_t i = 0; i < many; i++)
            loss += part[i];
    }
    return loss;
}

int kith__soft_width(int k)
{
    return k <= 2 ? k : k <= 4 ? 4 : k <= 8 ? 8 : k;
}

double kith__soft_objective(const kith__feature_operator *map,
                            const kith__soft_rows *rows, int k, double penalty,
                            const double *B, double *gradient,
                            kith__feature_workspace *room, float *Z, float *G)
{
    const int wide = kith__soft_width(k);
    double loss, square = 0;

    for (int64_t j = 0; j <= map->columns; j++)
        for (int c = 0; c < wide; c++)
            G[j * wide + c] = c < k ? (float)B[j * k + c] : 0;
    kith__feature_apply(map, G, wide, room, Z);
    loss = all_losses(rows, map->n, k, wide, map->threads, Z);
    kith__feature_transpose(map, Z, wide, room, G);
    for (int64_t j = 0; j <= map->columns; j++)
        for (int c = 0; c < k; c++) {
            const double b = j < map->columns ? B[j * k + c] : 0;

            square += b * b;
            gradient[j * k + c] = (double)G[j * wide + c] + penalty * b;
        }
    return loss + penalty / 2 * square;
}

typedef struct problem {
    const kith__feature_operator *map;
    const kith__soft_rows *rows;
    int k;
    double penalty;
    kith__feature_workspace room;
    float *Z, *G;
} problem;

static lbfgsfloatval_t evaluate(void *user, const lbfgsfloatval_t *B,
                                lbfgsfloatval_t *gradient, int n,
                                lbfgsfloatval_t step)
{
    problem *p = user;

    (void)n, (void)step;
    return kith__soft_objective(p->map, p->rows, p->k, p->penalty, B, gradient,
                                &p->room, p->Z, p->G);
}

kith_status kith__soft_fit(const kith__feature_operator *map,
                           const kith__soft_rows *rows, int k, double penalty,
                           int most, double epsilon, float *B, kith_error *err)
{
    const int64_t n = (map->columns + 1) * k;
    const int wide = kith__soft_width(k);
    problem p = {.map = map, .rows = rows, .k = k, .penalty = penalty};
    kith_status st = KITH_OK;
    lbfgs_parameter_t how;
    double *at = NULL;

    if (n > INT32_MAX)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "%lld features times %d classes are too many weights",
                       (long long)map->columns, k));
    TRY(kith__feature_workspace_new(map, wide, &p.room, err));
    TRY_NEW(p.Z, kith__alloc_big((int64_t)map->n * wide, sizeof(float)));
    TRY_NEW(p.G, kith__alloc_big((map->columns + 1) * wide, sizeof(float)));
    at = lbfgs_malloc((int)n);
    if (!at) {
        st = kith__no_memory(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++)
        at[i] = (double)B[i];
    lbfgs_parameter_init(&how);
    how.epsilon = epsilon;
    how.max_iterations = most;
    if (lbfgs((int)n, at, NULL, evaluate, NULL, &p, &how) ==
        LBFGSERR_OUTOFMEMORY)
        TRY(kith__no_memory(err));
    /* Any other answer leaves the best point so far, which is what we want. */
    for (int64_t i = 0; i < n; i++)
        B[i] = (float)at[i];
out:
    if (at)
        lbfgs_free(at);
    kith__free(p.Z);
    kith__free(p.G);
    kith__feature_workspace_release(&p.room);
    return st;
}
