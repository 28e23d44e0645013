/*
 * explain_lists.h: what all kinds of explanations fill in alike.
 */
#ifndef KITH_MODELS_EXPLAIN_LISTS_H
#define KITH_MODELS_EXPLAIN_LISTS_H

#include "models/solution.h"

/* What the solution's beliefs are a sum of. */
kith_sum_kind kith__sum_kind_of(const kith_solution *s);

/* Refuses, by name, beliefs that are no sum. */
kith_status kith__check_linear(const kith_solution *s, kith_error *err);

/* Room for e->contribution (not set), by_class, and lists of `most` rows. */
kith_status kith__new_parts(kith_explanation *e, int32_t most, kith_error *err);

/* echo, labelled, others, by_class and the lists, of e->own and
 * e->contribution. */
void kith__sum_parts(const kith_solution *s, int32_t most, kith_explanation *e);

/* Add a column of the features to e->feature_sum and, if it is among the
 * `most` largest, to e->features, which has room. */
void kith__keep_feature(kith_explanation *e, int32_t most, kith_feature_part p);

/* B_jc less its mean over the classes; B is any number of rows x C. */
double kith__centred_weight(const float *B, int64_t j, int C, int c);

/* ---- logits: explain_logits.c -------------------------------------------- */

/* The belief of a method whose P are logits: all but its columns. */
kith_status kith__explain_logits(const kith_solution *s, int32_t most,
                                 kith_explanation *e, kith_error *err);

/* The bias of the class in s->b.logits at the node, less the mean of all. */
double kith__logit_bias(const kith_solution *s, const kith_explanation *e);

/* The columns that weigh most in s->b.logits at the node. */
kith_status kith__find_columns(const kith_solution *s, int32_t most,
                               kith_explanation *e, kith_error *err);

/* The name of a column, NULL if it has none. */
static inline const char *kith__feature_name(const kith_features *f, int32_t j)
{
    return f && f->names && j >= 0 && j < f->columns ? f->names[j] : NULL;
}

#endif
