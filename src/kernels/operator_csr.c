#include "kernels/operator.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "kernels/gemm.h"
#include "kernels/neighbour_sum.h"

/*
 * A step over the edges.  With separable W,
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
 */
typedef struct step {
    const kith__operator *W;
    const float *X, *H, *Q;
    float *Y;
    int columns; /* that are summed */
    float *Z;    /* s_v x_v, or NULL */
    int how;     /* kith__weight_kind of the sums */
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
    kith__lane_sums_total(&t, k, how == KITH__PER_EDGE ? 1 : W->scale[u], out);
}

/* Rows first .. last - 1 of Y = Q + W X H; returns max |Y - X|. */
KITH__ALWAYS_INLINE float step_few(const step *s, int k, int how, _Bool ask,
                                   int32_t first, int32_t last)
{
    const kith__operator W = *s->W;
    const int64_t cells = (int64_t)s->W->n * k, end = (int64_t)last * k;
    const kith__neighbours all = neighbours_of(s, k);
    int64_t asked = W.rows[first];
    kith__v4 h[KITH__FEW][KITH__FEW_VECTORS], change = {0};
    float scratch[KITH__FEW];

    kith__load_small(s->H, k, h);
    for (int32_t u = first; u < last; u++) {
        const int64_t at = (int64_t)u * k;
        kith__v4 pulled[KITH__FEW_VECTORS], y[KITH__FEW_VECTORS];
        const float *row = kith__row_at(s->Q, at, cells, k, scratch);

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
    kith__v4 change = {0};
    int64_t asked = W.rows[first];

    for (int32_t u = first; u < last; u++) {
        const int64_t at = 2 * (int64_t)u;
        kith__v4 sum, y, change_here;

        sum_few(&W, &all, 1, how, u, ask ? &asked : NULL, &sum);
        y = kith__pairs(s->Q + at, s->X + at) + h * sum; /* y0 y1 x0 x1 */
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

KITH__ALWAYS_INLINE float step_many(const step *s, int k, int32_t first,
                                    int32_t last)
{
    const int64_t at = (int64_t)first * k, n = last - first;
    float pulled[KITH__TOGETHER];

    for (int32_t i = 0; i < n; i++)
        sum_many(s, k, s->how, first + i, pulled + (int64_t)i * k);
    memcpy(s->Y + at, s->Q + at, (size_t)n * (size_t)k * sizeof(*s->Y));
    kith__add_product(pulled, n, k, s->H, s->Y + at);
    return largest_change(s->Y + at, s->X + at, n * k);
}

/* ---- either, on what the machine has ------------------------------------- */

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
    else if (s->columns < k && s->how == KITH__ONE)
        change = step_pair(s, KITH__ONE, ask, first, last);
    else if (s->columns < k)
        change = step_pair(s, KITH__APART, ask, first, last);
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
 * The first row of piece i: pieces have about as many rows and neighbours
 * together, so that one with the longest rows takes no longer than others.
 */
static int32_t piece_begin(const kith__operator *W, int64_t i, int64_t size)
{
    int32_t low = 0, high = W->n;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;

        if (W->rows[middle] + middle < i * size)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Are there two classes and is H, but for rounding, h (1, -1)' (1, -1)?  Then
 * that is put in `pair`. */
static _Bool is_centred_pair(const float *H, int k, float *pair)
{
    const float most = k == 2 ? 1e-6f * fabsf(H[0]) : 0;
    float h;

    if (k != 2 || fabsf(H[0] - H[3]) > most || fabsf(H[1] - H[2]) > most ||
        fabsf(H[0] + H[1]) > most)
        return 0;
    h = (H[0] - H[1] - H[2] + H[3]) / 4;
    pair[0] = pair[3] = h;
    pair[1] = pair[2] = -h;
    return 1;
}

/* Rows first .. last - 1 of Z = diag(s) X, or of diag(s) (x_0 - x_1) if there
 * is to be one column of two. */
static void scale_rows(const kith__operator *W, const float *restrict X, int k,
                       int columns, int64_t first, int64_t last,
                       float *restrict Z)
{
    const float *restrict s = W->scale;

    if (columns < k)
#pragma omp simd
        for (int64_t v = first; v < last; v++)
            Z[v] = s[v] * (X[2 * v] - X[2 * v + 1]);
    else
        for (int64_t v = first; v < last; v++)
            for (int c = 0; c < k; c++)
                Z[v * k + c] = s[v] * X[v * k + c];
}

/* All of it in the spare memory; NULL if that is taken. */
static float *scaled(const kith__operator *W, const float *X, int k,
                     int columns)
{
    enum { ROWS = 1 << 12 };
    float *Z;

    if (!W->scratch || k > KITH__FEW ||
        atomic_flag_test_and_set(&W->scratch->taken))
        return NULL;
    Z = W->scratch->Z;
#pragma omp parallel for num_threads(W->threads) schedule(static)
    for (int64_t v = 0; v < W->n; v += ROWS)
        scale_rows(W, X, k, columns, v, W->n - v < ROWS ? W->n : v + ROWS, Z);
    memset(Z + (int64_t)W->n * columns, 0, PADDING * sizeof(*Z));
    return Z;
}

/* Few classes: pieces of the edges; many: as many rows as BLAS likes. */
static float step_all(const step *s, int k, _Bool avx2)
{
    enum { PIECES = 64, LEAST = 1 << 14, MOST = 1 << 16 };
    const kith__operator *W = s->W;
    const _Bool few = k <= KITH__FEW;
    const int64_t rows = kith__rows_at_once(k);
    const int64_t work = few ? W->rows[W->n] + W->n : W->n;
    const int64_t share = work / PIECES;
    const int64_t size = !few            ? rows
                         : share < LEAST ? LEAST
                         : share > MOST  ? MOST
                                         : share;
    const int64_t pieces = (work + size - 1) / size;
    float change = 0;

#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 1) \
    reduction(max                                                     \
              : change)
    for (int64_t i = 0; i < pieces; i++) {
        const int32_t first = few ? piece_begin(W, i, size)
                                  : (int32_t)(i * size);
        const int32_t last = i + 1 == pieces ? W->n
                             : few           ? piece_begin(W, i + 1, size)
                                             : (int32_t)(first + rows);
        float here;

        kith__file_stream_at(&W->stream, W->rows[first], W->rows[last]);
        here = avx2 ? step_rows_avx2(s, k, first, last)
                    : step_rows_portable(s, k, first, last);

        change = here > change ? here : change;
    }
    return change;
}

float kith__operator_apply_on(_Bool avx2, const kith__operator *W,
                              const float *X, int k, const float *H,
                              const float *Q, float *restrict Y)
{
    step s = {.W = W, .X = X, .H = H, .Q = Q, .Y = Y, .columns = k};
    float pair[4], change;

    if (!W->weights) {
        if (is_centred_pair(H, k, pair)) {
            s.H = pair;
            s.columns = 1;
        }
        s.Z = scaled(W, X, k, s.columns);
    }
    s.how = W->weights ? KITH__PER_EDGE : s.Z ? KITH__ONE : KITH__PER_NODE;
    change = step_all(&s, k, avx2 && has_avx2());
    if (s.Z)
        atomic_flag_clear(&W->scratch->taken);
    return change;
}

float kith__operator_apply(const kith__operator *W, const float *X, int k,
                           const float *H, const float *Q, float *restrict Y)
{
    return kith__operator_apply_on(1, W, X, k, H, Q, Y);
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

/* One piece of memory: scale (n floats), Z, of which steps touch only as many
 * pages as they need, and what says whether Z is taken. */
static _Bool start_separable(const kith_graph *g, kith__operator *W,
                             float **scale)
{
    const int64_t n = W->n, scale_bytes = round_up(n * 4);
    const int64_t Z_bytes = round_up((n * KITH__FEW + PADDING) * 4);
    char *memory = kith__alloc_big(
        scale_bytes + Z_bytes + (int64_t)sizeof(*W->scratch), 1);

    if (!memory)
        return 0;
    *scale = (void *)memory;
    inverse_roots(g, W->threads, *scale);
    W->scale = *scale;
    W->scratch = (void *)(memory + scale_bytes + Z_bytes);
    W->scratch->Z = (void *)(memory + scale_bytes);
    atomic_flag_clear(&W->scratch->taken);
    return 1;
}

static _Bool start_explicit(const kith_graph *g, kith__operator *W,
                            float **weights)
{
    const float *a = kith_graph_weights(g);
    float *scale = kith__alloc(W->n, sizeof(*scale)), *w;

    w = *weights = kith__alloc_big(W->rows[W->n], sizeof(**weights));
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
    return kith_graph_weights(g) ? start_explicit(g, W, weights)
                                 : start_separable(g, W, scale);
}
