/*
 * share_calibrator.h: probabilities by the share of each class in the mass that
 * reaches a node (calibrator K).
 *
 * Beliefs' mass varies over decades with degree and distance, and classes have
 * different mass in all, so that one temperature makes too much of some nodes
 * and too little of others, and may give all of them one class.  What tells is
 * the share of a class against its average share.  With F_c the mass of class c
 * at a node, m_c its mean over all nodes and pi_c the prior,
 *
 *     g_c = F_c / m_c,    r_c = g_c / sum_c pi_c g_c
 *     x_c = 1.1 log( (.1 + r_c) / 1.1 )     0 at the average share
 *     p   = (1 - lam) softmax_c( log pi_c + a D^kappa x_c ) + lam pi
 *
 *   D    (1 + degree) / (1 + mean degree): shares of many neighbours say more
 *   a    how much a share says; below 0 neighbours are of other classes
 *   lam  how often it says nothing
 *
 * a, kappa and lam have the least log-loss at nodes that were not learnt
 * from, with targets that are not quite certain (e = 1 / (n + 2), calibrate.c)
 * and a penalty (a - 1.5)^2 / 32 + kappa + 2 lam that matters where nodes are
 * few.
 */
#ifndef KITH_MODELS_SHARE_CALIBRATOR_H
#define KITH_MODELS_SHARE_CALIBRATOR_H

#include <stdint.h>

typedef struct kith__share_fit {
    double a, kappa, lam;
} kith__share_fit;

/* Nodes to fit to: rows of g (below 0 where m_c is 0), D, classes. */
typedef struct kith__share_rows {
    int classes;
    int32_t n;
    const float *g;
    const float *degree;
    const int32_t *truth;
} kith__share_rows;

/* The fit; room has 2 classes (n + 1) numbers. */
kith__share_fit kith__share_fit_to(const kith__share_rows *rows,
                                   const double *prior, double *room);

/* What it minimises. */
double kith__share_loss(const kith__share_fit *f, const kith__share_rows *rows,
                        const double *prior, double *room);

/* p of one node. */
void kith__share_probabilities(const kith__share_fit *f, int classes,
                               const double *prior, const float *g,
                               float degree, double *p);

#endif
