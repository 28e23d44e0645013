/*
 * forecast.h: the memory each method will need, told before it runs.
 */
#ifndef KITH_EVAL_FORECAST_H
#define KITH_EVAL_FORECAST_H

#include <stdbool.h>

#include "kith/facts.h"

/* The sizes that a forecast rests on. */
typedef struct kith__sizes {
    double nodes;
    double edges; /* undirected */
    double classes;
    double labelled;       /* nodes to learn from, at most */
    bool weighted;         /* edges have weights */
    double columns;        /* of the features, 0 = none */
    double feature_bytes;  /* of the matrix in memory */
    double smoothed_bytes; /* of the same as smoothed by default */
} kith__sizes;

void kith__forecast(const kith__sizes *s, kith_forecast out[KITH_FORECASTS]);

#endif
