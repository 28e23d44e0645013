/*
 * kith/explain.h: why a node got its belief, and which node to label next.
 *
 *     kith_solution *s;
 *     kith_explanation *e;
 *
 *     kith_solution_new(m, d, NULL, &s, &err);
 *     kith_explain(s, node, -1, 10, &e, &err);
 *     printf("%g = %g + %g\n", e->belief, e->sum, e->residual);
 *
 * Beliefs P are linear in the node potentials Q of every node, so a belief is
 * a sum of contributions, one per node: docs/explain.md.
 */
#ifndef KITH_EXPLAIN_H
#define KITH_EXPLAIN_H

#include "kith/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model run on a graph; the model and the data set must outlive it. */
typedef struct kith_solution kith_solution;

/* Errors, cost: as kith_model_predict().  Memory: 8 bytes more per node and
 * class, and 4 per stored neighbour where weights were learnt. */
KITH_API kith_status kith_solution_new(const kith_model *m,
                                       const kith_dataset *d,
                                       const kith_job *job, kith_solution **out,
                                       kith_error *err);
/* Train as kith_model_train() and keep the run, which saves another one. */
KITH_API kith_status kith_solution_train(const kith_dataset *d,
                                         const char *method,
                                         const kith_split *split,
                                         const kith_train_options *options,
                                         kith_model **model,
                                         kith_solution **out, kith_error *err);
KITH_API void kith_solution_free(kith_solution *s); /* NULL is fine */

/*
 * Keep a solution in a file (docs/formats/solution.md), whole or not at all,
 * with the others of a set if `with` is not NULL; and have it again without
 * running the model, which is what most time goes to.  A solution belongs to
 * one model on one graph with one set of features, and says so by their hashes.
 *
 * Errors: KITH_ERR_ARGUMENT if the file is of another model or other data,
 * KITH_ERR_CORRUPT, KITH_ERR_IO, KITH_ERR_NOMEM.  Size: 8 bytes a node and
 * class, and 8 an edge where weights were learnt.  Cost of opening: reading it,
 * and preparing the features if the method looks at them through the graph.
 */
KITH_API kith_status kith_solution_save(const kith_solution *s,
                                        const char *path, kith_outputs *with,
                                        kith_error *err);
KITH_API kith_status kith_solution_open(const char *path, const kith_model *m,
                                        const kith_dataset *d,
                                        const kith_job *job,
                                        kith_solution **out, kith_error *err);

/* What an update changed. */
typedef struct kith_update {
    int32_t added, changed, removed; /* labels */
    int32_t steps;                   /* edges that the change went along */
    int64_t edges;                   /* stored neighbours passed over */
} kith_update;

/*
 * New labels to new beliefs, without training or another run: classes[i] is
 * what node nodes[i] is labelled with from now on, -1 for nothing (where there
 * are no features).  Of several labels of a node the last stands.  Beliefs and
 * evidence are those of a run with these labels, to about 1e-6 of each; edge
 * weights, coupling, calibration and certificate stay as they were learnt, as
 * do the weights of classes where they were balanced: kith_model_refit() learns
 * anew.  What is asked of the solution then, explanations and suggestions too,
 * is of the new labels; the model is not changed.
 *
 * told  may be NULL
 *
 * Errors, which leave s as it was: KITH_ERR_ARGUMENT for a node or class that
 * there is not, for a model whose beliefs are no sum over labelled nodes: those
 * of linbp, lcm, lcm-wo, lcm-l1 and lcm-l2 without features or with clamp are;
 * of lcm-em without features; KITH_ERR_RANGE if its propagation diverges;
 * KITH_ERR_NOMEM, KITH_ERR_CANCELLED.  Threads: those of the solution's job;
 * nobody else may use s meanwhile.  Cost: passes over n x classes numbers, and
 * the edges that the change goes along, at most those of a run.
 */
KITH_API kith_status kith_solution_update(kith_solution *s,
                                          const int32_t *nodes,
                                          const int32_t *classes, int32_t count,
                                          kith_update *told, kith_error *err);

/* Probabilities of every node, n x classes, as kith_model_predict(). */
KITH_API void kith_solution_probabilities(const kith_solution *s, float *out);
/* kith_evidence of every node; NULL where it is not told. */
KITH_API const uint8_t *kith_solution_evidence(const kith_solution *s);
KITH_API const kith_certificate *
kith_solution_certificate(const kith_solution *s);
/* The class that a node was trained with, -1 if it was not. */
KITH_API int32_t kith_solution_trained(const kith_solution *s, int32_t node);
/* The weight of a stored neighbour (entry p of row u), at the start and in the
 * end. */
KITH_API double kith_solution_weight_before(const kith_solution *s, int32_t u,
                                            int64_t p);
KITH_API double kith_solution_weight(const kith_solution *s, int32_t u,
                                     int64_t p);

/* ---- explaining ---------------------------------------------------------- */

enum { KITH_PATH_MOST = 6 }; /* edges in a path */

/* What one node adds to the belief. */
typedef struct kith_part {
    int32_t node;
    int32_t label; /* class it was trained with, -1 = none */
    double value;
} kith_part;

/* What arrives through one neighbour in the last step: weight times (p H) of
 * the class, p what the neighbour passes on. */
typedef struct kith_via {
    int32_t node;
    double weight;
    double value;
} kith_via;

/* One path from a node to the explained one: value = product of the weights
 * times coupling, the latter what the first node's potential is worth after
 * that many couplings. */
typedef struct kith_path {
    int32_t length; /* edges */
    int32_t node[KITH_PATH_MOST + 1];
    double weight[KITH_PATH_MOST];
    double coupling;
    double value;
} kith_path;

/* One column of the features: value = amount times weight. */
typedef struct kith_feature_part {
    int32_t column; /* from 0 */
    double amount;  /* in the node's row as logistic regression sees it */
    double weight;  /* of the class, less the mean of all classes */
    double value;
    const char *of;   /* whose feature, or what else it is: "own", "neighbours'
                         mean", "degree", ... */
    const char *name; /* of the column, in the data; NULL = none */
    bool structural;  /* of the graph, which `of` names, not of the features */
} kith_feature_part;

/* What an explanation is a sum of. */
typedef enum kith_sum_kind {
    KITH_SUM_STEPS,       /* as many iterations as the run did */
    KITH_SUM_FIXED_POINT, /* the fixed point, and what stopping early left */
    KITH_SUM_FEATURES,    /* logreg: the node's own features */
    KITH_SUM_OWN,         /* what is known of the node itself alone */
    KITH_SUM_BESIDE,      /* that, and neighbours over a fitted coupling */
    KITH_SUM_LOGITS       /* features of all nodes, seen through the graph */
} kith_sum_kind;

/*
 * The belief of a node in a class as a sum.  Beliefs are centred: above 0
 * speaks for the class.  Free with kith_explanation_free().
 *
 *     belief = own + echo + labelled + others + constant + unconverged
 *              + residual
 *
 * For logreg the belief is the logit less its mean over the classes, and own
 * is what the features say.  A bias is known of any node, so it is no part of
 * own but `constant`.
 */
typedef struct kith_explanation {
    int32_t node;
    int32_t of_class;
    int32_t likeliest; /* the most probable class, which may be another */
    double belief;
    double probability;           /* of of_class */
    double likeliest_probability; /* of likeliest */
    double sum;                   /* of the parts below but the residual */
    double residual;              /* belief - sum: rounding */
    double own;                   /* the node's own potential, as it is */
    double echo;                  /* the same, returning over neighbours */
    double labelled;              /* all other training nodes */
    double others;                /* all nodes without a known label */
    double constant;    /* of the class: bias and mean of features; 0 where the
                           potentials are probabilities */
    double unconverged; /* what stopping before the fixed point left */
    kith_sum_kind kind;
    bool roots;         /* the belief is the fourth power, with the sign, of
                           what the model shows */
    int32_t iterations; /* of the run; of features, the hops they are seen
                           from */
    bool clamped;       /* the node's own potential is its label */
    int32_t nodes, classes;
    double *contribution; /* of each node, n, without the constant; NULL for
                             logreg */
    double *by_class;     /* classes: of the training nodes of each class */
    int32_t n_labelled, n_others, n_neighbours, n_paths, n_features;
    kith_part *top_labelled, *top_others; /* largest first, by size */
    kith_via *neighbours;
    double through_neighbours; /* of all neighbours */
    kith_path *paths;
    bool paths_complete; /* no other path is larger */
    kith_feature_part *features;
    double feature_sum; /* of all columns and the bias: the logit less mean */
    double bias;        /* of the class in that logit */
    /* The known node that speaks most for the class (the node itself, if its
     * potential is its label), and the probability of of_class without all
     * that it adds, W, H and calibration as learnt; -1 and NaN where there is
     * none, or beliefs are not made of labels. */
    int32_t without;
    double without_probability;
    bool graph_changed; /* the graph is not the one that was trained on */
} kith_explanation;

/*
 * Explain the belief of `node` in class `of_class` (-1: its most probable one)
 * with at most `most` rows in every list.
 *
 * Errors: KITH_ERR_ARGUMENT (no such node or class; a method that is not
 * linear, named), KITH_ERR_RANGE if the model's propagation diverges,
 * KITH_ERR_NOMEM, KITH_ERR_CANCELLED.  Cost: as many propagations as the run
 * made; for a fixed point until what is left is 1e-7 of the belief; with more
 * than two classes twice that, for `without`.
 */
KITH_API kith_status kith_explain(const kith_solution *s, int32_t node,
                                  int32_t of_class, int32_t most,
                                  kith_explanation **out, kith_error *err);
KITH_API void kith_explanation_free(kith_explanation *e); /* NULL is fine */

/*
 * The explanation in a few plain sentences, on one line: the verdict, the
 * labelled nodes around it, what features say, what it would be without the
 * node that speaks most for it (docs/explain.md).  Ids and names come from the
 * data, in quotes where they could be read as more; control characters in them
 * are '?'.  *length bytes and a NUL at *text, to be freed with
 * kith_array_free().
 *
 * Errors: KITH_ERR_NOMEM.  Cost: the degrees of the node's neighbours.
 */
KITH_API kith_status kith_explanation_sentences(const kith_solution *s,
                                                const kith_explanation *e,
                                                char **text, size_t *length,
                                                kith_error *err);

/* A kind's short name, for programs: "steps", "fixed-point", ... */
KITH_API const char *kith_sum_name(kith_sum_kind kind);
/* What the contributions are, in one line. */
KITH_API const char *kith_explanation_words(const kith_explanation *e);

/* A part of the belief, named; those that the kind of sum has, in order. */
typedef struct kith_summand {
    const char *what;
    double value;
} kith_summand;

enum { KITH_SUMMANDS_MOST = 6 };
KITH_API int32_t kith_explanation_summands(
    const kith_explanation *e, kith_summand out[KITH_SUMMANDS_MOST]);

/* ---- reasons ------------------------------------------------------------- */

enum { KITH_REASON_CODE = 96, KITH_REASONS_MOST = 16 };

/* One thing that speaks for a class. */
typedef struct kith_reason {
    char
        code[KITH_REASON_CODE]; /* docs/reasons.md: KNOWN_NEIGHBOUR,
                                   FEATURE:amount, ...; no control characters */
    double value;               /* its part of the belief, above 0 */
    double share;               /* of all that speaks for the class */
} kith_reason;

/*
 * Why: of each of n nodes the `most` (1 .. KITH_REASONS_MOST) largest parts of
 * its belief in the class (-1: its likeliest) that speak for it, the largest
 * first, from the same exact sums as kith_explain().
 *
 * out    n x most; rows are filled as far as there are reasons
 * found  n: how many there are
 *
 * Errors: those of kith_explain().  Cost: the run's iterations for every eight
 * nodes, each about that of one with eight classes; of a fixed point until
 * nothing is added.  Memory: 68 bytes a node of the graph, 64 a training node.
 */
KITH_API kith_status kith_reasons(const kith_solution *s, const int32_t *nodes,
                                  int32_t n, int32_t of_class, int32_t most,
                                  kith_reason *out, int32_t *found,
                                  kith_error *err);

/* ---- suggesting ---------------------------------------------------------- */

/* A node worth labelling: score = uncertainty x influence. */
typedef struct kith_suggestion {
    int32_t node;
    double score;
    double uncertainty; /* 1 - the probability of its likeliest class */
    double influence;   /* uncertainty of the graph that its label takes away */
} kith_suggestion;

/*
 * Which nodes to label next, the best first: at most `count` of `candidates`
 * (NULL: all nodes) that were not trained on, into out; *found of them.  Nodes
 * already suggested count as labelled for those that follow, so that the list
 * does not crowd in one place.  Where the data have features, influence is on
 * what is predicted from them as seen through the graph; else on the graph
 * alone, and classes take turns by the share that the model expects of each.
 * Any method.
 *
 * Errors: KITH_ERR_ARGUMENT, KITH_ERR_NOMEM, KITH_ERR_CANCELLED.  Cost: without
 * features about 30 propagations of one number per node, and a few more per
 * suggestion, at most 200 in all; with them 4 of D <= 256 numbers and n D^2,
 * then n D a suggestion, and 3 n D floats, at most 200 MB up to 2 million
 * nodes.
 */
KITH_API kith_status kith_suggest(const kith_solution *s,
                                  const int32_t *candidates, int32_t n,
                                  int32_t count, kith_suggestion *out,
                                  int32_t *found, kith_error *err);

#ifdef __cplusplus
}
#endif
#endif
