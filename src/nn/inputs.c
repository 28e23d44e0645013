#include "nn/inputs.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/job.h"
#include "kernels/gemm.h"
#include "kernels/simd.h"

enum { BLOCK = 64 };

void kith__inputs_release(kith__inputs *x)
{
    kith__free(x->scale);
    kith__free(x->begin);
    kith__free(x->row);
    kith__free(x->value);
    kith__free(x->scratch);
    kith__free(x->partial);
    kith__free((float *)x->standard.value);
    *x = (kith__inputs){0};
}

static float entry(const kith_features *f, int64_t p)
{
    return f->value ? f->value[p] : 1;
}

/* The entries of row u are from row_at(f, u) to row_at(f, u + 1). */
static int64_t row_at(const kith_features *f, int32_t u)
{
    return f->row ? f->row[u] : (int64_t)u * f->columns;
}

static void find_scale(kith__inputs *x)
{
    const kith_features *f = x->features;

#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (int32_t u = 0; u < x->n; u++) {
        double sum = 0;

        for (int64_t p = row_at(f, u); p < row_at(f, u + 1); p++)
            sum += fabs((double)entry(f, p));
        x->scale[u] = f == &x->standard ? 1 : sum > 0 ? (float)(1 / sum) : 0;
    }
}

double kith__inputs_length(const kith__inputs *x)
{
    const kith_features *f = x->features;
    double sum = 0;
    int32_t rows = 0;

    for (int32_t u = 0; f && u < x->n; u++) {
        double squares = 0;

        if (x->scale[u] == 0)
            continue;
        for (int64_t p = row_at(f, u); p < row_at(f, u + 1); p++)
            squares += pow((double)entry(f, p) * (double)x->scale[u], 2);
        sum += sqrt(squares);
        rows++;
    }
    return rows > 0 ? sum / rows : 1;
}

/* Entries by columns, rows ascending in each: a counting sort. */
static kith_status turn(kith__inputs *x, kith_error *err)
{
    const kith_features *f = x->features;
    kith_status st = KITH_OK;

    TRY_NEW(x->begin,
            kith__alloc_zeroed((int64_t)f->columns + 2, sizeof(*x->begin)));
    TRY_NEW(x->row, kith__alloc(f->entries, sizeof(*x->row)));
    TRY_NEW(x->value, kith__alloc(f->entries, sizeof(*x->value)));
    for (int64_t p = 0; p < f->entries; p++)
        x->begin[f->column[p] + 2]++;
    for (int32_t c = 0; c < f->columns; c++)
        x->begin[c + 2] += x->begin[c + 1];
    for (int32_t u = 0; u < x->n; u++)
        for (int64_t p = f->row[u]; p < f->row[u + 1]; p++) {
            const int64_t to = x->begin[f->column[p] + 1]++;

            x->row[to] = u;
            x->value[to] = entry(f, p) * x->scale[u];
        }
out:
    return st;
}

/* Is an entry in eight there? */
static bool is_dense(const kith_features *f)
{
    return !f->row ||
           (f->columns > 0 && f->entries / f->columns >= f->nodes / 8);
}

/* The features with every column's mean 0 and variance 1 (or all 0). */
static kith_status standardise(kith__inputs *x, kith_error *err)
{
    const kith_features *f = x->features;
    const int64_t columns = f->columns;
    kith_status st = KITH_OK;
    float *value = NULL;
    double *sums = NULL;

    TRY_NEW(sums, kith__alloc_zeroed(2 * columns, sizeof(*sums)));
    TRY_NEW(value, kith__alloc_zeroed(x->n * columns, sizeof(*value)));
    for (int32_t u = 0; u < x->n; u++)
        for (int64_t p = row_at(f, u); p < row_at(f, u + 1); p++)
            value[u * columns + (f->row ? f->column[p] : p - u * columns)] =
                entry(f, p);
    for (int64_t i = 0; i < x->n * columns; i++)
        sums[i % columns] += (double)value[i] / x->n;
    for (int64_t i = 0; i < x->n * columns; i++) {
        const double apart = (double)value[i] - sums[i % columns];

        sums[columns + i % columns] += apart * apart / x->n;
    }
    for (int64_t i = 0; i < x->n * columns; i++) {
        const double variance = sums[columns + i % columns];

        value[i] = variance > 0
                       ? (float)(((double)value[i] - sums[i % columns]) /
                                 sqrt(variance))
                       : 0;
    }
    x->standard = (kith_features){.nodes = x->n,
                                  .columns = f->columns,
                                  .entries = x->n * columns,
                                  .value = value};
    x->features = &x->standard;
    value = NULL;
out:
    kith__free(sums);
    kith__free(value);
    return st;
}

kith_status kith__inputs_new(const kith_features *features, bool standard,
                             int32_t n, int threads, int most,
                             kith__inputs *out, kith_error *err)
{
    kith_status st = KITH_OK;

    *out = (kith__inputs){.features = features,
                          .n = n,
                          .columns = features ? features->columns : n,
                          .threads = threads,
                          .most = most};
    if (!features)
        return KITH_OK;
    TRY_NEW(out->scale, kith__alloc(n, sizeof(float)));
    if (standard && is_dense(features))
        TRY(standardise(out, err));
    find_scale(out);
    features = out->features;
    if (features->row && most > 0)
        TRY(turn(out, err));
    if (!features->row)
        TRY_NEW(out->scratch,
                kith__alloc((int64_t)threads * BLOCK *
                                ((int64_t)features->columns + most),
                            sizeof(float)));
    if (!features->row && most > 0)
        TRY_NEW(out->partial, kith__alloc((int64_t)KITH__GEMM_PARTS * most *
                                              features->columns,
                                          sizeof(float)));
out:
    if (st != KITH_OK)
        kith__inputs_release(out);
    return st;
}

/* The identity, forward and backward: rows are kept or dropped whole. */
static void keep_rows(const float *from, int32_t n, int k,
                      const kith__dropout *d, const kith__row_set *near,
                      float *restrict to, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < kith__row_count(near, n); i++) {
        const int64_t u = kith__nth_row(near, i);
        const float a = kith__dropped(d, (uint64_t)u) ? 0 : d->scale;

        for (int64_t c = u * k; c < (u + 1) * k; c++)
            to[c] = a * from[c];
    }
}

/* Rows of drop(X), dense: of those near, [first, first + rows). */
static void drop_block(const kith__inputs *x, const kith__row_set *near,
                       int64_t first, int64_t rows, const kith__dropout *d,
                       float *restrict out)
{
    const int64_t columns = x->columns;

    for (int64_t i = 0; i < rows; i++) {
        const int64_t u = kith__nth_row(near, first + i);
        const float a = x->scale[u] * d->scale;
        const float *value = x->features->value + u * columns;

        for (int64_t c = 0; c < columns; c++)
            out[i * columns + c] =
                d->below && kith__dropped(d, (uint64_t)(u * columns + c))
                    ? 0
                    : a * value[c];
    }
}

static int64_t block_size(int64_t left)
{
    return left < BLOCK ? left : BLOCK;
}

/* A thread's room: a block of rows of X, and one of rows of Y. */
static float *scratch_of(const kith__inputs *x)
{
    return x->scratch +
           (int64_t)kith__thread_number() * BLOCK * (x->columns + x->most);
}

static void dense_forward(const kith__inputs *x, const float *W, int k,
                          const kith__dropout *d, const kith__row_set *near,
                          float *restrict Y)
{
    const int64_t count = kith__row_count(near, x->n);

#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (int64_t first = 0; first < count; first += BLOCK) {
        const int64_t rows = block_size(count - first);
        float *in = scratch_of(x);
        float *out = near ? in + BLOCK * (int64_t)x->columns : Y + first * k;

        drop_block(x, near, first, rows, d, in);
        kith__gemm_block(false, false, rows, k, x->columns, in, x->columns, W,
                         k, false, out, k);
        for (int64_t i = 0; near && i < rows; i++)
            memcpy(Y + (int64_t)near->node[first + i] * k, out + i * k,
                   (size_t)k * sizeof(*Y));
    }
}

static void dense_backward(const kith__inputs *x, const float *dY, int k,
                           const kith__dropout *d, const kith__row_set *near,
                           float *restrict dW)
{
    const int64_t cells = (int64_t)x->columns * k;
    const int64_t count = kith__row_count(near, x->n);

#pragma omp parallel for num_threads(x->threads) schedule(dynamic, 1)
    for (int p = 0; p < KITH__GEMM_PARTS; p++) {
        const int64_t to = kith__part_begin(count, p + 1);
        float *in = scratch_of(x), *out = in + BLOCK * (int64_t)x->columns;

        memset(x->partial + p * cells, 0, (size_t)cells * sizeof(float));
        for (int64_t u = kith__part_begin(count, p); u < to; u += BLOCK) {
            const int64_t rows = block_size(to - u);

            drop_block(x, near, u, rows, d, in);
            for (int64_t i = 0; near && i < rows; i++)
                memcpy(out + i * k, dY + (int64_t)near->node[u + i] * k,
                       (size_t)k * sizeof(*out));
            kith__gemm_block(true, false, x->columns, k, rows, in, x->columns,
                             near ? out : dY + u * k, k, true,
                             x->partial + p * cells, k);
        }
    }
    kith__add_parts(x->partial, cells, dW, x->threads);
}

static void sparse_forward(const kith__inputs *x, const float *W, int k,
                           const kith__dropout *d, const kith__row_set *near,
                           float *restrict Y)
{
    const kith_features *f = x->features;

#pragma omp parallel for num_threads(x->threads) schedule(dynamic, 256)
    for (int64_t i = 0; i < kith__row_count(near, x->n); i++) {
        const int64_t u = kith__nth_row(near, i);
        const uint64_t at = (uint64_t)u * (uint64_t)x->columns;
        const float a = x->scale[u] * d->scale;
        float *y = Y + u * k;

        memset(y, 0, (size_t)k * sizeof(*y));
        for (int64_t p = f->row[u]; p < f->row[u + 1]; p++)
            if (!d->below || !kith__dropped(d, at + (uint64_t)f->column[p]))
                kith__add_scaled(y, a * entry(f, p),
                                 W + (int64_t)f->column[p] * k, k);
    }
}

static void sparse_backward(const kith__inputs *x, const float *dY, int k,
                            const kith__dropout *d, const kith__row_set *near,
                            float *restrict dW)
{
#pragma omp parallel for num_threads(x->threads) schedule(dynamic, 8)
    for (int32_t c = 0; c < x->columns; c++) {
        float *w = dW + (int64_t)c * k;

        memset(w, 0, (size_t)k * sizeof(*w));
        for (int64_t p = x->begin[c]; p < x->begin[c + 1]; p++) {
            const uint64_t at = (uint64_t)x->row[p] * (uint64_t)x->columns;

            if (!kith__has_row(near, x->row[p]))
                continue;
            if (!d->below || !kith__dropped(d, at + (uint64_t)c))
                kith__add_scaled(w, d->scale * x->value[p],
                                 dY + (int64_t)x->row[p] * k, k);
        }
    }
}

void kith__inputs_forward(const kith__inputs *x, const float *W, int k,
                          const kith__dropout *d, const kith__row_set *near,
                          float *restrict Y)
{
    if (!x->features)
        keep_rows(W, x->n, k, d, near, Y, x->threads);
    else if (x->features->row)
        sparse_forward(x, W, k, d, near, Y);
    else
        dense_forward(x, W, k, d, x->most > 0 ? near : NULL, Y);
}

void kith__inputs_backward(const kith__inputs *x, const float *dY, int k,
                           const kith__dropout *d, const kith__row_set *near,
                           float *restrict dW)
{
    if (!x->features && near)
        memset(dW, 0, (size_t)x->n * (size_t)k * sizeof(*dW));
    if (!x->features)
        keep_rows(dY, x->n, k, d, near, dW, x->threads);
    else if (x->features->row)
        sparse_backward(x, dY, k, d, near, dW);
    else
        dense_backward(x, dY, k, d, near, dW);
}
