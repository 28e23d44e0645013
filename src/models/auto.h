/*
 * auto.h: the method chosen by validation.
 */
#ifndef KITH_MODELS_AUTO_H
#define KITH_MODELS_AUTO_H

#include "models/train.h"

/* As kith__train(), but for a solution; the model is one of the method that
 * won, and says why.  With options->like it is of that one's method. */
kith_status kith__train_auto(const kith_dataset *d, const kith_split *split,
                             const kith_train_options *options,
                             kith_model **out, kith__outcome want,
                             kith_error *err);

#endif
