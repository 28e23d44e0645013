/*
 * solve.h: the fixed point of propagation, in few steps.
 */
#ifndef KITH_MODELS_SOLVE_H
#define KITH_MODELS_SOLVE_H

#include "models/method.h"

/*
 * Z = E + W Z H to a relative `tolerance`, all n x C; W and H symmetric, and
 * rho(W) rho(H) <= rho < 1.  `stage` is what progress calls it, NULL = none;
 * room for kith__fixed_point_room() floats.
 *
 * Summed in Chebyshev polynomials of the operator A X = W X H, whose
 * eigenvalues are real and in [-rho, rho]:
 *
 *     1 / (1 - rho y) = (1 + 2 sum_j r^j T_j(y)) / sqrt(1 - rho^2),
 *     r = (1 - sqrt(1 - rho^2)) / rho
 *
 * r is about .5 where rho is .8, and .72 where it is .95.
 */
kith_status kith__fixed_point(const kith__task *task, const kith__coupled *W,
                              const float *H, double rho, double tolerance,
                              const char *stage, float *room, const float *E,
                              float *Z, kith_error *err);
int64_t kith__fixed_point_room(const kith__task *task);

/*
 * The same for an E of few entries, by conjugate gradients: X - W X H is
 * symmetric and positive, and such an E sees little of its extreme eigenvalues,
 * so that it takes a third of the steps.  It ends where what is left,
 * R = E - Z + W Z H, is worth little to some beliefs P: sum |r p| <= enough; or
 * where |R| is beyond what floats can tell.  `stage` and room as above.
 */
kith_status kith__fixed_point_few(const kith__task *task,
                                  const kith__coupled *W, const float *H,
                                  const float *P, double enough,
                                  const char *stage, float *room,
                                  const float *E, float *Z, kith_error *err);

#endif
