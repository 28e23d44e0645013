/*
 * kith/model.h: methods that label nodes: train, predict, save, open.
 *
 *     kith_train_options o;
 *     kith_model *m;
 *
 *     kith_train_options_init(&o);
 *     kith_model_train(d, "lcm", &split, &o, &m, NULL, &err);
 *     kith_model_predict(m, d, NULL, probabilities, NULL, &err);
 */
#ifndef KITH_MODEL_H
#define KITH_MODEL_H

#include "kith/data.h"
#include "kith/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* kith_model (kith/options.h) is opaque and immutable once trained. */

/* ---- methods ------------------------------------------------------------- */

typedef struct kith_method_info {
    const char *name;    /* "linbp" */
    const char *summary; /* one line, for --help */
} kith_method_info;

/* The methods there are, in the order of a list; *count of them. */
KITH_API const kith_method_info *kith_methods(int *count);

/* Can it do nothing without features?  False for a name that is no method. */
KITH_API bool kith_method_needs_features(const char *name);

/* Can it run here?  False for a name that is no method, and for methods of
 * boosted trees in a build without XGBoost. */
KITH_API bool kith_method_is_available(const char *name);

/* ---- training and predicting --------------------------------------------- */

/* What is known about how a result came about. */
typedef struct kith_certificate {
    double rho;         /* rho(W) rho(H): below 1, propagation converges; NaN
                           for methods without it */
    double residual;    /* largest change in the last iteration; NaN where none
                           ends in a fixed point */
    int32_t iterations; /* done */
    bool converged;     /* residual below the tolerance that was asked for */
} kith_certificate;

/* How much of what is known reaches a node; docs/calibration.md. */
typedef enum kith_evidence {
    KITH_EVIDENCE_NONE = 0, /* nothing: its probabilities are the prior */
    KITH_EVIDENCE_WEAK,
    KITH_EVIDENCE_SOME,
    KITH_EVIDENCE_STRONG
} kith_evidence;

/* "none", "weak", "some", "strong". */
KITH_API const char *kith_evidence_name(kith_evidence e);

/*
 * Train on split->train, tune on split->val (may be empty), never look at any
 * other label.  d must have labels for those nodes; others are ignored.
 *
 * probabilities  n x classes, row-major, filled with calibrated probabilities
 *                of every node; NULL if not wanted
 *
 * Errors: KITH_ERR_ARGUMENT (unknown method, no labelled training node, no
 * features for a method that needs them), KITH_ERR_NOMEM, KITH_ERR_CANCELLED.
 * The same result for any number of threads.
 */
KITH_API kith_status kith_model_train(const kith_dataset *d, const char *method,
                                      const kith_split *split,
                                      const kith_train_options *options,
                                      kith_model **out, float *probabilities,
                                      kith_error *err);

/* What a training will cost, told before it starts. */
typedef struct kith_plan {
    double memory;    /* bytes at its peak: graph (mapped or not), labels,
                         features, all arrays, and the probabilities */
    double disk;      /* bytes of its checkpoint, if it keeps one */
    double seconds;   /* on this machine as it is now; NaN: not known before */
    bool least;       /* memory is what it needs at least */
    bool tunes;       /* more than one fit */
    const char *form; /* of lcm's weights: "implicit", "implicit, written out
                       * once learnt", "stored"; NULL for others */
    char why[160];    /* that form; without seconds what is not known */
} kith_plan;

/*
 * Plan a training with the same arguments.  Arrays are counted; the time rests
 * on passes over a sample of the rows that are timed, and on how many passes
 * are usual where that shows only on the way.
 *
 * Time is known of linbp and lcm, lcm-wo, lcm-l1, lcm-l2; memory of these,
 * logreg and bp; of others, auto among them, what they need at least is told.
 *
 * Errors: KITH_ERR_ARGUMENT for the exact gradient; KITH_ERR_NOMEM.
 */
KITH_API kith_status kith_model_plan(const kith_dataset *d, const char *method,
                                     const kith_split *split,
                                     const kith_train_options *options,
                                     kith_plan *out, kith_error *err);

/*
 * Probabilities of every node of d, which may be the graph trained on, or one
 * that has grown: nodes are matched by id, features by column.
 *
 * evidence, certificate  filled for every node, and of the run; NULL if not
 *                        wanted
 */
KITH_API kith_status kith_model_predict(const kith_model *m,
                                        const kith_dataset *d,
                                        const kith_job *job,
                                        float *probabilities, uint8_t *evidence,
                                        kith_certificate *certificate,
                                        kith_error *err);

KITH_API void kith_model_free(kith_model *m); /* NULL is fine */

/* What a model learnt from when it was fitted again. */
typedef struct kith_refit {
    int32_t kept;    /* its own training nodes, with the label they had */
    int32_t added;   /* nodes that it had not learnt from */
    int32_t changed; /* its own, with another label now */
    int32_t gone;    /* its own that are no longer in the graph */
} kith_refit;

/*
 * Fit a model again with the labels of d, which have arrived since: all of
 * them, and its own training nodes, found by id, that they do not name.
 * Nothing is tuned: its method, parameters and temperature are kept.
 *
 * out   on success a new model, to be freed with kith_model_free()
 * told  may be NULL
 *
 * Errors: KITH_ERR_ARGUMENT for a class that the model does not have, named;
 * for a model of one class; those of kith_model_train().  Cost: one fit.
 */
KITH_API kith_status kith_model_refit(const kith_model *m,
                                      const kith_dataset *d,
                                      const kith_job *job, kith_model **out,
                                      kith_refit *told, kith_error *err);

/*
 * What a model knows that learnt from labels of one class alone; any method
 * becomes "one-class" then (docs/one-class.md).
 */
typedef struct kith_one_class {
    int32_t known;      /* that class */
    bool probabilities; /* false: the share of nodes that rank lower stands in
                           their place, since how many nodes are of the class
                           cannot be told */
    bool estimated;     /* the prevalence: nobody gave it */
    double prevalence;  /* share of that class among all others; NaN if it
                           cannot be told */
    double low, high;   /* of an estimate, 95 %; else NaN */
} kith_one_class;

/* Is it such a model?  If so *out is filled. */
KITH_API bool kith_model_one_class(const kith_model *m, kith_one_class *out);

/* What a method uses beyond kith_params: a number, or a text. */
typedef struct kith_setting {
    const char *name;
    const char *text; /* NULL: it is the number */
    double number;
} kith_setting;

/* How many there are, and the i-th. */
KITH_API int32_t kith_model_settings(const kith_model *m);
KITH_API kith_setting kith_model_setting(const kith_model *m, int32_t i);

KITH_API const char *kith_model_method(const kith_model *m);
/* Why method auto chose this method, one line; NULL if it was asked for. */
KITH_API const char *kith_model_why(const kith_model *m);
KITH_API const kith_params *kith_model_params(const kith_model *m);
/* Were classes balanced?  Only if asked for, and if the method can:
 * logreg, linbp, lcm, lcm-wo, lcm-l1 and lcm-l2; bp with features. */
KITH_API bool kith_model_balanced(const kith_model *m);
KITH_API const kith_certificate *kith_model_certificate(const kith_model *m);
/* How many nodes it was trained on, and how many of them a graph has. */
KITH_API int32_t kith_model_trained(const kith_model *m);
KITH_API int32_t kith_model_found(const kith_model *m, const kith_graph *g);
KITH_API int32_t kith_model_classes(const kith_model *m);
KITH_API const char *kith_model_class_name(const kith_model *m, int32_t c);
/*
 * The same labels with the model's classes, matched by name: *out is new, to be
 * freed with kith_labels_free().
 *
 * Errors: KITH_ERR_ARGUMENT for a class of a node that the model does not have,
 * named; KITH_ERR_NOMEM.
 */
KITH_API kith_status kith_model_labels(const kith_model *m,
                                       const kith_labels *labels,
                                       kith_labels **out, kith_error *err);
/* The coupling matrix H used in the end, classes x classes, centred; NULL for
 * methods without one. */
KITH_API const float *kith_model_coupling(const kith_model *m);
KITH_API double kith_model_temperature(const kith_model *m);
/* Accuracy on the validation nodes with the parameters chosen; NaN without. */
KITH_API double kith_model_validation(const kith_model *m);
/* kith_graph_hash() of the graph it was trained on. */
KITH_API uint64_t kith_model_graph_hash(const kith_model *m);
/*
 * Average weight of edges between nodes of one class and of others, before and
 * after learning (same_before, other_before, same_after, other_after), by the
 * labels given; NaN where there are none.
 */
KITH_API kith_status kith_model_average_weights(const kith_model *m,
                                                const kith_dataset *d,
                                                const kith_job *job,
                                                double out[4], kith_error *err);

/* ---- sets of classes ----------------------------------------------------- */

/*
 * For each of n nodes the smallest set of classes that holds the truth for the
 * share `coverage` of nodes, by a model that was trained with options.coverage
 * (any: it keeps scores, not sets).  docs/coverage.md says what is guaranteed;
 * it rests on the nodes calibrated on being like these.
 *
 * probabilities  n x classes, as the model predicts them
 * evidence       n: kith_evidence; nodes without any get all classes; NULL:
 *                not told
 * sets           n x classes, filled with 1 for a class of the set, else 0; a
 *                set is empty where even the likeliest class is not needed
 *
 * Errors: KITH_ERR_ARGUMENT (a model without such scores, a coverage outside 0
 * to 1), KITH_ERR_NOMEM.  Threads: any.  Cost: O(n C log C).
 */
KITH_API kith_status kith_sets(const kith_model *m, const float *probabilities,
                               const uint8_t *evidence, int32_t n,
                               double coverage, uint8_t *sets, kith_error *err);

/* The coverage that it was trained with; 0: none. */
KITH_API double kith_model_coverage(const kith_model *m);
/* How many nodes sets are calibrated on; *folds (may be NULL): each by a model
 * of the other folds, not by the model itself. */
KITH_API int32_t kith_model_coverage_nodes(const kith_model *m, bool *folds);
/* With fewer nodes than these every set has all classes: c / (1 - c). */
KITH_API int32_t kith_coverage_least(double coverage);

/* A model file, docs/formats/model.md; whole or not at all. */
KITH_API kith_status kith_model_save(const kith_model *m, const char *path,
                                     kith_error *err);
/* The same, but it appears with the others of a set, if that is not NULL. */
KITH_API kith_status kith_model_save_with(const kith_model *m, const char *path,
                                          kith_outputs *with, kith_error *err);
/* Files of the versions since 2 are read; others are refused, with what to
 * do. */
KITH_API kith_status kith_model_open(const char *path, kith_model **out,
                                     kith_error *err);

#ifdef __cplusplus
}
#endif
#endif
