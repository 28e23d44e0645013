/*
 * evidence.h: how much of what is known reaches each node of a run.
 */
#ifndef KITH_MODELS_EVIDENCE_H
#define KITH_MODELS_EVIDENCE_H

#include "kernels/operator.h"
#include "kith/model.h"

typedef struct kith__task kith__task;

typedef struct kith__evidence {
    float *mass;    /* n: S, of the labels' mass what reaches a node */
    bool told;      /* has the method filled `mass`? */
    uint8_t *level; /* n: kith_evidence */
    int32_t *order; /* classes: which goes before which where they tie */
} kith__evidence;

/* Room for it, zeroed. */
kith_status kith__evidence_new(const kith__task *t, kith__evidence *out,
                               kith_error *err);
void kith__evidence_release(kith__evidence *e); /* a zeroed one is fine */

/* rho of H = rho (I - 11'/C) as propagation starts: what is left of a mass on
 * its way over an edge.  Of one class, where nothing is coupled, that of two.
 */
float kith__rho_start(int classes);

/*
 * S = 1_L + rho W S in e->mass, unless the method has told it, the levels by
 * it, and the order of classes.
 *
 * features   those that the method judges a node by, NULL = none
 * iterations, tolerance   of a propagation for S
 */
kith_status kith__evidence_gather(const kith__task *t,
                                  const kith_features *features, int iterations,
                                  double tolerance, kith__evidence *e,
                                  kith_error *err);

#endif
