/*
 * lcm_lowrank.c: a fit with W not stored while it is learnt.  It is written out
 * afterwards, where there is room for it, since propagation is faster then.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "models/lcm/lowrank_learner.h"
#include "models/propagation/fixed_point.h"

enum { MOST_C = KITH__LOWRANK_CLASSES };

/* ---- state --------------------------------------------------------------- */

static void release(kith__learner *s)
{
    kith__lowrank_release(&s->I);
    kith__free(s->own_Q);
    kith__free(s->F);
    kith__free(s->trained);
    kith__free(s->sums);
    kith__free(s->PP);
    kith__free(s->WP);
    kith__free(s->E);
    kith__free(s->EH);
}

/* Q, in room of its own or of the caller's. */
static kith_status centre(kith__learner *s, const float *potentials,
                          kith_error *err)
{
    const int64_t cells = (int64_t)s->task->n * s->C;
    kith_status st = KITH_OK;

    if (!s->Q)
        TRY_NEW(s->Q, s->own_Q = kith__alloc_big(cells, sizeof(float)));
    kith__centre_potentials(s->task, potentials, s->p->clamp, s->Q);
out:
    return st;
}

/* The usual coupling, and nothing learnt. */
static kith_status begin(kith__learner *s, const kith__task *task,
                         const kith_params *p, kith__regulariser kind,
                         const float *potentials, const kith__beliefs *out,
                         kith_error *err)
{
    const int C = task->classes, carried = p->as_written ? C : C - 1;
    const int64_t L = task->n_train;
    kith_status st = KITH_OK;

    *s = (kith__learner){.task = task,
                         .p = p,
                         .kind = kind,
                         .C = C,
                         .carried = carried,
                         .width = kith__lowrank_width(C, carried),
                         .Q = out->Q,
                         .P = out->P};
    kith__coupling_start(C, s->H);
    TRY_NEW(s->F, kith__alloc(L * carried, sizeof(*s->F)));
    TRY_NEW(s->trained, kith__alloc(L * carried, sizeof(float)));
    TRY_NEW(s->sums,
            kith__alloc_big((int64_t)task->n * s->width, sizeof(float)));
    TRY_NEW(s->PP, kith__alloc(L * carried * carried, sizeof(float)));
    TRY_NEW(s->WP, kith__alloc(L * C, sizeof(float)));
    TRY_NEW(s->E, kith__alloc(L * C, sizeof(float)));
    TRY_NEW(s->EH, kith__alloc(L * C, sizeof(float)));
    TRY(kith__lowrank_new(&task->W, C, carried, p->outer, task->train,
                          task->n_train, &s->I, err));
    TRY(centre(s, potentials, err));
out:
    return st;
}

/* P_1 = Q + W Q H into the records, and x_0 of it. */
static void first_beliefs(kith__learner *s)
{
    const kith__task *t = s->task;

    kith__operator_apply(&t->W, s->Q, s->C, s->H, s->Q, s->P);
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int32_t from = 0; from < t->n; from += KITH__LOWRANK_BLOCK) {
        const int32_t to = t->n - from < KITH__LOWRANK_BLOCK
                               ? t->n
                               : from + KITH__LOWRANK_BLOCK;

        kith__lowrank_put(&s->I, from, to, s->P);
        kith__lowrank_put_x(&s->I, from, to, 0);
    }
}

/* ---- propagation over records -------------------------------------------- */

/* Rows of the next P as carried; returns the largest change. */
KITH__ALWAYS_INLINE float propagate_rows(const kith__learner *s, int C, int n,
                                         int32_t from, int32_t to, float *rows)
{
    float change = 0;

    kith__lowrank_apply(&s->I, from, to, rows);
    for (int32_t u = from; u < to; u++, rows += n) {
        float next[MOST_C];
        const float here = kith__next_row(s, C, n, u, rows, next);

        change = here > change ? here : change;
        for (int c = 0; c < n; c++)
            rows[c] = next[c];
    }
    return change;
}

/* P <- Q + W P H by a pass over the records; returns the largest change. */
static float propagate(kith__learner *s)
{
    const int32_t rows = s->task->n;
    const int n = s->carried;
    float *next = s->sums; /* free after learning */
    float change = 0;

#pragma omp parallel for num_threads(s->task->threads) schedule(dynamic, 4) \
    reduction(max                                                           \
              : change)
    for (int32_t from = 0; from < rows; from += KITH__LOWRANK_BLOCK) {
        const int32_t to = rows - from < KITH__LOWRANK_BLOCK
                               ? rows
                               : from + KITH__LOWRANK_BLOCK;
        float here;

#define ROWS(C, n) \
    here = propagate_rows(s, C, n, from, to, next + (int64_t)from * (n))
        KITH__WITH_CLASSES(s, ROWS);
#undef ROWS
        change = here > change ? here : change;
    }
#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < rows; u++)
        memcpy(kith__lowrank_p(&s->I, u), next + (int64_t)u * n,
               (size_t)n * sizeof(*next));
    return change;
}

static void read_beliefs(const kith__learner *s)
{
#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < s->task->n; u++)
        kith__lowrank_widen(s->C, s->carried, kith__lowrank_p(&s->I, u),
                            s->P + (int64_t)u * s->C);
}

/* ---- the whole ----------------------------------------------------------- */

static kith_status tell(const kith__learner *s, const char *stage, int passes,
                        int total, kith_error *err)
{
    const int64_t edges = s->task->W.rows[s->task->n] / 2;

    return kith__progress(s->task->job, stage, edges * passes, edges * total,
                          "edges", err);
}

/* What a fit is after an alternation: so many arrays. */
enum { STATE = 5 };

static void list_state(kith__learner *s, kith__saved *state)
{
    const int64_t records = (int64_t)s->task->n * s->I.vectors * KITH__LANES;

    state[0] = (kith__saved){"terms", &s->I.terms, sizeof(s->I.terms)};
    state[1] = (kith__saved){"term", s->I.M, sizeof(s->I.M)};
    state[2] = (kith__saved){"H", s->H, sizeof(s->H)};
    state[3] = (kith__saved){"own", s->I.D.pushed,
                             s->I.D.entries * (int64_t)sizeof(float)};
    state[4] = (kith__saved){"records", s->I.records,
                             records * (int64_t)sizeof(float)};
}

static kith_status save(kith__learner *s, kith_error *err)
{
    kith__saved state[STATE];

    list_state(s, state);
    return kith__checkpoint_save(s->task->checkpoint, state, STATE, err);
}

/* From the checkpoint, which is not trusted, or from the start. */
static kith_status restore(kith__learner *s, kith_error *err)
{
    kith__saved state[STATE];
    kith_status st = KITH_OK;
    bool found;

    list_state(s, state);
    TRY(kith__checkpoint_restore(s->task->checkpoint, state, STATE, &found,
                                 err));
    if (found && (s->I.terms < 1 || s->I.terms > s->p->outer))
        TRY(kith__checkpoint_refuse(s->task->checkpoint, err));
    if (!found)
        first_beliefs(s);
out:
    return st;
}

/* Alternations from I.terms on. */
static kith_status alternate(kith__learner *s, kith_error *err)
{
    const int outer = s->p->outer;
    kith_status st = KITH_OK;

    for (int t = s->I.terms; t < outer; t++) {
        if (!kith__lowrank_gather(&s->I, s->sums, &s->totals, s->PP))
            TRY(kith__no_memory(err));
        kith__lowrank_learn(s, t);
        if (t + 1 < outer)
            kith__lowrank_advance(s, t);
        TRY(save(s, err));
        TRY(tell(s, "learning", t + 1, outer, err));
    }
out:
    return st;
}

static void norm_of_records(const void *of, int32_t first, int32_t last,
                            const float *y, double *out)
{
    kith__lowrank_norm(of, first, last, y, out);
}

/* Propagate over records. */
static kith_status finish(kith__learner *s, kith_error *err)
{
    const kith__rho_of W = {.shape = &s->task->W,
                            .norm = norm_of_records,
                            .W = &s->I,
                            .room = s->P};
    const kith_params *p = s->p;
    const int left = p->as_written || p->iterations - p->outer < 1
                         ? 1
                         : p->iterations - p->outer;
    kith_certificate *c = &s->certificate;
    kith_status st = KITH_OK;

    TRY(kith__lcm_bound(p, &W, s->H, s->C, c, err));
    c->iterations = p->outer;
    for (int i = 0; i < left && !c->converged; i++) {
        c->residual = (double)propagate(s);
        c->converged = c->residual <= (p->as_written ? 0 : p->tolerance);
        c->iterations++;
        TRY(tell(s, "propagating", i + 1, left, err));
    }
    read_beliefs(s);
out:
    return st;
}

/* W as it is written out. */
typedef struct written {
    const kith__lowrank *I;
    float *weights;
    kith__operator W;
} written;

static void norm_writing(const void *of, int32_t first, int32_t last,
                         const float *y, double *out)
{
    const written *w = of;

    kith__lowrank_write(w->I, first, last, y, w->weights, out);
}

static void norm_of_written(const void *of, int32_t first, int32_t last,
                            const float *y, double *out)
{
    const written *w = of;

    kith__norm_of_rows(&w->W, first, last, y, out);
}

/* The same with the weights written out.  Records, weights and other arrays of
 * all nodes are not needed at the same time: Q is made anew. */
static kith_status finish_written(kith__learner *s, const float *potentials,
                                  float *weights, kith_error *err)
{
    const kith__task *t = s->task;
    written w = {&s->I, weights, t->W};
    const kith__rho_of W = {.shape = &t->W,
                            .norm = norm_of_written,
                            .first = norm_writing,
                            .W = &w,
                            .room = s->P};
    kith_status st = KITH_OK;

    w.W.weights = weights;
    w.W.scale = NULL;
    kith__free(s->sums);
    s->sums = NULL;
    if (s->own_Q) {
        kith__free(s->own_Q);
        s->Q = s->own_Q = NULL;
    }
    TRY(kith__lcm_bound(s->p, &W, s->H, s->C, &s->certificate, err));
    read_beliefs(s);
    kith__lowrank_release(&s->I);
    TRY(centre(s, potentials, err));
    TRY_NEW(s->sums,
            kith__alloc_big(kith__solve_workspace(t->n, s->C), sizeof(float)));
    TRY(kith__lcm_propagate(t, s->p, &w.W, s->H, s->Q, s->P, s->sums,
                            &s->certificate, err));
out:
    return st;
}

kith_status kith__lcm_run_lowrank(const kith__task *task, const kith_params *p,
                                  kith__regulariser kind,
                                  const float *potentials, kith__beliefs *out,
                                  kith_error *err)
{
    kith_status st = KITH_OK;
    float *own = NULL, *weights = out->weights;
    kith__learner s = {0};

    TRY(begin(&s, task, p, kind, potentials, out, err));
    TRY(restore(&s, err));
    TRY(alternate(&s, err));
    if (!weights && kith__lcm_writes_out(task))
        TRY_NEW(weights,
                own = kith__alloc_big(task->W.rows[task->n], sizeof(*weights)));
    TRY(weights ? finish_written(&s, potentials, weights, err)
                : finish(&s, err));
    memcpy(out->coupling, s.H, (size_t)(s.C * s.C) * sizeof(*out->coupling));
    out->certificate = s.certificate;
    out->linear = KITH__FIXED_POINT;
    out->has_coupling = true;
out:
    release(&s);
    kith__free(own);
    return st;
}
