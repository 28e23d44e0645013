/*
 * calibration.h: from beliefs to probabilities.
 *
 * Nodes without evidence get a prior.  Others softmax(P / T), or calibrator K
 * of the share of each class in the mass that reaches them: share_calibrator.h
 */
#ifndef KITH_MODELS_CALIBRATION_H
#define KITH_MODELS_CALIBRATION_H

#include "models/method.h"

/* What a model keeps of it beside its temperature. */
typedef struct kith__calibration {
    bool by_share;        /* K, with these; else the temperature */
    double a, kappa, lam; /* share_calibrator.h */
    double *prior;        /* classes: shares among the nodes calibrated on */
    double *unreached;    /* classes: probabilities without evidence */
} kith__calibration;

void kith__calibration_release(kith__calibration *c); /* a zeroed one is fine */
kith_status kith__calibration_copy(const kith__calibration *from, int classes,
                                   kith__calibration *to, kith_error *err);

/* Is softmax of its beliefs what it says, whatever reaches a node? */
bool kith__is_calibrated(const kith_model *m);

/*
 * Fit what is left open of m's calibration on nodes that it has not learnt
 * from; without any (val->n 0) the prior is that of the training nodes.
 */
kith_status kith__calibrate(const kith__task *t, const kith__beliefs *b,
                            const kith__labelled_nodes *val, kith_model *m,
                            kith_error *err);

/* Of the classes of n training nodes, where nothing else is known. */
kith_status kith__calibrate_by_training(const int32_t *truth, int32_t n,
                                        int classes, kith__calibration *c,
                                        kith_error *err);

/* Probabilities of n nodes from `first`, n x classes. */
void kith__probabilities(const kith_model *m, const kith__task *t,
                         const kith__beliefs *b, int32_t first, int32_t n,
                         float *out);

#endif
