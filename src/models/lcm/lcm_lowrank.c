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
 * Where weights of two classes will be written out anyway, they are stored from
 * the start: records are smaller then, and the pass adds to the weights what
 * the alternation before has learnt.
 *
 * Points that differ in g1, g2 and lambda alone share the first pass, and up to
 * KITH__LOWRANK_POINTS of them every pass, in arrays where they lie side by
 * side.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "core/sort.h"
#include "kernels/row_set.h"
#include "kernels/several.h"
#include "kernels/softmax.h"
#include "kernels/spectral_bound.h"
#include "models/lcm/lcm.h"
#include "models/lcm/training_edges.h"

enum {
    MOST_C = KITH__LOWRANK_CLASSES,
    POINTS = KITH__LOWRANK_POINTS,
    BLOCK = 128,     /* rows propagated together */
    CACHED = 1 << 20 /* bytes of ids and weights that a core's cache holds */
};

_Static_assert((int)KITH__LOWRANK_POINTS <= (int)KITH__SEVERAL &&
                   (int)KITH__LOWRANK_CLASSES <= (int)KITH__SEVERAL_COLUMNS,
               "weights of all points fit side by side");

/* ---- which form ---------------------------------------------------------- */

/*
 * Bytes moved for a stored neighbour in an alternation.  Explicit: an id, a
 * weight and a row of beliefs to propagate; for each step the same with the
 * weight written too.  Implicit: an id and a record; and at edges of training
 * nodes, a share of all, some eight records more.  Where ids and weights stay
 * in the cache, bytes cost little and the fewer products of stored weights win.
 */
kith__lcm_form kith__lcm_choose_form(const kith__task *task,
                                     const kith_params *p,
                                     kith__regulariser kind)
{
    const int C = task->classes, carried = p->as_written ? C : C - 1;
    const int vectors = kith__lowrank_vectors(C, carried, p->outer);
    const double record = 16.0 * (1 + vectors);
    const double entries = (double)task->W.rows[task->n];
    const double border = (double)kith__training_edges_count(task);
    kith__lcm_form f = {.bytes_explicit = 8 + 4.0 * C +
                                          p->inner * (12 + 4.0 * C)};

    if (kind != KITH__CONSISTENCY && kind != KITH__NONE)
        snprintf(f.why, sizeof(f.why), "the penalty needs every weight");
    else if (task->W.weights)
        snprintf(f.why, sizeof(f.why), "the graph has weights of its own");
    else if (C < 2 || C > MOST_C)
        snprintf(f.why, sizeof(f.why), "%d classes, not 2 to %d", C, MOST_C);
    else if (p->outer < 1 || p->outer > KITH__LOWRANK_TERMS ||
             vectors > KITH__LOWRANK_VECTORS)
        snprintf(f.why, sizeof(f.why), "%d alternations", (int)p->outer);
    else if (8 * entries <= CACHED)
        snprintf(f.why, sizeof(f.why), "they stay in the cache");
    else if (border >= INT32_MAX)
        snprintf(f.why, sizeof(f.why), "training nodes have too many edges");
    else
        f.bytes_implicit = 4 + record +
                           (entries > 0 ? 8 * record * border / entries : 0);
    if (f.bytes_implicit > 0) {
        f.implicit = f.bytes_implicit <= f.bytes_explicit;
        kith__print(f.why, sizeof(f.why),
                    "%.0f bytes moved for a neighbour in an alternation, "
                    "%s weights would move %.0f",
                    f.implicit ? f.bytes_implicit : f.bytes_explicit,
                    f.implicit ? "stored" : "implicit",
                    f.implicit ? f.bytes_explicit : f.bytes_implicit);
    }
    return f;
}

/*
 * After learning, a pass over the edges reads 4 bytes of id and a record of 32
 * or more; with the weights written out 8 bytes and a row of beliefs, which is
 * faster.  So they are, but where they would take 2 GiB, or more than a quarter
 * of what the run may use; of a grid's points those that share passes, side
 * by side.
 */
bool kith__lcm_writes_out(const kith__task *task, int points)
{
    const int64_t bytes = 4 * points * task->W.rows[task->n];
    const int64_t limit = task->job ? task->job->memory : 0;

    return bytes < INT64_C(2) << 30 && (limit == 0 || bytes <= limit / 4);
}

/* Weights of several points are first written in their second alternation. */
bool kith__lcm_stores(const kith__task *task, const kith_params *p, int points)
{
    const bool possible = points == 1 ||
                          (points == KITH__LANES && p->outer > 1);

    return possible && task->classes == 2 && !p->as_written &&
           kith__lcm_writes_out(task, points);
}

int kith__lcm_together(const kith__task *task, const kith_params *p, int n)
{
    if (n > 1 && kith__lcm_stores(task, p, KITH__LANES))
        return KITH__LANES;
    return n < KITH__LOWRANK_SHARED ? n : KITH__LOWRANK_SHARED;
}

/* ---- state --------------------------------------------------------------- */

/* One setting of the learner. */
typedef struct point {
    const kith_params *p;
    float H[MOST_C * MOST_C];
    double M[MOST_C * MOST_C]; /* of this alternation */
    double *F;                 /* L x carried */
    float *own;                /* per entry of the border */
    float *DP;                 /* touched x carried: D P */
    kith_certificate certificate;
} point;

typedef struct learner {
    const kith__task *task;
    kith__regulariser kind;
    int C, carried, width; /* width: floats that a pass leaves of a node */
    float *Q, *P1;         /* n x C; borrowed, or Q in own_Q */
    float *own_Q;
    kith__training_edges border;
    kith__lowrank I;
    int points;
    int lanes; /* that lie side by side: points, and some that are idle */
    point point[POINTS];
    bool kept;         /* its state goes to the checkpoint */
    float *w;          /* room for the weights of the points, or NULL */
    bool stored;       /* it holds them while they are learnt */
    bool written;      /* it holds those that were learnt */
    float *room;       /* 2 n, free after the first pass; or NULL */
    float *x, *next_x; /* of several with their weights written out: beliefs, n
                          x lanes x carried, in `sums` */
    /* What a pass leaves: of the first alternation, for all points alike, and
     * of the one at hand. */
    float *first_sums, *sums, *first_PP, *PP;
    kith__lowrank_totals first_totals, totals[POINTS];
    float *WP, *E, *EH; /* L x C */
} learner;

static void release_points(learner *s)
{
    for (int j = 0; j < POINTS; j++) {
        kith__free(s->point[j].F);
        kith__free(s->point[j].own);
        kith__free(s->point[j].DP);
        s->point[j] = (point){0};
    }
}

static void release(learner *s)
{
    release_points(s);
    kith__lowrank_release(&s->I);
    kith__training_edges_release(&s->border);
    if (s->sums != s->first_sums)
        kith__free(s->sums);
    if (s->PP != s->first_PP)
        kith__free(s->PP);
    kith__free(s->first_sums);
    kith__free(s->first_PP);
    kith__free(s->own_Q);
    kith__free(s->WP);
    kith__free(s->E);
    kith__free(s->EH);
}

/* Everything but points, records and P1.  Q: room of the caller's, or NULL. */
static kith_status begin(learner *s, const kith__task *task,
                         const kith_params *p, kith__regulariser kind,
                         const float *potentials, float *Q, kith_error *err)
{
    const int C = task->classes, carried = p->as_written ? C : C - 1;
    const int64_t sums = (int64_t)task->n * carried * (C + 1);
    const int64_t settling = kith__solve_workspace(task->n, C);
    const int64_t lc = (int64_t)task->n_train * C;
    kith_status st = KITH_OK;

    *s = (learner){.task = task,
                   .kind = kind,
                   .C = C,
                   .carried = carried,
                   .width = carried * (C + 1)};
    s->Q = Q;
    if (!Q)
        TRY_NEW(s->Q, s->own_Q = kith__alloc_big((int64_t)task->n * C,
                                                 sizeof(float)));
    TRY_NEW(s->first_sums, /* later what settling takes */
            kith__alloc_big(sums > settling ? sums : settling, sizeof(float)));
    TRY_NEW(s->first_PP, kith__alloc(lc * C, sizeof(float)));
    TRY_NEW(s->WP, kith__alloc(lc, sizeof(float)));
    TRY_NEW(s->E, kith__alloc(lc, sizeof(float)));
    TRY_NEW(s->EH, kith__alloc(lc, sizeof(float)));
    TRY(kith__training_edges_new(task, &s->border, err));
    kith__centre_potentials(task, potentials, p->clamp, s->Q);
out:
    return st;
}

/* Points with the usual coupling, and nothing learnt. */
static kith_status new_points(learner *s, const kith_params *p, int points,
                              kith_error *err)
{
    const kith__training_edges *b = &s->border;
    kith_status st = KITH_OK;

    s->points = points;
    s->written = false;
    s->x = NULL;
    memset(s->I.term, 0, sizeof(s->I.term)); /* of those that are idle */
    for (int j = 0; j < points; j++) {
        point *q = &s->point[j];

        q->p = &p[j];
        kith__coupling_start(s->C, q->H);
        TRY_NEW(q->F, kith__alloc((int64_t)s->task->n_train * s->carried,
                                  sizeof(*q->F)));
        TRY_NEW(q->own, kith__alloc_zeroed(b->entries, sizeof(*q->own)));
        TRY_NEW(q->DP, kith__alloc_zeroed((int64_t)b->touched * s->carried,
                                          sizeof(*q->DP)));
    }
out:
    return st;
}

/* Records for as many points.  Those of as many that went before serve again:
 * what they hold is put anew before it is read, or counts for nothing. */
static kith_status new_records(learner *s, int points, int terms,
                               kith_error *err)
{
    if (s->I.block && s->I.points >= points) {
        s->I.terms = 0;
        return KITH_OK;
    }
    kith__lowrank_release(&s->I);
    if (s->stored ? !kith__lowrank_new_stored(&s->task->W, points, s->w, &s->I)
                  : !kith__lowrank_new(&s->task->W, s->C, s->carried, points,
                                       terms, &s->I))
        return kith__no_memory(err);
    s->lanes = s->I.points;
    return KITH_OK;
}

/* P_1 = Q + W Q H into the records of all points, and x_0 of it. */
static void first_beliefs(learner *s)
{
    const kith__task *t = s->task;
    float H[MOST_C * MOST_C];
    const kith__operator op = kith__coupled(&t->W, s->C, H);

    kith__coupling_start(s->C, H);
    kith__operator_apply(&op, 0, t->n, s->Q, s->Q, s->P1);
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int32_t from = 0; from < t->n; from += BLOCK) {
        const int32_t to = t->n - from < BLOCK ? t->n : from + BLOCK;

        for (int j = 0; j < s->lanes; j++)
            kith__lowrank_put(&s->I, from, to, j, s->P1);
        kith__lowrank_put_x(&s->I, from, to, 0);
    }
}

/* These and the sums of the first pass, the same for all points. */
static kith_status first_pass(learner *s, kith_error *err)
{
    const kith__task *t = s->task;

    first_beliefs(s);
    if (!kith__lowrank_gather(&s->I, s->first_sums, &s->first_totals, t->train,
                              t->n_train, s->first_PP))
        return kith__no_memory(err);
    return KITH_OK;
}

/* What the pass of alternation t left of a node and a point. */
static const float *sums_at(const learner *s, int t, int32_t u, int j)
{
    return t == 0 ? s->first_sums + (int64_t)u * s->width
                  : s->sums + ((int64_t)u * s->lanes + j) * s->width;
}

static const float *products_at(const learner *s, int t, int32_t l, int j)
{
    const int64_t square = (int64_t)s->carried * s->carried;

    return t == 0 ? s->first_PP + l * square
                  : s->PP + ((int64_t)j * s->task->n_train + l) * square;
}

/* ---- gradient steps ------------------------------------------------------ */

/* out = x M, M in coordinates. */
static void times(const float *x, const double *M, int C, double *out)
{
    for (int c = 0; c < C; c++) {
        out[c] = 0;
        for (int k = 0; k < C; k++)
            out[c] += (double)x[k] * M[k * C + c];
    }
}

/* (W_i P)_l, as above; M in coordinates. */
static void sum_trained(const learner *s, int t, int j, int32_t l,
                        const double *M, float *out)
{
    const point *q = &s->point[j];
    const kith__training_edges *b = &s->border;
    const int32_t u = s->task->train[l], i = b->at[l];
    const int n = s->carried, at = kith__lowrank_p_at(&s->I, j);
    const float *sums = sums_at(s, t, u, j), *PP = products_at(s, t, l, j);
    const float *p = kith__lowrank_record(&s->I, u) + at;
    const double *F = q->F + (int64_t)l * n;
    float x[MOST_C], wp[MOST_C];
    double xM[MOST_C];

    kith__lowrank_x(&s->I, u, j, t, x);
    times(x, M, s->C, xM);
    for (int c = 0; c < n; c++) {
        double sum = (double)sums[c] + (double)q->DP[(int64_t)i * n + c];

        for (int k = 0; k < s->C; k++)
            sum += xM[k] * (double)sums[n * (1 + k) + c];
        for (int d = 0; d < n; d++)
            sum += F[d] * (double)PP[d * n + c];
        wp[c] = (float)sum;
    }
    for (int64_t k = b->begin[i]; k < b->begin[i + 1]; k++) {
        const int32_t other = b->owner[b->by_node[k]];
        const float *po = kith__lowrank_record(&s->I, s->task->train[other]) +
                          at;
        double push = 0;

        for (int c = 0; c < n; c++)
            push += q->F[(int64_t)other * n + c] * (double)p[c];
        for (int c = 0; c < n; c++)
            wp[c] += (float)(push * (double)po[c]);
    }
    kith__lowrank_widen(s->C, s->carried, wp, out);
}

/* Place of (i, k) among the pairs of an upper triangle. */
static int pair(int C, int i, int k)
{
    const int low = i < k ? i : k, high = i < k ? k : i;

    return low * C - low * (low - 1) / 2 + high - low;
}

/* K += T[M] */
static void add_agreement_of_M(int C, const double *T, const double *M,
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
static void add_agreement_of_F(const learner *s, int t, int j, double *K)
{
    const int C = s->C, n = s->carried;

    for (int32_t l = 0; l < s->task->n_train; l++) {
        const int32_t u = s->task->train[l];
        const double *F = s->point[j].F + (int64_t)l * n;
        const float *R = sums_at(s, t, u, j) + n;
        double FR[MOST_C] = {0};
        float x[MOST_C];

        kith__lowrank_x(&s->I, u, j, t, x);
        for (int k = 0; k < C; k++)
            for (int c = 0; c < n; c++)
                FR[k] += F[c] * (double)R[n * k + c];
        for (int a = 0; a < C; a++)
            for (int b = 0; b < C; b++)
                K[a * C + b] += (double)x[a] * FR[b] + FR[a] * (double)x[b];
    }
}

/* One gradient step of one point; K0 is X'W X before all of them. */
static void inner_step(learner *s, int t, int j, const double *K0)
{
    const kith__task *task = s->task;
    point *q = &s->point[j];
    const int C = s->C, n = s->carried, kk = C * C;
    double M[MOST_C * MOST_C], K[MOST_C * MOST_C], dH[MOST_C * MOST_C] = {0};
    const double rate = s->kind == KITH__CONSISTENCY ? q->p->g1 * q->p->lambda
                                                     : 0;
    const double centre = q->p->uncentred ? 1.0 / C : 0;

    kith__lowrank_to_coordinates(C, q->M, M);
    memcpy(K, K0, sizeof(K));
    add_agreement_of_M(C, t == 0 ? s->first_totals.T : s->totals[j].T, M, K);
    add_agreement_of_F(s, t, j, K);
    kith__lowrank_from_coordinates(C, K, M);
    memcpy(K, M, sizeof(K));
    kith__lowrank_to_coordinates(C, q->M, M);
#pragma omp parallel for num_threads(task->threads) schedule(dynamic, 16)
    for (int32_t l = 0; l < task->n_train; l++) {
        const int64_t at = (int64_t)l * C;

        sum_trained(s, t, j, l, M, s->WP + at);
        kith__lcm_error(s->Q + (int64_t)task->train[l] * C, s->WP + at, q->H, C,
                        task->truth[l], s->E + at, s->EH + at);
    }
    for (int32_t l = 0; l < task->n_train; l++) {
        const float *eh = s->EH + (int64_t)l * C;

        kith__lcm_add_error(s->WP + (int64_t)l * C, s->E + (int64_t)l * C, C,
                            dH);
        for (int c = 0; c < n; c++)
            q->F[(int64_t)l * n + c] +=
                q->p->g1 * (double)(n < C ? eh[c] - eh[C - 1] : eh[c]);
    }
    for (int i = 0; i < kk; i++)
        q->M[i] += rate * ((double)q->H[i] + centre);
    kith__lcm_step_coupling(task, q->p, s->kind, dH, K, q->H);
}

/* own += F_l . p_v */
static void push_border(learner *s, int j)
{
    const kith__training_edges *b = &s->border;
    const int n = s->carried, at = kith__lowrank_p_at(&s->I, j);
    point *q = &s->point[j];

#pragma omp parallel for num_threads(s->task->threads) schedule(dynamic, 16)
    for (int32_t l = 0; l < s->task->n_train; l++) {
        const double *F = q->F + (int64_t)l * n;
        const int32_t *v = kith__training_edges_neighbours(b, l);

        for (int64_t e = b->row[l]; e < b->row[l + 1]; e++) {
            const float *p = kith__lowrank_record(&s->I, v[e - b->row[l]]) + at;
            double push = 0;

            for (int c = 0; c < n; c++)
                push += F[c] * (double)p[c];
            q->own[e] += (float)push;
        }
    }
}

/* All gradient steps of one point in alternation t. */
static void learn_point(learner *s, int t, int j)
{
    point *q = &s->point[j];
    const int C = s->C;
    const kith__lowrank_totals *totals = t == 0 ? &s->first_totals
                                                : &s->totals[j];
    double K[MOST_C * MOST_C] = {0}, M[MOST_C * MOST_C];

    memset(q->M, 0, sizeof(q->M));
    memset(q->F, 0,
           (size_t)s->task->n_train * (size_t)s->carried * sizeof(*q->F));
    if (t > 0) {
        kith__training_edges_apply(&s->border, q->own, &s->I, j, q->DP);
        kith__training_edges_consistency(&s->border, q->own, &s->I, j, t, K);
    }
    for (int i = 0; i < C * C; i++)
        K[i] += totals->K[i];
    for (int i = 0; i < q->p->inner; i++)
        inner_step(s, t, j, K);
    push_border(s, j);
    kith__training_edges_apply(&s->border, q->own, &s->I, j, q->DP);
    kith__lowrank_to_coordinates(C, q->M, M);
    for (int i = 0; i < C * C; i++)
        s->I.term[j].M[t][i] = (float)M[i];
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

/* p+ = q + (wp + D p) H of node u and a point, wp as carried; returns the
 * largest change. */
KITH__ALWAYS_INLINE float next_row(const learner *s, int C, int n, int j,
                                   int32_t u, int64_t touched, float *wp,
                                   const float *p, float *next)
{
    const point *q = &s->point[j];
    float full[MOST_C], old[MOST_C], change = 0;

    for (int c = 0; touched >= 0 && c < n; c++)
        wp[c] += q->DP[touched * n + c];
    kith__lowrank_widen(C, n, wp, full);
    kith__lowrank_widen(C, n, p, old);
    for (int c = 0; c < C; c++) {
        float to = s->Q[(int64_t)u * C + c];

        for (int k = 0; k < C; k++)
            to += full[k] * q->H[k * C + c];
        next[c] = to;
        to = fabsf(to - old[c]);
        change = to > change ? to : change;
    }
    return change;
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

KITH__ALWAYS_INLINE void advance_row(learner *s, int C, int n, int t, int32_t u,
                                     float *change)
{
    const int64_t touched = kith__training_edges_find(&s->border, u);
    float *r = kith__lowrank_record(&s->I, u);

    for (int j = 0; j < s->points; j++) {
        float *p = r + kith__lowrank_p_at(&s->I, j);
        float wp[MOST_C], next[MOST_C] = {0}, here;

        add_term(C, n, sums_at(s, t, u, j), r + kith__lowrank_x_at(&s->I, j, t),
                 s->I.term[j].M[t], wp);
        here = next_row(s, C, n, j, u, touched, wp, p, next);
        change[j] = here > change[j] ? here : change[j];
        for (int c = 0; c < n; c++)
            p[c] = next[c];
    }
}

KITH__ALWAYS_INLINE void advance_rows(learner *s, int C, int n, int t,
                                      int32_t from, int32_t to, float *change)
{
    for (int32_t u = from; u < to; u++)
        advance_row(s, C, n, t, u, change);
}

/* Of the sums of alternation t, node by node, the next P; and x of it for
 * alternation `then`, unless negative.  W includes the term of t already. */
static void advance(learner *s, int t, int then, float *changes)
{
    const int32_t rows = s->task->n;
    float change[POINTS] = {0};

#pragma omp parallel for num_threads(s->task->threads) schedule(static) \
    reduction(max                                                       \
              : change[:POINTS])
    for (int32_t from = 0; from < rows; from += BLOCK) {
        const int32_t to = rows - from < BLOCK ? rows : from + BLOCK;

#define ADVANCE(C, n) advance_rows(s, C, n, t, from, to, change)
        WITH_CLASSES(s, ADVANCE);
#undef ADVANCE
        if (then >= 0)
            kith__lowrank_put_x(&s->I, from, to, then);
    }
    memcpy(changes, change, sizeof(change));
}

/* Rows of the next P in `next` (n x lanes x carried); change as above. */
KITH__ALWAYS_INLINE void propagate_rows(const learner *s, int C, int n,
                                        int32_t from, int32_t to, float *next,
                                        float *change)
{
    float *rows = next + (int64_t)from * s->lanes * n;

    kith__lowrank_pull(&s->I, from, to, rows);
    for (int32_t u = from; u < to; u++) {
        const int64_t touched = kith__training_edges_find(&s->border, u);
        const float *r = kith__lowrank_record(&s->I, u);

        for (int j = 0; j < s->points; j++) {
            float *row = rows + ((int64_t)(u - from) * s->lanes + j) * n;
            const float *p = r + kith__lowrank_p_at(&s->I, j);
            float full[MOST_C] = {0};
            const float here = next_row(s, C, n, j, u, touched, row, p, full);

            change[j] = here > change[j] ? here : change[j];
            for (int c = 0; c < n; c++)
                row[c] = full[c];
        }
    }
}

/* P <- Q + W P H by a pass over the edges, of points that are not done. */
static void propagate(learner *s, float *changes)
{
    float *next = s->sums; /* free after learning */
    float change[POINTS] = {0};

    for (int j = 0; j < s->points; j++)
        kith__training_edges_apply(&s->border, s->point[j].own, &s->I, j,
                                   s->point[j].DP);
#pragma omp parallel for num_threads(s->task->threads) schedule(dynamic, 4) \
    reduction(max                                                           \
              : change[:POINTS])
    for (int32_t from = 0; from < s->task->n; from += BLOCK) {
        const int32_t to = s->task->n - from < BLOCK ? s->task->n
                                                     : from + BLOCK;

#define ROWS(C, n) propagate_rows(s, C, n, from, to, next, change)
        WITH_CLASSES(s, ROWS);
#undef ROWS
    }
#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < s->task->n; u++)
        for (int j = 0; j < s->points; j++)
            if (!s->point[j].certificate.converged)
                memcpy(kith__lowrank_record(&s->I, u) +
                           kith__lowrank_p_at(&s->I, j),
                       next + ((int64_t)u * s->lanes + j) * s->carried,
                       (size_t)s->carried * sizeof(*next));
    memcpy(changes, change, sizeof(change));
}

/* The same with the weights of several points written out; D is in them. */
KITH__ALWAYS_INLINE void propagate_written_row(const learner *s, int C, int n,
                                               int32_t u, float *change)
{
    const int64_t at = (int64_t)u * s->lanes * n;
    float wp[POINTS * MOST_C];

    kith__several_pull(&s->task->W, s->lanes, s->w, s->x, n, u, wp);
    for (int j = 0; j < s->points; j++) {
        const float *p = s->x + at + j * n;
        float full[MOST_C] = {0};
        const float here = next_row(s, C, n, j, u, -1, wp + j * n, p, full);

        change[j] = here > change[j] ? here : change[j];
        for (int c = 0; c < n; c++)
            s->next_x[at + j * n + c] = s->point[j].certificate.converged
                                            ? p[c]
                                            : full[c];
    }
}

/* Of all nodes, or of some where the rest does not matter any more. */
static void propagate_written(learner *s, const kith__row_set *some,
                              float *changes)
{
    const int64_t rows = kith__row_count(some, s->task->n);
    float change[POINTS] = {0}, *swap;

#pragma omp parallel for num_threads(s->task->threads) schedule(dynamic, 1024) \
    reduction(max                                                              \
              : change[:POINTS])
    for (int64_t i = 0; i < rows; i++) {
        const int32_t u = (int32_t)kith__nth_row(some, i);

#define ROW(C, n) propagate_written_row(s, C, n, u, change)
        WITH_CLASSES(s, ROW);
#undef ROW
    }
    memcpy(changes, change, sizeof(change));
    swap = s->x;
    s->x = s->next_x;
    s->next_x = swap;
}

/* Beliefs of all points beside each other, apart from the records, and not
 * propagated since learning. */
static void begin_written(learner *s)
{
    const int n = s->carried, J = s->lanes;

    s->x = s->sums; /* free after learning */
    s->next_x = s->x + (int64_t)s->task->n * J * n;
#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < s->task->n; u++)
        for (int j = 0; j < J; j++)
            memcpy(s->x + ((int64_t)u * J + j) * n,
                   kith__lowrank_record(&s->I, u) +
                       kith__lowrank_p_at(&s->I, j),
                   (size_t)n * sizeof(*s->x));
    for (int j = 0; j < s->points; j++) {
        s->point[j].certificate.iterations = s->point[j].p->outer;
        s->point[j].certificate.converged = false;
    }
}

static void read_row(const learner *s, int j, int32_t u, float *P)
{
    const float *p = s->x ? s->x + ((int64_t)u * s->lanes + j) * s->carried
                          : kith__lowrank_record(&s->I, u) +
                                kith__lowrank_p_at(&s->I, j);

    kith__lowrank_widen(s->C, s->carried, p, P + (int64_t)u * s->C);
}

static void read_beliefs(const learner *s, int j, float *P)
{
#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < s->task->n; u++)
        read_row(s, j, u, P);
}

/* ---- the bound of rho(W) ------------------------------------------------- */

/* sum_v |w_uv + D_uv| y_v of every point */
static void norm_of_rows(const void *of, int32_t first, int32_t last,
                         const float *y, double *out)
{
    const learner *s = of;

    kith__lowrank_pull_norm(&s->I, first, last, y, out);
    for (int32_t u = first; u < last; u++, out += s->lanes) {
        const int64_t touched = kith__training_edges_find(&s->border, u);

        for (int j = 0; touched >= 0 && j < s->points; j++)
            out[j] += kith__training_edges_norm(&s->border, s->point[j].own,
                                                &s->I, j, touched, y);
    }
}

/* The only W, written out. */
static kith__operator written_W(const learner *s)
{
    return kith__weighted(&s->task->W, s->w);
}

static void norm_of_written(const void *of, int32_t first, int32_t last,
                            const float *y, double *out)
{
    const learner *s = of;

    for (int32_t u = first; u < last; u++, out += s->lanes)
        kith__several_norm(&s->task->W, s->lanes, s->w, y, u, out);
}

static void norm_of_one(const void *of, int32_t first, int32_t last,
                        const float *y, double *out)
{
    const learner *s = of;
    const kith__operator W = written_W(s);

    kith__norm_of_rows(&W, first, last, y, out);
}

/* The same of stored weights, completed on the way. */
static void norm_completing(const void *of, int32_t first, int32_t last,
                            const float *y, double *out)
{
    const learner *s = of;

    (void)y; /* it is in the records too */
    kith__stored_complete(&s->I, first, last, out);
}

/* Several points whose weights lie side by side once they are learnt. */
static bool abreast(const learner *s)
{
    return s->w && s->lanes > 1;
}

/* All W, for passes that read them instead of records; stored ones are complete
 * after the first. */
static void write_out(learner *s)
{
    if (s->stored)
        kith__stored_begin_completing(&s->I);
    else
        kith__lowrank_weights(&s->I, s->w);
    for (int j = 0; j < s->points; j++)
        kith__training_edges_add(&s->border, s->point[j].own, s->lanes, j,
                                 s->w);
    s->written = true;
}

static bool bound_all(learner *s, const double *enough, double *rho)
{
    kith__rho_of all = {.shape = &s->task->W,
                        .norm = norm_of_rows,
                        .W = s,
                        .count = s->lanes,
                        .room = abreast(s) ? s->sums : s->room};

    if (s->w) {
        write_out(s);
        all.norm = abreast(s) ? norm_of_written : norm_of_one;
        all.first = s->stored ? norm_completing : NULL;
    }
    return kith__rho_bounds(&all, KITH__LCM_BOUND_PASSES, enough, rho);
}

static kith_status guard(learner *s, kith_error *err)
{
    double enough[POINTS], rho[POINTS] = {0};
    kith_status st = KITH_OK;

    for (int j = 0; j < s->lanes; j++)
        enough[j] = j < s->points ? kith__lcm_rho_target(s->point[j].p,
                                                         s->point[j].H, s->C)
                                  : (double)INFINITY;
    if (!bound_all(s, enough, rho))
        return kith__no_memory(err);
    for (int j = 0; j < s->points; j++)
        TRY(kith__lcm_guard(s->point[j].p, rho[j], s->point[j].H, s->C,
                            &s->point[j].certificate.rho, err));
out:
    return st;
}

/* ---- nodes asked for ----------------------------------------------------- */

/* Whose beliefs are wanted in the end; and these and their neighbours, which is
 * all that the last step reads, none if that is about every node. */
typedef struct asked {
    kith__row_set own, around; /* without marks */
} asked;

static void asked_release(asked *a)
{
    kith__free(a->own.node);
    kith__free(a->around.node);
}

/* The rows of a step that so many others follow; NULL: all. */
static const kith__row_set *needed(const asked *nodes, int following)
{
    if (!nodes || following > 1)
        return NULL;
    if (following == 0)
        return &nodes->own;
    return nodes->around.count > 0 ? &nodes->around : NULL;
}

static kith_status find_asked(const kith__task *t,
                              const kith__labelled_nodes *val, asked *out,
                              kith_error *err)
{
    const int64_t *rows = t->W.rows;
    kith_status st = KITH_OK;
    int64_t most = val->n;

    TRY_NEW(out->own.node, kith__alloc(val->n, sizeof(int32_t)));
    memcpy(out->own.node, val->node, (size_t)val->n * sizeof(int32_t));
    out->own.count = val->n;
    for (int32_t i = 0; i < val->n; i++)
        most += rows[val->node[i] + 1] - rows[val->node[i]];
    if (most >= t->n)
        goto out;
    TRY_NEW(out->around.node, kith__alloc(most, sizeof(int32_t)));
    for (int32_t i = 0; i < val->n; i++) {
        const int32_t u = val->node[i];

        out->around.node[out->around.count++] = u;
        for (int64_t p = rows[u]; p < rows[u + 1]; p++)
            out->around.node[out->around.count++] = t->W.neighbours[p];
    }
    out->around.count = kith__sort_once(out->around.node, out->around.count);
out:
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static kith_status tell(const learner *s, const char *stage, int passes,
                        int total, kith_error *err)
{
    const int64_t edges = s->task->W.rows[s->task->n] / 2;

    return kith__progress(s->task->job, stage, edges * passes, edges * total,
                          "edges", err);
}

/* What a fit of one point is after an alternation: so many arrays at most. */
enum { STATE = 7 };

/* Returns how many there are. */
static int list_state(learner *s, kith__saved *state)
{
    const int64_t records = (int64_t)s->task->n * s->I.stride;
    point *q = &s->point[0];

    state[0] = (kith__saved){"terms", &s->I.terms, sizeof(s->I.terms)};
    state[1] = (kith__saved){"term", &s->I.term[0], sizeof(s->I.term[0])};
    state[2] = (kith__saved){"H", q->H, sizeof(q->H)};
    state[3] = (kith__saved){"own", q->own,
                             s->border.entries * (int64_t)sizeof(*q->own)};
    state[4] = (kith__saved){"proof", &q->certificate, sizeof(q->certificate)};
    state[5] = (kith__saved){"records", s->I.records,
                             records * (int64_t)sizeof(*s->I.records)};
    if (!s->stored)
        return 6;
    state[6] = (kith__saved){"weights", s->w, 4 * s->task->W.rows[s->task->n]};
    return STATE;
}

/* Save the fit, if it is the one that is kept. */
static kith_status save(learner *s, kith_error *err)
{
    kith__saved state[STATE];

    if (!s->kept || !s->task->checkpoint)
        return KITH_OK;
    return kith__checkpoint_save(s->task->checkpoint, state,
                                 list_state(s, state), err);
}

/* Is a fit that was restored one that may go on?  The file is not trusted. */
static bool may_go_on(const learner *s)
{
    const kith_certificate *c = &s->point[0].certificate;
    const int outer = s->point[0].p->outer;
    unsigned char converged;

    memcpy(&converged, &c->converged, 1); /* any byte, before it is a bool */
    return s->I.terms > 0 && s->I.terms <= outer && converged <= 1 &&
           c->iterations >= 0 && c->iterations <= outer + 1;
}

static void note_first(learner *s, const float *changes)
{
    for (int j = 0; j < s->points; j++) {
        kith_certificate *c = &s->point[j].certificate;
        const kith_params *p = s->point[j].p;

        c->residual = (double)changes[j];
        c->iterations = p->outer + 1;
        c->converged = c->residual <= (p->as_written ? 0 : p->tolerance);
    }
}

/* Alternations from I.terms on; points abreast are left without the first
 * propagation after them. */
static kith_status alternate(learner *s, kith_error *err)
{
    const int outer = s->point[0].p->outer;
    kith_status st = KITH_OK;
    float changes[POINTS];

    for (int t = s->I.terms; t < outer; t++) {
        if (t > 0 &&
            !kith__lowrank_gather(&s->I, s->sums, s->totals, s->task->train,
                                  s->task->n_train, s->PP))
            TRY(kith__no_memory(err));
        for (int j = 0; j < s->points; j++)
            learn_point(s, t, j);
        s->I.terms = t + 1;
        if (t + 1 == outer)
            TRY(guard(s, err));
        if (t + 1 < outer || !abreast(s)) {
            advance(s, t, t + 1 < outer ? t + 1 : -1, changes);
            note_first(s, changes);
        }
        TRY(save(s, err));
        TRY(tell(s, "learning", t + 1, outer, err));
    }
out:
    return st;
}

/* The propagations that are left.  Beliefs of nodes other than those asked for
 * may be left a step or two behind. */
static kith_status finish(learner *s, const asked *nodes, kith_error *err)
{
    const kith_params *p = s->point[0].p;
    const int left = (p->as_written ? 0 : p->iterations - p->outer - 1) +
                     abreast(s);
    kith_status st = KITH_OK;
    float changes[POINTS];

    for (int i = 0; i < left; i++) {
        bool done = true;

        for (int j = 0; j < s->points; j++)
            done &= s->point[j].certificate.converged;
        if (done)
            break;
        if (abreast(s))
            propagate_written(s, needed(nodes, left - 1 - i), changes);
        else
            propagate(s, changes);
        for (int j = 0; j < s->points; j++) {
            kith_certificate *c = &s->point[j].certificate;

            if (c->converged)
                continue;
            c->residual = (double)changes[j];
            c->converged = c->residual <= s->point[j].p->tolerance;
            c->iterations++;
        }
        TRY(tell(s, "propagating", i + 1, left, err));
    }
out:
    return st;
}

/* The same of the only point with its weights written out, into P.  Records are
 * not needed any more. */
static kith_status finish_written(learner *s, float *P, kith_error *err)
{
    const kith__operator W = written_W(s);
    point *q = &s->point[0];
    const kith__operator op = kith__coupled(&W, s->C, q->H);

    if (!s->written && !s->stored) /* a run that goes on after learning */
        write_out(s);
    read_beliefs(s, 0, P);
    kith__lowrank_release(&s->I);
    return kith__lcm_propagate(s->task, q->p, &op, s->Q, P, s->sums,
                               &q->certificate, err);
}

/* All points; P: of the only one with its weights written out. */
static kith_status finish_all(learner *s, const asked *nodes, float *P,
                              kith_error *err)
{
    if (abreast(s))
        begin_written(s);
    else if (s->w)
        return finish_written(s, P, err);
    return finish(s, nodes, err);
}

/* Room for as many points as share a pass; the sums of the first stay. */
static kith_status room_for_points(learner *s, int points, kith_error *err)
{
    const int64_t square = (int64_t)s->carried * s->carried;
    const int64_t sums = (int64_t)s->task->n * points * s->width +
                         2 * KITH__LANES; /* or the bound's vectors */
    const int64_t settling = kith__solve_workspace(s->task->n, s->C);
    kith_status st = KITH_OK;

    TRY_NEW(s->sums,
            kith__alloc_big(sums > settling ? sums : settling, sizeof(float)));
    TRY_NEW(s->PP, kith__alloc(points * (int64_t)s->task->n_train * square,
                               sizeof(float)));
out:
    return st;
}

kith_status kith__lcm_try_lowrank(const kith__task *task,
                                  const kith_params *points, int n,
                                  kith__regulariser kind,
                                  const float *potentials,
                                  const kith__labelled_nodes *val,
                                  kith__score *scores, kith_error *err)
{
    const int64_t cells = (int64_t)task->n * task->classes;
    const int outer = points[0].outer;
    const int together = kith__lcm_together(task, points, n);
    kith_status st = KITH_OK;
    float *P = NULL, *w = NULL;
    asked nodes = {0};
    learner s = {0};

    TRY_NEW(P, kith__alloc(cells, sizeof(*P))); /* few of its pages are used */
    TRY(begin(&s, task, points, kind, potentials, NULL, err));
    TRY(room_for_points(&s, together, err));
    s.P1 = s.sums; /* free while there are no others */
    TRY(new_records(&s, 1, outer, err));
    TRY(first_pass(&s, err));
    kith__lowrank_release(&s.I);
    if (kith__lcm_writes_out(task, together)) {
        TRY_NEW(w,
                kith__alloc_big(together * task->W.rows[task->n] + KITH__LANES,
                                sizeof(*w)));
        TRY(find_asked(task, val, &nodes, err));
    }
    s.w = w;
    s.stored = w && together == KITH__LANES;
    for (int i = 0; i < n; i += together) {
        const int J = n - i < together ? n - i : together;

        if (kith__checkpoint_scores(task->checkpoint, J, scores + i))
            continue;
        TRY(new_points(&s, points + i, J, err));
        TRY(new_records(&s, J, outer, err));
        first_beliefs(&s);
        TRY(alternate(&s, err));
        TRY(finish_all(&s, &nodes, P, err));
        for (int j = 0; j < J; j++) {
            for (int32_t k = 0; (abreast(&s) || !w) && k < val->n; k++)
                read_row(&s, j, val->node[k], P);
            scores[i + j] = kith__score_of(P, task->classes, val);
        }
        release_points(&s);
        TRY(kith__checkpoint_add(task->checkpoint, J, scores + i, err));
        TRY(kith__progress(task->job, "tuning", i + J, n, "points", err));
    }
out:
    release(&s);
    asked_release(&nodes);
    kith__free(P);
    kith__free(w);
    return st;
}

kith_status kith__lcm_run_lowrank(const kith__task *task, const kith_params *p,
                                  kith__regulariser kind,
                                  const float *potentials, kith__beliefs *out,
                                  kith_error *err)
{
    kith__saved state[STATE];
    kith_status st = KITH_OK;
    float *room = NULL;
    learner s = {0};
    bool found;

    TRY(begin(&s, task, p, kind, potentials, out->Q, err));
    TRY(new_points(&s, p, 1, err));
    s.P1 = s.room = out->P;
    s.sums = s.first_sums; /* one point: what was gathered first is spent */
    s.PP = s.first_PP;
    s.kept = true;
    if (out->weights)
        s.w = out->weights;
    else if (kith__lcm_writes_out(task, 1))
        TRY_NEW(s.w,
                room = kith__alloc_big(task->W.rows[task->n], sizeof(*room)));
    s.stored = s.w && s.C == 2 && s.carried == 1;
    TRY(new_records(&s, 1, p->outer, err));
    TRY(kith__checkpoint_restore(task->checkpoint, state, list_state(&s, state),
                                 &found, err));
    if (found && !may_go_on(&s))
        TRY(kith__checkpoint_refuse(task->checkpoint, err));
    if (!found)
        TRY(first_pass(&s, err));
    TRY(alternate(&s, err));
    TRY(finish_all(&s, NULL, out->P, err));
    if (!s.w)
        read_beliefs(&s, 0, out->P);
    memcpy(out->coupling, s.point[0].H,
           (size_t)(s.C * s.C) * sizeof(*out->coupling));
    out->certificate = s.point[0].certificate;
    out->linear = KITH__FIXED_POINT;
    out->has_coupling = true;
out:
    release(&s);
    kith__free(room);
    return st;
}
