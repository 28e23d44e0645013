/*
 * em_lcm.c: W and H learnt on the potentials of EM.
 *
 *     p~ = the potentials that EM ends with, training nodes one-hot
 *     W, H by LCM's steps (lcm.c) from p~,   P = Q + W P H,   Q = p~ - 1/C
 *
 * Which steps is chosen on the validation nodes, among lcm's grid.  Graphs on
 * which the whole grid would take longer than EM's own are left out.
 */
#include <string.h>

#include "core/alloc.h"
#include "kernels/softmax.h"
#include "models/explain/logits.h"
#include "models/lcm_em/candidate.h"
#include "models/tune.h"

/* Multiplications that the grid may take. */
static const double BUDGET = 6e10;

/* A pass for each step, and as many to propagate. */
static bool is_affordable(const kith__task *t)
{
    const double pass = (double)t->W.rows[t->n] * t->classes +
                        (double)t->n * t->classes * t->classes;
    kith_params p;

    kith_params_init(&p);
    return 2.0 * p.outer * p.inner * pass * kith__step_points(0) <= BUDGET;
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

/* p~ of the recipe, new; and the logits that it is made of, if they are asked
 * for, new too. */
static kith_status potentials_of(const kith__search_context *q,
                                 const kith__candidate *r, float **out,
                                 kith__logits **logits, kith_error *err)
{
    const int C = q->task->classes;
    const int64_t cells = (int64_t)q->task->n * C;
    kith__beliefs em = {0};
    kith_status st = KITH_OK;

    TRY_NEW(em.P, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(em.Q, kith__alloc_big(cells, sizeof(float)));
    TRY(kith__em_evaluate(q, r, &em, err));
    if (r->propagated)
        for (int64_t i = 0; i < cells; i++)
            em.P[i] = em.Q[i] / (1 - r->em.h) + 1 / (float)C;
    else
        kith__softmax_rows(em.P, q->task->n, C, 1, em.P, q->task->threads);
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

kith_status kith__em_lcm_search(const kith__search_context *q,
                                const kith__candidate *em,
                                kith__best_candidate *found, kith_error *err)
{
    const kith__method *lcm = kith__method_find("lcm");
    kith__task task = *q->task;
    kith__candidate r = *em;
    kith_status st = KITH_OK;
    float *potentials = NULL;
    kith__score score;
    kith_params p;

    if (!is_affordable(&task))
        return KITH_OK;
    task.checkpoint = NULL;
    r.learnt = true;
    p = params_of(&r);
    TRY(potentials_of(q, em, &potentials, NULL, err));
    TRY(kith__tune_steps(&task, lcm, potentials, q->val, &p, &score, err));
    r.g1 = (float)p.g1;
    r.g2 = (float)p.g2;
    r.consistency = (float)p.lambda;
    if (p.g1 > 0 || p.g2 > 0)
        kith__consider(found, &r, &score, 0);
out:
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
