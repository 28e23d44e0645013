/*
 * lcm_exact.h: LCM's objective and its exact gradient, apart so that tests can
 * look at them.
 */
#ifndef KITH_MODELS_LCM_EXACT_H
#define KITH_MODELS_LCM_EXACT_H

#include "models/lcm/lcm.h"
#include "models/potentials/out_of_fold.h"

/* n nodes, C classes, i of the stored neighbours. */
typedef struct kith__exact {
    const kith__task *task;
    const kith_params *p;
    const kith__out_of_fold *out_of_fold;
    kith__regulariser kind;
    kith__operator W;   /* with the weights below */
    float *w, *a;       /* i: w_uv = a_uv / sqrt(d_u d_v) */
    double *d;          /* n: d_u = sum_v a_uv */
    float *H;           /* C x C */
    float *Q, *P, *Z;   /* n x C: of one fold */
    float *E, *S, *X;   /* n x C: dJ/dP; softmax of P; scratch */
    float *dw;          /* i: dJ/dw_uv, both directions alike */
    double *t;          /* n: sum_v dw_uv w_uv */
    double *dH;         /* C x C */
    float *G, *partial; /* C x C, and room for sums of them */
    double *R;          /* C x C: for the guard */
    float *workspace;   /* of the solves */
    double alpha, d_alpha;
    kith_status st; /* of an evaluation that could not be made */
    kith_error *err;
} kith__exact;

kith_status kith__exact_new(const kith__task *task, const kith_params *p,
                            kith__regulariser kind, kith__exact *s,
                            kith_error *err);
void kith__exact_release(kith__exact *s); /* a zeroed one is fine */

/* Numbers that are learnt: theta_uv per stored neighbour, H, log alpha. */
int64_t kith__exact_size(const kith__exact *s);
void kith__exact_start(const kith__exact *s, double *x);

/* J and its gradient at x; infinite, with a gradient of 0, where the guard
 * does not hold.  s->w and s->H are those of x afterwards. */
double kith__exact_objective(kith__exact *s, const double *x, double *gradient);

/* Learn W and H, then propagate: lcm.c calls it for `gradient` exact. */
kith_status kith__exact_run(const kith__task *task, const kith_params *p,
                            kith__regulariser kind, const float *potentials,
                            kith__beliefs *out, kith_error *err);

#endif
