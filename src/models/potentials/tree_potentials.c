#include "models/potentials/tree_potentials.h"

#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "graph/draw.h"
#include "models/potentials/boosted_trees.h"
#include "models/potentials/neighbour_rows.h"
#include "models/potentials/out_of_fold.h"

enum { MOST_ROUNDS = 300, PATIENCE = 20, FOLDS = 5 };

/* Above so many columns a tree looks at a tenth of them, else at half. */
enum { MANY_COLUMNS = 2000 };

/* Nodes whose rows are formed at once. */
enum { PORTION = 4096 };

/* ---- plans --------------------------------------------------------------- */

kith__tree_plan kith__tree_plan_of(const kith__fit_state *state,
                                   const kith_train_options *options)
{
    const double preset = options ? options->params.iterations : 100;
    const double rounds = kith__fit_state_number(state, "rounds", preset);
    const double balance = kith__fit_state_number(
        state, "balance", options && options->params.balance);

    return (kith__tree_plan){
        .rounds = rounds >= 1 && rounds <= 1000 ? (int)rounds : 100,
        .fixed = options && (options->fixed & KITH_FIX_ITERATIONS),
        .balance = balance == 1};
}

kith_status kith__tree_plan_keep(const kith__tree_plan *plan,
                                 kith__fit_state *state, kith_error *err)
{
    return kith__fit_state_set(state, "rounds", plan->rounds) &&
                   kith__fit_state_set(state, "balance", plan->balance)
               ? KITH_OK
               : kith__no_memory(err);
}

/* ---- labelled nodes ------------------------------------------------------ */

/* Labelled nodes in an order that hangs on their ids, with their rows. */
typedef struct known {
    int32_t *node, *truth;
    float *weight; /* NULL = 1 */
    kith__csr_matrix x;
    int32_t n;
} known;

static void known_release(known *k)
{
    kith__free(k->node);
    kith__free(k->truth);
    kith__free(k->weight);
    kith__csr_matrix_release(&k->x);
}

/* Those of `nodes` whose part is not `without`; part NULL: all of them. */
static kith_status known_new(const kith__task *t, const kith__neighbour_rows *r,
                             const kith__labelled_nodes *nodes, const int *part,
                             int without, known *k, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(k->node, kith__alloc(nodes->n, sizeof(*k->node)));
    TRY_NEW(k->truth, kith__alloc(nodes->n, sizeof(*k->truth)));
    for (int32_t i = 0; i < nodes->n; i++)
        if (!part || part[i] != without)
            k->node[k->n++] = nodes->node[i];
    TRY(kith__draw_order(t->graph, 0, 0, k->node, k->n, err));
    for (int32_t i = 0; i < k->n; i++)
        k->truth[i] =
            nodes->truth[kith__first_from(nodes->node, nodes->n, k->node[i])];
    TRY(kith__neighbour_rows_of(r, k->node, k->n, &k->x, err));
out:
    return st;
}

/* Every class weighs the same: n / (C n_c) for a row of class c. */
static kith_status balance(known *k, int C, kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t *count = NULL;

    TRY_NEW(count, kith__alloc_zeroed(C, sizeof(*count)));
    TRY_NEW(k->weight, kith__alloc(k->n, sizeof(*k->weight)));
    for (int32_t i = 0; i < k->n; i++)
        count[k->truth[i]]++;
    for (int32_t i = 0; i < k->n; i++)
        k->weight[i] = (float)((double)k->n / ((double)C * count[k->truth[i]]));
out:
    kith__free(count);
    return st;
}

/* ---- growing and asking -------------------------------------------------- */

static kith_status grow(const kith__task *t, const kith__tree_plan *plan,
                        int rounds, known *k, const known *watch,
                        kith__trees **out, int *kept, kith_error *err)
{
    const kith__tree_options o = {.classes = t->classes,
                                  .rounds = rounds,
                                  .patience = PATIENCE,
                                  .columns = k->x.columns > MANY_COLUMNS ? .1
                                                                         : .5};
    kith_status st = KITH_OK;

    if (plan->balance)
        TRY(balance(k, t->classes, err));
    TRY(kith__trees_fit(
        &o, &(kith__tree_rows){&k->x, k->truth, k->weight},
        watch ? &(kith__tree_rows){&watch->x, watch->truth, NULL} : NULL,
        t->job, out, kept, err));
out:
    return st;
}

static kith_status ask_all(const kith__task *t, const kith__neighbour_rows *r,
                           kith__trees *trees, float *Z, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__csr_matrix x = {0};
    int32_t *node = NULL;

    TRY_NEW(node, kith__alloc(PORTION, sizeof(*node)));
    for (int32_t from = 0; from < t->n; from += PORTION) {
        const int32_t n = t->n - from < PORTION ? t->n - from : PORTION;

        TRY(kith__progress(t->job, "asking trees", from, t->n, "nodes", err));
        for (int32_t i = 0; i < n; i++)
            node[i] = from + i;
        TRY(kith__neighbour_rows_of(r, node, n, &x, err));
        TRY(kith__trees_predict(trees, &x, t->threads,
                                Z + (int64_t)from * t->classes, err));
        kith__csr_matrix_release(&x);
    }
out:
    kith__csr_matrix_release(&x);
    kith__free(node);
    return st;
}

/* Trees without a fold, and what they say of its nodes. */
static kith_status ask_fold(const kith__task *t, const kith__neighbour_rows *r,
                            const kith__tree_plan *plan, const int *fold, int f,
                            float *Z, kith_error *err)
{
    const kith__labelled_nodes train = {t->train, t->truth, t->n_train};
    kith__trees *trees = NULL;
    kith__csr_matrix x = {0};
    kith_status st = KITH_OK;
    int32_t *left = NULL, n = 0;
    float *z = NULL;
    known k = {0};
    int kept;

    TRY(known_new(t, r, &train, fold, f, &k, err));
    TRY_NEW(left, kith__alloc(t->n_train, sizeof(*left)));
    for (int32_t l = 0; l < t->n_train; l++)
        if (fold[l] == f)
            left[n++] = t->train[l];
    if (n == 0 || k.n == 0)
        goto out;
    TRY(grow(t, plan, plan->rounds, &k, NULL, &trees, &kept, err));
    TRY(kith__neighbour_rows_of(r, left, n, &x, err));
    TRY_NEW(z, kith__alloc((int64_t)n * t->classes, sizeof(*z)));
    TRY(kith__trees_predict(trees, &x, 1, z, err));
    for (int32_t i = 0; i < n; i++)
        memcpy(Z + (int64_t)left[i] * t->classes, z + (int64_t)i * t->classes,
               (size_t)t->classes * sizeof(*z));
out:
    kith__trees_free(trees);
    kith__csr_matrix_release(&x);
    kith__free(left);
    kith__free(z);
    known_release(&k);
    return st;
}

/* The folds, one per thread at a time. */
static kith_status ask_folds(const kith__task *t, const kith__neighbour_rows *r,
                             const kith__tree_plan *plan, float *Z,
                             kith_error *err)
{
    const kith__labelled_nodes train = {t->train, t->truth, t->n_train};
    kith_status st = KITH_OK;
    int *fold = NULL;

    TRY_NEW(fold, kith__alloc(t->n_train, sizeof(*fold)));
    TRY(kith__deal(t, &train, FOLDS, fold, err));
#pragma omp parallel for num_threads(t->threads) schedule(dynamic, 1)
    for (int f = 0; f < FOLDS; f++) {
        kith_error why = {0};
        const kith_status got = ask_fold(t, r, plan, fold, f, Z, &why);

        kith__note_failure(got, &why, &st, err);
    }
out:
    kith__free(fold);
    return st;
}

kith_status kith__tree_potentials(const kith__task *task,
                                  const kith_features *features,
                                  const kith__labelled_nodes *val,
                                  kith__tree_plan *plan, float *Z,
                                  kith_error *err)
{
    const kith__labelled_nodes train = {task->train, task->truth,
                                        task->n_train};
    const bool watched = val->n > 0 && !plan->fixed;
    kith__neighbour_rows rows = {0};
    known k = {0}, watch = {0};
    kith__trees *trees = NULL;
    kith_status st = KITH_OK;

    TRY(kith__neighbour_rows_new(task->graph, features, &rows, err));
    TRY(known_new(task, &rows, &train, NULL, 0, &k, err));
    if (watched)
        TRY(known_new(task, &rows, val, NULL, 0, &watch, err));
    TRY(grow(task, plan, watched ? MOST_ROUNDS : plan->rounds, &k,
             watched ? &watch : NULL, &trees, &plan->rounds, err));
    TRY(ask_all(task, &rows, trees, Z, err));
    if (plan->out_of_fold && task->n_train >= 2 * FOLDS)
        TRY(ask_folds(task, &rows, plan, Z, err));
out:
    kith__trees_free(trees);
    known_release(&k);
    known_release(&watch);
    kith__neighbour_rows_release(&rows);
    return st;
}
