#include "kernels/operator.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "kernels/gemm.h"
#include "kernels/neighbour_sum.h"

/*
 * A step over the edges.  With node scales,
 *
 *     y_u = q_u + s_u ( sum_v s_v x_v ) H,
 *
 * the rows s_v x_v are made first, in Z: then the pass over the edges reads no
 * weights at all.  Where Z is in use by another step of the same W, or there
 * are many classes, s_v is read with each neighbour, for the same bits.
 *
 * A centred H of two classes has rank one, H = h (1, -1)' (1, -1), so that one
 * column is summed instead of two:
 *
 *     y_u = q_u + h s_u ( sum_v s_v (x_v0 - x_v1) ) (1, -1)
 *
 * and likewise with a weight for each edge.  Rows of few columns are multiplied
 * by one matrix for all blocks, H on its diagonal.
 */
typedef struct step {
    const kith__operator *W;
    const float *X, *Q;
    float *Y;
    int k;                          /* columns of X */
    int columns;                    /* that are summed */
    float *Z;                       /* s_v x_v, or NULL */
    int how;                        /* kith__weight_kind of the sums */
    float H[KITH__FEW * KITH__FEW]; /* of few columns: k x k */
} step;

/* Floats behind the last row that may be read as part of it. */
enum { PADDING = KITH__FEW };

/* Bytes of X that the cache is likely to hold: asking ahead then only costs. */
enum { CACHED = 1 << 23 };

struct kith__scratch {
    atomic_flag taken;
    float *Z; /* n rows of KITH__FEW, and the padding */
};

/* Is it worth asking for rows of k columns before they are needed? */
static _Bool worth_asking(const step *s, int k)
{
    return (int64_t)s->W->n * k * (int64_t)sizeof(float) > CACHED;
}

static kith__neighbours neighbours_of(const step *s, int k)
{
    const kith__operator *W = s->W;

    return (kith__neighbours){.ids = W->neighbours,
                              .count = W->rows[W->n],
                              .X = s->Z ? s->Z : s->X,
                              .w = W->weights ? W->weights : W->scale,
                              .cells = (int64_t)W->n * k,
                              .whole_rows = s->Z != NULL};
}

/* ---- few classes: rows in registers -------------------------------------- */

/* out = sum_v w_uv x_v */
KITH__ALWAYS_INLINE void sum_few(const kith__operator *W,
                                 const kith__neighbours *all, int k, int how,
                                 int32_t u, int64_t *asked, kith__v4 *out)
{
    kith__lane_sums t = {0};

    kith__sum_from(all, k, how, W->rows[u], W->rows[u + 1], asked, &t);
    kith__lane_sums_total(&t, k, kith__is_per_edge(how) ? 1 : W->scale[u], out);
}

/* Rows first .. last - 1 of Y = Q + W X H; returns max |Y - X|. */
KITH__ALWAYS_INLINE float step_few(const step *s, int k, int how, _Bool ask,
                                   int32_t first, int32_t last)
{
    const kith__operator W = *s->W;
    const int64_t cells = (int64_t)s->W->n * k, end = (int64_t)last * k;
    const kith__neighbours all = neighbours_of(s, k);
    int64_t asked = W.rows[first];
    const float *Q = s->Q, zeros[KITH__FEW] = {0};
    kith__v4 h[KITH__FEW][KITH__FEW_VECTORS], change = {0};
    float scratch[KITH__FEW];

    kith__load_small(s->H, k, h);
    for (int32_t u = first; u < last; u++) {
        const int64_t at = (int64_t)u * k;
        kith__v4 pulled[KITH__FEW_VECTORS], y[KITH__FEW_VECTORS];
        const float *row = Q ? kith__row_at(Q, at, cells, k, scratch) : zeros;

        sum_few(&W, &all, k, how, u, ask ? &asked : NULL, pulled);
        for (int i = 0; i < kith__vectors(k); i++)
            y[i] = kith__v4_load(row + i * KITH__LANES);
        kith__row_times(pulled, k, h, y);
        kith__row_put(s->Y, at, end, k, y);
        row = kith__row_at(s->X, at, cells, k, scratch);
        for (int i = 0; i < kith__vectors(k); i++) {
            const kith__v4 d = y[i] - kith__v4_load(row + i * KITH__LANES);

            change = kith__v4_max(
                change, kith__v4_and(kith__v4_abs(d), kith__v4_within(k, i)));
        }
    }
    return kith__v4_top(change);
}

/* ---- two centred classes: one column ------------------------------------- */

/* The same rows; H = h (1, -1)' (1, -1). */
KITH__ALWAYS_INLINE float step_pair(const step *s, int how, _Bool ask,
                                    int32_t first, int32_t last)
{
    const kith__operator W = *s->W;
    const kith__neighbours all = neighbours_of(s, 1);
    const kith__v4 h = {s->H[0], -s->H[0], 0, 0};
    const float *Q = s->Q, zeros[2] = {0};
    kith__v4 change = {0};
    int64_t asked = W.rows[first];

    for (int32_t u = first; u < last; u++) {
        const int64_t at = 2 * (int64_t)u;
        kith__v4 sum, y, change_here;

        sum_few(&W, &all, 1, how, u, ask ? &asked : NULL, &sum);
        y = kith__pairs(Q ? Q + at : zeros, s->X + at) +
            h * sum; /* y0 y1 x0 x1 */
        memcpy(s->Y + at, &y, 2 * sizeof(float));
        change_here = y - __builtin_shufflevector(y, y, 2, 3, 2, 3);
        change = kith__v4_max(change, kith__v4_and(kith__v4_abs(change_here),
                                                   kith__v4_within(2, 0)));
    }
    return kith__v4_top(change);
}

/* ---- many classes -------------------------------------------------------- */

KITH__ALWAYS_INLINE void sum_many(const step *s, int k, int how, int32_t u,
                                  float *restrict out)
{
    const kith__operator *W = s->W;
    const kith__neighbours all = neighbours_of(s, k);
    const int64_t end = W->rows[u + 1];
    const float scale = W->weights ? 1 : W->scale[u];

    for (int c = 0; c < k; c++)
        out[c] = 0;
    for (int64_t p = W->rows[u]; p < end; p++) {
        const int64_t v = all.ids[p];
        const float w = kith__weight(&all, how, p, v);
        const float *x = all.X + v * k;

#pragma omp simd
        for (int c = 0; c < k; c++)
            out[c] += w * x[c];
    }
    for (int c = 0; c < k; c++)
        out[c] *= scale;
}

static float largest_change(const float *a, const float *b, int64_t n)
{
    float change = 0;

    for (int64_t i = 0; i < n; i++) {
        const float d = fabsf(a[i] - b[i]);

        change = d > change ? d : change;
    }
    return change;
}

/* y += x H, block by block, for n rows. */
static void couple_rows(const kith__operator *op, const float *x, int64_t n,
                        float *restrict y)
{
    const int64_t K = kith__columns(op), kk = (int64_t)op->k * op->k;

    if (!op->H)
#pragma omp simd
        for (int64_t i = 0; i < n * K; i++)
            y[i] += op->h * x[i];
    else
        for (int b = 0; b < op->blocks; b++)
            kith__add_product(x + (int64_t)b * op->k, n, op->k, K, op->h,
                              op->H + (op->each ? b * kk : 0), op->transposed,
                              y + (int64_t)b * op->k);
}

KITH__ALWAYS_INLINE float step_many(const step *s, int k, int32_t first,
                                    int32_t last)
{
    const int64_t at = (int64_t)first * k, n = last - first;
    const size_t bytes = (size_t)n * (size_t)k * sizeof(*s->Y);
    float pulled[KITH__TOGETHER];

    for (int32_t i = 0; i < n; i++)
        sum_many(s, k, s->how, first + i, pulled + (int64_t)i * k);
    if (s->Q)
        memcpy(s->Y + at, s->Q + at, bytes);
    else
        memset(s->Y + at, 0, bytes);
    couple_rows(s->W, pulled, n, s->Y + at);
    return largest_change(s->Y + at, s->X + at, n * k);
}

/* ---- either, on what the machine has ------------------------------------- */

/* Two classes as one column, in any form. */
KITH__ALWAYS_INLINE float step_pairs(const step *s, _Bool ask, int32_t first,
                                     int32_t last)
{
    switch (s->how) {
    case KITH__ONE:
        return step_pair(s, KITH__ONE, ask, first, last);
    case KITH__PER_EDGE:
        return step_pair(s, KITH__PER_EDGE, ask, first, last);
    case KITH__PER_EDGE_APART:
        return step_pair(s, KITH__PER_EDGE_APART, ask, first, last);
    default:
        return step_pair(s, KITH__PER_NODE_APART, ask, first, last);
    }
}

/* Rows first .. last - 1, with constants where they make loops disappear. */
KITH__ALWAYS_INLINE float step_rows(const step *s, int k, _Bool ask,
                                    int32_t first, int32_t last)
{
    float change = 0;

#define ONE(K)      change = step_few(s, K, KITH__ONE, ask, first, last)
#define PER_EDGE(K) change = step_few(s, K, KITH__PER_EDGE, ask, first, last)
#define PER_NODE(K) change = step_few(s, K, KITH__PER_NODE, ask, first, last)
    if (k > KITH__FEW)
        change = step_many(s, k, first, last);
    else if (s->columns < k)
        change = step_pairs(s, ask, first, last);
    else if (s->how == KITH__PER_EDGE)
        KITH__WITH_CONSTANT(k, PER_EDGE);
    else if (s->how == KITH__PER_NODE)
        KITH__WITH_CONSTANT(k, PER_NODE);
    else
        KITH__WITH_CONSTANT(k, ONE);
#undef ONE
#undef PER_EDGE
#undef PER_NODE
    return change;
}

static float step_rows_portable(const step *s, int k, int32_t first,
                                int32_t last)
{
    return worth_asking(s, s->columns) ? step_rows(s, k, 1, first, last)
                                       : step_rows(s, k, 0, first, last);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static float
step_rows_avx2(const step *s, int k, int32_t first, int32_t last)
{
    return worth_asking(s, s->columns) ? step_rows(s, k, 1, first, last)
                                       : step_rows(s, k, 0, first, last);
}
#else
#define step_rows_avx2 step_rows_portable
#endif

static _Bool has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return 0;
#endif
}

/*
 * The first row of piece i of first .. last - 1: pieces have about as many rows
 * and neighbours together, so that one with the longest rows takes no longer
 * than others.
 */
static int32_t piece_begin(const kith__operator *W, int32_t first, int32_t last,
                           int64_t i, int64_t size)
{
    const int64_t begin = W->rows[first] + first;
    int32_t low = first, high = last;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;

        if (W->rows[middle] + middle - begin < i * size)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- the coupling of few columns ----------------------------------------- */

/* Entry i, j of the matrix with H of every block on its diagonal. */
static float entry_at(const kith__operator *op, int i, int j)
{
    const int k = op->k;

    return i / k == j / k ? (float)kith__coupling_at(op, i / k, i % k, j % k)
                          : 0;
}

/* Are there two classes and is H, but for rounding, h (1, -1)' (1, -1)?  Then h
 * is put in place of it. */
static _Bool is_centred_pair(int k, float *H)
{
    const float most = k == 2 ? 1e-6f * fabsf(H[0]) : 0;

    if (k != 2 || fabsf(H[0] - H[3]) > most || fabsf(H[1] - H[2]) > most ||
        fabsf(H[0] + H[1]) > most)
        return 0;
    H[0] = (H[0] - H[1] - H[2] + H[3]) / 4;
    return 1;
}

/* ---- columns that are summed, made first --------------------------------- */

/* Rows first .. last - 1 of Z = diag(s) X, or of diag(s) (x_0 - x_1) if there
 * is to be one column of two; without s, of x_0 - x_1. */
static void scale_rows(const step *s, int64_t first, int64_t last,
                       float *restrict Z)
{
    const float *restrict scale = s->W->scale, *restrict X = s->X;
    const int k = s->k;

    if (s->columns < k && scale)
#pragma omp simd
        for (int64_t v = first; v < last; v++)
            Z[v] = scale[v] * (X[2 * v] - X[2 * v + 1]);
    else if (s->columns < k)
#pragma omp simd
        for (int64_t v = first; v < last; v++)
            Z[v] = X[2 * v] - X[2 * v + 1];
    else
        for (int64_t v = first; v < last; v++)
            for (int c = 0; c < k; c++)
                Z[v * k + c] = scale[v] * X[v * k + c];
}

/* All of it in the spare memory; NULL if that is taken. */
static float *scaled(const step *s)
{
    enum { ROWS = 1 << 12 };
    const kith__operator *W = s->W;
    float *Z;

    if (!W->scratch || s->k > KITH__FEW ||
        atomic_flag_test_and_set(&W->scratch->taken))
        return NULL;
    Z = W->scratch->Z;
#pragma omp parallel for num_threads(W->threads) schedule(static)
    for (int64_t v = 0; v < W->n; v += ROWS)
        scale_rows(s, v, W->n - v < ROWS ? W->n : v + ROWS, Z);
    memset(Z + (int64_t)W->n * s->columns, 0, PADDING * sizeof(*Z));
    return Z;
}

/* ---- a pass -------------------------------------------------------------- */

/* Few classes: pieces of the edges; many: as many rows as BLAS likes. */
static float step_all(const step *s, int32_t from, int32_t to)
{
    enum { PIECES = 64, LEAST = 1 << 14, MOST = 1 << 16 };
    const kith__operator *W = s->W;
    const _Bool few = s->k <= KITH__FEW, avx2 = !W->portable && has_avx2();
    const int64_t rows = kith__rows_at_once(s->k);
    const int64_t work = (few ? W->rows[to] - W->rows[from] : 0) + to - from;
    const int64_t share = work / PIECES;
    const int64_t size = !few            ? rows
                         : share < LEAST ? LEAST
                         : share > MOST  ? MOST
                                         : share;
    const int64_t pieces = (work + size - 1) / size;
    float change = 0;

#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 1) \
    reduction(max                                                     \
              : change) if (pieces > 1)
    for (int64_t i = 0; i < pieces; i++) {
        const int32_t first = few ? piece_begin(W, from, to, i, size)
                                  : (int32_t)(from + i * size);
        const int32_t last = i + 1 == pieces ? to
                             : few ? piece_begin(W, from, to, i + 1, size)
                                   : (int32_t)(first + rows);
        float here;

        kith__file_stream_at(&W->stream, W->rows[first], W->rows[last]);
        here = avx2 ? step_rows_avx2(s, s->k, first, last)
                    : step_rows_portable(s, s->k, first, last);

        change = here > change ? here : change;
    }
    return change;
}

/* How neighbours are weighed: what is not made first is done with each. */
static int weight_kind(const step *s)
{
    const _Bool apart = s->columns < s->k && !s->Z;

    if (s->W->weights)
        return apart ? KITH__PER_EDGE_APART : KITH__PER_EDGE;
    return s->Z ? KITH__ONE : apart ? KITH__PER_NODE_APART : KITH__PER_NODE;
}

float kith__operator_apply(const kith__operator *op, int32_t first,
                           int32_t last, const float *X, const float *Q,
                           float *restrict Y)
{
    const int k = (int)kith__columns(op);
    step s = {.W = op, .X = X, .Q = Q, .Y = Y, .k = k, .columns = k};
    float change;

    if (op->form)
        return op->form->apply(op, first, last, X, Q, Y);
    for (int i = 0; k <= KITH__FEW && i < k * k; i++)
        s.H[i] = entry_at(op, i / k, i % k);
    if (is_centred_pair(k, s.H))
        s.columns = 1;
    /* worth making first for many rows alone */
    if ((!op->weights || s.columns < k) && last - first > op->n / 4)
        s.Z = scaled(&s);
    s.how = weight_kind(&s);
    change = step_all(&s, first, last);
    if (s.Z)
        atomic_flag_clear(&op->scratch->taken);
    return change;
}

/* ---- rows and edges ------------------------------------------------------ */

void kith__operator_bound(const kith__operator *op, int32_t first, int32_t last,
                          const float *y, double *out)
{
    const int32_t *at = op->neighbours;
    const int64_t end = op->rows[op->n] - 1;

    if (op->form) {
        op->form->bound(op, first, last, y, out);
        return;
    }
    for (int32_t u = first; u < last; u++) {
        double sum = 0;

        for (int64_t p = op->rows[u]; p < op->rows[u + 1]; p++) {
            const int32_t v = at[p];

            __builtin_prefetch(
                y + at[p + KITH__AHEAD < end ? p + KITH__AHEAD : end]);
            sum += (double)y[v] * (op->weights ? fabs((double)op->weights[p])
                                               : (double)op->scale[v]);
        }
        out[u - first] = op->weights ? sum : sum * (double)op->scale[u];
    }
}

int64_t kith__operator_push(const kith__operator *op, const int32_t *nodes,
                            int32_t count, const float *X, float *Y,
                            int32_t *touched)
{
    const int64_t k = kith__columns(op);
    int64_t n = 0;

    for (int32_t i = 0; i < count; i++) {
        const int32_t v = nodes[i];
        float xH[KITH__CLASSES_MOST];

        memset(xH, 0, (size_t)k * sizeof(*xH));
        couple_rows(op, X + v * k, 1, xH);
        for (int64_t p = op->rows[v]; p < op->rows[v + 1]; p++) {
            const int32_t u = op->neighbours[p];

            touched[n++] = u;
            kith__add_scaled(Y + u * k, (float)kith__operator_weight(op, v, p),
                             xH, (int)k);
        }
    }
    return n;
}

int64_t kith__reverse_of(const kith__operator *W, int32_t u, int32_t v)
{
    const int64_t from = W->rows[v], last = W->rows[W->n] - 1;
    const int64_t at = from + kith__first_from(W->neighbours + from,
                                               W->rows[v + 1] - from, u);

    return at <= last ? at : last;
}

void kith__neighbour_sum(const kith__operator *W, const float *X, int k,
                         int32_t u, float *restrict out)
{
    const step s = {.W = W, .X = X};
    const int how = W->weights ? KITH__PER_EDGE : KITH__PER_NODE;
    const kith__neighbours all = neighbours_of(&s, k);
    kith__v4 row[KITH__FEW_VECTORS];

    if (k > KITH__FEW) {
        sum_many(&s, k, how, u, out);
        return;
    }
#define PER_EDGE(K) sum_few(W, &all, K, KITH__PER_EDGE, u, NULL, row)
#define PER_NODE(K) sum_few(W, &all, K, KITH__PER_NODE, u, NULL, row)
    if (how == KITH__PER_EDGE)
        KITH__WITH_CONSTANT(k, PER_EDGE);
    else
        KITH__WITH_CONSTANT(k, PER_NODE);
#undef PER_EDGE
#undef PER_NODE
    kith__row_put(out, 0, k, k, row);
}

/* ---- as propagation starts ----------------------------------------------- */

/* d_u^-1/2, 0 for a node without (weighted) edges. */
static void inverse_roots(const kith_graph *g, int threads, float *scale)
{
    const int64_t *rows = kith_graph_rows(g);
    const float *a = kith_graph_weights(g);
    const int32_t n = kith_graph_nodes(g);

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t u = 0; u < n; u++) {
        double d = a ? 0 : (double)(rows[u + 1] - rows[u]);

        for (int64_t p = rows[u]; a && p < rows[u + 1]; p++)
            d += (double)a[p];
        scale[u] = d > 0 ? (float)(1 / sqrt(d)) : 0;
    }
}

/* To whole cache lines. */
static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* One piece of memory: `count` floats, Z, of which passes touch only as many
 * pages as they need, and what says whether Z is taken. */
static float *floats_and_scratch(kith__operator *W, int64_t count)
{
    const int64_t bytes = round_up(count * 4);
    const int64_t Z_bytes = round_up(((int64_t)W->n * KITH__FEW + PADDING) * 4);
    char *memory =
        kith__alloc_big(bytes + Z_bytes + (int64_t)sizeof(*W->scratch), 1);

    if (!memory)
        return NULL;
    W->scratch = (void *)(memory + bytes + Z_bytes);
    W->scratch->Z = (void *)(memory + bytes);
    atomic_flag_clear(&W->scratch->taken);
    return (void *)memory;
}

static _Bool start_weighted(const kith_graph *g, kith__operator *W,
                            float **weights)
{
    const float *a = kith_graph_weights(g);
    float *scale = kith__alloc(W->n, sizeof(*scale)), *w;

    w = *weights = floats_and_scratch(W, W->rows[W->n]);
    if (!scale || !w) {
        kith__free(scale);
        return 0;
    }
    inverse_roots(g, W->threads, scale);
#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < W->n; u++)
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
            w[p] = a[p] * scale[u] * scale[W->neighbours[p]];
    W->weights = w;
    kith__free(scale);
    return 1;
}

_Bool kith__operator_start(const kith_graph *g, int threads, kith__operator *W,
                           float **scale, float **weights)
{
    *W = (kith__operator){.n = kith_graph_nodes(g),
                          .rows = kith_graph_rows(g),
                          .neighbours = kith_graph_neighbours(g),
                          .stream = kith__stream_of(g),
                          .rho = kith_graph_edges(g) > 0 ? 1 : 0,
                          .threads = threads};
    *scale = *weights = NULL;
    if (kith_graph_weights(g))
        return start_weighted(g, W, weights);
    W->scale = *scale = floats_and_scratch(W, W->n);
    if (!*scale)
        return 0;
    inverse_roots(g, threads, *scale);
    return 1;
}
