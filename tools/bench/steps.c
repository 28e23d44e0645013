/*
 * steps.c: one step of LinBP, as the methods do it and as a plain loop.
 */
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/timing.h"
#include "core/alloc.h"
#include "core/job.h"
#include "core/rng.h"
#include "graph/order.h"
#include "kernels/operator.h"
#include "kernels/simd.h"

enum { KINDS = 4, REPEATS = 99, MOST = 64 };
enum { STEP, PORTABLE, WEIGHTED, PLAIN };

typedef struct bench {
    const kith_graph *g;
    kith_graph *listed; /* for the plain loop; NULL if g is so */
    int k;
    kith__operator W;       /* separable */
    kith__operator edges;   /* with a weight per edge */
    kith__operator as_read; /* the same, as the input lists the nodes */
    float *scale, *weights, *own[2];
    float *X, *Q, *H;       /* by number */
    float *X_read, *Q_read; /* by place */
    float *Y, *Y_read;
    double seconds[KINDS][REPEATS];
} bench;

/* What one writes first: for each row, over its neighbours, over classes. */
KITH__ALWAYS_INLINE void plain_row(const kith__operator *W, const float *X,
                                   int k, const float *H, const float *Q,
                                   float *restrict Y, int32_t u)
{
    float sum[MOST] = {0};

    for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
        for (int c = 0; c < k; c++)
            sum[c] += W->weights[p] * X[(int64_t)W->neighbours[p] * k + c];
    for (int c = 0; c < k; c++) {
        float y = Q[(int64_t)u * k + c];

        for (int j = 0; j < k; j++)
            y += sum[j] * H[j * k + c];
        Y[(int64_t)u * k + c] = y;
    }
}

static void plain_step(const kith__operator *W, const float *X, int k,
                       const float *H, const float *Q, float *restrict Y)
{
#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < W->n; u++) {
#define ROW(K) plain_row(W, X, K, H, Q, Y, u)
        KITH__WITH_CONSTANT(k, ROW);
#undef ROW
    }
}

static void run_once(bench *b, int kind, int i)
{
    const int threads = b->W.threads;
    const double begun = kith__seconds(threads);
    kith__operator op;

    switch (kind) {
    case STEP:
    case PORTABLE:
        op = kith__coupled(&b->W, b->k, b->H);
        op.portable = kind == PORTABLE;
        kith__operator_apply(&op, 0, op.n, b->X, b->Q, b->Y);
        break;
    case WEIGHTED:
        op = kith__coupled(&b->edges, b->k, b->H);
        kith__operator_apply(&op, 0, op.n, b->X, b->Q, b->Y);
        break;
    default:
        plain_step(&b->as_read, b->X_read, b->k, b->H, b->Q_read, b->Y_read);
    }
    b->seconds[kind][i] = kith__seconds(threads) - begun;
}

/* The weights of a separable W, one per edge. */
static float *spread(const kith__operator *W)
{
    float *w = kith__alloc_big(W->rows[W->n], sizeof(*w));

    if (!w)
        return NULL;
#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < W->n; u++)
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
            w[p] = (float)kith__operator_weight(W, u, p);
    return w;
}

/* W with a weight per edge, of a graph that may have none. */
static kith_status explicit_of(const kith_graph *g, int threads,
                               kith__operator *W, float **own, kith_error *err)
{
    kith_status st = KITH_OK;
    float *scale = NULL;

    if (!kith__operator_start(g, threads, W, &scale, own))
        TRY(kith__no_memory(err));
    if (scale) {
        TRY_NEW(*own, spread(W));
        *W = kith__weighted(W, *own);
        W->scratch = NULL; /* it was with the scale */
    }
out:
    kith__free(scale);
    return st;
}

static kith_status prepare_plain(bench *b, const kith_job *job, kith_error *err)
{
    const int64_t k = b->k, cells = (int64_t)b->W.n * k;
    kith_status st = KITH_OK;

    TRY(kith__graph_as_listed(b->g, job, &b->listed, err));
    TRY(explicit_of(b->g, b->W.threads, &b->edges, &b->own[0], err));
    TRY(explicit_of(b->listed ? b->listed : b->g, b->W.threads, &b->as_read,
                    &b->own[1], err));
    TRY_NEW(b->X_read, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(b->Q_read, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(b->Y_read, kith__alloc_big(cells, sizeof(float)));
    for (int32_t i = 0; i < b->W.n; i++) {
        const int64_t u = kith_graph_listed(b->g, i);

        memcpy(b->X_read + i * k, b->X + u * k, (size_t)k * sizeof(float));
        memcpy(b->Q_read + i * k, b->Q + u * k, (size_t)k * sizeof(float));
    }
out:
    return st;
}

static kith_status prepare(bench *b, const kith_job *job,
                           kith_bench_times *times, kith_error *err)
{
    const int k = b->k, threads = kith__threads(job);
    const int64_t cells = (int64_t)kith_graph_nodes(b->g) * k;
    kith__rng r = kith__rng_start(1, 1);
    const double begun = kith__seconds(threads);
    kith_status st = KITH_OK;

    if (!kith__operator_start(b->g, threads, &b->W, &b->scale, &b->weights))
        TRY(kith__no_memory(err));
    times->prepare = kith__seconds(threads) - begun;
    TRY_NEW(b->X, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(b->Q, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(b->Y, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(b->H, kith__alloc((int64_t)k * k, sizeof(float)));
    for (int64_t i = 0; i < cells; i++)
        b->X[i] = b->Q[i] = (float)(kith__rng_real(&r) - .5);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            b->H[i * k + j] = (i == j  ? .9f
                               : k > 1 ? .1f / (float)(k - 1)
                                       : 0) -
                              1 / (float)k;
out:
    return st;
}

/* Both come to the same, but for the order of sums of up to a million. */
static kith_status compare(const bench *b, kith_error *err)
{
    const int64_t k = b->k;
    double off = 0;

    for (int32_t i = 0; i < b->W.n; i++) {
        const int64_t u = kith_graph_listed(b->g, i);

        for (int64_t c = 0; c < k; c++)
            off = fmax(off, fabs((double)b->Y[u * k + c] -
                                 (double)b->Y_read[i * k + c]));
    }
    if (off <= 1e-3)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_CORRUPT, NULL, 0,
                      "the step and the plain loop differ by %g", off);
}

static void release(bench *b)
{
    float *const all[] = {b->scale,  b->weights, b->own[0], b->own[1],
                          b->X,      b->Q,       b->Y,      b->H,
                          b->X_read, b->Q_read,  b->Y_read};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        kith__free(all[i]);
    kith_graph_free(b->listed);
}

kith_status kith_bench_step(const kith_graph *g, int classes, int repeats,
                            int plain, const kith_job *job,
                            kith_bench_times *out, kith_error *err)
{
    kith_status st = KITH_OK;
    bench *b = NULL;

    *out = (kith_bench_times){0};
    if (classes < 1 || classes > MOST || repeats < 1 || repeats > REPEATS)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "%d classes %d times, expected 1 to %d and 1 to %d",
                          classes, repeats, MOST, REPEATS);
    TRY_NEW(b, kith__alloc_zeroed(1, sizeof(*b)));
    b->g = g;
    b->k = classes;
    TRY(prepare(b, job, out, err));
    if (plain)
        TRY(prepare_plain(b, job, err));
    for (int i = 0; i < repeats; i++) {
        /* Twice, as steps follow each other in a method: the first finds in the
         * cache what another kind left. */
        for (int kind = 0; kind < (plain ? KINDS : WEIGHTED); kind++)
            for (int twice = 0; twice < 2; twice++)
                run_once(b, kind, i);
        TRY(kith__progress(job, "timing", i + 1, repeats, "repeats", err));
    }
    out->step = kith__least(b->seconds[STEP], repeats);
    out->portable = kith__least(b->seconds[PORTABLE], repeats);
    if (plain) {
        out->weighted = kith__least(b->seconds[WEIGHTED], repeats);
        out->plain = kith__least(b->seconds[PLAIN], repeats);
        TRY(compare(b, err));
    }
out:
    if (b)
        release(b);
    kith__free(b);
    return st;
}
