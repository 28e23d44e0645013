/*
 * bench.h: how fast this machine is, and how fast a step of belief
 * propagation is on it.
 */
#ifndef KITH_BENCH_BENCH_H
#define KITH_BENCH_BENCH_H

#include "kith/graph.h"

/* What memory allows, the best of several tries. */
typedef struct kith_bench_limits {
    int threads;
    double triad;   /* bytes a second: a_i = b_i + s c_i (STREAM) */
    double gathers; /* floats a second from random places of 256 MiB */
} kith_bench_limits;

/* Errors: KITH_ERR_NOMEM, KITH_ERR_CANCELLED.  Memory: 384 MiB.  Cost: some
 * seconds. */
kith_status kith_bench_measure(const kith_job *job, kith_bench_limits *out,
                               kith_error *err);

/* The least of several times, in seconds; 0 where it was not measured. */
typedef struct kith_bench_times {
    double step;     /* Y = Q + W X H as the methods do it */
    double portable; /* the same without AVX2 */
    double weighted; /* the same with a weight stored for every edge */
    double plain;    /* a plain loop over weighted rows, as the input lists the
                        nodes */
    double prepare;  /* what comes before the first step, once */
} kith_bench_times;

/*
 * Time a step of `classes` columns on g, each kind `repeats` times in turn so
 * that all meet the same noise.  With one thread the processor's time is taken,
 * else the clock's.  plain false leaves out what needs a weight per
 * edge in memory.  Results are compared: KITH_ERR_CORRUPT if the plain loop
 * comes to something else.
 */
kith_status kith_bench_step(const kith_graph *g, int classes, int repeats,
                            int plain, const kith_job *job,
                            kith_bench_times *out, kith_error *err);

#endif
