/*
 * without.h: what a belief would be if one node were not known.
 */
#ifndef KITH_MODELS_WITHOUT_H
#define KITH_MODELS_WITHOUT_H

#include "models/solution.h"

/* The known node that speaks most for the explained belief, and the
 * probability without all that it adds: e->without, e->without_probability. */
kith_status kith__find_without(const kith_solution *s, kith_explanation *e,
                               kith_error *err);

#endif
