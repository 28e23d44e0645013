/*
 * evidence.c: how much of what is known reaches a node.
 *
 *     S = 1_L + rho W S,   W = D^-1/2 A D^-1/2,   rho as propagation starts
 *
 * is the labels' mass, whatever their classes.  W^k has the factor
 * 1 / sqrt(d_i d_j) for the ends i, j of a walk; without it, for an average
 * label,
 *
 *     E_i = sqrt(d_i)  mean_{j in L} sqrt(d_j)  (S_i - 1_L,i) / rho
 *
 * counts the labelled neighbours of i, and those farther off for less the
 * longer the way and the more it branches.  d is a number of neighbours: W does
 * not change if all weights of edges are multiplied by a number, nor does E.
 *
 *     none    nothing reaches it     weak  E < .5
 *     some    E < 3                  strong
 *
 * A training node has its own label: strong.  A node with features of its own,
 * of a method that judges by them, has at least some: they are held against
 * those of all labelled nodes, wherever these are.
 */
#include "models/evidence.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "graph/draw.h"
#include "models/method.h"

static const double SOME = .5, STRONG = 3;

/* ---- memory -------------------------------------------------------------- */

kith_status kith__evidence_new(const kith__task *t, kith__evidence *out,
                               kith_error *err)
{
    kith_status st = KITH_OK;

    *out = (kith__evidence){0};
    TRY_NEW(out->mass, kith__alloc_big(t->n, sizeof(*out->mass)));
    TRY_NEW(out->level, kith__alloc_zeroed(t->n, sizeof(*out->level)));
    TRY_NEW(out->order, kith__alloc(t->classes, sizeof(*out->order)));
out:
    return st;
}

void kith__evidence_release(kith__evidence *e)
{
    kith__free(e->mass);
    kith__free(e->level);
    kith__free(e->order);
    *e = (kith__evidence){0};
}

/* ---- the mass ------------------------------------------------------------ */

float kith__rho_start(int classes)
{
    return classes > 1 ? (.9f * (float)classes - 1) / (float)(classes - 1)
                       : .8f;
}

static kith_status spread_mass(const kith__task *t, int iterations,
                               double tolerance, float *S, kith_error *err)
{
    const kith__operator op = kith__scaled(&t->W, 1,
                                           kith__rho_start(t->classes));
    const kith__stopping stopping = {
        .job = t->job, .most = iterations, .tolerance = tolerance};
    kith_status st = KITH_OK;
    float *own = NULL, *other = NULL;
    kith_certificate unused;

    TRY_NEW(own, kith__alloc_big(t->n, sizeof(*own)));
    TRY_NEW(other, kith__alloc_big(t->n, sizeof(*other)));
    memset(own, 0, (size_t)t->n * sizeof(*own));
    for (int32_t l = 0; l < t->n_train; l++)
        own[t->train[l]] = kith__label_weight(t, l);
    memcpy(S, own, (size_t)t->n * sizeof(*S));
    TRY(kith__iterate(&op, &stopping, own, S, other, &unused, err));
out:
    kith__free(own);
    kith__free(other);
    return st;
}

/* ---- levels -------------------------------------------------------------- */

static double root_degree(const kith__task *t, int32_t u)
{
    return sqrt((double)(t->W.rows[u + 1] - t->W.rows[u]));
}

static bool has_features(const kith_features *f, int32_t u)
{
    const int64_t at = (int64_t)u * f->columns;

    if (f->row)
        return f->row[u + 1] > f->row[u];
    for (int32_t c = 0; c < f->columns; c++)
        if (f->value[at + c] != 0)
            return true;
    return false;
}

static kith_evidence level_of(double E)
{
    return !(E > 0)     ? KITH_EVIDENCE_NONE
           : E < SOME   ? KITH_EVIDENCE_WEAK
           : E < STRONG ? KITH_EVIDENCE_SOME
                        : KITH_EVIDENCE_STRONG;
}

static void set_levels(const kith__task *t, const kith_features *features,
                       kith__evidence *e)
{
    double mean = 0;

    for (int32_t l = 0; l < t->n_train; l++)
        mean += root_degree(t, t->train[l]) / t->n_train;
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int32_t u = 0; u < t->n; u++) {
        e->level[u] = (uint8_t)level_of(root_degree(t, u) * mean *
                                        (double)e->mass[u] /
                                        (double)kith__rho_start(t->classes));
        if (e->level[u] < KITH_EVIDENCE_SOME && features &&
            has_features(features, u))
            e->level[u] = KITH_EVIDENCE_SOME;
    }
    for (int32_t l = 0; l < t->n_train; l++)
        e->level[t->train[l]] = KITH_EVIDENCE_STRONG;
}

/* ---- ties ---------------------------------------------------------------- */

typedef struct standing {
    int32_t nodes;  /* training nodes of a class */
    uint64_t first; /* the least hash of their ids */
    int32_t class;
} standing;

static int before(const standing *a, const standing *b)
{
    if (a->nodes != b->nodes)
        return a->nodes > b->nodes;
    if (a->first != b->first)
        return a->first < b->first;
    return a->class < b->class; /* of two classes without any node */
}

/* Where classes tie, that with more training nodes goes first, then that with
 * the training node of the smallest hash: no name has a say. */
static kith_status set_order(const kith__task *t, int32_t *order,
                             kith_error *err)
{
    const int C = t->classes;
    kith_status st = KITH_OK;
    standing *all = NULL;

    TRY_NEW(all, kith__alloc(C, sizeof(*all)));
    for (int c = 0; c < C; c++)
        all[c] = (standing){0, UINT64_MAX, c};
    for (int32_t l = 0; l < t->n_train; l++) {
        const uint64_t key = kith__node_key(t->graph, t->train[l]);
        standing *own = &all[t->truth[l]];

        own->nodes++;
        own->first = key < own->first ? key : own->first;
    }
    for (int c = 0; c < C; c++) {
        order[c] = 0;
        for (int other = 0; other < C; other++)
            order[c] += before(&all[other], &all[c]);
    }
out:
    kith__free(all);
    return st;
}

kith_status kith__evidence_gather(const kith__task *t,
                                  const kith_features *features, int iterations,
                                  double tolerance, kith__evidence *e,
                                  kith_error *err)
{
    kith_status st = KITH_OK;

    if (!e->told)
        TRY(spread_mass(t, iterations, tolerance, e->mass, err));
    e->told = true;
    set_levels(t, features, e);
    TRY(set_order(t, e->order, err));
out:
    return st;
}
