/*
 * net_method.h: a network (nn/net.h) as a method: training with early stopping,
 * the choice of settings, what the model file keeps.
 *
 * With validation nodes, every point of the type's grid is trained until
 * nothing has improved on them for PATIENCE epochs; the weights of the best
 * epoch of all are kept (log-loss at the best temperature, then accuracy).
 * Without them, or with everything fixed, or with choices given: the first
 * point, or that one, for a fixed number of epochs.  `iterations`, if fixed, is
 * that number.
 *
 * The start is a fixed one (kith_train_options has no seed): the same data
 * give the same bytes.
 */
#ifndef KITH_MODELS_NET_METHOD_H
#define KITH_MODELS_NET_METHOD_H

#include "models/method.h"
#include "nn/net.h"

kith_status kith__net_fit(const kith__net_type *type, const kith__task *task,
                          const kith_features *features,
                          const kith_train_options *options,
                          const kith__labelled_nodes *val,
                          kith__fit_state *state, kith__beliefs *out,
                          kith_error *err);
kith_status kith__net_apply(const kith__net_type *type, const kith__task *task,
                            const kith_features *features,
                            const kith__fit_state *state, kith__beliefs *out,
                            kith_error *err);

extern const kith__net_type kith__gcn_type, kith__sgc_type, kith__appnp_type,
    kith__cheb_type, kith__sage_type, kith__gat_type, kith__manireg_type,
    kith__semiemb_type, kith__planetoid_type, kith__planetoid_i_type;

/* ---- shared with the other methods that fit on their own ----------------- */

/* A certificate of a method without propagation that could diverge. */
kith_certificate kith__plain_certificate(int32_t iterations);

/* Is this a new training (not one with choices given, nor all fixed)? */
bool kith__may_choose(const kith_train_options *options,
                      const kith__labelled_nodes *val,
                      const kith__fit_state *state);

/*
 * For methods that learn something about each node of one graph: remember which
 * graph, and refuse another.
 */
kith_status kith__bind_graph(kith__fit_state *state, const kith_graph *g,
                             kith_error *err);
kith_status kith__check_graph(const kith__fit_state *state, const kith_graph *g,
                              kith_error *err);

/*
 * The vectors of nodes that the model whose choices are taken (NULL: none)
 * learnt on the same graph; NULL if it has none.  They hang on the graph alone,
 * and cost more than all that follows.
 */
const float *kith__known_vectors(const kith_train_options *options,
                                 const kith_graph *g, int64_t columns);

#endif
