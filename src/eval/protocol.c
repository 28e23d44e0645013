/*
 * protocol.c: what labelled nodes are for, and the fits that come of it.
 *
 * A model that is tuned on nodes should not waste them: they are held out, the
 * choices made, then all are learnt from with those choices kept.
 */
#include "eval/protocol.h"

#include <math.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/status.h"
#include "eval/coverage.h"
#include "models/one_class.h"
#include "models/train.h"

/* ---- which nodes --------------------------------------------------------- */

/* What a node is for. */
typedef enum use { USE_NONE, USE_TO_LEARN, USE_TO_TUNE } use;

static kith_status mark(const int32_t *nodes, int32_t n_nodes, int32_t n,
                        use what, uint8_t *uses, kith_error *err)
{
    for (int32_t i = 0; i < n_nodes; i++) {
        if (nodes[i] < 0 || nodes[i] >= n)
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "node %d in the split, expected one of %d nodes",
                              (int)nodes[i], (int)n);
        uses[nodes[i]] = (uint8_t)what;
    }
    return KITH_OK;
}

/* Labelled nodes of one use, ascending. */
static kith_status list(const kith_labels *l, const uint8_t *uses, use which,
                        int32_t **nodes, int32_t *n, kith_error *err)
{
    int32_t count = 0;

    for (int32_t u = 0; u < l->nodes; u++)
        count += uses[u] == which && l->of[u] >= 0;
    *nodes = kith__alloc(count, sizeof(**nodes));
    if (!*nodes)
        return kith__no_memory(err);
    for (int32_t u = 0; u < l->nodes; u++)
        if (uses[u] == which && l->of[u] >= 0)
            (*nodes)[(*n)++] = u;
    return KITH_OK;
}

static kith_status list_whole(const kith_labels *l, const kith_split *split,
                              kith_split *whole, kith_error *err)
{
    const bool all = !split || !split->train;
    kith_status st = KITH_OK;
    uint8_t *uses = NULL;

    TRY_NEW(uses, kith__alloc(l->nodes, sizeof(*uses)));
    memset(uses, all ? USE_TO_LEARN : USE_NONE, (size_t)l->nodes);
    if (!all)
        TRY(mark(split->train, split->n_train, l->nodes, USE_TO_LEARN, uses,
                 err));
    if (split)
        TRY(mark(split->val, split->n_val, l->nodes, USE_TO_TUNE, uses, err));
    TRY(list(l, uses, USE_TO_LEARN, &whole->train, &whole->n_train, err));
    TRY(list(l, uses, USE_TO_TUNE, &whole->val, &whole->n_val, err));
    if (whole->n_train == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "no labelled node is left to learn from"));
    if (split && split->n_test > 0) {
        TRY_NEW(whole->test, kith__alloc(split->n_test, sizeof(*whole->test)));
        memcpy(whole->test, split->test,
               (size_t)split->n_test * sizeof(*whole->test));
        whole->n_test = split->n_test;
    }
out:
    kith__free(uses);
    return st;
}

kith_status kith_protocol_make(const kith_dataset *d, const kith_split *split,
                               double hold_out, uint64_t seed,
                               kith_protocol *out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_protocol p = {.seed = seed};

    *out = (kith_protocol){0};
    if (!d->labels || d->labels->labelled == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "no labels to learn from"));
    TRY(list_whole(d->labels, split, &p.whole, err));
    if (p.whole.n_val == 0 && hold_out != 0 &&
        kith__only_class(d->labels, p.whole.train, p.whole.n_train) < 0)
        TRY(kith_hold_out(d->graph, d->labels, p.whole.train, p.whole.n_train,
                          hold_out, seed, &p.tuning.train, &p.tuning.n_train,
                          &p.tuning.val, &p.tuning.n_val, err));
    if (p.tuning.n_val == 0) /* one node a class: too few */
        kith_split_release(&p.tuning);
    *out = p;
    p = (kith_protocol){0};
out:
    kith_protocol_release(&p);
    return st;
}

void kith_protocol_release(kith_protocol *p)
{
    kith_split_release(&p->whole);
    kith_split_release(&p->tuning);
}

const kith_split *kith_protocol_first(const kith_protocol *p)
{
    return p->tuning.n_val > 0 ? &p->tuning : &p->whole;
}

/* ---- the fits ------------------------------------------------------------ */

/* Nodes that were held out to choose on calibrate no more: all are learnt from
 * now, and all calibrate. */
static kith_status fit_last(const kith_dataset *d, const char *method,
                            const kith_protocol *p, const kith_train_options *o,
                            bool cross_fit, unsigned keep,
                            kith_classification *c, kith_error *err)
{
    const bool solution = keep & KITH_KEEP_SOLUTION;

    return kith__train(
        d, method, &p->whole, o, &c->model,
        (kith__outcome){.probabilities = c->probabilities,
                        .evidence = c->evidence,
                        .solution = solution ? &c->solution : NULL,
                        .cross_fit = cross_fit},
        err);
}

/* The file that the last fit keeps its state in; NULL if none is wanted. */
static kith_status last_of(const char *checkpoint, char **out, kith_error *err)
{
    kith_status st = KITH_OK;

    *out = NULL;
    if (checkpoint)
        TRY_NEW(*out, kith__join(checkpoint, ".last", ""));
out:
    return st;
}

bool kith__cross_fits(const kith_train_options *o)
{
    return o->temperature == 0 && o->fixed != KITH_FIX_ALL;
}

kith_status kith__fit_by(const kith_dataset *d, const char *method,
                         const kith_protocol *p,
                         const kith_train_options *options, unsigned keep,
                         kith_classification *c, kith_error *err)
{
    const kith_train_options first = kith__cover_options(options);
    const bool cross_fit = kith__cross_fits(options);
    kith_train_options again;
    kith_status st = KITH_OK;
    char *last = NULL;

    if (p->tuning.n_val == 0) {
        TRY(fit_last(d, method, p, &first, cross_fit, keep, c, err));
        TRY(kith__cover(d, p, &first, c, err));
        goto out;
    }
    TRY(last_of(options->checkpoint, &last, err));
    TRY(kith_model_train(d, method, &p->tuning, &first, &c->tuned, c->unseen,
                         err));
    again = kith_options_like(&first, c->tuned);
    again.checkpoint = last;
    TRY(fit_last(d, method, p, &again, cross_fit, keep, c, err));
    TRY(kith__cover(d, p, &first, c, err));
out:
    kith__free(last);
    return st;
}

float *kith__new_probabilities(const kith_dataset *d)
{
    return kith__alloc((int64_t)d->labels->nodes * d->labels->classes,
                       sizeof(float));
}

kith_status kith_classify(const kith_dataset *d, const char *method,
                          const kith_protocol *protocol,
                          const kith_train_options *options, unsigned keep,
                          kith_classification **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_classification *c = NULL;

    *out = NULL;
    if (!d->labels)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "no labels to learn from"));
    TRY_NEW(c, kith__alloc_zeroed(1, sizeof(*c)));
    TRY_NEW(c->probabilities, kith__new_probabilities(d));
    TRY_NEW(c->evidence, kith__alloc(d->labels->nodes, sizeof(*c->evidence)));
    if ((keep & KITH_KEEP_UNSEEN) && protocol->tuning.n_val > 0)
        TRY_NEW(c->unseen, kith__new_probabilities(d));
    TRY(kith__fit_by(d, method, protocol, options, keep, c, err));
    c->validation = kith_model_validation(c->tuned ? c->tuned : c->model);
    c->n_validation = kith_protocol_first(protocol)->n_val;
    *out = c;
    c = NULL;
out:
    kith_classification_free(c);
    return st;
}

void kith_classification_free(kith_classification *c)
{
    if (!c)
        return;
    kith_solution_free(c->solution);
    kith_model_free(c->tuned);
    kith_model_free(c->model);
    kith__free(c->probabilities);
    kith__free(c->evidence);
    kith__free(c->unseen);
    kith__free(c->sets);
    kith__free(c);
}

void kith_classify_forget(const char *checkpoint)
{
    char *last;

    if (!checkpoint)
        return;
    (void)remove(checkpoint);
    if (last_of(checkpoint, &last, NULL) == KITH_OK)
        (void)remove(last);
    kith__free(last);
}
