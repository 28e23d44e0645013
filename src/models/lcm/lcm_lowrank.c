/*
 * lcm_lowrank.c: LCM at the price of LinBP: what lcm.c learns, with W not
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
 * They are written out once they are learnt, where there is room for them,
 * since propagation is faster then.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/operator_lowrank.h"
#include "models/lcm/lcm.h"

enum {
    MOST_C = KITH__LOWRANK_CLASSES,
    BLOCK = 128,     /* rows propagated together */
    CACHED = 1 << 20 /* bytes of ids and weights that a core's cache holds */
};

/* ---- state --------------------------------------------------------------- */

/* n nodes, C classes, n of a row of beliefs carried, L training nodes. */
typedef struct learner {
    const kith__task *task;
    const kith_params *p;
    kith__regulariser kind;
    int C, carried, width; /* width: floats that a pass leaves of a node */
    float *Q, *P;          /* n x C: P is the caller's, free while learning */
    float *own_Q;
    kith__lowrank I;
    float H[MOST_C * MOST_C];
    double M[MOST_C * MOST_C]; /* of this alternation */
    double *F;                 /* L x carried */
    float *trained;            /* L x carried: P of the training nodes */
    float *sums, *PP;          /* what a pass leaves */
    kith__lowrank_totals totals;
    float *WP, *E, *EH; /* L x C */
    kith_certificate certificate;
} learner;

static void release(learner *s)
{
    kith__lowrank_release(&s->I);
    kith__free(s->own_Q);
    kith__free(s->F);
    kith__free(s->trained);
    kith__free(s->sums);
    kith__free(s->PP);
    kith__free(s->WP);
    kith__free(s->E);
    kith__free(s->EH);
}

/* Q, in room of its own or of the caller's. */
static kith_status centre(learner *s, const float *potentials, kith_error *err)
{
    const int64_t cells = (int64_t)s->task->n * s->C;
    kith_status st = KITH_OK;

    if (!s->Q)
        TRY_NEW(s->Q, s->own_Q = kith__alloc_big(cells, sizeof(float)));
    kith__centre_potentials(s->task, potentials, s->p->clamp, s->Q);
out:
    return st;
}

/* The usual coupling, and nothing learnt. */
static kith_status begin(learner *s, const kith__task *task,
                         const kith_params *p, kith__regulariser kind,
                         const float *potentials, const kith__beliefs *out,
                         kith_error *err)
{
    const int C = task->classes, carried = p->as_written ? C : C - 1;
    const int64_t L = task->n_train;
    kith_status st = KITH_OK;

    *s = (learner){.task = task,
                   .p = p,
                   .kind = kind,
                   .C = C,
                   .carried = carried,
                   .width = kith__lowrank_width(C, carried),
                   .Q = out->Q,
                   .P = out->P};
    kith__coupling_start(C, s->H);
    TRY_NEW(s->F, kith__alloc(L * carried, sizeof(*s->F)));
    TRY_NEW(s->trained, kith__alloc(L * carried, sizeof(float)));
    TRY_NEW(s->sums,
            kith__alloc_big((int64_t)task->n * s->width, sizeof(float)));
    TRY_NEW(s->PP, kith__alloc(L * carried * carried, sizeof(float)));
    TRY_NEW(s->WP, kith__alloc(L * C, sizeof(float)));
    TRY_NEW(s->E, kith__alloc(L * C, sizeof(float)));
    TRY_NEW(s->EH, kith__alloc(L * C, sizeof(float)));
    TRY(kith__lowrank_new(&task->W, C, carried, p->outer, task->train,
                          task->n_train, &s->I, err));
    TRY(centre(s, potentials, err));
out:
    return st;
}

/* P_1 = Q + W Q H into the records, and x_0 of it. */
static void first_beliefs(learner *s)
{
    const kith__task *t = s->task;
    const kith__operator op = kith__coupled(&t->W, s->C, s->H);

    kith__operator_apply(&op, 0, t->n, s->Q, s->Q, s->P);
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int32_t from = 0; from < t->n; from += BLOCK) {
        const int32_t to = t->n - from < BLOCK ? t->n : from + BLOCK;

        kith__lowrank_put(&s->I, from, to, s->P);
        kith__lowrank_put_x(&s->I, from, to, 0);
    }
}

/* ---- gradient steps ------------------------------------------------------ */

/* x_t of a node with its constant. */
static void x_of(const kith__lowrank *I, int32_t u, int t, float *x)
{
    memcpy(x, kith__lowrank_x(I, u, t), (size_t)(I->C - 1) * sizeof(*x));
    x[I->C - 1] = 1;
}

/* wp += D_i p in row `touched`, beside what D was before this alternation; p is
 * of the row's node. */
static void add_pushes(const learner *s, int64_t touched, const float *p,
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
static void sum_trained(const learner *s, int t, int32_t l, const double *M,
                        float *out)
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
static void add_consistency_of_F(const learner *s, int t, double *K)
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
static void find_errors(learner *s, int t, const double *M)
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
static void inner_step(learner *s, int t)
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
static void push(learner *s)
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
static void learn(learner *s, int t)
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

/* ---- beliefs ------------------------------------------------------------- */

/*
 * Loops over all nodes are inlined with the classes C and the n of them that
 * are carried as constants where they are common.
 */
#define WITH_CLASSES(s, CALL)                      \
    do {                                           \
        if ((s)->C == 2 && (s)->carried == 1)      \
            CALL(2, 1);                            \
        else if ((s)->C == 3 && (s)->carried == 2) \
            CALL(3, 2);                            \
        else                                       \
            CALL((s)->C, (s)->carried);            \
    } while (0)

/* q + wp H of node u, wp as carried. */
KITH__ALWAYS_INLINE void next_row(const learner *s, int C, int n, int32_t u,
                                  const float *wp, float *next)
{
    float full[MOST_C];

    kith__lowrank_widen(C, n, wp, full);
    for (int c = 0; c < C; c++) {
        next[c] = s->Q[(int64_t)u * C + c];
        for (int k = 0; k < C; k++)
            next[c] += full[k] * s->H[k * C + c];
    }
}

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

KITH__ALWAYS_INLINE void advance_row(learner *s, int C, int n, int t, int32_t u)
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
    next_row(s, C, n, u, wp, next);
    for (int c = 0; c < n; c++)
        p[c] = next[c];
}

KITH__ALWAYS_INLINE void advance_rows(learner *s, int C, int n, int t,
                                      int32_t from, int32_t to)
{
    for (int32_t u = from; u < to; u++)
        advance_row(s, C, n, t, u);
}

/* From alternation t to the next: P, node by node, and x of it. */
static void advance(learner *s, int t)
{
    const int32_t rows = s->task->n;

#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t from = 0; from < rows; from += BLOCK) {
        const int32_t to = rows - from < BLOCK ? rows : from + BLOCK;

#define ADVANCE(C, n) advance_rows(s, C, n, t, from, to)
        WITH_CLASSES(s, ADVANCE);
#undef ADVANCE
        kith__lowrank_put_x(&s->I, from, to, t + 1);
    }
}

static void read_beliefs(const learner *s)
{
#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < s->task->n; u++)
        kith__lowrank_widen(s->C, s->carried, kith__lowrank_p(&s->I, u),
                            s->P + (int64_t)u * s->C);
}

/* ---- the whole ----------------------------------------------------------- */

static kith_status tell(const learner *s, const char *stage, int passes,
                        int total, kith_error *err)
{
    const int64_t edges = s->task->W.rows[s->task->n] / 2;

    return kith__progress(s->task->job, stage, edges * passes, edges * total,
                          "edges", err);
}

/* What a fit is after an alternation: so many arrays. */
enum { STATE = 5 };

static void list_state(learner *s, kith__saved *state)
{
    const int64_t records = (int64_t)s->task->n * s->I.vectors * KITH__LANES;

    state[0] = (kith__saved){"terms", &s->I.terms, sizeof(s->I.terms)};
    state[1] = (kith__saved){"term", s->I.M, sizeof(s->I.M)};
    state[2] = (kith__saved){"H", s->H, sizeof(s->H)};
    state[3] = (kith__saved){"own", s->I.D.pushed,
                             s->I.D.entries * (int64_t)sizeof(float)};
    state[4] = (kith__saved){"records", s->I.records,
                             records * (int64_t)sizeof(float)};
}

static kith_status save(learner *s, kith_error *err)
{
    kith__saved state[STATE];

    list_state(s, state);
    return kith__checkpoint_save(s->task->checkpoint, state, STATE, err);
}

/* From the checkpoint, which is not trusted, or from the start. */
static kith_status restore(learner *s, kith_error *err)
{
    kith__saved state[STATE];
    kith_status st = KITH_OK;
    bool found;

    list_state(s, state);
    TRY(kith__checkpoint_restore(s->task->checkpoint, state, STATE, &found,
                                 err));
    if (found && (s->I.terms < 1 || s->I.terms > s->p->outer))
        TRY(kith__checkpoint_refuse(s->task->checkpoint, err));
    if (!found)
        first_beliefs(s);
out:
    return st;
}

/* Alternations from I.terms on. */
static kith_status alternate(learner *s, kith_error *err)
{
    const int outer = s->p->outer;
    kith_status st = KITH_OK;

    for (int t = s->I.terms; t < outer; t++) {
        if (!kith__lowrank_gather(&s->I, s->sums, &s->totals, s->PP))
            TRY(kith__no_memory(err));
        learn(s, t);
        if (t + 1 < outer)
            advance(s, t);
        TRY(save(s, err));
        TRY(tell(s, "learning", t + 1, outer, err));
    }
out:
    return st;
}

/* Propagate over records. */
static kith_status finish(learner *s, kith_error *err)
{
    const kith__operator W = kith__lowrank_operator(&s->I);
    const kith__operator op = kith__coupled(&W, s->C, s->H);
    const kith_params *p = s->p;
    const int left = p->as_written || p->iterations - p->outer < 1
                         ? 1
                         : p->iterations - p->outer;
    const kith__stopping stopping =
        kith__stopping_of(s->task, left, p->as_written ? 0 : p->tolerance);
    kith_certificate *c = &s->certificate;
    kith_status st = KITH_OK;

    TRY(kith__lcm_bound(p, NULL, &W, s->P, s->H, s->C, c, err));
    read_beliefs(s);
    TRY(kith__iterate(&op, &stopping, s->Q, s->P, s->sums, c, err));
    c->iterations += p->outer;
out:
    return st;
}

/* The same with the weights written out, in the first pass of the bound.
 * Records, weights and other arrays of all nodes are not needed at the same
 * time: Q is made anew. */
static kith_status finish_written(learner *s, const float *potentials,
                                  float *weights, kith_error *err)
{
    const kith__task *t = s->task;
    kith__lowrank_writing writing = {&s->I, weights};
    const kith__operator first = kith__lowrank_writer(&writing);
    const kith__operator W = kith__weighted(&t->W, weights);
    const kith__operator op = kith__coupled(&W, s->C, s->H);
    kith_status st = KITH_OK;

    kith__free(s->sums);
    s->sums = NULL;
    if (s->own_Q) {
        kith__free(s->own_Q);
        s->Q = s->own_Q = NULL;
    }
    TRY(kith__lcm_bound(s->p, &first, &W, s->P, s->H, s->C, &s->certificate,
                        err));
    read_beliefs(s);
    kith__lowrank_release(&s->I);
    TRY(centre(s, potentials, err));
    TRY_NEW(s->sums,
            kith__alloc_big(kith__solve_workspace(t->n, s->C), sizeof(float)));
    TRY(kith__lcm_propagate(t, s->p, &op, s->Q, s->P, s->sums, &s->certificate,
                            err));
out:
    return st;
}

kith_status kith__lcm_run_lowrank(const kith__task *task, const kith_params *p,
                                  kith__regulariser kind,
                                  const float *potentials, kith__beliefs *out,
                                  kith_error *err)
{
    kith_status st = KITH_OK;
    float *own = NULL, *weights = out->weights;
    learner s = {0};

    TRY(begin(&s, task, p, kind, potentials, out, err));
    TRY(restore(&s, err));
    TRY(alternate(&s, err));
    if (!weights && kith__lcm_writes_out(task))
        TRY_NEW(weights,
                own = kith__alloc_big(task->W.rows[task->n], sizeof(*weights)));
    TRY(weights ? finish_written(&s, potentials, weights, err)
                : finish(&s, err));
    memcpy(out->coupling, s.H, (size_t)(s.C * s.C) * sizeof(*out->coupling));
    out->certificate = s.certificate;
    out->linear = KITH__FIXED_POINT;
    out->has_coupling = true;
out:
    release(&s);
    kith__free(own);
    return st;
}
