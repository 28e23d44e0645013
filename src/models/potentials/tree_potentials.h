/*
 * tree_potentials.h: what boosted trees say of every node, from its own
 * features beside its neighbours' means (neighbour_rows.h).
 *
 * A training node's own trees know it by heart: where something is learnt from
 * what they say, it comes from trees grown without the node's fold.
 */
#ifndef KITH_MODELS_TREE_POTENTIALS_H
#define KITH_MODELS_TREE_POTENTIALS_H

#include "models/method.h"

typedef struct kith__tree_plan {
    int rounds; /* all of them, if fixed or there is nothing to stop by */
    bool fixed;
    bool balance;     /* classes weigh the same */
    bool out_of_fold; /* at training nodes: by trees without their fold */
} kith__tree_plan;

/* As the state has it, or, if that is empty, the options do. */
kith__tree_plan kith__tree_plan_of(const kith__fit_state *state,
                                   const kith_train_options *options);
kith_status kith__tree_plan_keep(const kith__tree_plan *plan,
                                 kith__fit_state *state, kith_error *err);

/*
 * Z, n x classes: logits of all nodes, rows centred.  With validation nodes (n
 * may be 0) trees are grown until those gain no more, at most 300 rounds,
 * unless their number is fixed; plan->rounds becomes how many.
 */
kith_status kith__tree_potentials(const kith__task *task,
                                  const kith_features *features,
                                  const kith__labelled_nodes *val,
                                  kith__tree_plan *plan, float *Z,
                                  kith_error *err);

#endif
