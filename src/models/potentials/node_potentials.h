/*
 * node_potentials.h: node potentials, n x classes, rows are distributions:
 * logistic regression on the features, or the labels alone if there are none.
 */
#ifndef KITH_MODELS_NODE_POTENTIALS_H
#define KITH_MODELS_NODE_POTENTIALS_H

#include "models/method.h"
#include "models/potentials/feature_matrix.h"

/* One-hot for training nodes, uniform for all others. */
void kith__potentials_of_labels(const kith__task *task, float *out);

/* Softmax of what logistic regression says. */
kith_status kith__potentials_of_features(const kith__task *task,
                                         const kith__feature_matrix *design,
                                         const float *weights, float *out,
                                         kith_error *err);

/* Fit the weights ((columns + 1) x classes, new) on the training nodes. */
kith_status kith__potentials_fit(const kith__task *task,
                                 const kith__feature_matrix *design,
                                 const kith_params *p, float **weights,
                                 kith_error *err);

#endif
