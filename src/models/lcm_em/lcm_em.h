/*
 * lcm_em.h: the method to pick without thinking.
 */
#ifndef KITH_MODELS_LCM_EM_H
#define KITH_MODELS_LCM_EM_H

#include "models/method.h"

kith__fit_fn kith__lcm_em_fit;
kith__apply_fn kith__lcm_em_apply;

#endif
