#include "models/potentials/row_fits.h"

#include <string.h>

#include "core/alloc.h"
#include "kernels/small_dense.h"
#include "models/potentials/soft_logreg.h"

/* ---- rows of F ----------------------------------------------------------- */

/* Rows looked at together. */
enum { AT_ONCE = 64 };

typedef struct growing {
    kith__csr_matrix *m;
    int64_t entries, columns_room, values_room;
} growing;

static kith_status put(growing *g, int64_t column, float value, kith_error *err)
{
    if (value == 0)
        return KITH_OK;
    if (!kith__grow((void **)&g->m->column, &g->columns_room, g->entries + 1,
                    sizeof(*g->m->column)) ||
        !kith__grow((void **)&g->m->value, &g->values_room, g->entries + 1,
                    sizeof(*g->m->value)))
        return kith__no_memory(err);
    g->m->column[g->entries] = (int32_t)column;
    g->m->value[g->entries++] = value;
    return KITH_OK;
}

static bool is_plain(const kith__feature_block *b)
{
    return (b->hops == 0 || b->formed.x.value) && !b->mu;
}

/* Row u of a block without hops, or whose hops are formed. */
static kith_status put_plain(const kith__feature_block *b, int32_t u,
                             int64_t first, growing *to, kith_error *err)
{
    const kith__csr_matrix *x = b->formed.x.value ? &b->formed.x : &b->x->x;
    const float r = (b->r ? b->r[u] : 1) *
                    (b->c && x == &b->x->x ? b->c[u] : 1);
    const int64_t from = kith__row_begin(x, u), end = kith__row_begin(x, u + 1);
    kith_status st = KITH_OK;

    for (int64_t p = from; p < end; p++)
        TRY(put(to, first + (x->row ? x->column[p] : p - from), r * x->value[p],
                err));
out:
    return st;
}

/* Room for the rows of one block at AT_ONCE nodes: F'E, E their indicators. */
typedef struct looking {
    kith__feature_workspace room;
    float *E;                    /* n x AT_ONCE */
    float *G[KITH__BLOCKS_MOST]; /* columns + 1 x AT_ONCE; NULL if plain */
} looking;

static void looking_release(looking *l)
{
    kith__feature_workspace_release(&l->room);
    kith__free(l->E);
    for (int b = 0; b < KITH__BLOCKS_MOST; b++)
        kith__free(l->G[b]);
}

static kith_status looking_new(const kith__feature_operator *map, looking *l,
                               kith_error *err)
{
    kith_status st = KITH_OK;

    for (int b = 0; b < map->blocks; b++)
        if (!is_plain(&map->block[b]))
            TRY_NEW(
                l->G[b],
                kith__alloc(((int64_t)map->block[b].x->x.columns + 1) * AT_ONCE,
                            sizeof(float)));
    TRY(kith__feature_workspace_new(map, AT_ONCE, &l->room, err));
    TRY_NEW(l->E, kith__alloc_zeroed((int64_t)map->n * AT_ONCE, sizeof(float)));
out:
    return st;
}

static void look(const kith__feature_operator *map, const int32_t *nodes,
                 int32_t n, looking *l)
{
    for (int32_t i = 0; i < n; i++)
        l->E[(int64_t)nodes[i] * AT_ONCE + i] = 1;
    for (int b = 0; b < map->blocks; b++) {
        const kith__feature_operator one = {
            .n = map->n,
            .columns = map->block[b].x->x.columns,
            .blocks = 1,
            .block = {map->block[b]},
            .threads = map->threads};

        if (l->G[b])
            kith__feature_transpose(&one, l->E, AT_ONCE, &l->room, l->G[b]);
    }
    for (int32_t i = 0; i < n; i++)
        l->E[(int64_t)nodes[i] * AT_ONCE + i] = 0;
}

/* Row i of those that were looked at. */
static kith_status put_row(const kith__feature_operator *map, const looking *l,
                           int32_t node, int32_t i, growing *to,
                           kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t first = 0;

    for (int b = 0; b < map->blocks; b++) {
        const int32_t d = map->block[b].x->x.columns;

        if (!l->G[b])
            TRY(put_plain(&map->block[b], node, first, to, err));
        for (int32_t j = 0; l->G[b] && j < d; j++)
            TRY(put(to, first + j, l->G[b][(int64_t)j * AT_ONCE + i], err));
        first += d;
    }
out:
    return st;
}

/* A matrix most of whose entries are there becomes dense. */
static kith_status fill(kith__csr_matrix *m, kith_error *err)
{
    const int64_t d = m->columns;
    kith_status st = KITH_OK;
    float *value = NULL;

    if (2 * m->row[m->n] < m->n * d)
        return KITH_OK;
    TRY_NEW(value, kith__alloc_zeroed(m->n * d, sizeof(*value)));
    for (int32_t l = 0; l < m->n; l++)
        for (int64_t p = m->row[l]; p < m->row[l + 1]; p++)
            value[l * d + m->column[p]] = m->value[p];
    kith__free(m->row);
    kith__free(m->column);
    kith__free(m->value);
    m->row = NULL;
    m->column = NULL;
    m->value = value;
out:
    return st;
}

kith_status kith__feature_rows(const kith__feature_operator *map,
                               const int32_t *nodes, int32_t n,
                               kith__csr_matrix *out, kith_error *err)
{
    kith_status st = KITH_OK;
    growing to = {.m = out};
    looking l = {0};

    *out = (kith__csr_matrix){.n = n, .columns = (int32_t)map->columns};
    TRY_NEW(out->row, kith__alloc_zeroed((int64_t)n + 1, sizeof(*out->row)));
    TRY_NEW(out->value, kith__alloc(1, sizeof(float)));
    TRY_NEW(out->column, kith__alloc(1, sizeof(int32_t)));
    to.columns_room = to.values_room = 1;
    TRY(looking_new(map, &l, err));
    for (int32_t from = 0; from < n; from += AT_ONCE) {
        const int32_t some = n - from < AT_ONCE ? n - from : AT_ONCE;

        look(map, nodes + from, some, &l);
        for (int32_t i = 0; i < some; i++) {
            TRY(put_row(map, &l, nodes[from + i], i, &to, err));
            out->row[from + i + 1] = to.entries;
        }
    }
    TRY(fill(out, err));
out:
    looking_release(&l);
    return st;
}

/* ---- turning ------------------------------------------------------------- */

enum { TURN_MOST = 2048 };

/* x_i . spread, spread a row of doubles. */
static double times(const kith__csr_matrix *x, int32_t i, const double *spread)
{
    const int64_t from = kith__row_begin(x, i), d = x->columns;
    double sum = 0;

    if (x->row) {
        for (int64_t p = from; p < x->row[i + 1]; p++)
            sum += (double)x->value[p] * spread[x->column[p]];
        return sum;
    }
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < d; j++)
        sum += (double)x->value[from + j] * spread[j];
    return sum;
}

/* K = A B', A->n x B->n; of A A' the lower triangle. */
static kith_status products(const kith__csr_matrix *A,
                            const kith__csr_matrix *B, double *K,
                            kith_error *err)
{
    double *spread = kith__alloc(A->columns, sizeof(*spread));

    if (!spread)
        return kith__no_memory(err);
    for (int32_t l = 0; l < A->n; l++) {
        const int64_t from = kith__row_begin(A, l);
        const int64_t end = kith__row_begin(A, l + 1);

        memset(spread, 0, (size_t)A->columns * sizeof(*spread));
        for (int64_t p = from; p < end; p++)
            spread[A->row ? A->column[p] : p - from] = (double)A->value[p];
        for (int32_t i = 0; i < (A == B ? l + 1 : B->n); i++)
            K[(int64_t)l * B->n + i] = times(B, i, spread);
    }
    kith__free(spread);
    return KITH_OK;
}

static kith_status to_floats(const double *X, int64_t n, int64_t columns,
                             kith__csr_matrix *out, kith_error *err)
{
    *out = (kith__csr_matrix){.n = (int32_t)n, .columns = (int32_t)columns};
    out->value = kith__alloc(n * columns, sizeof(float));
    if (!out->value)
        return kith__no_memory(err);
    for (int64_t i = 0; i < n * columns; i++)
        out->value[i] = (float)X[i];
    return KITH_OK;
}

/* R of X X' = R R', and what is looked at: R, and of the others' rows Y their
 * Y X'R^-T.  Equal or empty rows make X X' singular; what is added to its
 * diagonal is far below what floats hold. */
static kith_status turn(kith__row_fits *f, const kith__csr_matrix *others,
                        kith__csr_matrix *own, kith__csr_matrix *asked,
                        kith_error *err)
{
    const int64_t L = f->x.n, n = others->n;
    kith_status st = KITH_OK;
    double *K = NULL, *T = NULL, trace = 0;

    TRY_NEW(f->R, kith__alloc_zeroed(L * L, sizeof(*f->R)));
    TRY_NEW(K, kith__alloc(n * L, sizeof(*K)));
    TRY_NEW(T, kith__alloc(n * L, sizeof(*T)));
    TRY(products(&f->x, &f->x, f->R, err));
    for (int64_t i = 0; i < L; i++)
        trace += f->R[i * L + i];
    for (int64_t i = 0; i < L; i++)
        f->R[i * L + i] += 1e-10 * (trace / (double)L) + 1e-30;
    (void)kith__cholesky(f->R, L, 0);
    TRY(products(&f->x, others, K, err));
    kith__solve_lower(f->R, L, (int)n, K);
    for (int64_t l = 0; l < L; l++)
        for (int64_t i = 0; i < n; i++)
            T[i * L + l] = K[l * n + i];
    TRY(to_floats(f->R, L, L, own, err));
    TRY(to_floats(T, n, L, asked, err));
out:
    kith__free(K);
    kith__free(T);
    return st;
}

/* ---- fits ---------------------------------------------------------------- */

static kith_status copy_rows(const kith__csr_matrix *x, kith__csr_matrix *out,
                             kith_error *err)
{
    const int64_t entries = kith__row_begin(x, x->n);
    kith_status st = KITH_OK;

    *out = (kith__csr_matrix){.n = x->n, .columns = x->columns};
    TRY_NEW(out->value, kith__alloc(entries, sizeof(float)));
    memcpy(out->value, x->value, (size_t)entries * sizeof(float));
    if (!x->row)
        return KITH_OK;
    TRY_NEW(out->row, kith__alloc((int64_t)x->n + 1, sizeof(*x->row)));
    TRY_NEW(out->column, kith__alloc(entries, sizeof(*x->column)));
    memcpy(out->row, x->row, ((size_t)x->n + 1) * sizeof(*x->row));
    memcpy(out->column, x->column, (size_t)entries * sizeof(*x->column));
out:
    return st;
}

static kith__feature_operator plain_map(const kith__csc_matrix *t)
{
    return (kith__feature_operator){.n = t->x.n,
                                    .columns = t->x.columns,
                                    .blocks = 1,
                                    .block = {{.x = t}},
                                    .threads = 1};
}

kith_status kith__row_fits_new(const kith__feature_operator *map,
                               const kith__labelled_nodes *train,
                               const kith__labelled_nodes *others, int classes,
                               kith__row_fits *out, kith_error *err)
{
    kith__csr_matrix rows = {0}, own = {0}, asked = {0};
    kith_status st = KITH_OK;

    *out = (kith__row_fits){.classes = classes};
    TRY(kith__feature_rows(map, train->node, train->n, &out->x, err));
    TRY(kith__feature_rows(map, others->node, others->n, &rows, err));
    TRY_NEW(out->target,
            kith__alloc_zeroed((int64_t)train->n * classes, sizeof(float)));
    for (int32_t l = 0; l < train->n; l++)
        out->target[(int64_t)l * classes + train->truth[l]] = 1;
    if (train->n <= TURN_MOST && train->n < map->columns / 2) {
        TRY(turn(out, &rows, &own, &asked, err));
    } else {
        TRY(copy_rows(&out->x, &own, err));
        asked = rows;
        rows = (kith__csr_matrix){0};
    }
    TRY(kith__csc_matrix_new(&own, &out->own, err));
    TRY(kith__csc_matrix_new(&asked, &out->asked, err));
    out->fit = plain_map(&out->own);
    out->ask = plain_map(&out->asked);
out:
    kith__csr_matrix_release(&rows);
    kith__csr_matrix_release(&own);
    kith__csr_matrix_release(&asked);
    return st;
}

void kith__row_fits_release(kith__row_fits *f)
{
    kith__csr_matrix_release(&f->x);
    kith__csc_matrix_release(&f->own);
    kith__csc_matrix_release(&f->asked);
    kith__free(f->R);
    kith__free(f->target);
    *f = (kith__row_fits){0};
}

int64_t kith__row_fits_size(const kith__row_fits *f)
{
    return (f->fit.columns + 1) * f->classes;
}

static kith_status ask(const kith__feature_operator *map, const float *weights,
                       int C, float *Z, kith_error *err)
{
    kith__feature_workspace room = {0};
    kith_status st = KITH_OK;

    TRY(kith__feature_workspace_new(map, C, &room, err));
    kith__feature_apply(map, weights, C, &room, Z);
out:
    kith__feature_workspace_release(&room);
    return st;
}

kith_status kith__row_fits_fit(const kith__row_fits *f, const float *a,
                               double penalty, int most, double epsilon,
                               float *weights, float *Z_train, float *Z_others,
                               kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__soft_fit(&f->fit, &(kith__soft_rows){f->target, a}, f->classes,
                       penalty, most, epsilon, weights, err));
    TRY(ask(&f->fit, weights, f->classes, Z_train, err));
    TRY(ask(&f->ask, weights, f->classes, Z_others, err));
out:
    return st;
}

/* B = X'Y, Y = R^-T B~; the biases stay. */
static kith_status turn_back(const kith__row_fits *f, const float *weights,
                             float *B, kith_error *err)
{
    const int64_t L = f->x.n, d = f->x.columns;
    const int C = f->classes;
    kith_status st = KITH_OK;
    double *Y = NULL;

    TRY_NEW(Y, kith__alloc(L * C, sizeof(*Y)));
    for (int64_t i = 0; i < L * C; i++)
        Y[i] = (double)weights[i];
    kith__solve_upper(f->R, L, C, Y);
    memset(B, 0, (size_t)(d * C) * sizeof(*B));
    for (int32_t l = 0; l < L; l++) {
        const int64_t from = kith__row_begin(&f->x, l);
        const int64_t end = kith__row_begin(&f->x, l + 1);

        for (int64_t p = from; p < end; p++) {
            float *b = B + (f->x.row ? f->x.column[p] : p - from) * C;

            for (int c = 0; c < C; c++)
                b[c] += (float)((double)f->x.value[p] * Y[l * C + c]);
        }
    }
    memcpy(B + d * C, weights + L * C, (size_t)C * sizeof(*B));
out:
    kith__free(Y);
    return st;
}

kith_status kith__row_fits_unfold(const kith__row_fits *f, const float *weights,
                                  float *B, kith_error *err)
{
    if (f->R)
        return turn_back(f, weights, B, err);
    memcpy(B, weights, (size_t)kith__row_fits_size(f) * sizeof(*B));
    return KITH_OK;
}
