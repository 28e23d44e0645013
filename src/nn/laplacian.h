/*
 * laplacian.h: what it costs that neighbours differ,
 *
 *     alpha / (2 n) sum_c z_c' L z_c,      L = I - A^
 *
 * with A^ of a smoother without self-loops.  Nodes without edges cost nothing.
 */
#ifndef KITH_NN_LAPLACIAN_H
#define KITH_NN_LAPLACIAN_H

#include "nn/smoother.h"

/* Returns the cost; LZ = L Z, which backward needs. */
double kith__laplacian_forward(const kith__smoother *A, const float *Z, int k,
                               double alpha, float *LZ);

/* dZ += alpha / n  L Z */
void kith__laplacian_backward(const kith__smoother *A, const float *LZ, int k,
                              double alpha, float *dZ);

#endif
