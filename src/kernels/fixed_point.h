/*
 * fixed_point.h: the fixed point of propagation, P = Q + W P H, whatever form W
 * has and whoever asks.
 */
#ifndef KITH_KERNELS_FIXED_POINT_H
#define KITH_KERNELS_FIXED_POINT_H

#include "core/job.h"
#include "kernels/operator.h"
#include "kith/model.h"

/* How long to go on, and what progress is told. */
typedef struct kith__stopping {
    const kith_job *job;
    const char *stage; /* NULL: progress is told nothing */
    int most;          /* passes over the edges */
    double tolerance;
    double *trace; /* the change of each iteration, room for `most`; or NULL */
} kith__stopping;

/* What a run says of itself: the last change, after so many iterations. */
static inline void kith__certify(kith_certificate *c, double change,
                                 int iterations, double tolerance)
{
    c->residual = change;
    c->iterations = iterations;
    c->converged = change <= tolerance;
}

/* ---- plain iterations ---------------------------------------------------- */

/*
 * P <- Q + W P H in place, `most` times or until no belief changes by more than
 * `tolerance`; `other` is as large as P.  Of the certificate the residual, the
 * iterations and whether it converged are set, without iterations just the
 * last two.
 */
kith_status kith__iterate(const kith__operator *op,
                          const kith__stopping *stopping, const float *Q,
                          float *P, float *other, kith_certificate *c,
                          kith_error *err);

/* The same with any step from one P to the next, which returns the largest
 * change; P of so many floats. */
typedef float kith__step_fn(void *user, const float *from, float *to);
kith_status kith__iterate_by(kith__step_fn *step, void *user,
                             const kith__stopping *stopping, int64_t cells,
                             float *P, float *other, kith_certificate *c,
                             kith_error *err);

/* ---- conjugate gradients ------------------------------------------------- */

/*
 * With W and H symmetric and rho(W) rho(H) < 1 the system P - W P H = Q is
 * symmetric and positive.  Conjugate gradients take about as many passes over
 * the edges as Chebyshev's polynomials in the worst case, and far fewer for a Q
 * of few entries.  Workspace: kith__solve_workspace() floats.
 */
int64_t kith__solve_workspace(int64_t n, int64_t columns);

/* P to the fixed point from where it is: at most `most` passes, at least one,
 * or until no belief would change by more than `tolerance` in a plain step.
 * The certificate as above. */
kith_status kith__solve_fixed_point(const kith__operator *op,
                                    const kith__stopping *stopping,
                                    const float *Q, float *P, float *workspace,
                                    kith_certificate *c, kith_error *err);

/* Z = E + W Z H from nothing, until what is left is `tolerance` of |E|. */
kith_status kith__solve_linear(const kith__operator *op,
                               const kith__stopping *stopping, const float *E,
                               float *Z, float *workspace, kith_error *err);

/*
 * The adjoint Z = E + W Z H', in double, such that the sum of E . P is the sum
 * of Q . Z for any Q and its fixed point P: so near that what is left is next
 * to nothing of `belief`, when the beliefs are P, and no contribution is off.
 * E is spent.  Tolerances are its own.
 */
kith_status kith__solve_adjoint(const kith__operator *op,
                                const kith__stopping *stopping, const float *P,
                                double belief, float *E, double *Z,
                                kith_error *err);

/* ---- what a step would change -------------------------------------------- */

/* R = Q + W X H - X with sums in double; and the sum of R . Z. */
void kith__residual(const kith__operator *op, const float *X, const float *Q,
                    double *R);
double kith__residual_dot(const kith__operator *op, const float *X,
                          const float *Q, const double *Z);

#endif
