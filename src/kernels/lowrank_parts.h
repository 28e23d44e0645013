/*
 * lowrank_parts.h: what the forms of kernels/operator_lowrank.h share among
 * them.
 */
#ifndef KITH_KERNELS_LOWRANK_PARTS_H
#define KITH_KERNELS_LOWRANK_PARTS_H

#include "kernels/operator_lowrank.h"

enum {
    KITH__GATHER_CHUNK = 1024, /* neighbours summed together: hubs lose no
                                  digits */
    KITH__GATHER_AHEAD = 48 /* neighbours whose records are asked for early */
};

/* Where results of a pass go. */
typedef struct kith__gathered {
    float *sums, *PP;
    const int32_t *rows;
    int32_t n_rows;
} kith__gathered;

/* K += x'(W x), T += (x'x) (x) B, upper triangles of T's. */
KITH__ALWAYS_INLINE void kith__add_totals(int C, const float *x,
                                          const float *Wx, const float *B,
                                          kith__lowrank_totals *to)
{
    double *T = to->T;

    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++)
            to->K[i * C + j] += (double)(x[i] * Wx[j]);
    for (int i = 0; i < C; i++)
        for (int k = i; k < C; k++) {
            const float xx = x[i] * x[k];

            for (int l = 0; l < C; l++)
                for (int j = l; j < C; j++)
                    *T++ += (double)(xx * B[l * C + j]);
        }
}

/* ---- stored.c ------------------------------------------------------------ */

/* The learning pass of rows from .. end - 1; totals of every point. */
void kith__stored_gather(const kith__lowrank *I, int32_t from, int32_t end,
                         const kith__gathered *to,
                         kith__lowrank_totals *totals);

/* Before x_t is put: keep in the records what the weights are to gain by the
 * alternation before. */
void kith__stored_keep_x(const kith__lowrank *I, int32_t first, int32_t last,
                         int t);

#endif
