/*
 * fixed_point.h: the fixed point of propagation, in few steps.
 */
#ifndef KITH_MODELS_FIXED_POINT_H
#define KITH_MODELS_FIXED_POINT_H

#include "models/method.h"

/* X - W X H with X n x k, W and H symmetric with rho(W) rho(H) < 1. */
typedef struct kith__system {
    const kith__task *task;
    const kith__operator *W;
    int k;
    const float *H;
} kith__system;

/*
 * Z = E + W Z H by conjugate gradients, the system being symmetric and
 * positive.  It takes about as many passes over the edges as Chebyshev's
 * polynomials in the worst case, and far fewer for an E of few entries.
 *
 * It ends where what is left, R = E - Z + W Z H, is worth little to some
 * beliefs P, sum |r p| <= enough, and |R| <= length; or where |R| is beyond
 * what floats can tell. `stage` is what progress calls it; room for
 * kith__solve_workspace() floats.
 */
kith_status kith__solve_system(const kith__system *a, const float *P,
                               double enough, double length, const char *stage,
                               float *room, const float *E, float *Z,
                               kith_error *err);
int64_t kith__solve_workspace(int32_t n, int k);

/* The same for a task's classes, two of them as one where that is possible,
 * until |R| <= enough |E|. */
kith_status kith__fixed_point(const kith__task *task, const kith__operator *W,
                              const float *H, double enough, float *room,
                              const float *E, float *Z, kith_error *err);

/*
 * P to the fixed point of P = Q + W P H from where it is, likewise: at most
 * `most` passes over the edges, at least one, or until no belief would change
 * by more than `tolerance` in a plain step; room for kith__solve_workspace()
 * floats with k all classes.  Of the certificate the residual, that change, the
 * iterations and whether it converged are set.
 */
kith_status kith__solve_fixed_point(const kith__task *task,
                                    const kith__operator *W, const float *H,
                                    const float *Q, int most, double tolerance,
                                    float *room, float *P,
                                    kith_certificate *certificate,
                                    kith_error *err);

/* What one more step would change, R = Q + W X H - X, with sums in double; and
 * what that is worth, sum of r z. */
void kith__residual(const kith__operator *W, const float *X, int k,
                    const float *H, const float *Q, double *R);
double kith__residual_dot(const kith__operator *W, const float *X, int k,
                          const float *H, const float *Q, const double *Z);

#endif
