/*
 * coverage.c: which nodes sets of classes are calibrated on, and what share of
 * others they hold.
 *
 * Validation nodes choose parameters and calibrate probabilities; their labels
 * enter no fit (kith__cover_options()), so they are calibration nodes as good
 * as exchangeable ones.  Where there are none, every training node is scored by
 * a model of the other four of five folds, with the choices of the whole
 * (cross-conformal: Vovk, 2015).  Those models know a fifth less, so the sets
 * tend to hold a little more than asked; what is proven of the like is a miss
 * of at most twice what was asked for (Barber et al., 2021), for sets made of
 * all five.
 */
#include "eval/coverage.h"

#include <math.h>

#include "core/alloc.h"
#include "eval/protocol.h"
#include "graph/draw.h"
#include "models/conformal.h"

enum { FOLDS = 5, STREAM = 90 };

kith_train_options kith__cover_options(const kith_train_options *o)
{
    kith_train_options own = *o;

    if (own.coverage > 0)
        own.fit = KITH_FIT_TRAIN;
    return own;
}

/* Labelled nodes and their classes. */
static kith_status add(kith__conformal *to, const kith_dataset *d,
                       const float *p, const uint8_t *evidence,
                       const int32_t *nodes, int32_t n, kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t *truth = NULL;

    TRY_NEW(truth, kith__alloc(n, sizeof(*truth)));
    for (int32_t i = 0; i < n; i++)
        truth[i] = d->labels->of[nodes[i]];
    TRY(kith__conformal_add(to, p, evidence, d->labels->classes, nodes, truth,
                            n, err));
out:
    kith__free(truth);
    return st;
}

/* Five folds on their way. */
typedef struct folds {
    const kith_dataset *d;
    const char *method;
    const int32_t *node;
    int32_t n;
    int *part;
    float *p;
    uint8_t *evidence;
} folds;

/* Fit to all but one fold, score that one. */
static kith_status score_fold(const folds *f, int which,
                              const kith_train_options *o, kith__conformal *to,
                              kith_error *err)
{
    kith_split rest = {0};
    kith_model *m = NULL;
    int32_t *held = NULL, n_held = 0;
    kith_status st = KITH_OK;

    TRY_NEW(rest.train, kith__alloc(f->n, sizeof(*rest.train)));
    TRY_NEW(held, kith__alloc(f->n, sizeof(*held)));
    for (int32_t i = 0; i < f->n; i++)
        if (f->part[i] == which)
            held[n_held++] = f->node[i];
        else
            rest.train[rest.n_train++] = f->node[i];
    if (n_held == 0 || rest.n_train == 0)
        goto out;
    TRY(kith_model_train(f->d, f->method, &rest, o, &m, f->p, err));
    TRY(add(to, f->d, f->p, f->evidence, held, n_held, err));
out:
    kith_model_free(m);
    kith__free(held);
    kith__free(rest.train);
    return st;
}

static kith_status score_folds(const kith_dataset *d, const kith_split *whole,
                               const kith_train_options *o, const kith_model *m,
                               kith__conformal *to, kith_error *err)
{
    folds f = {.d = d,
               .method = kith_model_method(m),
               .node = whole->train,
               .n = whole->n_train};
    kith_train_options again = kith_options_like(o, m);
    kith_status st = KITH_OK;
    int32_t *truth = NULL;

    again.checkpoint = NULL;
    TRY_NEW(truth, kith__alloc(f.n, sizeof(*truth)));
    TRY_NEW(f.part, kith__alloc(f.n, sizeof(*f.part)));
    TRY_NEW(f.p, kith__new_probabilities(d));
    for (int32_t i = 0; i < f.n; i++)
        truth[i] = d->labels->of[f.node[i]];
    TRY(kith__draw_parts(d->graph, f.node, truth, f.n, FOLDS, STREAM, f.part,
                         err));
    for (int i = 0; i < FOLDS; i++)
        TRY(score_fold(&f, i, &again, to, err));
out:
    kith__free(f.p);
    kith__free(f.part);
    kith__free(truth);
    return st;
}

kith_status kith__cover(const kith_dataset *d, const kith_protocol *p,
                        const kith_train_options *o, kith_classification *c,
                        kith_error *err)
{
    const kith_split *whole = &p->whole;
    kith__conformal own = {.coverage = o->coverage, .folds = whole->n_val == 0};
    kith_status st = KITH_OK;
    kith_one_class one;

    if (o->coverage == 0)
        return KITH_OK;
    if (kith_model_one_class(c->model, &one))
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "all labels are of one class: nothing tells how often "
                       "sets of classes would hold the truth (coverage)"));
    if (own.folds)
        TRY(score_folds(d, whole, o, c->model, &own, err));
    else
        TRY(add(&own, d, c->probabilities, c->evidence, whole->val,
                whole->n_val, err));
    kith__conformal_sort(&own);
    kith__conformal_keep(c->model, &own);
    TRY_NEW(c->sets,
            kith__alloc((int64_t)d->labels->nodes * d->labels->classes, 1));
    TRY(kith_sets(c->model, c->probabilities, c->evidence, d->labels->nodes,
                  o->coverage, c->sets, err));
out:
    kith__conformal_release(&own);
    return st;
}

/* ---- what they hold ------------------------------------------------------ */

kith_coverage kith_coverage_of(const uint8_t *sets, const kith_labels *labels,
                               const int32_t *nodes, int32_t n_nodes)
{
    const int32_t classes = labels->classes;
    kith_coverage c = {.share = (double)NAN, .size = (double)NAN};
    int64_t size = 0, hits = 0;

    for (int32_t i = 0; i < n_nodes; i++) {
        const uint8_t *set = sets + (int64_t)nodes[i] * classes;
        const int32_t y = labels->of[nodes[i]];
        int32_t own = 0;

        if (y < 0)
            continue;
        for (int32_t k = 0; k < classes; k++)
            own += set[k];
        c.nodes++;
        c.empty += own == 0;
        c.full += own == classes;
        hits += set[y];
        size += own;
    }
    c.interval = kith_share_interval((double)hits, c.nodes);
    if (c.nodes > 0) {
        c.share = (double)hits / c.nodes;
        c.size = (double)size / c.nodes;
    }
    return c;
}
