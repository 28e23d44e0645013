/*
 * neighbour_rows.h: what people build by hand for boosted trees: a row for a
 * node with its own features beside its neighbours' means.
 *
 *     [ x_u | (M X)_u | (M M X)_u | d_u ],    M = D^-1 A
 *
 *   X  n x d  features as they are       A  with edge weights, if there are any
 *   d_u       the sum of row u of A
 *
 * Means are formed where the features have an entry; an isolated node has none,
 * which trees take for missing.  Sums are of doubles, so that the order of
 * neighbours does not show in the floats but by a rounding in 10^8.
 */
#ifndef KITH_MODELS_NEIGHBOUR_ROWS_H
#define KITH_MODELS_NEIGHBOUR_ROWS_H

#include "graph/graph_object.h"
#include "models/potentials/feature_matrix.h"

typedef struct kith__neighbour_rows {
    const kith_graph *graph;
    kith__csr_matrix x, mean; /* X and M X */
} kith__neighbour_rows;

/* Cost: O(m d) for d entries in a row, and M X in memory. */
kith_status kith__neighbour_rows_new(const kith_graph *g,
                                     const kith_features *f,
                                     kith__neighbour_rows *out,
                                     kith_error *err);
void kith__neighbour_rows_release(
    kith__neighbour_rows *r); /* a zeroed one is fine */

/* How many columns a row has: 3 d + 1. */
int64_t kith__neighbour_rows_columns(const kith__neighbour_rows *r);

/* The rows of n nodes, sparse: a new matrix. */
kith_status kith__neighbour_rows_of(const kith__neighbour_rows *r,
                                    const int32_t *nodes, int32_t n,
                                    kith__csr_matrix *out, kith_error *err);

#endif
