/*
 * coverage.h: sets of classes as part of a classification.
 */
#ifndef KITH_EVAL_COVERAGE_H
#define KITH_EVAL_COVERAGE_H

#include "core/status.h"
#include "kith/eval.h"

/* The same options, or if sets are asked for those under which no label of a
 * validation node enters a fit. */
kith_train_options kith__cover_options(const kith_train_options *o);

/* If sets are asked for, let c->model keep what they are chosen by, and fill
 * c->sets.  c->model and c->probabilities must be there. */
kith_status kith__cover(const kith_dataset *d, const kith_protocol *p,
                        const kith_train_options *o, kith_classification *c,
                        kith_error *err);

#endif
