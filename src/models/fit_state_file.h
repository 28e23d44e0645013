/*
 * fit_state_file.h: what a method learnt, in a model file.
 */
#ifndef KITH_MODELS_FIT_STATE_FILE_H
#define KITH_MODELS_FIT_STATE_FILE_H

#include "io/sections.h"
#include "models/fit_state.h"

/* Nothing of an empty state. */
kith_status kith__fit_state_put(kith__sections_writer *w,
                                const kith__fit_state *s, kith_error *err);

/* What a file has, added to an empty state; refused if it is not in order. */
kith_status kith__fit_state_get(const kith__sections *s, kith__fit_state *out,
                                kith_error *err);

/* The name of an entry that is not finite; NULL if there is none. */
const char *kith__fit_state_fault(const kith__fit_state *s);

#endif
