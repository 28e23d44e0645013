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

/* ---- several graphs, beside peers ---------------------------------------- */

enum { KITH_BENCH_NAME = 64, KITH_BENCH_ROWS = 16, KITH_BENCH_PEERS = 128 };

/* One graph. */
typedef struct kith_bench_row {
    char name[KITH_BENCH_NAME];
    int32_t nodes;
    int64_t edges;
    bool numbered; /* by degree */
    double build;  /* seconds from the file as listed to the built one, 0 if it
                      was built before */
    kith_bench_times t;
} kith_bench_row;

/* What a peer took for the same step on the same graph. */
typedef struct kith_bench_peer {
    char graph[KITH_BENCH_NAME], name[KITH_BENCH_NAME];
    double seconds;                /* 0 if it was skipped */
    char skipped[KITH_BENCH_NAME]; /* why */
} kith_bench_peer;

typedef struct kith_bench_report {
    int classes, repeats;
    kith_bench_limits limits;
    kith_bench_row rows[KITH_BENCH_ROWS];
    int n_rows;
    kith_bench_peer peers[KITH_BENCH_PEERS];
    int n_peers;
} kith_bench_report;

/* Nanoseconds for each of the 2m stored neighbours. */
double kith_bench_cost(const kith_bench_row *row, double seconds);

/* Of what memory allows: gathers a second of the step, and the bytes that must
 * pass at least once. */
double kith_bench_share_of_gathers(const kith_bench_report *b,
                                   const kith_bench_row *r);
double kith_bench_share_of_triad(const kith_bench_report *b,
                                 const kith_bench_row *r);

/* JSON as in kith/eval.h. */
kith_status kith_bench_json(const kith_bench_report *b, char **json,
                            size_t *length, kith_error *err);

#endif
