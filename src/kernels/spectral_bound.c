#include "kernels/spectral_bound.h"

#include <float.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/neighbour_sum.h"

enum { BLOCK = 256 }; /* rows at once */

void kith__norm_of_rows(const void *W, int32_t first, int32_t last,
                        const float *y, double *out)
{
    kith__operator_bound(W, first, last, y, out);
}

/* A search for bounds, of `count` W at once. */
typedef struct search {
    kith__rho_of of;
    kith__norm_fn *norm;            /* of this pass */
    double enough[KITH__RHO_MOST];  /* infinite once a bound is found */
    double bound[KITH__RHO_MOST];   /* the least so far */
    double last[KITH__RHO_MOST];    /* and before the last pass */
    double shift[KITH__RHO_MOST];   /* of the next step */
    float *y, *next;                /* n x count */
    uint64_t *above;                /* a bit per row: is it above enough? */
    double largest[KITH__RHO_MOST]; /* (|W| y)_u / y_u of all rows */
    double within[KITH__RHO_MOST];  /* and of those that are not above */
    int32_t *list;                  /* few rows, and what is summed of them */
    double *sum;
    int32_t listed;
} search;

static void mark(uint64_t *marks, int32_t u)
{
    marks[u / 64] |= UINT64_C(1) << (u % 64);
}

/* Count what y gives for a row; true if that is above enough for some W. */
static _Bool look_at(const search *s, const double *sum, const float *y,
                     double *largest, double *within)
{
    _Bool above = 0;

    for (int j = 0; j < s->of.count; j++) {
        const double ratio = sum[j] / (double)y[j];
        const double here = ratio >= 0 ? ratio : (double)INFINITY; /* no NaN */

        largest[j] = here > largest[j] ? here : largest[j];
        if (here > s->enough[j])
            above = 1;
        else
            within[j] = here > within[j] ? here : within[j];
    }
    return above;
}

/* ---- a pass over all rows ------------------------------------------------ */

/* Rows first .. last - 1: next_u = (shift y_u + sum_v |w_uv| y_v) / (shift +
 * bound), so that no entry grows, kept above 0, and what y gives. */
static void step_rows(const search *s, int32_t first, int32_t last,
                      double *largest, double *within)
{
    const int count = s->of.count;
    double sums[BLOCK * KITH__RHO_MOST], scale[KITH__RHO_MOST];

    for (int j = 0; j < count; j++)
        scale[j] = isinf(s->bound[j]) ? 1 : 1 / (s->shift[j] + s->bound[j]);
    s->norm(s->of.W, first, last, s->y, sums);
    for (int32_t u = first; u < last; u++) {
        const double *sum = sums + (int64_t)(u - first) * count;
        const float *y = s->y + (int64_t)u * count;

        for (int j = 0; j < count; j++) {
            const double to = scale[j] * (s->shift[j] * (double)y[j] + sum[j]);

            s->next[(int64_t)u * count + j] = to > 1e-30 ? (float)to : 1e-30f;
        }
        if (look_at(s, sum, y, largest, within))
            mark(s->above, u);
    }
}

static void step(search *s)
{
    const int32_t n = s->of.shape->n;
    double largest[KITH__RHO_MOST] = {0}, within[KITH__RHO_MOST] = {0};

    memset(s->above, 0, (size_t)(n / 64 + 1) * sizeof(*s->above));
#pragma omp parallel for num_threads(s->of.shape->threads)            \
    schedule(dynamic, 4) reduction(max                                \
                                   : largest[:KITH__RHO_MOST], within \
                                   [:KITH__RHO_MOST])
    for (int32_t first = 0; first < n; first += BLOCK)
        step_rows(s, first, n - first < BLOCK ? n : first + BLOCK, largest,
                  within);
    memcpy(s->largest, largest, sizeof(largest));
    memcpy(s->within, within, sizeof(within));
}

/* ---- few rows ------------------------------------------------------------ */

/*
 * Where only few rows are above enough, as around training nodes, no other pass
 * over all edges is needed.  y is raised there,
 *
 *     y_u <- (|W| y)_u / theta,    theta a little below enough,
 *
 * and they and their neighbours are summed again, until none is above: no sum
 * of another row has changed.  It fails where these rows become many.
 */
enum { ROUNDS = 20, LIST_MOST = 1 << 18, EDGES_SHARE = 4 };

/* Put a row on the list, unless it is there; *edges: of all that are. */
static _Bool enlist(search *s, int32_t u, int64_t *edges)
{
    const int64_t *rows = s->of.shape->rows;

    if (s->above[u / 64] >> (u % 64) & 1)
        return 1;
    *edges += rows[u + 1] - rows[u];
    if (s->listed == LIST_MOST || *edges > rows[s->of.shape->n] / EDGES_SHARE)
        return 0;
    mark(s->above, u);
    s->list[s->listed++] = u;
    return 1;
}

/* List the rows that a pass marked. */
static _Bool list_marked(search *s)
{
    const int32_t words = s->of.shape->n / 64 + 1;
    int64_t edges = 0;

    s->listed = 0;
    for (int32_t i = 0; i < words; i++) {
        uint64_t word = s->above[i];

        for (s->above[i] = 0; word; word &= word - 1)
            if (!enlist(s, i * 64 + __builtin_ctzll(word), &edges))
                return 0;
    }
    return 1;
}

static void sum_listed(search *s)
{
#pragma omp parallel for num_threads(s->of.shape->threads) schedule(dynamic, 16)
    for (int32_t i = 0; i < s->listed; i++)
        s->norm(s->of.W, s->list[i], s->list[i] + 1, s->y,
                s->sum + (int64_t)i * s->of.count);
}

/* Keep only those above enough on the list, and raise y there. */
static void raise_above(search *s)
{
    const int32_t listed = s->listed;
    double unused[KITH__RHO_MOST] = {0};

    s->listed = 0;
    for (int32_t i = 0; i < listed; i++) {
        const int32_t u = s->list[i];
        const double *sum = s->sum + (int64_t)i * s->of.count;
        float *y = s->y + (int64_t)u * s->of.count;

        s->above[u / 64] = 0;
        if (!look_at(s, sum, y, unused, s->within))
            continue;
        s->list[s->listed++] = u;
        for (int j = 0; j < s->of.count; j++)
            if (sum[j] > s->enough[j] * (double)y[j])
                y[j] = (float)(sum[j] / (0.25 + 0.75 * s->enough[j]));
    }
}

static _Bool list_around(search *s)
{
    const int64_t *rows = s->of.shape->rows;
    const int32_t raised = s->listed;
    int64_t edges = 0;

    s->listed = 0;
    for (int32_t i = 0; i < raised; i++)
        if (!enlist(s, s->list[i], &edges))
            return 0;
    for (int32_t i = 0; i < raised; i++)
        for (int64_t p = rows[s->list[i]]; p < rows[s->list[i] + 1]; p++)
            if (!enlist(s, s->of.shape->neighbours[p], &edges))
                return 0;
    return 1;
}

/* After a pass: true if no row is above enough any more. */
static _Bool settle_few(search *s)
{
    if (!list_marked(s))
        return 0;
    for (int round = 0; round < ROUNDS; round++) {
        sum_listed(s);
        raise_above(s);
        if (s->listed == 0)
            return 1;
        if (!list_around(s))
            return 0;
    }
    return 0;
}

/* ---- the bounds ---------------------------------------------------------- */

/* After a pass: what it says of the bounds.  One is finished where it is good
 * enough, or fell little in two passes (in one it may by chance).  True once
 * all are. */
static _Bool improve(search *s)
{
    _Bool all = 1;

    for (int j = 0; j < s->of.count; j++) {
        const double before = s->last[j];

        if (isinf(s->enough[j]))
            continue;
        s->last[j] = s->bound[j];
        s->bound[j] = fmin(s->bound[j], s->largest[j]);
        if (s->bound[j] <= s->enough[j] || s->bound[j] > before * 0.98)
            s->enough[j] = INFINITY;
        else
            all = 0;
    }
    return all;
}

/* For the next pass; the first bound may be far from rho. */
static void choose_shifts(search *s, _Bool first)
{
    for (int j = 0; j < s->of.count; j++)
        s->shift[j] = first ? fmin(1, s->bound[j] / 6) : s->bound[j] / 6;
}

static void find_bounds(search *s, int most)
{
    for (int j = 0; j < s->of.count; j++) {
        s->bound[j] = s->last[j] = INFINITY;
        s->shift[j] = 0.25;
    }
    for (int i = 0; i < most; i++) {
        float *swap = s->y;

        step(s);
        s->norm = s->of.norm;
        if (improve(s))
            return;
        if (settle_few(s)) {
            for (int j = 0; j < s->of.count; j++)
                s->bound[j] = fmin(s->bound[j], s->within[j]);
            return;
        }
        choose_shifts(s, i == 0);
        s->y = s->next;
        s->next = swap;
    }
}

static _Bool begin(search *s)
{
    const int64_t n = s->of.shape->n, cells = n * s->of.count;
    /* norms of several W may read vectors */
    const int64_t padded = cells + (s->of.count > 1 ? KITH__LANES : 0);
    const int64_t most = n < LIST_MOST ? n : LIST_MOST;
    const int64_t *rows = s->of.shape->rows;

    s->y = s->of.room ? s->of.room : kith__alloc_big(padded, sizeof(*s->y));
    s->next = s->of.room ? s->of.room + padded
                         : kith__alloc_big(padded, sizeof(*s->next));
    s->above = kith__alloc(n / 64 + 1, sizeof(*s->above));
    s->list = kith__alloc(most, sizeof(*s->list));
    s->sum = kith__alloc(most * s->of.count, sizeof(*s->sum));
    if (!s->y || !s->next || !s->above || !s->list || !s->sum)
        return 0;
#pragma omp parallel for num_threads(s->of.shape->threads) schedule(static)
    for (int64_t u = 0; u < n; u++)
        for (int j = 0; j < s->of.count; j++)
            s->y[u * s->of.count + j] = kith__rho_start(rows[u + 1] - rows[u]);
    return 1;
}

_Bool kith__rho_bounds(const kith__rho_of *of, int most, const double *enough,
                       double *bounds)
{
    search s = {.of = *of, .norm = of->first ? of->first : of->norm};
    const _Bool good = begin(&s);

    for (int j = 0; j < s.of.count; j++)
        s.enough[j] = fmin(enough[j], DBL_MAX);
    if (good)
        find_bounds(&s, most);
    memcpy(bounds, s.bound, (size_t)s.of.count * sizeof(*bounds));
    if (!of->room) {
        kith__free(s.y);
        kith__free(s.next);
    }
    kith__free(s.above);
    kith__free(s.list);
    kith__free(s.sum);
    return good;
}

double kith__rho_bound(const kith__operator *W, int most, double enough)
{
    const kith__rho_of of = {
        .shape = W, .norm = kith__norm_of_rows, .W = W, .count = 1};
    double bound = INFINITY;

    return kith__rho_bounds(&of, most, &enough, &bound) ? bound : -1;
}

double kith__rho_small(const float *H, int k)
{
    double v[KITH__CLASSES_MOST], next[KITH__CLASSES_MOST];
    double norm = 0, last = -1;

    for (int i = 0; i < k; i++) /* no symmetry of H should be in the start */
        v[i] = 1 + 0.37 * sin(1 + 2.3 * i);
    for (int it = 0; it < 1000; it++) {
        double length = 0;

        for (int i = 0; i < k; i++)
            length += v[i] * v[i];
        length = sqrt(length);
        if (length == 0)
            return 0;
        norm = 0;
        for (int i = 0; i < k; i++) {
            next[i] = 0;
            for (int j = 0; j < k; j++)
                next[i] += (double)H[(int64_t)i * k + j] * v[j] / length;
            norm += next[i] * next[i];
        }
        norm = sqrt(norm); /* |H v| / |v|: from below, also for +- pairs */
        if (fabs(norm - last) <= 1e-12 * norm)
            break;
        last = norm;
        for (int i = 0; i < k; i++)
            v[i] = next[i];
    }
    return norm;
}
