/*
 * ranking_one_class.h: what to expect of a list where no known node is
 * negative.
 */
#ifndef KITH_EVAL_RANKING_ONE_CLASS_H
#define KITH_EVAL_RANKING_ONE_CLASS_H

#include "core/status.h"
#include "kith/eval.h"

/*
 * Of k known positives, each scored by a run that did not know it, h are among
 * the first n:
 *
 *     recall = h / k      precision = prevalence x nodes x recall / n
 *
 * the intervals are Wilson's of the recall; the precision is NaN where no
 * prevalence is told.
 */
void kith__judge_positives(const kith_ranking *r, int32_t n,
                           kith_threshold *out);

/* The list of the wish, what it holds, and the prevalence.  Errors:
 * KITH_ERR_ARGUMENT for another class than the known one, and for a precision
 * without a prevalence. */
kith_status kith__cut_by_positives(kith_ranking *r, const kith_one_class *one,
                                   kith_error *err);

#endif
