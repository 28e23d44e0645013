/*
 * lcm_em.c: the driver: three searches, each for another kind of graph, and the
 * best of what they find on the validation nodes.
 *
 *   em_search.c    potentials learnt through the graph by EM: homophily,
 *                  features or labels spread over it
 *   heterophily.c  own features beside neighbours', the coupling fitted to the
 *                  labels, the graph ignored where it does not help
 *   em_lcm.c       if EM is best: W and H learnt on its potentials
 *
 * Between the kinds accuracy decides if it differs by more than its standard
 * error on so many validation nodes, else the log-loss.
 *
 * A model keeps the recipe and the fitted coupling, not the weights: to predict
 * is to follow the recipe again from the training nodes that are there.  On
 * the same graph that gives the same beliefs, and on a grown one the potentials
 * take its new nodes and edges in.
 */
#include "models/lcm_em/lcm_em.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "models/explain/logits.h"
#include "models/lcm_em/candidate.h"
#include "models/params.h"
#include "models/potentials/feature_blocks.h"

/* ---- recipes in the state ------------------------------------------------ */

static const char *const kinds[] = {"em-features", "em-labels", "beside"};
static const char *const uses[] = {"ignored", "homophily", "fitted"};

/* Blocks that are made of features; the others are of the graph. */
enum { OF_FEATURES = KITH__X | KITH__LEN | KITH__AX | KITH__A2X };

/* Stands for no bound in a model file, where numbers are finite. */
static const float NO_BOUND = 1e30f;

static int index_of(const char *text, const char *const *list, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(text, list[i]) == 0)
            return i;
    return -1;
}

/* A float as one would write it: .2, not .200000003. */
static bool put_number(kith__fit_state *s, const char *name, float x)
{
    char text[KITH_FLOAT_BUFFER];
    double value;

    kith__print(text, sizeof(text), "%.7g", (double)x);
    return kith__parse_real(text, strlen(text), &value) &&
           kith__fit_state_set(s, name, value);
}

static bool put_learnt(kith__fit_state *s, const kith__candidate *r)
{
    return !r->learnt ||
           (put_number(s, "g1", r->g1) && put_number(s, "g2", r->g2) &&
            put_number(s, "consistency", r->consistency));
}

static bool put_em(kith__fit_state *s, const kith__candidate *r)
{
    const kith__em_params *p = &r->em;
    char prep[KITH_OPTION_BUFFER];
    bool ok = put_number(s, "h", p->h) &&
              kith__fit_state_set(s, "hops", p->hops) &&
              kith__fit_state_set(s, "rounds", r->rounds) &&
              kith__fit_state_choose(s, "beliefs", r->propagated ? "P" : "p");

    if (ok && r->kind == KITH__EM_FEATURES)
        ok = kith__fit_state_choose(s, "prep",
                                    kith__prep_name(r->prep, prep)) &&
             put_number(s, "a", r->a) &&
             put_number(s, "start_penalty", r->start);
    if (ok && r->rounds > 0)
        ok = put_number(s, "kappa", p->kappa) &&
             put_number(s, "unknown", p->unknown) &&
             put_number(s, "penalty", p->penalty) &&
             put_number(s, "balance", p->balance);
    if (ok && (r->rounds > 0 || r->kind == KITH__EM_FEATURES))
        ok = put_number(s, "beta", p->beta); /* else there are no potentials */
    return ok && put_learnt(s, r);
}

static bool put_heterophily(kith__fit_state *s, const kith__candidate *r)
{
    const float lambda = isinf(r->lambda) ? NO_BOUND : r->lambda;
    bool ok = kith__fit_state_set(s, "blocks", r->blocks) &&
              put_number(s, "penalty", r->penalty) &&
              kith__fit_state_choose(s, "graph", uses[r->graph]);

    if (ok && r->graph == KITH__GRAPH_PRIOR)
        ok = put_number(s, "strength", r->strength);
    if (ok && r->graph == KITH__GRAPH_FITTED)
        ok = put_number(s, "lambda", lambda);
    return ok;
}

static bool put_candidate(kith__fit_state *s, const kith__candidate *r)
{
    return kith__fit_state_choose(s, "potentials", kinds[r->kind]) &&
           (r->kind == KITH__HETEROPHILY ? put_heterophily(s, r)
                                         : put_em(s, r));
}

/* A number in [low, high]; false if it is outside. */
static bool take(const kith__fit_state *s, const char *name, double low,
                 double high, float *out)
{
    const double x = kith__fit_state_number(s, name, low);
    const bool inside = x >= low && x <= high;

    *out = (float)(inside ? x : low); /* what is far outside has no float */
    return inside;
}

static bool take_em(const kith__fit_state *s, kith__candidate *r)
{
    kith__em_params *p = &r->em;
    float hops = 0, rounds = 0;
    const bool ok =
        take(s, "h", 0, .999, &p->h) && take(s, "hops", 0, 1000, &hops) &&
        take(s, "rounds", 0, 100, &rounds) && take(s, "a", 0, 1, &r->a) &&
        take(s, "start_penalty", 1e-6, 1e6, &r->start) &&
        take(s, "kappa", 0, 1, &p->kappa) &&
        take(s, "unknown", 0, 1e6, &p->unknown) &&
        take(s, "penalty", 1e-6, 1e6, &p->penalty) &&
        take(s, "balance", 0, 10, &p->balance) &&
        take(s, "beta", 0, 1e6, &p->beta) && take(s, "g1", 0, 1e6, &r->g1) &&
        take(s, "g2", 0, 1e6, &r->g2) &&
        take(s, "consistency", 0, 1e6, &r->consistency);
    const bool named = kith__prep_find(kith__fit_state_text(s, "prep"),
                                       &r->prep);

    if (!ok)
        return false;
    p->hops = (int)hops;
    r->rounds = (int)rounds;
    r->propagated = strcmp(kith__fit_state_text(s, "beliefs"), "P") == 0;
    r->learnt = kith__fit_state_find(s, "g1") != NULL;
    if (r->propagated ? !(p->h > 0)
                      : r->kind == KITH__EM_LABELS && r->rounds == 0)
        return false; /* no such beliefs are made */
    return r->kind == KITH__EM_LABELS || named;
}

static bool take_heterophily(const kith__fit_state *s, kith__candidate *r)
{
    const int use = index_of(kith__fit_state_text(s, "graph"), uses, 3);
    float blocks = 0;
    const bool ok = take(s, "blocks", 1, 127, &blocks) &&
                    take(s, "penalty", 1e-6, 1e6, &r->penalty) &&
                    take(s, "strength", 0, .999, &r->strength) &&
                    take(s, "lambda", 0, 1e31, &r->lambda) && use >= 0;

    if (!ok)
        return false;
    r->blocks = (unsigned)blocks;
    r->graph = (kith__graph_use)use;
    if (r->lambda >= NO_BOUND)
        r->lambda = INFINITY;
    return true;
}

static kith_status take_candidate(const kith__fit_state *s, bool features,
                                  kith__candidate *r, kith_error *err)
{
    const int kind = index_of(kith__fit_state_text(s, "potentials"), kinds, 3);

    *r = (kith__candidate){.kind = (kith__candidate_kind)(kind < 0 ? 0 : kind)};
    if (kind < 0 ||
        !(kind == KITH__HETEROPHILY ? take_heterophily(s, r) : take_em(s, r)))
        return kith__fail(err, KITH_ERR_CORRUPT, NULL, 0,
                          "the model's recipe is not one of lcm-em");
    if (!features && (kind == KITH__EM_FEATURES ||
                      (kind == KITH__EM_LABELS && r->rounds > 0) ||
                      (r->blocks & OF_FEATURES) != 0))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "the model was trained with node features, and there "
                          "are none");
    return KITH_OK;
}

bool kith__lcm_em_judges_features(const kith__fit_state *state)
{
    const int kind = index_of(kith__fit_state_text(state, "potentials"), kinds,
                              3);

    if (kind == KITH__HETEROPHILY)
        return ((unsigned)kith__fit_state_number(state, "blocks", 0) &
                OF_FEATURES) != 0;
    return kind == KITH__EM_FEATURES ||
           kith__fit_state_number(state, "rounds", 0) > 0;
}

/* ---- following ----------------------------------------------------------- */

/* What is known of the propagation: P = sum_{k <= hops} h^k S^k Q, and what is
 * left out changes no belief by more than h^hops, as rho(S) = 1.  Where nothing
 * is propagated there is no margin to tell. */
static void certify(const kith__candidate *r, kith__beliefs *out)
{
    const float h = r->kind == KITH__HETEROPHILY ? r->strength : r->em.h;
    const int hops = r->kind == KITH__HETEROPHILY ? 12 : r->em.hops;
    const bool spread = r->kind == KITH__HETEROPHILY
                            ? r->graph == KITH__GRAPH_PRIOR
                            : r->propagated && h > 0;

    out->certificate = (kith_certificate){
        .rho = spread ? (double)h : (double)NAN,
        .residual = spread ? pow((double)h, hops) : (double)NAN,
        .iterations = spread ? hops : 0,
        .converged = true};
    if (r->kind == KITH__HETEROPHILY && r->graph == KITH__GRAPH_FITTED)
        out->certificate.iterations = 1;
}

/* H = h (I - 11'/C), or as fitted. */
static void show_coupling(const kith__candidate *r, int C,
                          const kith__kept_coupling *kept, kith__beliefs *out)
{
    const float h = r->kind == KITH__HETEROPHILY ? r->strength : r->em.h;

    out->has_coupling = true;
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++)
            out->coupling[i * C + j] = kept->given
                                           ? kept->H[i * C + j]
                                           : h * ((i == j) - 1 / (float)C);
}

static kith_status follow(const kith__search_context *q,
                          const kith__candidate *r, kith__kept_coupling *kept,
                          kith__beliefs *out, kith_error *err)
{
    kith_status st = KITH_OK;

    if (r->learnt)
        return kith__em_lcm_evaluate(q, r, out, err);
    TRY(r->kind == KITH__HETEROPHILY
            ? kith__heterophily_evaluate(q, r, kept, out, err)
            : kith__em_evaluate(q, r, out, err));
    kept->given = r->kind == KITH__HETEROPHILY &&
                  r->graph == KITH__GRAPH_FITTED;
    certify(r, out);
    show_coupling(r, q->task->classes, kept, out);
out:
    return st;
}

/* ---- choosing ------------------------------------------------------------ */

/* Has a row few of the columns, as text has?  A table of numbers has them all,
 * and columns that every row has weigh log 1 = 0 by their rarity. */
static bool has_rare_columns(const kith_features *f)
{
    return f->row && 2 * (double)f->entries < (double)f->nodes * f->columns;
}

/* Without validation nodes: what did well on most graphs. */
static kith__candidate default_candidate(const kith_features *features)
{
    if (features)
        return (kith__candidate){
            .kind = KITH__EM_FEATURES,
            .prep = has_rare_columns(features) ? KITH_PREP_TFIDF : KITH_PREP_L2,
            .a = .2f,
            .start = .1f,
            .em = {.5f, .85f, 1, 1, .25f, 1, 12},
            .rounds = 2};
    return (kith__candidate){.kind = KITH__EM_LABELS,
                             .em = {.h = .8f, .hops = 12},
                             .propagated = true};
}

static kith_status new_best(const kith__search_context *q,
                            kith__best_candidate *b, kith_error *err)
{
    const int64_t cells = (int64_t)q->task->n * q->task->classes;
    kith_status st = KITH_OK;

    TRY_NEW(b->P, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(b->Q, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(b->loss, kith__alloc(q->val->n, sizeof(float)));
out:
    return st;
}

static void release_best(kith__best_candidate *b)
{
    kith__free(b->P);
    kith__free(b->Q);
    kith__free(b->loss);
}

/* Take what a search found if it is better, and begin anew. */
static void compare(const kith__search_context *q, kith__best_candidate *found,
                    kith__best_candidate *best)
{
    const kith__best_candidate was = *best;

    if (found->any &&
        (!best->any ||
         kith__clearly_better(&found->score, &best->score, q->val->n))) {
        *best = *found;
        *found = was;
    }
    found->any = false;
}

/* Labels alone may not be this many standard errors behind for EM to start from
 * them. */
static const double LABELS_BEHIND = 2;

/* The kinds of EM; the best is left in `best`. */
static kith_status search_em(const kith__search_context *q,
                             kith__best_candidate *found,
                             kith__best_candidate *best, kith_error *err)
{
    kith__best_candidate labels = {0};
    kith__em_params reach[KITH__REACHES];
    kith_status st = KITH_OK;

    TRY(new_best(q, &labels, err));
    TRY(kith__em_search_reach(q, reach, &labels, err));
    if (q->features)
        TRY(kith__em_search_features(q, &labels, found, err));
    if (q->features &&
        (!found->any || kith__paired_gain(labels.loss, found->loss,
                                          q->val->n) <= LABELS_BEHIND))
        TRY(kith__em_search_labels(q, reach, &labels, err));
    compare(q, found, best);
    compare(q, &labels, best);
out:
    release_best(&labels);
    return st;
}

static kith_status search(const kith__search_context *q,
                          kith__kept_coupling *kept, kith__best_candidate *best,
                          kith_error *err)
{
    kith_status st = KITH_OK;
    kith__best_candidate found = {0};

    TRY(new_best(q, &found, err));
    TRY(new_best(q, best, err));
    TRY(search_em(q, &found, best, err));
    TRY(kith__heterophily_search(q, best, kept, &found, err));
    compare(q, &found, best);
    if (best->candidate.kind != KITH__HETEROPHILY)
        TRY(kith__em_lcm_search(q, best, &found, err));
    compare(q, &found, best);
out:
    release_best(&found);
    return st;
}

/* What a search found, without following it again: its beliefs are there, and
 * nobody asks what they are made of. */
static void take_found(const kith__search_context *q,
                       const kith__best_candidate *best,
                       kith__kept_coupling *kept, kith__beliefs *out)
{
    const kith__candidate *r = &best->candidate;

    memcpy(out->P, best->P,
           (size_t)q->task->n * (size_t)q->task->classes * sizeof(*out->P));
    kept->given = r->kind == KITH__HETEROPHILY &&
                  r->graph == KITH__GRAPH_FITTED;
    out->roots = r->kind == KITH__EM_LABELS && r->propagated;
    certify(r, out);
    show_coupling(r, q->task->classes, kept, out);
}

static kith_status remember_coupling(kith__fit_state *s, int C,
                                     const kith__kept_coupling *kept,
                                     kith_error *err)
{
    float *H, *b;
    kith_status st = KITH_OK;

    if (!kept->given)
        return KITH_OK;
    TRY_NEW(H, kith__fit_state_array(s, "H", C, C));
    TRY_NEW(b, kith__fit_state_array(s, "b", 1, C));
    memcpy(H, kept->H, (size_t)C * (size_t)C * sizeof(*H));
    memcpy(b, kept->b, (size_t)C * sizeof(*b));
    if (!kith__fit_state_set(s, "alpha", kept->alpha))
        TRY(kith__no_memory(err));
out:
    return st;
}

/* The recipe of the state, the best that there is, or the usual one. */
static kith_status choose(const kith__search_context *q,
                          const kith_train_options *options,
                          const kith__fit_state *state,
                          kith__kept_coupling *kept, kith__best_candidate *best,
                          kith_error *err)
{
    kith_status st = KITH_OK;

    if (kith__fit_state_find(state, "potentials"))
        TRY(take_candidate(state, q->features != NULL, &best->candidate, err));
    else if (q->val->n > 0 && options->fixed != KITH_FIX_ALL)
        TRY(search(q, kept, best, err));
    else
        best->candidate = default_candidate(q->features);
out:
    return st;
}

kith_status kith__lcm_em_fit(const kith__task *task,
                             const kith_features *features,
                             const kith_train_options *options,
                             const kith__labelled_nodes *val,
                             kith__fit_state *state, kith__beliefs *out,
                             kith_error *err)
{
    const int C = task->classes;
    kith__search_context q = {0};
    kith__kept_coupling kept = {0};
    kith__best_candidate best = {0};
    kith_status st = KITH_OK;

    TRY(kith__search_context_new(task, features, val, options->fit, &q, err));
    TRY_NEW(kept.H, kith__alloc((int64_t)C * C, sizeof(float)));
    TRY_NEW(kept.b, kith__alloc(C, sizeof(float)));
    TRY(choose(&q, options, state, &kept, &best, err));
    if (best.any)
        out->validation = best.score.accuracy;
    if (best.any && best.candidate.kind == KITH__HETEROPHILY &&
        best.candidate.graph == KITH__GRAPH_FITTED &&
        options->fit != KITH_FIT_TRAIN) {
        out->val_loss = best.loss;
        best.loss = NULL;
    }
    if (best.any && !out->Q && !out->weights && !best.candidate.learnt)
        take_found(&q, &best, &kept, out);
    else
        TRY(follow(&q, &best.candidate, &kept, out, err));
    if (!put_candidate(state, &best.candidate))
        TRY(kith__no_memory(err));
    TRY(remember_coupling(state, C, &kept, err));
out:
    kith__search_context_release(&q);
    release_best(&best);
    kith__free(kept.H);
    kith__free(kept.b);
    return st;
}

kith_status kith__lcm_em_apply(const kith__task *task,
                               const kith_features *features,
                               const kith__fit_state *state, kith__beliefs *out,
                               kith_error *err)
{
    const kith__labelled_nodes none = {0};
    const int C = task->classes;
    kith__search_context q = {0};
    const float *H = kith__fit_state_values(state, "H", C, C);
    const float *b = kith__fit_state_values(state, "b", 1, C);
    kith__kept_coupling kept = {kith__fit_state_number(state, "alpha", 1),
                                (float *)H, (float *)b, H && b};
    kith_status st = KITH_OK;
    kith__candidate r;

    TRY(kith__search_context_new(task, features, &none, KITH_FIT_TRAIN, &q,
                                 err));
    TRY(take_candidate(state, features != NULL, &r, err));
    if (r.kind == KITH__HETEROPHILY && r.graph == KITH__GRAPH_FITTED &&
        !kept.given)
        TRY(kith__fail(err, KITH_ERR_CORRUPT, NULL, 0,
                       "the model's fitted coupling is missing"));
    TRY(follow(&q, &r, &kept, out, err));
out:
    kith__search_context_release(&q);
    return st;
}

kith_status kith__lcm_em_logits(const kith__task *task,
                                const kith_features *features,
                                const kith__fit_state *state,
                                kith__logits **out, kith_error *err)
{
    const kith__labelled_nodes none = {0};
    kith__search_context q = {0};
    kith_status st = KITH_OK;
    kith__logits *l = NULL;
    kith__candidate r;

    *out = NULL;
    TRY(kith__search_context_new(task, features, &none, KITH_FIT_TRAIN, &q,
                                 err));
    TRY(take_candidate(state, features != NULL, &r, err));
    if (r.kind != KITH__HETEROPHILY && !kith__em_has_logits(&r))
        goto out;
    TRY_NEW(l, kith__alloc_zeroed(1, sizeof(*l)));
    TRY(r.kind == KITH__HETEROPHILY ? kith__heterophily_logits(&q, &r, l, err)
                                    : kith__em_logits(&q, &r, l, err));
    *out = l;
    l = NULL;
out:
    kith__search_context_release(&q);
    kith__logits_free(l);
    return st;
}
