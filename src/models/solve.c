#include "models/solve.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/pull.h"
#include "models/solution.h"
#include "models/two_classes.h"

int64_t kith__fixed_point_room(const kith__task *t)
{
    return 3 * (int64_t)t->n * t->classes + (int64_t)t->classes * t->classes;
}

/* Sums over cells, by blocks: the same for any number of threads. */
enum { BLOCK = 1 << 14, BLOCK_SUMS = 2 };

typedef struct gradients {
    float *R, *D, *AD; /* what is left, the direction, D - W D H */
    const float *P;    /* may be NULL */
    double *sums;      /* BLOCK_SUMS per block */
    int64_t cells, blocks;
    int threads;
} gradients;

static double total(const gradients *g, int which)
{
    double sum = 0;

    for (int64_t b = 0; b < g->blocks; b++)
        sum += g->sums[b * BLOCK_SUMS + which];
    return sum;
}

/* D . AD */
static double curvature(gradients *g)
{
#pragma omp parallel for num_threads(g->threads) schedule(static)
    for (int64_t b = 0; b < g->blocks; b++) {
        const int64_t end = (b + 1) * BLOCK < g->cells ? (b + 1) * BLOCK
                                                       : g->cells;
        double sum = 0;

        for (int64_t i = b * BLOCK; i < end; i++)
            sum += (double)g->D[i] * (double)g->AD[i];
        g->sums[b * BLOCK_SUMS] = sum;
    }
    return total(g, 0);
}

/* Z += a D, R -= a AD; then R . R and sum |r p|. */
static double walk(gradients *g, double a, float *Z, double *worth)
{
#pragma omp parallel for num_threads(g->threads) schedule(static)
    for (int64_t b = 0; b < g->blocks; b++) {
        const int64_t end = (b + 1) * BLOCK < g->cells ? (b + 1) * BLOCK
                                                       : g->cells;
        double square = 0, left = 0;

        for (int64_t i = b * BLOCK; i < end; i++) {
            const double r = (double)g->R[i] - a * (double)g->AD[i];

            Z[i] = (float)((double)Z[i] + a * (double)g->D[i]);
            g->R[i] = (float)r;
            square += r * r;
            if (g->P)
                left += fabs(r * (double)g->P[i]);
        }
        g->sums[b * BLOCK_SUMS] = square;
        g->sums[b * BLOCK_SUMS + 1] = left;
    }
    *worth = total(g, 1);
    return total(g, 0);
}

/* D = R + b D */
static void turn(gradients *g, double b)
{
#pragma omp parallel for num_threads(g->threads) schedule(static)
    for (int64_t i = 0; i < g->cells; i++)
        g->D[i] = (float)((double)g->R[i] + b * (double)g->D[i]);
}

/* With k columns; room for 3 n k + k^2 floats. */
static kith_status solve(const kith__task *t, const kith__coupled *W, int k,
                         const float *H, const float *P, double enough,
                         const char *stage, float *room, const float *E,
                         float *Z, kith_error *err)
{
    enum { MOST = 500 };
    static const double BEYOND = 1e-16; /* of |R|^2 */
    const int64_t cells = (int64_t)t->n * k;
    gradients g = {.R = room,
                   .D = room + cells,
                   .AD = room + 2 * cells,
                   .P = P,
                   .cells = cells,
                   .blocks = (cells + BLOCK - 1) / BLOCK,
                   .threads = t->threads};
    float *less = room + 3 * cells; /* -H */
    double square = 0, first, worth = INFINITY;
    kith_status st = KITH_OK;

    TRY_NEW(g.sums, kith__alloc(g.blocks * BLOCK_SUMS, sizeof(*g.sums)));
    for (int i = 0; i < k * k; i++)
        less[i] = -H[i];
    memset(Z, 0, (size_t)cells * sizeof(*Z));
    memcpy(g.R, E, (size_t)cells * sizeof(*E));
    memcpy(g.D, E, (size_t)cells * sizeof(*E));
    for (int64_t i = 0; i < cells; i++)
        square += (double)E[i] * (double)E[i];
    first = square;
    for (int i = 1; i <= MOST && worth > enough && square > BEYOND * first;
         i++) {
        const double before = square;

        kith__coupled_step(W, g.D, k, less, g.D, g.AD);
        square = walk(&g, before / curvature(&g), Z, &worth);
        if (!P)
            worth = sqrt(square / first);
        turn(&g, square / before);
        if (stage)
            TRY(kith__progress(t->job, stage, i, MOST, "iterations", err));
    }
out:
    kith__free(g.sums);
    return st;
}

kith_status kith__fixed_point(const kith__task *t, const kith__coupled *W,
                              const float *H, const float *P, double enough,
                              const char *stage, float *room, const float *E,
                              float *Z, kith_error *err)
{
    const int32_t n = t->n;
    float *e, *p, *z, h;
    kith_status st = KITH_OK;

    if (!kith__is_one_column(t, H, E, P ? P : E))
        return solve(t, W, t->classes, H, P, enough, stage, room, E, Z, err);
    h = kith__one_coupling(H);
    e = room + 3 * (int64_t)n + 1;
    p = e + n;
    z = p + n;
    kith__first_column(E, n, t->threads, e);
    if (P) /* |r p| counts twice in two columns */
        kith__first_column(P, n, t->threads, p);
    TRY(solve(t, W, 1, &h, P ? p : NULL, P ? enough / 2 : enough, stage, room,
              e, z, err));
    kith__both_columns(z, n, t->threads, Z);
out:
    return st;
}

/* Row u of it; sum: C. */
static void change_of_row(const kith__coupled *W, const float *X, int C,
                          const float *H, const float *Q, int32_t u,
                          double *sum, double *r)
{
    const int64_t last = W->rows[W->n] - 1;

    memset(sum, 0, (size_t)C * sizeof(*sum));
    for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
        const int64_t ahead = p + KITH__AHEAD < last ? p + KITH__AHEAD : last;
        const float *x = X + (int64_t)W->neighbours[p] * C;
        const double w = kith__weight_at(W, u, p);

        __builtin_prefetch(X + (int64_t)W->neighbours[ahead] * C);
        for (int c = 0; c < C; c++)
            sum[c] += w * (double)x[c];
    }
    for (int c = 0; c < C; c++)
        r[c] = (double)Q[(int64_t)u * C + c] - (double)X[(int64_t)u * C + c];
    for (int i = 0; i < C; i++)
        for (int c = 0; c < C; c++)
            r[c] += sum[i] * (double)H[i * C + c];
}

void kith__change_of(const kith__coupled *W, const float *X, int C,
                     const float *H, const float *Q, double *R)
{
#pragma omp parallel num_threads(W->threads)
    {
        double sum[KITH__CLASSES_MOST];

#pragma omp for schedule(dynamic, 1024)
        for (int32_t u = 0; u < W->n; u++)
            change_of_row(W, X, C, H, Q, u, sum, R + (int64_t)u * C);
    }
}
