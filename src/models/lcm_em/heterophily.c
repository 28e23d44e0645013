/*
 * heterophily.c: for graphs on which neighbours may differ.
 *
 *     L = log softmax(F B + b), centred     F own features beside neighbours'
 *     S = softmax(L), training rows one-hot;  M = W S
 *
 *     P = L                                 the graph ignored, or
 *     P = sum_k s^k W^k Q,  Q = S - 1/C     homophily of strength s, or
 *     P = alpha L + M H + b                 a coupling fitted to labels
 *
 * What is learnt from L at training nodes would find them known by heart: there
 * L comes from FOLDS fits, each without the nodes it is asked about.  Blocks
 * and penalty are chosen by log-loss on the validation nodes; so is the use of
 * the graph, each half of them by what was fitted without it, since a coupling
 * fitted to all of them would know them too.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/softmax.h"
#include "models/explain/logits.h"
#include "models/lcm_em/candidate.h"
#include "models/lcm_em/coupling_fit.h"
#include "models/potentials/feature_blocks.h"

enum { FOLDS = KITH__FOLDS, HOPS = 12, MOST_STEPS = 300 };

/* So many validation nodes choose alone. */
enum { MANY_NODES = 500 };

/* Eigenvectors, and couplings of many classes, are for graphs of some size. */
enum { SPECTRAL_NODES = 200000, FITTED_CLASSES = 32 };

static const unsigned with_features[] = {
    KITH__X, KITH__X | KITH__LEN, KITH__X | KITH__AX,
    KITH__X | KITH__LEN | KITH__AX | KITH__A2X | KITH__DEG | KITH__SPECA};
static const unsigned without_features[] = {KITH__SPECS,
                                            KITH__SPECA | KITH__DEG};
static const float penalties[] = {.003f, .01f, .03f, .1f, .3f, 1, 3, 10};
static const float strengths[] = {.2f, .5f, .8f, .95f};
static const float lambdas[] = {.1f, 1, 5, 25, INFINITY};

#define LENGTH(array) ((int)(sizeof(array) / sizeof(*(array))))

/* ---- potentials ---------------------------------------------------------- */

/* A fit of a list: which nodes it leaves out, its penalty, its Z. */
typedef struct one_fit {
    float penalty;
    int without;
    float *Z;    /* n x C, new */
    float *keep; /* room for its B, (columns + 1) x C; NULL = not wanted */
} one_fit;

/* Z = F B with B fitted to the training nodes but those of one fold (negative:
 * to all). */
static kith_status fit_potentials(const kith__search_context *q,
                                  const kith__feature_operator *map,
                                  const one_fit *fit, kith_error *err)
{
    const kith__task *t = q->task;
    const int C = t->classes;
    const int64_t size = (map->columns + 1) * C;
    kith_status st = KITH_OK;
    float *target = NULL, *weight = NULL, *B = NULL;
    kith__feature_workspace room = {0};

    TRY(kith__feature_workspace_new(map, C, &room, err));
    TRY_NEW(target, kith__alloc_zeroed((int64_t)t->n * C, sizeof(float)));
    TRY_NEW(weight, kith__alloc_zeroed(t->n, sizeof(float)));
    TRY_NEW(B, kith__alloc_zeroed(size, sizeof(float)));
    for (int32_t l = 0; l < t->n_train; l++) {
        target[(int64_t)t->train[l] * C + t->truth[l]] = 1;
        weight[t->train[l]] = q->fold[l] != fit->without;
    }
    TRY(kith__soft_fit(map, &(kith__soft_rows){target, weight}, C,
                       (double)fit->penalty, MOST_STEPS, 1e-5, B, err));
    kith__feature_apply(map, B, C, &room, fit->Z);
    if (fit->keep)
        memcpy(fit->keep, B, (size_t)size * sizeof(*B));
out:
    kith__free(target);
    kith__free(weight);
    kith__free(B);
    kith__feature_workspace_release(&room);
    return st;
}

/* Z -> log softmax(Z), less its mean: rows sum to 0. */
static void centre_logs(float *Z, int64_t n, int C)
{
    for (int64_t u = 0; u < n; u++) {
        double mean = 0;

        for (int c = 0; c < C; c++)
            mean += (double)Z[u * C + c] / C;
        for (int c = 0; c < C; c++)
            Z[u * C + c] -= (float)mean;
    }
}

/* All fits of a list, one per thread at a time. */
static kith_status fit_all(const kith__search_context *q,
                           const kith__feature_operator *map, one_fit *fits,
                           int n, kith_error *err)
{
    const kith__task *t = q->task;
    const int64_t cells = (int64_t)t->n * t->classes;
    kith_status st = KITH_OK;

    for (int i = 0; i < n; i++)
        TRY_NEW(fits[i].Z, kith__alloc_big(cells, sizeof(float)));
#pragma omp parallel for num_threads(t->threads) schedule(dynamic, 1)
    for (int i = 0; i < n; i++) {
        kith__feature_operator own = *map;
        kith_error why = {0};
        kith_status got;

        own.threads = 1;
        got = fit_potentials(q, &own, &fits[i], &why);
        kith__note_failure(got, &why, &st, err);
    }
out:
    return st;
}

static void release_fits(one_fit *fits, int n)
{
    for (int i = 0; i < n; i++)
        kith__free(fits[i].Z);
}

static int folds_of(const kith__task *t)
{
    return t->n_train >= 2 * FOLDS ? FOLDS : 0;
}

/* L of all nodes, at training nodes out of fold.  Z: what the fit to all gave,
 * NULL if that has not been made.  keep: room for the B of all, then of each
 * fold; NULL if not wanted. */
static kith_status find_L(const kith__search_context *q,
                          const kith__feature_operator *map, float penalty,
                          const float *Z, float *L, float *keep,
                          kith_error *err)
{
    const kith__task *t = q->task;
    const int C = t->classes;
    const int64_t size = (map->columns + 1) * C;
    const int folds = folds_of(t), fitted = Z ? folds : folds + 1;
    one_fit fits[FOLDS + 1] = {0};
    kith_status st = KITH_OK;

    for (int i = 0; i < fitted; i++) /* the last leaves nothing out */
        fits[i] = (one_fit){.penalty = penalty,
                            .without = i < folds ? i : -1,
                            .keep = keep ? keep + (i + 1) % (folds + 1) * size
                                         : NULL};
    TRY(fit_all(q, map, fits, fitted, err));
    memcpy(L, Z ? Z : fits[folds].Z, (size_t)t->n * (size_t)C * sizeof(*L));
    for (int32_t l = 0; folds > 0 && l < t->n_train; l++) {
        const int64_t at = (int64_t)t->train[l] * C;

        memcpy(L + at, fits[q->fold[l]].Z + at, (size_t)C * sizeof(*L));
    }
    centre_logs(L, t->n, C);
out:
    release_fits(fits, FOLDS + 1);
    return st;
}

/* ---- uses of the graph --------------------------------------------------- */

typedef struct views {
    float *L, *M;
    float *Q;     /* S - 1/C */
    float *other; /* room */
} views;

static void release_views(views *v)
{
    kith__free(v->L);
    kith__free(v->Q);
    kith__free(v->M);
    kith__free(v->other);
}

static kith_status new_views(const kith__task *t, views *v, kith_error *err)
{
    const int64_t cells = (int64_t)t->n * t->classes;
    kith_status st = KITH_OK;

    TRY_NEW(v->L, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(v->Q, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(v->M, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(v->other, kith__alloc_big(cells, sizeof(float)));
out:
    return st;
}

/* M = W S, then Q = S - 1/C. */
static void look_around(const kith__task *t, views *v)
{
    const int C = t->classes;
    const kith__operator op = kith__scaled(&t->W, C, 1);

    kith__softmax_rows(v->L, t->n, C, 1, v->Q, t->threads);
    for (int32_t l = 0; l < t->n_train; l++)
        for (int c = 0; c < C; c++)
            v->Q[(int64_t)t->train[l] * C + c] = c == t->truth[l];
    kith__operator_apply(&op, 0, t->n, v->Q, NULL, v->M);
    for (int64_t i = 0; i < (int64_t)t->n * C; i++)
        v->Q[i] -= 1 / (float)C;
}

/* ---- scoring the uses ---------------------------------------------------- */

/* May a coupling be fitted to the training nodes?  Where validation nodes may
 * be fitted to as well and are more, they alone: out of fold or not, beliefs of
 * training nodes are not quite what those of others are. */
static bool fits_train(const kith__search_context *q)
{
    return q->fit == KITH_FIT_TRAIN || q->task->n_train >= q->val->n;
}

/* Nodes to fit a coupling to: the training nodes, and validation nodes of one
 * half (negative: all) if they may be fitted to. */
static kith_status fit_nodes(const kith__search_context *q, int half,
                             int32_t **node, int32_t **truth,
                             kith__labelled_nodes *out, kith_error *err)
{
    const kith__task *t = q->task;
    const int32_t most = t->n_train + q->val->n;
    kith_status st = KITH_OK;
    int32_t n = 0;

    TRY_NEW(*node, kith__alloc(most, sizeof(**node)));
    TRY_NEW(*truth, kith__alloc(most, sizeof(**truth)));
    for (int32_t i = 0; q->fit != KITH_FIT_TRAIN && i < q->val->n; i++)
        if (half < 0 || q->half[i] == half) {
            (*node)[n] = q->val->node[i];
            (*truth)[n++] = q->val->truth[i];
        }
    for (int32_t l = 0; fits_train(q) && l < t->n_train; l++) {
        (*node)[n] = t->train[l];
        (*truth)[n++] = t->truth[l];
    }
    *out = (kith__labelled_nodes){*node, *truth, n};
out:
    return st;
}

static kith_status fit_coupling(const kith__search_context *q, const views *v,
                                float lambda, int half,
                                kith__kept_coupling *kept, float *P,
                                kith_error *err)
{
    const kith__task *t = q->task;
    kith__fitted_coupling f = {kept->alpha, kept->H, kept->b};
    int32_t *node = NULL, *truth = NULL;
    kith_status st = KITH_OK;
    kith__labelled_nodes at;

    if (!kept->given) {
        TRY(fit_nodes(q, half, &node, &truth, &at, err));
        TRY(kith__coupling_fit(v->L, v->M, t->classes, &at, (double)lambda, &f,
                               err));
        kept->alpha = f.alpha;
    }
    kith__coupling_apply(v->L, v->M, t->n, t->classes, &f, P);
out:
    kith__free(node);
    kith__free(truth);
    return st;
}

/* Beliefs by a recipe's use of the graph. */
static kith_status use_graph(const kith__search_context *q, views *v,
                             const kith__candidate *r,
                             kith__kept_coupling *kept, float *P,
                             kith_error *err)
{
    const int64_t cells = (int64_t)q->task->n * q->task->classes;

    if (r->graph == KITH__GRAPH_FITTED)
        return fit_coupling(q, v, r->lambda, -1, kept, P, err);
    if (r->graph == KITH__GRAPH_PRIOR)
        kith__propagate_scalar(q->task, r->strength, HOPS, v->Q, P, v->other);
    else
        memcpy(P, v->L, (size_t)cells * sizeof(*P));
    return KITH_OK;
}

/* Half of the validation nodes, in arrays of its own. */
static kith_status half_of(const kith__search_context *q, int half,
                           int32_t **node, int32_t **truth,
                           kith__labelled_nodes *out, kith_error *err)
{
    const kith__labelled_nodes *val = q->val;
    kith_status st = KITH_OK;
    int32_t n = 0;

    TRY_NEW(*node, kith__alloc(val->n, sizeof(**node)));
    TRY_NEW(*truth, kith__alloc(val->n, sizeof(**truth)));
    for (int32_t i = 0; i < val->n; i++) {
        if (q->half[i] != half)
            continue;
        (*node)[n] = val->node[i];
        (*truth)[n++] = val->truth[i];
    }
    *out = (kith__labelled_nodes){*node, *truth, n};
out:
    return st;
}

/* A use's score: each half by a temperature of the other, or by a coupling
 * that was fitted to the other too and so has the right one. */
static kith_status score_use(const kith__search_context *q, views *v,
                             const kith__candidate *r,
                             kith__kept_coupling *kept, float *P,
                             kith__score *out, kith_error *err)
{
    const int C = q->task->classes;
    int32_t *node[2] = {0}, *truth[2] = {0};
    const bool crossed = r->graph == KITH__GRAPH_FITTED &&
                         q->fit != KITH_FIT_TRAIN;
    kith__labelled_nodes part[2];
    kith_status st = KITH_OK;

    *out = (kith__score){0, 0};
    for (int h = 0; h < 2; h++)
        TRY(half_of(q, h, &node[h], &truth[h], &part[h], err));
    if (!crossed)
        TRY(use_graph(q, v, r, kept, P, err));
    for (int h = 0; h < 2; h++) {
        const double share = (double)part[h].n / q->val->n;
        double t = 1;

        if (part[h].n == 0)
            continue;
        if (crossed)
            TRY(fit_coupling(q, v, r->lambda, 1 - h, kept, P, err));
        else
            t = kith__fit_temperature(P, C, &part[1 - h]);
        out->accuracy += share * kith__accuracy(P, C, &part[h]);
        out->log_loss += share * kith__log_loss(P, C, &part[h], t);
    }
out:
    for (int h = 0; h < 2; h++) {
        kith__free(node[h]);
        kith__free(truth[h]);
    }
    return st;
}

/* ---- following and searching --------------------------------------------- */

/* What P is made of: Q, and the node's own part where that is another. */
static kith_status keep_parts(const kith__task *t, const views *v,
                              const kith__candidate *r,
                              const kith__kept_coupling *kept,
                              kith__beliefs *out, kith_error *err)
{
    const int C = t->classes;
    const bool fitted = r->graph == KITH__GRAPH_FITTED;
    const float mean = fitted ? 1 / (float)C : 0; /* S, not S - 1/C */
    const float alpha = fitted ? (float)kept->alpha : 1;
    const int64_t cells = (int64_t)t->n * C;
    kith_status st = KITH_OK;

    out->linear = KITH__SUM;
    if (!out->Q)
        return KITH_OK;
    for (int64_t i = 0; i < cells; i++)
        out->Q[i] = v->Q[i] + mean;
    if (r->graph == KITH__GRAPH_PRIOR)
        return KITH_OK;
    TRY_NEW(out->self_term, kith__alloc_big(cells, sizeof(*out->self_term)));
    for (int64_t i = 0; i < cells; i++)
        out->self_term[i] = alpha * v->L[i] + (fitted ? kept->b[i % C] : 0);
out:
    return st;
}

/* B -> alpha B + 1 b' in every fold: what P's own part is made of. */
static void scale_logits(const kith__kept_coupling *kept, int C,
                         kith__logits *l)
{
    const int64_t size = (l->map.columns + 1) * C;

    for (int64_t i = 0; i < (1 + l->folds) * size; i++) {
        const bool bias = i % size >= size - C;

        l->B[i] = (float)kept->alpha * l->B[i] + (bias ? kept->b[i % C] : 0);
    }
}

kith_status kith__heterophily_logits(const kith__search_context *q,
                                     const kith__candidate *r, kith__logits *l,
                                     kith_error *err)
{
    const kith__task *t = q->task;
    kith_status st = KITH_OK;

    TRY(kith__feature_blocks_new(t, q->features, &l->blocks, err));
    TRY(kith__feature_blocks_operator(&l->blocks, r->blocks, &l->map, err));
    l->folds = folds_of(t);
    TRY_NEW(l->fold, kith__alloc(t->n_train, sizeof(*l->fold)));
    memcpy(l->fold, q->fold, (size_t)t->n_train * sizeof(*l->fold));
    TRY_NEW(l->B, kith__alloc_zeroed((1 + l->folds) * (l->map.columns + 1) *
                                         t->classes,
                                     sizeof(*l->B)));
out:
    return st;
}

kith_status kith__heterophily_evaluate(const kith__search_context *q,
                                       const kith__candidate *r,
                                       kith__kept_coupling *coupling,
                                       kith__beliefs *out, kith_error *err)
{
    const int C = q->task->classes;
    kith_status st = KITH_OK;
    kith__logits *l = NULL;
    views v = {0};

    TRY_NEW(l, kith__alloc_zeroed(1, sizeof(*l)));
    TRY(kith__heterophily_logits(q, r, l, err));
    TRY(new_views(q->task, &v, err));
    TRY(find_L(q, &l->map, r->penalty, NULL, v.L, out->Q ? l->B : NULL, err));
    look_around(q->task, &v);
    TRY(use_graph(q, &v, r, coupling, out->P, err));
    TRY(keep_parts(q->task, &v, r, coupling, out, err));
    if (out->Q) {
        if (r->graph == KITH__GRAPH_FITTED)
            scale_logits(coupling, C, l);
        out->logits = l;
        l = NULL;
    }
out:
    release_views(&v);
    kith__logits_free(l);
    return st;
}

/* Log-loss on the validation nodes and, where those are few, on the training
 * nodes out of fold as well. */
static kith_status loss_of(const kith__search_context *q,
                           const kith__feature_operator *map, float penalty,
                           const float *Z, double *out, kith_error *err)
{
    const kith__task *t = q->task;
    const kith__labelled_nodes train = {t->train, t->truth, t->n_train};
    kith_status st = KITH_OK;
    float *L = NULL;

    *out = q->val->n * kith__log_loss(Z, t->classes, q->val, 1);
    if (q->val->n >= MANY_NODES)
        return KITH_OK;
    TRY_NEW(L, kith__alloc_big((int64_t)t->n * t->classes, sizeof(float)));
    TRY(find_L(q, map, penalty, Z, L, NULL, err));
    *out += t->n_train * kith__log_loss(L, t->classes, &train, 1);
out:
    kith__free(L);
    return st;
}

/* Multiplications that the fits of one set of blocks may take, and how many
 * evaluations a fit takes. */
static const double BUDGET = 1.5e10;
enum { EVALUATIONS = 60 };

static bool within_budget(const kith__feature_operator *map, int C)
{
    double one = 0;

    for (int i = 0; i < map->blocks; i++) {
        const kith__feature_block *b = &map->block[i];

        one += (double)kith__row_begin(&b->x->x, map->n) +
               (b->O ? b->hops * (double)b->O->rows[map->n] : 0);
    }
    return 2.0 * C * one * EVALUATIONS * LENGTH(penalties) <= BUDGET;
}

/* The penalty with the least log-loss for one set of blocks. */
static kith_status choose_penalty(const kith__search_context *q,
                                  kith__feature_blocks *blocks, unsigned set,
                                  kith__candidate *best, double *least,
                                  kith_error *err)
{
    enum { N = LENGTH(penalties) };
    one_fit fits[N] = {0};
    kith_status st = KITH_OK;
    kith__feature_operator map = {0};

    TRY(kith__feature_blocks_operator(blocks, set, &map, err));
    if (!within_budget(&map, q->task->classes))
        goto out;
    for (int i = 0; i < N; i++)
        fits[i] = (one_fit){.penalty = penalties[i], .without = -1};
    TRY(fit_all(q, &map, fits, N, err));
    for (int i = 0; i < N; i++) {
        double loss;

        TRY(loss_of(q, &map, penalties[i], fits[i].Z, &loss, err));
        if (loss < *least) {
            *least = loss;
            best->blocks = set;
            best->penalty = penalties[i];
        }
    }
out:
    release_fits(fits, N);
    kith__feature_operator_release(&map);
    return st;
}

static kith_status choose_potentials(const kith__search_context *q,
                                     kith__feature_blocks *blocks,
                                     kith__candidate *best, kith_error *err)
{
    const bool has = q->features != NULL;
    const unsigned *sets = has ? with_features : without_features;
    const int n = has ? LENGTH(with_features) : LENGTH(without_features);
    const unsigned never = q->task->n > SPECTRAL_NODES
                               ? KITH__SPECA | KITH__SPECS
                               : 0;
    double least = INFINITY;
    kith_status st = KITH_OK;

    for (int i = 0; i < n; i++) {
        if ((sets[i] & ~never) == 0)
            continue;
        TRY(choose_penalty(q, blocks, sets[i] & ~never, best, &least, err));
        TRY(kith__progress(q->task->job, "own features", i + 1, n, "sets",
                           err));
    }
out:
    return st;
}

/* Every use of the graph, by the log-loss on halves. */
static kith_status choose_use(const kith__search_context *q, views *v,
                              kith__kept_coupling *kept, float *P,
                              kith__candidate *best, kith__score *score,
                              kith_error *err)
{
    const int fits = q->task->classes <= FITTED_CLASSES ? LENGTH(lambdas) : 0;
    const int n = 1 + LENGTH(strengths) + fits;
    kith_status st = KITH_OK;
    kith__candidate r = *best;

    score->log_loss = INFINITY;
    for (int i = 0; i < n; i++) {
        kith__score s;

        r.graph = i == 0                   ? KITH__GRAPH_IGNORED
                  : i <= LENGTH(strengths) ? KITH__GRAPH_PRIOR
                                           : KITH__GRAPH_FITTED;
        r.strength = r.graph == KITH__GRAPH_PRIOR ? strengths[i - 1] : 0;
        r.lambda = r.graph == KITH__GRAPH_FITTED
                       ? lambdas[i - 1 - LENGTH(strengths)]
                       : 0;
        TRY(score_use(q, v, &r, kept, P, &s, err));
        if (s.log_loss < score->log_loss) {
            *score = s;
            *best = r;
        }
    }
out:
    return st;
}

kith_status kith__heterophily_search(const kith__search_context *q,
                                     kith__best_candidate *found,
                                     kith_error *err)
{
    const int C = q->task->classes;
    const int64_t cells = (int64_t)q->task->n * C;
    kith__candidate r = {.kind = KITH__HETEROPHILY};
    kith__kept_coupling kept = {0};
    kith_status st = KITH_OK;
    kith__feature_operator map = {0};
    kith__feature_blocks blocks = {0};
    kith__score score = {0};
    views v = {0};
    float *P = NULL;

    TRY(kith__feature_blocks_new(q->task, q->features, &blocks, err));
    TRY(choose_potentials(q, &blocks, &r, err));
    if (r.blocks == 0) /* too large a graph */
        goto out;
    TRY(kith__feature_blocks_operator(&blocks, r.blocks, &map, err));
    TRY(new_views(q->task, &v, err));
    TRY(find_L(q, &map, r.penalty, NULL, v.L, NULL, err));
    look_around(q->task, &v);
    TRY_NEW(P, kith__alloc_big(cells, sizeof(*P)));
    TRY_NEW(kept.H, kith__alloc((int64_t)C * C, sizeof(float)));
    TRY_NEW(kept.b, kith__alloc(C, sizeof(float)));
    TRY(choose_use(q, &v, &kept, P, &r, &score, err));
    kith__consider(found, &r, &score, 0);
out:
    kith__free(P);
    kith__free(kept.H);
    kith__free(kept.b);
    release_views(&v);
    kith__feature_operator_release(&map);
    kith__feature_blocks_release(&blocks);
    return st;
}
