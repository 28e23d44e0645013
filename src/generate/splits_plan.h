/*
 * splits_plan.h: which nodes to train, tune and test on.
 */
#ifndef KITH_GENERATE_SPLITS_PLAN_H
#define KITH_GENERATE_SPLITS_PLAN_H

#include "generate/labels_plan.h"

enum { KITH__TRAIN, KITH__VAL, KITH__TEST, KITH__SPLIT_PARTS };

/*
 * How many of a class of `size` nodes go to each part: what is wished, or if
 * that is more than there are, in the same proportion, at least one each as
 * long as there is one (training first, then testing).
 */
void kith__split_sizes(int32_t size, const int32_t wish[KITH__SPLIT_PARTS],
                       int32_t out[KITH__SPLIT_PARTS]);

/* The nodes of one part, ascending, in *nodes, to be freed; *n of them. */
kith_status kith__split_nodes(const kith__label_plan *plan,
                              const kith_generate_options *o, int part,
                              uint32_t **nodes, int64_t *n, kith_error *err);

#endif
