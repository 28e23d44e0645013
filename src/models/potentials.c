#include "models/potentials.h"

#include "core/alloc.h"
#include "kernels/softmax.h"
#include "models/logreg.h"

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
                                         const kith__design *design,
                                         const float *weights, float *out,
                                         kith_error *err)
{
    const kith_status st = kith__design_apply(design, weights, task->classes,
                                              out, err);

    if (st == KITH_OK)
        kith__softmax_rows(out, task->n, task->classes, 1, out, task->threads);
    return st;
}

kith_status kith__potentials_fit(const kith__task *task,
                                 const kith__design *design,
                                 const kith_params *p, float **weights,
                                 kith_error *err)
{
    const int64_t n = ((int64_t)design->x.columns + 1) * task->classes;
    kith_status st = KITH_OK;
    kith__matrix rows = {0};

    *weights = NULL;
    TRY(kith__design_rows(design, task->train, task->n_train, &rows, err));
    TRY_NEW(*weights, kith__alloc_zeroed(n, sizeof(**weights)));
    TRY(kith__logreg_fit(&rows, task->truth, task->classes, p->penalty,
                         p->balance, *weights, err));
out:
    kith__matrix_release(&rows);
    if (st != KITH_OK) {
        kith__free(*weights);
        *weights = NULL;
    }
    return st;
}
