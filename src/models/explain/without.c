/*
 * without.c: beliefs are sums, so that what one node adds can be taken away.
 *
 * With Q_v the row of node v alone, all other rows 0, the node's beliefs in all
 * classes without v are
 *
 *     p_u - x_u,    X = sum_j W^j Q_v H^j    as many steps as the run did, or
 *                   X = Q_v + W X H          where it is a fixed point
 *
 * which is exact for the W, H and calibration that were learnt.  Of two centred
 * classes one contribution tells both, and nothing has to be solved again;
 * where neighbours pass their probabilities once, x_u = w_uv q_v H.
 */
#include "models/explain/without.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "models/calibration.h"
#include "models/explain/logits.h"
#include "models/model_object.h"

enum { SOLVE_MOST = 500 };

/* Do beliefs in two classes stay each other's opposite? */
static bool opposite(const kith_solution *s, int32_t v)
{
    const float *H = s->b.coupling, *q = s->b.Q + 2 * (int64_t)v;
    const float slack = 1e-6F;

    return s->storage.task.classes == 2 && fabsf(q[0] + q[1]) <= slack &&
           fabsf(H[0] + H[1]) <= slack && fabsf(H[2] + H[3]) <= slack;
}

/* What v adds to the node's beliefs, by one more run. */
static kith_status run_alone(const kith_solution *s, const kith_explanation *e,
                             int32_t v, double *added, kith_error *err)
{
    const kith__task *t = &s->storage.task;
    const int C = t->classes;
    const int64_t cells = (int64_t)t->n * C;
    kith__stopping stopping = kith__stopping_of(t, s->b.certificate.iterations,
                                                -1);
    kith_certificate unused;
    kith_status st = KITH_OK;
    float *Q = NULL, *X = NULL, *room = NULL;

    TRY_NEW(Q, kith__alloc_zeroed(cells, sizeof(*Q)));
    TRY_NEW(X, kith__alloc_zeroed(cells, sizeof(*X)));
    TRY_NEW(room,
            kith__alloc_big(kith__solve_workspace(t->n, C), sizeof(*room)));
    memcpy(Q + (int64_t)v * C, s->b.Q + (int64_t)v * C, (size_t)C * sizeof(*Q));
    if (e->kind == KITH_SUM_FIXED_POINT) {
        stopping.most = SOLVE_MOST;
        stopping.tolerance = 1e-7;
        TRY(kith__solve_linear(&s->op, &stopping, Q, X, room, err));
    } else {
        memcpy(X, Q, (size_t)cells * sizeof(*X));
        TRY(kith__iterate(&s->op, &stopping, Q, X, room, &unused, err));
    }
    for (int c = 0; c < C; c++)
        added[c] = (double)X[(int64_t)e->node * C + c];
out:
    kith__free(Q);
    kith__free(X);
    kith__free(room);
    return st;
}

/* w_uv q_v H, of all entries that lead to v. */
static void pass_once(const kith_solution *s, const kith_explanation *e,
                      int32_t v, double *added)
{
    const kith__operator *W = &s->op;
    const int C = e->classes;
    const float *q = s->b.Q + (int64_t)v * C;

    memset(added, 0, (size_t)C * sizeof(*added));
    for (int64_t p = W->rows[e->node]; p < W->rows[e->node + 1]; p++) {
        const double w = kith__operator_weight(W, e->node, p);

        for (int i = 0; W->neighbours[p] == v && i < C; i++)
            for (int c = 0; c < C; c++)
                added[c] += w * (double)q[i] * (double)s->b.coupling[i * C + c];
    }
}

static kith_status what_it_adds(const kith_solution *s,
                                const kith_explanation *e, int32_t v,
                                double *added, kith_error *err)
{
    if (e->kind == KITH_SUM_BESIDE) {
        pass_once(s, e, v, added);
        return KITH_OK;
    }
    if (!opposite(s, v))
        return run_alone(s, e, v, added, err);
    added[e->of_class] = e->contribution[v];
    added[1 - e->of_class] = -e->contribution[v];
    return KITH_OK;
}

/* Whose part is taken away: its own label's, else that of the other known node
 * that speaks most for the class; -1 if there is none. */
static int32_t choose(const kith_explanation *e)
{
    if (e->kind != KITH_SUM_STEPS && e->kind != KITH_SUM_FIXED_POINT &&
        e->kind != KITH_SUM_BESIDE)
        return -1;
    if (e->clamped)
        return e->node;
    for (int32_t i = 0; i < e->n_labelled; i++)
        if (e->top_labelled[i].value > 0)
            return e->top_labelled[i].node;
    return -1;
}

/* What is left of the mass: of a label it added s (1_c - 1/C). */
static float mass_without(const kith_solution *s, const kith_explanation *e,
                          const double *added)
{
    const int C = e->classes;
    double size = 0;

    for (int c = 0; c < C; c++)
        size += fabs(added[c]);
    return fmaxf(
        s->b.evidence.mass[e->node] - (float)(size * C / (2 * (C - 1.))), 0);
}

kith_status kith__find_without(const kith_solution *s, kith_explanation *e,
                               kith_error *err)
{
    const int C = e->classes;
    const float *p = s->b.P + (int64_t)e->node * C;
    kith_status st = KITH_OK;
    double *added = NULL;
    float *row = NULL;

    e->without = choose(e);
    e->without_probability = (double)NAN;
    if (e->without < 0)
        return KITH_OK;
    TRY_NEW(added, kith__alloc(C, sizeof(*added)));
    TRY_NEW(row, kith__alloc(2 * C, sizeof(*row)));
    TRY(what_it_adds(s, e, e->without, added, err));
    for (int c = 0; c < C; c++) {
        double x = (double)p[c];

        x = (e->roots ? copysign(pow(x, 4), x) : x) - added[c];
        row[c] = (float)(e->roots ? copysign(sqrt(sqrt(fabs(x))), x) : x);
    }
    kith__probabilities_if(s->model, &s->storage.task, &s->b, e->node, row,
                           mass_without(s, e, added), row + C);
    e->without_probability = (double)row[C + e->of_class];
out:
    kith__free(added);
    kith__free(row);
    return st;
}
