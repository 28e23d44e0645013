/*
 * out_of_fold.h: what would be known about each training node without its
 * label.
 *
 * A model judged on the nodes it was fitted to finds them known by heart.  So
 * training nodes are dealt into folds, and for each fold there are potentials
 * of all nodes made without its labels.
 */
#ifndef KITH_MODELS_OUT_OF_FOLD_H
#define KITH_MODELS_OUT_OF_FOLD_H

#include "models/method.h"

struct kith__out_of_fold {
    int folds;
    int *fold;         /* of each training node, dealt as below; -1: the only
                          one of its class, of which nothing could be known */
    float *potentials; /* folds x n x classes */
    int32_t judged;    /* training nodes that are in a fold */
};

/* Deal known nodes into parts by their ids, classes shared out evenly: part[i]
 * of nodes[i] in 0 .. parts - 1. */
kith_status kith__deal(const kith__task *t, const kith__labelled_nodes *nodes,
                       int parts, int *part, kith_error *err);

/* Does the method, with these parameters, look at them? */
bool kith__uses_out_of_fold(const kith__method *method, const kith_params *p);

/* As the potentials of a model are made, with p's preparation and penalty;
 * features NULL: labels alone.  Cost: one logistic regression per fold. */
kith_status kith__out_of_fold_new(const kith__task *task,
                                  const kith_features *features,
                                  const kith_params *p, kith__out_of_fold *out,
                                  kith_error *err);
void kith__out_of_fold_release(kith__out_of_fold *l); /* a zeroed one is fine */

#endif
