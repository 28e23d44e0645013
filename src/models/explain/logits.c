#include "models/explain/logits.h"

#include "core/alloc.h"

void kith__logits_release(kith__logits *l)
{
    kith__feature_operator_release(&l->map);
    kith__csc_matrix_release(&l->x);
    kith__feature_blocks_release(&l->blocks);
    kith__smoother_release(&l->smoother);
    kith__free(l->has);
    kith__free(l->B);
    kith__free(l->fold);
    *l = (kith__logits){0};
}

const float *kith__logits_of(const kith__logits *l, const kith__task *task,
                             int32_t node)
{
    const int64_t size = (l->map.columns + 1) * task->classes;

    for (int32_t i = 0; l->folds > 0 && i < task->n_train; i++)
        if (task->train[i] == node)
            return l->B + (1 + l->fold[i]) * size;
    return l->B;
}

void kith__logits_free(kith__logits *l)
{
    if (l)
        kith__logits_release(l);
    kith__free(l);
}
