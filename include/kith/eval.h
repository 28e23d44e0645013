/*
 * kith/eval.h: from known labels to answers that can be trusted: hold out,
 * tune, fit, rank, measure; and tables and JSON of what came of it.
 *
 *     kith_protocol p;
 *     kith_classification *c;
 *
 *     kith_train_options_init(&o);
 *     kith_protocol_make(d, NULL, .2, 1, &p, &err);
 *     kith_classify(d, "auto", &p, &o, 0, &c, &err);
 *     kith_predictions what = {c->probabilities, c->evidence};
 *     kith_predictions_write(d->graph, c->model, &what, "out.tsv", NULL, NULL,
 *                            &err);
 */
#ifndef KITH_EVAL_H
#define KITH_EVAL_H

#include "kith/explain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Scores of predicted probabilities on some labelled nodes; docs/scores.md has
 * the formulas.  All are NaN if no node is scored. */
typedef struct kith_scores {
    int32_t nodes;   /* scored: those of the list that have a label */
    double accuracy; /* of the most probable class */
    double macro_f1; /* mean over classes that occur or are predicted */
    double auc;      /* of the class that is looked for (`positive`); if that
                        is none, mean over the classes that occur, one against
                        the rest; NaN if one class only occurs */
    double average_precision; /* the same way */
    double log_loss;          /* mean of -log p(true class), p >= 1e-15 */
    double ece;               /* expected calibration error, 15 bins of equal
                                 width of the highest probability */
    double best_f1; /* as the AUC: F1 of a list cut where that is largest */
} kith_scores;

/*
 * Score probabilities (n x classes, row-major) on `nodes`.  Nodes without a
 * label are left out.  Ties: the class with the smaller number is predicted;
 * equal scores count half in the AUC and share their place in the average
 * precision.
 *
 * positive  the class that is looked for: AUC, average precision and best F1
 *           are of it.  KITH_POSITIVE_AUTO: of two classes the one that fewer
 *           nodes are of by all the labels (kith_labels_rarest()); with more,
 *           none
 *
 * Errors: KITH_ERR_ARGUMENT (no such node or class; a value that is no
 * probability), KITH_ERR_NOMEM.  Threads: safe on distinct outputs.  Cost:
 * O(n + N C) time, 20 N bytes.
 */
enum { KITH_POSITIVE_AUTO = -1 };
KITH_API kith_status kith_score(const float *probabilities,
                                const kith_labels *labels, const int32_t *nodes,
                                int32_t n_nodes, int32_t positive,
                                kith_scores *out, kith_error *err);

/* Where a value lies with 95 % certainty, as far as chance in the nodes that it
 * was measured on goes; NaN where that cannot be told. */
typedef struct kith_interval {
    double low, high;
} kith_interval;

/* Of a share, hits of so many: Wilson's; 0 to 1 of none. */
KITH_API kith_interval kith_share_interval(double hits, double of);

/* Of the scores; the calibration error has none, as its error is bias. */
typedef struct kith_intervals {
    kith_interval accuracy; /* Wilson's */
    kith_interval macro_f1, auc, average_precision;
    /* bootstrap within classes, and Wilson's of as many nodes as the rarer
     * kind has where these are few (docs/scores.md) */
    kith_interval log_loss; /* bootstrap; NaN of one node */
} kith_intervals;

/*
 * The intervals of what kith_score() says.  Drawn by the seed and the ids of
 * the nodes (graph NULL: node u is called u): the same for any order of the
 * nodes, any numbers they have, any number of threads.
 *
 * Errors: those of kith_score(), KITH_ERR_CANCELLED.  Cost: 999 replicates (199
 * from 500,000 nodes x classes) of O(N C), about 3 s for 10^9 / threads; 40 N
 * bytes and 4 N a thread.
 */
KITH_API kith_status kith_score_intervals(const kith_graph *graph,
                                          const float *probabilities,
                                          const kith_labels *labels,
                                          const int32_t *nodes, int32_t n_nodes,
                                          int32_t positive, uint64_t seed,
                                          const kith_job *job,
                                          kith_intervals *out, kith_error *err);

/*
 * Of a model that ranks without probabilities (kith_model_one_class()) only
 * AUC and average precision mean something: what else there is becomes NaN.
 * Either may be NULL.
 */
KITH_API void kith_model_mask_scores(const kith_model *m, kith_scores *scores,
                                     kith_intervals *intervals);

/*
 * Of the k nodes that are given class c with the highest probability (all if
 * there are fewer) the share of that class, and how large a share these are of
 * all nodes of the class; ties: the smaller node number first.  Nodes without
 * a label are left out; NaN if none is left.  recall may be NULL.
 *
 * Errors: as kith_score(); KITH_ERR_ARGUMENT also if k < 1 or c is no class.
 * Cost: O(N (C + log N)).
 */
KITH_API kith_status kith_precision_at(const float *probabilities,
                                       const kith_labels *labels,
                                       const int32_t *nodes, int32_t n_nodes,
                                       int32_t c, int32_t k, double *precision,
                                       double *recall, kith_error *err);

/* What sets of classes hold, counted on nodes with a label. */
typedef struct kith_coverage {
    int32_t nodes;
    double share; /* of nodes whose set has the true class; NaN of none */
    kith_interval interval; /* of that, as far as these nodes go */
    double size;            /* mean number of classes */
    int32_t empty, full;    /* sets with none, with all */
} kith_coverage;

/* sets: n x classes, of kith_sets().  The nodes must be of the labels'. */
KITH_API kith_coverage kith_coverage_of(const uint8_t *sets,
                                        const kith_labels *labels,
                                        const int32_t *nodes, int32_t n_nodes);

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
 * A split by time: about the share `train` of the labelled nodes that have one
 * (times: n, NaN for none), the earliest, to learn from, the share `val` after
 * them to tune on, and the newest to test on; called "by-time".  Nodes of one
 * time stay together, in the later part.  Free with kith_split_release().
 *
 * Errors: KITH_ERR_ARGUMENT (shares), KITH_ERR_RANGE (nothing is left to learn
 * from or to test on), KITH_ERR_NOMEM; *out is then empty.  Cost: O(n log n).
 */
KITH_API kith_status kith_split_by_time(const kith_graph *graph,
                                        const kith_labels *labels,
                                        const double *times, double train,
                                        double val, kith_split *out,
                                        kith_error *err);

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

/* ---- hold out, tune, fit ------------------------------------------------- */

/* Which labelled nodes a method learns from and which it is tuned on. */
typedef struct kith_protocol {
    kith_split whole;  /* train: all to learn from; val: those named to tune
                          on; test: as given */
    kith_split tuning; /* of whole.train, what is kept to learn from and what
                          is held out to tune on first; empty if nothing is */
    uint64_t seed;     /* that chose it */
} kith_protocol;

/*
 * split     learn from its training nodes and tune on its validation nodes, as
 *           far as they have a label; without training nodes (train NULL), or
 *           NULL, learn from all labelled nodes that it does not name to tune
 *           on
 * hold_out  share of each class, from 0 = none to below 1, that is held out to
 *           tune on where the split names no such node
 * seed      chooses them, by ids (kith_hold_out())
 *
 * Free with kith_protocol_release().  Errors: KITH_ERR_ARGUMENT (no labels; no
 * labelled node is left to learn from; a share or node out of range),
 * KITH_ERR_NOMEM; *out is then empty.  Cost: O(n log n + classes).
 */
KITH_API kith_status kith_protocol_make(const kith_dataset *d,
                                        const kith_split *split,
                                        double hold_out, uint64_t seed,
                                        kith_protocol *out, kith_error *err);
KITH_API void kith_protocol_release(kith_protocol *p);

/* What is fitted first: p->tuning, or p->whole if nothing is held out. */
KITH_API const kith_split *kith_protocol_first(const kith_protocol *p);

enum { /* bits of what kith_classify() keeps beyond its result */
       KITH_KEEP_SOLUTION = 1,
       KITH_KEEP_UNSEEN = 2
};

typedef struct kith_classification {
    kith_model *model;       /* fitted to all of protocol->whole.train */
    kith_model *tuned;       /* to those of protocol->tuning; NULL without */
    kith_solution *solution; /* of model; NULL if not to be kept */
    float *probabilities;    /* n x classes, by model */
    uint8_t *evidence;       /* n: kith_evidence; NULL where it is not told */
    float *unseen;           /* the same by tuned, which has not learnt from
                                what was held out; NULL if not to be kept */
    uint8_t *sets;           /* n x classes, kith_sets(); NULL if
                                options.coverage was 0 */
    double validation;       /* accuracy on the nodes tuned on, NaN without */
    int32_t n_validation;
} kith_classification;

/*
 * Label every node: what the method leaves open is tuned on the nodes held out
 * or named for it, and probabilities are calibrated there; then the method is
 * fitted again to all with the choices kept.  With options->checkpoint FILE
 * the last fit keeps its state in FILE.last; kith_classify_forget().
 *
 * Free with kith_classification_free(); d must outlive a solution.  Errors,
 * threads: those of kith_model_train().  Cost: that of one or two.
 */
KITH_API kith_status kith_classify(const kith_dataset *d, const char *method,
                                   const kith_protocol *protocol,
                                   const kith_train_options *options,
                                   unsigned keep, kith_classification **out,
                                   kith_error *err);
KITH_API void kith_classification_free(kith_classification *c);

/* Remove both checkpoints, once the result is safe.  NULL is fine. */
KITH_API void kith_classify_forget(const char *checkpoint);

/* ---- a ranked list ------------------------------------------------------- */

typedef struct kith_rank_options {
    int32_t positive;  /* the class to look for; default 0 */
    kith_goal goal;    /* KITH_GOAL_AT, the default: the first `budget` nodes */
    double wish;       /* of the other goals */
    int32_t budget;    /* 0, the default: all */
    double prevalence; /* share of positives among the unknown; NaN, the
                          default: that of the known */
    int32_t reasons;   /* up to so many for each node of the list; 0, the
                          default: none */
    unsigned keep;     /* of kith_classify(); default 0 */
} kith_rank_options;

KITH_API void kith_rank_options_init(kith_rank_options *o);

/* How a list of some length is expected to do. */
typedef struct kith_rank_length {
    int32_t first;     /* nodes of it */
    float probability; /* of the last of them */
    kith_threshold holds;
} kith_rank_length;

/* What the test nodes of a split say, of all nodes as probable as the list's
 * last one. */
typedef struct kith_rank_test {
    int64_t positives, hits, listed;
    double precision, recall; /* NaN where nothing is counted */
} kith_rank_test;

typedef struct kith_ranking {
    kith_classification *classification; /* the same as kith_classify() gives */
    const kith_model *model;             /* its model, of which all comes */
    kith_rank_options options;           /* as given */
    double prevalence;                   /* as given, or as among the known */
    int32_t nodes;       /* ranked: neither learnt from nor named to tune on */
    int32_t unreached;   /* left out: nothing that is known reaches them */
    int32_t listed;      /* the first so many of them are the list */
    int32_t *node;       /* of each place, the most probable first */
    float *probability;  /* of each place */
    int32_t explained;   /* the first so many have reasons: */
    kith_reason *reason; /* explained x options.reasons */
    int32_t *reasons;    /* of each, how many */
    kith_threshold cut;  /* what the list holds */
    bool crossed; /* judged on nodes learnt from, each by a model that has
                     not seen it; false: on those named to tune on */
    int32_t n_test;
    kith_rank_test test;
    int32_t n_lengths;
    kith_rank_length *lengths; /* 10, 20, 50, 100, ... */
    int32_t known;             /* nodes to judge by: */
    double *score;             /* minus the unknown nodes above it, by a model
                                  that has not learnt from it */
    bool *is;                  /* of the positive class */
} kith_ranking;

/*
 * Rank all nodes that are not known, and that something known reaches, by the
 * probability of one class, and say what a list of the first of them holds.
 * The model, its choices and its probabilities are those of kith_classify()
 * with the same options; reasons are those of kith_reasons().  Known nodes are
 * scored by models that have not learnt from them: those named to tune on by
 * the one model, else ten times a tenth by a model of the other nine.  Scores
 * are places, since a model that saw fewer labels is less sure of everything
 * but orders nodes much alike.
 *
 * Free with kith_ranking_free().  Errors: those of kith_classify(),
 * kith_threshold_choose() and kith_reasons(); KITH_ERR_ARGUMENT (no such class;
 * no node is left to rank).  Cost: up to twelve trainings, one of them tuned.
 */
KITH_API kith_status kith_rank(const kith_dataset *d, const char *method,
                               const kith_protocol *protocol,
                               const kith_train_options *options,
                               const kith_rank_options *rank,
                               kith_ranking **out, kith_error *err);
KITH_API void kith_ranking_free(kith_ranking *r); /* NULL is fine */

/* What the first n hold. */
KITH_API kith_status kith_ranking_after(const kith_ranking *r, int32_t n,
                                        kith_threshold *out, kith_error *err);

/* ---- methods on splits --------------------------------------------------- */

/* One method on one split. */
typedef struct kith_trial {
    kith_scores scores; /* of the test nodes */
    double validation;  /* accuracy, NaN without validation nodes */
    double seconds;     /* to train and predict, tuning included */
    double temperature;
    kith_certificate certificate;
    kith_coverage coverage; /* of the test nodes, if options.coverage asks */
} kith_trial;

/*
 * Train on the split as kith_model_train() does, predict and score.  If there
 * are no validation nodes and not everything is fixed, a fifth of the training
 * nodes is held out to tune on, and all are fitted with what was chosen.
 *
 * positive       as for kith_score()
 * probabilities  n x classes, filled with those of every node
 * model          on success the model, to be freed with kith_model_free()
 *
 * Errors: those of kith_model_train() and kith_score().
 */
KITH_API kith_status kith_trial_run(const kith_dataset *d, const char *method,
                                    const kith_split *split,
                                    const kith_train_options *options,
                                    int32_t positive, float *probabilities,
                                    kith_trial *out, kith_model **model,
                                    kith_error *err);

typedef enum kith_measure {
    KITH_ACCURACY = 0,
    KITH_DIFFERENCE, /* of accuracy to the first method's, split by split */
    KITH_MACRO_F1,
    KITH_AUC,
    KITH_AVERAGE_PRECISION,
    KITH_BEST_F1,
    KITH_LOG_LOSS,
    KITH_ECE,
    KITH_SECONDS,
    KITH_PRECISION_AT,
    KITH_RECALL_AT,
    KITH_COVERAGE, /* NaN if no sets were asked for */
    KITH_SET_SIZE,
    KITH_MEASURES /* how many */
} kith_measure;

typedef struct kith_evaluation_options {
    kith_train_options train;
    int32_t precision_at; /* also precision and recall at so many; 0, the
                             default: not */
    int32_t positive;     /* the class that is looked for, as for kith_score();
                             that of precision_at is the rarest of all where
                             this says none.  Default KITH_POSITIVE_AUTO */
    bool edge_weights;    /* also average weights of edges; default no */
} kith_evaluation_options;

KITH_API void kith_evaluation_options_init(kith_evaluation_options *o);

/* One method on one split, and what else was asked for. */
typedef struct kith_result {
    kith_trial trial;
    kith_intervals intervals; /* of the trial's scores */
    double precision, recall; /* at k; NaN if not asked for */
    bool unbalanced;          /* balance was asked for and had no effect */
    double weights[4];        /* as kith_model_average_weights() */
    char *choices;            /* what the model used, a JSON object */
} kith_result;

/* The data, methods and splits given must outlive it. */
typedef struct kith_evaluation {
    const kith_dataset *data;
    kith_evaluation_options options;
    int32_t positive; /* the class that AUC and the like are of; -1: the mean
                         over all */
    int32_t listed;   /* the class of precision_at */
    const char *const *method;
    int methods;
    const kith_split *split;
    int splits;
    int32_t *unlabelled; /* of each split: test nodes without a label */
    kith_result *result; /* methods x splits */
    kith_spread *spread; /* methods x KITH_MEASURES: over the splits */
} kith_evaluation;

/*
 * kith_trial_run() for every method on every split.  Progress tells of the
 * method and split: "lcm 2/5 learning".
 *
 * Free with kith_evaluation_free().  Errors: those of kith_trial_run(), before
 * the first of them KITH_ERR_ARGUMENT if there are no labels or a split, named,
 * has no labelled node to test on.
 */
KITH_API kith_status kith_evaluate(const kith_dataset *d,
                                   const char *const *methods, int n_methods,
                                   const kith_split *splits, int n_splits,
                                   const kith_evaluation_options *options,
                                   kith_evaluation **out, kith_error *err);
KITH_API void kith_evaluation_free(kith_evaluation *e); /* NULL is fine */

/* One measure of a method over the splits, method from 0. */
KITH_API kith_spread kith_evaluation_spread(const kith_evaluation *e,
                                            int method, kith_measure which);

/* ---- tables -------------------------------------------------------------- */

/*
 * Tables are text in columns parted by tabs, the first line naming them; they
 * are packed if the path ends in .gz or .zst, appear whole or not at all, with
 * the others of a set if `with` is not NULL, and go to standard output if the
 * path is "-".  Errors: KITH_ERR_IO, KITH_ERR_ARGUMENT (an id or class with a
 * tab or line end), KITH_ERR_NOMEM.
 */

/* What a table of predictions tells of n nodes. */
typedef struct kith_predictions {
    const float *probabilities; /* n x classes */
    const uint8_t *evidence;    /* n: kith_evidence; NULL: no such column */
    const uint8_t *sets; /* n x classes, kith_sets(); NULL: no such column */
    bool force_labels; /* name the likeliest class also without evidence, where
                          the label is "-" else */
} kith_predictions;

/* node, label, confidence, evidence, set (names with | between them, "-" for
 * none), and a column for each class; of a model that tells no probabilities
 * (kith_model_one_class()) node, label, which is "-", score, the share of nodes
 * that rank lower, and evidence.  A row per node in the order of the input.
 * Rows are scaled to sum to 1; KITH_ERR_RANGE if one cannot be.  job (NULL is
 * fine) may cancel. */
KITH_API kith_status kith_predictions_write(
    const kith_graph *g, const kith_model *m, const kith_predictions *what,
    const char *path, const kith_job *job, kith_outputs *with, kith_error *err);

/*
 * Read such a table again: columns are found by the names in its first line,
 * `node` and one for each of the classes, of equal names the last; others may
 * be there.
 *
 * out    n x classes of room, filled; nodes that have no row get NaN
 * found  how many rows there are, may be NULL
 *
 * Errors: KITH_ERR_IO, KITH_ERR_PARSE (a column that is missing, a row too
 * short or long, an unknown node, one given twice, no number from 0 to 1),
 * KITH_ERR_NOMEM.
 */
KITH_API kith_status kith_predictions_read(const char *path,
                                           const kith_graph *g,
                                           const char *const *classes,
                                           int32_t n_classes, float *out,
                                           int32_t *found, kith_error *err);

/* rank, node, probability (score if there are none), and for each reason asked
 * for reason_1, share_1, ... ("-" where there are no more): the list,
 * r->listed rows. */
KITH_API kith_status kith_ranking_write(const kith_ranking *r,
                                        const kith_graph *g, const char *path,
                                        kith_outputs *with, kith_error *err);

/* node, score, uncertainty, influence: what kith_suggest() found. */
KITH_API kith_status kith_suggestions_write(const kith_suggestion *list,
                                            int32_t n, const kith_graph *g,
                                            const char *path,
                                            kith_outputs *with,
                                            kith_error *err);

/* ---- JSON ---------------------------------------------------------------- */

/*
 * Results as one JSON object, indented, numbers with 15 digits, null for what
 * is no finite number: *length bytes and a NUL at *json, to be freed with
 * kith_array_free().  Errors: KITH_ERR_NOMEM.
 */
/* With the nodes and their reasons if there are any; g is the data's graph. */
KITH_API kith_status kith_ranking_json(const kith_ranking *r,
                                       const kith_graph *g, char **json,
                                       size_t *length, kith_error *err);
/* name, path: of the data, to be told; random, seed: splits were drawn by it.
 */
KITH_API kith_status kith_evaluation_json(const kith_evaluation *e,
                                          const char *name, const char *path,
                                          bool random, uint64_t seed,
                                          char **json, size_t *length,
                                          kith_error *err);

#ifdef __cplusplus
}
#endif
#endif
