/*
 * lcm_trees.c: potentials by boosted trees, couplings learnt on top of them.
 *
 *     q = trees(F)  (out of fold at training nodes)     F: neighbour_rows.h
 *     V = what q and the known labels look like from each node, by five
 *         operators: coupling_views.h
 *     P = V B + 1 b'
 *
 * B and b by multinomial logistic regression on the training nodes: their q is
 * out of fold, and no column has a row's own label in it.  Each block of B is
 * one coupling, of one operator; so this is a pairwise Markov random field with
 * trees for potentials, and P is linear in T.  The penalty by log-loss on the
 * validation nodes.
 *
 * Cost: the trees, six times over, and four passes over the edges; 4 n (6 C +
 * 1) bytes.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "graph/draw.h"
#include "kernels/gemm.h"
#include "models/baselines/net_method.h"
#include "models/lcm_trees/coupling_views.h"
#include "models/potentials/logreg.h"
#include "models/potentials/tree_potentials.h"

/* The last is taken where nothing can be chosen. */
static const double penalties[] = {300, 3, 30};

enum { PENALTIES = 3 };

/* ---- B ------------------------------------------------------------------- */

/* V of every node. */
typedef struct views {
    const kith__task *task;
    int32_t columns;
    float *V; /* n x columns */
} views;

/* Rows of V at the training nodes, in an order that hangs on their ids. */
static kith_status known_rows(const views *v, kith__csr_matrix *x,
                              int32_t **truth, kith_error *err)
{
    const kith__task *t = v->task;
    kith_status st = KITH_OK;
    int32_t *node = NULL;

    *x = (kith__csr_matrix){.n = t->n_train, .columns = v->columns};
    TRY_NEW(node, kith__alloc(t->n_train, sizeof(*node)));
    TRY_NEW(*truth, kith__alloc(t->n_train, sizeof(**truth)));
    TRY_NEW(x->value,
            kith__alloc((int64_t)t->n_train * v->columns, sizeof(float)));
    memcpy(node, t->train, (size_t)t->n_train * sizeof(*node));
    TRY(kith__draw_order(t->graph, 0, 0, node, t->n_train, err));
    for (int32_t l = 0; l < t->n_train; l++) {
        (*truth)[l] = t->truth[kith__first_from(t->train, t->n_train, node[l])];
        memcpy(x->value + (int64_t)l * v->columns,
               v->V + (int64_t)node[l] * v->columns,
               (size_t)v->columns * sizeof(float));
    }
out:
    kith__free(node);
    return st;
}

/* P = V B + 1 b' */
static void apply(const views *v, const float *B, float *P)
{
    const kith__task *t = v->task;
    const int C = t->classes;

    kith__gemm(v->V, B, t->n, NULL, v->columns, C, false, P, t->threads);
    for (int64_t i = 0; i < (int64_t)t->n * C; i++)
        P[i] += B[(int64_t)v->columns * C + i % C];
}

/* B by the penalty that validates best, or the one given (0: none is). */
static kith_status fit_couplings(const views *v, bool balance,
                                 const kith__labelled_nodes *val,
                                 double *penalty, float *best, float *P,
                                 kith_error *err)
{
    const int C = v->task->classes;
    const int64_t size = ((int64_t)v->columns + 1) * C;
    const int points = *penalty == 0 && val->n > 0 ? PENALTIES : 1;
    const double given = *penalty > 0 ? *penalty : penalties[PENALTIES - 1];
    kith_status st = KITH_OK;
    kith__csr_matrix x = {0};
    double least = INFINITY;
    int32_t *truth = NULL;
    float *B = NULL;

    TRY(known_rows(v, &x, &truth, err));
    TRY_NEW(B, kith__alloc(size, sizeof(*B)));
    for (int i = 0; i < points; i++) {
        const double tried = points > 1 ? penalties[i] : given;
        double loss = 0;

        memset(B, 0, (size_t)size * sizeof(*B));
        TRY(kith__logreg_fit(&x, truth, C, tried, balance, B, err));
        if (points > 1) {
            apply(v, B, P);
            loss = kith__log_loss(P, C, val, 1);
        }
        if (loss < least) {
            least = loss;
            *penalty = tried;
            memcpy(best, B, (size_t)size * sizeof(*B));
        }
    }
    apply(v, best, P);
out:
    kith__csr_matrix_release(&x);
    kith__free(truth);
    kith__free(B);
    return st;
}

/* ---- the method ---------------------------------------------------------- */

static kith_status run(const kith__task *task, const kith_features *features,
                       const kith__labelled_nodes *val, kith__tree_plan *plan,
                       double *penalty, kith__beliefs *out, kith_error *err)
{
    const int64_t cells = (int64_t)task->n * task->classes;
    kith_status st = KITH_OK;
    float *Z = NULL, *B = NULL;
    views v = {.task = task, .columns = kith__coupling_columns(task->classes)};

    plan->out_of_fold = true;
    TRY_NEW(Z, kith__alloc_big(cells, sizeof(*Z)));
    TRY(kith__tree_potentials(task, features, val, plan, Z, err));
    TRY_NEW(v.V, kith__alloc_big((int64_t)task->n * v.columns, sizeof(float)));
    TRY(kith__coupling_views(task, Z, v.V, err));
    TRY_NEW(B,
            kith__alloc(((int64_t)v.columns + 1) * task->classes, sizeof(*B)));
    TRY(fit_couplings(&v, plan->balance, val, penalty, B, out->P, err));
    out->has_coupling = false;
    out->certificate = (kith_certificate){.rho = (double)NAN,
                                          .residual = (double)NAN,
                                          .iterations = plan->rounds,
                                          .converged = true};
out:
    kith__free(v.V);
    kith__free(Z);
    kith__free(B);
    return st;
}

kith_status kith__lcm_trees_fit(const kith__task *task,
                                const kith_features *features,
                                const kith_train_options *options,
                                const kith__labelled_nodes *val,
                                kith__fit_state *state, kith__beliefs *out,
                                kith_error *err)
{
    const kith__labelled_nodes none = {0};
    const bool choose = kith__may_choose(options, val, state);
    double penalty = kith__fit_state_number(state, "penalty", 0);
    kith__tree_plan plan = kith__tree_plan_of(state, options);
    kith_status st = KITH_OK;

    TRY(run(task, features, choose ? val : &none, &plan, &penalty, out, err));
    TRY(kith__tree_plan_keep(&plan, state, err));
    if (!kith__fit_state_set(state, "penalty", penalty))
        TRY(kith__no_memory(err));
out:
    return st;
}

kith_status kith__lcm_trees_apply(const kith__task *task,
                                  const kith_features *features,
                                  const kith__fit_state *state,
                                  kith__beliefs *out, kith_error *err)
{
    const kith__labelled_nodes none = {0};
    double penalty = kith__fit_state_number(state, "penalty", 0);
    kith__tree_plan plan = kith__tree_plan_of(state, NULL);

    return run(task, features, &none, &plan, &penalty, out, err);
}
