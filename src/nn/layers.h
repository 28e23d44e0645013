/*
 * layers.h: what stands between the products: biases, nonlinearities, dropout,
 * the loss.  x_forward and x_backward side by side; matrices n x k, row-major.
 * Rows that are not near are left as they are.
 */
#ifndef KITH_NN_LAYERS_H
#define KITH_NN_LAYERS_H

#include "kernels/row_set.h"
#include "nn/dropout.h"

/* X_u += bias */
void kith__bias_forward(float *X, int64_t n, int k, const float *bias,
                        const kith__row_set *near, int threads);

/*
 * H = drop(max(0, H + bias)), in place.  Where H > 0 afterwards, a cell was
 * neither cut nor dropped: that is all backward needs.
 *
 *     dX = dH scale  where H > 0,  else 0
 */
void kith__relu_forward(float *H, int64_t n, int k, const float *bias,
                        const kith__dropout *d, const kith__row_set *near,
                        int threads);
void kith__relu_backward(const float *H, int64_t n, int k,
                         const kith__dropout *d, const kith__row_set *near,
                         float *dH, int threads);

/*
 * Cross-entropy of softmax(Z), the mean over `nodes`; its gradient is written
 * into their rows of dZ, and is 0 in others.  Returns the loss.
 */
double kith__cross_entropy(const float *Z, int k, const int32_t *nodes,
                           const int32_t *truth, int32_t count,
                           float *restrict dZ);

/*
 * Adam (Kingma, Ba, ICLR 2015), step t = 1, 2, ...
 *
 *     m <- .9 m + .1 g      v <- .999 v + .001 g^2       g = gradient + decay w
 *     w <- w - rate  m / (1 - .9^t)  /  ( sqrt(v / (1 - .999^t)) + 1e-8 )
 */
void kith__adam(float *w, const float *gradient, float *m, float *v, int64_t n,
                double rate, double decay, int64_t t, int threads);

/* Uniform in +-sqrt(6 / (rows + columns)) (Glorot, Bengio, AISTATS 2010). */
void kith__glorot(float *w, int64_t rows, int64_t columns, uint64_t stream,
                  int threads);

#endif
