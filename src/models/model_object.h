/*
 * model_object.h: what a kith_model is made of: all that is needed to predict
 * again, on the same graph or a grown one.
 */
#ifndef KITH_MODELS_MODEL_OBJECT_H
#define KITH_MODELS_MODEL_OBJECT_H

#include "graph/ids.h"
#include "kith/model.h"
#include "models/calibration.h"
#include "models/conformal.h"
#include "models/fit_state.h"

struct kith_model {
    char *method;
    kith_params params; /* as used: chosen or given */
    kith_certificate certificate;
    double temperature; /* probabilities are softmax(P / temperature) */
    kith__calibration calibration;
    double validation; /* accuracy, NaN if there were no validation nodes */
    uint64_t graph_hash;
    uint64_t column_names; /* hash of the features', 0 if none */
    int32_t classes;
    char **names;    /* of the classes */
    float *coupling; /* H, classes x classes; NULL if the method has none */
    /* node potentials: logistic regression, if there were features */
    int32_t columns; /* of the features; 0 = none */
    float *weights;  /* (columns + 1) x classes, the last row is the bias */
    float *idf;      /* columns; NULL unless prep is tf-idf */
    char *why;       /* auto chose this method; else NULL */
    kith__fit_state state;     /* of a method on its own; else empty */
    kith__conformal conformal; /* what sets are chosen by */
    double *record; /* what came of it, as report/card.c writes and reads it; */
    int64_t n_record; /* nothing else looks into it */
    char *note;       /* the text of that; NULL without */
    /* training nodes, by id */
    kith__ids train;      /* TEXT, INTEGER or RANGE; owns its arrays */
    int32_t *train_class; /* class of each */
};

/* A hash of all that predictions depend on. */
uint64_t kith__model_hash(const kith_model *m);

/* The features that it judges a node by, of those there are; NULL if by none:
 * eigenvectors and degrees are not a node's own. */
const kith_features *kith__model_features(const kith_model *m,
                                          const kith_features *features);

/* Where training node l is in a graph, negative if it is not. */
int32_t kith__model_node(const kith_model *m, int32_t l, const kith_graph *g);

#endif
