/*
 * registry.c: the methods there are.
 */
#include "models/baselines/net_method.h"
#include "models/lcm_em/lcm_em.h"
#include "models/one_class.h"
#include "models/potentials/boosted_trees.h"

static const kith_method_info list[] = {
    {"auto",
     "the best of lcm-em, linbp, lcm, logreg and lcm-trees by validation"},
    {"logreg", "logistic regression; the graph at most smooths the features"},
    {"linbp", "linearised belief propagation"},
    {"bp", "loopy belief propagation, a message per edge and direction"},
    {"lcm",
     "learn coupling matrix and edge weights, with the consistency term"},
    {"lcm-wo", "lcm without the consistency term"},
    {"lcm-l1", "lcm with an L1 penalty instead of the consistency term"},
    {"lcm-l2", "lcm with an L2 penalty instead of the consistency term"},
    {"lcm-em", "lcm with potentials learnt through the graph, by EM"},
    {"lcm-trees", "a coupling learnt on top of what boosted trees say"},
    {"trees", "boosted trees on features beside neighbours' means"},
    {"gcn", "graph convolutional network, two layers"},
    {"sgc", "simple graph convolution: a linear model of smoothed features"},
    {"appnp", "a two-layer perceptron, then personalised PageRank"},
    {"lp", "label propagation, seeds kept"},
    {"cheb", "Chebyshev filters of the graph, two layers"},
    {"sage", "GraphSAGE with the mean aggregator, two layers"},
    {"gat", "graph attention network, two layers, eight heads"},
    {"ica", "iterative classification: features and neighbours' labels"},
    {"manireg", "manifold regularisation: a linear model smooth on the graph"},
    {"semiemb", "semi-supervised embedding: a perceptron smooth on the graph"},
    {"deepwalk", "vectors from random walks, then logistic regression"},
    {"planetoid", "features and vectors from random walks, transductive"},
    {"planetoid-i", "the same with vectors that are functions of features"},
};

enum { EPOCHS = 200 };

/* Beside the list: what they need and how they run. */
static const kith__method methods[] = {
    {.uses_graph = true}, /* none of its own: auto.c */
    {.needs_features = true, .run = kith__logreg_run},
    {.uses_graph = true,
     .shares = KITH__SHARES_OF_MASS,
     .run = kith__linbp_run,
     .grid = kith__linbp_grid},
    {.uses_graph = true, .shares = KITH__SHARES_OF_LOGITS, .run = kith__bp_run},
    {.uses_graph = true,
     .learns = true,
     .shares = KITH__SHARES_OF_MASS,
     .run = kith__lcm_run},
    {.uses_graph = true,
     .learns = true,
     .shares = KITH__SHARES_OF_MASS,
     .run = kith__lcm_wo_run},
    {.uses_graph = true,
     .learns = true,
     .shares = KITH__SHARES_OF_MASS,
     .run = kith__lcm_l1_run},
    {.uses_graph = true,
     .learns = true,
     .shares = KITH__SHARES_OF_MASS,
     .run = kith__lcm_l2_run},
    {.uses_graph = true, .fit = kith__lcm_em_fit, .apply = kith__lcm_em_apply},
    {.uses_graph = true,
     .needs_features = true,
     .grows_trees = true,
     .fit = kith__lcm_trees_fit,
     .apply = kith__lcm_trees_apply},
    {.uses_graph = true,
     .needs_features = true,
     .grows_trees = true,
     .fit = kith__trees_method_fit,
     .apply = kith__trees_method_apply},
    {.uses_graph = true,
     .iterations = EPOCHS,
     .draws = true,
     .net = &kith__gcn_type},
    {.uses_graph = true, .draws = true, .net = &kith__sgc_type},
    {.uses_graph = true,
     .iterations = EPOCHS,
     .draws = true,
     .net = &kith__appnp_type},
    {.uses_graph = true,
     .iterations = 1000,
     .no_features = true,
     .shares = KITH__SHARES_OF_LOGITS,
     .fit = kith__lp_fit,
     .apply = kith__lp_apply},
    {.uses_graph = true,
     .iterations = EPOCHS,
     .draws = true,
     .net = &kith__cheb_type},
    {.uses_graph = true,
     .iterations = EPOCHS,
     .draws = true,
     .net = &kith__sage_type},
    {.uses_graph = true,
     .iterations = EPOCHS,
     .draws = true,
     .net = &kith__gat_type},
    {.uses_graph = true,
     .draws = true,
     .fit = kith__ica_fit,
     .apply = kith__ica_apply},
    {.uses_graph = true, .net = &kith__manireg_type},
    {.uses_graph = true,
     .iterations = EPOCHS,
     .draws = true,
     .net = &kith__semiemb_type},
    {.uses_graph = true,
     .iterations = 10,
     .draws = true,
     .no_features = true,
     .fit = kith__deepwalk_fit,
     .apply = kith__deepwalk_apply},
    {.uses_graph = true,
     .iterations = EPOCHS,
     .draws = true,
     .net = &kith__planetoid_type},
    {.uses_graph = true,
     .iterations = EPOCHS,
     .draws = true,
     .net = &kith__planetoid_i_type},
};

enum { METHODS = sizeof(list) / sizeof(*list) };

_Static_assert(METHODS == sizeof(methods) / sizeof(*methods), "side by side");

/* On no list: one_class.h. */
static const kith__method one_class = {.uses_graph = true,
                                       .calibrated = true,
                                       .fit = kith__one_class_fit,
                                       .apply = kith__one_class_apply};

const kith__method *kith__method_find(const char *name)
{
    if (strcmp(name, KITH__ONE_CLASS) == 0)
        return &one_class;
    for (int i = 0; i < METHODS; i++)
        if (strcmp(list[i].name, name) == 0)
            return &methods[i];
    return NULL;
}

const kith_method_info *kith_methods(int *count)
{
    *count = METHODS;
    return list;
}

bool kith_method_needs_features(const char *name)
{
    const kith__method *m = kith__method_find(name);

    return m && m->needs_features;
}

bool kith_method_is_available(const char *name)
{
    const kith__method *m = kith__method_find(name);

    return m && (!m->grows_trees || kith__trees_version());
}
