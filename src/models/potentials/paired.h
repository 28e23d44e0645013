/*
 * paired.h: which of two things loses less on the same nodes, and how sure that
 * is.
 */
#ifndef KITH_MODELS_PAIRED_H
#define KITH_MODELS_PAIRED_H

#include <stdint.h>

/* By how many standard errors of the difference, node by node, b loses less
 * than a: 0 if nobody can tell. */
double kith__paired_gain(const float *a, const float *b, int32_t n);

#endif
