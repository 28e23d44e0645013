/*
 * candidate.h: one way to beliefs, of the many that lcm-em tries: what was
 * chosen, and how good it is on the validation nodes.  Following a recipe again
 * gives the same beliefs.
 */
#ifndef KITH_MODELS_CANDIDATE_H
#define KITH_MODELS_CANDIDATE_H

#include "models/lcm_em/em.h"
#include "models/potentials/paired.h"

typedef enum kith__candidate_kind {
    KITH__EM_FEATURES, /* potentials through the graph, EM (em_search.c) */
    KITH__EM_LABELS,   /* EM that starts from labels alone (em_search.c) */
    KITH__HETEROPHILY  /* own features beside neighbours' (heterophily.c) */
} kith__candidate_kind;

typedef enum kith__graph_use {
    KITH__GRAPH_IGNORED, /* P = L */
    KITH__GRAPH_PRIOR,   /* homophily of a given strength */
    KITH__GRAPH_FITTED   /* a coupling matrix fitted to labels */
} kith__graph_use;

typedef struct kith__candidate {
    kith__candidate_kind kind;
    /* EM */
    kith_prep prep;
    float a;     /* of PageRank; 0 = two hops, no restart */
    float start; /* penalty of the first fit */
    kith__em_params em;
    int rounds;
    bool propagated; /* beliefs are P, not the potentials p */
    bool learnt;     /* W and H are learnt on these potentials (em_lcm.c) */
    float g1, g2, consistency; /* by these steps of lcm */
    /* beside */
    unsigned blocks;
    float penalty;
    kith__graph_use graph;
    float strength; /* of the prior */
    float lambda;   /* of the fit; infinite = homophily alone */
} kith__candidate;

/* The best recipe so far, with what it gives: room for that is the caller's,
 * NULL if it is not to be kept. */
typedef struct kith__best_candidate {
    kith__candidate candidate;
    kith__score score;
    int order; /* among equals the first wins, whichever thread is faster */
    bool any;
    float *P, *Q; /* n x classes; Q as it was propagated, if it was */
    float *loss;  /* of each validation node */
} kith__best_candidate;

/* A recipe with its beliefs. */
typedef struct kith__offer {
    const kith__candidate *candidate;
    kith__score score;
    const float *loss; /* of each validation node */
    const float *P, *Q;
    int64_t cells;
    int32_t nodes; /* in validation */
    int order;
} kith__offer;

/* Take a recipe if it is better than what was found.  Threads may call it. */
void kith__consider(kith__best_candidate *f, const kith__offer *o);

/* Accuracy and log-loss at the best temperature, and that of each node. */
kith__score kith__score_losses(const float *P, int classes,
                               const kith__labelled_nodes *at, float *loss);

/* What the searches share. */
typedef struct kith__search_context {
    const kith__task *task;
    const kith_features *features; /* NULL if there are none */
    const kith__labelled_nodes *val;
    kith_fit fit; /* may a coupling be fitted to val's labels? */
    int *fold;    /* of each training node, in 0 .. KITH__FOLDS - 1 */
    int *half;    /* of each validation node: 0 or 1 */
} kith__search_context;

enum { KITH__FOLDS = 5 };

kith_status kith__search_context_new(const kith__task *task,
                                     const kith_features *features,
                                     const kith__labelled_nodes *val,
                                     kith_fit fit, kith__search_context *out,
                                     kith_error *err);
void kith__search_context_release(
    kith__search_context *q); /* a zeroed one is fine */

/*
 * Each search offers what it tries; each evaluate gives the beliefs of one
 * recipe of its kind in out->P and, if out->Q is there, what they are made of.
 * `rival` is what another kind reached, with its losses, or NULL: a kind that
 * is far behind it at its first step goes no further.
 */
kith_status kith__em_search_features(const kith__search_context *q,
                                     const kith__best_candidate *rival,
                                     kith__best_candidate *found,
                                     kith_error *err);
/* Labels alone, for each reach the best h; and EM from there, with features. */
enum { KITH__REACHES = 2 };
kith_status kith__em_search_reach(const kith__search_context *q,
                                  kith__em_params best[KITH__REACHES],
                                  kith__best_candidate *found, kith_error *err);
kith_status kith__em_search_labels(const kith__search_context *q,
                                   const kith__em_params reach[KITH__REACHES],
                                   kith__best_candidate *found,
                                   kith_error *err);
kith_status kith__em_evaluate(const kith__search_context *q,
                              const kith__candidate *r, kith__beliefs *out,
                              kith_error *err);

/* Standard errors that a kind may be behind a rival. */
enum { KITH__FAR_BEHIND = 3 };

/* Offers `em`, a recipe of EM with its beliefs, with W and H learnt; and
 * follows one such. */
kith_status kith__em_lcm_search(const kith__search_context *q,
                                const kith__best_candidate *em,
                                kith__best_candidate *found, kith_error *err);
kith_status kith__em_lcm_evaluate(const kith__search_context *q,
                                  const kith__candidate *r, kith__beliefs *out,
                                  kith_error *err);

/* The coupling of KITH__GRAPH_FITTED, kept by the caller: H k x k, b k; if
 * `given` it is used, else fitted. */
typedef struct kith__kept_coupling {
    double alpha;
    float *H, *b;
    bool given;
} kith__kept_coupling;

kith_status kith__heterophily_search(const kith__search_context *q,
                                     const kith__best_candidate *rival,
                                     kith__kept_coupling *kept,
                                     kith__best_candidate *found,
                                     kith_error *err);
kith_status kith__heterophily_evaluate(const kith__search_context *q,
                                       const kith__candidate *r,
                                       kith__kept_coupling *coupling,
                                       kith__beliefs *out, kith_error *err);

/* What a candidate's logits are made of, but for B, which is 0: features seen
 * as it sees them, and folds.  l is zeroed, and released by the caller. */
kith_status kith__em_logits(const kith__search_context *q,
                            const kith__candidate *r, kith__logits *l,
                            kith_error *err);
kith_status kith__heterophily_logits(const kith__search_context *q,
                                     const kith__candidate *r, kith__logits *l,
                                     kith_error *err);

/* Does it have any?  EM from labels alone has none. */
static inline bool kith__em_has_logits(const kith__candidate *r)
{
    return r->kind != KITH__EM_LABELS || r->rounds > 0;
}

#endif
