/*
 * two_classes.h: two classes as one.  Centred beliefs of two classes are
 * (p, -p), and if Q and H are centred too they stay so:
 *
 *     P <- Q + W P H    is    p <- q + h W p,    h = H_00 - H_10
 *
 * which gathers and writes half as much.
 */
#ifndef KITH_MODELS_TWO_CLASSES_H
#define KITH_MODELS_TWO_CLASSES_H

#include "models/method.h"

/* Are there two classes, and Q, P (n x 2) and H such, but for rounding?  Cost:
 * O(n). */
bool kith__is_one_column(const kith__task *task, const float *H, const float *Q,
                         const float *P);

/* h, of a 2 x 2 H. */
static inline float kith__one_coupling(const float *H)
{
    return H[0] - H[2];
}

/* x (n) is the first column of X (n x 2). */
void kith__first_column(const float *X, int32_t n, int threads,
                        float *restrict x);

/* X = (x, -x) */
void kith__both_columns(const float *x, int32_t n, int threads,
                        float *restrict X);

#endif
