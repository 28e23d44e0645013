/*
 * coupling_fit.c:
 *
 *     min  sum_u - log softmax(alpha l_u + m_u H + b)(y_u)
 *          + lambda/2 |Delta|^2 + 1/2 |b|^2 + 1/2 (alpha - 1)^2 + h0^2 / 200,
 *     H = h0 (I - 11'/k) + Delta,  Delta symmetric
 *
 *   l_u  centred log-potentials;  m_u = sum_v w_uv s_v, s = softmax(l), not
 *        centred: how many neighbours a node has may differ by class
 *
 * Convex in (alpha, h0, b, Delta).  h0 is free, so that homophily costs
 * nothing; Delta, what differs from it, is what must be worth its penalty.
 * Cost of an evaluation: O(rows k^2).
 */
#include "models/lcm_em/coupling_fit.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/job.h"

enum { ALPHA = 0, H0 = 1, BIAS = 2 };

static int64_t size_of(int k)
{
    return BIAS + k + (int64_t)k * (k + 1) / 2;
}

/* H of theta, k x k. */
static void unfold(const double *theta, int k, double *H)
{
    const double *delta = theta + BIAS + k;

    for (int i = 0; i < k; i++)
        for (int j = 0; j <= i; j++)
            H[i * k + j] = H[j * k + i] = theta[H0] * ((i == j) - 1.0 / k) +
                                          *delta++;
}

/* z = alpha l + m H + b, then z = softmax(z) - y; the loss. */
static double row_loss(const float *l, const float *m, const double *theta,
                       const double *H, int k, int truth, double *z)
{
    double top, sum = 0, loss;

    for (int c = 0; c < k; c++)
        z[c] = theta[ALPHA] * (double)l[c] + theta[BIAS + c];
    for (int i = 0; i < k; i++)
        for (int c = 0; c < k; c++)
            z[c] += (double)m[i] * H[i * k + c];
    top = z[0];
    for (int c = 1; c < k; c++)
        top = fmax(top, z[c]);
    for (int c = 0; c < k; c++)
        sum += exp(z[c] - top);
    loss = top + log(sum) - z[truth];
    for (int c = 0; c < k; c++)
        z[c] = exp(z[c] - top) / sum - (c == truth);
    return loss;
}

/* What the penalties add, to the gradient too. */
static double penalties(const double *theta, int k, double lambda,
                        double *gradient)
{
    const double *delta = theta + BIAS + k;
    double *to = gradient + BIAS + k;
    double sum = (theta[ALPHA] - 1) * (theta[ALPHA] - 1) / 2 +
                 theta[H0] * theta[H0] / 200;

    gradient[ALPHA] += theta[ALPHA] - 1;
    gradient[H0] += theta[H0] / 100;
    for (int c = 0; c < k; c++) {
        sum += theta[BIAS + c] * theta[BIAS + c] / 2;
        gradient[BIAS + c] += theta[BIAS + c];
    }
    for (int i = 0; i < k; i++)
        for (int j = 0; j <= i; j++, delta++, to++) {
            const double twice = i == j ? 1 : 2;

            if (isinf(lambda)) {
                *to = 0;
                continue;
            }
            sum += twice * lambda / 2 * *delta * *delta;
            *to += twice * lambda * *delta;
        }
    return sum;
}

static double objective(const float *L, const float *M, int k,
                        const kith__labelled_nodes *at, double lambda,
                        const double *theta, double *gradient, double *H,
                        double *dH, double *z)
{
    double *to = gradient + BIAS + k, loss = 0;

    unfold(theta, k, H);
    memset(dH, 0, (size_t)k * (size_t)k * sizeof(*dH));
    memset(gradient, 0, (size_t)size_of(k) * sizeof(*gradient));
    for (int32_t r = 0; r < at->n; r++) {
        const float *l = L + (int64_t)at->node[r] * k;
        const float *m = M + (int64_t)at->node[r] * k;

        loss += row_loss(l, m, theta, H, k, at->truth[r], z);
        for (int c = 0; c < k; c++) {
            gradient[ALPHA] += (double)l[c] * z[c];
            gradient[BIAS + c] += z[c];
        }
        for (int i = 0; i < k; i++)
            for (int c = 0; c < k; c++)
                dH[i * k + c] += (double)m[i] * z[c];
    }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            gradient[H0] += dH[i * k + j] * ((i == j) - 1.0 / k);
    for (int i = 0; i < k; i++)
        for (int j = 0; j <= i; j++)
            *to++ = i == j ? dH[i * k + i] : dH[i * k + j] + dH[j * k + i];
    return loss + penalties(theta, k, lambda, gradient);
}

typedef struct problem {
    const float *L, *M;
    int k;
    const kith__labelled_nodes *at;
    double lambda;
    double *H, *dH, *z;
} problem;

static kith_status new_problem(problem *p, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(p->H, kith__alloc((int64_t)p->k * p->k, sizeof(double)));
    TRY_NEW(p->dH, kith__alloc((int64_t)p->k * p->k, sizeof(double)));
    TRY_NEW(p->z, kith__alloc(p->k, sizeof(double)));
out:
    return st;
}

static void release(problem *p)
{
    kith__free(p->H);
    kith__free(p->dH);
    kith__free(p->z);
}

double kith__coupling_objective(const float *L, const float *M, int k,
                                const kith__labelled_nodes *at, double lambda,
                                const double *theta, double *gradient)
{
    problem p = {.k = k};
    double value = (double)NAN;

    if (new_problem(&p, NULL) == KITH_OK)
        value = objective(L, M, k, at, lambda, theta, gradient, p.H, p.dH, p.z);
    release(&p);
    return value;
}

static lbfgsfloatval_t evaluate(void *user, const lbfgsfloatval_t *theta,
                                lbfgsfloatval_t *gradient, int n,
                                lbfgsfloatval_t step)
{
    const problem *p = user;

    (void)n, (void)step;
    return objective(p->L, p->M, p->k, p->at, p->lambda, theta, gradient, p->H,
                     p->dH, p->z);
}

kith_status kith__coupling_fit(const float *L, const float *M, int k,
                               const kith__labelled_nodes *at, double lambda,
                               kith__fitted_coupling *out, kith_error *err)
{
    problem p = {.L = L, .M = M, .k = k, .at = at, .lambda = lambda};
    kith_status st = KITH_OK;
    lbfgs_parameter_t how;
    double *theta = lbfgs_malloc((int)size_of(k));

    if (!theta) {
        st = kith__no_memory(err);
        goto out;
    }
    TRY(new_problem(&p, err));
    memset(theta, 0, (size_t)size_of(k) * sizeof(*theta));
    theta[ALPHA] = 1;
    lbfgs_parameter_init(&how);
    how.epsilon = 1e-6;
    how.max_iterations = 200;
    if (lbfgs((int)size_of(k), theta, NULL, evaluate, NULL, &p, &how) ==
        LBFGSERR_OUTOFMEMORY)
        TRY(kith__no_memory(err));
    unfold(theta, k, p.H);
    out->alpha = theta[ALPHA];
    for (int i = 0; i < k * k; i++)
        out->H[i] = (float)p.H[i];
    for (int c = 0; c < k; c++)
        out->b[c] = (float)theta[BIAS + c];
out:
    release(&p);
    if (theta)
        lbfgs_free(theta);
    return st;
}

void kith__coupling_apply(const float *L, const float *M, int64_t n, int k,
                          const kith__fitted_coupling *f, float *P)
{
    for (int64_t u = 0; u < n; u++) {
        const float *l = L + u * k, *m = M + u * k;
        float *p = P + u * k;

        for (int c = 0; c < k; c++)
            p[c] = (float)f->alpha * l[c] + f->b[c];
        for (int i = 0; i < k; i++)
            for (int c = 0; c < k; c++)
                p[c] += m[i] * f->H[i * k + c];
    }
}
