/*
 * thresholds.c: where to cut a ranked list.
 *
 * Of P known positives and N known negatives, tp and fp score at least s.
 * Where a share pi of all nodes is positive, a list cut at s has
 *
 *     recall = tp / P       precision = pi tp/P / (pi tp/P + (1 - pi) fp/N)
 *
 * which is tp / (tp + fp) where pi is the known nodes' own share.  Intervals
 * are Wilson's at 95 % (intervals.c): of tp in tp + fp, or where pi differs of
 * tp in P and fp in N, each at its worse end.
 *
 * A cut lies midway between two scores, so that neither neighbour's is
 * favoured.
 */
#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/status.h"
#include "kith/eval.h"

typedef struct scored {
    double score;
    bool positive;
} scored;

static int falling(const void *a, const void *b)
{
    const double x = ((const scored *)a)->score, y = ((const scored *)b)->score;

    return (x < y) - (x > y);
}

static double mixed(double pi, double recall, double fall_out)
{
    const double of_all = pi * recall + (1 - pi) * fall_out;

    return of_all > 0 ? pi * recall / of_all : (double)NAN;
}

/* Everything that follows from hits and misses. */
static void describe(kith_threshold *t, double prevalence)
{
    const double hits = t->hits, listed = hits + t->misses;
    const kith_interval recall = kith_share_interval(hits, t->positives);
    const kith_interval fall_out = kith_share_interval(t->misses, t->negatives);

    t->recall = hits / t->positives;
    t->recall_low = recall.low;
    t->recall_high = recall.high;
    if (isnan(prevalence)) {
        const kith_interval of_list = kith_share_interval(hits, listed);

        t->precision = listed > 0 ? hits / listed : (double)NAN;
        t->precision_low = of_list.low;
        t->precision_high = of_list.high;
        return;
    }
    t->precision = mixed(prevalence, t->recall,
                         (double)t->misses / t->negatives);
    t->precision_low = mixed(prevalence, recall.low, fall_out.high);
    t->precision_high = mixed(prevalence, recall.high, fall_out.low);
}

/* Does this cut serve the goal better than the best so far?  Cuts come from
 * the highest to the lowest. */
static bool better(const kith_threshold *t, const kith_threshold *best,
                   kith_goal goal, double wish)
{
    if (best->hits + best->misses == 0)
        return true;
    if (goal == KITH_GOAL_RECALL)
        return best->recall < wish;
    if (t->precision >= wish)
        return true;
    return best->precision < wish && t->precision > best->precision;
}

static void choose(const scored *s, int32_t n, double prevalence,
                   kith_goal goal, double wish, kith_threshold *out)
{
    kith_threshold t = *out;

    for (int32_t i = 0; i < n; i++) {
        const bool last = i + 1 == n;

        t.hits += s[i].positive;
        t.misses += !s[i].positive;
        if (!last && s[i + 1].score == s[i].score)
            continue;
        t.threshold = last ? s[i].score : (s[i].score + s[i + 1].score) / 2;
        describe(&t, prevalence);
        if (better(&t, out, goal, wish))
            *out = t;
    }
}

static void cut_at(const scored *s, int32_t n, double prevalence, double at,
                   kith_threshold *out)
{
    out->threshold = at;
    for (int32_t i = 0; i < n; i++)
        if (s[i].score >= at) {
            out->hits += s[i].positive;
            out->misses += !s[i].positive;
        }
    describe(out, prevalence);
}

kith_status kith_threshold_choose(const double *scores, const bool *positive,
                                  int32_t n, double prevalence, kith_goal goal,
                                  double wish, kith_threshold *out,
                                  kith_error *err)
{
    kith_status st = KITH_OK;
    scored *s = NULL;

    *out = (kith_threshold){0};
    if ((goal != KITH_GOAL_AT && !(wish >= 0 && wish <= 1)) ||
        prevalence <= 0 || prevalence >= 1)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "wish %g, prevalence %g: expected shares from 0 to 1",
                       wish, prevalence));
    TRY_NEW(s, kith__alloc(n, sizeof(*s)));
    for (int32_t i = 0; i < n; i++) {
        s[i] = (scored){scores[i], positive[i]};
        out->positives += positive[i];
        out->negatives += !positive[i];
    }
    if (out->positives == 0 || out->negatives == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "%d positive and %d negative nodes to choose a "
                       "threshold on, expected some of both",
                       (int)out->positives, (int)out->negatives));
    qsort(s, (size_t)n, sizeof(*s), falling);
    if (goal == KITH_GOAL_AT)
        cut_at(s, n, prevalence, wish, out);
    else
        choose(s, n, prevalence, goal, wish, out);
out:
    kith__free(s);
    return st;
}
