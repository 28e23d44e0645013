/*
 * forecast.h: the memory each method will need, told before it runs.
 */
#ifndef KITH_CLI_FORECAST_H
#define KITH_CLI_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

/* The sizes that a forecast rests on. */
typedef struct forecast_sizes {
    double nodes;
    double edges; /* undirected */
    double classes;
    double labelled;       /* nodes to learn from, at most */
    bool weighted;         /* edges have weights */
    double columns;        /* of the features, 0 = none */
    double feature_bytes;  /* of the matrix in memory */
    double smoothed_bytes; /* of the same as smoothed by default */
} forecast_sizes;

typedef struct forecast_method {
    const char *name;
    bool needs_features;
    double (*bytes)(const forecast_sizes *s);
} forecast_method;

extern const forecast_method forecast_methods[]; /* name NULL ends */

#endif
