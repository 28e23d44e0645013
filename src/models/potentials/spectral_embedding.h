/*
 * spectral_embedding.h: nodes as points: the eigenvectors of a symmetric
 * operator on the graph whose eigenvalues are largest in absolute value.
 */
#ifndef KITH_MODELS_SPECTRAL_EMBEDDING_H
#define KITH_MODELS_SPECTRAL_EMBEDDING_H

#include "core/status.h"
#include "kernels/operator.h"

enum { KITH__EMBED_MOST = 64 };

/* vectors n x rank, row-major, orthonormal columns; values rank, by falling
 * absolute value.  rank <= KITH__EMBED_MOST and rank <= W->n. */
kith_status kith__embed(const kith__operator *W, const kith_graph *g, int rank,
                        float *vectors, float *values, kith_error *err);

#endif
