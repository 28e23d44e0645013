#include "models/potentials/feature_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "models/potentials/spectral_embedding.h"

enum { BINS = 16, DEGREE_BINS = 8, FEW_COLUMNS = 64 };

/* ---- bins ---------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return x < y ? -1 : x > y;
}

/* Bin of each of n values: how many of the quantiles 1/bins, 2/bins, ... lie
 * below it.  Equal values share a bin. */
static bool find_bins(const float *x, int32_t n, int bins, int32_t *bin)
{
    float *sorted = kith__alloc(n, sizeof(*sorted));

    if (!sorted)
        return false;
    memcpy(sorted, x, (size_t)n * sizeof(*x));
    qsort(sorted, (size_t)n, sizeof(*sorted), by_value);
    for (int32_t u = 0; u < n; u++) {
        bin[u] = 0;
        for (int b = 1; b < bins; b++)
            bin[u] += sorted[(int64_t)n * b / bins] < x[u];
    }
    kith__free(sorted);
    return true;
}

/* A sparse matrix with `each` entries per row; false if there is no memory. */
static bool new_sparse(int32_t n, int32_t columns, int each,
                       kith__csr_matrix *m)
{
    *m = (kith__csr_matrix){.n = n, .columns = columns};
    m->row = kith__alloc((int64_t)n + 1, sizeof(*m->row));
    m->column = kith__alloc((int64_t)n * each, sizeof(*m->column));
    m->value = kith__alloc((int64_t)n * each, sizeof(*m->value));
    for (int64_t u = 0; m->row && u <= n; u++)
        m->row[u] = u * each;
    return m->row && m->column && m->value;
}

/* x in bins, and if `plain` standardised too: entry `at` of each row, columns
 * from `first`. */
static kith_status add_number(const float *x, int bins, bool plain, int each,
                              int at, int32_t first, kith__csr_matrix *m,
                              kith_error *err)
{
    double mean = 0, square = 0, sd;
    kith_status st = KITH_OK;
    int32_t *bin = NULL;

    TRY_NEW(bin, kith__alloc(m->n, sizeof(*bin)));
    if (!find_bins(x, m->n, bins, bin))
        TRY(kith__no_memory(err));
    for (int32_t u = 0; u < m->n; u++)
        mean += (double)x[u] / m->n;
    for (int32_t u = 0; u < m->n; u++)
        square += ((double)x[u] - mean) * ((double)x[u] - mean) / m->n;
    sd = sqrt(square);
    for (int32_t u = 0; u < m->n; u++) {
        int64_t p = (int64_t)u * each + at;

        m->column[p] = first + bin[u];
        m->value[p] = 1;
        if (plain) {
            m->column[p + 1] = first + bins;
            m->value[p + 1] = sd > 0 ? (float)(((double)x[u] - mean) / sd) : 0;
        }
    }
out:
    kith__free(bin);
    return st;
}

/* ---- tables -------------------------------------------------------------- */

static kith_status numeric_features(const kith_features *f,
                                    kith__csr_matrix *out, kith_error *err)
{
    const int each = 2 * f->columns;
    kith_status st = KITH_OK;
    kith__csr_matrix x = {0};
    float *column = NULL, *none = NULL;

    TRY(kith__prepare_features(f, KITH_PREP_NONE, NULL, &x, &none, err));
    TRY_NEW(column, kith__alloc(f->nodes, sizeof(*column)));
    if (!new_sparse(f->nodes, (BINS + 1) * f->columns, each, out)) {
        st = kith__no_memory(err);
        goto out;
    }
    for (int32_t j = 0; j < f->columns; j++) {
        memset(column, 0, (size_t)f->nodes * sizeof(*column));
        for (int32_t u = 0; u < f->nodes; u++)
            for (int64_t p = kith__row_begin(&x, u);
                 p < kith__row_begin(&x, u + 1); p++)
                if (kith__column_of(&x, p) == j)
                    column[u] = x.value[p];
        TRY(add_number(column, BINS, true, each, 2 * j, j * (BINS + 1), out,
                       err));
    }
out:
    kith__csr_matrix_release(&x);
    kith__free(column);
    return st;
}

/* Is each column many, its value in bins? */
static bool in_bins(const kith_features *f)
{
    return f->columns <= FEW_COLUMNS && !kith__features_binary(f);
}

static kith_status own_features(const kith_features *f, kith__csr_matrix *out,
                                kith_error *err)
{
    float *none = NULL;

    if (in_bins(f))
        return numeric_features(f, out, err);
    return kith__prepare_features(f, KITH_PREP_L2, NULL, out, &none, err);
}

/* One number per node, as a table. */
static kith_status number_table(const float *x, int32_t n, int bins, bool plain,
                                kith__csr_matrix *out, kith_error *err)
{
    const int each = 1 + plain;
    kith_status st = KITH_OK;

    if (!new_sparse(n, bins + plain, each, out)) {
        st = kith__no_memory(err);
        goto out;
    }
    TRY(add_number(x, bins, plain, each, 0, 0, out, err));
out:
    return st;
}

static kith_status lengths(const kith_features *f, kith__csr_matrix *out,
                           kith_error *err)
{
    kith_status st = KITH_OK;
    float *count = NULL;

    TRY_NEW(count, kith__alloc(f->nodes, sizeof(*count)));
    for (int32_t u = 0; u < f->nodes; u++) {
        const int64_t from = f->row ? f->row[u] : (int64_t)u * f->columns;
        const int64_t to = f->row ? f->row[u + 1] : from + f->columns;

        count[u] = 0;
        for (int64_t p = from; p < to; p++)
            count[u] += !f->value || f->value[p] != 0;
    }
    TRY(number_table(count, f->nodes, DEGREE_BINS, false, out, err));
out:
    kith__free(count);
    return st;
}

static kith_status degrees(const kith__task *t, kith__csr_matrix *out,
                           kith_error *err)
{
    kith_status st = KITH_OK;
    float *x = NULL;

    TRY_NEW(x, kith__alloc(t->n, sizeof(*x)));
    for (int32_t u = 0; u < t->n; u++)
        x[u] = log1pf((float)(t->W.rows[u + 1] - t->W.rows[u]));
    TRY(number_table(x, t->n, DEGREE_BINS, true, out, err));
out:
    kith__free(x);
    return st;
}

/* Eigenvectors times f(eigenvalue): sqrt for A; for S the value itself by
 * sqrt(d), and rows of length 1. */
static kith_status spectrum(const kith__feature_blocks *b, bool of_A,
                            kith__csr_matrix *out, kith_error *err)
{
    const int32_t n = b->task->n;
    const int rank = n < KITH__EMBED_MOST ? (int)n : KITH__EMBED_MOST;
    kith__operator W = b->task->W;
    kith_status st = KITH_OK;
    float values[KITH__EMBED_MOST];

    if (of_A)
        W = kith__adjacency(&W, b->task->graph, b->ones);
    *out = (kith__csr_matrix){.n = n, .columns = rank};
    TRY_NEW(out->value, kith__alloc_big((int64_t)n * rank, sizeof(float)));
    TRY(kith__embed(&W, b->task->graph, rank, out->value, values, err));
    for (int32_t u = 0; u < n; u++) {
        float *x = out->value + (int64_t)u * rank;
        double square = 0;

        for (int r = 0; r < rank; r++) {
            x[r] *= of_A ? sqrtf(fabsf(values[r])) : fabsf(values[r]);
            square += (double)x[r] * (double)x[r];
        }
        for (int r = 0; !of_A && square > 1e-20 && r < rank; r++)
            x[r] /= (float)sqrt(square);
    }
out:
    return st;
}

/* ---- all of it ----------------------------------------------------------- */

kith_status kith__feature_blocks_new(const kith__task *task,
                                     const kith_features *features,
                                     kith__feature_blocks *out, kith_error *err)
{
    const float *a = kith_graph_weights(task->graph);
    kith_status st = KITH_OK;

    *out = (kith__feature_blocks){
        .task = task, .features = features, .W = task->W};
    TRY_NEW(out->root, kith__alloc(task->n, sizeof(float)));
    TRY_NEW(out->ones, kith__alloc(task->n, sizeof(float)));
    for (int32_t u = 0; u < task->n; u++) {
        double d = 0;

        for (int64_t p = task->W.rows[u]; p < task->W.rows[u + 1]; p++)
            d += a ? (double)a[p] : 1;
        out->root[u] = (float)sqrt(d);
        out->ones[u] = 1;
    }
out:
    return st;
}

void kith__feature_blocks_release(kith__feature_blocks *b)
{
    kith__free(b->root);
    kith__free(b->ones);
    kith__csc_matrix_release(&b->x);
    kith__csc_matrix_release(&b->len);
    kith__csc_matrix_release(&b->deg);
    kith__csc_matrix_release(&b->speca);
    kith__csc_matrix_release(&b->specs);
    *b = (kith__feature_blocks){0};
}

/* Make a table unless it is there. */
static kith_status make(kith__feature_blocks *b, unsigned which,
                        kith__csc_matrix *t, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__csr_matrix m = {0};

    if (b->made & which)
        return KITH_OK;
    if (which == KITH__X)
        TRY(own_features(b->features, &m, err));
    else if (which == KITH__LEN)
        TRY(lengths(b->features, &m, err));
    else if (which == KITH__DEG)
        TRY(degrees(b->task, &m, err));
    else
        TRY(spectrum(b, which == KITH__SPECA, &m, err));
    TRY(kith__csc_matrix_new(&m, t, err));
    b->made |= which;
out:
    kith__csr_matrix_release(&m);
    return st;
}

double kith__feature_blocks_cost(const kith__feature_blocks *b, unsigned which)
{
    const double n = b->task->n, edges = (double)b->task->W.rows[b->task->n];
    const kith_features *f = b->features;
    const double x = !f           ? 0
                     : in_bins(f) ? 2.0 * n * f->columns
                     : f->row     ? (double)f->entries
                                  : n * f->columns;

    return (which & KITH__X ? x : 0) + (which & KITH__LEN ? n : 0) +
           (which & KITH__AX ? x + edges : 0) +
           (which & KITH__A2X ? x + 2 * edges : 0) +
           (which & KITH__DEG ? 2 * n : 0) +
           (which & KITH__SPECA ? n * KITH__EMBED_MOST : 0) +
           (which & KITH__SPECS ? n * KITH__EMBED_MOST : 0);
}

kith_status kith__feature_blocks_operator(kith__feature_blocks *b,
                                          unsigned which,
                                          kith__feature_operator *out,
                                          kith_error *err)
{
    const struct {
        unsigned block, table;
        kith__csc_matrix *t;
        int hops;
        const char *what;
    } all[] = {
        {KITH__X, KITH__X, &b->x, 0, "own"},
        {KITH__LEN, KITH__LEN, &b->len, 0, "how many it has"},
        {KITH__AX, KITH__X, &b->x, 1, "neighbours' mean"},
        {KITH__A2X, KITH__X, &b->x, 2, "mean two steps away"},
        {KITH__DEG, KITH__DEG, &b->deg, 0, "degree"},
        {KITH__SPECA, KITH__SPECA, &b->speca, 0, "place in the graph"},
        {KITH__SPECS, KITH__SPECS, &b->specs, 0, "place in the graph"},
    };
    kith_status st = KITH_OK;
    kith__feature_block *last;

    *out = (kith__feature_operator){.n = b->task->n,
                                    .threads = b->task->threads};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (!(which & all[i].block))
            continue;
        TRY(make(b, all[i].table, all[i].t, err));
        TRY(kith__feature_add_means(out, all[i].t, &b->W, b->root, all[i].hops,
                                    err));
        last = &out->block[out->blocks - 1];
        last->what = all[i].what;
        last->structural = all[i].table &
                           (KITH__DEG | KITH__SPECA | KITH__SPECS);
        last->each = all[i].table == KITH__X && in_bins(b->features) ? BINS + 1
                                                                     : 1;
    }
out:
    if (st != KITH_OK)
        kith__feature_operator_release(out);
    return st;
}
