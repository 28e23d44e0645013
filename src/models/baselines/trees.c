/*
 * trees.c: gradient-boosted trees on a node's own features beside its
 * neighbours' means: what one would build by hand, to compare with.
 *
 *     F = [ x | M x | M M x | degree ],  M = D^-1 A;   P = trees(F)
 *
 * Validation nodes say when to stop.  A model keeps how many rounds those were:
 * to predict is to grow them again from the training nodes that are there.
 */
#include <math.h>

#include "models/baselines/net_method.h"
#include "models/potentials/tree_potentials.h"

static kith_status run(const kith__task *task, const kith_features *features,
                       const kith__labelled_nodes *val, kith__tree_plan *plan,
                       kith__beliefs *out, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__tree_potentials(task, features, val, plan, out->P, err));
    out->has_coupling = false;
    out->certificate = (kith_certificate){.rho = (double)NAN,
                                          .residual = (double)NAN,
                                          .iterations = plan->rounds,
                                          .converged = true};
out:
    return st;
}

kith_status kith__trees_method_fit(const kith__task *task,
                                   const kith_features *features,
                                   const kith_train_options *options,
                                   const kith__labelled_nodes *val,
                                   kith__fit_state *state, kith__beliefs *out,
                                   kith_error *err)
{
    const kith__labelled_nodes none = {0};
    const bool choose = kith__may_choose(options, val, state);
    kith__tree_plan plan = kith__tree_plan_of(state, options);
    kith_status st = KITH_OK;

    TRY(run(task, features, choose ? val : &none, &plan, out, err));
    TRY(kith__tree_plan_keep(&plan, state, err));
out:
    return st;
}

kith_status kith__trees_method_apply(const kith__task *task,
                                     const kith_features *features,
                                     const kith__fit_state *state,
                                     kith__beliefs *out, kith_error *err)
{
    const kith__labelled_nodes none = {0};
    kith__tree_plan plan = kith__tree_plan_of(state, NULL);

    return run(task, features, &none, &plan, out, err);
}
