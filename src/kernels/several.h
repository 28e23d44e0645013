/*
 * several.h: several symmetric W on one graph, their weights side by side.
 *
 *     w: per stored neighbour `count` floats, one of each W
 *
 * A pass over the edges reads 4 + 4 count bytes a stored neighbour in order and
 * one row of all beliefs.  A pass for each W would read 8 and a row of its own
 * every time, and is held up by waiting for rows and by short ones, not by
 * bytes.
 */
#ifndef KITH_KERNELS_SEVERAL_H
#define KITH_KERNELS_SEVERAL_H

#include "kernels/operator.h"
#include "kernels/simd.h"

enum {
    KITH__SEVERAL = 4,        /* most W */
    KITH__SEVERAL_COLUMNS = 4 /* most columns of each */
};

/* KITH__LANES floats beyond w, x and y must be readable: vectors are read. */

/*
 * out (count x k) = sum_v w_uv x_v of each; x n x count x k, so that the rows
 * of a node lie together.  Of `shape` rows and neighbours are used.
 */
void kith__several_pull(const kith__operator *shape, int count, const float *w,
                        const float *x, int k, int32_t u, float *out);

/* out (count) = sum_v |w_uv| y_v of each, y n x count. */
void kith__several_norm(const kith__operator *shape, int count, const float *w,
                        const float *y, int32_t u, double *out);

#endif
