/*
 * conformal.h: what a model keeps to give sets of classes that hold the truth
 * for a share of nodes; conformal.c has the maths.
 */
#ifndef KITH_MODELS_CONFORMAL_H
#define KITH_MODELS_CONFORMAL_H

#include "core/status.h"
#include "kith/model.h"

typedef struct kith__conformal {
    double coverage; /* asked for when it was trained; 0: nothing is kept */
    bool folds;      /* scored by models of folds; else by the model itself */
    int32_t n;
    double *score; /* n, ascending: of nodes that were not learnt from */
} kith__conformal;

void kith__conformal_release(kith__conformal *c); /* a zeroed one is fine */

/*
 * Add the scores of labelled nodes to c.  p and evidence (NULL: not told) are
 * by node; nodes without evidence are left out, as their sets are not chosen.
 */
kith_status kith__conformal_add(kith__conformal *c, const float *p,
                                const uint8_t *evidence, int32_t classes,
                                const int32_t *nodes, const int32_t *truth,
                                int32_t n, kith_error *err);

void kith__conformal_sort(kith__conformal *c);

/* Hand a calibration over to a model: *c is empty then. */
void kith__conformal_keep(kith_model *m, kith__conformal *c);

#endif
