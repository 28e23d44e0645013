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
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/spectral_bound.h"
#include "models/method.h"

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

typedef struct by_mass {
    const kith__task *task;
    kith__operator op;
    const float *Y;
} by_mass;

/* F <- Y + rho W F; answers by how much a belief, F - S 1'/C, changed, not by
 * how much F did: a mass ends later. */
static float step_by_mass(void *user, const float *from, float *to)
{
    const by_mass *m = user;
    const int C = m->task->classes;
    const float unlike = kith__operator_apply(&m->op, 0, m->op.n, from, m->Y,
                                              to);
    float change = 0;

    if (!isfinite(unlike))
        return unlike;
#pragma omp parallel for num_threads(m->task->threads) schedule(static) \
    reduction(max                                                       \
              : change)
    for (int64_t at = 0; at < (int64_t)m->op.n * C; at += C) {
        float mean = 0;

        for (int c = 0; c < C; c++)
            mean += (to[at + c] - from[at + c]) / (float)C;
        for (int c = 0; c < C; c++)
            change = fmaxf(change, fabsf(to[at + c] - from[at + c] - mean));
    }
    return change;
}

/*
 * Potentials that are labels, one-hot rows Y, have mass that can be followed by
 * class.  With H = rho (I - 11'/C), as here, the same steps on what is not
 * centred give both beliefs and the labels' mass S:
 *
 *     F <- Y + rho W F,    S = F 1,    P = F - S 1'/C
 *
 * so that S costs no column more; but of two classes, which as P are one.
 */
static kith_status run_by_mass(const kith__task *task,
                               const kith__stopping *stopping, float *Q,
                               float *other, kith__beliefs *out,
                               kith_error *err)
{
    const int C = task->classes;
    by_mass m = {task, kith__scaled(&task->W, C, kith__rho_start(C)), Q};
    kith_status st = KITH_OK;
    float *F = out->P;

#pragma omp parallel for num_threads(task->threads) schedule(static)
    for (int64_t at = 0; at < (int64_t)task->n * C; at += C) {
        float least = 0;

        for (int c = 0; c < C; c++)
            least = Q[at + c] < least ? Q[at + c] : least;
        for (int c = 0; c < C; c++)
            F[at + c] = Q[at + c] = C > 1 ? Q[at + c] - least : 0;
    }
    for (int32_t l = 0; C == 1 && l < task->n_train; l++)
        F[task->train[l]] = Q[task->train[l]] = kith__label_weight(task, l);
    TRY(kith__iterate_by(step_by_mass, &m, stopping, (int64_t)task->n * C, F,
                         other, &out->certificate, err));
#pragma omp parallel for num_threads(task->threads) schedule(static)
    for (int32_t u = 0; u < task->n; u++) {
        float *f = F + (int64_t)u * C, sum = 0;

        for (int c = 0; c < C; c++)
            sum += f[c];
        for (int c = 0; c < C; c++)
            f[c] -= sum / (float)C;
        out->evidence.mass[u] = sum;
    }
    out->evidence.told = true;
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
    kith__stopping stopping;
    kith__operator op;

    TRY_NEW(Q, kith__alloc_big(cells, sizeof(*Q)));
    TRY_NEW(other, kith__alloc_big(cells, sizeof(*other)));
    kith__coupling_start(task->classes, out->coupling);
    kith__centre_potentials(task, potentials, p->clamp, Q);
    if (out->Q)
        memcpy(out->Q, Q, (size_t)cells * sizeof(*Q));
    stopping = kith__stopping_of(task, p->iterations, p->tolerance);
    if (task->labels_alone && out->evidence.mass) {
        TRY(run_by_mass(task, &stopping, Q, other, out, err));
    } else {
        memcpy(out->P, Q, (size_t)cells * sizeof(*Q));
        op = kith__coupled(&task->W, task->classes, out->coupling);
        TRY(kith__iterate(&op, &stopping, Q, out->P, other, &out->certificate,
                          err));
    }
    out->certificate.rho = task->W.rho *
                           kith__rho_small(out->coupling, task->classes);
    out->has_coupling = true;
    out->linear = KITH__SUM;
out:
    kith__free(Q);
    kith__free(other);
    return st;
}

/* Points that differ in their iterations alone, ascending, are one run that is
 * looked at on its way. */
kith_status kith__linbp_grid(const kith__task *task, const kith__method *method,
                             const kith_params *points, int n,
                             const float *potentials, const kith__judge *judge,
                             kith__valued *judged, bool *done, kith_error *err)
{
    const int64_t cells = (int64_t)task->n * task->classes;
    kith_certificate so_far = {0};
    kith_status st = KITH_OK;
    float *Q = NULL, *P = NULL, *other = NULL;
    float H[KITH__CLASSES_MOST];
    const kith__operator op = kith__coupled(&task->W, task->classes, H);
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
        const kith__stopping stopping = kith__stopping_of(
            task, points[i].iterations - before, points[i].tolerance);

        if (!so_far.converged)
            TRY(kith__iterate(&op, &stopping, Q, P, other, &so_far, err));
        before = points[i].iterations;
        TRY(kith__judge_beliefs(judge, P, &judged[i], err));
    }
out:
    kith__free(Q);
    kith__free(P);
    kith__free(other);
    return st;
}
