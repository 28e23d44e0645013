/*
 * train.h: training, for those who want more of it than a model.
 */
#ifndef KITH_MODELS_TRAIN_H
#define KITH_MODELS_TRAIN_H

#include "kith/explain.h"
#include "models/propagation/linbp_together.h"

/* What is wanted beside the model, NULL if not; and how. */
typedef struct kith__outcome {
    float *probabilities;     /* room of n x classes */
    uint8_t *evidence;        /* room of n */
    kith_solution **solution; /* new */
    bool cross_fit;           /* without validation nodes, calibrate on the
                                 training nodes by cross_fit.h, not as `like` */
    float *losses; /* room of n_val: of each validation node that has a label,
                      cross-fitted (cross_losses.h) */
    int32_t *n_losses; /* how many those are */
    const kith__given
        *given; /* linbp's beliefs, made already; NULL: make them */
} kith__outcome;

/* As kith_model_train(). */
kith_status kith__train(const kith_dataset *d, const char *asked,
                        const kith_split *split,
                        const kith_train_options *given, kith_model **out,
                        kith__outcome want, kith_error *err);

#endif
