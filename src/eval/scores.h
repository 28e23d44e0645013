/*
 * scores.h: what scores and their intervals are made of.
 */
#ifndef KITH_EVAL_SCORES_H
#define KITH_EVAL_SCORES_H

#include "core/status.h"
#include "kith/eval.h"

/* The nodes to score: those of a list that have a label. */
typedef struct kith__sample {
    const float *probabilities;
    const int32_t *of; /* true class of a node */
    int32_t *node;     /* n, in the order given */
    int32_t n;
    int32_t classes;
} kith__sample;

/* The class that is looked for, where *positive is KITH_POSITIVE_AUTO; then -1
 * stands for none.  Errors: KITH_ERR_ARGUMENT (no such class), KITH_ERR_NOMEM.
 */
kith_status kith__find_positive(const kith_labels *labels, int32_t *positive,
                                kith_error *err);

/* Errors as kith_score(); release it also then. */
kith_status kith__sample_take(const float *probabilities,
                              const kith_labels *labels, const int32_t *nodes,
                              int32_t n_nodes, kith__sample *s,
                              kith_error *err);
void kith__sample_release(kith__sample *s);

static inline const float *kith__sample_row(const kith__sample *s, int32_t i)
{
    return s->probabilities + (int64_t)s->node[i] * s->classes;
}

/* The most probable class of a row, the first of equals. */
int32_t kith__top_class(const float *row, int32_t classes);

/* How often a class is true, predicted, both. */
typedef struct kith__tally {
    int32_t is, said, hit;
} kith__tally;

/* Mean F1 over the classes that are true or predicted. */
double kith__macro_f1(const kith__tally *of_class, int32_t classes);

/* -log p(true class), p >= 1e-15. */
double kith__surprise(const kith__sample *s, int32_t i);

enum { KITH__ORDER_BITS = 30 };

/* A number that sorts as p >= 0 does; below 2^30 up to p = 1.0001. */
uint32_t kith__order_of(float p);

/* How well one class's probabilities order nodes. */
typedef struct kith__order {
    double auc, precision, best_f1;
} kith__order;

/*
 * The order by one class.  key[0 .. n - 1] ascend:
 * kith__order_of(p_c) << 1 | is it of the class.  Node i counts times[at[i]]
 * times, or once if times is NULL; n_in of the class and n_off others in all,
 * some of both.
 */
kith__order kith__score_order(const uint64_t *key, int32_t n, const int32_t *at,
                              const int32_t *times, int64_t n_in,
                              int64_t n_off);

#endif
