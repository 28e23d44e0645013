/*
 * spill.h: edges that do not fit in memory.
 *
 * Blocks become sorted runs in one unnamed scratch file; in the end windows of
 * rows are read from all runs, merged and emitted in order.  Disk: 4 bytes per
 * stored neighbour (8 with weights) and 8 per row and run.
 */
#ifndef KITH_GRAPH_SPILL_H
#define KITH_GRAPH_SPILL_H

#include "graph/builder.h"
#include "graph/rank.h"
#include "graph/rows.h"

typedef struct kith__spill kith__spill;

kith_status kith__spill_new(const char *folder, const kith_job *job,
                            bool weighted, kith_merge merge, kith__spill **out,
                            kith_error *err);
void kith__spill_free(kith__spill *s); /* NULL is fine */

/* Write the edges of some blocks, self-loops left out, as sorted runs. */
kith_status kith__spill_add(kith__spill *s, const kith__edges *blocks,
                            int64_t n_blocks, kith_error *err);

/*
 * Merge the runs into rows.  rank numbers raw ids (NULL: they are nodes).
 * Sets rows[0 .. n] and *merged, and gives the neighbours to emit.
 */
kith_status kith__spill_merge(kith__spill *s, const kith__rank *rank, int32_t n,
                              int64_t *rows, kith__emit_fn emit, void *user,
                              kith__merged *merged, kith_error *err);

#endif
