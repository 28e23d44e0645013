#include "models/potentials/neighbour_rows.h"

#include "core/alloc.h"
#include "core/sort.h"

/* ---- means --------------------------------------------------------------- */

/* A row of sums: which columns were touched, and room to add them up in. */
typedef struct sums {
    double *sum;      /* of each column */
    bool *is_touched; /* of each column */
    int32_t *touched;
    int32_t n;
} sums;

static void sums_release(sums *s)
{
    kith__free(s->sum);
    kith__free(s->is_touched);
    kith__free(s->touched);
}

static kith_status sums_new(int32_t columns, sums *s, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(s->sum, kith__alloc_zeroed(columns, sizeof(*s->sum)));
    TRY_NEW(s->is_touched, kith__alloc_zeroed(columns, sizeof(bool)));
    TRY_NEW(s->touched, kith__alloc(columns, sizeof(*s->touched)));
out:
    return st;
}

static double degree(const kith_graph *g, int32_t u)
{
    double sum = 0;

    if (!g->weights)
        return (double)(g->rows[u + 1] - g->rows[u]);
    for (int64_t p = g->rows[u]; p < g->rows[u + 1]; p++)
        sum += (double)g->weights[p];
    return sum;
}

/* sum_v a_uv x_v */
static void add_neighbours(const kith_graph *g, const kith__csr_matrix *x,
                           int32_t u, sums *s)
{
    for (int64_t p = g->rows[u]; p < g->rows[u + 1]; p++) {
        const double a = g->weights ? (double)g->weights[p] : 1;
        const int32_t v = g->neighbours[p];
        const int64_t end = kith__row_begin(x, v + 1);

        for (int64_t q = kith__row_begin(x, v); q < end; q++) {
            const int32_t j = kith__column_of(x, q);

            if (!s->is_touched[j]) {
                s->is_touched[j] = true;
                s->touched[s->n++] = j;
            }
            s->sum[j] += a * (double)x->value[q];
        }
    }
}

/* ---- rows that are appended ---------------------------------------------- */

typedef struct growing {
    kith__csr_matrix *m;
    int64_t entries, columns_room, values_room;
} growing;

static kith_status grow(growing *g, int64_t more, kith_error *err)
{
    const int64_t needed = g->entries + more;

    return kith__grow((void **)&g->m->column, &g->columns_room, needed,
                      sizeof(*g->m->column)) &&
                   kith__grow((void **)&g->m->value, &g->values_room, needed,
                              sizeof(*g->m->value))
               ? KITH_OK
               : kith__no_memory(err);
}

static void put(growing *g, int32_t column, float value)
{
    g->m->column[g->entries] = column;
    g->m->value[g->entries++] = value;
}

/* Append (M X)_u with its columns `shift` further on. */
static kith_status put_means(const kith_graph *g, const kith__csr_matrix *x,
                             int32_t u, int32_t shift, sums *s, growing *to,
                             kith_error *err)
{
    const double d = degree(g, u);
    kith_status st;

    s->n = 0;
    add_neighbours(g, x, u, s);
    kith__sort_u32((uint32_t *)s->touched, s->n);
    st = grow(to, s->n, err);
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t j = s->touched[i];

        if (st == KITH_OK)
            put(to, shift + j, (float)(s->sum[j] / d));
        s->sum[j] = 0;
        s->is_touched[j] = false;
    }
    return st;
}

/* ---- what others call ---------------------------------------------------- */

static kith_status mean_of_all(const kith_graph *g, const kith__csr_matrix *x,
                               kith__csr_matrix *out, kith_error *err)
{
    kith_status st = KITH_OK;
    growing to = {.m = out};
    sums s = {0};

    *out = (kith__csr_matrix){.n = x->n, .columns = x->columns};
    TRY(sums_new(x->columns, &s, err));
    TRY_NEW(out->row, kith__alloc_zeroed((int64_t)x->n + 1, sizeof(*out->row)));
    for (int32_t u = 0; u < x->n; u++) {
        TRY(put_means(g, x, u, 0, &s, &to, err));
        out->row[u + 1] = to.entries;
    }
out:
    sums_release(&s);
    return st;
}

kith_status kith__neighbour_rows_new(const kith_graph *g,
                                     const kith_features *f,
                                     kith__neighbour_rows *out, kith_error *err)
{
    kith_status st = KITH_OK;
    float *no_idf;

    *out = (kith__neighbour_rows){.graph = g};
    if (f->columns > (INT32_MAX - 1) / 3)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "%d feature columns, own and neighbours' beside one "
                       "another, are more than %d",
                       (int)f->columns, INT32_MAX));
    TRY(kith__prepare_features(f, KITH_PREP_NONE, NULL, &out->x, &no_idf, err));
    TRY(mean_of_all(g, &out->x, &out->mean, err));
out:
    return st;
}

void kith__neighbour_rows_release(kith__neighbour_rows *r)
{
    kith__csr_matrix_release(&r->x);
    kith__csr_matrix_release(&r->mean);
}

int64_t kith__neighbour_rows_columns(const kith__neighbour_rows *r)
{
    return 3 * (int64_t)r->x.columns + 1;
}

/* A row that is there already, its columns `shift` further on. */
static kith_status put_row(const kith__csr_matrix *x, int32_t u, int32_t shift,
                           growing *to, kith_error *err)
{
    const int64_t from = kith__row_begin(x, u), end = kith__row_begin(x, u + 1);
    kith_status st = KITH_OK;

    TRY(grow(to, end - from, err));
    for (int64_t p = from; p < end; p++)
        put(to, shift + kith__column_of(x, p), x->value[p]);
out:
    return st;
}

kith_status kith__neighbour_rows_of(const kith__neighbour_rows *r,
                                    const int32_t *nodes, int32_t n,
                                    kith__csr_matrix *out, kith_error *err)
{
    const int32_t d = r->x.columns;
    kith_status st = KITH_OK;
    growing to = {.m = out};
    sums s = {0};

    *out = (kith__csr_matrix){.n = n, .columns = 3 * d + 1};
    TRY(sums_new(d, &s, err));
    TRY_NEW(out->row, kith__alloc_zeroed((int64_t)n + 1, sizeof(*out->row)));
    for (int32_t i = 0; i < n; i++) {
        const int32_t u = nodes[i];

        TRY(put_row(&r->x, u, 0, &to, err));
        TRY(put_row(&r->mean, u, d, &to, err));
        TRY(put_means(r->graph, &r->mean, u, 2 * d, &s, &to, err));
        TRY(grow(&to, 1, err));
        put(&to, 3 * d, (float)degree(r->graph, u));
        out->row[i + 1] = to.entries;
    }
out:
    sums_release(&s);
    return st;
}
