/*
 * The arrays that each method holds at its peak; n nodes, m edges, C classes,
 * F feature columns.  Floats take 4 bytes, the neighbour array 4 bytes for
 * each of its 2m entries, row offsets 8 bytes a node.
 */
#include "forecast.h"

#include <stddef.h>

static double graph(const forecast_sizes *s)
{
    return 4 * 2 * s->edges + 8 * s->nodes;
}

/* The features, and twelve double vectors of the (F + 1) x C weights: L-BFGS
 * keeps five pairs, the point and the gradient. */
static double logreg(const forecast_sizes *s)
{
    return s->feature_bytes + 8 * (s->columns + 1) * s->classes * 12;
}

/* The potentials, the beliefs and the next beliefs: three n x C floats. */
static double linbp(const forecast_sizes *s)
{
    return graph(s) + 3 * 4 * s->nodes * s->classes;
}

/* A message each way over every edge, old and new; potentials, beliefs. */
static double bp(const forecast_sizes *s)
{
    return graph(s) + 2 * 4 * 2 * s->edges * s->classes +
           2 * 4 * s->nodes * s->classes;
}

/* As LinBP, and a weight and its gradient for every stored neighbour. */
static double lcm(const forecast_sizes *s)
{
    return linbp(s) + 2 * 4 * 2 * s->edges;
}

const forecast_method forecast_methods[] = {
    {"logreg", true, logreg}, {"linbp", false, linbp}, {"bp", false, bp},
    {"lcm", false, lcm},      {NULL, false, NULL},
};
