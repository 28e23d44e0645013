/*
 * lcm.h: the inner workings of LCM, apart so that tests can look at a step.
 */
#ifndef KITH_MODELS_LCM_H
#define KITH_MODELS_LCM_H

#include "kernels/spectral_bound.h"
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
    kith__operator W;   /* with the weights below */
    float *w;           /* per stored neighbour, both directions alike */
    float *H;           /* C x C */
    float *Q, *P;       /* n x C: centred potentials, beliefs */
    float *S, *next;    /* n x C: softmax of P; the next P */
    float *WP, *E, *EH; /* L x C: rows of W P; y - sigma(p+); E H */
    double *dH, *K;     /* C x C: gradient of H by the errors; S'W S */
    int32_t *which;     /* n: which training node it is, or -1 */
    int64_t *back;      /* where edges from training nodes to others stand in
                           the others' rows */
    int64_t *back_from; /* L + 1: each training node's among those */
} kith__lcm;

kith_status kith__lcm_new(const kith__task *task, const kith_params *p,
                          kith__regulariser kind, kith__lcm *s,
                          kith_error *err);
void kith__lcm_release(kith__lcm *s); /* a zeroed one is fine */

/* One gradient step on w and H at fixed P and S. */
kith_status kith__lcm_inner_step(kith__lcm *s, kith_error *err);

/* ---- the two forms of W -------------------------------------------------- */

/* Bytes moved for a stored neighbour in an alternation, and what decides. */
typedef struct kith__lcm_form {
    bool implicit;
    double bytes_explicit, bytes_implicit; /* the latter 0: not possible */
    char why[160];
} kith__lcm_form;

kith__lcm_form kith__lcm_choose_form(const kith__task *task,
                                     const kith_params *p,
                                     kith__regulariser kind);

kith__regulariser kith__lcm_kind(const kith__method *method);

/* lcm.c: a weight per stored neighbour.  lcm_lowrank.c: none; only where
 * kith__lcm_choose_form() says that it is possible.  The same beliefs. */
kith_status kith__lcm_run_explicit(const kith__task *task, const kith_params *p,
                                   kith__regulariser kind,
                                   const float *potentials, kith__beliefs *out,
                                   kith_error *err);
kith_status kith__lcm_run_lowrank(const kith__task *task, const kith_params *p,
                                  kith__regulariser kind,
                                  const float *potentials, kith__beliefs *out,
                                  kith_error *err);

/* Are implicit weights written out once they are learnt? */
bool kith__lcm_writes_out(const kith__task *task);

/* ---- what they share ----------------------------------------------------- */

/*
 * P after learning to what p asks for: as many plain propagations as are left
 * to do, at least one, or where these are many the fixed point.  Workspace:
 * kith__solve_workspace() floats.  Of the certificate all but rho is set;
 * iterations count those while learning too.
 */
kith_status kith__lcm_propagate(const kith__task *task, const kith_params *p,
                                const kith__operator *op, const float *Q,
                                float *P, float *workspace,
                                kith_certificate *certificate, kith_error *err);

/* e = y - sigma(q + wp H) and eh = e H for one training node. */
void kith__lcm_error(const float *q, const float *wp, const float *H, int C,
                     int32_t truth, float *e, float *eh);

/* dH -= wp'e + e'wp */
void kith__lcm_add_error(const float *wp, const float *e, int C, double *dH);

/* H -= g2 dH, with the consistency's part from K = S'W S; the parts averaged
 * and H kept symmetric and centred unless as written. */
void kith__lcm_step_coupling(const kith__task *task, const kith_params *p,
                             kith__regulariser kind, const double *dH,
                             const double *K, float *H);

/*
 * Bound rho(W) and scale H so that rho(W) rho(H) <= bound, unless as written;
 * the certificate's rho is the product then.  Fails if the steps were so large
 * that W or H is not finite.  `first` and workspace: see
 * kith__rho_bound_from().
 */
kith_status kith__lcm_bound(const kith_params *p, const kith__operator *first,
                            const kith__operator *W, float *workspace, float *H,
                            int C, kith_certificate *certificate,
                            kith_error *err);

#endif
