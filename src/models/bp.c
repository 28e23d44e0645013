/*
 * bp.c: loopy belief propagation, sum-product in the log domain (Pearl 1988).
 *
 *     m_uv(j)  ~  sum_i phi_u(i) psi_uv(i, j) prod_{w in N(u) \ v} m_wu(i)
 *     b_u(i)   ~  phi_u(i) prod_{w in N(u)} m_wu(i)
 *
 *   phi_u   node potentials, rows of Q~
 *   psi_uv  edge potentials 1/C + w_uv H, the ones LinBP linearises: LinBP's
 *           H_uv = w_uv H is psi_uv less 1/C
 *
 * A message lies with the row that receives it: entry p of row v, whose
 * neighbour is u, holds log m_uv, so a belief sums one contiguous row.  All
 * messages are renewed at once from the old ones, so the order of nodes does
 * not matter; `damping` mixes in the old message.
 *
 * Exact on trees after as many iterations as the diameter.  On graphs with
 * loops it may not converge: the certificate says so.
 * Cost: O(m C^2) an iteration; 2 x 4 bytes x C per stored neighbour.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "models/method.h"

/* A potential of 0 would make every later product 0. */
static const float SMALLEST = 1e-6f;

typedef struct state {
    const kith__task *task;
    const float *H;
    float *log_phi;   /* n x C */
    float *message;   /* 2m x C, logarithms */
    float *renewed;   /* 2m x C */
    int64_t *reverse; /* 2m: where the same edge stands in the other row */
} state;

/* reverse[p] for every entry: rows are sorted, so walking all rows in order
 * meets the entries of each neighbour's row in order too. */
static kith_status find_reverse(state *s, kith_error *err)
{
    const kith__coupled *W = &s->task->W;
    int64_t *cursor = kith__alloc(W->n, sizeof(*cursor));

    if (!cursor)
        return kith__no_memory(err);
    memcpy(cursor, W->rows, (size_t)W->n * sizeof(*cursor));
    for (int32_t u = 0; u < W->n; u++)
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
            s->reverse[p] = cursor[W->neighbours[p]]++;
    kith__free(cursor);
    return KITH_OK;
}

static void take_logs(const state *s, const float *potentials, bool clamp)
{
    const int C = s->task->classes;

#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int64_t i = 0; i < (int64_t)s->task->n * C; i++)
        s->log_phi[i] = logf(fmaxf(potentials[i], SMALLEST));
    for (int32_t l = 0; clamp && l < s->task->n_train; l++)
        for (int c = 0; c < C; c++)
            s->log_phi[(int64_t)s->task->train[l] * C + c] =
                c == s->task->truth[l] ? 0 : logf(SMALLEST);
}

/* b = log phi_u + sum_w log m_wu */
static void belief(const state *s, int32_t u, float *b)
{
    const kith__coupled *W = &s->task->W;
    const int C = s->task->classes;

    memcpy(b, s->log_phi + (int64_t)u * C, (size_t)C * sizeof(*b));
    for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
        const float *m = s->message + p * C;

#pragma omp simd
        for (int c = 0; c < C; c++)
            b[c] += m[c];
    }
}

/* cavity = exp(b - log m_vu), scaled so that it sums to 1. */
static void cavity(const float *b, const float *m, int C, float *out)
{
    float top = -INFINITY, sum = 0;

    for (int c = 0; c < C; c++) {
        out[c] = b[c] - m[c];
        top = fmaxf(top, out[c]);
    }
    for (int c = 0; c < C; c++) {
        out[c] = expf(out[c] - top);
        sum += out[c];
    }
    for (int c = 0; c < C; c++)
        out[c] /= sum;
}

/* The message that `from` (a distribution) sends over an edge of weight w,
 * mixed with the old one; returns the largest change of its logarithm. */
static float send(const state *s, const float *from, float w, double damping,
                  const float *old, float *to)
{
    const int C = s->task->classes;
    const float keep = (float)damping;
    float sum = 0, change = 0;

    for (int j = 0; j < C; j++)
        to[j] = 0;
    for (int i = 0; i < C; i++) {
        const float *h = s->H + (int64_t)i * C;

#pragma omp simd
        for (int j = 0; j < C; j++)
            to[j] += from[i] * h[j];
    }
    for (int j = 0; j < C; j++) {
        to[j] = fmaxf(1 / (float)C + w * to[j], SMALLEST);
        sum += to[j];
    }
    for (int j = 0; j < C; j++) {
        const float m = logf(to[j] / sum);

        to[j] = keep * old[j] + (1 - keep) * m;
        change = fmaxf(change, fabsf(to[j] - old[j]));
    }
    return change;
}

static float weight_of(const kith__coupled *W, int32_t u, int64_t p)
{
    return W->weights ? W->weights[p]
                      : W->scale[u] * W->scale[W->neighbours[p]];
}

/* Renew all messages; returns the largest change. */
static float renew(state *s, double damping)
{
    const kith__coupled *W = &s->task->W;
    const int C = s->task->classes;
    float change = 0;

#pragma omp parallel for num_threads(s->task->threads) schedule(dynamic, 256) \
    reduction(max                                                             \
              : change)
    for (int32_t u = 0; u < W->n; u++) {
        float b[KITH__CLASSES_MOST], out[KITH__CLASSES_MOST];

        belief(s, u, b);
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
            const int64_t to = s->reverse[p] * C;

            cavity(b, s->message + p * C, C, out);
            change = fmaxf(change, send(s, out, weight_of(W, u, p), damping,
                                        s->message + to, s->renewed + to));
        }
    }
    return change;
}

static kith_status iterate(state *s, const kith_params *p,
                           kith_certificate *certificate, kith_error *err)
{
    kith_status st = KITH_OK;
    int i = 0;

    certificate->converged = false;
    while (i < p->iterations && !certificate->converged) {
        float *swap;

        certificate->residual = (double)renew(s, p->damping);
        certificate->converged = certificate->residual <= p->tolerance;
        swap = s->message;
        s->message = s->renewed;
        s->renewed = swap;
        TRY(kith__progress(s->task->job, "passing messages", ++i, p->iterations,
                           "iterations", err));
    }
    certificate->iterations = i;
out:
    return st;
}

/* Messages start uniform; their logarithms at log 1/C. */
static void start_messages(state *s, int64_t cells)
{
    const float uniform = -logf((float)s->task->classes);

#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int64_t i = 0; i < cells; i++)
        s->message[i] = uniform;
}

kith_status kith__bp_run(const kith__task *task, const kith_params *p,
                         const float *potentials, kith__beliefs *out,
                         kith_error *err)
{
    const int64_t entries = task->W.rows[task->n];
    const int C = task->classes;
    state s = {.task = task, .H = out->coupling};
    kith_status st = KITH_OK;

    TRY_NEW(s.log_phi, kith__alloc((int64_t)task->n * C, sizeof(float)));
    TRY_NEW(s.message, kith__alloc_big(entries * C, sizeof(float)));
    TRY_NEW(s.renewed, kith__alloc_big(entries * C, sizeof(float)));
    TRY_NEW(s.reverse, kith__alloc(entries, sizeof(*s.reverse)));
    TRY(find_reverse(&s, err));
    kith__coupling_start(C, out->coupling);
    take_logs(&s, potentials, p->clamp);
    start_messages(&s, entries * C);
    TRY(iterate(&s, p, &out->certificate, err));
#pragma omp parallel for num_threads(task->threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < task->n; u++)
        belief(&s, u, out->P + (int64_t)u * C);
    out->certificate.rho = (double)NAN;
    out->has_coupling = true;
out:
    kith__free(s.log_phi);
    kith__free(s.message);
    kith__free(s.renewed);
    kith__free(s.reverse);
    return st;
}
