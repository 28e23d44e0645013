/*
 * lowrank_learner.h: LCM at the price of LinBP: what lcm.c learns, with W not
 * stored while it is (kernels/operator_lowrank.h says how it is written).
 *
 * In alternation t the beliefs P are fixed, and all that `inner` gradient steps
 * ask of the edges is linear in what they learn:
 *
 *     W_i = W + (S M_i S') o A + D_i,
 *     M_i = g1 lambda (H_1 + ... + H_{i-1}),
 *     D_i = F_l . p_v at edges (l, v) of training nodes, both pushing if both
 *           are, with F_l = g1 (E_l H)_1 + ... + g1 (E_l H)_{i-1}
 *
 * so with sums over neighbours that one pass gathers (R_u = sum_v x_v'p_v and
 * B_u = sum_v x_v'x_v, x the coordinates of s),
 *
 *     (W_i P)_l = (W P)_l + x_l M_i R_l + F_l sum_v p_v'p_v
 *                         + sum over training neighbours k of (F_k . p_l) p_k
 *     X'W_i X   = X'W X + T[M_i] + sum_l (x_l'(F_l R_l') + (R_l F_l')x_l)
 *
 * and the next beliefs, Q + W_{inner+1} P H, follow node by node: one pass an
 * alternation, 4 bytes a stored neighbour and its record, none for the weights.
 */
#ifndef KITH_MODELS_LOWRANK_LEARNER_H
#define KITH_MODELS_LOWRANK_LEARNER_H

#include "kernels/operator_lowrank.h"
#include "models/lcm/lcm.h"

enum { KITH__LOWRANK_BLOCK = 128 }; /* rows propagated together */

/* n nodes, C classes, n of a row of beliefs carried, L training nodes. */
typedef struct kith__learner {
    const kith__task *task;
    const kith_params *p;
    kith__regulariser kind;
    int C, carried, width; /* width: floats that a pass leaves of a node */
    float *Q, *P;          /* n x C: P is the caller's, free while learning */
    float *own_Q;
    kith__lowrank I;
    float H[KITH__LOWRANK_CLASSES * KITH__LOWRANK_CLASSES];
    double M[KITH__LOWRANK_CLASSES *
             KITH__LOWRANK_CLASSES]; /* of this alternation */
    double *F;                       /* L x carried */
    float *trained;                  /* L x carried: P of the training nodes */
    float *sums, *PP;                /* what a pass leaves */
    kith__lowrank_totals totals;
    float *WP, *E, *EH; /* L x C */
    kith_certificate certificate;
} kith__learner;

/*
 * Loops over all nodes are inlined with the classes C and the n of them that
 * are carried as constants where they are common.
 */
#define KITH__WITH_CLASSES(s, CALL)                \
    do {                                           \
        if ((s)->C == 2 && (s)->carried == 1)      \
            CALL(2, 1);                            \
        else if ((s)->C == 3 && (s)->carried == 2) \
            CALL(3, 2);                            \
        else                                       \
            CALL((s)->C, (s)->carried);            \
    } while (0)

/* q + wp H of node u, wp as carried; returns the largest change of p. */
KITH__ALWAYS_INLINE float kith__next_row(const kith__learner *s, int C, int n,
                                         int32_t u, const float *wp,
                                         float *next)
{
    float full[KITH__LOWRANK_CLASSES], old[KITH__LOWRANK_CLASSES], change = 0;

    kith__lowrank_widen(C, n, wp, full);
    kith__lowrank_widen(C, n, kith__lowrank_p(&s->I, u), old);
    for (int c = 0; c < C; c++) {
        float to = s->Q[(int64_t)u * C + c];

        for (int k = 0; k < C; k++)
            to += full[k] * s->H[k * C + c];
        next[c] = to;
        to = fabsf(to - old[c]);
        change = to > change ? to : change;
    }
    return change;
}

/* All gradient steps of alternation t, whose pass over the edges left sums, PP
 * and totals. */
void kith__lowrank_learn(kith__learner *s, int t);

/* From alternation t to the next: P, node by node, and x of it. */
void kith__lowrank_advance(kith__learner *s, int t);

#endif
