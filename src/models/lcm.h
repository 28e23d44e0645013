/*
 * lcm.h: the inner workings of LCM, apart so that tests can look at a step.
 */
#ifndef KITH_MODELS_LCM_H
#define KITH_MODELS_LCM_H

#include "models/method.h"

typedef enum kith__regulariser {
    KITH__NONE,
    KITH__CONSISTENCY,
    KITH__L1,
    KITH__L2
} kith__regulariser;

/* About Cora's training nodes and edges, for which the paper's steps are. */
enum { KITH__REF_NODES = 140, KITH__REF_EDGES = 5278 };

/* n nodes, C classes, L training nodes. */
typedef struct kith__lcm {
    const kith__task *task;
    const kith_params *p;
    kith__regulariser kind;
    kith__coupled W;    /* with the weights below */
    float *w;           /* per stored neighbour, both directions alike */
    float *H;           /* C x C */
    float *Q, *P;       /* n x C: centred potentials, beliefs */
    float *S, *next;    /* n x C: softmax of P; the next P */
    float *WP, *E, *EH; /* L x C: rows of W P; y - sigma(p+); E H */
    double *dH, *K;     /* C x C: gradient of H by the errors; S'W S */
} kith__lcm;

kith_status kith__lcm_new(const kith__task *task, const kith_params *p,
                          kith__regulariser kind, kith__lcm *s,
                          kith_error *err);
void kith__lcm_release(kith__lcm *s); /* a zeroed one is fine */

/* One gradient step on w and H at fixed P and S. */
kith_status kith__lcm_inner_step(kith__lcm *s, kith_error *err);

#endif
