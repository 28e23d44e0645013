/*
 * logreg.c: multinomial logistic regression by L-BFGS (liblbfgs).
 *
 *     min_B  - sum_l a_l log softmax(x_l B + b)(y_l)  +  penalty / 2 |B|^2
 *
 *   x_l  a row of features        B  columns x k        b  biases, free
 *   a_l  1, or with `balance` L / (k count of y_l), so that classes weigh alike
 *
 * The sum is over training nodes, not their mean, so the penalty matters less
 * the more there are.  Convex: the start does not matter.
 * Cost of an evaluation: O(nonzeros of the rows x k).
 */
#include "models/logreg.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "models/method.h"

/* z = x_l B + b, then gradient of the loss by z: a (softmax(z) - y). */
static double row_loss(double *z, int k, int32_t truth, double a)
{
    double top = z[0], sum = 0, loss;

    for (int c = 1; c < k; c++)
        top = fmax(top, z[c]);
    for (int c = 0; c < k; c++)
        sum += exp(z[c] - top);
    loss = a * (top + log(sum) - z[truth]);
    for (int c = 0; c < k; c++)
        z[c] = a * (exp(z[c] - top) / sum - (c == truth));
    return loss;
}

double kith__logreg_objective(const kith__matrix *rows, const int32_t *truth,
                              const double *weight, int k, double penalty,
                              const double *B, double *gradient)
{
    const int64_t weights = (int64_t)rows->columns * k;
    double loss = 0, square = 0;

    for (int64_t i = 0; i < weights; i++) {
        square += B[i] * B[i];
        gradient[i] = penalty * B[i];
    }
    memset(gradient + weights, 0, (size_t)k * sizeof(*gradient));
    for (int32_t l = 0; l < rows->n; l++) {
        const int64_t from = rows->row ? rows->row[l]
                                       : (int64_t)l * rows->columns;
        const int64_t to = rows->row ? rows->row[l + 1] : from + rows->columns;
        double z[KITH__CLASSES_MOST];

        memcpy(z, B + weights, (size_t)k * sizeof(*z));
        for (int64_t p = from; p < to; p++) {
            const double *b = B + (rows->row ? rows->column[p] : p - from) * k;

            for (int c = 0; c < k; c++)
                z[c] += (double)rows->value[p] * b[c];
        }
        loss += row_loss(z, k, truth[l], weight ? weight[l] : 1);
        for (int64_t p = from; p < to; p++) {
            double *g = gradient + (rows->row ? rows->column[p] : p - from) * k;

            for (int c = 0; c < k; c++)
                g[c] += (double)rows->value[p] * z[c];
        }
        for (int c = 0; c < k; c++)
            gradient[weights + c] += z[c];
    }
    return loss + penalty / 2 * square;
}

typedef struct problem {
    const kith__matrix *rows;
    const int32_t *truth;
    const double *weight;
    int k;
    double penalty;
} problem;

static lbfgsfloatval_t evaluate(void *user, const lbfgsfloatval_t *B,
                                lbfgsfloatval_t *gradient, int n,
                                lbfgsfloatval_t step)
{
    const problem *p = user;

    (void)n, (void)step;
    return kith__logreg_objective(p->rows, p->truth, p->weight, p->k,
                                  p->penalty, B, gradient);
}

/* a_l = L / (k count of the class of l) */
static kith_status balance_rows(const int32_t *truth, int32_t n, int k,
                                double **out, kith_error *err)
{
    int64_t *count = kith__alloc_zeroed(k, sizeof(*count));

    *out = kith__alloc(n, sizeof(**out));
    if (!count || !*out) {
        kith__free(count);
        return kith__no_memory(err);
    }
    for (int32_t l = 0; l < n; l++)
        count[truth[l]]++;
    for (int32_t l = 0; l < n; l++)
        (*out)[l] = (double)n / (k * (double)count[truth[l]]);
    kith__free(count);
    return KITH_OK;
}

kith_status kith__logreg_fit(const kith__matrix *rows, const int32_t *truth,
                             int k, double penalty, bool balance, float *B,
                             kith_error *err)
{
    const int64_t n = ((int64_t)rows->columns + 1) * k;
    problem p = {rows, truth, NULL, k, penalty};
    kith_status st = KITH_OK;
    lbfgs_parameter_t how;
    double *weight = NULL, *at = NULL;
    int answer;

    if (n > INT32_MAX)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "%d features times %d classes are too many weights",
                       (int)rows->columns, k));
    if (balance)
        TRY(balance_rows(truth, rows->n, k, &weight, err));
    p.weight = weight;
    at = lbfgs_malloc((int)n);
    if (!at)
        TRY(kith__no_memory(err));
    for (int64_t i = 0; i < n; i++)
        at[i] = (double)B[i];
    lbfgs_parameter_init(&how);
    how.epsilon = 1e-5;
    how.max_iterations = 500;
    answer = lbfgs((int)n, at, NULL, evaluate, NULL, &p, &how);
    if (answer == LBFGSERR_OUTOFMEMORY)
        TRY(kith__no_memory(err));
    /* Any other answer leaves the best point so far, which is what we want. */
    for (int64_t i = 0; i < n; i++)
        B[i] = (float)at[i];
out:
    kith__free(weight);
    if (at)
        lbfgs_free(at);
    return st;
}

kith_status kith__logreg_run(const kith__task *task, const kith_params *p,
                             const float *potentials, kith__beliefs *out,
                             kith_error *err)
{
    (void)p, (void)err;
#pragma omp parallel for num_threads(task->threads) schedule(static)
    for (int64_t i = 0; i < (int64_t)task->n * task->classes; i++)
        out->P[i] = logf(fmaxf(potentials[i], 1e-12f));
    out->certificate = (kith_certificate){.rho = (double)NAN,
                                          .converged = true};
    out->has_coupling = false;
    return KITH_OK;
}
