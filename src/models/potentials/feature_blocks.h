/*
 * feature_blocks.h: what can be known of a node, in blocks beside one another,
 * for graphs on which neighbours differ: its own features are kept apart from
 * its neighbours'.
 *
 *   X     own features: rows of length 1; or, if there are few columns of
 *         numbers, those standardised and in 16 bins each
 *   LEN   how many features it has, in bins
 *   AX    the mean of its neighbours' X;  A2X  the same at two hops
 *   DEG   its degree, in bins, and its logarithm
 *   SPECA eigenvectors of A times sqrt |eigenvalue|: who else links to the same
 *   SPECS eigenvectors of S = D^-1/2 A D^-1/2, rows of length 1: communities
 */
#ifndef KITH_MODELS_FEATURE_BLOCKS_H
#define KITH_MODELS_FEATURE_BLOCKS_H

#include "models/method.h"
#include "models/potentials/feature_operator.h"

enum {
    KITH__X = 1,
    KITH__LEN = 2,
    KITH__AX = 4,
    KITH__A2X = 8,
    KITH__DEG = 16,
    KITH__SPECA = 32,
    KITH__SPECS = 64
};

/* The tables of blocks, made when first asked for.  Maps point into it. */
typedef struct kith__feature_blocks {
    const kith__task *task;
    kith__operator W; /* the task's, which a map may outlive */
    const kith_features *features;
    float *root; /* sqrt of the degree; 0 for isolated nodes */
    float *ones;
    unsigned made;
    kith__csc_matrix x, len, deg, speca, specs;
} kith__feature_blocks;

kith_status kith__feature_blocks_new(const kith__task *task,
                                     const kith_features *features,
                                     kith__feature_blocks *out,
                                     kith_error *err);
void kith__feature_blocks_release(kith__feature_blocks *b);

/* Multiplications of a product of that map with one column, told before any of
 * it is made. */
double kith__feature_blocks_cost(const kith__feature_blocks *b, unsigned which);

/* A feature map of the blocks in `which`. */
kith_status kith__feature_blocks_operator(kith__feature_blocks *b,
                                          unsigned which,
                                          kith__feature_operator *out,
                                          kith_error *err);

#endif
