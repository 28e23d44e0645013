/*
 * timing.h: seconds, and the least of several: what else runs on a machine can
 * only add to a time.
 */
#ifndef KITH_BENCH_TIMING_H
#define KITH_BENCH_TIMING_H

#include <time.h>

/* One thread is timed by the processor's time it takes, so that the turns of
 * other processes do not count; several by the clock on the wall. */
static inline double kith__seconds(int threads)
{
    struct timespec t;

    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC,
                  &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double kith__least(const double *x, int n)
{
    double least = x[0];

    for (int i = 1; i < n; i++)
        least = x[i] < least ? x[i] : least;
    return least;
}

#endif
