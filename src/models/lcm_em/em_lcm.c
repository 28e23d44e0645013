/*
 * em_lcm.c: W and H learnt on the potentials of EM.
 *
 *     p~ = the potentials that EM ends with, training nodes one-hot
 *     W, H by LCM's steps (lcm.c) from p~,   P = Q + W P H,   Q = p~ - 1/C
 *
 * Which steps is chosen on the validation nodes, among corners of lcm's grid:
 * of those no less accurate than not learning the one of least log-loss. Graphs
 * on which that would take longer than EM itself are left out.
 */
#include <string.h>

#include "core/alloc.h"
#include "kernels/softmax.h"
#include "models/explain/logits.h"
#include "models/lcm_em/candidate.h"
#include "models/tune.h"

/* Not learning, and from slow to fast. */
static const struct {
    float g1, g2, consistency;
} grid[] = {{0, 0, 0},           {.02f, .0002f, .05f},
            {.02f, .002f, .05f}, {.05f, .0005f, .02f},
            {.05f, .0005f, .2f}, {.1f, .0005f, .05f},
            {.1f, .002f, .2f},   {.2f, .0002f, .05f},
            {.2f, .002f, .2f}};

enum { POINTS = sizeof(grid) / sizeof(*grid) };

/* Multiplications that the grid may take. */
static const double BUDGET = 2e10;

/* A pass for each step, and as many to propagate. */
static bool is_affordable(const kith__task *t)
{
    const double pass = (double)t->W.rows[t->n] * t->classes +
                        (double)t->n * t->classes * t->classes;
    kith_params p;

    kith_params_init(&p);
    return 2.0 * p.outer * p.inner * pass * POINTS <= BUDGET;
}

static kith_params params_of(const kith__candidate *r)
{
    kith_params p;

    kith_params_init(&p);
    p.clamp = true;
    p.g1 = (double)r->g1;
    p.g2 = (double)r->g2;
    p.lambda = (double)r->consistency;
    return p;
}

/* p~ of a recipe, from its beliefs and what was propagated to them. */
static void potentials_from(const kith__search_context *q,
                            const kith__candidate *r, const float *P,
                            const float *Q, float *out)
{
    const int C = q->task->classes;
    const int64_t cells = (int64_t)q->task->n * C;

    if (!r->propagated)
        kith__softmax_rows(P, q->task->n, C, 1, out, q->task->threads);
    for (int64_t i = 0; i < (r->propagated ? cells : 0); i++)
        out[i] = Q[i] / (1 - r->em.h) + 1 / (float)C;
}

/* The same, new, by following it; and the logits that it is made of, if they
 * are asked for, new too. */
static kith_status potentials_of(const kith__search_context *q,
                                 const kith__candidate *r, float **out,
                                 kith__logits **logits, kith_error *err)
{
    const int64_t cells = (int64_t)q->task->n * q->task->classes;
    kith__beliefs em = {0};
    kith_status st = KITH_OK;

    TRY_NEW(em.P, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(em.Q, kith__alloc_big(cells, sizeof(float)));
    TRY(kith__em_evaluate(q, r, &em, err));
    potentials_from(q, r, em.P, em.Q, em.P);
    *out = em.P;
    em.P = NULL;
    if (logits) {
        *logits = em.logits;
        em.logits = NULL;
    }
out:
    kith__free(em.P);
    kith__free(em.Q);
    kith__logits_free(em.logits);
    return st;
}

/* One point of the grid, by one thread if others are tried beside it. */
typedef struct point {
    float *P, *coupling, *loss;
    kith__score score;
} point;

static kith_status try_point(const kith__search_context *q,
                             const kith__candidate *r, const float *potentials,
                             bool wide, point *out, kith_error *err)
{
    const kith_params p = params_of(r);
    const int C = q->task->classes;
    kith__task task = *q->task;
    kith__beliefs b = {0};
    kith_status st = KITH_OK;

    task.checkpoint = NULL;
    if (wide) {
        task.threads = task.W.threads = 1;
        task.job = kith__thread_number() == 0 ? task.job : NULL;
    }
    TRY_NEW(out->P, kith__alloc_big((int64_t)task.n * C, sizeof(float)));
    TRY_NEW(out->coupling, kith__alloc((int64_t)C * C, sizeof(float)));
    TRY_NEW(out->loss, kith__alloc(q->val->n, sizeof(float)));
    b.P = out->P;
    b.coupling = out->coupling;
    TRY(kith__lcm_run(&task, &p, potentials, &b, err));
    out->score = kith__score_losses(b.P, C, q->val, out->loss);
out:
    return st;
}

static kith__candidate at_point(const kith__candidate *em, int i)
{
    kith__candidate r = *em;

    r.learnt = true;
    r.g1 = grid[i].g1;
    r.g2 = grid[i].g2;
    r.consistency = grid[i].consistency;
    return r;
}

static kith_status try_points(const kith__search_context *q,
                              const kith__candidate *em,
                              const float *potentials, point *points,
                              kith_error *err)
{
    const bool wide = kith__side_by_side(q->task);
    kith_status st = KITH_OK;

    for (int i = 0; i < POINTS && !wide && st == KITH_OK; i++) {
        const kith__candidate r = at_point(em, i);

        st = try_point(q, &r, potentials, false, &points[i], err);
    }
#pragma omp parallel for num_threads(q->task->threads) schedule(dynamic, 1)
    for (int i = 0; i < (wide ? POINTS : 0); i++) {
        const kith__candidate r = at_point(em, i);
        kith_error why = {0};
        const kith_status got = try_point(q, &r, potentials, true, &points[i],
                                          &why);

        kith__note_failure(got, &why, &st, err);
    }
    return st;
}

kith_status kith__em_lcm_search(const kith__search_context *q,
                                const kith__best_candidate *em,
                                kith__best_candidate *found, kith_error *err)
{
    const int64_t cells = (int64_t)q->task->n * q->task->classes;
    point points[POINTS] = {{0}};
    kith_status st = KITH_OK;
    float *potentials = NULL;
    int best = 0;

    if (!is_affordable(q->task))
        return KITH_OK;
    TRY_NEW(potentials, kith__alloc_big(cells, sizeof(float)));
    potentials_from(q, &em->candidate, em->P, em->Q, potentials);
    TRY(try_points(q, &em->candidate, potentials, points, err));
    for (int i = 1; i < POINTS; i++)
        if (points[i].score.accuracy >= points[0].score.accuracy &&
            points[i].score.log_loss < points[best].score.log_loss)
            best = i;
    if (best > 0) {
        const kith__candidate r = at_point(&em->candidate, best);

        kith__consider(found, &(kith__offer){&r, points[best].score,
                                             points[best].loss, points[best].P,
                                             NULL, cells, q->val->n, 0});
    }
out:
    for (int i = 0; i < POINTS; i++) {
        kith__free(points[i].P);
        kith__free(points[i].coupling);
        kith__free(points[i].loss);
    }
    kith__free(potentials);
    return st;
}

kith_status kith__em_lcm_evaluate(const kith__search_context *q,
                                  const kith__candidate *r, kith__beliefs *out,
                                  kith_error *err)
{
    const int64_t entries = q->task->W.rows[q->task->n];
    const kith_params p = params_of(r);
    kith__task task = *q->task;
    kith_status st = KITH_OK;
    float *potentials = NULL;

    task.checkpoint = NULL;
    TRY(potentials_of(q, r, &potentials, out->Q ? &out->logits : NULL, err));
    if (out->Q && !out->weights)
        TRY_NEW(out->weights, kith__alloc_big(entries, sizeof(float)));
    TRY(kith__lcm_run(&task, &p, potentials, out, err));
out:
    kith__free(potentials);
    return st;
}
