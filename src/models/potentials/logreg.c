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
 *
 * With fewer rows than columns the problem is turned first.  The best B lies in
 * the span of the rows, B = X'R^-T B~ with X X' = R R' (Cholesky), and in B~ it
 * is the same problem with the L x L rows R: the losses as x_l B = r_l B~, and
 * |B|^2 = |B~|^2.  Exact, and for a few training nodes far smaller.  R hangs on
 * the order of the rows, and with it the way to the minimum and where near it
 * that ends: so they are taken in an order of their own, whatever their
 * numbers, and, as smoothed rows still differ by rounding, the way is followed
 * further.
 */
#include "models/potentials/logreg.h"

#include <lbfgs.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/rng.h"
#include "kernels/operator.h"
#include "kernels/simd.h"
#include "kernels/small_dense.h"
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

/* z += x_l B for the entries from .. to of a row. */
KITH__ALWAYS_INLINE void add_logits(const kith__csr_matrix *x, int64_t from,
                                    int64_t to, const double *B, int k,
                                    double *restrict z)
{
    for (int64_t p = from; p < to; p++) {
        const double *b = B + (x->row ? x->column[p] : p - from) * k;

        for (int c = 0; c < k; c++)
            z[c] += (double)x->value[p] * b[c];
    }
}

/* G += x_l' z */
KITH__ALWAYS_INLINE void add_gradient(const kith__csr_matrix *x, int64_t from,
                                      int64_t to, const double *z, int k,
                                      double *restrict G)
{
    for (int64_t p = from; p < to; p++) {
        double *g = G + (x->row ? x->column[p] : p - from) * k;

        for (int c = 0; c < k; c++)
            g[c] += (double)x->value[p] * z[c];
    }
}

double kith__logreg_objective(const kith__csr_matrix *rows,
                              const int32_t *truth, const double *weight, int k,
                              double penalty, const double *B, double *gradient)
{
    const int64_t weights = (int64_t)rows->columns * k;
    double loss = 0, square = 0;

    for (int64_t i = 0; i < weights; i++) {
        square += B[i] * B[i];
        gradient[i] = penalty * B[i];
    }
    memset(gradient + weights, 0, (size_t)k * sizeof(*gradient));
    for (int32_t l = 0; l < rows->n; l++) {
        const int64_t from = kith__row_begin(rows, l);
        const int64_t to = kith__row_begin(rows, l + 1);
        double z[KITH__CLASSES_MOST];

        memcpy(z, B + weights, (size_t)k * sizeof(*z));
#define LOGITS(K)   add_logits(rows, from, to, B, K, z)
#define GRADIENT(K) add_gradient(rows, from, to, z, K, gradient)
        KITH__WITH_CONSTANT(k, LOGITS);
        loss += row_loss(z, k, truth[l], weight ? weight[l] : 1);
        KITH__WITH_CONSTANT(k, GRADIENT);
#undef LOGITS
#undef GRADIENT
        for (int c = 0; c < k; c++)
            gradient[weights + c] += z[c];
    }
    return loss + penalty / 2 * square;
}

typedef struct problem {
    const kith__csr_matrix *rows;
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

/* Steps that L-BFGS remembers: evaluations are dear beside them. */
enum { MEMORY = 20 };

/* Minimise over B by L-BFGS, as the rows are, until the gradient is below
 * epsilon |B|. */
static kith_status fit_rows(const kith__csr_matrix *rows, const int32_t *truth,
                            int k, double penalty, bool balance, double epsilon,
                            float *B, kith_error *err)
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
    how.epsilon = epsilon;
    how.max_iterations = 500;
    how.m = MEMORY;
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

/* ---- few rows, many columns -----------------------------------------------
 */

enum { TURN_MOST = 2048 };

/* The column of entry p of a row that begins at `from`: unlike
 * kith__column_of() without a division. */
static inline int64_t column_in_row(const kith__csr_matrix *x, int64_t from,
                                    int64_t p)
{
    return x->row ? x->column[p] : p - from;
}

/* A row in the order in which it is taken. */
typedef struct place {
    double mark;
    int32_t row, truth;
} place;

/* The product of row l with fixed random numbers: hardly two rows have the
 * same, and a row has the same, but for rounding, wherever it stands. */
static double mark_of(const kith__csr_matrix *x, int32_t l)
{
    const int64_t from = kith__row_begin(x, l), to = kith__row_begin(x, l + 1);
    double sum = 0;

    for (int64_t p = from; p < to; p++) {
        kith__rng r = kith__rng_start(1, (uint64_t)column_in_row(x, from, p));

        sum += (double)x->value[p] * kith__rng_real(&r);
    }
    return sum;
}

static int by_mark(const void *a, const void *b)
{
    const place *p = a, *q = b;

    return p->mark != q->mark ? (p->mark > q->mark) - (p->mark < q->mark)
                              : (p->truth > q->truth) - (p->truth < q->truth);
}

static void order_rows(const kith__csr_matrix *x, const int32_t *truth,
                       place *order, int32_t *truth_of)
{
    for (int32_t l = 0; l < x->n; l++)
        order[l] = (place){mark_of(x, l), l, truth[l]};
    qsort(order, (size_t)x->n, sizeof(*order), by_mark);
    for (int32_t l = 0; l < x->n; l++)
        truth_of[l] = order[l].truth;
}

/* x_i . x_l, of rows that have all columns. */
static double dense_product(const float *a, const float *b, int64_t n)
{
    double sum = 0;

#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < n; j++)
        sum += (double)a[j] * (double)b[j];
    return sum;
}

/* Row l of G: with rows that have few columns it is spread over all of them,
 * then met by the others. */
static void products_with(const kith__csr_matrix *x, const place *order,
                          int32_t l, double *spread, double *g)
{
    const int64_t from = kith__row_begin(x, order[l].row);
    const int64_t to = kith__row_begin(x, order[l].row + 1);

    for (int64_t p = from; p < to; p++)
        spread[x->column[p]] = (double)x->value[p];
    for (int32_t i = 0; i <= l; i++) {
        const int64_t begin = kith__row_begin(x, order[i].row);
        const int64_t end = kith__row_begin(x, order[i].row + 1);
        double sum = 0;

        for (int64_t p = begin; p < end; p++)
            sum += (double)x->value[p] * spread[x->column[p]];
        g[i] = sum;
    }
    for (int64_t p = from; p < to; p++)
        spread[x->column[p]] = 0;
}

/* G = X X', L x L, its lower triangle, in that order. */
static void inner_products(const kith__csr_matrix *x, const place *order,
                           double *spread, double *G)
{
    const int64_t d = x->columns;

    memset(spread, 0, (size_t)d * sizeof(*spread));
    for (int32_t l = 0; l < x->n; l++) {
        double *g = G + (int64_t)l * x->n;

        if (x->row)
            products_with(x, order, l, spread, g);
        else
            for (int32_t i = 0; i <= l; i++)
                g[i] = dense_product(x->value + order[i].row * d,
                                     x->value + order[l].row * d, d);
    }
}

/* The lower triangle R of G + jitter = R R'.  Equal or empty rows make G
 * singular; the jitter is far below what floats hold. */
static void factor(double *G, int64_t n)
{
    double trace = 0;

    for (int64_t i = 0; i < n; i++)
        trace += G[i * n + i];
    for (int64_t i = 0; i < n; i++)
        G[i * n + i] += 1e-10 * (trace / (double)n) + 1e-30;
    (void)kith__cholesky(G, n, 0);
}

/* B = X'Y; the biases are the last row of B~. */
static void turn_back(const kith__csr_matrix *x, const place *order,
                      const double *Y, int k, const float *turned, float *B)
{
    memset(B, 0, (size_t)x->columns * (size_t)k * sizeof(*B));
    for (int32_t l = 0; l < x->n; l++) {
        const int64_t from = kith__row_begin(x, order[l].row);
        const int64_t to = kith__row_begin(x, order[l].row + 1);

        for (int64_t p = from; p < to; p++) {
            float *b = B + column_in_row(x, from, p) * k;

            for (int c = 0; c < k; c++)
                b[c] += (float)((double)x->value[p] * Y[(int64_t)l * k + c]);
        }
    }
    memcpy(B + (int64_t)x->columns * k, turned + (int64_t)x->n * k,
           (size_t)k * sizeof(*B));
}

static kith_status fit_turned(const kith__csr_matrix *x, const int32_t *truth,
                              int k, const double *penalties, int many,
                              bool balance, float *const *B, kith_error *err)
{
    const int64_t L = x->n;
    kith__csr_matrix small = {.n = x->n, .columns = x->n};
    double *spread = NULL, *R = NULL, *Y = NULL;
    float *turned = NULL;
    place *order = NULL;
    int32_t *truth_of = NULL;
    kith_status st = KITH_OK;

    TRY_NEW(order, kith__alloc(L, sizeof(*order)));
    TRY_NEW(truth_of, kith__alloc(L, sizeof(*truth_of)));
    TRY_NEW(spread, kith__alloc(x->columns, sizeof(*spread)));
    TRY_NEW(R, kith__alloc_zeroed(L * L, sizeof(*R)));
    TRY_NEW(small.value, kith__alloc(L * L, sizeof(float)));
    TRY_NEW(turned, kith__alloc_zeroed((L + 1) * k, sizeof(*turned)));
    TRY_NEW(Y, kith__alloc(L * k, sizeof(*Y)));
    order_rows(x, truth, order, truth_of);
    inner_products(x, order, spread, R);
    factor(R, x->n);
    for (int64_t i = 0; i < L * L; i++)
        small.value[i] = (float)R[i];
    for (int p = 0; p < many; p++) {
        TRY(fit_rows(&small, truth_of, k, penalties[p], balance, 1e-6, turned,
                     err));
        for (int64_t i = 0; i < L * k; i++)
            Y[i] = (double)turned[i];
        kith__solve_upper(R, x->n, k, Y);
        turn_back(x, order, Y, k, turned, B[p]);
    }
out:
    kith__free(order);
    kith__free(truth_of);
    kith__free(spread);
    kith__free(R);
    kith__free(Y);
    kith__free(turned);
    kith__free(small.value);
    return st;
}

kith_status kith__logreg_fit_each(const kith__csr_matrix *rows,
                                  const int32_t *truth, int k,
                                  const double *penalties, int many,
                                  bool balance, float *const *B,
                                  kith_error *err)
{
    const int64_t size = ((int64_t)rows->columns + 1) * k;
    kith_status st = KITH_OK;

    if (rows->n <= TURN_MOST && rows->n < rows->columns / 2)
        return fit_turned(rows, truth, k, penalties, many, balance, B, err);
    for (int p = 0; p < many; p++) {
        if (p > 0)
            memcpy(B[p], B[p - 1], (size_t)size * sizeof(float));
        TRY(fit_rows(rows, truth, k, penalties[p], balance, 1e-5, B[p], err));
    }
out:
    return st;
}

kith_status kith__logreg_fit(const kith__csr_matrix *rows, const int32_t *truth,
                             int k, double penalty, bool balance, float *B,
                             kith_error *err)
{
    return kith__logreg_fit_each(rows, truth, k, &penalty, 1, balance, &B, err);
}

kith_status kith__logreg_run(const kith__task *task, const kith_params *p,
                             const float *potentials, kith__beliefs *out,
                             kith_error *err)
{
    (void)p, (void)err;
#pragma omp parallel for num_threads(task->threads) schedule(static)
    for (int64_t i = 0; i < (int64_t)task->n * task->classes; i++)
        out->P[i] = logf(fmaxf(potentials[i], 1e-12f));
    out->certificate = (kith_certificate){
        .rho = (double)NAN, .residual = (double)NAN, .converged = true};
    out->has_coupling = false;
    return KITH_OK;
}
