#include "eval/ranking_one_class.h"

#include <math.h>

void kith_model_mask_scores(const kith_model *m, kith_scores *scores,
                            kith_intervals *intervals)
{
    const double none = (double)NAN;
    kith_one_class one;

    if (!kith_model_one_class(m, &one) || one.probabilities)
        return;
    if (scores)
        scores->accuracy = scores->macro_f1 = scores->log_loss = scores->ece =
            none;
    if (intervals)
        intervals->accuracy = intervals->macro_f1 = intervals->log_loss =
            (kith_interval){none, none};
}

void kith__judge_positives(const kith_ranking *r, int32_t n,
                           kith_threshold *out)
{
    const double all = r->prevalence * r->nodes;
    kith_interval sure;

    *out = (kith_threshold){.threshold = -(double)n + .5,
                            .positives = r->known};
    for (int32_t i = 0; i < r->known; i++)
        out->hits += r->score[i] >= out->threshold;
    sure = kith_share_interval(out->hits, r->known);
    out->recall = r->known ? (double)out->hits / r->known : (double)NAN;
    out->recall_low = sure.low;
    out->recall_high = sure.high;
    out->precision = n ? fmin(1, all * out->recall / n) : (double)NAN;
    out->precision_low = n ? fmin(1, all * out->recall_low / n) : (double)NAN;
    out->precision_high = n ? fmin(1, all * out->recall_high / n) : (double)NAN;
    if (isnan(all)) /* fmin() passes NaN over */
        out->precision = out->precision_low = out->precision_high = (double)NAN;
}

/* The list that ends where known positive i stands. */
static int32_t length_at(const kith_ranking *r, int32_t i)
{
    return (int32_t)fmin(r->nodes, floor(-r->score[i]) + 1);
}

/* The longest list that is as precise; if none is, the most precise. */
static int32_t by_precision(const kith_ranking *r, double wish)
{
    int32_t longest = 0, best = 0;
    double most = -1;

    for (int32_t i = 0; i < r->known; i++) {
        const int32_t n = length_at(r, i);
        kith_threshold t;

        kith__judge_positives(r, n, &t);
        if (t.precision >= wish && n > longest)
            longest = n;
        if (t.precision > most || (t.precision == most && n > best)) {
            most = t.precision;
            best = n;
        }
    }
    return longest > 0 ? longest : best;
}

/* The shortest list that holds as many. */
static int32_t by_recall(const kith_ranking *r, double wish)
{
    int32_t shortest = r->nodes;

    for (int32_t i = 0; i < r->known; i++) {
        const int32_t n = length_at(r, i);
        kith_threshold t;

        kith__judge_positives(r, n, &t);
        if (t.recall >= wish && n < shortest)
            shortest = n;
    }
    return shortest;
}

kith_status kith__cut_by_positives(kith_ranking *r, const kith_one_class *one,
                                   kith_error *err)
{
    const kith_rank_options *o = &r->options;

    r->prevalence = isnan(o->prevalence) ? one->prevalence : o->prevalence;
    if (o->positive != one->known)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "all nodes to learn from are of class '%.60s': only "
                          "that can be looked for",
                          kith_model_class_name(r->model, one->known));
    if (o->goal == KITH_GOAL_PRECISION && isnan(r->prevalence))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "no precision can be promised: only one class is "
                          "known, and how many nodes are of it cannot be told; "
                          "give the prevalence, or a recall or budget");
    r->listed = r->nodes;
    if (o->goal == KITH_GOAL_PRECISION)
        r->listed = by_precision(r, o->wish);
    else if (o->goal == KITH_GOAL_RECALL)
        r->listed = by_recall(r, o->wish);
    else if (o->budget > 0 && o->budget < r->nodes)
        r->listed = o->budget;
    kith__judge_positives(r, r->listed, &r->cut);
    return KITH_OK;
}
