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
#include "models/potentials/row_fits.h"

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

/* Labelled rows of the features in some blocks, and what is fitted to them. */
typedef struct potentials {
    const kith__search_context *q;
    kith__feature_operator map;
    kith__row_fits rows;
} potentials;

static void release_potentials(potentials *p)
{
    kith__row_fits_release(&p->rows);
    kith__feature_operator_release(&p->map);
}

static kith_status look_at_rows(const kith__search_context *q,
                                kith__feature_blocks *blocks, unsigned set,
                                potentials *p, kith_error *err)
{
    const kith__task *t = q->task;
    const kith__labelled_nodes train = {t->train, t->truth, t->n_train};
    kith_status st = KITH_OK;

    p->q = q;
    TRY(kith__feature_blocks_operator(blocks, set, &p->map, err));
    TRY(kith__row_fits_new(&p->map, &train, q->val, t->classes, &p->rows, err));
out:
    return st;
}

/* A fit of a list: which fold it leaves out (negative: none), its penalty, and
 * in new arrays its weights and logits. */
typedef struct one_fit {
    float penalty;
    int without;
    bool rough; /* near enough to choose by */
    float *weights, *Z_train, *Z_val;
} one_fit;

static kith_status fit_one(const potentials *p, one_fit *fit, kith_error *err)
{
    const kith__task *t = p->q->task;
    kith_status st = KITH_OK;
    float *weight = NULL;

    TRY_NEW(fit->weights,
            kith__alloc_zeroed(kith__row_fits_size(&p->rows), sizeof(float)));
    TRY_NEW(fit->Z_train,
            kith__alloc((int64_t)t->n_train * t->classes, sizeof(float)));
    TRY_NEW(fit->Z_val,
            kith__alloc((int64_t)p->q->val->n * t->classes, sizeof(float)));
    TRY_NEW(weight, kith__alloc(t->n_train, sizeof(*weight)));
    for (int32_t l = 0; l < t->n_train; l++)
        weight[l] = p->q->fold[l] != fit->without;
    TRY(kith__row_fits_fit(&p->rows, weight, (double)fit->penalty, MOST_STEPS,
                           fit->rough ? 1e-4 : 1e-5, fit->weights, fit->Z_train,
                           fit->Z_val, err));
out:
    kith__free(weight);
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
static kith_status fit_all(const potentials *p, one_fit *fits, int n,
                           kith_error *err)
{
    kith_status st = KITH_OK;

#pragma omp parallel for num_threads(p->q->task->threads) schedule(dynamic, 1)
    for (int i = 0; i < n; i++) {
        kith_error why = {0};
        const kith_status got = fit_one(p, &fits[i], &why);

        kith__note_failure(got, &why, &st, err);
    }
    return st;
}

static void release_fits(one_fit *fits, int n)
{
    for (int i = 0; i < n; i++) {
        kith__free(fits[i].weights);
        kith__free(fits[i].Z_train);
        kith__free(fits[i].Z_val);
    }
}

static int folds_of(const kith__task *t)
{
    return t->n_train >= 2 * FOLDS ? FOLDS : 0;
}

/* The fits that leave a fold out, for a penalty; the last leaves none out. */
static void list_fits(const kith__task *t, float penalty, bool rough,
                      one_fit *fits)
{
    const int folds = folds_of(t);

    for (int i = 0; i <= folds; i++)
        fits[i] = (one_fit){
            .penalty = penalty, .without = i < folds ? i : -1, .rough = rough};
}

/* Z of a training node: by the fit without its fold. */
static const float *out_of_fold(const kith__search_context *q,
                                const one_fit *fits, int32_t l)
{
    const int folds = folds_of(q->task);

    return fits[folds > 0 ? q->fold[l] : 0].Z_train +
           (int64_t)l * q->task->classes;
}

/* L of all nodes, at training nodes out of fold.  keep: room for the B of all,
 * then of each fold; NULL if not wanted. */
static kith_status find_L(const potentials *p, float penalty, float *L,
                          float *keep, kith_error *err)
{
    const kith__task *t = p->q->task;
    const int C = t->classes, folds = folds_of(t);
    const int64_t size = (p->map.columns + 1) * C;
    one_fit fits[FOLDS + 1] = {0};
    kith__feature_workspace room = {0};
    kith_status st = KITH_OK;
    float *B = NULL;

    list_fits(t, penalty, false, fits);
    TRY(fit_all(p, fits, folds + 1, err));
    TRY_NEW(B, kith__alloc(size, sizeof(*B)));
    TRY(kith__feature_workspace_new(&p->map, C, &room, err));
    for (int i = 0; keep && i < folds; i++)
        TRY(kith__row_fits_unfold(&p->rows, fits[i].weights,
                                  keep + (i + 1) * size, err));
    TRY(kith__row_fits_unfold(&p->rows, fits[folds].weights, B, err));
    if (keep)
        memcpy(keep, B, (size_t)size * sizeof(*B));
    kith__feature_apply(&p->map, B, C, &room, L);
    for (int32_t l = 0; folds > 0 && l < t->n_train; l++)
        memcpy(L + (int64_t)t->train[l] * C, out_of_fold(p->q, fits, l),
               (size_t)C * sizeof(*L));
    centre_logs(L, t->n, C);
out:
    kith__feature_workspace_release(&room);
    release_fits(fits, FOLDS + 1);
    kith__free(B);
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

/* -log softmax(P / T)(truth) at the validation nodes of one half. */
static double half_losses(const kith__search_context *q, const float *P,
                          double temperature, int half, float *loss)
{
    const int C = q->task->classes;
    double sum = 0;

    for (int32_t i = 0; i < q->val->n; i++) {
        const float *p = P + (int64_t)q->val->node[i] * C;

        if (q->half[i] != half)
            continue;
        loss[i] = (float)(kith__log_sum_exp(p, C, temperature) -
                          (double)p[q->val->truth[i]] / temperature);
        sum += (double)loss[i];
    }
    return sum;
}

/* A use's score, and the loss of each validation node: each half by a
 * temperature of the other, or by a coupling that was fitted to the other too
 * and so has the right one. */
static kith_status score_use(const kith__search_context *q, views *v,
                             const kith__candidate *r,
                             kith__kept_coupling *kept, float *P, float *loss,
                             kith__score *out, kith_error *err)
{
    const int C = q->task->classes;
    int32_t *node[2] = {0}, *truth[2] = {0};
    const bool crossed = r->graph == KITH__GRAPH_FITTED &&
                         q->fit != KITH_FIT_TRAIN;
    kith__labelled_nodes part[2] = {{0}};
    kith_status st = KITH_OK;

    *out = (kith__score){0, 0};
    for (int h = 0; h < 2; h++)
        TRY(half_of(q, h, &node[h], &truth[h], &part[h], err));
    if (!crossed)
        TRY(use_graph(q, v, r, kept, P, err));
    for (int h = 0; h < 2; h++) {
        double t = 1;

        if (part[h].n == 0)
            continue;
        if (crossed)
            TRY(fit_coupling(q, v, r->lambda, 1 - h, kept, P, err));
        else
            t = kith__fit_temperature(P, C, &part[1 - h]);
        out->accuracy += kith__accuracy(P, C, &part[h]) * part[h].n / q->val->n;
        out->log_loss += half_losses(q, P, t, h, loss) / q->val->n;
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
    potentials p = {0};
    views v = {0};

    TRY_NEW(l, kith__alloc_zeroed(1, sizeof(*l)));
    TRY(kith__heterophily_logits(q, r, l, err));
    TRY(new_views(q->task, &v, err));
    TRY(look_at_rows(q, &l->blocks, r->blocks, &p, err));
    TRY(find_L(&p, r->penalty, v.L, out->Q ? l->B : NULL, err));
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
    release_potentials(&p);
    release_views(&v);
    kith__logits_free(l);
    return st;
}

/* ---- choosing the potentials --------------------------------------------- */

/* The best so far, with its losses on the validation nodes. */
typedef struct best_potentials {
    unsigned blocks;
    float penalty;
    double least; /* summed, with the training nodes if those count */
    float *loss, *spare;
} best_potentials;

/* -log softmax(z)(truth) */
static double loss_at(const float *z, int C, int32_t truth)
{
    return kith__log_sum_exp(z, C, 1) - (double)z[truth];
}

/* Losses on the validation nodes, and their sum. */
static double val_losses(const kith__search_context *q, const one_fit *fit,
                         float *loss)
{
    const int C = q->task->classes;
    double sum = 0;

    for (int32_t i = 0; i < q->val->n; i++) {
        const double one = loss_at(fit->Z_val + (int64_t)i * C, C,
                                   q->val->truth[i]);

        loss[i] = (float)one;
        sum += one;
    }
    return sum;
}

/* The sum over the training nodes, out of fold. */
static kith_status add_train(const potentials *p, const one_fit *all,
                             double *sum, kith_error *err)
{
    const kith__task *t = p->q->task;
    const int C = t->classes, folds = folds_of(t);
    one_fit fits[FOLDS + 1] = {0};
    kith_status st = KITH_OK;

    list_fits(t, all->penalty, true, fits);
    TRY(fit_all(p, fits, folds, err));
    for (int32_t l = 0; l < t->n_train; l++)
        *sum += loss_at(folds > 0 ? out_of_fold(p->q, fits, l)
                                  : all->Z_train + (int64_t)l * C,
                        C, t->truth[l]);
out:
    release_fits(fits, FOLDS + 1);
    return st;
}

/* Multiplications that the fits of one set of blocks may take, and how many
 * evaluations a fit takes. */
static const double BUDGET = 1.5e10;
enum { EVALUATIONS = 60 };

/* The penalty with the least log-loss for one set of blocks: on the validation
 * nodes and, where those are few, on the training nodes out of fold as well. */
static kith_status choose_penalty(const kith__search_context *q,
                                  kith__feature_blocks *blocks, unsigned set,
                                  best_potentials *best, kith_error *err)
{
    enum { N = LENGTH(penalties) };
    const double one = kith__feature_blocks_cost(blocks, set);
    one_fit fits[N] = {0};
    kith_status st = KITH_OK;
    potentials p = {0};

    if (2.0 * q->task->classes * one * EVALUATIONS * N > BUDGET)
        goto out;
    TRY(look_at_rows(q, blocks, set, &p, err));
    for (int i = 0; i < N; i++)
        fits[i] =
            (one_fit){.penalty = penalties[i], .without = -1, .rough = true};
    TRY(fit_all(&p, fits, N, err));
    for (int i = 0; i < N; i++) {
        double sum = val_losses(q, &fits[i], best->spare);

        if (q->val->n < MANY_NODES)
            TRY(add_train(&p, &fits[i], &sum, err));
        if (sum < best->least) {
            float *swap = best->loss;

            best->loss = best->spare;
            best->spare = swap;
            best->least = sum;
            best->blocks = set;
            best->penalty = penalties[i];
        }
    }
out:
    release_fits(fits, N);
    release_potentials(&p);
    return st;
}

/* All sets of blocks, until a rival is out of reach: the last is the dearest,
 * and only it has places in the graph. */
static kith_status choose_potentials(const kith__search_context *q,
                                     const kith__best_candidate *rival,
                                     kith__feature_blocks *blocks,
                                     best_potentials *best, kith_error *err)
{
    const bool has = q->features != NULL;
    const unsigned *sets = has ? with_features : without_features;
    const int n = has ? LENGTH(with_features) : LENGTH(without_features);
    const unsigned never = q->task->n > SPECTRAL_NODES
                               ? KITH__SPECA | KITH__SPECS
                               : 0;
    kith_status st = KITH_OK;

    for (int i = 0; i < n; i++) {
        if ((sets[i] & ~never) == 0)
            continue;
        if (rival && has && i == n - 1 && best->blocks &&
            kith__paired_gain(best->loss, rival->loss, q->val->n) >
                KITH__FAR_BEHIND) {
            best->blocks = 0;
            break;
        }
        TRY(choose_penalty(q, blocks, sets[i] & ~never, best, err));
        TRY(kith__progress(q->task->job, "own features", i + 1, n, "sets",
                           err));
    }
out:
    return st;
}

/* ---- choosing the use of the graph --------------------------------------- */

/* What uses are tried with, and the best of them. */
typedef struct uses {
    views v;
    float *P, *loss, *spare;
    kith__candidate best;
    kith__score score;
} uses;

static void release_uses(uses *u)
{
    release_views(&u->v);
    kith__free(u->P);
    kith__free(u->loss);
    kith__free(u->spare);
}

/* Every use of the graph, by the log-loss on halves. */
static kith_status choose_use(const kith__search_context *q, uses *u,
                              kith__kept_coupling *kept, kith_error *err)
{
    const int fits = q->task->classes <= FITTED_CLASSES ? LENGTH(lambdas) : 0;
    const int n = 1 + LENGTH(strengths) + fits;
    kith_status st = KITH_OK;
    kith__candidate r = u->best;

    u->score.log_loss = INFINITY;
    for (int i = 0; i < n; i++) {
        float *swap = u->loss;
        kith__score s;

        r.graph = i == 0                   ? KITH__GRAPH_IGNORED
                  : i <= LENGTH(strengths) ? KITH__GRAPH_PRIOR
                                           : KITH__GRAPH_FITTED;
        r.strength = r.graph == KITH__GRAPH_PRIOR ? strengths[i - 1] : 0;
        r.lambda = r.graph == KITH__GRAPH_FITTED
                       ? lambdas[i - 1 - LENGTH(strengths)]
                       : 0;
        TRY(score_use(q, &u->v, &r, kept, u->P, u->spare, &s, err));
        if (s.log_loss < u->score.log_loss) {
            u->score = s;
            u->best = r;
            u->loss = u->spare;
            u->spare = swap;
        }
    }
out:
    return st;
}

/* The uses of the potentials chosen, and the best of them offered. */
static kith_status search_uses(const kith__search_context *q,
                               kith__feature_blocks *blocks, uses *u,
                               kith__kept_coupling *kept,
                               kith__best_candidate *found, kith_error *err)
{
    const int64_t cells = (int64_t)q->task->n * q->task->classes;
    kith_status st = KITH_OK;
    potentials p = {0};

    TRY(look_at_rows(q, blocks, u->best.blocks, &p, err));
    TRY(new_views(q->task, &u->v, err));
    TRY(find_L(&p, u->best.penalty, u->v.L, NULL, err));
    release_potentials(&p);
    look_around(q->task, &u->v);
    TRY_NEW(u->P, kith__alloc_big(cells, sizeof(*u->P)));
    TRY(choose_use(q, u, kept, err));
    TRY(use_graph(q, &u->v, &u->best, kept, u->P, err));
    kith__consider(found, &(kith__offer){&u->best, u->score, u->loss, u->P,
                                         NULL, cells, q->val->n, 0});
out:
    release_potentials(&p);
    return st;
}

kith_status kith__heterophily_search(const kith__search_context *q,
                                     const kith__best_candidate *rival,
                                     kith__kept_coupling *kept,
                                     kith__best_candidate *found,
                                     kith_error *err)
{
    best_potentials best = {.least = INFINITY};
    kith_status st = KITH_OK;
    kith__feature_blocks blocks = {0};
    uses u = {.best = {.kind = KITH__HETEROPHILY}};

    TRY(kith__feature_blocks_new(q->task, q->features, &blocks, err));
    TRY_NEW(best.loss, kith__alloc(q->val->n, sizeof(float)));
    TRY_NEW(best.spare, kith__alloc(q->val->n, sizeof(float)));
    TRY_NEW(u.loss, kith__alloc(q->val->n, sizeof(float)));
    TRY_NEW(u.spare, kith__alloc(q->val->n, sizeof(float)));
    TRY(choose_potentials(q, rival, &blocks, &best, err));
    u.best.blocks = best.blocks;
    u.best.penalty = best.penalty;
    if (best.blocks) /* else too large a graph, or out of reach */
        TRY(search_uses(q, &blocks, &u, kept, found, err));
out:
    kith__free(best.loss);
    kith__free(best.spare);
    release_uses(&u);
    kith__feature_blocks_release(&blocks);
    return st;
}
