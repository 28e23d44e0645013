/*
 * attention.h: attention over neighbours (Velickovic, Cucurull, Casanova,
 * Romero, Lio, Bengio, ICLR 2018), K heads of D columns each.
 *
 *     s_u = H_u . from,   t_u = H_u . to               for each head
 *     e_uv = leaky(s_u + t_v),  leaky(x) = max(x, x / 5)
 *     a_uv = exp(e_uv) / sum_w exp(e_uw)               v, w in N(u) and u
 *     Y_u  = sum_v drop(a_uv) H_v
 *
 * Choices.  s and t are cut to +-35, so that nothing overflows without taking
 * maxima first; then exp(e_uv) = max(exp(s_u) exp(t_v), exp(s_u/5) exp(t_v/5)):
 * exponentials per node instead of per edge.  Nothing is stored per edge
 * either: backward makes a_uv again from what is stored per node, and as the
 * graph is symmetric, one pass over the row of u meets both a_uv and a_vu:
 *
 *     g_uv = a_uv (drop_uv dY_u.H_v  -  dY_u.Y_u) leaky'(s_u + t_v)
 *     ds_u = sum_v g_uv      dt_u = sum_v g_vu
 *     dH_u = sum_v drop(a_vu) dY_v  +  ds_u from  +  dt_u to
 *     dfrom = sum_u ds_u H_u            dto = sum_u dt_u H_u
 */
#ifndef KITH_NN_ATTENTION_H
#define KITH_NN_ATTENTION_H

#include "kernels/row_set.h"
#include "kith/graph.h"
#include "nn/dropout.h"

enum { KITH__HEADS_MOST = 8 };

/* Floats per node and head that `node` needs. */
enum { KITH__ATTENTION_NODE = 8 };

typedef struct kith__attention {
    const kith_graph *graph;
    int threads, heads, size; /* K, D */
    const float *from, *to;   /* K x D */
    const float *H;           /* n x K D */
    float *node;              /* n x KITH__ATTENTION_NODE x K */
    kith__dropout drop;       /* of a_uv */
    /* rows of H that are there, and of Y that are wanted: all neighbours of the
     * second are among the first */
    const kith__row_set *in, *out;
} kith__attention;

/* Y from H. */
void kith__attention_forward(const kith__attention *a, float *restrict Y);

/* dH, dfrom, dto from dY; Y as forward made it.  partial: see kernels/gemm.h,
 * with j = K, k = D. */
void kith__attention_backward(const kith__attention *a, const float *Y,
                              const float *dY, float *restrict dH, float *dfrom,
                              float *dto, float *partial);

#endif
