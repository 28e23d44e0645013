#include "models/propagation/fixed_point.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "kernels/neighbour_sum.h"
#include "models/propagation/two_classes.h"
#include "models/solution.h"

int64_t kith__solve_workspace(int32_t n, int k)
{
    return 3 * (int64_t)n * k + (int64_t)k * k;
}

/* What is told of blocks of cells: the same for any number of threads. */
enum { BLOCK = 1 << 14 };

typedef struct block {
    double dot;     /* D . AD, or R . R */
    double worth;   /* sum |r p| */
    double largest; /* |r| */
} block;

typedef struct gradients {
    int k;             /* columns */
    float *R, *D, *AD; /* what is left, the direction, D - W D H */
    float *less;       /* -H */
    const float *P;    /* may be NULL */
    block *block;
    int64_t cells, blocks;
    int threads;
} gradients;

/* Of k columns. */
static kith_status start(const kith__task *t, int k, const float *H,
                         const float *P, float *room, gradients *g,
                         kith_error *err)
{
    const int64_t cells = (int64_t)t->n * k;
    kith_status st = KITH_OK;

    *g = (gradients){.k = k,
                     .R = room,
                     .D = room + cells,
                     .AD = room + 2 * cells,
                     .less = room + 3 * cells,
                     .P = P,
                     .cells = cells,
                     .blocks = (cells + BLOCK - 1) / BLOCK,
                     .threads = t->threads};
    for (int i = 0; i < k * k; i++)
        g->less[i] = -H[i];
    TRY_NEW(g->block, kith__alloc(g->blocks, sizeof(*g->block)));
out:
    return st;
}

static block total(const gradients *g)
{
    block sum = {0};

    for (int64_t b = 0; b < g->blocks; b++) {
        sum.dot += g->block[b].dot;
        sum.worth += g->block[b].worth;
        sum.largest = fmax(sum.largest, g->block[b].largest);
    }
    return sum;
}

static int64_t end_of_block(const gradients *g, int64_t b)
{
    return (b + 1) * BLOCK < g->cells ? (b + 1) * BLOCK : g->cells;
}

/* D . AD */
static double curvature(gradients *g)
{
#pragma omp parallel for num_threads(g->threads) schedule(static)
    for (int64_t b = 0; b < g->blocks; b++) {
        double sum = 0;

        for (int64_t i = b * BLOCK; i < end_of_block(g, b); i++)
            sum += (double)g->D[i] * (double)g->AD[i];
        g->block[b] = (block){.dot = sum};
    }
    return total(g).dot;
}

/* Z += a D, R -= a AD; then what is left. */
static block walk(gradients *g, double a, float *Z)
{
#pragma omp parallel for num_threads(g->threads) schedule(static)
    for (int64_t b = 0; b < g->blocks; b++) {
        block left = {0};

        for (int64_t i = b * BLOCK; i < end_of_block(g, b); i++) {
            const double r = (double)g->R[i] - a * (double)g->AD[i];

            Z[i] = (float)((double)Z[i] + a * (double)g->D[i]);
            g->R[i] = (float)r;
            left.dot += r * r;
            left.largest = fabs(r) > left.largest ? fabs(r) : left.largest;
            if (g->P)
                left.worth += fabs(r * (double)g->P[i]);
        }
        g->block[b] = left;
    }
    return total(g);
}

/* D = R + b D */
static void turn(gradients *g, double b)
{
#pragma omp parallel for num_threads(g->threads) schedule(static)
    for (int64_t i = 0; i < g->cells; i++)
        g->D[i] = (float)((double)g->R[i] + b * (double)g->D[i]);
}

/* ---- a direction at few rows --------------------------------------------- */

/*
 * From an E of one node the first directions reach its neighbours and theirs:
 * a step then is a walk from these few rows instead of a pass over all edges.
 * W is symmetric, so that row v is column v.
 */
enum { FEW_AT_FIRST = 16, FEW_EDGES = 1 << 18 };

typedef struct few {
    int32_t *node, *next; /* rows where D is not 0; room for those of AD */
    int32_t count;        /* negative: many */
} few;

static kith_status find_few(const gradients *g, few *f, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(f->node, kith__alloc(FEW_EDGES, sizeof(*f->node)));
    TRY_NEW(f->next, kith__alloc(FEW_EDGES, sizeof(*f->next)));
    for (int64_t i = 0; i < g->cells && f->count >= 0; i++) {
        const int32_t u = (int32_t)(i / g->k);

        if (g->R[i] == 0 || (f->count > 0 && f->node[f->count - 1] == u))
            continue;
        if (f->count == FEW_AT_FIRST)
            f->count = -1;
        else
            f->node[f->count++] = u;
    }
out:
    return st;
}

static void release_few(few *f)
{
    kith__free(f->node);
    kith__free(f->next);
}

/* AD += row v of D, less what it passes on; returns n, and its neighbours. */
static int32_t step_from(const kith__operator *W, gradients *g, int32_t v,
                         few *f, int32_t n)
{
    const int k = g->k;
    const float *d = g->D + (int64_t)v * k;

    f->next[n++] = v;
    for (int c = 0; c < k; c++)
        g->AD[(int64_t)v * k + c] += d[c];
    for (int64_t p = W->rows[v]; p < W->rows[v + 1]; p++) {
        const int32_t u = W->neighbours[p];
        const float w = (float)kith__weight_at(W, v, p);

        f->next[n++] = u;
        for (int i = 0; i < k; i++)
            for (int c = 0; c < k; c++)
                g->AD[(int64_t)u * k + c] += w * d[i] * g->less[i * k + c];
    }
    return n;
}

/* AD = D - W D H by rows where D is not 0; false if they are too many. */
static bool step_few(const kith__operator *W, gradients *g, few *f)
{
    int32_t *swap = f->node, n = 0;
    int64_t edges = 0;

    for (int32_t i = 0; i < f->count; i++)
        edges += 1 + W->rows[f->node[i] + 1] - W->rows[f->node[i]];
    if (f->count < 0 || edges > FEW_EDGES) {
        f->count = -1;
        return false;
    }
    memset(g->AD, 0, (size_t)g->cells * sizeof(*g->AD));
    for (int32_t i = 0; i < f->count; i++)
        n = step_from(W, g, f->node[i], f, n);
    f->count = kith__sort_once(f->next, n);
    f->node = f->next;
    f->next = swap;
    return true;
}

/* ---- steps --------------------------------------------------------------- */

/* Where to end: one of three measures of what is left is at most `enough`, and
 * |R| at most `length`. */
typedef struct ending {
    enum { WORTH, RELATIVE, LARGEST } of; /* |R|, by that at the start */
    double enough, length;
    int most; /* steps */
} ending;

static double measure(const ending *to, const block *left, double first)
{
    return to->of == WORTH      ? left->worth
           : to->of == RELATIVE ? sqrt(left->dot / first)
                                : left->largest;
}

/*
 * Steps of conjugate gradients from Z, R = E - Z + W Z H being what is left
 * there.  Tells how many, and what is left of the measure; it was above
 * `enough` before.
 */
static kith_status descend(const kith__task *t, const kith__operator *W,
                           const ending *to, const char *stage, gradients *g,
                           float *Z, int *steps, double *left, kith_error *err)
{
    static const double BEYOND = 1e-16; /* of |R|^2: what floats cannot tell */
    kith_status st = KITH_OK;
    double square, first, now = *left;
    few rows = {0};
    int done = 0;

    TRY(find_few(g, &rows, err));
    memcpy(g->D, g->R, (size_t)g->cells * sizeof(*g->D));
    memcpy(g->AD, g->R, (size_t)g->cells * sizeof(*g->AD));
    first = square = curvature(g);
    while (done < to->most && square > BEYOND * first &&
           (now > to->enough || sqrt(square) > to->length)) {
        const double before = square;
        double curved;
        block rest;

        if (!step_few(W, g, &rows))
            kith__operator_apply(W, g->D, g->k, g->less, g->D, g->AD);
        curved = curvature(g);
        if (!(curved > 0)) /* numbers too small for floats */
            break;
        rest = walk(g, before / curved, Z);
        square = rest.dot;
        now = measure(to, &rest, first);
        turn(g, square / before);
        done++;
        if (stage)
            TRY(kith__progress(t->job, stage, done, to->most, "iterations",
                               err));
    }
    *steps = done;
    *left = now;
out:
    release_few(&rows);
    return st;
}

static kith_status solve(const kith__system *a, const float *P,
                         const ending *to, const char *stage, float *room,
                         const float *E, float *Z, kith_error *err)
{
    kith_status st = KITH_OK;
    gradients g = {0};
    double left = INFINITY;
    int steps;

    TRY(start(a->task, a->k, a->H, P, room, &g, err));
    memset(Z, 0, (size_t)g.cells * sizeof(*Z));
    memcpy(g.R, E, (size_t)g.cells * sizeof(*E));
    TRY(descend(a->task, a->W, to, stage, &g, Z, &steps, &left, err));
out:
    kith__free(g.block);
    return st;
}

enum { MOST = 500 };

kith_status kith__solve_system(const kith__system *a, const float *P,
                               double enough, double length, const char *stage,
                               float *room, const float *E, float *Z,
                               kith_error *err)
{
    const ending to = {WORTH, enough, length, MOST};

    return solve(a, P, &to, stage, room, E, Z, err);
}

kith_status kith__fixed_point(const kith__task *t, const kith__operator *W,
                              const float *H, double enough, float *room,
                              const float *E, float *Z, kith_error *err)
{
    const ending to = {RELATIVE, enough, INFINITY, MOST};
    const int32_t n = t->n;
    float *e = room + kith__solve_workspace(n, 1), *z = e + n, h;
    kith_status st = KITH_OK;

    if (!kith__is_one_column(t, H, E, E))
        return solve(&(kith__system){t, W, t->classes, H}, NULL, &to, NULL,
                     room, E, Z, err);
    h = kith__one_coupling(H);
    kith__first_column(E, n, t->threads, e);
    TRY(solve(&(kith__system){t, W, 1, &h}, NULL, &to, NULL, room, e, z, err));
    kith__both_columns(z, n, t->threads, Z);
out:
    return st;
}

/* R = Q + W P H - P; returns the largest of it. */
static double find_left(const kith__operator *W, const float *H, const float *Q,
                        const float *P, gradients *g)
{
    const float change = kith__operator_apply(W, P, g->k, H, Q, g->R);

#pragma omp parallel for num_threads(g->threads) schedule(static)
    for (int64_t i = 0; i < g->cells; i++)
        g->R[i] -= P[i];
    return (double)change;
}

/* With k columns. */
static kith_status settle(const kith__task *t, const kith__operator *W, int k,
                          const float *H, const float *Q, int most,
                          double tolerance, float *room, float *P,
                          kith_certificate *c, kith_error *err)
{
    const ending to = {LARGEST, tolerance, INFINITY, most - 1};
    kith_status st = KITH_OK;
    gradients g = {0};
    int steps = 0;

    TRY(start(t, k, H, NULL, room, &g, err));
    c->residual = find_left(W, H, Q, P, &g);
    if (most == 1 || c->residual <= tolerance) /* as well a plain step */
        for (int64_t i = 0; i < g.cells; i++)
            P[i] += g.R[i];
    else
        TRY(descend(t, W, &to, "propagating", &g, P, &steps, &c->residual,
                    err));
    c->iterations = 1 + steps;
    c->converged = c->residual <= tolerance;
out:
    kith__free(g.block);
    return st;
}

kith_status kith__solve_fixed_point(const kith__task *t,
                                    const kith__operator *W, const float *H,
                                    const float *Q, int most, double tolerance,
                                    float *room, float *P, kith_certificate *c,
                                    kith_error *err)
{
    const int32_t n = t->n;
    float *p = room + kith__solve_workspace(n, 1), *q = p + n, h;
    kith_status st = KITH_OK;

    if (!kith__is_one_column(t, H, Q, P))
        return settle(t, W, t->classes, H, Q, most, tolerance, room, P, c, err);
    h = kith__one_coupling(H);
    kith__first_column(P, n, t->threads, p);
    kith__first_column(Q, n, t->threads, q);
    TRY(settle(t, W, 1, &h, q, most, tolerance, room, p, c, err));
    kith__both_columns(p, n, t->threads, P);
out:
    return st;
}

/* Row u of R = Q + W X H - X; sum: k. */
KITH__ALWAYS_INLINE void change_of_row(const kith__operator *W, const float *X,
                                       int k, const float *H, const float *Q,
                                       int32_t u, double *sum, double *r)
{
    const int64_t last = W->rows[W->n] - 1;

    memset(sum, 0, (size_t)k * sizeof(*sum));
    for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
        const int64_t ahead = p + KITH__AHEAD < last ? p + KITH__AHEAD : last;
        const float *x = X + (int64_t)W->neighbours[p] * k;
        const double w = kith__weight_at(W, u, p);

        __builtin_prefetch(X + (int64_t)W->neighbours[ahead] * k);
        for (int c = 0; c < k; c++)
            sum[c] += w * (double)x[c];
    }
    for (int c = 0; c < k; c++)
        r[c] = (double)Q[(int64_t)u * k + c] - (double)X[(int64_t)u * k + c];
    for (int i = 0; i < k; i++)
        for (int c = 0; c < k; c++)
            r[c] += sum[i] * (double)H[i * k + c];
}

void kith__residual(const kith__operator *W, const float *X, int k,
                    const float *H, const float *Q, double *R)
{
#pragma omp parallel num_threads(W->threads)
    {
        double sum[KITH__CLASSES_MOST];

#pragma omp for schedule(dynamic, 1024)
        for (int32_t u = 0; u < W->n; u++) {
#define CHANGE(k) change_of_row(W, X, k, H, Q, u, sum, R + (int64_t)u * (k))
            KITH__WITH_CONSTANT(k, CHANGE);
#undef CHANGE
        }
    }
}

double kith__residual_dot(const kith__operator *W, const float *X, int k,
                          const float *H, const float *Q, const double *Z)
{
    enum { PARTS = 1024 }; /* the same for any number of threads */
    double part[PARTS], worth = 0;

#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 1)
    for (int64_t i = 0; i < PARTS; i++) {
        const int32_t end = (int32_t)(W->n * (i + 1) / PARTS);
        double sum[KITH__CLASSES_MOST], r[KITH__CLASSES_MOST];

        part[i] = 0;
        for (int32_t u = (int32_t)(W->n * i / PARTS); u < end; u++) {
#define CHANGE(k) change_of_row(W, X, k, H, Q, u, sum, r)
            KITH__WITH_CONSTANT(k, CHANGE);
#undef CHANGE
            for (int c = 0; c < k; c++)
                part[i] += r[c] * Z[(int64_t)u * k + c];
        }
    }
    for (int i = 0; i < PARTS; i++)
        worth += part[i];
    return worth;
}
