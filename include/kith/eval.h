/*
 * kith/eval.h: how good predictions are, and random splits to find out.
 */
#ifndef KITH_EVAL_H
#define KITH_EVAL_H

#include "kith/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Scores of predicted probabilities on some labelled nodes; docs/scores.md has
 * the formulas.  All are NaN if no node is scored. */
typedef struct kith_scores {
    int32_t nodes;   /* scored: those of the list that have a label */
    double accuracy; /* of the most probable class */
    double macro_f1; /* mean over classes that occur or are predicted */
    double auc;      /* two classes: of the second; more: mean over the
                        classes that occur, one against the rest;
                        NaN if one class only occurs */
    double average_precision; /* the same way */
    double log_loss;          /* mean of -log p(true class), p >= 1e-15 */
    double ece;               /* expected calibration error, 15 bins of equal
                                 width of the highest probability */
} kith_scores;

/*
 * Score probabilities (n x classes, row-major) on `nodes`.  Nodes without a
 * label are left out.  Ties: the class with the smaller number is predicted;
 * equal scores count half in the AUC and share their place in the average
 * precision.
 *
 * Errors: KITH_ERR_ARGUMENT (no such node; a value that is no probability),
 * KITH_ERR_NOMEM.  Threads: safe on distinct outputs.  Cost: O(N C) time,
 * 20 N bytes.
 */
KITH_API kith_status kith_score(const float *probabilities,
                                const kith_labels *labels, const int32_t *nodes,
                                int32_t n_nodes, kith_scores *out,
                                kith_error *err);

/*
 * Share of nodes of class c among the k that are given it with the highest
 * probability (all if there are fewer); ties: the smaller node number first.
 * Nodes without a label are left out; NaN if none is left.
 *
 * Errors: as kith_score(); KITH_ERR_ARGUMENT also if k < 1 or c is no class.
 * Cost: O(N (C + log N)).
 */
KITH_API kith_status kith_precision_at(const float *probabilities,
                                       const kith_labels *labels,
                                       const int32_t *nodes, int32_t n_nodes,
                                       int32_t c, int32_t k, double *out,
                                       kith_error *err);

/* One method on one split. */
typedef struct kith_trial {
    kith_scores scores; /* of the test nodes */
    double validation;  /* accuracy, NaN without validation nodes */
    double seconds;     /* to train and predict, tuning included */
    double temperature;
    kith_certificate certificate;
} kith_trial;

/*
 * Train on the split as kith_model_train() does, predict and score.  If there
 * are no validation nodes and not everything is fixed, a fifth of the training
 * nodes is held out to tune on, and all are fitted with what was chosen.
 *
 * probabilities  n x classes, filled with those of every node
 * model          on success the model, to be freed with kith_model_free()
 *
 * Errors: those of kith_model_train() and kith_score().
 */
KITH_API kith_status kith_trial_run(const kith_dataset *d, const char *method,
                                    const kith_split *split,
                                    const kith_train_options *options,
                                    float *probabilities, kith_trial *out,
                                    kith_model **model, kith_error *err);

/* Values of several trials in two numbers; what is NaN is left out. */
typedef struct kith_spread {
    double mean; /* NaN if none is left */
    double std;  /* of a sample: divided by n - 1; 0 for one */
    int n;       /* how many are left */
} kith_spread;

KITH_API kith_spread kith_spread_of(const double *x, int count);

/* What a list of all nodes with a score of at least `threshold` holds, as
 * estimated from nodes whose truth is known and whose score is honest. */
typedef struct kith_threshold {
    double threshold;
    int32_t positives, negatives; /* known nodes */
    int32_t hits, misses; /* of the known: listed positives, negatives */
    double precision, precision_low, precision_high; /* 95 % (Wilson) */
    double recall, recall_low, recall_high;
} kith_threshold;

typedef enum kith_goal {
    KITH_GOAL_AT = 0,    /* the threshold is `wish` */
    KITH_GOAL_PRECISION, /* the longest list with at least this precision */
    KITH_GOAL_RECALL     /* the shortest list with at least this recall */
} kith_goal;

/*
 * Choose a threshold.
 *
 * scores, positive  of n known nodes; not learnt from when they were scored
 * prevalence        share of positives where the list is made, if it differs
 *                   from the known nodes' (precision hangs on it); NaN = theirs
 *
 * If no threshold reaches the precision, the one that comes nearest is taken;
 * out->precision tells.  NaN where nothing is listed.
 *
 * Errors: KITH_ERR_ARGUMENT (no positives or no negatives, a wish or
 * prevalence outside 0 .. 1), KITH_ERR_NOMEM.  Cost: O(n log n).
 */
KITH_API kith_status kith_threshold_choose(const double *scores,
                                           const bool *positive, int32_t n,
                                           double prevalence, kith_goal goal,
                                           double wish, kith_threshold *out,
                                           kith_error *err);

/*
 * A random split of the labelled nodes: per_class training nodes of each class
 * (all but one of a smaller class, at least 1), then val nodes from the rest
 * at random, all others for testing.  It depends on the seed, the trial and the
 * ids of nodes, not on their numbers (graph NULL: node u is called u); named
 * "seed-SEED-TRIAL".  Training nodes of a smaller per_class are
 * among those of a larger one.  Free with kith_split_release().
 *
 * Errors: KITH_ERR_ARGUMENT (per_class < 1, val or trial < 0), KITH_ERR_RANGE
 * if no node would be left for testing, KITH_ERR_NOMEM; *out is then empty.
 * Cost: O(n log n + classes).
 */
KITH_API kith_status kith_split_random(const kith_graph *graph,
                                       const kith_labels *labels,
                                       int32_t per_class, int32_t val,
                                       uint64_t seed, int32_t trial,
                                       kith_split *out, kith_error *err);

/*
 * A stratified part of given nodes: *held gets about `share` (between 0 and 1)
 * of each class, of a class that has two or more at least one and not all;
 * *kept the others.  Both ascend whatever the order of `nodes`, repeats merged,
 * and are new arrays to be freed with kith_array_free().  Drawn by ids, as
 * above.
 *
 * Errors: KITH_ERR_ARGUMENT (share, no such node), KITH_ERR_NOMEM; both are
 * then NULL.  Cost: O(n log n + classes).
 */
KITH_API kith_status kith_hold_out(const kith_graph *graph,
                                   const kith_labels *labels,
                                   const int32_t *nodes, int32_t n_nodes,
                                   double share, uint64_t seed, int32_t **kept,
                                   int32_t *n_kept, int32_t **held,
                                   int32_t *n_held, kith_error *err);
KITH_API void kith_array_free(void *array);

#ifdef __cplusplus
}
#endif
#endif
