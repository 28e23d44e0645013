/*
 * ascending.h: rows from edges that come in order: u < v, and every edge after
 * the one before.
 *
 * Most files list edges so, and then nothing has to be sorted or merged.
 */
#ifndef KITH_GRAPH_ASCENDING_H
#define KITH_GRAPH_ASCENDING_H

#include "graph/builder.h"

/*
 * Build the rows of csr, whose n and rows (n + 1) are there, from blocks of
 * edges each of which is in order; the blocks may interleave, as they do when
 * threads read a file side by side.
 *
 * rank  numbers the ends; NULL: they are node numbers already
 * done  false if the edges are not in order, or one comes twice: csr is then
 *       as it was, but for what is in csr->rows
 */
kith_status kith__ascending_build(const kith__edges *blocks, int64_t n_blocks,
                                  const kith__rank *rank, int threads,
                                  kith__csr *csr, bool *done, kith_error *err);

#endif
