/*
 * ranking.c: the nodes most probable of one class, and what to expect of the
 * first of them.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/status.h"
#include "eval/protocol.h"
#include "eval/ranking_one_class.h"

enum { FOLDS = 10 }; /* a model with a tenth less labels is little worse */

static const int32_t lengths[] = {10,     20,     50,     100,    200,   500,
                                  1000,   2000,   5000,   10000,  20000, 50000,
                                  100000, 200000, 500000, 1000000};

enum { LENGTHS = sizeof(lengths) / sizeof(*lengths) };

/* A ranking on its way. */
typedef struct work {
    const kith_dataset *d;
    const char *method;
    const kith_protocol *p;
    float *fold;             /* probabilities by a fold's model */
    const float *last;       /* by the last one */
    const uint8_t *evidence; /* the same */
    kith_ranking *r;
} work;

void kith_rank_options_init(kith_rank_options *o)
{
    *o = (kith_rank_options){.prevalence = (double)NAN};
}

static float probability(const work *w, const float *p, int32_t u)
{
    return p[(int64_t)u * w->d->labels->classes + w->r->options.positive];
}

/* ---- places -------------------------------------------------------------- */

/* The nodes to rank, as the input lists them. */
static kith_status list_unknown(work *w, kith_error *err)
{
    const kith_split *all = &w->p->whole;
    const int32_t n = kith_graph_nodes(w->d->graph);
    kith_status st = KITH_OK;
    bool *known = NULL;

    TRY_NEW(known, kith__alloc_zeroed(n, sizeof(*known)));
    TRY_NEW(w->r->node, kith__alloc(n, sizeof(*w->r->node)));
    TRY_NEW(w->r->probability, kith__alloc(n, sizeof(*w->r->probability)));
    for (int32_t i = 0; i < all->n_train; i++)
        known[all->train[i]] = true;
    for (int32_t i = 0; i < all->n_val; i++)
        known[all->val[i]] = true;
    for (int32_t i = 0; i < n; i++) {
        const int32_t u = kith_graph_listed(w->d->graph, i);

        if (known[u])
            continue;
        if (w->evidence[u] == KITH_EVIDENCE_NONE)
            w->r->unreached++;
        else
            w->r->node[w->r->nodes++] = u;
    }
    if (w->r->nodes == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       w->r->unreached > 0
                           ? "no node is left to rank: nothing that is known "
                             "reaches the others"
                           : "no node is left to rank: all are learnt from or "
                             "tuned on"));
out:
    kith__free(known);
    return st;
}

typedef struct place {
    float p;
    int32_t node, at; /* at: its place among nodes of equal p */
} place;

static int falling(const void *a, const void *b)
{
    const place *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The nodes to rank by falling probability: a new array. */
static kith_status sort_unknown(const work *w, const float *p, place **out,
                                kith_error *err)
{
    *out = kith__alloc(w->r->nodes, sizeof(**out));
    if (!*out)
        return kith__no_memory(err);
    for (int32_t i = 0; i < w->r->nodes; i++)
        (*out)[i] = (place){probability(w, p, w->r->node[i]), w->r->node[i], i};
    qsort(*out, (size_t)w->r->nodes, sizeof(**out), falling);
    return KITH_OK;
}

/* How many of n sorted entries are above p. */
static int32_t places_above(const place *all, int32_t n, float p)
{
    int32_t low = 0, high = n;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;

        if (all[middle].p > p)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- scores that were not learnt from ------------------------------------ */

/* Known nodes by a model that has not learnt from them, in places: kith_rank()
 * says why. */
static kith_status take_scores(work *w, const int32_t *nodes, int32_t n,
                               const float *p, kith_error *err)
{
    kith_ranking *r = w->r;
    kith_status st = KITH_OK;
    place *all = NULL;

    TRY(sort_unknown(w, p, &all, err));
    for (int32_t i = 0; i < n; i++) {
        r->score[r->known] = -(double)places_above(all, r->nodes,
                                                   probability(w, p, nodes[i]));
        r->is[r->known++] = w->d->labels->of[nodes[i]] == r->options.positive;
    }
out:
    kith__free(all);
    return st;
}

/* Train on the pool without `fold`, score the fold. */
static kith_status score_fold(work *w, const int32_t *fold, int32_t n_fold,
                              const kith_train_options *o, kith_error *err)
{
    const kith_split *all = &w->p->whole;
    kith_split rest = {0};
    kith_model *m = NULL;
    kith_status st = KITH_OK;
    int32_t at = 0;

    TRY_NEW(rest.train, kith__alloc(all->n_train, sizeof(*rest.train)));
    for (int32_t i = 0; i < all->n_train; i++)
        if (at < n_fold && fold[at] == all->train[i])
            at++;
        else
            rest.train[rest.n_train++] = all->train[i];
    TRY(kith_model_train(w->d, w->method, &rest, o, &m, w->fold, err));
    TRY(take_scores(w, fold, n_fold, w->fold, err));
out:
    kith_model_free(m);
    kith__free(rest.train);
    return st;
}

/* Every known node scored by a model that has not seen it: a tenth of all is
 * taken off what is left again and again. */
static kith_status cross_fit(work *w, const kith_train_options *o,
                             kith_error *err)
{
    const int32_t *from = w->p->whole.train;
    int32_t *left = NULL, n_left = w->p->whole.n_train;
    int32_t *kept = NULL, *held = NULL, n_kept = 0, n_held = 0;
    kith_status st = KITH_OK;

    for (int f = 0; f < FOLDS - 1 && n_left > 0; f++) {
        TRY(kith_hold_out(w->d->graph, w->d->labels, from, n_left,
                          1.0 / (FOLDS - f), w->p->seed + 1, &kept, &n_kept,
                          &held, &n_held, err));
        if (n_held > 0)
            TRY(score_fold(w, held, n_held, o, err));
        kith__free(held);
        kith__free(left);
        from = left = kept;
        n_left = n_kept;
        kept = held = NULL;
    }
    if (n_left > 0)
        TRY(score_fold(w, from, n_left, o, err));
out:
    kith__free(held);
    kith__free(kept);
    kith__free(left);
    return st;
}

static kith_status train(work *w, const kith_train_options *options,
                         kith_error *err)
{
    const kith_split *all = &w->p->whole;
    const bool solution = w->r->options.reasons > 0;
    kith_status st = KITH_OK;
    kith_classification *c;
    kith_train_options next;

    TRY(kith_classify(w->d, w->method, w->p, options,
                      w->r->options.keep | (solution ? KITH_KEEP_SOLUTION : 0u),
                      &w->r->classification, err));
    c = w->r->classification;
    w->r->model = c->model;
    w->last = c->probabilities;
    w->evidence = c->evidence;
    TRY(list_unknown(w, err));
    if (all->n_val > 0) {
        TRY(take_scores(w, all->val, all->n_val, w->last, err));
        goto out;
    }
    w->r->crossed = true;
    next = kith_options_like(options, c->tuned ? c->tuned : c->model);
    next.checkpoint = NULL;
    next.coverage = 0;
    TRY(cross_fit(w, &next, err));
out:
    return st;
}

/* ---- the list ------------------------------------------------------------ */

static kith_status put_in_order(work *w, kith_error *err)
{
    kith_status st = KITH_OK;
    place *all = NULL;

    TRY(sort_unknown(w, w->last, &all, err));
    for (int32_t i = 0; i < w->r->nodes; i++) {
        w->r->node[i] = all[i].node;
        w->r->probability[i] = all[i].p;
    }
out:
    kith__free(all);
    return st;
}

/* The known nodes cannot tell how few positives there are: if that is given,
 * the first n hold no more than all. */
static void keep_possible(const kith_ranking *r, int32_t n, kith_threshold *c)
{
    const double most = r->options.prevalence * r->nodes / n;

    if (n == 0 || isnan(most))
        return;
    c->precision = fmin(c->precision, most);
    c->precision_low = fmin(c->precision_low, most);
    c->precision_high = fmin(c->precision_high, most);
}

kith_status kith_ranking_after(const kith_ranking *r, int32_t n,
                               kith_threshold *out, kith_error *err)
{
    kith_one_class one;
    kith_status st = KITH_OK;

    if (kith_model_one_class(r->model, &one)) {
        kith__judge_positives(r, n, out);
        return KITH_OK;
    }
    TRY(kith_threshold_choose(r->score, r->is, r->known, r->options.prevalence,
                              KITH_GOAL_AT, -(double)n + .5, out, err));
    keep_possible(r, n, out);
out:
    return st;
}

static kith_status cut(kith_ranking *r, kith_error *err)
{
    const kith_rank_options *o = &r->options;
    kith_status st = KITH_OK;
    kith_one_class one;

    if (kith_model_one_class(r->model, &one))
        return kith__cut_by_positives(r, &one, err);
    r->listed = r->nodes;
    if (o->goal == KITH_GOAL_AT) {
        if (o->budget > 0 && o->budget < r->nodes)
            r->listed = o->budget;
        TRY(kith_ranking_after(r, r->listed, &r->cut, err));
    } else {
        TRY(kith_threshold_choose(r->score, r->is, r->known, o->prevalence,
                                  o->goal, o->wish, &r->cut, err));
        r->listed = (int32_t)fmin(r->nodes, floor(-r->cut.threshold) + 1);
        keep_possible(r, r->listed, &r->cut);
    }
    r->prevalence = o->prevalence;
    if (isnan(r->prevalence))
        r->prevalence = (double)r->cut.positives /
                        (r->cut.positives + r->cut.negatives);
out:
    return st;
}

static kith_status judge_lengths(kith_ranking *r, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(r->lengths, kith__alloc(LENGTHS, sizeof(*r->lengths)));
    while (r->n_lengths < LENGTHS && lengths[r->n_lengths] <= r->nodes) {
        kith_rank_length *l = &r->lengths[r->n_lengths];

        l->first = lengths[r->n_lengths];
        l->probability = r->probability[l->first - 1];
        TRY(kith_ranking_after(r, l->first, &l->holds, err));
        r->n_lengths++;
    }
out:
    return st;
}

static void count_test(work *w)
{
    const kith_split *s = &w->p->whole;
    const int32_t *of = w->d->labels->of;
    kith_ranking *r = w->r;
    kith_rank_test *t = &r->test;
    const float from = r->listed > 0 ? r->probability[r->listed - 1] : 2;

    r->n_test = s->n_test;
    for (int32_t i = 0; i < s->n_test; i++) {
        const int32_t u = s->test[i];
        const bool is = of[u] == r->options.positive;
        const bool in = probability(w, w->last, u) >= from;

        t->positives += is;
        t->listed += in && of[u] >= 0;
        t->hits += in && is;
    }
    t->precision = t->listed ? (double)t->hits / (double)t->listed
                             : (double)NAN;
    t->recall = t->positives ? (double)t->hits / (double)t->positives
                             : (double)NAN;
}

static kith_status find_reasons(kith_ranking *r, kith_error *err)
{
    const int32_t each = r->options.reasons;
    kith_status st = KITH_OK;

    if (each == 0)
        return KITH_OK;
    TRY_NEW(r->reason,
            kith__alloc_zeroed((int64_t)r->listed * each, sizeof(*r->reason)));
    TRY_NEW(r->reasons, kith__alloc_zeroed(r->listed, sizeof(*r->reasons)));
    TRY(kith_reasons(r->classification->solution, r->node, r->listed,
                     r->options.positive, each, r->reason, r->reasons, err));
    r->explained = r->listed;
out:
    return st;
}

/* ---- all of it ----------------------------------------------------------- */

static kith_status check(const kith_dataset *d, const kith_rank_options *o,
                         kith_error *err)
{
    if (!d->labels)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "no labels to learn from");
    if (o->reasons < 0 || o->reasons > KITH_REASONS_MOST)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "%d reasons, expected 0 to %d", (int)o->reasons,
                          (int)KITH_REASONS_MOST);
    if (o->positive >= 0 && o->positive < d->labels->classes && o->budget >= 0)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "class %d and a budget of %d nodes, expected one of %d "
                      "classes and at least 0",
                      (int)o->positive, (int)o->budget,
                      (int)d->labels->classes);
}

kith_status kith_rank(const kith_dataset *d, const char *method,
                      const kith_protocol *protocol,
                      const kith_train_options *options,
                      const kith_rank_options *rank, kith_ranking **out,
                      kith_error *err)
{
    work w = {.d = d, .method = method, .p = protocol};
    kith_status st = KITH_OK;

    *out = NULL;
    TRY(check(d, rank, err));
    TRY_NEW(w.r, kith__alloc_zeroed(1, sizeof(*w.r)));
    w.r->options = *rank;
    TRY_NEW(w.fold, kith__new_probabilities(d));
    TRY_NEW(w.r->score, kith__alloc(d->labels->labelled, sizeof(double)));
    TRY_NEW(w.r->is, kith__alloc(d->labels->labelled, sizeof(bool)));
    TRY(train(&w, options, err));
    TRY(put_in_order(&w, err));
    TRY(cut(w.r, err));
    TRY(judge_lengths(w.r, err));
    count_test(&w);
    TRY(find_reasons(w.r, err));
    *out = w.r;
    w.r = NULL;
out:
    kith_ranking_free(w.r);
    kith__free(w.fold);
    return st;
}

void kith_ranking_free(kith_ranking *r)
{
    if (!r)
        return;
    kith_classification_free(r->classification);
    kith__free(r->reason);
    kith__free(r->reasons);
    kith__free(r->node);
    kith__free(r->probability);
    kith__free(r->lengths);
    kith__free(r->score);
    kith__free(r->is);
    kith__free(r);
}
