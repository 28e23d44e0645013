/*
 * solution_update.c: new labels to new beliefs, without a run.
 *
 * Beliefs are linear in the potentials Q, and a label is a row of Q: so what
 * changes is pushed from the rows of the new labels (push_change.h).  W, H and
 * the calibration are those that were learnt.  The labels' mass, which evidence
 * hangs on, is pushed the same way.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "kernels/push_change.h"
#include "models/model_object.h"
#include "models/solution.h"

/* Of its own size, what may come to a row without being passed on. */
static const double NEXT_TO_NOTHING = 1e-6;
enum { STEPS_MOST = 500 }; /* of a fixed point */

/* What replaces the solution's, once all is made. */
typedef struct update {
    kith_solution *s;
    const int32_t *nodes, *classes;
    int32_t count;
    int32_t *rows, n_rows;   /* the nodes, each once */
    float *P, *Q, *R, *mass; /* n x classes; mass: n */
    float *moved;            /* n: the change of the labels' mass */
    int32_t *trained;        /* n */
    int32_t *train, *truth;
    int32_t n_train;
    uint8_t *level; /* n */
    int32_t *order; /* classes */
    kith_update told;
} update;

/* ---- can it be? ---------------------------------------------------------- */

static kith_status check_kind(const kith_solution *s, kith_error *err)
{
    const kith_model *m = s->model;
    const bool sums = s->b.linear == KITH__SUM ||
                      s->b.linear == KITH__FIXED_POINT;

    if (!sums || s->b.self_term || (m->weights && !m->params.clamp))
        return kith__fail(
            err, KITH_ERR_ARGUMENT, NULL, 0,
            "beliefs of this '%s' model are no sum over labelled nodes, so "
            "that new labels need another fit: kith_model_refit()",
            m->method);
    if (s->b.linear == KITH__FIXED_POINT && !(s->b.certificate.rho < 1))
        return kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                          "propagation of this '%s' model diverges (rho %.3f)",
                          m->method, s->b.certificate.rho);
    return KITH_OK;
}

/* Does Q say of nodes without a label that nothing is known? */
static bool labels_are_all(const kith_solution *s)
{
    const int C = s->storage.task.classes;
    bool all = true;

    for (int32_t u = 0; u < s->storage.task.n && all; u++)
        for (int c = 0; c < C && s->trained[u] < 0; c++)
            all &= s->b.Q[(int64_t)u * C + c] == 0;
    return all;
}

static kith_status check_labels(const update *u, kith_error *err)
{
    const kith__task *t = &u->s->storage.task;
    bool removes = false;

    for (int32_t i = 0; i < u->count; i++) {
        removes |= u->classes[i] < 0;
        if (u->nodes[i] < 0 || u->nodes[i] >= t->n)
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "nodes[%d] is %d, expected 0 to %d", (int)i,
                              (int)u->nodes[i], (int)t->n - 1);
        if (u->classes[i] < -1 || u->classes[i] >= t->classes)
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "classes[%d] is %d, expected -1 to %d", (int)i,
                              (int)u->classes[i], t->classes - 1);
    }
    if (removes && !labels_are_all(u->s))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "a class is -1, but what features say of a node is "
                          "not kept where its label stood: "
                          "kith_model_refit()");
    return KITH_OK;
}

/* ---- potentials ---------------------------------------------------------- */

/*
 * What a label of the class is in Q: the row of a node that has it.  If none
 * has, that of another class with two entries in each other's place.
 */
static void label_row(const update *u, int32_t class, float *row)
{
    const kith__task *t = &u->s->storage.task;
    int32_t l = 0;
    float swap;

    for (int32_t i = t->n_train - 1; i >= 0; i--)
        if (t->truth[i] == class)
            l = i;
    memcpy(row, u->s->b.Q + (int64_t)t->train[l] * t->classes,
           (size_t)t->classes * sizeof(*row));
    swap = row[class];
    row[class] = row[t->truth[l]];
    row[t->truth[l]] = swap;
}

static float mass_of(const kith__task *t, int32_t class)
{
    return class < 0 ? 0 : t->label_weight ? t->label_weight[class] : 1;
}

/* Q and the labels with the new ones, R their change. */
static void set_rows(update *u)
{
    const kith__task *t = &u->s->storage.task;
    const int C = t->classes;

    for (int32_t i = 0; i < u->count; i++) {
        const int32_t v = u->nodes[i], class = u->classes[i];
        float *q = u->Q + (int64_t)v * C, *r = u->R + (int64_t)v * C;

        if (u->trained[v] == class)
            continue;
        u->told.added += u->trained[v] < 0;
        u->told.changed += u->trained[v] >= 0 && class >= 0;
        u->told.removed += class < 0;
        u->moved[v] += mass_of(t, class) - mass_of(t, u->trained[v]);
        u->trained[v] = class;
        for (int c = 0; c < C; c++)
            r[c] -= q[c];
        if (class < 0)
            memset(q, 0, (size_t)C * sizeof(*q));
        else
            label_row(u, class, q);
        for (int c = 0; c < C; c++)
            r[c] += q[c];
    }
}

static void list_trained(update *u)
{
    for (int32_t v = 0; v < u->s->storage.task.n; v++)
        if (u->trained[v] >= 0) {
            u->train[u->n_train] = v;
            u->truth[u->n_train++] = u->trained[v];
        }
}

/* ---- beliefs ------------------------------------------------------------- */

/* Beliefs that are shown as fourth roots, and back. */
static void take_powers(const kith__task *t, float *P)
{
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int64_t i = 0; i < (int64_t)t->n * t->classes; i++)
        P[i] = P[i] * P[i] * P[i] * fabsf(P[i]);
}

static void take_roots(const kith__task *t, float *P)
{
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int64_t i = 0; i < (int64_t)t->n * t->classes; i++)
        P[i] = copysignf(sqrtf(sqrtf(fabsf(P[i]))), P[i]);
}

/* How far the labels' mass went: with the beliefs, if linbp told it, else as
 * far as evidence is told by. */
static int mass_steps(const kith_solution *s)
{
    return s->storage.task.labels_alone &&
                   strcmp(s->model->method, "linbp") == 0
               ? s->b.certificate.iterations
               : KITH__MASS_ITERATIONS;
}

static kith_status push(update *u, kith_error *err)
{
    const kith_solution *s = u->s;
    const kith__task *t = &s->storage.task;
    const kith__operator spread = kith__scaled(&t->W, 1,
                                               kith__rho_start(t->classes));
    kith__stopping stopping = kith__stopping_of(
        t, s->b.linear == KITH__SUM ? s->b.certificate.iterations : STEPS_MOST,
        NEXT_TO_NOTHING);
    kith_status st = KITH_OK;
    kith__pushed told;

    stopping.stage = "updating";
    if (s->b.roots)
        take_powers(t, u->P);
    TRY(kith__push_change(&s->op, &stopping, u->rows, u->n_rows, u->R, u->P,
                          &told, err));
    if (s->b.roots)
        take_roots(t, u->P);
    u->told.steps = told.rounds;
    u->told.edges = told.edges;
    stopping.most = mass_steps(s);
    TRY(kith__push_change(&spread, &stopping, u->rows, u->n_rows, u->moved,
                          u->mass, &told, err));
    u->told.edges += told.edges;
out:
    return st;
}

/* ---- all or nothing ------------------------------------------------------ */

static kith_status make_room(update *u, kith_error *err)
{
    const kith_solution *s = u->s;
    const int64_t n = s->storage.task.n, cells = n * s->storage.task.classes;
    const size_t bytes = (size_t)cells * sizeof(float);
    kith_status st = KITH_OK;

    TRY_NEW(u->P, kith__alloc_big(cells, sizeof(*u->P)));
    TRY_NEW(u->Q, kith__alloc_big(cells, sizeof(*u->Q)));
    TRY_NEW(u->R, kith__alloc_zeroed(cells, sizeof(*u->R)));
    TRY_NEW(u->mass, kith__alloc_big(n, sizeof(*u->mass)));
    TRY_NEW(u->moved, kith__alloc_zeroed(n, sizeof(*u->moved)));
    TRY_NEW(u->trained, kith__alloc(n, sizeof(*u->trained)));
    TRY_NEW(u->train, kith__alloc(n, sizeof(*u->train)));
    TRY_NEW(u->truth, kith__alloc(n, sizeof(*u->truth)));
    TRY_NEW(u->rows, kith__alloc(u->count, sizeof(*u->rows)));
    TRY_NEW(u->level, kith__alloc(n, sizeof(*u->level)));
    TRY_NEW(u->order, kith__alloc(s->storage.task.classes, sizeof(*u->order)));
    if (u->count > 0)
        memcpy(u->rows, u->nodes, (size_t)u->count * sizeof(*u->rows));
    u->n_rows = kith__sort_once(u->rows, u->count);
    memcpy(u->P, s->b.P, bytes);
    memcpy(u->Q, s->b.Q, bytes);
    memcpy(u->mass, s->b.evidence.mass, (size_t)n * sizeof(*u->mass));
    memcpy(u->trained, s->trained, (size_t)n * sizeof(*u->trained));
out:
    return st;
}

static void release(update *u)
{
    kith__free(u->rows);
    kith__free(u->P);
    kith__free(u->Q);
    kith__free(u->R);
    kith__free(u->mass);
    kith__free(u->moved);
    kith__free(u->trained);
    kith__free(u->train);
    kith__free(u->truth);
    kith__free(u->level);
    kith__free(u->order);
}

#define SWAP(type, a, b)    \
    do {                    \
        type swapped = (a); \
        (a) = (b);          \
        (b) = swapped;      \
    } while (0)

/* There and back: what the solution had goes to the update. */
static void exchange(update *u)
{
    kith_solution *s = u->s;
    kith__task *t = &s->storage.task;

    SWAP(float *, s->b.P, u->P);
    SWAP(float *, s->b.Q, u->Q);
    SWAP(float *, s->b.evidence.mass, u->mass);
    SWAP(uint8_t *, s->b.evidence.level, u->level);
    SWAP(int32_t *, s->b.evidence.order, u->order);
    SWAP(int32_t *, s->trained, u->trained);
    SWAP(int32_t *, s->storage.train, u->train);
    SWAP(int32_t *, s->storage.truth, u->truth);
    SWAP(int32_t, t->n_train, u->n_train);
    t->train = s->storage.train;
    t->truth = s->storage.truth;
}

kith_status kith_solution_update(kith_solution *s, const int32_t *nodes,
                                 const int32_t *classes, int32_t count,
                                 kith_update *told, kith_error *err)
{
    update u = {.s = s, .nodes = nodes, .classes = classes, .count = count};
    kith_status st = KITH_OK;

    TRY(check_kind(s, err));
    TRY(check_labels(&u, err));
    TRY(make_room(&u, err));
    set_rows(&u);
    list_trained(&u);
    if (u.n_train == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "no label is left to propagate"));
    TRY(push(&u, err));
    exchange(&u);
    st = kith__evidence_of(s->model, &s->storage.task, s->data->features, &s->b,
                           err);
    if (st != KITH_OK) {
        exchange(&u);
        goto out;
    }
    s->updated = true;
    if (told)
        *told = u.told;
out:
    release(&u);
    return st;
}
