#include "models/potentials/node_potentials.h"

#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "graph/draw.h"
#include "kernels/softmax.h"
#include "models/potentials/logreg.h"

void kith__potentials_of_labels(const kith__task *task, float *out)
{
    const int C = task->classes;
    const float uniform = 1 / (float)C;

#pragma omp parallel for num_threads(task->threads) schedule(static)
    for (int64_t i = 0; i < (int64_t)task->n * C; i++)
        out[i] = uniform;
    for (int32_t l = 0; l < task->n_train; l++)
        for (int c = 0; c < C; c++)
            out[(int64_t)task->train[l] * C + c] = c == task->truth[l];
}

kith_status kith__potentials_of_features(const kith__task *task,
                                         const kith__feature_matrix *design,
                                         const float *weights, float *out,
                                         kith_error *err)
{
    const kith_status st = kith__feature_matrix_apply(design, weights,
                                                      task->classes, out, err);

    if (st == KITH_OK)
        kith__softmax_rows(out, task->n, task->classes, 1, out, task->threads);
    return st;
}

/* The training nodes and their classes in an order that hangs on their ids: a
 * fit ends where its steps become small, and they do not do so at the same
 * place if sums are in another order. */
static kith_status order_by_id(const kith__task *t, int32_t **node,
                               int32_t **truth, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(*node, kith__alloc(t->n_train, sizeof(**node)));
    TRY_NEW(*truth, kith__alloc(t->n_train, sizeof(**truth)));
    memcpy(*node, t->train, (size_t)t->n_train * sizeof(**node));
    TRY(kith__draw_order(t->graph, 0, 0, *node, t->n_train, err));
    for (int32_t l = 0; l < t->n_train; l++)
        (*truth)[l] =
            t->truth[kith__first_from(t->train, t->n_train, (*node)[l])];
out:
    return st;
}

kith_status kith__potentials_fit(const kith__task *task,
                                 const kith__feature_matrix *design,
                                 const kith_params *p, float **weights,
                                 kith_error *err)
{
    const int64_t n = ((int64_t)design->x.columns + 1) * task->classes;
    kith_status st = KITH_OK;
    int32_t *node = NULL, *truth = NULL;
    kith__csr_matrix rows = {0};

    *weights = NULL;
    TRY(order_by_id(task, &node, &truth, err));
    TRY(kith__feature_matrix_rows(design, node, task->n_train, &rows, err));
    TRY_NEW(*weights, kith__alloc_zeroed(n, sizeof(**weights)));
    TRY(kith__logreg_fit(&rows, truth, task->classes, p->penalty, p->balance,
                         *weights, err));
out:
    kith__csr_matrix_release(&rows);
    kith__free(node);
    kith__free(truth);
    if (st != KITH_OK) {
        kith__free(*weights);
        *weights = NULL;
    }
    return st;
}
