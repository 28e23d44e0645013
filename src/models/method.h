/*
 * method.h: what a method gets and what it returns.
 */
#ifndef KITH_MODELS_METHOD_H
#define KITH_MODELS_METHOD_H

#include "core/job.h"
#include "kernels/fixed_point.h"
#include "kith/model.h"
#include "models/checkpoint.h"
#include "models/choice.h"
#include "models/evidence.h"
#include "models/fit_state.h"
#include "models/potentials/calibrate.h"

/* What would be known of training nodes without their labels: out_of_fold.h. */
typedef struct kith__out_of_fold kith__out_of_fold;

/* A graph, its classes, and the training nodes: nothing else is known. */
typedef struct kith__task {
    const kith_graph *graph;
    kith__operator W; /* as propagation starts: a_uv / sqrt(d_u d_v) */
    int32_t n;
    int classes;
    const int32_t *train; /* ascending */
    const int32_t *truth; /* class of each of them */
    int32_t n_train;
    const float *label_weight; /* of each class, in potentials that are
                                  labels; NULL = 1 */
    bool labels_alone;         /* potentials are labels: there are no features,
                                  or the method leaves them out */
    const kith__out_of_fold
        *out_of_fold; /* NULL unless the method looks at it */
    const kith_job *job;
    int threads;
    kith__checkpoint *checkpoint; /* NULL = none */
} kith__task;

/* Logits with all that they are made of: logits.h. */
typedef struct kith__logits kith__logits;

/* How beliefs P hang on the centred potentials Q that were propagated. */
typedef enum kith__linearity {
    KITH__NOT_LINEAR = 0, /* or not told */
    KITH__SUM,            /* P = sum of W^j Q H^j, j = 0 .. iterations; with
                             `self_term` that is the term for j = 0 */
    KITH__FIXED_POINT,    /* P = Q + W P H, but for what stopping left */
    KITH__LOGITS          /* P = F B + 1 b', of `logits` */
} kith__linearity;

/* Which share of the mass that reaches a node is whose: calibration.h. */
typedef enum kith__share_kind {
    KITH__NO_SHARES = 0,
    KITH__SHARES_OF_MASS, /* P is F - S 1'/C, F what reaches it of each class */
    KITH__SHARES_OF_LOGITS /* F = S softmax(P) */
} kith__share_kind;

/* A result, in arrays of the caller. */
typedef struct kith__beliefs {
    float *P;        /* n x classes; the largest of a row is the label */
    float *coupling; /* classes x classes: H in the end */
    float *weights;  /* per stored neighbour: W in the end; NULL = not wanted */
    float *Q; /* n x classes: centred potentials as propagated, of a method
                 that sets `linear`; NULL = not wanted */
    float *self_term;     /* n x classes, new; else NULL */
    kith__logits *logits; /* new, if there are any and Q is wanted; else NULL */
    kith__linearity linear;
    bool roots; /* P are fourth roots, with the sign, of what is linear */
    bool has_coupling;
    kith_certificate certificate;
    kith__evidence evidence; /* its mass NULL: not wanted */
    double *shares;    /* classes: the mean of each one's F over all nodes; NULL
                          unless kith__find_shares() has been called */
    float *val_loss;   /* of each validation node, new, if the method learnt
                          from them: each by what did not; else NULL */
    double validation; /* accuracy, if the method knows it better than what P
                          says: some validation nodes may be in it; else NaN */
} kith__beliefs;

/*
 * A method turns node potentials Q (n x classes, rows are distributions) into
 * beliefs.  It reads no label but the task's.
 */
typedef kith_status kith__run_fn(const kith__task *task, const kith_params *p,
                                 const float *potentials, kith__beliefs *out,
                                 kith_error *err);

typedef struct kith__method kith__method;

/*
 * Judge n points on the validation nodes, for less than running each: their
 * passes over the graph are shared.  The points are of one grid of tune.c.
 * *done is false if that is not possible here.
 */
typedef kith_status kith__grid_fn(const kith__task *task,
                                  const kith__method *method,
                                  const kith_params *points, int n,
                                  const float *potentials,
                                  const kith__judge *judge, kith__valued *out,
                                  bool *done, kith_error *err);

/*
 * Or it is on its own: `fit` learns from the training nodes, chooses on the
 * validation nodes `val` (may be none), leaves what it learnt and chose in
 * `state` and the beliefs of all nodes in `out`.  If `state` comes with
 * choices (numbers and texts of an earlier fit), those are taken and nothing
 * is chosen.  `apply` gives the beliefs again from a state, which may come
 * from a file, on this graph or a grown one.  features may be NULL.
 */
typedef kith_status
kith__fit_fn(const kith__task *task, const kith_features *features,
             const kith_train_options *options, const kith__labelled_nodes *val,
             kith__fit_state *state, kith__beliefs *out, kith_error *err);
typedef kith_status kith__apply_fn(const kith__task *task,
                                   const kith_features *features,
                                   const kith__fit_state *state,
                                   kith__beliefs *out, kith_error *err);

struct kith__method {
    bool uses_graph; /* else beliefs are the potentials' logarithms */
    bool needs_features;
    bool grows_trees; /* with XGBoost, which a build may lack */
    bool no_features; /* never looks at them */
    bool learns;      /* g1, g2, lambda matter */
    bool calibrated;  /* softmax of its beliefs are probabilities as it is */
    bool draws;       /* by number: it gets a task of drawn_task.h */
    kith__share_kind shares; /* where labels are all that it knows */
    int32_t iterations;      /* walks or epochs if none are given; 0: it
                                propagates, 100 times */
    kith__run_fn *run;       /* or fit and apply, or net */
    kith__grid_fn *grid;     /* or NULL */
    kith__fit_fn *fit;
    kith__apply_fn *apply;
    const struct kith__net_type *net; /* a network: net_method.h fits it */
};

/* One file each; the four of LCM in one. */
kith__run_fn kith__logreg_run, kith__linbp_run, kith__bp_run;
kith__run_fn kith__lcm_run, kith__lcm_wo_run, kith__lcm_l1_run,
    kith__lcm_l2_run;

kith__grid_fn kith__linbp_grid;

/* Those on their own, one file each; networks are listed in net_method.h. */
kith__fit_fn kith__lp_fit, kith__ica_fit, kith__deepwalk_fit;
kith__apply_fn kith__lp_apply, kith__ica_apply, kith__deepwalk_apply;
kith__fit_fn kith__trees_method_fit, kith__lcm_trees_fit;
kith__apply_fn kith__trees_method_apply, kith__lcm_trees_apply;

/* NULL if there is no method of that name. */
const kith__method *kith__method_find(const char *name);

/* ---- shared by them ------------------------------------------------------ */

/* H as it starts: 0.9 on the diagonal, 0.1 / (C - 1) off it, less 1 / C. */
void kith__coupling_start(int classes, float *H);

/* What training node l's label says, centred: `weight` times one-hot - 1/C. */
void kith__label_row(const kith__task *task, int32_t l, float weight,
                     float *row);

/* How much that is in the potentials. */
static inline float kith__label_weight(const kith__task *task, int32_t l)
{
    return task->label_weight ? task->label_weight[task->truth[l]] : 1;
}

/* Q = potentials - 1/C; with clamp, training nodes have their label's row. */
void kith__centre_potentials(const kith__task *task, const float *potentials,
                             bool clamp, float *Q);

/* How propagation stops, as the task's job is told. */
static inline kith__stopping kith__stopping_of(const kith__task *task, int most,
                                               double tolerance)
{
    return (kith__stopping){.job = task->job,
                            .stage = "propagating",
                            .most = most,
                            .tolerance = tolerance};
}

#endif
