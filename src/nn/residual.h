/*
 * residual.h: a deep network on a graph, with what makes depth work: layers
 * that add to what is there, norms, dropout (as tuned by Luo, Shi, Wu, NeurIPS
 * 2024, and Platonov et al., ICLR 2023).  Of d = hidden (x heads) columns, L
 * layers:
 *
 *     H_0     = drop(relu(X Win + bin))
 *     M_l     = norm(H_l) (1 + g_l) + s_l          of each row: mean 0, square
 * 1 H_l+1   = H_l + drop(relu( gather(M_l V_l) + M_l W_l + b_l )) Z       =
 * norm(H_L) Wout + bout
 *
 * What gathers is the type's own: A^ of gcn, the mean of sage, gat's attention.
 * A node's own row has its own weights W_l, apart from its neighbours'.
 *
 * Backward keeps norm(H_l) and the layer's addition, which tells where it was
 * cut; M_l and M_l V_l are made again.  All rows take part in every pass.
 * Memory: 2 L + 8 matrices n x d.  Cost: O(n d^2 L + m d L) a pass.
 */
#ifndef KITH_NN_RESIDUAL_H
#define KITH_NN_RESIDUAL_H

#include "nn/net.h"

enum { KITH__LAYERS_MOST = 4 };

/* T = gather(P) of all rows in one layer; dP from dT, and gradients of weights
 * of its own, which `build` (or NULL) declares, as it does its rooms. */
typedef struct kith__gather {
    kith_status (*build)(kith__net *net, int layer, kith_error *err);
    void (*forward)(kith__net *net, int layer, const float *P,
                    float *restrict T);
    void (*backward)(kith__net *net, int layer, const float *P, const float *dT,
                     float *restrict dP);
} kith__gather;

/* The build, forward and backward of a type whose settings have `layers`. */
kith_status kith__residual_build(kith__net *net, const kith__gather *gather,
                                 kith_error *err);
void kith__residual_forward(kith__net *net, const kith__gather *gather);
void kith__residual_backward(kith__net *net, const kith__gather *gather);

/* Where a gather's own weights and rooms of a layer begin, if it declares so
 * many in each. */
int kith__gather_weights(const kith__net *net, int layer, int each);
int kith__gather_rooms(const kith__net *net, int layer, int each);

/* ---- norm: of each row the mean is taken off, then its length made sqrt(k) */

/* X^ = (X - mean) inverse,  inverse = 1 / sqrt(variance + 1e-5) */
void kith__norm_forward(const float *X, int64_t n, int k, float *restrict Xhat,
                        float *restrict inverse, int threads);

/* dH += inverse (dX^ - mean(dX^) - X^ mean(dX^ X^)) */
void kith__norm_backward(const float *Xhat, const float *inverse,
                         const float *dXhat, int64_t n, int k, float *dH,
                         int threads);

#endif
