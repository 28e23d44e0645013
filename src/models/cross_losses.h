/*
 * cross_losses.h: log-loss on the validation nodes by what was not fitted to
 * them, so that methods can be compared there.
 *
 * The halves of them are dealt by ids: each is judged by a calibration fitted
 * to the other.  A method that learns from validation nodes tells its own
 * losses, crossed as it likes (kith__beliefs.val_loss).
 */
#ifndef KITH_MODELS_CROSS_LOSSES_H
#define KITH_MODELS_CROSS_LOSSES_H

#include "models/model_object.h"

/* out: of each validation node. */
kith_status kith__cross_losses(const kith__task *t, const kith__beliefs *b,
                               const kith__labelled_nodes *val,
                               const kith_model *m, float *out,
                               kith_error *err);

#endif
