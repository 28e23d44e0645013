/*
 * time_split.c: a split that learns from the past.
 *
 * Labelled nodes of one time are never parted, so that neither the order of
 * lines nor ids decide: a part begins where its first node's time does.
 */
#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/status.h"
#include "data/split_hash.h"
#include "kith/eval.h"

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Times of the labelled nodes that have one, ascending. */
static kith_status sort_times(const kith_labels *l, const double *when,
                              double **out, int32_t *n, kith_error *err)
{
    kith_status st = KITH_OK;

    *n = 0;
    TRY_NEW(*out, kith__alloc(l->nodes, sizeof(**out)));
    for (int32_t u = 0; u < l->nodes; u++)
        if (l->of[u] >= 0 && !isnan(when[u]))
            (*out)[(*n)++] = when[u];
    qsort(*out, (size_t)*n, sizeof(**out), rising);
out:
    return st;
}

/* Labelled nodes from a time to before another, ascending. */
static kith_status list(const kith_labels *l, const double *when, double from,
                        double to, int32_t **nodes, int32_t *n, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(*nodes, kith__alloc(l->nodes, sizeof(**nodes)));
    for (int32_t u = 0; u < l->nodes; u++)
        if (l->of[u] >= 0 && when[u] >= from && when[u] < to)
            (*nodes)[(*n)++] = u;
out:
    return st;
}

/* The time at which a part begins that leaves so many nodes before it. */
static double begins(const double *times, int32_t n, double share)
{
    const double at = floor(share * n + .5);

    return at < n ? times[(int32_t)at] : (double)INFINITY;
}

kith_status kith_split_by_time(const kith_graph *graph,
                               const kith_labels *labels, const double *times,
                               double train, double val, kith_split *out,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    kith_split s = {0};
    double *sorted = NULL, tune, test;
    int32_t n;

    *out = (kith_split){0};
    if (!(train > 0 && val >= 0 && train + val < 1))
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "shares %g to learn from and %g to tune on, expected "
                       "more than 0, 0 or more, and less than 1 in all",
                       train, val));
    TRY(sort_times(labels, times, &sorted, &n, err));
    tune = begins(sorted, n, train);
    test = begins(sorted, n, train + val);
    TRY(list(labels, times, (double)-INFINITY, tune, &s.train, &s.n_train,
             err));
    TRY(list(labels, times, tune, test, &s.val, &s.n_val, err));
    TRY(list(labels, times, test, (double)INFINITY, &s.test, &s.n_test, err));
    if (s.n_train == 0 || s.n_test == 0)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "%d labelled nodes have a time, and so many share one "
                       "that none is left to %s",
                       (int)n, s.n_train ? "test on" : "learn from"));
    TRY_NEW(s.name, kith__copy_string("by-time", 7));
    kith__split_hash(&s, graph);
    *out = s;
    s = (kith_split){0};
out:
    kith_split_release(&s);
    kith__free(sorted);
    return st;
}
