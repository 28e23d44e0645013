/*
 * suggest_features.h: which node to label next, where features say most.
 */
#ifndef KITH_MODELS_SUGGEST_FEATURES_H
#define KITH_MODELS_SUGGEST_FEATURES_H

#include "models/solution.h"

/*
 * As kith_suggest(), of the data's features: a is the uncertainty of each node,
 * 0 where there is a label; nodes not `open` are passed over, and those
 * suggested are closed.
 */
kith_status kith__suggest_by_features(const kith_solution *s, const float *a,
                                      bool *open, double h, int32_t count,
                                      kith_suggestion *out, int32_t *found,
                                      kith_error *err);

#endif
