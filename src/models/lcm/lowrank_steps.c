/*
 * lowrank_steps.c: the gradient steps of an alternation, and the next beliefs.
 */
#include <math.h>
#include <string.h>

#include "models/lcm/lowrank_learner.h"

enum { MOST_C = KITH__LOWRANK_CLASSES };

/* ---- gradient steps ------------------------------------------------------ */

/* x_t of a node with its constant. */
static void x_of(const kith__lowrank *I, int32_t u, int t, float *x)
{
    memcpy(x, kith__lowrank_x(I, u, t), (size_t)(I->C - 1) * sizeof(*x));
    x[I->C - 1] = 1;
}

/* wp += D_i p in row `touched`, beside what D was before this alternation; p is
 * of the row's node. */
static void add_pushes(const kith__learner *s, int64_t touched, const float *p,
                       double *wp)
{
    const kith__training_edges *b = &s->I.D;
    const int32_t l = b->trained[touched];
    const int n = s->carried;

    for (int64_t k = b->begin[touched]; k < b->begin[touched + 1]; k++) {
        const int64_t other = b->owner[b->by_node[k]] * (int64_t)n;
        double push = 0;

        for (int c = 0; c < n; c++)
            push += s->F[other + c] * (double)p[c];
        for (int c = 0; c < n; c++)
            wp[c] += push * (double)s->trained[other + c];
    }
    for (int d = 0; l >= 0 && d < n; d++)
        for (int c = 0; c < n; c++)
            wp[c] += s->F[(int64_t)l * n + d] *
                     (double)s->PP[((int64_t)l * n + d) * n + c];
}

/* (W_i P)_l, as above; M in coordinates. */
static void sum_trained(const kith__learner *s, int t, int32_t l,
                        const double *M, float *out)
{
    const int C = s->C, n = s->carried;
    const int32_t u = s->task->train[l];
    const float *sums = s->sums + (int64_t)u * s->width;
    double wp[MOST_C] = {0};
    float x[MOST_C], rounded[MOST_C];

    x_of(&s->I, u, t, x);
    for (int c = 0; c < n; c++)
        wp[c] = (double)sums[c];
    for (int k = 0; k < C; k++) {
        double xM = 0;

        for (int i = 0; i < C; i++)
            xM += (double)x[i] * M[i * C + k];
        for (int c = 0; c < n; c++)
            wp[c] += xM * (double)sums[n * (1 + k) + c];
    }
    add_pushes(s, s->I.D.at[l], s->trained + (int64_t)l * n, wp);
    for (int c = 0; c < n; c++)
        rounded[c] = (float)wp[c];
    kith__lowrank_widen(C, n, rounded, out);
}

/* Place of (i, k) among the pairs of an upper triangle. */
static int pair(int C, int i, int k)
{
    const int low = i < k ? i : k, high = i < k ? k : i;

    return low * C - low * (low - 1) / 2 + high - low;
}

/* K += T[M] */
static void add_consistency_of_M(int C, const double *T, const double *M,
                                 double *K)
{
    const int pairs = C * (C + 1) / 2;

    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++)
            for (int k = 0; k < C; k++)
                for (int l = 0; l < C; l++)
                    K[i * C + j] += M[k * C + l] *
                                    T[pair(C, i, k) * pairs + pair(C, l, j)];
}

/* K += sum_l (x_l'(F_l R_l') + its transpose) */
static void add_consistency_of_F(const kith__learner *s, int t, double *K)
{
    const int C = s->C, n = s->carried;

    for (int32_t l = 0; l < s->task->n_train; l++) {
        const int32_t u = s->task->train[l];
        const double *F = s->F + (int64_t)l * n;
        const float *R = s->sums + (int64_t)u * s->width + n;
        double FR[MOST_C] = {0};
        float x[MOST_C];

        x_of(&s->I, u, t, x);
        for (int k = 0; k < C; k++)
            for (int c = 0; c < n; c++)
                FR[k] += F[c] * (double)R[n * k + c];
        for (int a = 0; a < C; a++)
            for (int b = 0; b < C; b++)
                K[a * C + b] += (double)x[a] * FR[b] + FR[a] * (double)x[b];
    }
}

/* WP, E and EH of the training nodes. */
static void find_errors(kith__learner *s, int t, const double *M)
{
    const kith__task *task = s->task;
    const int C = s->C;

#pragma omp parallel for num_threads(task->threads) schedule(dynamic, 16)
    for (int32_t l = 0; l < task->n_train; l++) {
        const int64_t at = (int64_t)l * C;

        sum_trained(s, t, l, M, s->WP + at);
        kith__lcm_error(s->Q + (int64_t)task->train[l] * C, s->WP + at, s->H, C,
                        task->truth[l], s->E + at, s->EH + at);
    }
}

/* One gradient step. */
static void inner_step(kith__learner *s, int t)
{
    const kith_params *p = s->p;
    const int C = s->C, n = s->carried;
    double M[MOST_C * MOST_C], K[MOST_C * MOST_C], dH[MOST_C * MOST_C] = {0};
    const double rate = s->kind == KITH__CONSISTENCY ? p->g1 * p->lambda : 0;
    const double centre = p->uncentred ? 1.0 / C : 0;

    kith__lowrank_to_coordinates(C, s->M, M);
    memcpy(K, s->totals.K, sizeof(K));
    add_consistency_of_M(C, s->totals.T, M, K);
    add_consistency_of_F(s, t, K);
    find_errors(s, t, M);
    for (int32_t l = 0; l < s->task->n_train; l++) {
        const float *eh = s->EH + (int64_t)l * C;

        kith__lcm_add_error(s->WP + (int64_t)l * C, s->E + (int64_t)l * C, C,
                            dH);
        for (int c = 0; c < n; c++)
            s->F[(int64_t)l * n + c] +=
                p->g1 * (double)(n < C ? eh[c] - eh[C - 1] : eh[c]);
    }
    for (int i = 0; i < C * C; i++)
        s->M[i] += rate * ((double)s->H[i] + centre);
    kith__lowrank_from_coordinates(C, K, M);
    kith__lcm_step_coupling(s->task, p, s->kind, dH, M, s->H);
}

/* D += F_l . p_v */
static void push(kith__learner *s)
{
    kith__training_edges *b = &s->I.D;
    const int n = s->carried;

#pragma omp parallel for num_threads(s->task->threads) schedule(dynamic, 16)
    for (int32_t l = 0; l < s->task->n_train; l++) {
        const double *F = s->F + (int64_t)l * n;
        const int32_t *v = kith__training_edges_neighbours(b, l);

        for (int64_t e = b->row[l]; e < b->row[l + 1]; e++) {
            const float *p = kith__lowrank_p(&s->I, v[e - b->row[l]]);
            double here = 0;

            for (int c = 0; c < n; c++)
                here += F[c] * (double)p[c];
            b->pushed[e] += (float)here;
        }
    }
}

/* All gradient steps of alternation t. */
void kith__lowrank_learn(kith__learner *s, int t)
{
    const int C = s->C, n = s->carried;
    double M[MOST_C * MOST_C];

    memset(s->M, 0, sizeof(s->M));
    memset(s->F, 0, (size_t)s->task->n_train * (size_t)n * sizeof(*s->F));
    for (int32_t l = 0; l < s->task->n_train; l++)
        memcpy(s->trained + (int64_t)l * n,
               kith__lowrank_p(&s->I, s->task->train[l]),
               (size_t)n * sizeof(*s->trained));
    for (int i = 0; i < s->p->inner; i++)
        inner_step(s, t);
    push(s);
    kith__lowrank_to_coordinates(C, s->M, M);
    for (int i = 0; i < C * C; i++)
        s->I.M[t][i] = (float)M[i];
    s->I.terms = t + 1;
}

/* ---- the next beliefs ---------------------------------------------------- */

/* (W p)_u with the term of alternation t, which the sums are without. */
KITH__ALWAYS_INLINE void add_term(int C, int n, const float *sums,
                                  const float *x, const float *M, float *wp)
{
    for (int c = 0; c < n; c++)
        wp[c] = sums[c];
    for (int k = 0; k < C; k++) {
        float xM = M[(C - 1) * C + k];

        for (int i = 0; i < C - 1; i++)
            xM += x[i] * M[i * C + k];
        for (int c = 0; c < n; c++)
            wp[c] += xM * sums[n * (1 + k) + c];
    }
}

KITH__ALWAYS_INLINE void advance_row(kith__learner *s, int C, int n, int t,
                                     int32_t u)
{
    const int64_t touched = kith__training_edges_find(&s->I.D, u);
    float *p = kith__lowrank_p(&s->I, u), wp[MOST_C], next[MOST_C];
    double pushed[MOST_C] = {0};

    add_term(C, n, s->sums + (int64_t)u * s->width,
             kith__lowrank_x(&s->I, u, t), s->I.M[t], wp);
    if (touched >= 0)
        add_pushes(s, touched, p, pushed);
    for (int c = 0; touched >= 0 && c < n; c++)
        wp[c] += (float)pushed[c];
    kith__next_row(s, C, n, u, wp, next);
    for (int c = 0; c < n; c++)
        p[c] = next[c];
}

KITH__ALWAYS_INLINE void advance_rows(kith__learner *s, int C, int n, int t,
                                      int32_t from, int32_t to)
{
    for (int32_t u = from; u < to; u++)
        advance_row(s, C, n, t, u);
}

void kith__lowrank_advance(kith__learner *s, int t)
{
    const int32_t rows = s->task->n;

#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t from = 0; from < rows; from += KITH__LOWRANK_BLOCK) {
        const int32_t to = rows - from < KITH__LOWRANK_BLOCK
                               ? rows
                               : from + KITH__LOWRANK_BLOCK;

#define ADVANCE(C, n) advance_rows(s, C, n, t, from, to)
        KITH__WITH_CLASSES(s, ADVANCE);
#undef ADVANCE
        kith__lowrank_put_x(&s->I, from, to, t + 1);
    }
}
