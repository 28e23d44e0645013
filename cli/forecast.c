/*
 * The arrays that `kith classify --no-tune` holds at its peak; n nodes, m
 * edges, C classes, F feature columns.  Floats take 4 bytes, the neighbour
 * array 4 bytes for each of its 2m entries, row offsets 8 bytes a node.  Tuning
 * may run several fits side by side, where they are small; smoothed features
 * (--smooth) come on top.
 */
#include "forecast.h"

#include <math.h>
#include <stddef.h>

/* What stays throughout: graph, labels, features, and the probabilities that
 * come out. */
static double data(const forecast_sizes *s)
{
    return 4 * 2 * s->edges + 8 * s->nodes + 4 * s->nodes + s->feature_bytes +
           4 * s->nodes * s->classes;
}

/* Logistic regression: the features as prepared, twelve double vectors of the
 * (F + 1) x C weights (L-BFGS keeps five pairs, the point and the gradient),
 * the potentials. */
static double fitting(const forecast_sizes *s)
{
    if (s->columns == 0)
        return 0;
    return 2 * s->feature_bytes + 8 * (s->columns + 1) * s->classes * 12 +
           4 * s->nodes * s->classes;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Potentials and beliefs. */
static double logreg(const forecast_sizes *s)
{
    return data(s) + larger(fitting(s), 2 * 4 * s->nodes * s->classes);
}

/* Per node a scale and, for the bound of rho(W), two floats. */
static double per_node(const forecast_sizes *s)
{
    return (4 + 2 * 4) * s->nodes;
}

/* Potentials, beliefs, centred potentials, next beliefs: n x C each. */
static double linbp(const forecast_sizes *s)
{
    return data(s) +
           larger(fitting(s), 4 * 4 * s->nodes * s->classes + per_node(s));
}

/* A message each way over every edge and the place of its reverse; potentials
 * and beliefs, both also in rows padded to a multiple of 4 as messages are. */
static double bp(const forecast_sizes *s)
{
    const double padded = 4 * ceil(s->classes / 4);

    return data(s) +
           larger(fitting(s), (4 * padded + 8) * 2 * s->edges +
                                  2 * 4 * s->nodes * (s->classes + padded) +
                                  4 * s->nodes);
}

/* Few classes, few labelled nodes and no weights of the graph's own: a record
 * of 4 floats and 4 (C - 1) more, and (C - 1) (C + 1) sums; potentials, the
 * same centred, and what comes out. */
static double lcm_implicit(const forecast_sizes *s)
{
    const double record = 4 + 4 * (s->classes - 1);
    const double sums = (s->classes - 1) * (s->classes + 1);

    return 4 * s->nodes * (record + sums + 3 * s->classes) + per_node(s);
}

/* A weight per stored neighbour; potentials, centred potentials, beliefs, the
 * next ones, their softmax, and what comes out: n x C each; which nodes train;
 * three arrays of labelled nodes x C. */
static double lcm_stored(const forecast_sizes *s)
{
    return 4 * 2 * s->edges + 6 * 4 * s->nodes * s->classes + 4 * s->nodes +
           3 * 4 * s->labelled * s->classes + per_node(s);
}

/* Which form it is depends on the labelled nodes' edges: with more than about
 * a fifth of them labelled, weights are stored. */
static double lcm(const forecast_sizes *s)
{
    const bool implicit = s->classes >= 2 && s->classes <= 4 && !s->weighted &&
                          s->labelled < 0.2 * s->nodes;

    return data(s) +
           larger(fitting(s), implicit ? lcm_implicit(s) : lcm_stored(s));
}

const forecast_method forecast_methods[] = {
    {"logreg", true, logreg}, {"linbp", false, linbp}, {"bp", false, bp},
    {"lcm", false, lcm},      {NULL, false, NULL},
};
