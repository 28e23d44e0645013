/*
 * paths.c: best-first search for strong paths.
 *
 * A path v_j .. v_1 u adds  w(v_j,v_j-1) .. w(v_1,u)  q_vj . h_j  to the belief
 * of u, with h_j = H^j t, t = e_c for class c.  As |h_j| <= rho(H)^j |t|,
 *
 *     |w .. w| rho(H)^j |t| max_v |q_v|
 *
 * bounds what a path and, while |w| rho(H) <= 1, any longer one can add.  Paths
 * are taken in falling order of that bound; once it is below the smallest that
 * is kept, no other can be larger.  The number of paths looked at is limited,
 * for hubs; `paths_complete` tells.
 */
#include "models/explain/paths.h"

#include <math.h>

#include "core/alloc.h"
#include "kernels/spectral_bound.h"

enum { LOOKED_AT_MOST = 400000 };

typedef struct step {
    double weight; /* of the edge towards the explained node */
    double bound;
    double product;
    int64_t before; /* step nearer to the explained node, -1 = none */
    int32_t node, length;
} step;

typedef struct search {
    const kith__walk *walk;
    kith_explanation *e;
    double *h;      /* (KITH_PATH_MOST + 1) x classes */
    double rho;     /* of H */
    double largest; /* max |q_v| |t| */
    step *steps;
    int64_t n, room;
    int64_t *heap; /* steps, the largest bound first */
    int64_t n_heap, heap_room;
    int32_t most;
} search;

static bool above(const search *x, int64_t a, int64_t b)
{
    const step *p = &x->steps[a], *q = &x->steps[b];

    return p->bound > q->bound || (p->bound == q->bound && a < b);
}

static bool push(search *x, step new)
{
    int64_t at;

    if (!kith__grow((void **)&x->steps, &x->room, x->n + 1,
                    sizeof(*x->steps)) ||
        !kith__grow((void **)&x->heap, &x->heap_room, x->n_heap + 1,
                    sizeof(*x->heap)))
        return false;
    x->steps[x->n] = new;
    at = x->n_heap++;
    while (at > 0 && above(x, x->n, x->heap[(at - 1) / 2])) {
        x->heap[at] = x->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    x->heap[at] = x->n++;
    return true;
}

static int64_t pop(search *x)
{
    const int64_t top = x->heap[0], last = x->heap[--x->n_heap];
    int64_t at = 0;

    for (;;) {
        int64_t child = 2 * at + 1;

        if (child >= x->n_heap)
            break;
        if (child + 1 < x->n_heap &&
            above(x, x->heap[child + 1], x->heap[child]))
            child++;
        if (!above(x, x->heap[child], last))
            break;
        x->heap[at] = x->heap[child];
        at = child;
    }
    if (x->n_heap > 0)
        x->heap[at] = last;
    return top;
}

/* h_j = H^j to, and the largest |q| |to|. */
static kith_status prepare(search *x, kith_error *err)
{
    const kith__walk *walk = x->walk;
    const int C = walk->classes;
    double size = 0;
    kith_status st = KITH_OK;

    TRY_NEW(x->h, kith__alloc_zeroed((int64_t)C * (KITH_PATH_MOST + 1),
                                     sizeof(double)));
    for (int c = 0; c < C; c++) {
        x->h[c] = walk->to[c];
        size += walk->to[c] * walk->to[c];
    }
    for (int j = 1; j <= walk->longest; j++)
        for (int a = 0; a < C; a++)
            for (int b = 0; b < C; b++)
                x->h[j * C + a] += (double)walk->H[a * C + b] *
                                   x->h[(j - 1) * C + b];
    x->rho = kith__rho_small(walk->H, C);
    for (int32_t v = 0; v < walk->W->n; v++) {
        double sum = 0;

        for (int c = 0; c < C; c++)
            sum += (double)walk->Q[(int64_t)v * C + c] *
                   (double)walk->Q[(int64_t)v * C + c];
        x->largest = fmax(x->largest, sqrt(sum * size));
    }
out:
    return st;
}

static double least_kept(const search *x)
{
    return x->e->n_paths < x->most ? 0
                                   : fabs(x->e->paths[x->e->n_paths - 1].value);
}

/* Keep a path if it is among the largest. */
static void keep(search *x, int64_t at)
{
    const int C = x->walk->classes;
    const step *last = &x->steps[at];
    kith_explanation *e = x->e;
    const float *q = x->walk->Q + (int64_t)last->node * C;
    kith_path p = {.length = last->length};
    int32_t i;

    for (int c = 0; c < C; c++)
        p.coupling += (double)q[c] * x->h[last->length * C + c];
    p.value = last->product * p.coupling;
    if (!(fabs(p.value) > least_kept(x)))
        return;
    for (int j = 0; at >= 0; j++, at = x->steps[at].before) {
        p.node[j] = x->steps[at].node;
        p.weight[j] = x->steps[at].weight;
    }
    p.node[p.length] = e->node;
    i = e->n_paths < x->most ? e->n_paths++ : e->n_paths - 1;
    for (; i > 0 && fabs(e->paths[i - 1].value) < fabs(p.value); i--)
        e->paths[i] = e->paths[i - 1];
    e->paths[i] = p;
}

static bool on_path(const search *x, int64_t at, int32_t node)
{
    for (; at >= 0; at = x->steps[at].before)
        if (x->steps[at].node == node)
            return true;
    return node == x->e->node;
}

/* Push all longer paths over `from` that could still matter. */
static bool extend(search *x, int32_t from, int64_t at)
{
    const kith__operator *W = x->walk->W;
    const double product = at < 0 ? 1 : x->steps[at].product;
    const double bound = at < 0 ? x->largest : x->steps[at].bound;
    const int32_t length = at < 0 ? 1 : x->steps[at].length + 1;

    for (int64_t p = W->rows[from]; p < W->rows[from + 1]; p++) {
        const int32_t v = W->neighbours[p];
        const double w = kith__operator_weight(W, from, p);
        const step new = {.weight = w,
                          .bound = bound * fabs(w) * x->rho,
                          .product = product * w,
                          .before = at,
                          .node = v,
                          .length = length};

        if ((fabs(w) * x->rho > 1 && length < x->walk->longest) ||
            x->n >= LOOKED_AT_MOST)
            x->e->paths_complete = false;
        if (x->n >= LOOKED_AT_MOST)
            break;
        if (new.bound <= least_kept(x) || on_path(x, at, v))
            continue;
        if (!push(x, new))
            return false;
    }
    return true;
}

kith_status kith__find_paths(const kith__walk *walk, int32_t most,
                             kith_explanation *e, kith_error *err)
{
    search x = {.walk = walk, .e = e, .most = most};
    kith_status st = KITH_OK;

    TRY_NEW(e->paths, kith__alloc(most, sizeof(*e->paths)));
    e->paths_complete = true;
    if (walk->longest == 0)
        goto out;
    TRY(prepare(&x, err));
    if (!extend(&x, e->node, -1))
        TRY(kith__no_memory(err));
    while (x.n_heap > 0 && x.steps[x.heap[0]].bound > least_kept(&x)) {
        const int64_t at = pop(&x);

        keep(&x, at);
        if (x.steps[at].length == walk->longest)
            e->paths_complete = e->paths_complete && !walk->longer;
        else if (!extend(&x, x.steps[at].node, at))
            TRY(kith__no_memory(err));
    }
out:
    kith__free(x.h);
    kith__free(x.steps);
    kith__free(x.heap);
    return st;
}
