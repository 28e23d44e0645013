/*
 * lcm_exact.c: LCM's W and H by the exact gradient of its objective.
 *
 * The paper takes steps at fixed P, since the gradient through the fixed point
 * P = Q + W P H seems to need a linear system per edge.  Its adjoint needs one
 * in all.  With J the objective and E = dJ/dP,
 *
 *     Z = E + W Z H
 *     dJ/dw_uv = z_u . (P H)_v + z_v . (P H)_u        dJ/dH = P'W Z
 *
 * beside what J owes to W and H directly.  The objective, averaged as in lcm.c:
 *
 *     J = - 1/L sum_{l} log sigma(alpha p_l)(y_l)  +  lambda e/E R(W, H)
 *         - mu log det(b - H) - mu log det(b + H)
 *
 *   R  as in lcm.c with s = sigma(alpha p), e its REF_EDGES / REF_NODES, E the
 *      number of edges
 *
 * alpha > 0 is learnt too: centred potentials are small numbers, and without it
 * H would grow to the bound for no other reason than to make beliefs larger.
 * What is printed is calibrated by a temperature of its own.
 *
 * where p_l is the belief of l from potentials that do not know l's label
 * (out_of_fold.h): else W and H learn to believe what they were told.  R is the
 * mean over the folds.
 *
 * The spectral guard holds at every step, by what is learnt:
 *
 *     w_uv = a_uv / sqrt(d_u d_v),  a_uv = exp(theta_uv),  d_u = sum_v a_uv
 *
 * has rho(W) = 1 whatever theta is, and the last two terms of J keep the
 * eigenvalues of H within (-b, b), b = `bound`: outside J is infinite.  So
 *
 *     dJ/dtheta_uv = dw_uv w_uv - a_uv (t_u / 2d_u + t_v / 2d_v),
 *     t_u = sum_v dw_uv w_uv
 *
 * H stays symmetric and centred since its gradient is made so.  Minimised by
 * L-BFGS, as many iterations as lcm.c takes steps: outer x inner.  theta has a
 * place per direction of an edge, both alike, which saves finding one from the
 * other; each gets half the gradient.
 *
 * Cost of an evaluation: two solves of about 20 passes over the edges per fold.
 * Memory: 36 n C + 4 n C folds + about 300 m bytes, most of it L-BFGS's: its
 * six pairs of vectors, and five more, are doubles per direction of an edge.
 */
#include "models/lcm/lcm_exact.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/gemm.h"
#include "kernels/small_dense.h"
#include "kernels/softmax.h"
#include "kernels/spectral_bound.h"

/* Weight of the guard, small beside a loss per node; accuracy of the solves. */
static const double MU = 1e-3, SOLVED = 1e-6;
enum { STEPS = 500 }; /* of a solve, at most */

void kith__exact_release(kith__exact *s)
{
    kith__free(s->w);
    kith__free(s->a);
    kith__free(s->d);
    kith__free(s->H);
    kith__free(s->Q);
    kith__free(s->P);
    kith__free(s->Z);
    kith__free(s->E);
    kith__free(s->S);
    kith__free(s->X);
    kith__free(s->dw);
    kith__free(s->t);
    kith__free(s->dH);
    kith__free(s->G);
    kith__free(s->partial);
    kith__free(s->R);
    kith__free(s->workspace);
    *s = (kith__exact){0};
}

kith_status kith__exact_new(const kith__task *task, const kith_params *p,
                            kith__regulariser kind, kith__exact *s,
                            kith_error *err)
{
    const int64_t kk = (int64_t)task->classes * task->classes;
    const int64_t cells = (int64_t)task->n * task->classes;
    const int64_t entries = task->W.rows[task->n];
    kith_status st = KITH_OK;

    *s = (kith__exact){.task = task, .p = p, .kind = kind, .W = task->W};
    s->out_of_fold = task->out_of_fold;
    s->err = err;
    TRY_NEW(s->w, kith__alloc_big(entries, sizeof(float)));
    TRY_NEW(s->a, kith__alloc_big(entries, sizeof(float)));
    TRY_NEW(s->dw, kith__alloc_big(entries, sizeof(float)));
    TRY_NEW(s->d, kith__alloc(task->n, sizeof(double)));
    TRY_NEW(s->t, kith__alloc(task->n, sizeof(double)));
    TRY_NEW(s->Q, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(s->P, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(s->Z, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(s->E, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(s->S, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(s->X, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(s->H, kith__alloc(kk, sizeof(float)));
    TRY_NEW(s->G, kith__alloc(kk, sizeof(float)));
    TRY_NEW(s->partial, kith__alloc(kk * KITH__GEMM_PARTS, sizeof(float)));
    TRY_NEW(s->dH, kith__alloc(kk, sizeof(double)));
    TRY_NEW(s->R, kith__alloc(kk, sizeof(double)));
    TRY_NEW(s->workspace,
            kith__alloc_big(kith__solve_workspace(task->n, task->classes),
                            sizeof(float)));
    s->W = kith__weighted(&task->W, s->w);
    s->W.rho = 1;
out:
    return st;
}

int64_t kith__exact_size(const kith__exact *s)
{
    return s->W.rows[s->W.n] + (int64_t)s->task->classes * s->task->classes + 1;
}

/* theta = log a, a the graph's own weights; H as LinBP's; alpha = 1. */
void kith__exact_start(const kith__exact *s, double *x)
{
    const int kk = s->task->classes * s->task->classes;
    const float *own = kith_graph_weights(s->task->graph);
    const int64_t entries = s->W.rows[s->W.n];

    for (int64_t i = 0; i < entries; i++)
        x[i] = own ? log(fmax((double)own[i], 1e-30)) : 0;
    kith__coupling_start(s->task->classes, s->H);
    for (int i = 0; i < kk; i++)
        x[entries + i] = (double)s->H[i];
    x[entries + kk] = 0;
}

/* ---- W and H of x -------------------------------------------------------- */

/* a, d and w; false if some a is no float any more. */
static bool set_weights(kith__exact *s, const double *theta)
{
    const kith__operator *W = &s->W;
    bool fine = true;

#pragma omp parallel for num_threads(s->task->threads) schedule(static) \
    reduction(&& : fine)
    for (int32_t u = 0; u < W->n; u++) {
        s->d[u] = 0;
        for (int64_t i = W->rows[u]; i < W->rows[u + 1]; i++) {
            s->a[i] = (float)exp(theta[i]);
            s->d[u] += (double)s->a[i];
            fine = fine && s->a[i] > 0 && s->a[i] < 1e30f;
        }
    }
    if (!fine)
        return false;
#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < W->n; u++)
        for (int64_t i = W->rows[u]; i < W->rows[u + 1]; i++)
            s->w[i] = (float)((double)s->a[i] /
                              sqrt(s->d[u] * s->d[W->neighbours[i]]));
    return true;
}

/* R R' = b + sign H; log det of that, not finite unless it is positive. */
static double factor(kith__exact *s, const double *H, double sign)
{
    const int C = s->task->classes;

    for (int i = 0; i < C; i++)
        for (int j = 0; j <= i; j++)
            s->R[i * C + j] = (i == j ? s->p->bound : 0) + sign * H[i * C + j];
    return kith__cholesky(s->R, C, 0);
}

/* dH -= mu sign (R R')^-1, a column of it at a time. */
static void add_inverse(kith__exact *s, double sign)
{
    const int C = s->task->classes;
    double y[KITH__CLASSES_MOST];

    for (int c = 0; c < C; c++) {
        for (int i = 0; i < C; i++)
            y[i] = i == c;
        kith__solve_lower(s->R, C, 1, y);
        kith__solve_upper(s->R, C, 1, y);
        for (int i = 0; i < C; i++)
            s->dH[i * C + c] -= MU * sign * y[i];
    }
}

/* - mu log det(b - H) - mu log det(b + H) and its gradient in dH; infinite
 * where it is not defined. */
static double guard(kith__exact *s, const double *H)
{
    const double signs[] = {-1, 1};
    double J = 0;

    for (int i = 0; i < 2; i++) {
        const double log_det = factor(s, H, signs[i]);

        if (!isfinite(log_det))
            return INFINITY;
        J -= MU * log_det;
        add_inverse(s, signs[i]);
    }
    return J;
}

/* ---- one fold ------------------------------------------------------------ */

/* Weight of R. */
static double weight_of_rest(const kith__exact *s)
{
    const double edges = (double)s->W.rows[s->W.n] / 2;

    return s->p->lambda * KITH__REF_EDGES / KITH__REF_NODES / edges;
}

/* Y = W X, or Y = X H, over all rows. */
static void pull(const kith__exact *s, const float *X, float *Y)
{
    const kith__operator op = kith__scaled(&s->W, s->task->classes, 1);

    kith__operator_apply(&op, 0, op.n, X, NULL, Y);
}

static void couple(const kith__exact *s, const float *X, float *Y)
{
    const int C = s->task->classes;

    kith__gemm(X, s->H, s->W.n, NULL, C, C, false, Y, s->task->threads);
}

/* dH += factor X'Y */
static void add_gram(kith__exact *s, const float *X, const float *Y,
                     double factor)
{
    const int C = s->task->classes;

    kith__gemm_over_rows(X, Y, s->W.n, NULL, C, C, s->G, s->partial,
                         s->task->threads);
    for (int i = 0; i < C * C; i++)
        s->dH[i] += factor * (double)s->G[i];
}

/* dw_uv += factor (x_u . y_v + x_v . y_u) + add */
static void add_products(kith__exact *s, const float *X, const float *Y,
                         float factor, float add)
{
    const kith__operator *W = &s->W;
    const int C = s->task->classes;

#pragma omp parallel for num_threads(s->task->threads) schedule(dynamic, 64)
    for (int32_t u = 0; u < W->n; u++) {
        const float *xu = X + (int64_t)u * C, *yu = Y + (int64_t)u * C;

        for (int64_t i = W->rows[u]; i < W->rows[u + 1]; i++) {
            const float *xv = X + (int64_t)W->neighbours[i] * C;
            const float *yv = Y + (int64_t)W->neighbours[i] * C;
            float there = 0, back = 0;

            for (int c = 0; c < C; c++) {
                there += xu[c] * yv[c];
                back += xv[c] * yu[c];
            }
            s->dw[i] += factor * (there + back) + add;
        }
    }
}

/* The cross-entropy of a fold's own nodes; E is its gradient by alpha P. */
static double cross_entropy(kith__exact *s, int f)
{
    const kith__task *t = s->task;
    const int C = t->classes;
    const double share = 1.0 / s->out_of_fold->judged;
    double loss = 0;

    memset(s->E, 0, (size_t)t->n * (size_t)C * sizeof(*s->E));
    for (int32_t l = 0; l < t->n_train; l++) {
        const int64_t at = (int64_t)t->train[l] * C;

        if (s->out_of_fold->fold[l] != f)
            continue;
        loss += share * (kith__log_sum_exp(s->P + at, C, 1 / s->alpha) -
                         s->alpha * (double)s->P[at + t->truth[l]]);
        for (int c = 0; c < C; c++)
            s->E[at + c] = (float)share *
                           (s->S[at + c] - (float)(c == t->truth[l]));
    }
    return loss;
}

/*
 * R = - 1/2 sum_u s_u (W S)_u H' at this fold's P, times `weight`: its gradient
 * by alpha P goes to E, by W to dw, by H to dH.  With r = W S H,
 * dR/d(alpha p_u) = - s_u o (r_u - s_u . r_u).
 */
static double consistency(kith__exact *s, double weight)
{
    const int C = s->task->classes;
    const float centre = s->p->uncentred ? 1 / (float)C : 0;
    double sum = 0, all = 0;

    pull(s, s->S, s->Z);
    add_gram(s, s->S, s->Z, -weight / 2);
    couple(s, s->Z, s->X); /* r */
    for (int32_t u = 0; u < s->W.n; u++) {
        const float *su = s->S + (int64_t)u * C, *r = s->X + (int64_t)u * C;
        float *e = s->E + (int64_t)u * C, dot = 0;

        for (int c = 0; c < C; c++)
            dot += su[c] * r[c];
        for (int c = 0; c < C; c++)
            e[c] -= (float)weight * su[c] * (r[c] - dot);
        sum += (double)dot;
    }
    couple(s, s->S, s->X);
    add_products(s, s->S, s->X, (float)(-weight / 2), -(float)weight * centre);
    for (int64_t i = 0; centre > 0 && i < s->W.rows[s->W.n]; i++)
        all += (double)s->w[i];
    return -weight / 2 * (sum + (double)centre * all);
}

/* E by alpha P -> E by P, and dJ/dalpha = sum of E . P. */
static void through_scale(kith__exact *s)
{
    const int64_t cells = (int64_t)s->W.n * s->task->classes;

    for (int64_t i = 0; i < cells; i++) {
        s->d_alpha += (double)s->E[i] * (double)s->P[i];
        s->E[i] *= (float)s->alpha;
    }
}

static void clamp_others(kith__exact *s, int f, bool weigh)
{
    const kith__task *t = s->task;

    for (int32_t l = 0; l < t->n_train; l++)
        if (s->out_of_fold->fold[l] != f)
            kith__label_row(t, l, weigh ? kith__label_weight(t, l) : 1,
                            s->Q + (int64_t)t->train[l] * t->classes);
}

static void solve(kith__exact *s, const float *from, float *to)
{
    const kith__operator op = kith__coupled(&s->W, s->task->classes, s->H);
    const kith__stopping stopping = {.most = STEPS, .tolerance = SOLVED};

    if (s->st == KITH_OK)
        s->st = kith__solve_linear(&op, &stopping, from, to, s->workspace,
                                   s->err);
}

/* The beliefs of a fold, P, from its potentials. */
static void fold_beliefs(kith__exact *s, int f)
{
    const kith__task *t = s->task;

    kith__centre_potentials(
        t, s->out_of_fold->potentials + (int64_t)f * t->n * t->classes, false,
        s->Q);
    if (s->p->clamp)
        clamp_others(s, f, true);
    solve(s, s->Q, s->P);
}

/* J's share of one fold, its gradient in dw, dH and d_alpha. */
static double fold_objective(kith__exact *s, int f)
{
    const kith__task *t = s->task;
    const int C = t->classes;
    double J;

    fold_beliefs(s, f);
    kith__softmax_rows(s->P, t->n, C, 1 / s->alpha, s->S, t->threads);
    J = cross_entropy(s, f);
    if (s->kind == KITH__CONSISTENCY)
        J += consistency(s, weight_of_rest(s) / s->out_of_fold->folds);
    through_scale(s);
    solve(s, s->E, s->Z);
    couple(s, s->P, s->X);
    add_products(s, s->Z, s->X, 1, 0);
    pull(s, s->Z, s->S);
    add_gram(s, s->P, s->S, 1);
    return J;
}

/* ---- the whole ----------------------------------------------------------- */

/* lcm-l1, lcm-l2: |W| + |H| or their squares. */
static double norms(kith__exact *s)
{
    const bool l1 = s->kind == KITH__L1;
    const int kk = s->task->classes * s->task->classes;
    const double of_w = weight_of_rest(s);
    const double of_H = s->p->lambda / KITH__REF_NODES;
    double J = 0;

    for (int64_t i = 0; i < s->W.rows[s->W.n]; i++) { /* w > 0; each twice */
        const double w = (double)s->w[i];

        J += of_w / 2 * (l1 ? w : w * w);
        s->dw[i] += (float)(of_w * (l1 ? 1 : 2 * w));
    }
    for (int i = 0; i < kk; i++) {
        const double h = (double)s->H[i];

        J += of_H * (l1 ? fabs(h) : h * h);
        s->dH[i] += of_H * (l1 ? (h > 0) - (h < 0) : 2 * h);
    }
    return J;
}

/* From dw to the gradient by theta, half of it per direction. */
static void through_weights(kith__exact *s, double *gradient)
{
    const kith__operator *W = &s->W;

#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < W->n; u++) {
        s->t[u] = 0;
        for (int64_t i = W->rows[u]; i < W->rows[u + 1]; i++)
            s->t[u] += (double)s->dw[i] * (double)s->w[i];
    }
#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < W->n; u++)
        for (int64_t i = W->rows[u]; i < W->rows[u + 1]; i++) {
            const int32_t v = W->neighbours[i];
            const double push = s->t[u] / s->d[u] + s->t[v] / s->d[v];

            gradient[i] = (double)s->dw[i] * (double)s->w[i] / 2 -
                          (double)s->a[i] * push / 4;
        }
}

/* dH -> symmetric, rows sum to 0. */
static void tidy_gradient(const kith__exact *s, double *out)
{
    const int C = s->task->classes;
    double mean[KITH__CLASSES_MOST], all = 0;

    for (int i = 0; i < C; i++) {
        mean[i] = 0;
        for (int j = 0; j < C; j++)
            mean[i] += (s->dH[i * C + j] + s->dH[j * C + i]) / 2 / C;
        all += mean[i] / C;
    }
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++)
            out[i * C + j] = (s->dH[i * C + j] + s->dH[j * C + i]) / 2 -
                             mean[i] - mean[j] + all;
}

double kith__exact_objective(kith__exact *s, const double *x, double *gradient)
{
    const int kk = s->task->classes * s->task->classes;
    const int64_t entries = s->W.rows[s->W.n];
    double J;

    memset(gradient, 0, (size_t)(entries + kk + 1) * sizeof(*gradient));
    memset(s->dw, 0, (size_t)entries * sizeof(*s->dw));
    memset(s->dH, 0, (size_t)kk * sizeof(*s->dH));
    s->alpha = exp(x[entries + kk]);
    s->d_alpha = 0;
    if (!set_weights(s, x) || !(s->alpha > 1e-9 && s->alpha < 1e9))
        return INFINITY;
    J = guard(s, x + entries);
    if (!isfinite(J))
        return INFINITY;
    for (int i = 0; i < kk; i++)
        s->H[i] = (float)x[entries + i];
    for (int f = 0; f < s->out_of_fold->folds; f++)
        J += fold_objective(s, f);
    if (s->st != KITH_OK) /* and all further ones are, so that it ends */
        return INFINITY;
    if (s->kind == KITH__L1 || s->kind == KITH__L2)
        J += norms(s);
    through_weights(s, gradient);
    tidy_gradient(s, gradient + entries);
    gradient[entries + kk] = s->d_alpha * s->alpha;
    return J;
}

static lbfgsfloatval_t evaluate(void *user, const lbfgsfloatval_t *x,
                                lbfgsfloatval_t *gradient, int n,
                                lbfgsfloatval_t step)
{
    (void)n, (void)step;
    return kith__exact_objective(user, x, gradient);
}

/* Stop if an evaluation failed, or if that is wished. */
static int look(void *user, const lbfgsfloatval_t *x,
                const lbfgsfloatval_t *gradient, lbfgsfloatval_t J,
                lbfgsfloatval_t x_norm, lbfgsfloatval_t g_norm,
                lbfgsfloatval_t step, int n, int k, int evaluations)
{
    kith__exact *s = user;

    (void)x, (void)gradient, (void)J, (void)x_norm, (void)g_norm, (void)step;
    (void)n, (void)evaluations;
    if (s->st == KITH_OK)
        s->st = kith__progress(s->task->job, "learning", k,
                               (int64_t)s->p->outer * s->p->inner, "steps",
                               s->err);
    return s->st != KITH_OK;
}

static kith_status learn(kith__exact *s, double *x, int64_t n, kith_error *err)
{
    lbfgs_parameter_t how;
    int answer;

    lbfgs_parameter_init(&how);
    how.epsilon = 1e-5;
    how.max_iterations = s->p->outer * s->p->inner;
    how.linesearch =
        LBFGS_LINESEARCH_BACKTRACKING_WOLFE; /* J may be infinite */
    answer = lbfgs((int)n, x, NULL, evaluate, look, s, &how);
    if (answer == LBFGSERR_OUTOFMEMORY)
        return kith__no_memory(err);
    /* Any other answer leaves the best point so far, which is what we want. */
    return s->st;
}

/* ---- where to start ------------------------------------------------------ */

/* The alpha that suits W and H as they are: beliefs of judged nodes in X. */
static kith_status fit_scale(kith__exact *s, double *log_alpha, kith_error *err)
{
    const kith__task *t = s->task;
    kith__labelled_nodes judged = {0};
    int32_t *node = NULL, *truth = NULL;
    kith_status st = KITH_OK;

    TRY_NEW(node, kith__alloc(t->n_train, sizeof(*node)));
    TRY_NEW(truth, kith__alloc(t->n_train, sizeof(*truth)));
    for (int f = 0; f < s->out_of_fold->folds; f++) {
        fold_beliefs(s, f);
        TRY(s->st);
        for (int32_t l = 0; l < t->n_train; l++) {
            const int64_t at = (int64_t)t->train[l] * t->classes;

            if (s->out_of_fold->fold[l] != f)
                continue;
            memcpy(s->X + at, s->P + at, (size_t)t->classes * sizeof(*s->X));
            node[judged.n] = t->train[l];
            truth[judged.n++] = t->truth[l];
        }
    }
    judged.node = node;
    judged.truth = truth;
    *log_alpha = -log(kith__fit_temperature(s->X, t->classes, &judged));
out:
    kith__free(node);
    kith__free(truth);
    return st;
}

/*
 * A coupling from the data: K = S'W S counts how often classes meet, S the soft
 * labels of the first fold with the others' labels; less what chance gives,
 *
 *     H_ij ~ K_ij / sqrt(k_i k_j) - sqrt(k_i k_j) / sum k,   k = K 1
 *
 * symmetric and centred, of a spectral radius of half the bound.
 */
static void coupling_of_data(kith__exact *s, double *H)
{
    const int C = s->task->classes;
    double k[KITH__CLASSES_MOST], all = 0, rho;

    kith__centre_potentials(s->task, s->out_of_fold->potentials, false, s->Q);
    clamp_others(s, 0, false); /* S are distributions */
    for (int64_t i = 0; i < (int64_t)s->W.n * C; i++)
        s->S[i] = s->Q[i] + 1 / (float)C;
    pull(s, s->S, s->Z);
    memset(s->dH, 0, (size_t)C * (size_t)C * sizeof(*s->dH));
    add_gram(s, s->S, s->Z, 1);
    for (int i = 0; i < C; i++) {
        k[i] = 0;
        for (int j = 0; j < C; j++)
            k[i] += fmax(s->dH[i * C + j], 0);
        k[i] = fmax(k[i], 1e-30);
        all += k[i];
    }
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++)
            s->dH[i * C + j] = s->dH[i * C + j] / sqrt(k[i] * k[j]) -
                               sqrt(k[i] * k[j]) / all;
    tidy_gradient(s, H);
    for (int i = 0; i < C * C; i++)
        s->H[i] = (float)H[i];
    rho = fmax(kith__rho_small(s->H, C), 1e-30);
    for (int i = 0; i < C * C; i++)
        H[i] *= s->p->bound / 2 / rho;
}

/* x starts at the coupling of the data, if J is less there. */
static kith_status choose_start(kith__exact *s, double *x, kith_error *err)
{
    const int kk = s->task->classes * s->task->classes;
    const int64_t n = kith__exact_size(s), at = n - kk - 1;
    kith_status st = KITH_OK;
    double *other = NULL, *unused = NULL, prior;

    TRY_NEW(other, kith__alloc(n, sizeof(*other)));
    TRY_NEW(unused, kith__alloc(n, sizeof(*unused)));
    memcpy(other, x, (size_t)n * sizeof(*x));
    set_weights(s, x);
    TRY(fit_scale(s, &x[n - 1], err));
    coupling_of_data(s, other + at);
    for (int i = 0; i < kk; i++)
        s->H[i] = (float)other[at + i];
    TRY(fit_scale(s, &other[n - 1], err));
    prior = kith__exact_objective(s, x, unused);
    if (kith__exact_objective(s, other, unused) < prior)
        memcpy(x, other, (size_t)n * sizeof(*x));
    st = s->st;
out:
    kith__free(other);
    kith__free(unused);
    return st;
}

/* W and H of the start, or learnt where there is something to learn from. */
static kith_status find_weights(kith__exact *s, kith_error *err)
{
    const int64_t n = kith__exact_size(s), entries = s->W.rows[s->W.n];
    const int C = s->task->classes;
    kith_status st = KITH_OK;
    double *x = NULL;

    if (n > INT32_MAX)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "%lld edges are too many to learn weights of by the "
                       "exact gradient: leave --gradient out",
                       (long long)(entries / 2)));
    x = lbfgs_malloc((int)n);
    if (!x) {
        st = kith__no_memory(err);
        goto out;
    }
    kith__exact_start(s, x);
    if (C > 1 && entries > 0 && s->out_of_fold->judged > 0 &&
        s->p->outer * s->p->inner > 0 && (s->p->g1 > 0 || s->p->g2 > 0)) {
        TRY(choose_start(s, x, err));
        TRY(learn(s, x, n, err));
    }
    set_weights(s, x);
    for (int i = 0; i < C * C; i++)
        s->H[i] = (float)x[entries + i];
out:
    if (x)
        lbfgs_free(x);
    return st;
}

kith_status kith__exact_run(const kith__task *task, const kith_params *p,
                            kith__regulariser kind, const float *potentials,
                            kith__beliefs *out, kith_error *err)
{
    const size_t cells = (size_t)task->n * (size_t)task->classes;
    const size_t kk = (size_t)task->classes * (size_t)task->classes;
    const kith__stopping stopping = kith__stopping_of(task, p->iterations,
                                                      p->tolerance);
    kith_status st = KITH_OK;
    kith__exact s = {0};
    kith__operator op;

    TRY(kith__exact_new(task, p, kind, &s, err));
    TRY(find_weights(&s, err));
    kith__centre_potentials(task, potentials, p->clamp, s.Q);
    memcpy(out->P, s.Q, cells * sizeof(*s.Q));
    op = kith__coupled(&s.W, task->classes, s.H);
    TRY(kith__iterate(&op, &stopping, s.Q, out->P, s.X, &out->certificate,
                      err));
    out->certificate.rho = kith__rho_small(s.H, task->classes);
    memcpy(out->coupling, s.H, kk * sizeof(*s.H));
    if (out->weights)
        memcpy(out->weights, s.w, (size_t)s.W.rows[s.W.n] * sizeof(*s.w));
    if (out->Q)
        memcpy(out->Q, s.Q, cells * sizeof(*s.Q));
    out->linear = KITH__SUM;
    out->has_coupling = true;
out:
    kith__exact_release(&s);
    return st;
}
