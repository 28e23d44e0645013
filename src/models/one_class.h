/*
 * one_class.h: where all labels to learn from are of one class.
 *
 * No other method can learn then: whatever it is, everything is of that class.
 * So any method that is asked for becomes this one (train.c), which is called
 * KITH__ONE_CLASS in models; it is on no list, since data chooses it.
 */
#ifndef KITH_MODELS_ONE_CLASS_H
#define KITH_MODELS_ONE_CLASS_H

#include "models/method.h"

#define KITH__ONE_CLASS "one-class"

kith__fit_fn kith__one_class_fit;
kith__apply_fn kith__one_class_apply;

/* The class of all nodes of a list that have a label; -1 if these are of
 * several classes, or none has one.  Nodes that there are not are passed over.
 */
int32_t kith__only_class(const kith_labels *labels, const int32_t *nodes,
                         int32_t n);

/* Say in the model what it is and how sure its share of positives. */
kith_status kith__one_class_say(kith_model *m, int32_t n_train,
                                kith_error *err);

#endif
