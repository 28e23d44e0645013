/*
 * limits.c: what memory allows: bytes in order (the triad of McCalpin's STREAM
 * benchmark), and floats from random places.
 */
#include "bench/bench.h"
#include "bench/timing.h"
#include "core/alloc.h"
#include "core/job.h"
#include "core/rng.h"

enum {
    TRIES = 7,
    TRIAD = 1 << 25,  /* floats in each of three arrays */
    PLACES = 1 << 26, /* floats to gather from */
    GATHERS = 1 << 24,
    AHEAD = 64
};

typedef struct arrays {
    float *a, *b, *c; /* of one allocation, which a begins */
    int32_t *at;
} arrays;

static double triad(const arrays *x, int threads)
{
    const double begun = kith__seconds(threads);
    const float s = 3;

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < TRIAD; i++)
        x->a[i] = x->b[i] + s * x->c[i];
    return 3.0 * TRIAD * sizeof(float) / (kith__seconds(threads) - begun);
}

/* Adds up, so that nothing can be left out. */
static double gather(const arrays *x, int threads, float *sum)
{
    const double begun = kith__seconds(threads);
    float total = 0;

#pragma omp parallel for num_threads(threads) schedule(static) \
    reduction(+ : total)
    for (int64_t i = 0; i < GATHERS - AHEAD; i++) {
        __builtin_prefetch(x->a + x->at[i + AHEAD]);
        total += x->a[x->at[i]];
    }
    *sum += total;
    return (GATHERS - AHEAD) / (kith__seconds(threads) - begun);
}

static void fill(const arrays *x, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < 3 * (int64_t)TRIAD; i++)
        x->a[i] = 1;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t part = 0; part < 64; part++) {
        kith__rng r = kith__rng_start(1, (uint64_t)part);

        for (int64_t i = part * (GATHERS / 64); i < (part + 1) * (GATHERS / 64);
             i++)
            x->at[i] = (int32_t)kith__rng_below(&r, PLACES);
    }
}

kith_status kith_bench_measure(const kith_job *job, kith_bench_limits *out,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    arrays x = {0};
    float sum = 0;

    *out = (kith_bench_limits){.threads = kith__threads(job)};
    TRY_NEW(x.a, kith__alloc_big(3 * (int64_t)TRIAD, sizeof(*x.a)));
    TRY_NEW(x.at, kith__alloc_big(GATHERS, sizeof(*x.at)));
    x.b = x.a + TRIAD;
    x.c = x.b + TRIAD;
    fill(&x, out->threads);
    for (int i = 0; i < TRIES; i++) {
        const double t = triad(&x, out->threads);
        const double g = gather(&x, out->threads, &sum);

        out->triad = t > out->triad ? t : out->triad;
        out->gathers = g > out->gathers ? g : out->gathers;
        TRY(kith__progress(job, "measuring memory", i + 1, TRIES, "tries",
                           err));
    }
    if (!(sum > 0))
        TRY(kith__fail(err, KITH_ERR_CORRUPT, NULL, 0, "sums of ones are 0"));
out:
    kith__free(x.a);
    kith__free(x.at);
    return st;
}
