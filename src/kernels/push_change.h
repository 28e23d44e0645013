/*
 * push_change.h: what a change of Q in few rows changes in P, by walking from
 * these rows instead of propagating again.
 */
#ifndef KITH_KERNELS_PUSH_CHANGE_H
#define KITH_KERNELS_PUSH_CHANGE_H

#include "core/job.h"
#include "kernels/fixed_point.h"

/* What it took. */
typedef struct kith__pushed {
    int rounds;    /* neighbours reached: so many steps away */
    int64_t edges; /* stored neighbours that were passed over */
} kith__pushed;

/*
 * P += sum_{j <= most} W^j R H^j, where R is 0 but in the rows listed, each
 * once: with P = Q + W P H, or as many steps of it, that is P of Q + R.
 *
 * A row is passed on while what has come to it is more than `tolerance` of the
 * largest belief of the row; what has not been passed on is in P too.  Where
 * rows with much of the edges have changed, a step is a pass over all.
 *
 * R   n x columns, spent
 *
 * Memory: another n x columns floats, of which rows that change are touched.
 */
kith_status kith__push_change(const kith__operator *op,
                              const kith__stopping *stopping,
                              const int32_t *rows, int32_t count, float *R,
                              float *P, kith__pushed *told, kith_error *err);

#endif
