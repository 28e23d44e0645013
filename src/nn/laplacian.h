/*
 * laplacian.h: what it costs that neighbours differ, the mean over edges
 *
 *     alpha / (2 m) sum_uv a_uv |z_u - z_v|^2  =  alpha / (2 m) tr Z' L Z
 *
 *   L = D - A,   uv each of the m undirected edges
 */
#ifndef KITH_NN_LAPLACIAN_H
#define KITH_NN_LAPLACIAN_H

#include "kith/graph.h"

/* LZ (n x k) = L Z, which the other two need. */
void kith__laplacian(const kith_graph *g, const float *Z, int k,
                     float *restrict LZ, int threads);

/* The cost. */
double kith__laplacian_cost(const kith_graph *g, const float *Z,
                            const float *LZ, int k, double alpha);

/* dZ += alpha / m  L Z */
void kith__laplacian_backward(const kith_graph *g, const float *LZ, int k,
                              double alpha, float *dZ, int threads);

#endif
