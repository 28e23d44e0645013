/*
 * dense.h: products of a block of rows with a small matrix, and with another
 * block; where there are many classes, by BLAS.
 */
#ifndef KITH_KERNELS_DENSE_H
#define KITH_KERNELS_DENSE_H

#include <stdint.h>

/* Floats of the rows handled together: they stay in the cache for the product
 * by H, and BLAS gets enough of them. */
enum { KITH__TOGETHER = 16384 };

/* Rows handled together; it depends on k alone, so that results do not depend
 * on how threads share the rows. */
static inline int32_t kith__rows_at_once(int k)
{
    return k * 64 <= KITH__TOGETHER ? 64 : KITH__TOGETHER / k;
}

/* Y += X H for n rows of k. */
void kith__add_product(const float *X, int64_t n, int k, const float *H,
                       float *restrict Y);

/* G (k x k) += X'Y over n rows: summed in double, or with many classes in
 * float, in `scratch` of k x k, and then added. */
void kith__add_gram(const float *X, const float *Y, int64_t n, int k,
                    double *restrict G, float *scratch);

#endif
