/*
 * choice.h: is one candidate better than another by more than chance?
 *
 * What a candidate is worth under a measure (--optimise) is the mean of what it
 * is worth at each of n nodes, so that two of them are compared in pairs: with
 * D the differences of the nodes,
 *
 *     b beats a   <=>   mean D > sqrt( sum (D - mean D)^2 / (n (n - 1)) )
 *
 * Log-loss and accuracy are such means.  AUC, average precision and macro-F1
 * are not: a node's worth is the measure and how much the measure hangs on it
 * (its influence function; of AUC, DeLong et al., 1988), whose mean is the
 * measure again.
 */
#ifndef KITH_MODELS_CHOICE_H
#define KITH_MODELS_CHOICE_H

#include "core/status.h"
#include "kith/graph.h"
#include "kith/options.h"
#include "models/potentials/calibrate.h"

/* What it is told by; at most 1,024 groups of nodes, drawn by their ids, stand
 * for more nodes than that. */
typedef struct kith__judge {
    kith_optimise measure;
    int classes;
    const kith__labelled_nodes *at;
    int32_t *group; /* of each node; NULL: each its own */
    int32_t groups;
} kith__judge;

/* What is told of a candidate.  `worth` has room for the judge's groups: sums
 * over their nodes; NULL: not wanted. */
typedef struct kith__valued {
    kith__score score;
    double *worth;
} kith__valued;

/* Judge by `at`, which must outlive it. */
kith_status kith__judge_new(const kith_graph *g, kith_optimise measure,
                            int classes, const kith__labelled_nodes *at,
                            kith__judge *out, kith_error *err);
void kith__judge_release(kith__judge *j); /* a zeroed one is fine */

/* Of beliefs, n x classes of all nodes, at their best temperature. */
kith_status kith__judge_beliefs(const kith__judge *j, const float *P,
                                kith__valued *out, kith_error *err);

/* Of probabilities, n x classes of all nodes, as they are: worth alone. */
kith_status kith__judge_probabilities(const kith__judge *j, const float *p,
                                      double *worth, kith_error *err);

/* The measure, the larger the better: of log-loss its negative. */
double kith__worth_mean(const kith__judge *j, const double *worth);

/* Is b better than a by more than the standard error? */
bool kith__beats(const kith__judge *j, const double *b, const double *a);

/* The best of n candidates that beat the usual one; that one if there are
 * none. */
int kith__choose(const kith__judge *j, const kith__valued *of, int n,
                 int usual);

#endif
