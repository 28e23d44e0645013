/*
 * bench_report.h: what `kith bench` found, and the three forms it is told in.
 */
#ifndef KITH_CLI_BENCH_REPORT_H
#define KITH_CLI_BENCH_REPORT_H

#include <jansson.h>
#include <kith/kith.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench/bench.h"

enum { BENCH_NAME = 64, BENCH_ROWS = 16, BENCH_PEERS = 128 };

/* One graph. */
typedef struct bench_row {
    char name[BENCH_NAME];
    int32_t nodes;
    int64_t edges;
    bool numbered; /* by degree */
    double build;  /* seconds from the file as listed to the built one, 0 if it
                      was built before */
    kith_bench_times t;
} bench_row;

/* What a peer took for the same step on the same graph. */
typedef struct bench_peer {
    char graph[BENCH_NAME], name[BENCH_NAME];
    double seconds;           /* 0 if it was skipped */
    char skipped[BENCH_NAME]; /* why */
} bench_peer;

typedef struct bench_report {
    int classes, repeats;
    kith_bench_limits limits;
    bench_row rows[BENCH_ROWS];
    int n_rows;
    bench_peer peers[BENCH_PEERS];
    int n_peers;
} bench_report;

/* Nanoseconds for each of the 2m stored neighbours. */
double bench_cost(const bench_row *row, double seconds);

/* The peer's row of a graph's name, NULL if none. */
const bench_row *bench_row_of(const bench_report *b, const char *graph);

void bench_markdown(const bench_report *b, FILE *out);
void bench_svg(const bench_report *b, FILE *out);
json_t *bench_json(const bench_report *b);

#endif
