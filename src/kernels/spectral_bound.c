#include "kernels/spectral_bound.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"

enum { BLOCK = 256 }; /* rows at once */

/* A search for a bound. */
typedef struct search {
    const kith__operator *W;
    const kith__operator *now; /* of this pass */
    double rho_target;         /* the bound that would do */
    double bound;              /* the least so far */
    double last;               /* and before the last pass */
    double shift;              /* of the next step */
    float *y, *next;           /* n */
    uint64_t *above;           /* a bit per row: is it above enough? */
    double largest;            /* (|W| y)_u / y_u of all rows */
    double within;             /* and of those that are not above */
    int32_t *list;             /* few rows, and what is summed of them */
    double *sum;
    int32_t listed;
} search;

static void mark(uint64_t *marks, int32_t u)
{
    marks[u / 64] |= UINT64_C(1) << (u % 64);
}

/* Count what y gives for a row; true if that is above enough. */
static _Bool look_at(const search *s, double sum, float y, double *largest,
                     double *within)
{
    const double ratio = sum / (double)y;
    const double here = ratio >= 0 ? ratio : (double)INFINITY; /* no NaN */

    *largest = here > *largest ? here : *largest;
    if (here > s->rho_target)
        return 1;
    *within = here > *within ? here : *within;
    return 0;
}

/* ---- a pass over all rows ------------------------------------------------ */

/* Rows first .. last - 1: next_u = (shift y_u + sum_v |w_uv| y_v) / (shift +
 * bound), so that no entry grows, kept above 0, and what y gives. */
static void step_rows(const search *s, int32_t first, int32_t last,
                      double *largest, double *within)
{
    const double scale = isinf(s->bound) ? 1 : 1 / (s->shift + s->bound);
    double sums[BLOCK];

    kith__operator_bound(s->now, first, last, s->y, sums);
    for (int32_t u = first; u < last; u++) {
        const double sum = sums[u - first];
        const double to = scale * (s->shift * (double)s->y[u] + sum);

        s->next[u] = to > 1e-30 ? (float)to : 1e-30f;
        if (look_at(s, sum, s->y[u], largest, within))
            mark(s->above, u);
    }
}

static void step(search *s)
{
    const int32_t n = s->W->n;
    double largest = 0, within = 0;

    memset(s->above, 0, (size_t)(n / 64 + 1) * sizeof(*s->above));
#pragma omp parallel for num_threads(s->W->threads) schedule(dynamic, 4) \
    reduction(max                                                        \
              : largest, within)
    for (int32_t first = 0; first < n; first += BLOCK)
        step_rows(s, first, n - first < BLOCK ? n : first + BLOCK, &largest,
                  &within);
    s->largest = largest;
    s->within = within;
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
    const int64_t *rows = s->W->rows;

    if (s->above[u / 64] >> (u % 64) & 1)
        return 1;
    *edges += rows[u + 1] - rows[u];
    if (s->listed == LIST_MOST || *edges > rows[s->W->n] / EDGES_SHARE)
        return 0;
    mark(s->above, u);
    s->list[s->listed++] = u;
    return 1;
}

/* List the rows that a pass marked. */
static _Bool list_marked(search *s)
{
    const int32_t words = s->W->n / 64 + 1;
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
#pragma omp parallel for num_threads(s->W->threads) schedule(dynamic, 16)
    for (int32_t i = 0; i < s->listed; i++)
        kith__operator_bound(s->now, s->list[i], s->list[i] + 1, s->y,
                             s->sum + i);
}

/* Keep only those above enough on the list, and raise y there. */
static void raise_above(search *s)
{
    const int32_t listed = s->listed;
    double unused = 0;

    s->listed = 0;
    for (int32_t i = 0; i < listed; i++) {
        const int32_t u = s->list[i];

        s->above[u / 64] = 0;
        if (!look_at(s, s->sum[i], s->y[u], &unused, &s->within))
            continue;
        s->list[s->listed++] = u;
        if (s->sum[i] > s->rho_target * (double)s->y[u]) /* it is no NaN */
            s->y[u] = (float)(s->sum[i] / (0.25 + 0.75 * s->rho_target));
    }
}

static _Bool list_around(search *s)
{
    const int64_t *rows = s->W->rows;
    const int32_t raised = s->listed;
    int64_t edges = 0;

    s->listed = 0;
    for (int32_t i = 0; i < raised; i++)
        if (!enlist(s, s->list[i], &edges))
            return 0;
    for (int32_t i = 0; i < raised; i++)
        for (int64_t p = rows[s->list[i]]; p < rows[s->list[i] + 1]; p++)
            if (!enlist(s, s->W->neighbours[p], &edges))
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

/* ---- the bound ----------------------------------------------------------- */

/* After a pass: what it says of the bound.  True if it is good enough, or fell
 * little in two passes (in one it may by chance). */
static _Bool improve(search *s)
{
    const double before = s->last;

    s->last = s->bound;
    s->bound = fmin(s->bound, s->largest);
    return s->bound <= s->rho_target || s->bound > before * 0.98;
}

static void find_bound(search *s, int most)
{
    s->bound = s->last = INFINITY;
    s->shift = 0.25;
    for (int i = 0; i < most; i++) {
        float *swap = s->y;

        step(s);
        s->now = s->W;
        if (improve(s))
            return;
        if (settle_few(s)) {
            s->bound = fmin(s->bound, s->within);
            return;
        }
        /* the first bound may be far from rho */
        s->shift = i == 0 ? fmin(1, s->bound / 6) : s->bound / 6;
        s->y = s->next;
        s->next = swap;
    }
}

static _Bool begin(search *s, float *workspace)
{
    const int64_t n = s->W->n, most = n < LIST_MOST ? n : LIST_MOST;
    const int64_t *rows = s->W->rows;

    s->y = workspace ? workspace : kith__alloc_big(n, sizeof(*s->y));
    s->next = workspace ? workspace + n : kith__alloc_big(n, sizeof(*s->next));
    s->above = kith__alloc(n / 64 + 1, sizeof(*s->above));
    s->list = kith__alloc(most, sizeof(*s->list));
    s->sum = kith__alloc(most, sizeof(*s->sum));
    if (!s->y || !s->next || !s->above || !s->list || !s->sum)
        return 0;
#pragma omp parallel for num_threads(s->W->threads) schedule(static)
    for (int64_t u = 0; u < n; u++)
        s->y[u] = sqrtf((float)(rows[u + 1] - rows[u]) + 1e-12f);
    return 1;
}

double kith__rho_bound_from(const kith__operator *first,
                            const kith__operator *W, int most,
                            double rho_target, float *workspace)
{
    search s = {.W = W,
                .now = first ? first : W,
                .rho_target = fmin(rho_target, DBL_MAX)};
    const _Bool good = begin(&s, workspace);

    if (good)
        find_bound(&s, most);
    if (!workspace) {
        kith__free(s.y);
        kith__free(s.next);
    }
    kith__free(s.above);
    kith__free(s.list);
    kith__free(s.sum);
    return good ? s.bound : -1;
}

double kith__rho_bound(const kith__operator *W, int most, double rho_target)
{
    return kith__rho_bound_from(NULL, W, most, rho_target, NULL);
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
