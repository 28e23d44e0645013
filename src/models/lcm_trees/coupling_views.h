/*
 * coupling_views.h: what potentials look like from each node, by several
 * operators side by side.
 *
 *     T = q, training rows one-hot, less the prior
 *     K = the same of training nodes alone, 0 elsewhere
 *     V = [ log q | M T | W T | (M M - R) T | M K | log(1 + d) ]
 *
 *   M = D^-1 A    W = D^-1/2 A D^-1/2    R = diag(M M): what comes back to a
 *   node from itself      prior: the classes' shares among the training nodes
 *
 * No column but log q has anything of the node itself in it.
 */
#ifndef KITH_MODELS_COUPLING_VIEWS_H
#define KITH_MODELS_COUPLING_VIEWS_H

#include "models/method.h"

/* Columns of V: 5 C + 1. */
int32_t kith__coupling_columns(int classes);

/* V, n x columns, of the logits Z (n x classes) of q, which become log q.
 * Cost: five passes over the edges; 12 bytes a node and class. */
kith_status kith__coupling_views(const kith__task *task, float *Z, float *V,
                                 kith_error *err);

#endif
