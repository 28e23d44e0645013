/*
 * softmax.h: rows to distributions.
 */
#ifndef KITH_KERNELS_SOFTMAX_H
#define KITH_KERNELS_SOFTMAX_H

#include <stdint.h>

/* s_i = exp(x_i) / sum_j exp(x_j), safe for any finite x; out may be x. */
void kith__softmax(const float *x, int k, float *out);

/* For n rows, with x divided by `temperature` first. */
void kith__softmax_rows(const float *X, int64_t n, int k, double temperature,
                        float *out, int threads);

/* log sum_j exp(x_j / t) */
double kith__log_sum_exp(const float *x, int k, double t);

#endif
