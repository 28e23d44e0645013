/*
 * The arrays that `kith classify --no-tune` holds at its peak; n nodes, m
 * edges, C classes, F feature columns, L nodes to learn from.  Floats take 4
 * bytes, the neighbour array 4 bytes for each of its 2m entries, row offsets 8
 * bytes a node.  Tuning may run several fits side by side, where they are
 * small.
 */
#include "eval/forecast.h"

#include <math.h>
#include <stddef.h>

/* The program with its libraries and buffers. */
static const double PROGRAM = 4.5e6;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What stays throughout: graph, labels, features, and the probabilities that
 * come out. */
static double data(const kith__sizes *s)
{
    return PROGRAM + 4 * 2 * s->edges + 8 * s->nodes + 4 * s->nodes +
           s->feature_bytes + 4 * s->nodes * s->classes;
}

/* Logistic regression: the features as prepared, and as smoothed; twelve double
 * vectors of the weights (L-BFGS keeps five pairs, the point and the gradient),
 * which are (F + 1) x C, or with few nodes (L + 1) x C beside some L x L; the
 * potentials. */
static double fitting(const kith__sizes *s)
{
    const bool turned = s->labelled <= 2048 && s->labelled < s->columns / 2;
    const double rows = (turned ? s->labelled : s->columns) + 1;

    if (s->columns == 0)
        return 0;
    return s->feature_bytes + s->smoothed_bytes + 8 * rows * s->classes * 12 +
           (turned ? 12 * s->labelled * s->labelled : 0) +
           4 * s->columns * s->classes + 4 * s->nodes * s->classes;
}

/* What the model keeps: ids of the nodes that it learnt from, in a table that
 * is built from a larger one; beside beliefs and potentials. */
static double keeping(const kith__sizes *s)
{
    return 90 * s->labelled + 2 * 4 * s->nodes * s->classes;
}

/* The most that any part of a run takes on top of the data. */
static double at_peak(const kith__sizes *s, double method)
{
    return data(s) + larger(larger(fitting(s), keeping(s)), method);
}

/* Potentials and beliefs. */
static double logreg(const kith__sizes *s)
{
    return at_peak(s, 2 * 4 * s->nodes * s->classes);
}

/* Per node a scale and, for the bound of rho(W), two floats. */
static double per_node(const kith__sizes *s)
{
    return (4 + 2 * 4) * s->nodes;
}

/* Potentials, beliefs, centred potentials, next beliefs: n x C each. */
static double linbp(const kith__sizes *s)
{
    return at_peak(s, 4 * 4 * s->nodes * s->classes + per_node(s));
}

/* A message each way over every edge and the place of its reverse; potentials
 * and beliefs, both also in rows padded to a multiple of 4 as messages are. */
static double bp(const kith__sizes *s)
{
    const double padded = 4 * ceil(s->classes / 4);

    return at_peak(s, (4 * padded + 8) * 2 * s->edges +
                          2 * 4 * s->nodes * (s->classes + padded) +
                          4 * s->nodes);
}

/* Few classes, few labelled nodes and no weights of the graph's own: a record
 * of 4 floats and 4 (C - 1) more, and (C - 1) (C + 1) sums; potentials, the
 * same centred, and what comes out; once learnt a weight per stored neighbour,
 * where that is less than 2 GiB. */
static double lcm_implicit(const kith__sizes *s)
{
    const double record = 4 + 4 * (s->classes - 1);
    const double sums = (s->classes - 1) * (s->classes + 1);

    const double weights = 4 * 2 * s->edges;

    return 4 * s->nodes * (record + sums + 3 * s->classes) + per_node(s) +
           (weights < 0x1p31 ? weights : 0);
}

/* A weight per stored neighbour; potentials, centred potentials, beliefs, the
 * next ones, their softmax, what comes out, and three to converge: n x C each;
 * which nodes train; three arrays of labelled nodes x C, and the place of the
 * reverse of each of their edges, as many as their share of the nodes. */
static double lcm_stored(const kith__sizes *s)
{
    const double theirs = 2 * s->edges * s->labelled / larger(s->nodes, 1);

    return 4 * 2 * s->edges + 9 * 4 * s->nodes * s->classes + 4 * s->nodes +
           3 * 4 * s->labelled * s->classes + 8 * theirs + per_node(s);
}

/* Which form it is depends on the labelled nodes' edges: with more than about
 * a fifth of them labelled, weights are stored. */
static double lcm(const kith__sizes *s)
{
    const bool implicit = s->classes >= 2 && s->classes <= 4 && !s->weighted &&
                          s->labelled < 0.2 * s->nodes;

    return at_peak(s, implicit ? lcm_implicit(s) : lcm_stored(s));
}

static const struct {
    const char *name;
    bool needs_features;
    double (*bytes)(const kith__sizes *s);
} methods[] = {
    {"logreg", true, logreg},
    {"linbp", false, linbp},
    {"bp", false, bp},
    {"lcm", false, lcm},
};

_Static_assert(sizeof(methods) / sizeof(*methods) == KITH_FORECASTS, "all");

void kith__forecast(const kith__sizes *s, kith_forecast out[KITH_FORECASTS])
{
    for (int i = 0; i < KITH_FORECASTS; i++) {
        out[i].method = methods[i].name;
        out[i].bytes = methods[i].needs_features && s->columns == 0
                           ? (double)NAN
                           : methods[i].bytes(s);
    }
}
