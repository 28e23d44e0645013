/*
 * lcm_em.h: the method to pick without thinking.
 */
#ifndef KITH_MODELS_LCM_EM_H
#define KITH_MODELS_LCM_EM_H

#include "models/method.h"

kith__fit_fn kith__lcm_em_fit;
kith__apply_fn kith__lcm_em_apply;

/* Does the recipe look at features, or at labels and the graph alone? */
bool kith__lcm_em_judges_features(const kith__fit_state *state);

/* What a model's logits are made of, but for B, which is 0: nothing is fitted.
 * *out is NULL if it has none. */
kith_status kith__lcm_em_logits(const kith__task *task,
                                const kith_features *features,
                                const kith__fit_state *state,
                                kith__logits **out, kith_error *err);

#endif
