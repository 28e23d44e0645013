#include "models/potentials/feature_matrix.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/job.h"

void kith__csr_matrix_release(kith__csr_matrix *m)
{
    kith__free(m->row);
    kith__free(m->column);
    kith__free(m->value);
    *m = (kith__csr_matrix){0};
}

void kith__feature_matrix_release(kith__feature_matrix *d)
{
    kith__csr_matrix_release(&d->x);
    kith__csr_matrix_release(&d->before);
    kith__free(d->idf);
    kith__free(d->scale);
    kith__free(d->inverse);
    *d = (kith__feature_matrix){0};
}

/* ---- X~ ------------------------------------------------------------------ */

static kith_status copy_features(const kith_features *f, kith__csr_matrix *x,
                                 kith_error *err)
{
    kith_status st = KITH_OK;

    x->n = f->nodes;
    x->columns = f->columns;
    TRY_NEW(x->value, kith__alloc(f->entries, sizeof(float)));
    if (f->row) {
        TRY_NEW(x->row, kith__alloc((int64_t)f->nodes + 1, sizeof(int64_t)));
        TRY_NEW(x->column, kith__alloc(f->entries, sizeof(int32_t)));
        memcpy(x->row, f->row, ((size_t)f->nodes + 1) * sizeof(int64_t));
        memcpy(x->column, f->column, (size_t)f->entries * sizeof(int32_t));
    }
    for (int64_t i = 0; i < f->entries; i++)
        x->value[i] = f->value ? f->value[i] : 1;
out:
    return st;
}

/* idf_j = log((1 + N) / (1 + df_j)), N nodes that have features, df_j of them
 * with an entry in column j. */
static kith_status find_idf(const kith__csr_matrix *x, float **out,
                            kith_error *err)
{
    int64_t *df = kith__alloc_zeroed(x->columns, sizeof(*df)), N = 0;

    *out = kith__alloc(x->columns, sizeof(**out));
    if (!df || !*out) {
        kith__free(df);
        return kith__no_memory(err);
    }
    for (int32_t u = 0; u < x->n; u++) {
        bool any = false;

        for (int64_t p = kith__row_begin(x, u); p < kith__row_begin(x, u + 1);
             p++)
            if (x->value[p] != 0) {
                df[kith__column_of(x, p)]++;
                any = true;
            }
        N += any;
    }
    for (int32_t j = 0; j < x->columns; j++)
        (*out)[j] = (float)log((1.0 + (double)N) / (1.0 + (double)df[j]));
    kith__free(df);
    return KITH_OK;
}

/* Element-wise fourth root: counts and tf-idf values come closer together. */
static void take_roots(kith__csr_matrix *x)
{
    const int64_t entries = kith__row_begin(x, x->n);

    for (int64_t p = 0; p < entries; p++)
        x->value[p] = copysignf(sqrtf(sqrtf(fabsf(x->value[p]))), x->value[p]);
}

static void scale_rows(kith__csr_matrix *x, const float *idf, bool unit)
{
    for (int32_t u = 0; u < x->n; u++) {
        const int64_t from = kith__row_begin(x, u),
                      to = kith__row_begin(x, u + 1);
        double sum = 0;

        for (int64_t p = from; p < to; p++) {
            if (idf)
                x->value[p] *= idf[kith__column_of(x, p)];
            sum += (double)x->value[p] * (double)x->value[p];
        }
        if (unit && sum > 0)
            for (int64_t p = from; p < to; p++)
                x->value[p] = (float)((double)x->value[p] / sqrt(sum));
    }
}

bool kith__features_binary(const kith_features *f)
{
    for (int64_t i = 0; f->value && i < f->entries; i++)
        if (f->value[i] != 0 && f->value[i] != 1)
            return false;
    return true;
}

kith_status kith__prepare_features(const kith_features *f, kith_prep prep,
                                   const float *idf, kith__csr_matrix *out,
                                   float **used, kith_error *err)
{
    kith_status st = KITH_OK;

    *out = (kith__csr_matrix){0};
    *used = NULL;
    TRY(copy_features(f, out, err));
    if (prep == KITH_PREP_TFIDF && idf) {
        TRY_NEW(*used, kith__alloc(f->columns, sizeof(float)));
        memcpy(*used, idf, (size_t)f->columns * sizeof(float));
    } else if (prep == KITH_PREP_TFIDF) {
        TRY(find_idf(out, used, err));
    } else if (prep == KITH_PREP_ROOT) {
        take_roots(out);
    }
    scale_rows(out, *used, prep != KITH_PREP_NONE);
out:
    if (st != KITH_OK) {
        kith__csr_matrix_release(out);
        kith__free(*used);
        *used = NULL;
    }
    return st;
}

/* ---- one row of A^ M ----------------------------------------------------- */

/* A row under construction: a value per column and which ones are in use. */
typedef struct row_sum {
    float *value;
    int32_t *used;
    bool *in_use;
    int32_t n;
} row_sum;

static bool new_row_sum(row_sum *s, int32_t columns)
{
    s->value = kith__alloc_zeroed(columns, sizeof(float));
    s->used = kith__alloc(columns, sizeof(int32_t));
    s->in_use = kith__alloc_zeroed(columns, sizeof(bool));
    s->n = 0;
    return s->value && s->used && s->in_use;
}

static void free_row_sum(row_sum *s)
{
    kith__free(s->value);
    kith__free(s->used);
    kith__free(s->in_use);
}

static void add_row(row_sum *s, const kith__csr_matrix *m, int32_t u, float w)
{
    for (int64_t p = kith__row_begin(m, u); p < kith__row_begin(m, u + 1);
         p++) {
        const int32_t j = kith__column_of(m, p);

        if (!s->in_use[j]) {
            s->in_use[j] = true;
            s->used[s->n++] = j;
        }
        s->value[j] += w * m->value[p];
    }
}

static void clear_row(row_sum *s)
{
    for (int32_t i = 0; i < s->n; i++) {
        s->value[s->used[i]] = 0;
        s->in_use[s->used[i]] = false;
    }
    s->n = 0;
}

static float edge_weight(const kith_graph *g, int64_t p)
{
    return kith_graph_weights(g) ? kith_graph_weights(g)[p] : 1;
}

/* s = row u of A^ m */
static void smooth_row(const kith__feature_matrix *d, const kith__csr_matrix *m,
                       int32_t u, row_sum *s)
{
    const int64_t *rows = kith_graph_rows(d->graph);
    const int32_t *neighbours = kith_graph_neighbours(d->graph);

    add_row(s, m, u, d->scale[u] * d->scale[u]);
    for (int64_t p = rows[u]; p < rows[u + 1]; p++)
        add_row(s, m, neighbours[p],
                edge_weight(d->graph, p) * d->scale[u] *
                    d->scale[neighbours[p]]);
}

/* ---- rows of A^ M, gathered ---------------------------------------------- */

/* Append a finished row to a sparse matrix. */
static bool append_row(kith__csr_matrix *m, int64_t *capacity, int32_t r,
                       const row_sum *s, float factor)
{
    int64_t cap_values = *capacity;
    int64_t at = m->row[r];

    if (!kith__grow((void **)&m->column, capacity, at + s->n,
                    sizeof(*m->column)) ||
        !kith__grow((void **)&m->value, &cap_values, at + s->n,
                    sizeof(*m->value)))
        return false;
    for (int32_t i = 0; i < s->n; i++, at++) {
        m->column[at] = s->used[i];
        m->value[at] = s->value[s->used[i]] * factor;
    }
    m->row[r + 1] = at;
    return true;
}

/* Rows of A^ m for some nodes (NULL: all n), scaled by `factors` if given. */
static kith_status smooth_rows(const kith__feature_matrix *d,
                               const kith__csr_matrix *m, const int32_t *nodes,
                               int32_t n, const float *factors,
                               kith__csr_matrix *out, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t capacity = 0;
    row_sum s = {0};

    *out = (kith__csr_matrix){.n = n, .columns = m->columns};
    TRY_NEW(out->row, kith__alloc_zeroed((int64_t)n + 1, sizeof(*out->row)));
    if (!new_row_sum(&s, m->columns))
        TRY(kith__no_memory(err));
    for (int32_t r = 0; r < n; r++) {
        const int32_t u = nodes ? nodes[r] : r;

        smooth_row(d, m, u, &s);
        if (!append_row(out, &capacity, r, &s, factors ? factors[u] : 1))
            TRY(kith__no_memory(err));
        clear_row(&s);
    }
out:
    free_row_sum(&s);
    if (st != KITH_OK)
        kith__csr_matrix_release(out);
    return st;
}

/* 1 / length of row u of A^ m; 0 if it is empty. */
static float inverse_length(const kith__feature_matrix *d,
                            const kith__csr_matrix *m, int32_t u, row_sum *s)
{
    double sum = 0;

    smooth_row(d, m, u, s);
    for (int32_t i = 0; i < s->n; i++)
        sum += (double)s->value[s->used[i]] * (double)s->value[s->used[i]];
    clear_row(s);
    return sum > 0 ? (float)(1 / sqrt(sum)) : 0;
}

/* Lengths of all rows of A^ m, by all threads.  One without memory must come to
 * the loop too: the others wait for it there. */
static kith_status find_lengths(kith__feature_matrix *d,
                                const kith__csr_matrix *m, kith_error *err)
{
    bool no_memory = false;

#pragma omp parallel num_threads(d->threads)
    {
        row_sum s;
        const bool ready = new_row_sum(&s, m->columns);

        if (!ready) {
#pragma omp atomic write
            no_memory = true;
        }
#pragma omp for schedule(dynamic, 256)
        for (int32_t u = 0; u < m->n; u++)
            d->inverse[u] = ready ? inverse_length(d, m, u, &s) : 0;
        free_row_sum(&s);
    }
    return no_memory ? kith__no_memory(err) : KITH_OK;
}

/* ---- the design ---------------------------------------------------------- */

/* d~_u^-1/2 = (1 + sum_v a_uv)^-1/2 */
static void find_scale(kith__feature_matrix *d)
{
    const int64_t *rows = kith_graph_rows(d->graph);

    for (int32_t u = 0; u < d->x.n; u++) {
        double sum = 1;

        for (int64_t p = rows[u]; p < rows[u + 1]; p++)
            sum += (double)edge_weight(d->graph, p);
        d->scale[u] = (float)(1 / sqrt(sum));
    }
}

static kith_status prepare_smoothing(kith__feature_matrix *d,
                                     const kith_job *job, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__csr_matrix next = {0};
    const kith__csr_matrix *last = &d->x;

    TRY_NEW(d->scale, kith__alloc(d->x.n, sizeof(float)));
    TRY_NEW(d->inverse, kith__alloc(d->x.n, sizeof(float)));
    find_scale(d);
    for (int32_t k = 1; k < d->smooth; k++) {
        TRY(kith__progress(job, "smoothing features", k, d->smooth, "hops",
                           err));
        TRY(smooth_rows(d, last, NULL, d->x.n, NULL, &next, err));
        kith__csr_matrix_release(&d->before);
        d->before = next;
        next = (kith__csr_matrix){0};
        last = &d->before;
    }
    if (d->unit)
        TRY(find_lengths(d, last, err));
    else
        for (int32_t u = 0; u < d->x.n; u++)
            d->inverse[u] = 1;
out:
    kith__csr_matrix_release(&next);
    return st;
}

kith_status kith__feature_matrix_new(const kith_graph *g,
                                     const kith_features *f, kith_prep prep,
                                     int32_t smooth, const float *idf,
                                     const kith_job *job,
                                     kith__feature_matrix *out, kith_error *err)
{
    kith__feature_matrix d = {.graph = g,
                              .threads = kith__threads(job),
                              .smooth = smooth,
                              .unit = prep != KITH_PREP_NONE};
    kith_status st = KITH_OK;

    TRY(kith__prepare_features(f, prep, idf, &d.x, &d.idf, err));
    if (smooth > 0)
        TRY(prepare_smoothing(&d, job, err));
    *out = d;
    d = (kith__feature_matrix){0};
out:
    kith__feature_matrix_release(&d);
    return st;
}

static kith_status plain_rows(const kith__csr_matrix *m, const int32_t *nodes,
                              int32_t n, kith__csr_matrix *out, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t total = 0, at = 0;

    *out = (kith__csr_matrix){.n = n, .columns = m->columns};
    for (int32_t r = 0; r < n; r++)
        total += kith__row_begin(m, nodes[r] + 1) -
                 kith__row_begin(m, nodes[r]);
    TRY_NEW(out->value, kith__alloc(total, sizeof(float)));
    if (m->row) {
        TRY_NEW(out->row, kith__alloc_zeroed((int64_t)n + 1, sizeof(int64_t)));
        TRY_NEW(out->column, kith__alloc(total, sizeof(int32_t)));
    }
    for (int32_t r = 0; r < n; r++) {
        const int64_t from = kith__row_begin(m, nodes[r]);
        const int64_t count = kith__row_begin(m, nodes[r] + 1) - from;

        memcpy(out->value + at, m->value + from, (size_t)count * 4);
        if (m->row)
            memcpy(out->column + at, m->column + from, (size_t)count * 4);
        at += count;
        if (m->row)
            out->row[r + 1] = at;
    }
out:
    if (st != KITH_OK)
        kith__csr_matrix_release(out);
    return st;
}

kith_status kith__feature_matrix_rows(const kith__feature_matrix *d,
                                      const int32_t *nodes, int32_t n,
                                      kith__csr_matrix *out, kith_error *err)
{
    if (d->smooth == 0)
        return plain_rows(&d->x, nodes, n, out, err);
    return smooth_rows(d, d->smooth > 1 ? &d->before : &d->x, nodes, n,
                       d->inverse, out, err);
}

/* Z = X~ B, without the biases. */
static void multiply(const kith__csr_matrix *x, const float *B, int k, float *Z,
                     int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
    for (int32_t u = 0; u < x->n; u++) {
        float *z = Z + (int64_t)u * k;

        memset(z, 0, (size_t)k * sizeof(*z));
        for (int64_t p = kith__row_begin(x, u); p < kith__row_begin(x, u + 1);
             p++) {
            const float *b = B + (int64_t)kith__column_of(x, p) * k;
            const float v = x->value[p];

#pragma omp simd
            for (int c = 0; c < k; c++)
                z[c] += v * b[c];
        }
    }
}

/* to = A^ from, n x k */
static void smooth_dense(const kith__feature_matrix *d, const float *from,
                         int k, float *restrict to)
{
    const int64_t *rows = kith_graph_rows(d->graph);
    const int32_t *neighbours = kith_graph_neighbours(d->graph);

#pragma omp parallel for num_threads(d->threads) schedule(dynamic, 256)
    for (int32_t u = 0; u < d->x.n; u++) {
        const float *own = from + (int64_t)u * k;
        float *t = to + (int64_t)u * k;

        for (int c = 0; c < k; c++)
            t[c] = d->scale[u] * own[c];
        for (int64_t p = rows[u]; p < rows[u + 1]; p++) {
            const float *x = from + (int64_t)neighbours[p] * k;
            const float w = edge_weight(d->graph, p) * d->scale[neighbours[p]];

#pragma omp simd
            for (int c = 0; c < k; c++)
                t[c] += w * x[c];
        }
        for (int c = 0; c < k; c++)
            t[c] *= d->scale[u];
    }
}

kith_status kith__feature_matrix_apply(const kith__feature_matrix *d,
                                       const float *B, int k, float *Z,
                                       kith_error *err)
{
    const int64_t cells = (int64_t)d->x.n * k;
    const float *bias = B + (int64_t)d->x.columns * k;
    kith_status st = KITH_OK;
    float *other = NULL;

    multiply(&d->x, B, k, Z, d->threads);
    if (d->smooth > 0)
        TRY_NEW(other, kith__alloc_big(cells, sizeof(*other)));
    for (int32_t i = 0; i < d->smooth; i++) {
        smooth_dense(d, Z, k, other);
        memcpy(Z, other, (size_t)cells * sizeof(*Z));
    }
    for (int32_t u = 0; u < d->x.n; u++)
        for (int c = 0; c < k; c++)
            Z[(int64_t)u * k + c] = Z[(int64_t)u * k + c] *
                                        (d->smooth > 0 ? d->inverse[u] : 1) +
                                    bias[c];
out:
    kith__free(other);
    return st;
}
