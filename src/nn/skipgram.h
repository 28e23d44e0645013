/*
 * skipgram.h: vectors of nodes that predict who is near them on random walks:
 * skip-gram with negative sampling (Mikolov, Sutskever, Chen, Corrado, Dean,
 * NIPS 2013) on walks (Perozzi, Al-Rfou, Skiena, KDD 2014).
 *
 *     max  sum over pairs (i, j)  log s(e_i . c_j)
 *                                 + sum over NEGATIVES j'  log s(-e_i . c_j')
 *
 *   s(x) = 1 / (1 + exp(-x));  j within WINDOW steps of i on a walk;
 *   j' drawn by degree^3/4
 *
 * Stochastic gradient, the rate falling linearly to a hundredth.  Threads would
 * race for the vectors; so, as in Gemulla, Haas, Nijkamp, Sismanis (KDD 2011),
 * nodes are cut into BLOCKS, pairs sorted by the blocks of i and j, and blocks
 * of pairs that share neither rows nor columns run side by side, each in its
 * own order.  Negatives come from the block of j.  So the result does not
 * depend on threads.
 */
#ifndef KITH_NN_SKIPGRAM_H
#define KITH_NN_SKIPGRAM_H

#include "core/status.h"
#include "kith/graph.h"

typedef struct kith__walks {
    int size;   /* of a vector, a multiple of 8 */
    int walks;  /* from each node */
    int length; /* nodes of a walk */
    int window;
    double rate;
} kith__walks;

/* E (n x size) */
kith_status kith__skipgram(const kith_graph *g, const kith__walks *how,
                           const kith_job *job, int threads, float *E,
                           kith_error *err);

#endif
