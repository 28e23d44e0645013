/*
 * protocol.h: fits by a protocol, for those who keep the result elsewhere.
 */
#ifndef KITH_EVAL_PROTOCOL_H
#define KITH_EVAL_PROTOCOL_H

#include "kith/eval.h"

/* As kith_classify(), into c->model, tuned and solution; c->probabilities is
 * the caller's room, c->unseen too if it is wanted.  On failure what there is
 * stays in c. */
kith_status kith__fit_by(const kith_dataset *d, const char *method,
                         const kith_protocol *p,
                         const kith_train_options *options, unsigned keep,
                         kith_classification *c, kith_error *err);

/* Are all labels calibrated on, by five folds, where there are no validation
 * nodes?  Not if a temperature is given, or nothing is to be chosen. */
bool kith__cross_fits(const kith_train_options *o);

/* Room for probabilities of every node; NULL without memory. */
float *kith__new_probabilities(const kith_dataset *d);

#endif
