#include "kernels/fixed_point.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "kernels/neighbour_sum.h"

static kith_status tell(const kith__stopping *s, int done, kith_error *err)
{
    return s->stage ? kith__progress(s->job, s->stage, done, s->most,
                                     "iterations", err)
                    : KITH_OK;
}

/* ---- plain iterations ---------------------------------------------------- */

kith_status kith__iterate_by(kith__step_fn *step, void *user,
                             const kith__stopping *stopping, int64_t cells,
                             float *P, float *other, kith_certificate *c,
                             kith_error *err)
{
    float *from = P, *to = other;
    kith_status st = KITH_OK;

    c->iterations = 0;
    c->converged = false;
    while (c->iterations < stopping->most && !c->converged) {
        const double change = (double)step(user, from, to);
        float *swap = from;

        if (stopping->trace)
            stopping->trace[c->iterations] = change;
        kith__certify(c, change, c->iterations + 1, stopping->tolerance);
        from = to;
        to = swap;
        TRY(tell(stopping, c->iterations, err));
        if (!isfinite(change)) /* and it never will be again */
            break;
    }
    if (from != P)
        memcpy(P, from, (size_t)cells * sizeof(*P));
out:
    return st;
}

typedef struct plain {
    const kith__operator *op;
    const float *Q;
} plain;

static float step_plainly(void *user, const float *from, float *to)
{
    const plain *p = user;

    return kith__operator_apply(p->op, 0, p->op->n, from, p->Q, to);
}

kith_status kith__iterate(const kith__operator *op,
                          const kith__stopping *stopping, const float *Q,
                          float *P, float *other, kith_certificate *c,
                          kith_error *err)
{
    plain p = {op, Q};

    return kith__iterate_by(step_plainly, &p, stopping,
                            op->n * kith__columns(op), P, other, c, err);
}

/* ---- conjugate gradients ------------------------------------------------- */

int64_t kith__solve_workspace(int64_t n, int64_t columns)
{
    return 3 * n * columns;
}

/* What is left, told of all rows. */
typedef struct left {
    double square;   /* R . R */
    double weighted; /* sum |r p| */
    double largest;  /* |r| */
} left;

typedef struct gradients {
    const kith__operator *op;
    kith__operator less; /* X -> - W X H */
    int64_t columns, cells;
    float *R, *D, *AD; /* what is left, the direction, D - W D H */
    float *Z;
    double step; /* along D */
    const float *P;
} gradients;

static gradients start(const kith__operator *op, const float *P, float *Z,
                       float *workspace)
{
    const int64_t columns = kith__columns(op), cells = op->n * columns;
    gradients g = {.op = op,
                   .less = *op,
                   .columns = columns,
                   .cells = cells,
                   .R = workspace,
                   .D = workspace + cells,
                   .AD = workspace + 2 * cells,
                   .Z = Z,
                   .P = P};

    g.less.h = -op->h;
    return g;
}

/* D . AD */
static void add_curvature(void *user, int32_t first, int32_t last, double *out)
{
    const gradients *g = user;

    for (int64_t i = first * g->columns; i < last * g->columns; i++)
        *out += (double)g->D[i] * (double)g->AD[i];
}

/* Z += step D, R -= step AD; then what is left. */
static void walk_rows(void *user, int32_t first, int32_t last, double *out)
{
    gradients *g = user;
    left rest = {0};

    for (int64_t i = first * g->columns; i < last * g->columns; i++) {
        const double r = (double)g->R[i] - g->step * (double)g->AD[i];

        g->Z[i] = (float)((double)g->Z[i] + g->step * (double)g->D[i]);
        g->R[i] = (float)r;
        rest.square += r * r;
        rest.largest = fabs(r) > rest.largest ? fabs(r) : rest.largest;
        if (g->P)
            rest.weighted += fabs(r * (double)g->P[i]);
    }
    memcpy(out, &rest, sizeof(rest));
}

static left walk(gradients *g, double step)
{
    double out[KITH__REDUCED];
    left rest;

    g->step = step;
    kith__reduce(g->op, walk_rows, g, 2, 1, out);
    memcpy(&rest, out, sizeof(rest));
    return rest;
}

/* D = R + b D */
static void turn(gradients *g, double b)
{
#pragma omp parallel for num_threads(g->op->threads) schedule(static)
    for (int64_t i = 0; i < g->cells; i++)
        g->D[i] = (float)((double)g->R[i] + b * (double)g->D[i]);
}

/* ---- a direction at few rows --------------------------------------------- */

/*
 * From an E of one node the first directions reach its neighbours and theirs:
 * a step then is a walk from these few rows instead of a pass over all edges.
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
        const int32_t u = (int32_t)(i / g->columns);

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

/* AD = D - W D H by rows where D is not 0; false if they are too many. */
static bool step_few(gradients *g, few *f)
{
    const kith__operator *op = g->op;
    int32_t *swap = f->node;
    int64_t edges = 0;

    for (int32_t i = 0; i < f->count; i++)
        edges += 1 + op->rows[f->node[i] + 1] - op->rows[f->node[i]];
    if (f->count < 0 || edges > FEW_EDGES) {
        f->count = -1;
        return false;
    }
    memset(g->AD, 0, (size_t)g->cells * sizeof(*g->AD));
    for (int32_t i = 0; i < f->count; i++) {
        const int64_t at = f->node[i] * g->columns;

        f->next[i] = f->node[i];
        memcpy(g->AD + at, g->D + at, (size_t)g->columns * sizeof(*g->D));
    }
    edges = kith__operator_push(&g->less, f->node, f->count, g->D, g->AD,
                                f->next + f->count);
    f->count = kith__sort_once(f->next, f->count + (int32_t)edges);
    f->node = f->next;
    f->next = swap;
    return true;
}

/* ---- steps --------------------------------------------------------------- */

/* Where to end: one of three measures of what is left is at most `tolerance`,
 * and |R| at most `length`. */
typedef struct ending {
    enum { WEIGHTED, RELATIVE, LARGEST } of; /* |R|, by that at the start */
    double tolerance, length;
    int most; /* steps */
} ending;

static double measure(const ending *to, const left *rest, double first)
{
    return to->of == WEIGHTED   ? rest->weighted
           : to->of == RELATIVE ? sqrt(rest->square / first)
                                : rest->largest;
}

/*
 * Steps of conjugate gradients from Z, R = E - Z + W Z H being what is left
 * there.  Tells how many, and what is left of the measure; it was above the
 * tolerance before.
 */
static kith_status descend(gradients *g, const ending *to,
                           const kith__stopping *stopping, int *steps,
                           double *measured, kith_error *err)
{
    static const double BEYOND = 1e-16; /* of |R|^2: what floats cannot tell */
    kith_status st = KITH_OK;
    double square, first, now = *measured;
    few rows = {0};
    int done = 0;

    TRY(find_few(g, &rows, err));
    memcpy(g->D, g->R, (size_t)g->cells * sizeof(*g->D));
    memcpy(g->AD, g->R, (size_t)g->cells * sizeof(*g->AD));
    first = square = kith__reduce_sum(g->op, add_curvature, g);
    while (done < to->most && square > BEYOND * first &&
           (now > to->tolerance || sqrt(square) > to->length)) {
        const double before = square;
        double curved;
        left rest;

        if (!step_few(g, &rows))
            kith__operator_apply(&g->less, 0, g->op->n, g->D, g->D, g->AD);
        curved = kith__reduce_sum(g->op, add_curvature, g);
        if (!(curved > 0)) /* numbers too small for floats */
            break;
        rest = walk(g, before / curved);
        square = rest.square;
        now = measure(to, &rest, first);
        turn(g, square / before);
        done++;
        TRY(tell(stopping, done, err));
    }
    *steps = done;
    *measured = now;
out:
    release_few(&rows);
    return st;
}

/* From Z = 0. */
static kith_status solve(const kith__operator *op, const float *P,
                         const ending *to, const kith__stopping *stopping,
                         const float *E, float *Z, float *workspace,
                         kith_error *err)
{
    gradients g = start(op, P, Z, workspace);
    double measured = INFINITY;
    int steps;

    memset(Z, 0, (size_t)g.cells * sizeof(*Z));
    memcpy(g.R, E, (size_t)g.cells * sizeof(*E));
    return descend(&g, to, stopping, &steps, &measured, err);
}

kith_status kith__solve_linear(const kith__operator *op,
                               const kith__stopping *stopping, const float *E,
                               float *Z, float *workspace, kith_error *err)
{
    const ending to = {RELATIVE, stopping->tolerance, INFINITY, stopping->most};

    return solve(op, NULL, &to, stopping, E, Z, workspace, err);
}

/* R = Q + W P H - P; returns the largest of it. */
static double find_left(gradients *g, const float *Q)
{
    const float change = kith__operator_apply(g->op, 0, g->op->n, g->Z, Q,
                                              g->R);

#pragma omp parallel for num_threads(g->op->threads) schedule(static)
    for (int64_t i = 0; i < g->cells; i++)
        g->R[i] -= g->Z[i];
    return (double)change;
}

kith_status kith__solve_fixed_point(const kith__operator *op,
                                    const kith__stopping *stopping,
                                    const float *Q, float *P, float *workspace,
                                    kith_certificate *c, kith_error *err)
{
    const ending to = {LARGEST, stopping->tolerance, INFINITY,
                       stopping->most - 1};
    gradients g = start(op, NULL, P, workspace);
    kith_status st = KITH_OK;
    double change = find_left(&g, Q);
    int steps = 0;

    if (stopping->most == 1 ||
        change <= stopping->tolerance) /* as well a plain step */
        for (int64_t i = 0; i < g.cells; i++)
            P[i] += g.R[i];
    else
        TRY(descend(&g, &to, stopping, &steps, &change, err));
    kith__certify(c, change, 1 + steps, stopping->tolerance);
out:
    return st;
}

/* What may be left of a belief unexplained, before and after refinement; and of
 * the adjoint's equation, so that each contribution is right. */
static const double COARSE = 1e-3, FINE = 2e-6, SHORT = 1e-7;

/* Floats of one solution would leave more of a small belief than they should;
 * so a second one refines it: what the first left, told in double, is solved
 * for in turn. */
kith_status kith__solve_adjoint(const kith__operator *op,
                                const kith__stopping *stopping, const float *P,
                                double belief, float *E, double *Z,
                                kith_error *err)
{
    const ending coarse = {WEIGHTED, COARSE * belief, INFINITY, stopping->most};
    const ending fine = {WEIGHTED, FINE * belief, SHORT, stopping->most};
    const int64_t cells = op->n * kith__columns(op);
    kith__operator turned = *op;
    kith_status st = KITH_OK;
    float *workspace = NULL, *part = NULL;

    turned.transposed = !op->transposed;
    TRY_NEW(workspace,
            kith__alloc_big(kith__solve_workspace(op->n, kith__columns(op)),
                            sizeof(*workspace)));
    TRY_NEW(part, kith__alloc_big(cells, sizeof(*part)));
    TRY(solve(&turned, P, &coarse, stopping, E, part, workspace, err));
    kith__residual(&turned, part, E, Z);
#pragma omp parallel for num_threads(op->threads) schedule(static)
    for (int64_t i = 0; i < cells; i++) {
        E[i] = (float)Z[i];
        Z[i] = (double)part[i];
    }
    TRY(solve(&turned, P, &fine, stopping, E, part, workspace, err));
#pragma omp parallel for num_threads(op->threads) schedule(static)
    for (int64_t i = 0; i < cells; i++)
        Z[i] += (double)part[i];
out:
    kith__free(workspace);
    kith__free(part);
    return st;
}

/* ---- what a step would change -------------------------------------------- */

/* sum_v w_uv x_v */
KITH__ALWAYS_INLINE void sum_exactly(const kith__operator *op, const float *X,
                                     int64_t k, int32_t u, double *sum)
{
    const int64_t last = op->rows[op->n] - 1;

    memset(sum, 0, (size_t)k * sizeof(*sum));
    for (int64_t p = op->rows[u]; p < op->rows[u + 1]; p++) {
        const int64_t ahead = p + KITH__AHEAD < last ? p + KITH__AHEAD : last;
        const float *x = X + op->neighbours[p] * k;
        const double w = kith__operator_weight(op, u, p);

        __builtin_prefetch(X + op->neighbours[ahead] * k);
        for (int64_t c = 0; c < k; c++)
            sum[c] += w * (double)x[c];
    }
}

/* r += x H */
static void couple_exactly(const kith__operator *op, const double *x, double *r)
{
    const int k = op->k;

    for (int b = 0; b < op->blocks; b++, x += k, r += k)
        for (int i = 0; i < k; i++)
            for (int c = 0; c < k; c++)
                r[c] += x[i] * kith__coupling_at(op, b, i, c); // NOLINT: set
}

/* Row u of R; workspace: as many numbers as X has columns. */
static void residual_of_row(const kith__operator *op, const float *X,
                            const float *Q, int32_t u, double *workspace,
                            double *r)
{
    const int64_t k = kith__columns(op), at = u * k;

#define SUM(K) sum_exactly(op, X, K, u, workspace)
    KITH__WITH_CONSTANT(k, SUM);
#undef SUM
    for (int64_t c = 0; c < k; c++)
        r[c] = (double)Q[at + c] - (double)X[at + c];
    couple_exactly(op, workspace, r);
}

void kith__residual(const kith__operator *op, const float *X, const float *Q,
                    double *R)
{
#pragma omp parallel num_threads(op->threads)
    {
        double workspace[KITH__CLASSES_MOST];

#pragma omp for schedule(dynamic, 1024)
        for (int32_t u = 0; u < op->n; u++)
            residual_of_row(op, X, Q, u, workspace, R + u * kith__columns(op));
    }
}

typedef struct products {
    const kith__operator *op;
    const float *X, *Q;
    const double *Z;
} products;

static void add_products(void *user, int32_t first, int32_t last, double *out)
{
    const products *p = user;
    const int64_t k = kith__columns(p->op);
    double workspace[KITH__CLASSES_MOST], r[KITH__CLASSES_MOST];

    for (int32_t u = first; u < last; u++) {
        residual_of_row(p->op, p->X, p->Q, u, workspace, r);
        for (int64_t c = 0; c < k; c++)
            *out += r[c] * p->Z[u * k + c];
    }
}

double kith__residual_dot(const kith__operator *op, const float *X,
                          const float *Q, const double *Z)
{
    products p = {op, X, Q, Z};

    return kith__reduce_sum(op, add_products, &p);
}
