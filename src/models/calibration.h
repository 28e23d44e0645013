/*
 * calibration.h: from beliefs to probabilities.
 *
 * Nodes without evidence get a prior.  Others softmax(P / T), or calibrator K
 * of the share of each class in the mass that reaches them: share_calibrator.h
 */
#ifndef KITH_MODELS_CALIBRATION_H
#define KITH_MODELS_CALIBRATION_H

#include "models/method.h"
#include "models/share_calibrator.h"

/* What a model keeps of it beside its temperature. */
typedef struct kith__calibration {
    bool by_share;         /* K, with this; else the temperature */
    kith__share_fit share; /* share_calibrator.h */
    double *prior;         /* classes: shares among the nodes calibrated on */
    double *unreached;     /* classes: probabilities without evidence */
} kith__calibration;

void kith__calibration_release(kith__calibration *c); /* a zeroed one is fine */
kith_status kith__calibration_copy(const kith__calibration *from, int classes,
                                   kith__calibration *to, kith_error *err);

/* Is softmax of its beliefs what it says, whatever reaches a node? */
bool kith__is_calibrated(const kith_model *m);

/* Nodes to calibrate on, with what runs that had not learnt from them made of
 * them. */
typedef struct kith__calibration_nodes {
    int32_t n;
    int32_t *node, *truth;
    uint8_t *level; /* evidence */
    float *P, *g;   /* n x classes; g of methods that have shares, else 0 */
    float *degree;
} kith__calibration_nodes;

void kith__calibration_nodes_release(kith__calibration_nodes *c);

/* Add the nodes of a run. */
kith_status kith__calibration_add(const kith_model *m, const kith__task *t,
                                  const kith__beliefs *b,
                                  const kith__labelled_nodes *at,
                                  kith__calibration_nodes *to, kith_error *err);

/*
 * Fit what is left open of m's calibration: the temperature, or where the
 * method has shares and labels are all it knows K, whichever has the less
 * log-loss on fifths of the nodes that it was not fitted to; unless m's
 * parameters say which.  `order` numbers the classes (evidence.h).
 */
kith_status kith__calibrate_on(const kith_graph *g, const int32_t *order,
                               const kith__calibration_nodes *at, kith_model *m,
                               kith_error *err);

/* The same on nodes of one run; without any (val->n 0) the prior is that of the
 * training nodes. */
kith_status kith__calibrate(const kith__task *t, const kith__beliefs *b,
                            const kith__labelled_nodes *val, kith_model *m,
                            kith_error *err);

/* Of the classes of n training nodes, where nothing else is known. */
kith_status kith__calibrate_by_training(const int32_t *truth, int32_t n,
                                        int classes, kith__calibration *c,
                                        kith_error *err);

/* Does the method tell shares that K could go by? */
bool kith__has_shares(const kith_model *m);

/* The shares of a run, in b->shares, for the calls above and below; nothing if
 * the method has none. */
kith_status kith__find_shares(const kith_model *m, const kith__task *t,
                              kith__beliefs *b, kith_error *err);

/* Probabilities of node u if its beliefs were P and its mass S. */
void kith__probabilities_if(const kith_model *m, const kith__task *t,
                            const kith__beliefs *b, int32_t u, const float *P,
                            float S, float *out);

/* Probabilities of n nodes from `first`, n x classes. */
void kith__probabilities(const kith_model *m, const kith__task *t,
                         const kith__beliefs *b, int32_t first, int32_t n,
                         float *out);

#endif
