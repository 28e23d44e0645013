/*
 * bench_report.h: what `kith bench` found, for people.
 */
#ifndef KITH_CLI_BENCH_REPORT_H
#define KITH_CLI_BENCH_REPORT_H

#include <kith/kith.h>
#include <stdio.h>

#include "bench/bench.h"

/* The peer's row of a graph's name, NULL if none. */
const kith_bench_row *bench_row_of(const kith_bench_report *b,
                                   const char *graph);

/* report: a kith_bench_report */
void bench_markdown(FILE *out, const void *report);
void bench_svg(FILE *out, const void *report);

#endif
