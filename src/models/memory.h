/*
 * memory.h: the memory that a fit holds at its peak, counted by its arrays:
 * what
 * `--plan`, `--memory` and `kith graph info` tell.
 */
#ifndef KITH_MODELS_MEMORY_H
#define KITH_MODELS_MEMORY_H

#include "models/method.h"

/* A task with what counting needs and no memory of its own: W has its pattern
 * and whether there are weights, and cannot be applied. */
kith__task kith__task_to_count(const kith_graph *g, int classes,
                               const int32_t *train, int32_t n_train,
                               const kith_job *job);

/*
 * Bytes of a fit of logreg, linbp, bp or one of lcm with all that it is given
 * and that comes out, `runs` of it at once.
 *
 * Cost: the edges of the training nodes, and features of some nodes and around
 * them.
 */
kith_status kith__memory_of(const kith__task *t, const kith__method *method,
                            const kith_dataset *d, const kith_params *p,
                            int runs, double *bytes, kith_error *err);

/* Of the matrix as it was read; 0 for NULL. */
double kith__feature_bytes(const kith_features *x);

/* Of a node, where lcm's weights are not stored. */
double kith__record_bytes(int classes, const kith_params *p);

#endif
