/*
 * linbp.c: linearised belief propagation without echo cancellation
 * (Gatterbauer, Guennemann, Koutra, Faloutsos, PVLDB 8(5), 2015).
 *
 *     P <- Q + W P H,   from P = Q
 *
 *   W  n x n  w_uv = a_uv / sqrt(d_u d_v)     Q, P  n x C  centred potentials
 *   H  C x C  0.9 on the diagonal, 0.1/(C-1) off it, less 1/C        and
 * beliefs
 *
 * Converges iff rho(W) rho(H) < 1; at this start rho(W) = 1 and
 * rho(H) = (0.9 C - 1) / (C - 1) < 1, so it always does.
 * Cost: O(m C + n C^2) an iteration.
 */
#include <string.h>

#include "core/alloc.h"
#include "kernels/spectral_bound.h"
#include "models/propagation/two_classes.h"

void kith__coupling_start(int classes, float *H)
{
    const float off = classes > 1 ? 0.1f / (float)(classes - 1) : 0;
    const float mean = 1 / (float)classes;

    for (int i = 0; i < classes; i++)
        for (int j = 0; j < classes; j++)
            H[i * classes + j] = (i == j ? 0.9f : off) - mean;
    if (classes == 1)
        H[0] = 0; /* one class: nothing to couple */
}

void kith__label_row(const kith__task *task, int32_t l, float weight,
                     float *row)
{
    const float mean = 1 / (float)task->classes;

    for (int c = 0; c < task->classes; c++)
        row[c] = weight * ((c == task->truth[l] ? 1.0f : 0.0f) - mean);
}

void kith__centre_potentials(const kith__task *task, const float *potentials,
                             bool clamp, float *Q)
{
    const int C = task->classes;
    const float mean = 1 / (float)C;

#pragma omp parallel for num_threads(task->threads) schedule(static)
    for (int64_t i = 0; i < (int64_t)task->n * C; i++)
        Q[i] = potentials[i] - mean;
    for (int32_t l = 0; clamp && l < task->n_train; l++)
        kith__label_row(task, l, kith__label_weight(task, l),
                        Q + (int64_t)task->train[l] * C);
}

/* P is the start, and then *end, P or other, is the end; k columns. */
static kith_status propagate(const kith__task *task, const kith__operator *W,
                             int k, const float *H, const float *Q, int most,
                             double tolerance, float *P, float *other,
                             float **end, kith_certificate *certificate,
                             kith_error *err)
{
    float *from = P, *to = other;
    kith_status st = KITH_OK;
    int i = 0;

    certificate->converged = false;
    while (i < most && !certificate->converged) {
        const float change = kith__operator_apply(W, from, k, H, Q, to);
        float *swap = from;

        i++;
        certificate->residual = (double)change;
        certificate->converged = (double)change <= tolerance;
        from = to;
        to = swap;
        TRY(kith__progress(task->job, "propagating", i, most, "iterations",
                           err));
    }
    certificate->iterations = i;
    *end = from;
out:
    return st;
}

/* As one column: p and q in `other`, which has room for two; P in its turn has
 * room for the next p. */
static kith_status propagate_one(const kith__task *task,
                                 const kith__operator *W, const float *H,
                                 const float *Q, int most, double tolerance,
                                 float *P, float *other,
                                 kith_certificate *certificate, kith_error *err)
{
    const int32_t n = task->n;
    const float h = kith__one_coupling(H);
    float *p = other, *q = other + n, *end;
    kith_status st = KITH_OK;

    kith__first_column(P, n, task->threads, p);
    kith__first_column(Q, n, task->threads, q);
    TRY(propagate(task, W, 1, &h, q, most, tolerance, p, P, &end, certificate,
                  err));
    if (end != p)
        memcpy(p, end, (size_t)n * sizeof(*p));
    kith__both_columns(p, n, task->threads, P);
out:
    return st;
}

kith_status kith__propagate(const kith__task *task, const kith__operator *W,
                            const float *H, const float *Q, int most,
                            double tolerance, float *P, float *other,
                            kith_certificate *certificate, kith_error *err)
{
    const size_t bytes = (size_t)task->n * (size_t)task->classes * sizeof(*P);
    kith_status st = KITH_OK;
    float *end;

    if (most > 1 && kith__is_one_column(task, H, Q, P))
        return propagate_one(task, W, H, Q, most, tolerance, P, other,
                             certificate, err);
    TRY(propagate(task, W, task->classes, H, Q, most, tolerance, P, other, &end,
                  certificate, err));
    if (end != P)
        memcpy(P, end, bytes);
out:
    return st;
}

kith_status kith__linbp_run(const kith__task *task, const kith_params *p,
                            const float *potentials, kith__beliefs *out,
                            kith_error *err)
{
    const int64_t cells = (int64_t)task->n * task->classes;
    kith_status st = KITH_OK;
    float *Q = NULL, *other = NULL;

    TRY_NEW(Q, kith__alloc_big(cells, sizeof(*Q)));
    TRY_NEW(other, kith__alloc_big(cells, sizeof(*other)));
    kith__coupling_start(task->classes, out->coupling);
    kith__centre_potentials(task, potentials, p->clamp, Q);
    memcpy(out->P, Q, (size_t)cells * sizeof(*Q));
    TRY(kith__propagate(task, &task->W, out->coupling, Q, p->iterations,
                        p->tolerance, out->P, other, &out->certificate, err));
    out->certificate.rho = task->W.rho *
                           kith__rho_small(out->coupling, task->classes);
    out->has_coupling = true;
    out->linear = KITH__SUM;
    if (out->Q)
        memcpy(out->Q, Q, (size_t)cells * sizeof(*Q));
out:
    kith__free(Q);
    kith__free(other);
    return st;
}

/* Points that differ in their iterations alone, ascending, are one run that is
 * looked at on its way. */
kith_status kith__linbp_grid(const kith__task *task, const kith__method *method,
                             const kith_params *points, int n,
                             const float *potentials,
                             const kith__labelled_nodes *val,
                             kith__score *scores, bool *done, kith_error *err)
{
    const int64_t cells = (int64_t)task->n * task->classes;
    kith_certificate so_far = {0};
    kith_status st = KITH_OK;
    float *Q = NULL, *P = NULL, *other = NULL;
    float H[KITH__CLASSES_MOST];
    int before = 0;

    (void)method;
    *done = task->classes * task->classes <= KITH__CLASSES_MOST;
    for (int i = 0; i < n; i++)
        *done &= points[i].clamp == points[0].clamp &&
                 (i == 0 || points[i].iterations > points[i - 1].iterations);
    if (!*done)
        return KITH_OK;
    TRY_NEW(Q, kith__alloc_big(cells, sizeof(*Q)));
    TRY_NEW(P, kith__alloc_big(cells, sizeof(*P)));
    TRY_NEW(other, kith__alloc_big(cells, sizeof(*other)));
    kith__coupling_start(task->classes, H);
    kith__centre_potentials(task, potentials, points[0].clamp, Q);
    memcpy(P, Q, (size_t)cells * sizeof(*Q));
    for (int i = 0; i < n; i++) {
        if (!so_far.converged)
            TRY(kith__propagate(task, &task->W, H, Q,
                                points[i].iterations - before,
                                points[i].tolerance, P, other, &so_far, err));
        before = points[i].iterations;
        scores[i] = kith__score_of(P, task->classes, val);
    }
out:
    kith__free(Q);
    kith__free(P);
    kith__free(other);
    return st;
}
