#include "models/potentials/feature_operator.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/rng.h"
#include "kernels/simd.h"

/* ---- features by column -------------------------------------------------- */

void kith__csc_matrix_release(kith__csc_matrix *t)
{
    kith__csr_matrix_release(&t->x);
    kith__free(t->start);
    kith__free(t->row);
    kith__free(t->value);
    *t = (kith__csc_matrix){0};
}

/* Counting sort of the entries by column: rows of a column stay ascending. */
static void turn(const kith__csr_matrix *x, kith__csc_matrix *t)
{
    for (int64_t p = 0; p < x->row[x->n]; p++)
        t->start[x->column[p] + 1]++;
    for (int32_t j = 0; j < x->columns; j++)
        t->start[j + 1] += t->start[j];
    for (int32_t u = 0; u < x->n; u++)
        for (int64_t p = x->row[u]; p < x->row[u + 1]; p++) {
            const int64_t to = t->start[x->column[p]]++;

            t->row[to] = u;
            t->value[to] = x->value[p];
        }
    for (int32_t j = x->columns; j > 0; j--)
        t->start[j] = t->start[j - 1];
    t->start[0] = 0;
}

kith_status kith__csc_matrix_new(kith__csr_matrix *x, kith__csc_matrix *out,
                                 kith_error *err)
{
    kith_status st = KITH_OK;

    *out = (kith__csc_matrix){.x = *x};
    *x = (kith__csr_matrix){0};
    if (!out->x.row)
        return KITH_OK;
    TRY_NEW(out->start, kith__alloc_zeroed((int64_t)out->x.columns + 1,
                                           sizeof(*out->start)));
    TRY_NEW(out->row, kith__alloc(out->x.row[out->x.n], sizeof(*out->row)));
    TRY_NEW(out->value, kith__alloc(out->x.row[out->x.n], sizeof(*out->value)));
    turn(&out->x, out);
out:
    if (st != KITH_OK)
        kith__csc_matrix_release(out);
    return st;
}

/* z = factor x_u B, for one row */
static inline __attribute__((always_inline)) void
times_row(const kith__csr_matrix *x, const float *B, int k, float factor,
          int32_t u, float *restrict z)
{
    const int64_t from = kith__row_begin(x, u), to = kith__row_begin(x, u + 1);

    for (int c = 0; c < k; c++)
        z[c] = 0;
    for (int64_t p = from; p < to; p++)
        kith__add_scaled(z, factor * x->value[p],
                         B + (x->row ? x->column[p] : p - from) * k, k);
}

/* The same for a dense row, with B turned, so that columns lie side by side. */
static inline __attribute__((always_inline)) void
times_dense_row(const float *restrict x, int32_t columns,
                const float *restrict turned, int k, float factor,
                float *restrict z)
{
    for (int c = 0; c < k; c++) {
        const float *b = turned + (int64_t)c * columns;
        float sum = 0;

#pragma omp simd reduction(+ : sum)
        for (int32_t j = 0; j < columns; j++)
            sum += x[j] * b[j];
        z[c] = factor * sum;
    }
}

static void turn_small(const float *B, int32_t columns, int k, float *turned)
{
    for (int32_t j = 0; j < columns; j++)
        for (int c = 0; c < k; c++)
            turned[(int64_t)c * columns + j] = B[(int64_t)j * k + c];
}

/* now = diag(c) X B; `next` is used on the way. */
static void times(const kith__csc_matrix *t, const float *c, const float *B,
                  int k, kith__feature_workspace *room, int threads)
{
    const kith__csr_matrix *x = &t->x;
    const int32_t d = x->columns;
    const bool dense = !x->row && d <= x->n; /* else no room to turn B */
    float *Z = room->now;

    if (dense)
        turn_small(B, d, k, room->next);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
    for (int32_t u = 0; u < x->n; u++) {
        const float w = c ? c[u] : 1;

#define ROW(K) times_row(x, B, K, w, u, Z + (int64_t)u * (K))
#define DENSE(K)                                                    \
    times_dense_row(x->value + (int64_t)u * d, d, room->next, K, w, \
                    Z + (int64_t)u * (K))
        if (dense)
            KITH__WITH_CONSTANT(k, DENSE);
        else
            KITH__WITH_CONSTANT(k, ROW);
#undef ROW
#undef DENSE
    }
}

void kith__feature_block_times(const kith__feature_block *b, const float *B,
                               int k, kith__feature_workspace *room,
                               int threads)
{
    times(b->x, b->c, B, k, room, threads);
}

/* Columns of a dense matrix that share cache lines, summed together. */
enum { BESIDE = 16 };

/* g = x_j'E, for one column of a sparse matrix */
static inline __attribute__((always_inline)) void
times_column(const kith__csc_matrix *t, const float *E, int k, int32_t j,
             float *restrict g)
{
    for (int c = 0; c < k; c++)
        g[c] = 0;
    for (int64_t p = t->start[j]; p < t->start[j + 1]; p++)
        kith__add_scaled(g, t->value[p], E + (int64_t)t->row[p] * k, k);
}

/* The same for up to BESIDE columns of a dense one, in `sums` beside each other
 * for each of up to KITH__FEW columns of E. */
static inline __attribute__((always_inline)) void
times_columns(const kith__csr_matrix *x, const float *E, int k, int32_t first,
              float *restrict G)
{
    const int32_t some = x->columns - first < BESIDE ? x->columns - first
                                                     : BESIDE;
    float sums[KITH__FEW][BESIDE] = {{0}};

    for (int64_t u = 0; u < x->n; u++) {
        const float *row = x->value + u * x->columns + first;

        for (int c = 0; c < k; c++) {
            const float e = E[u * k + c];

            if (some == BESIDE)
                kith__add_scaled(sums[c], e, row, BESIDE);
            else
                kith__add_scaled(sums[c], e, row, some);
        }
    }
    for (int32_t j = 0; j < some; j++)
        for (int c = 0; c < k; c++)
            G[(int64_t)j * k + c] = sums[c][j];
}

/* The same for one column of a dense one and more of E. */
static void times_dense_column(const kith__csr_matrix *x, const float *E, int k,
                               int32_t j, float *restrict g)
{
    for (int c = 0; c < k; c++)
        g[c] = 0;
    for (int64_t u = 0; u < x->n; u++)
        kith__add_scaled(g, x->value[u * x->columns + j], E + u * k, k);
}

/* G = X'E: a thread sums whole columns, over rows in order. */
static void times_turned(const kith__csc_matrix *t, const float *E, int k,
                         float *G, int threads)
{
    const kith__csr_matrix *x = &t->x;
    const int32_t at_once = x->row || k > KITH__FEW ? 1 : BESIDE;

#pragma omp parallel for num_threads(threads) schedule(dynamic, 16 / at_once)
    for (int32_t j = 0; j < x->columns; j += at_once) {
#define COLUMN(K)  times_column(t, E, K, j, G + (int64_t)j * (K))
#define COLUMNS(K) times_columns(x, E, K, j, G + (int64_t)j * (K))
        if (x->row)
            KITH__WITH_CONSTANT(k, COLUMN);
        else if (k > KITH__FEW)
            times_dense_column(x, E, k, j, G + (int64_t)j * k);
        else
            KITH__WITH_CONSTANT(k, COLUMNS);
#undef COLUMN
#undef COLUMNS
    }
}

/* ---- F and F' ------------------------------------------------------------ */

void kith__feature_operator_release(kith__feature_operator *m)
{
    for (int b = 0; b < m->blocks; b++) {
        kith__free(m->block[b].r);
        kith__free(m->block[b].c);
        kith__free(m->block[b].q);
        kith__free(m->block[b].mu);
        kith__csc_matrix_release(&m->block[b].formed);
    }
    *m = (kith__feature_operator){0};
}

kith_status kith__feature_workspace_new(const kith__feature_operator *m, int k,
                                        kith__feature_workspace *out,
                                        kith_error *err)
{
    const int64_t cells = (int64_t)m->n * k;
    kith_status st = KITH_OK;

    *out = (kith__feature_workspace){0};
    TRY_NEW(out->now, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(out->next, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(out->start, kith__alloc_big(cells, sizeof(float)));
out:
    if (st != KITH_OK)
        kith__feature_workspace_release(out);
    return st;
}

void kith__feature_workspace_release(kith__feature_workspace *r)
{
    kith__free(r->now);
    kith__free(r->next);
    kith__free(r->start);
    *r = (kith__feature_workspace){0};
}

/* next = (1 - a) O now + a start, and now is next. */
static void hop(const kith__feature_block *b, int k,
                kith__feature_workspace *room, int threads)
{
    kith__smoother O = {.W = *b->O, .own = b->diagonal};
    float *done = room->now;

    O.W.threads = threads;
    kith__smooth(&O, 1 - b->a, room->now, b->a, b->a > 0 ? room->start : NULL,
                 k, NULL, room->next);
    room->now = room->next;
    room->next = done;
}

void kith__feature_block_smooth(const kith__feature_block *b, int32_t n, int k,
                                kith__feature_workspace *room, int threads)
{
    if (b->hops > 0 && b->a > 0)
        memcpy(room->start, room->now, (size_t)n * (size_t)k * sizeof(float));
    for (int h = 0; h < b->hops; h++)
        hop(b, k, room, threads);
}

/* m = mu'B, k numbers. */
static void mean_of(const kith__feature_block *b, const float *B, int k,
                    float *m)
{
    for (int c = 0; c < k; c++) {
        double sum = 0;

        for (int32_t j = 0; b->mu && j < b->x->x.columns; j++)
            sum += (double)b->mu[j] * (double)B[(int64_t)j * k + c];
        m[c] = (float)sum;
    }
}

static bool is_formed(const kith__feature_block *b)
{
    return b->formed.x.value != NULL;
}

void kith__feature_apply(const kith__feature_operator *m, const float *B, int k,
                         kith__feature_workspace *room, float *Z)
{
    const float *bias = B + m->columns * k;

#pragma omp parallel for num_threads(m->threads) schedule(static)
    for (int32_t u = 0; u < m->n; u++)
        memcpy(Z + (int64_t)u * k, bias, (size_t)k * sizeof(*Z));
    for (int i = 0; i < m->blocks; i++) {
        const kith__feature_block *b = &m->block[i];
        float mean[KITH__CLASSES_MOST];

        if (is_formed(b)) {
            times(&b->formed, NULL, B, k, room, m->threads);
        } else {
            kith__feature_block_times(b, B, k, room, m->threads);
            kith__feature_block_smooth(b, m->n, k, room, m->threads);
        }
        mean_of(b, B, k, mean);
#pragma omp parallel for num_threads(m->threads) schedule(static)
        for (int32_t u = 0; u < m->n; u++) {
            const float r = b->r ? b->r[u] : 1, q = b->q ? b->q[u] : 1;
            const float *y = room->now + (int64_t)u * k;
            float *z = Z + (int64_t)u * k;

            for (int c = 0; c < k; c++)
                z[c] += r * y[c] - (b->mu ? q * mean[c] : 0);
        }
        B += (int64_t)b->x->x.columns * k;
    }
}

/* out_c = sum_u f_u e_uc, by blocks of rows in order. */
static void column_sums(const float *E, const float *f, int32_t n, int k,
                        float *out)
{
    double sum[KITH__CLASSES_MOST];

    memset(sum, 0, (size_t)k * sizeof(*sum));
    for (int32_t u = 0; u < n; u++) {
        const double w = f ? (double)f[u] : 1;

        for (int c = 0; c < k; c++)
            sum[c] += w * (double)E[(int64_t)u * k + c];
    }
    for (int c = 0; c < k; c++)
        out[c] = (float)sum[c];
}

/* now = diag(f) E */
static void scale_rows(const float *E, const float *f, int32_t n, int k,
                       float *now, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t u = 0; u < n; u++) {
        const float w = f ? f[u] : 1;

        for (int64_t i = (int64_t)u * k; i < (int64_t)(u + 1) * k; i++)
            now[i] = w * E[i];
    }
}

void kith__feature_transpose(const kith__feature_operator *m, const float *E,
                             int k, kith__feature_workspace *room, float *G)
{
    column_sums(E, NULL, m->n, k, G + m->columns * k);
    for (int i = 0; i < m->blocks; i++) {
        const kith__feature_block *b = &m->block[i];
        const int32_t columns = b->x->x.columns;
        float sum[KITH__CLASSES_MOST];

        scale_rows(E, b->r, m->n, k, room->now, m->threads);
        if (!is_formed(b))
            kith__feature_block_smooth(b, m->n, k, room, m->threads);
        if (!is_formed(b) && b->c)
            scale_rows(room->now, b->c, m->n, k, room->now, m->threads);
        times_turned(is_formed(b) ? &b->formed : b->x, room->now, k, G,
                     m->threads);
        if (b->mu) {
            column_sums(E, b->q, m->n, k, sum);
            for (int32_t j = 0; j < columns; j++)
                kith__add_scaled(G + (int64_t)j * k, -b->mu[j], sum, k);
        }
        G += (int64_t)columns * k;
    }
}

/* ---- lengths of rows ----------------------------------------------------- */

/* Columns of F looked at together, and how many random ones stand for all
 * where looking at all would take too long. */
enum { AT_ONCE = 64, SKETCH = 256, MOST_AT_ONCE = 8 };
static const double ALL_COLUMNS_COST = 4e9; /* multiplications */

_Static_assert(SKETCH == 16 * 16, "random signs are 1/16");

/* The columns from, from + 1, ... of the unit matrix, or random signs. */
static void choose_columns(bool all, int64_t from, int64_t columns,
                           kith__rng *random, float *B)
{
    memset(B, 0, (size_t)(columns + 1) * AT_ONCE * sizeof(*B));
    for (int64_t c = 0; all && c < AT_ONCE && from + c < columns; c++)
        B[(from + c) * AT_ONCE + c] = 1;
    for (int64_t i = 0; !all && i < columns * AT_ONCE; i++)
        B[i] = kith__rng_next(random) >> 63 ? 1.0f / 16 : -1.0f / 16;
}

static void add_squares(const float *Z, const float *r, int32_t n, int threads,
                        double *square)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t u = 0; u < n; u++) {
        const double w = r ? (double)r[u] * (double)r[u] : 1;
        double sum = 0;

        for (int64_t i = (int64_t)u * AT_ONCE; i < (int64_t)(u + 1) * AT_ONCE;
             i++)
            sum += (double)Z[i] * (double)Z[i];
        square[u] += w * sum;
    }
}

/* What poly(O) = sum_h w_h O^h has at h. */
static float weight_of_hop(float a, int h, int hops)
{
    const double left = pow(1 - (double)a, h);

    return (float)(h < hops ? (double)a * left : left);
}

/* For each a: the squares of poly(O) now, which all share O^h now. */
static void add_all_squares(const kith__feature_block *b, const float *a,
                            int many, kith__feature_workspace *room,
                            float *const *sums, int threads, int32_t n,
                            double *const *square)
{
    const int64_t cells = (int64_t)n * AT_ONCE;

    for (int h = 0; h <= b->hops; h++) {
        for (int i = 0; i < many; i++) {
            const float w = weight_of_hop(a[i], h, b->hops);
            float *sum = sums[i];

#pragma omp parallel for num_threads(threads) schedule(static)
            for (int64_t p = 0; p < cells; p++)
                sum[p] = (h ? sum[p] : 0) + w * room->now[p];
        }
        if (h < b->hops)
            hop(b, AT_ONCE, room, threads);
    }
    for (int i = 0; i < many; i++)
        add_squares(sums[i], b->r, n, threads, square[i]);
}

/*
 * Squared lengths of the rows of diag(r) poly(O) diag(c) X for several a:
 * exactly, column by column; or on a large graph by |f|^2 ~ |f R|^2 / SKETCH,
 * R random signs, within about 9%.
 */
static kith_status squared_lengths(const kith__feature_block *b, int32_t n,
                                   const float *a, int many, int threads,
                                   double *const *square, kith_error *err)
{
    const int64_t columns = b->x->x.columns;
    const double edges = b->O ? (double)b->O->rows[n] : 0;
    const bool all = columns <= SKETCH ||
                     (edges * b->hops + n) * (double)columns <=
                         ALL_COLUMNS_COST;
    const kith__feature_operator shape = {.n = n, .columns = columns};
    kith__feature_block power =
        *b; /* O^hops: the sums over hops are made here */
    kith__rng random = kith__rng_start(1, 0);
    float *sums[MOST_AT_ONCE] = {0}, *B = NULL;
    kith_status st = KITH_OK;
    kith__feature_workspace room = {0};

    power.a = 0;
    TRY(kith__feature_workspace_new(&shape, AT_ONCE, &room, err));
    TRY_NEW(B, kith__alloc((columns + 1) * AT_ONCE, sizeof(*B)));
    for (int i = 0; i < many; i++) {
        TRY_NEW(sums[i], kith__alloc_big((int64_t)n * AT_ONCE, sizeof(float)));
        memset(square[i], 0, (size_t)n * sizeof(double));
    }
    for (int64_t from = 0; from < (all ? columns : SKETCH); from += AT_ONCE) {
        choose_columns(all, from, columns, &random, B);
        kith__feature_block_times(b, B, AT_ONCE, &room, threads);
        add_all_squares(&power, a, many, &room, sums, threads, n, square);
    }
out:
    for (int i = 0; i < many; i++)
        kith__free(sums[i]);
    kith__free(B);
    kith__feature_workspace_release(&room);
    return st;
}

/* ---- features as seen, formed -------------------------------------------- */

static const double MOST_FORMED = 25e6; /* numbers */

static bool forming_pays(const kith__feature_block *b, int32_t n, int many)
{
    const kith__csr_matrix *x = &b->x->x;
    const double cells = (double)n * x->columns;

    return b->hops > 0 && many * cells <= MOST_FORMED &&
           cells <= 2 * ((double)kith__row_begin(x, n) +
                         b->hops * (double)b->O->rows[n]);
}

/* Columns from, from + 1, ... of to += w now */
static void add_columns(const float *now, float w, int32_t from, int threads,
                        kith__csr_matrix *to)
{
    const int32_t columns = to->columns;
    const int32_t some = columns - from < AT_ONCE ? columns - from : AT_ONCE;

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t u = 0; u < to->n; u++)
        kith__add_scaled(to->value + (int64_t)u * columns + from, w,
                         now + (int64_t)u * AT_ONCE, some);
}

/* poly(O) diag(c) X for several a, some columns at a time; all share O^h X.
 * Zeroed on entry. */
static kith_status form_each(const kith__feature_block *b, int32_t n,
                             const float *a, int many, int threads,
                             kith__csc_matrix *out, kith_error *err)
{
    const int32_t columns = b->x->x.columns;
    const kith__feature_operator shape = {.n = n, .columns = columns};
    kith__feature_block power = *b;
    kith__rng unused = kith__rng_start(0, 0);
    kith_status st = KITH_OK;
    kith__feature_workspace room = {0};
    float *B = NULL;

    power.a = 0;
    TRY(kith__feature_workspace_new(&shape, AT_ONCE, &room, err));
    TRY_NEW(B, kith__alloc(((int64_t)columns + 1) * AT_ONCE, sizeof(*B)));
    for (int i = 0; i < many; i++) {
        out[i].x = (kith__csr_matrix){.n = n, .columns = columns};
        TRY_NEW(out[i].x.value,
                kith__alloc_zeroed((int64_t)n * columns, sizeof(float)));
    }
    for (int32_t from = 0; from < columns; from += AT_ONCE) {
        choose_columns(true, from, columns, &unused, B);
        kith__feature_block_times(b, B, AT_ONCE, &room, threads);
        for (int h = 0; h <= b->hops; h++) {
            for (int i = 0; i < many; i++)
                add_columns(room.now, weight_of_hop(a[i], h, b->hops), from,
                            threads, &out[i].x);
            if (h < b->hops)
                hop(&power, AT_ONCE, &room, threads);
        }
    }
out:
    kith__free(B);
    kith__feature_workspace_release(&room);
    return st;
}

/* Squared lengths of the rows of diag(r) X. */
static void squares_of(const kith__csr_matrix *x, const float *r,
                       double *square)
{
    for (int32_t u = 0; u < x->n; u++) {
        const float *row = x->value + (int64_t)u * x->columns;
        double sum = 0;

        for (int32_t j = 0; j < x->columns; j++)
            sum += (double)row[j] * (double)row[j];
        square[u] = r ? sum * (double)r[u] * (double)r[u] : sum;
    }
}

/* The lengths of rows as seen for several a, and what is seen if it pays to
 * form it: `formed` is zeroed on entry. */
static kith_status look(const kith__feature_block *b, int32_t n, const float *a,
                        int many, int threads, double *const *square,
                        kith__csc_matrix *formed, kith_error *err)
{
    kith_status st = KITH_OK;

    if (!forming_pays(b, n, many))
        return squared_lengths(b, n, a, many, threads, square, err);
    TRY(form_each(b, n, a, many, threads, formed, err));
    for (int i = 0; i < many; i++)
        squares_of(&formed[i].x, b->r, square[i]);
out:
    return st;
}

/* ---- blocks -------------------------------------------------------------- */

static void append(kith__feature_operator *m, const kith__feature_block *b)
{
    m->block[m->blocks++] = *b;
    m->columns += b->x->x.columns;
}

/* mu = mean row of diag(r) poly(O) X; then q_u = 1 / length of what is left,
 * r_u *= q_u.  |f - mu|^2 = |f|^2 - 2 f.mu + |mu|^2, and |f| is 1 or 0. */
static kith_status centre(kith__feature_operator *one, kith_error *err)
{
    kith__feature_block *b = &one->block[0];
    const int64_t n = one->n, d = one->columns;
    kith_status st = KITH_OK;
    kith__feature_workspace room = {0};
    float *z = NULL, *mu = NULL;
    double square = 0;

    TRY(kith__feature_workspace_new(one, 1, &room, err));
    TRY_NEW(z, kith__alloc(n, sizeof(*z)));
    TRY_NEW(mu, kith__alloc(d + 1, sizeof(*mu)));
    TRY_NEW(b->q, kith__alloc(n, sizeof(*b->q)));
    for (int64_t u = 0; u < n; u++)
        z[u] = 1 / (float)n;
    kith__feature_transpose(one, z, 1, &room, mu);
    mu[d] = 0;
    for (int64_t j = 0; j < d; j++)
        square += (double)mu[j] * (double)mu[j];
    kith__feature_apply(one, mu, 1, &room, z);
    for (int64_t u = 0; u < n; u++) {
        const double own = b->r[u] > 0 ? 1 : 0;
        const double left = own - 2 * (double)z[u] + square;

        b->q[u] = left > 1e-12 ? (float)(1 / sqrt(left)) : 0;
        b->r[u] *= b->q[u];
    }
    b->mu = mu;
    mu = NULL;
out:
    kith__free(mu);
    kith__free(z);
    kith__feature_workspace_release(&room);
    return st;
}

kith_status kith__feature_smooth_each(const kith__csc_matrix *x,
                                      const kith__smoother *s, int hops,
                                      const float *a, int many, int threads,
                                      kith__feature_operator *out,
                                      kith_error *err)
{
    const int32_t n = x->x.n;
    kith__feature_block block = {
        .x = x, .O = &s->W, .diagonal = s->own, .hops = hops};
    kith__csc_matrix formed[MOST_AT_ONCE] = {0};
    double *square[MOST_AT_ONCE] = {0};
    kith_status st = KITH_OK;

    for (int i = 0; i < many; i++)
        TRY_NEW(square[i], kith__alloc(n, sizeof(double)));
    TRY(look(&block, n, a, many, threads, square, formed, err));
    for (int i = 0; i < many; i++) {
        out[i] = (kith__feature_operator){.n = n, .threads = threads};
        block.a = a[i];
        append(&out[i], &block);
        out[i].block[0].formed = formed[i];
        formed[i] = (kith__csc_matrix){0};
        TRY_NEW(out[i].block[0].r, kith__alloc(n, sizeof(float)));
        for (int32_t u = 0; u < n; u++)
            out[i].block[0].r[u] = square[i][u] > 0
                                       ? (float)(1 / sqrt(square[i][u]))
                                       : 0;
        TRY(centre(&out[i], err));
    }
out:
    for (int i = 0; i < many; i++) {
        kith__free(square[i]);
        kith__csc_matrix_release(&formed[i]);
    }
    return st;
}

/* One factor for all rows, in r. */
static void scale_block(kith__feature_operator *one, const double *square)
{
    kith__feature_block *b = &one->block[0];
    double sum = 0;

    for (int32_t u = 0; u < one->n; u++)
        sum += square[u];
    for (int32_t u = 0; u < one->n; u++)
        b->r[u] *= sum > 0 ? (float)sqrt(one->n / sum) : 0;
}

kith_status kith__feature_add_means(kith__feature_operator *m,
                                    const kith__csc_matrix *x,
                                    const kith__operator *S, const float *root,
                                    int hops, kith_error *err)
{
    kith__feature_operator one = {.n = m->n, .threads = m->threads};
    const kith__feature_block block = {
        .x = x, .O = hops > 0 ? S : NULL, .hops = hops};
    const float nothing = 0; /* a: of a power the last term alone is left */
    kith_status st = KITH_OK;
    double *square = NULL;
    kith__feature_block *b = &one.block[0];

    append(&one, &block);
    TRY_NEW(square, kith__alloc(m->n, sizeof(*square)));
    TRY_NEW(b->r, kith__alloc(m->n, sizeof(float)));
    if (hops > 0)
        TRY_NEW(b->c, kith__alloc(m->n, sizeof(float)));
    for (int32_t u = 0; u < m->n; u++) {
        b->r[u] = hops == 0 ? 1 : root[u] > 0 ? 1 / root[u] : 0;
        if (hops > 0)
            b->c[u] = root[u];
    }
    TRY(look(b, m->n, &nothing, 1, m->threads, &square, &b->formed, err));
    scale_block(&one, square);
    append(m, b);
    one.blocks = 0;
out:
    kith__free(square);
    kith__feature_operator_release(&one);
    return st;
}
