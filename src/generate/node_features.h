/*
 * node_features.h: sparse binary features ("words") that tell of the class.
 */
#ifndef KITH_GENERATE_NODE_FEATURES_H
#define KITH_GENERATE_NODE_FEATURES_H

#include "generate/labels_plan.h"

/*
 * o->words different columns of o->features for every node.  The caller frees
 * the arrays with kith__node_features_release(), also on failure.
 */
kith_status kith__node_features_draw(const kith__label_plan *plan,
                                     const kith_generate_options *o,
                                     kith_features *out, kith_error *err);
void kith__node_features_release(kith_features *f);

#endif
