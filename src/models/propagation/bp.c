/*
 * bp.c: loopy belief propagation, sum-product (Pearl 1988).
 *
 *     m_uv(j)  ~  sum_i phi_u(i) psi_uv(i, j) prod_{w in N(u) \ v} m_wu(i)
 *     b_u(i)   ~  phi_u(i) prod_{w in N(u)} m_wu(i)
 *
 *   phi_u   node potentials, rows of Q~
 *   psi_uv  edge potentials 1/C + w_uv H, the ones LinBP linearises: LinBP's
 *           H_uv = w_uv H is psi_uv less 1/C
 *
 * The product without v is the cavity x = b_u / m_vu, scaled to sum to 1.  The
 * coupling is as it starts, H = a (I - 11'/C), so that
 *
 *     m_uv(j)  =  1/C + w_uv (x H)_j  =  (1 - a w_uv) / C + a w_uv x_j
 *
 * which sums to 1 and is at least 0.1/C, since a < 0.9 and w_uv <= 1.
 *
 * A product over many neighbours leaves the range of a float.  As in the log
 * domain its exponent is a sum, but only the exponent: b_u(i) = M_i 2^(E_i),
 * M_i in [1, 2), so no logarithm is taken before the end.  `damping` mixes the
 * logarithms of the old message and the new.
 *
 * A message lies with the row that receives it: entry p of row v, whose
 * neighbour is u, holds m_uv.  All messages are renewed at once from the old
 * ones: first all beliefs, then the two messages of each edge, in place, which
 * need only each other and the beliefs.  So the order of nodes and edges does
 * not matter.
 *
 * Exact on trees after as many iterations as the diameter.  On graphs with
 * loops it may not converge: the certificate says so.
 * Cost: O(m C) an iteration; per stored neighbour 8 bytes and a message, C
 * floats rounded up to a multiple of 4.
 */
#include <math.h>

#include "core/alloc.h"
#include "kernels/simd.h"
#include "models/method.h"

/* A potential of 0 would make every later product 0. */
static const float SMALLEST = 1e-6f;

/*
 * Lanes that pad a row count as classes that are all but impossible: x is about
 * 0 there, so a message is the least it can be, and the product stays least.
 */
static const float PADDING = 1e-30f;

/* A class 2^-80 as likely as another is no longer told from 0: dividing by a
 * message cannot bring it back. */
enum { FAR = 80 };

/* Vectors to a row at most. */
enum { MOST = KITH__CLASSES_MOST / KITH__LANES };

typedef struct state {
    const kith__task *task;
    kith__operator W; /* the task's */
    int C;            /* classes */
    float a;          /* of H = a (I - 11'/C) */
    float keep;       /* damping */
    int V;            /* vectors to a row; K = 4 V floats */
    float *phi;       /* n x K */
    float *b;         /* n x K, the largest of a row in [1, 2) */
    float *message;   /* 2m x K */
    int64_t *reverse; /* 2m: where the same edge stands in the other row */
} state;

/* Call CALL(V), with V a constant for up to 8 classes. */
#define WITH_VECTORS(V, CALL) \
    do {                      \
        switch (V) {          \
        case 1:               \
            CALL(1);          \
            break;            \
        case 2:               \
            CALL(2);          \
            break;            \
        default:              \
            CALL(V);          \
        }                     \
    } while (0)

/* reverse[p] for every entry: rows are sorted, so walking all rows in order
 * meets the entries of each neighbour's row in order too.  Messages are written
 * there: of a graph that is not symmetric after all, inside the array still. */
static kith_status find_reverse(state *s, kith_error *err)
{
    const kith__operator *W = &s->W;
    const int64_t last = W->rows[W->n] - 1;
    int64_t *cursor = kith__alloc(W->n, sizeof(*cursor));

    if (!cursor)
        return kith__no_memory(err);
    memcpy(cursor, W->rows, (size_t)W->n * sizeof(*cursor));
    for (int32_t u = 0; u < W->n; u++)
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
            const int64_t at = cursor[W->neighbours[p]]++;

            s->reverse[p] = at <= last ? at : last;
        }
    kith__free(cursor);
    return KITH_OK;
}

static void take_potentials(state *s, const float *potentials, bool clamp)
{
    const int C = s->task->classes, K = s->V * KITH__LANES;

#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < s->task->n; u++) {
        const float *from = potentials + (int64_t)u * C;
        float *phi = s->phi + (int64_t)u * K;

        for (int c = 0; c < C; c++)
            phi[c] = from[c] > SMALLEST ? from[c] : SMALLEST;
        for (int c = C; c < K; c++)
            phi[c] = PADDING;
    }
    for (int32_t l = 0; clamp && l < s->task->n_train; l++)
        for (int c = 0; c < C; c++)
            s->phi[(int64_t)s->task->train[l] * K + c] = c == s->task->truth[l]
                                                             ? 1
                                                             : SMALLEST;
}

/* Messages start uniform. */
static void start_messages(state *s, int64_t cells)
{
    const float uniform = 1 / (float)s->task->classes;

#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int64_t i = 0; i < cells; i++)
        s->message[i] = uniform;
}

/* M 2^E = phi_u prod_w m_wu, class by class. */
KITH__ALWAYS_INLINE void product(const state *s, int32_t u, int V, kith__v4 *M,
                                 kith__v4i *E)
{
    const int64_t *rows = s->W.rows;
    const int K = V * KITH__LANES;

    for (int i = 0; i < V; i++) {
        const kith__v4 phi =
            kith__v4_load(s->phi + (int64_t)u * K + i * KITH__LANES);

        M[i] = kith__v4_mantissa(phi);
        E[i] = kith__v4_exponent(phi);
    }
    for (int64_t p = rows[u]; p < rows[u + 1]; p++)
        for (int i = 0; i < V; i++) {
            const kith__v4 x =
                M[i] * kith__v4_load(s->message + p * K + i * KITH__LANES);

            M[i] = kith__v4_mantissa(x);
            E[i] += kith__v4_exponent(x);
        }
}

/* b_u = M 2^(E - max E) */
KITH__ALWAYS_INLINE void renew_belief(const state *s, int32_t u, int V)
{
    kith__v4 M[MOST];
    kith__v4i E[MOST];
    int32_t top = INT32_MIN;

    product(s, u, V, M, E);
    for (int i = 0; i < V; i++)
        for (int c = 0; c < KITH__LANES; c++)
            top = E[i][c] > top ? E[i][c] : top;
    for (int i = 0; i < V; i++) {
        const kith__v4i below = E[i] - top, far = below < -FAR;
        const kith__v4i by = (below & ~far) | (-FAR & far);

        kith__v4_store(s->b + ((int64_t)u * V + i) * KITH__LANES,
                       (kith__v4)((kith__v4i)M[i] + by * (1 << 23)));
    }
}

/* How much messages changed, as new / old - 1, at most and at least. */
typedef struct span {
    kith__v4 most, least;
} span;

/* x = b / m, the cavity before scaling; inverse = 1 / m.  Returns sum x. */
KITH__ALWAYS_INLINE float cavity(const float *b, const float *m, int V,
                                 kith__v4 *x, kith__v4 *inverse)
{
    kith__v4 sum = {0};

    for (int i = 0; i < V; i++) {
        inverse[i] = 1 / kith__v4_load(m + i * KITH__LANES);
        x[i] = kith__v4_load(b + i * KITH__LANES) * inverse[i];
        sum += x[i];
    }
    return kith__v4_sum(sum);
}

/* m <- base + rate x, or damped, exp(keep log m + (1 - keep) log that). */
KITH__ALWAYS_INLINE void send(const state *s, const kith__v4 *x, float base,
                              float rate, const kith__v4 *inverse, int V,
                              float *m, span *change)
{
    for (int i = 0; i < V; i++) {
        const kith__v4i within = kith__v4_within(s->C, i);
        const kith__v4 old = kith__v4_load(m + i * KITH__LANES);
        kith__v4 new = base + rate *x[i], by;

        if (s->keep > 0)
            new = old *kith__v4_exp((1 - s->keep) *
                                    kith__v4_log(new *inverse[i]));
        kith__v4_store(m + i * KITH__LANES, new);
        by = kith__v4_and((new - old) * inverse[i], within);
        change->most = kith__v4_max(change->most, by);
        change->least = kith__v4_min(change->least, by);
    }
}

/* Both messages of every edge (u, v) with u < v: m_uv from x, m_vu from y. */
KITH__ALWAYS_INLINE void renew_row(const state *s, int32_t u, int V,
                                   span *change)
{
    const kith__operator *W = &s->W;
    const float even = 1 / (float)s->C;
    const int K = V * KITH__LANES;
    kith__v4 x[MOST], y[MOST], over_x[MOST], over_y[MOST];

    for (int64_t p = W->rows[u + 1]; p-- > W->rows[u];) {
        const int32_t v = W->neighbours[p];
        float *vu = s->message + p * K, *uv = s->message + s->reverse[p] * K;
        float aw, base, sum_x, sum_y, rate;

        if (v < u)
            break;
        aw = s->a * (float)kith__operator_weight(W, u, p);
        base = even - aw * even;
        sum_x = cavity(s->b + (int64_t)u * K, vu, V, x, over_x);
        sum_y = cavity(s->b + (int64_t)v * K, uv, V, y, over_y);
        rate = aw / (sum_x * sum_y); /* one division for both */
        send(s, x, base, rate * sum_y, over_y, V, uv, change);
        send(s, y, base, rate * sum_x, over_x, V, vu, change);
    }
}

/* Nodes first .. last - 1: their beliefs, and then the messages of the edges to
 * later nodes. */
static void renew_beliefs(const state *shared, int32_t first, int32_t last)
{
    const state own = *shared, *s = &own; /* which no store can change */

#define BELIEFS(V)                         \
    for (int32_t u = first; u < last; u++) \
    renew_belief(s, u, V)
    WITH_VECTORS(s->V, BELIEFS);
#undef BELIEFS
}

static void renew_messages(const state *shared, int32_t first, int32_t last,
                           span *change)
{
    const state own = *shared, *s = &own;
    span here = *change;

#define MESSAGES(V)                        \
    for (int32_t u = first; u < last; u++) \
    renew_row(s, u, V, &here)
    WITH_VECTORS(s->V, MESSAGES);
#undef MESSAGES
    *change = here;
}

/* Renew all messages; returns the largest change of a logarithm. */
static double renew(const state *s)
{
    const int32_t n = s->W.n, block = 512;
    float most = 0, least = 0;

#pragma omp parallel num_threads(s->task->threads) reduction(max     \
                                                             : most) \
    reduction(min                                                    \
              : least)
    {
        span change = {{0}, {0}};

#pragma omp for schedule(dynamic, 1)
        for (int32_t u = 0; u < n; u += block)
            renew_beliefs(s, u, n - u < block ? n : u + block);
#pragma omp for schedule(dynamic, 1)
        for (int32_t u = 0; u < n; u += block)
            renew_messages(s, u, n - u < block ? n : u + block, &change);
        most = kith__v4_top(change.most);
        least = -kith__v4_top(-change.least);
    }
    return fmax(log1p((double)most), -log1p((double)least));
}

static kith_status iterate(const state *s, const kith_params *p,
                           kith_certificate *certificate, kith_error *err)
{
    kith_status st = KITH_OK;
    int i = 0;

    certificate->converged = false;
    while (i < p->iterations && !certificate->converged) {
        certificate->residual = renew(s);
        certificate->converged = certificate->residual <= p->tolerance;
        TRY(kith__progress(s->task->job, "passing messages", ++i, p->iterations,
                           "iterations", err));
    }
    certificate->iterations = i;
out:
    return st;
}

/* P_u = log M + E log 2 */
static void take_beliefs(const state *s, float *P)
{
    const int C = s->task->classes;

#pragma omp parallel for num_threads(s->task->threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < s->task->n; u++) {
        kith__v4 M[MOST];
        kith__v4i E[MOST];

        product(s, u, s->V, M, E);
        for (int i = 0; i < s->V; i++) {
            const kith__v4 log_M = kith__v4_log(M[i]);
            float *out = P + (int64_t)u * C + i * KITH__LANES;

            for (int c = 0; c < KITH__LANES && i * KITH__LANES + c < C; c++)
                out[c] = (float)((double)log_M[c] + M_LN2 * (double)E[i][c]);
        }
    }
}

kith_status kith__bp_run(const kith__task *task, const kith_params *p,
                         const float *potentials, kith__beliefs *out,
                         kith_error *err)
{
    const int64_t entries = task->W.rows[task->n];
    const int C = task->classes, K = kith__padded(C);
    state s = {.task = task,
               .W = task->W,
               .C = C,
               .keep = (float)p->damping,
               .V = kith__vectors(C)};
    kith_status st = KITH_OK;

    TRY_NEW(s.phi, kith__alloc_big((int64_t)task->n * K, sizeof(float)));
    TRY_NEW(s.b, kith__alloc_big((int64_t)task->n * K, sizeof(float)));
    TRY_NEW(s.message, kith__alloc_big(entries * K, sizeof(float)));
    TRY_NEW(s.reverse, kith__alloc_big(entries, sizeof(*s.reverse)));
    TRY(find_reverse(&s, err));
    kith__coupling_start(C, out->coupling);
    s.a = C > 1 ? out->coupling[0] - out->coupling[1] : 0;
    take_potentials(&s, potentials, p->clamp);
    start_messages(&s, entries * K);
    TRY(iterate(&s, p, &out->certificate, err));
    take_beliefs(&s, out->P);
    out->certificate.rho = (double)NAN;
    out->has_coupling = true;
out:
    kith__free(s.phi);
    kith__free(s.b);
    kith__free(s.message);
    kith__free(s.reverse);
    return st;
}
