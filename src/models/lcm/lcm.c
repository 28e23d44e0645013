/*
 * lcm.c: learning the coupling matrix and the edge weights (Wang, Jia, Gong,
 * AAAI 2021).
 *
 * Alternate, `outer` times, from P = Q, W = A / sqrt(d d'), H as LinBP's:
 *
 *     P <- Q + W P H
 *     `inner` gradient steps on (W, H) of
 *         - sum_{l in L} log sigma(p+_l)(y_l)  +  lambda R(W, H),
 *       where P+ = Q + W P H is the next P, at fixed P, and R is one of
 *         lcm     - sum_{(u,v) in E} s_u W_uv H s_v'    s = sigma(p)
 *         lcm-wo  0
 *         lcm-l1  sum |W_uv| + sum |H_ij|
 *         lcm-l2  sum W_uv^2 + sum H_ij^2
 *
 * With E_l = y_l - sigma(p+_l) for training nodes, 0 for others:
 *
 *     dW_uv = - E_u H . p_v - E_v H . p_u  - lambda s_u H s_v'
 *     dH    = - (W P)'E - E'(W P)          - lambda 1/2 S'W S
 *
 * then W -= g1 dW, H -= g2 dH.  At the end P <- Q + W P H once more.
 *
 * As written (`as_written`) that is all.  The default differs where trying it
 * showed the need:
 *   - dH is a sum over training nodes and over all edges: on a large graph it
 *     explodes.  Here each sum is an average times a fixed reference number
 *     (REF_NODES, REF_EDGES), so that g2 means the same on any graph.  dW has
 * no such sum.
 *   - H is kept symmetric, centred (rows sum to 0) and small, as a coupling
 *     must be.
 *   - after learning rho(W) rho(H) is brought below `bound`, by scaling H, so
 *     that propagation converges; and it is run until it has, or until there
 *     were `iterations` in all.  Where many are left to do, the fixed point is
 *     meant, and conjugate gradients find it in fewer (fixed_point.h).  With
 *     g1 = g2 = 0 this is LinBP.
 *
 * Cost of an inner step: O(m C + n C^2); 4 bytes per stored neighbour for W.
 * With few classes lcm_lowrank.c does the same without storing W.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/consistency.h"
#include "kernels/softmax.h"
#include "kernels/spectral_bound.h"
#include "models/lcm/lcm.h"
#include "models/lcm/lcm_exact.h"

/* Which nodes train, and where their edges to others stand in the others'
 * rows: those of a row, in its order. */
static kith_status find_backs(kith__lcm *s, kith_error *err)
{
    const kith__task *t = s->task;
    kith_status st = KITH_OK;
    int64_t count = 0;

    TRY_NEW(s->which, kith__alloc(t->n, sizeof(*s->which)));
    TRY_NEW(s->back_from,
            kith__alloc((int64_t)t->n_train + 1, sizeof(*s->back_from)));
    for (int32_t u = 0; u < t->n; u++)
        s->which[u] = -1;
    for (int32_t l = 0; l < t->n_train; l++)
        s->which[t->train[l]] = l;
    for (int32_t l = 0; l < t->n_train; l++) {
        s->back_from[l] = count;
        for (int64_t p = t->W.rows[t->train[l]]; p < t->W.rows[t->train[l] + 1];
             p++)
            count += s->which[t->W.neighbours[p]] < 0;
    }
    s->back_from[t->n_train] = count;
    TRY_NEW(s->back, kith__alloc_big(count, sizeof(*s->back)));
#pragma omp parallel for num_threads(t->threads) schedule(dynamic, 16)
    for (int32_t l = 0; l < t->n_train; l++) {
        const int32_t u = t->train[l];
        int64_t *back = s->back + s->back_from[l];

        for (int64_t p = t->W.rows[u]; p < t->W.rows[u + 1]; p++)
            if (s->which[t->W.neighbours[p]] < 0)
                *back++ = kith__reverse_of(&t->W, u, t->W.neighbours[p]);
    }
out:
    return st;
}

kith_status kith__lcm_new(const kith__task *task, const kith_params *p,
                          kith__regulariser kind, kith__lcm *s, kith_error *err)
{
    const int C = task->classes;
    const int64_t cells = (int64_t)task->n * C, kk = (int64_t)C * C;
    const int64_t entries = task->W.rows[task->n];
    const int64_t lc = (int64_t)task->n_train * C;
    kith_status st = KITH_OK;

    *s = (kith__lcm){.task = task, .p = p, .kind = kind, .W = task->W};
    TRY_NEW(s->w, kith__alloc_big(entries, sizeof(float)));
    TRY_NEW(s->H, kith__alloc(kk, sizeof(float)));
    TRY_NEW(s->Q, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(s->P, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(s->S, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(s->next,
            kith__alloc_big(kith__solve_workspace(task->n, C), sizeof(float)));
    TRY_NEW(s->WP, kith__alloc(lc, sizeof(float)));
    TRY_NEW(s->E, kith__alloc(lc, sizeof(float)));
    TRY_NEW(s->EH, kith__alloc(lc, sizeof(float)));
    TRY_NEW(s->dH, kith__alloc(kk, sizeof(double)));
    TRY_NEW(s->K, kith__alloc(kk, sizeof(double)));
    TRY(find_backs(s, err));
#pragma omp parallel for num_threads(task->threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < task->n; u++)
        for (int64_t i = task->W.rows[u]; i < task->W.rows[u + 1]; i++)
            s->w[i] = (float)kith__operator_weight(&task->W, u, i);
    s->W = kith__weighted(&task->W, s->w);
    kith__coupling_start(C, s->H);
out:
    return st;
}

void kith__lcm_release(kith__lcm *s)
{
    kith__free(s->w);
    kith__free(s->H);
    kith__free(s->Q);
    kith__free(s->P);
    kith__free(s->S);
    kith__free(s->next);
    kith__free(s->WP);
    kith__free(s->E);
    kith__free(s->EH);
    kith__free(s->dH);
    kith__free(s->K);
    kith__free(s->which);
    kith__free(s->back);
    kith__free(s->back_from);
    *s = (kith__lcm){0};
}

/* ---- gradients ----------------------------------------------------------- */

void kith__lcm_error(const float *q, const float *wp, const float *H, int C,
                     int32_t truth, float *e, float *eh)
{
    memcpy(e, q, (size_t)C * sizeof(*e));
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++)
            e[j] += wp[i] * H[i * C + j];
    kith__softmax(e, C, e);
    for (int c = 0; c < C; c++)
        e[c] = (c == truth ? 1.0f : 0.0f) - e[c];
    for (int j = 0; j < C; j++) {
        eh[j] = 0;
        for (int i = 0; i < C; i++)
            eh[j] += e[i] * H[i * C + j];
    }
}

/* Training nodes: WP, E = y - sigma(q + WP H), EH. */
static void find_errors(kith__lcm *s)
{
    const kith__task *t = s->task;
    const int C = t->classes;

#pragma omp parallel for num_threads(t->threads) schedule(dynamic, 16)
    for (int32_t l = 0; l < t->n_train; l++) {
        const int64_t at = (int64_t)l * C;

        kith__neighbour_sum(&s->W, s->P, C, t->train[l], s->WP + at);
        kith__lcm_error(s->Q + (int64_t)t->train[l] * C, s->WP + at, s->H, C,
                        t->truth[l], s->E + at, s->EH + at);
    }
}

void kith__lcm_add_error(const float *wp, const float *e, int C, double *dH)
{
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++)
            dH[i * C + j] -= (double)wp[i] * (double)e[j] +
                             (double)e[i] * (double)wp[j];
}

/* dH = -(WP)'E - E'(WP), over training nodes. */
static void couple_errors(kith__lcm *s)
{
    const int C = s->task->classes;

    memset(s->dH, 0, (size_t)C * (size_t)C * sizeof(*s->dH));
    for (int32_t l = 0; l < s->task->n_train; l++)
        kith__lcm_add_error(s->WP + (int64_t)l * C, s->E + (int64_t)l * C, C,
                            s->dH);
}

/* K = S'W S, for dH, and the step w_uv += g1 lambda s_u H s_v'. */
static kith_status step_consistency(kith__lcm *s, kith_error *err)
{
    const int C = s->task->classes;
    const float rate = (float)(s->p->g1 * s->p->lambda);
    const float centre = s->p->uncentred ? 1 / (float)C : 0; /* H + 1/C */

    if (!kith__consistency_step(&s->W, s->w, s->S, C, s->H, rate, centre, s->K))
        return kith__no_memory(err);
    return KITH_OK;
}

/* Steps of one size lead many weights to 0, where rounding would choose the
 * sign: what is as small as that is 0. */
static double sign_of(double x)
{
    return (x > 1e-6) - (x < -1e-6);
}

/* w -= g1 lambda sign(w), or w -= g1 lambda 2 w; H likewise in dH. */
static void step_norm(kith__lcm *s)
{
    const bool l1 = s->kind == KITH__L1;
    const float rate = (float)(s->p->g1 * s->p->lambda);
    const int64_t entries = s->W.rows[s->W.n];
    const int kk = s->task->classes * s->task->classes;

#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int64_t i = 0; i < entries; i++)
        s->w[i] -= rate * (l1 ? (float)sign_of((double)s->w[i]) : 2 * s->w[i]);
    for (int i = 0; i < kk; i++)
        s->dH[i] += s->p->lambda *
                    (l1 ? sign_of(s->H[i]) : 2 * (double)s->H[i]);
}

static float dot(const float *a, const float *b, int C)
{
    float sum = 0;

    for (int c = 0; c < C; c++)
        sum += a[c] * b[c];
    return sum;
}

/*
 * w_lv += g1 E_l H . p_v for edges of training nodes, in both rows: first in
 * the rows of training nodes, what either end pushes, then in the others'.  No
 * weight has two writers at a time.
 */
static void step_errors(kith__lcm *s)
{
    const kith__task *t = s->task;
    const kith__operator *W = &s->W;
    const int C = t->classes;
    const float rate = (float)s->p->g1;

#pragma omp parallel for num_threads(t->threads) schedule(dynamic, 16)
    for (int32_t l = 0; l < t->n_train; l++) {
        const int32_t u = t->train[l];
        const float *eh = s->EH + (int64_t)l * C, *pu = s->P + (int64_t)u * C;

        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
            const int64_t v = W->neighbours[p], other = s->which[v];

            s->w[p] += rate * dot(eh, s->P + v * C, C);
            if (other >= 0)
                s->w[p] += rate * dot(s->EH + other * C, pu, C);
        }
    }
#pragma omp parallel for num_threads(t->threads) schedule(dynamic, 16)
    for (int32_t l = 0; l < t->n_train; l++) {
        const int32_t u = t->train[l];
        const float *eh = s->EH + (int64_t)l * C;
        const int64_t *back = s->back + s->back_from[l];

        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
            if (s->which[W->neighbours[p]] < 0)
                s->w[*back++] +=
                    rate * dot(eh, s->P + (int64_t)W->neighbours[p] * C, C);
    }
}

/*
 * H as a coupling must be, a stochastic matrix less 1/C:
 *
 *     H <- (H + H')/2, less row and column means: symmetric, rows sum to 0;
 *     scaled if the absolute values of a row sum to more than 2.
 */
static void tidy_coupling(float *H, int C)
{
    double mean[KITH__CLASSES_MOST], all = 0, largest = 0;

    for (int i = 0; i < C; i++)
        for (int j = 0; j < i; j++)
            H[i * C + j] = H[j * C + i] = (H[i * C + j] + H[j * C + i]) / 2;
    for (int i = 0; i < C; i++) {
        mean[i] = 0;
        for (int j = 0; j < C; j++)
            mean[i] += (double)H[i * C + j] / C;
        all += mean[i] / C;
    }
    for (int i = 0; i < C; i++) {
        double sum = 0;

        for (int j = 0; j < C; j++) {
            H[i * C + j] -= (float)(mean[i] + mean[j] - all);
            sum += fabs((double)H[i * C + j]);
        }
        largest = fmax(largest, sum);
    }
    for (int i = 0; largest > 2 && i < C * C; i++)
        H[i] = (float)((double)H[i] * 2 / largest);
}

void kith__lcm_step_coupling(const kith__task *task, const kith_params *p,
                             kith__regulariser kind, const double *dH,
                             const double *K, float *H)
{
    const int kk = task->classes * task->classes;
    const double edges = (double)task->W.rows[task->n] / 2;
    const double by_node = p->as_written
                               ? 1
                               : (double)KITH__REF_NODES / task->n_train;
    const double by_edge = p->as_written ? 1
                           : edges > 0   ? KITH__REF_EDGES / edges
                                         : 0;

    for (int i = 0; i < kk; i++) {
        double d = by_node * dH[i];

        if (kind == KITH__CONSISTENCY)
            d -= p->lambda * by_edge * 0.5 * K[i];
        H[i] -= (float)(p->g2 * d);
    }
    if (!p->as_written)
        tidy_coupling(H, task->classes);
}

kith_status kith__lcm_inner_step(kith__lcm *s, kith_error *err)
{
    kith_status st = KITH_OK;

    find_errors(s);
    couple_errors(s);
    if (s->kind == KITH__CONSISTENCY)
        TRY(step_consistency(s, err));
    else if (s->kind != KITH__NONE)
        step_norm(s);
    step_errors(s);
    kith__lcm_step_coupling(s->task, s->p, s->kind, s->dH, s->K, s->H);
out:
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

kith_status kith__lcm_bound(const kith_params *p, const kith__operator *first,
                            const kith__operator *W, float *workspace, float *H,
                            int C, kith_certificate *certificate,
                            kith_error *err)
{
    enum { PASSES = 20 };
    const double rho_H = kith__rho_small(H, C);
    const double bound = kith__rho_bound_from(first, W, PASSES,
                                              p->bound / rho_H, workspace);
    const double product = bound * rho_H;

    if (bound < 0)
        return kith__no_memory(err);
    certificate->rho = product;
    if (!isfinite(product))
        return kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                          "learning diverged: a weight is not finite any more, "
                          "expected smaller steps than g1 %g, g2 %g, lambda %g",
                          p->g1, p->g2, p->lambda);
    if (p->as_written || product <= p->bound)
        return KITH_OK;
    for (int i = 0; i < C * C; i++)
        H[i] = (float)((double)H[i] * p->bound / product);
    certificate->rho = p->bound;
    return KITH_OK;
}

static kith_status alternate(kith__lcm *s, kith_certificate *certificate,
                             kith_error *err)
{
    const kith__task *t = s->task;
    const int total = s->p->outer * s->p->inner, C = t->classes;
    const kith__operator op = kith__coupled(&s->W, C, s->H);
    const kith__stopping once = kith__stopping_of(t, 1, 0);
    kith_status st = KITH_OK;

    for (int o = 0; o < s->p->outer; o++) {
        TRY(kith__iterate(&op, &once, s->Q, s->P, s->next, certificate, err));
        kith__softmax_rows(s->P, t->n, C, 1, s->S, t->threads);
        for (int i = 0; i < s->p->inner; i++) {
            TRY(kith__lcm_inner_step(s, err));
            TRY(kith__progress(t->job, "learning", o * s->p->inner + i + 1,
                               total, "steps", err));
        }
    }
    TRY(kith__lcm_bound(s->p, NULL, &s->W, NULL, s->H, C, certificate, err));
out:
    return st;
}

kith_status kith__lcm_propagate(const kith__task *task, const kith_params *p,
                                const kith__operator *op, const float *Q,
                                float *P, float *workspace,
                                kith_certificate *certificate, kith_error *err)
{
    enum { MANY = 50 };
    static const double ABSURD = 1e3; /* a change of beliefs */
    const int left = p->as_written ? 0 : p->iterations - p->outer - 1;
    const int before = p->outer + 1;
    const kith__stopping once =
        kith__stopping_of(task, 1, p->as_written ? 0 : p->tolerance);
    const kith__stopping stopping = kith__stopping_of(task, left, p->tolerance);
    kith_status st = KITH_OK;

    TRY(kith__iterate(op, &once, Q, P, workspace, certificate, err));
    certificate->iterations += p->outer;
    if (left < 1 || certificate->converged)
        return st;
    if (certificate->residual >
        ABSURD) /* steps far too large: from the start */
        memcpy(P, Q, (size_t)task->n * (size_t)task->classes * sizeof(*P));
    if (left >= MANY && p->tolerance > 0)
        TRY(kith__solve_fixed_point(op, &stopping, Q, P, workspace, certificate,
                                    err));
    else
        TRY(kith__iterate(op, &stopping, Q, P, workspace, certificate, err));
    certificate->iterations += before;
out:
    return st;
}

kith_status kith__lcm_run_explicit(const kith__task *task, const kith_params *p,
                                   kith__regulariser kind,
                                   const float *potentials, kith__beliefs *out,
                                   kith_error *err)
{
    const size_t cells = (size_t)task->n * (size_t)task->classes;
    kith_status st = KITH_OK;
    kith__lcm s = {0};
    kith__operator op;

    TRY(kith__lcm_new(task, p, kind, &s, err));
    kith__centre_potentials(task, potentials, p->clamp, s.Q);
    memcpy(s.P, s.Q, cells * sizeof(*s.P));
    TRY(alternate(&s, &out->certificate, err));
    op = kith__coupled(&s.W, task->classes, s.H);
    TRY(kith__lcm_propagate(task, p, &op, s.Q, s.P, s.next, &out->certificate,
                            err));
    memcpy(out->P, s.P, cells * sizeof(*s.P));
    memcpy(out->coupling, s.H,
           (size_t)(task->classes * task->classes) * sizeof(*s.H));
    if (out->weights)
        memcpy(out->weights, s.w, (size_t)s.W.rows[s.W.n] * sizeof(*s.w));
    if (out->Q)
        memcpy(out->Q, s.Q, cells * sizeof(*s.Q));
    out->linear = KITH__FIXED_POINT;
    out->has_coupling = true;
out:
    kith__lcm_release(&s);
    return st;
}

static kith_status run(const kith__task *task, const kith_params *p,
                       kith__regulariser kind, const float *potentials,
                       kith__beliefs *out, kith_error *err)
{
    if (p->gradient == KITH_GRADIENT_EXACT)
        return kith__exact_run(task, p, kind, potentials, out, err);
    if (kith__lcm_choose_form(task, p, kind).implicit)
        return kith__lcm_run_lowrank(task, p, kind, potentials, out, err);
    return kith__lcm_run_explicit(task, p, kind, potentials, out, err);
}

kith_status kith__lcm_run(const kith__task *task, const kith_params *p,
                          const float *potentials, kith__beliefs *out,
                          kith_error *err)
{
    return run(task, p, KITH__CONSISTENCY, potentials, out, err);
}

kith_status kith__lcm_wo_run(const kith__task *task, const kith_params *p,
                             const float *potentials, kith__beliefs *out,
                             kith_error *err)
{
    return run(task, p, KITH__NONE, potentials, out, err);
}

kith_status kith__lcm_l1_run(const kith__task *task, const kith_params *p,
                             const float *potentials, kith__beliefs *out,
                             kith_error *err)
{
    return run(task, p, KITH__L1, potentials, out, err);
}

kith_status kith__lcm_l2_run(const kith__task *task, const kith_params *p,
                             const float *potentials, kith__beliefs *out,
                             kith_error *err)
{
    return run(task, p, KITH__L2, potentials, out, err);
}
