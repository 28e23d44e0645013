/*
 * tune.h: choosing parameters on the validation nodes.
 */
#ifndef KITH_MODELS_TUNE_H
#define KITH_MODELS_TUNE_H

#include "models/potentials/calibrate.h"
#include "models/potentials/node_potentials.h"
#include "models/potentials/out_of_fold.h"

/* What was chosen. */
typedef struct kith__tuned {
    kith_params params;
    float *weights;    /* of the potentials; NULL without features */
    float *idf;        /* NULL unless tf-idf */
    float *potentials; /* n x classes */
    kith__out_of_fold out_of_fold; /* if the method looks at it */
} kith__tuned;

void kith__tuned_release(kith__tuned *t);

/* How many points of steps (g1, g2, lambda) are tried with these fixed: of a
 * grid of 4 x 4 x 4 and not learning at all about two thirds (tune.c). */
int kith__step_points(uint32_t fixed);

/* Would as many runs at once as there are threads take little memory?  Then one
 * thread runs each. */
bool kith__side_by_side(const kith__task *task);

/*
 * Choose everything that is not fixed for `method`; with no validation nodes,
 * or everything fixed, the parameters given are taken.  The potentials are
 * chosen by what LinBP makes of them (logreg: by themselves), so that one
 * logistic regression serves the whole grid of steps.  The default, of steps
 * not to learn, stays unless others beat it (choice.h); of these the best wins,
 * and of equals the earlier in the grid.
 */
kith_status kith__tune(const kith__task *task, const kith_features *features,
                       const kith__method *method,
                       const kith_train_options *options,
                       const kith__labelled_nodes *val, kith__tuned *out,
                       kith_error *err);

/* The steps (g1, g2, lambda) of that alone, for potentials that are given: in
 * *p and from there, and what they reach. */
kith_status kith__tune_steps(const kith__task *task, const kith__method *method,
                             const float *potentials,
                             const kith__labelled_nodes *val, kith_params *p,
                             kith__score *score, kith_error *err);

/* plan.c: of a training on that task; `validates` if there are nodes to tune
 * on. */
kith_status kith__plan(const kith__task *task, const kith__method *method,
                       const kith_dataset *d, const kith_train_options *options,
                       bool validates, kith_plan *out, kith_error *err);

#endif
