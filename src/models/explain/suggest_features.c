/*
 * suggest_features.c: which node to label next, where features say most.
 *
 * Beliefs as a linear function of features seen through the graph:
 *
 *     p_v = y_v . b,   Y = X~ + h W Y (HOPS times),   b of covariance I,
 *
 * rows of Y scaled to length 1 and centred, and a label as p_v with noise of
 * variance m, the mean of |y_v|^2.  Labels of the nodes L leave b the
 * covariance S = (I + Y_L'Y_L / m)^-1, and one at v takes
 *
 *     |Y S y_v|^2 / (y_v'S y_v + m)
 *
 * of the variance of all beliefs together (transductive experimental design:
 * Yu, Bi, Tresp, ICML 2006).  That is its influence; a node's score is its
 * uncertainty times that.  The one taken then counts as labelled:
 *
 *     S <- S - (S y_v)(S y_v)' / (y_v'S y_v + m)
 *
 * Kept for all nodes are the rows U = Y S and V = U Y'Y: the influence is
 * u_v . v_v / (u_v . y_v + m), and a label changes both by one column times one
 * row.  Features of many columns are projected on few by random signs, which
 * keeps products nearly as they are (Johnson, Lindenstrauss).
 *
 * Cost: O(nonzeros D + HOPS m D + n D^2), then O(n D) a suggestion; three n x D
 * matrices.
 */
#include "models/explain/suggest_features.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/rng.h"
#include "kernels/gemm.h"
#include "models/model_object.h"
#include "models/potentials/feature_matrix.h"

enum { HOPS = 4, WIDEST = 256, NARROWEST = 8, CELLS = 1 << 24 };

typedef struct space {
    int32_t n;
    int D, threads;
    float *Y, *U, *V; /* n x D */
    float *S, *M;     /* D x D: covariance; Y'Y */
    double *row;      /* D */
    float *partial;   /* see kernels/gemm.h */
    double noise;
} space;

static void release(space *x)
{
    kith__free(x->Y);
    kith__free(x->U);
    kith__free(x->V);
    kith__free(x->S);
    kith__free(x->M);
    kith__free(x->row);
    kith__free(x->partial);
}

/* As wide as CELLS allow, and no wider than there are features. */
static int width_of(int32_t n, int32_t columns)
{
    const int wide = n < CELLS / WIDEST ? WIDEST : CELLS / n;
    const int most = wide > NARROWEST ? wide : NARROWEST;

    return columns < most ? columns : most;
}

static kith_status make_room(space *x, kith_error *err)
{
    const int64_t cells = (int64_t)x->n * x->D, square = (int64_t)x->D * x->D;
    kith_status st = KITH_OK;

    TRY_NEW(x->Y, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(x->U, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(x->V, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(x->S, kith__alloc_zeroed(square, sizeof(float)));
    TRY_NEW(x->M, kith__alloc(square, sizeof(float)));
    TRY_NEW(x->row, kith__alloc(x->D, sizeof(double)));
    TRY_NEW(x->partial, kith__alloc(KITH__GEMM_PARTS * square, sizeof(float)));
out:
    return st;
}

static double dot(const float *x, const float *y, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += (double)x[i] * (double)y[i];
    return sum;
}

/* ---- rows ---------------------------------------------------------------- */

/* out += value times the signs of a column, 64 from each hash. */
static void add_signs(int32_t column, float value, int D, float *out)
{
    for (int d = 0; d < D; d += 64) {
        uint64_t bits = kith__mix((uint64_t)column << 16 | (uint64_t)d);

        for (int i = d; i < d + 64 && i < D; i++, bits >>= 1)
            out[i] += bits & 1 ? value : -value;
    }
}

/* Rows of X, as they are or by random signs. */
static void project(const space *x, const kith__csr_matrix *X, float *out)
{
    const bool as_is = X->columns <= x->D;
    const float share = as_is ? 1 : 1 / sqrtf((float)x->D);

#pragma omp parallel for num_threads(x->threads) schedule(dynamic, 256)
    for (int32_t u = 0; u < x->n; u++) {
        float *row = out + (int64_t)u * x->D;

        memset(row, 0, (size_t)x->D * sizeof(*row));
        for (int64_t p = kith__row_begin(X, u); p < kith__row_begin(X, u + 1);
             p++) {
            const float value = X->value[p] * share;

            if (as_is)
                row[kith__column_of(X, p)] += value;
            else
                add_signs(kith__column_of(X, p), value, x->D, row);
        }
    }
}

/* Y = X + h W Y, HOPS times from Y = X, which is in U; V has room. */
static void see_through_graph(space *x, const kith__operator *W, double h)
{
    const kith__operator op = kith__scaled(W, x->D, (float)h);
    const kith__stopping stopping = {.most = HOPS, .tolerance = -1};
    kith_certificate unused;

    memcpy(x->Y, x->U, (size_t)x->n * (size_t)x->D * sizeof(*x->Y));
    (void)kith__iterate(&op, &stopping, x->U, x->Y, x->V, &unused, NULL);
}

/* Rows of length 1, as a regression sees them, less the mean of all rows: it
 * has a bias for that. */
static void centre(space *x)
{
    const int D = x->D;

#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (int64_t u = 0; u < x->n; u++) {
        float *y = x->Y + u * D;
        const double square = dot(y, y, D);

        for (int d = 0; square > 0 && d < D; d++)
            y[d] /= (float)sqrt(square);
    }
    kith__column_sums(x->Y, x->n, NULL, D, x->M, x->partial, x->threads);
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (int64_t u = 0; u < x->n; u++)
        for (int d = 0; d < D; d++)
            x->Y[u * D + d] -= x->M[d] / (float)x->n;
}

static kith_status make_rows(space *x, const kith_solution *s, double h,
                             kith_error *err)
{
    const kith_model *m = s->model;
    const kith_prep prep = m->params.prep; /* rows of length 1 in any case */
    kith__csr_matrix X = {0};
    kith_status st = KITH_OK;
    float *idf = NULL;

    TRY(kith__prepare_features(s->data->features,
                               prep == KITH_PREP_NONE ? KITH_PREP_L2 : prep,
                               m->idf, &X, &idf, err));
    project(x, &X, x->U);
    see_through_graph(x, &s->op, h);
    centre(x);
out:
    kith__csr_matrix_release(&X);
    kith__free(idf);
    return st;
}

/* ---- labels -------------------------------------------------------------- */

/* S with a label of row y. */
static void learn(space *x, const float *y)
{
    const int D = x->D;
    double own = x->noise;

    for (int i = 0; i < D; i++) {
        x->row[i] = 0;
        for (int j = 0; j < D; j++)
            x->row[i] += (double)x->S[i * D + j] * (double)y[j];
        own += x->row[i] * (double)y[i];
    }
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++)
            x->S[i * D + j] -= (float)(x->row[i] * x->row[j] / own);
}

/* M, the noise, S of the labels there are, U and V. */
static void begin(space *x, const kith__task *t)
{
    const int D = x->D;

    kith__gemm_over_rows(x->Y, x->Y, x->n, NULL, D, D, x->M, x->partial,
                         x->threads);
    x->noise = 1e-30;
    for (int i = 0; i < D; i++) {
        x->S[i * D + i] = 1;
        x->noise += (double)x->M[i * D + i] / x->n;
    }
    for (int32_t l = 0; l < t->n_train; l++)
        learn(x, x->Y + (int64_t)t->train[l] * D);
    kith__gemm(x->Y, x->S, x->n, NULL, D, D, false, x->U, x->threads);
    kith__gemm(x->U, x->M, x->n, NULL, D, D, false, x->V, x->threads);
}

static double influence(const space *x, int32_t v)
{
    const int64_t at = (int64_t)v * x->D;

    return fmax(0, dot(x->U + at, x->V + at, x->D)) /
           (dot(x->U + at, x->Y + at, x->D) + x->noise);
}

/* A label at w: every row of U less (u . y_w) / own of row w, V likewise. */
static void take(space *x, int32_t w, float *room)
{
    const int D = x->D;
    const int64_t at = (int64_t)w * D;
    const double own = dot(x->U + at, x->Y + at, D) + x->noise;
    const float *y = x->Y + at;
    float *u_w = room, *v_w = room + D;

    memcpy(u_w, x->U + at, (size_t)D * sizeof(*u_w));
    memcpy(v_w, x->V + at, (size_t)D * sizeof(*v_w));
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (int32_t u = 0; u < x->n; u++) {
        float *left = x->U + (int64_t)u * D, *right = x->V + (int64_t)u * D;
        const float share = (float)(dot(left, y, D) / own);

        for (int d = 0; d < D; d++) {
            left[d] -= share * u_w[d];
            right[d] -= share * v_w[d];
        }
    }
}

/* The open node of the best score; -1 if there is none. */
static int32_t best_of(const space *x, const float *a, const bool *open,
                       float *score)
{
    int32_t best = -1;

#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (int32_t v = 0; v < x->n; v++)
        score[v] = open[v] && a[v] > 0 ? (float)((double)a[v] * influence(x, v))
                                       : -1;
    for (int32_t v = 0; v < x->n; v++)
        if (score[v] >= 0 && (best < 0 || score[v] > score[best]))
            best = v;
    return best;
}

kith_status kith__suggest_by_features(const kith_solution *s, const float *a,
                                      bool *open, double h, int32_t count,
                                      kith_suggestion *out, int32_t *found,
                                      kith_error *err)
{
    const kith__task *t = &s->storage.task;
    space x = {.n = t->n,
               .D = width_of(t->n, s->data->features->columns),
               .threads = t->threads};
    kith_status st = KITH_OK;
    float *score = NULL, *room = NULL;

    TRY(make_room(&x, err));
    TRY_NEW(score, kith__alloc(x.n, sizeof(*score)));
    TRY_NEW(room, kith__alloc(2 * (int64_t)x.D, sizeof(*room)));
    TRY(make_rows(&x, s, h, err));
    begin(&x, t);
    while (*found < count) {
        const int32_t v = best_of(&x, a, open, score);
        double worth;

        if (v < 0)
            break;
        worth = influence(&x, v);
        out[(*found)++] = (kith_suggestion){.node = v,
                                            .score = (double)a[v] * worth,
                                            .uncertainty = (double)a[v],
                                            .influence = worth};
        open[v] = false;
        take(&x, v, room);
        TRY(kith__progress(t->job, "weighing", *found, count, "suggestions",
                           err));
    }
out:
    release(&x);
    kith__free(score);
    kith__free(room);
    return st;
}
