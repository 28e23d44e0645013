/*
 * em.h: expectation maximisation for node potentials: beliefs become targets,
 * on which the potentials are fitted again.
 */
#ifndef KITH_MODELS_EM_H
#define KITH_MODELS_EM_H

#include "models/method.h"
#include "models/potentials/soft_logreg.h"

typedef struct kith__em_params {
    float h;       /* coupling of the propagation, [0, 1): H = h I */
    float kappa;   /* wished mean confidence of the targets */
    float unknown; /* weight of a node without label, times its confidence */
    float penalty; /* of the weights of the features */
    float balance; /* 0: classes as they come, 1: all alike */
    float beta;    /* weight of the potentials beside the labels' 1 */
    int hops;      /* of the propagation */
} kith__em_params;

typedef struct kith__em {
    const kith__task *task;
    const kith__feature_operator *map;
    const bool *has; /* nodes that have features; NULL = all */
    bool labels;     /* start from propagated labels, not from B */
} kith__em;

/* P = sum_{k <= hops} h^k W^k Q, all n x classes. */
void kith__propagate_scalar(const kith__task *task, float h, int hops,
                            const float *Q, float *P, float *other);

/* Called with beliefs on the way, and the Q that was propagated to them (NULL:
 * none was). */
typedef void kith__em_visit_fn(void *user, int round, const float *Q,
                               const float *beliefs);

/*
 * Rounds from + 1 to `to`, on B ((columns + 1) x classes) as round `from` left
 * it.  Every round is visited with the logits, if there are (no Q), and, if
 * h > 0, with the propagated beliefs; round 0 only if from is 0.
 */
kith_status kith__em_run(const kith__em *em, const kith__em_params *p, int from,
                         int to, float *B, kith__em_visit_fn *visit, void *user,
                         kith_error *err);

#endif
