/*
 * cross_fit.h: what a method says of training nodes that it has not learnt
 * from.
 */
#ifndef KITH_MODELS_CROSS_FIT_H
#define KITH_MODELS_CROSS_FIT_H

#include "models/calibration.h"

/*
 * Deal the training nodes into five parts and run the model's method, with its
 * choices, on each four of them: the nodes of the fifth, with what that run
 * says of them, go into *out.  Of models whose only knowledge are labels
 * (kith__has_shares()).  `order` numbers the classes (evidence.h): their names
 * have no say in what is drawn.  Cost: five runs.
 */
kith_status kith__cross_fit(const kith_model *m, const kith_dataset *d,
                            const kith__task *t, const int32_t *order,
                            kith__calibration_nodes *out, kith_error *err);

#endif
