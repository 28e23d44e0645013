#include "core/alloc.h"
#include "models/left_out.h"
#include "models/recipe.h"

kith_status kith__quest_new(const kith__task *task,
                            const kith_features *features,
                            const kith__known_nodes *val, kith__quest *out,
                            kith_error *err)
{
    const kith__known_nodes train = {task->train, task->truth, task->n_train};
    kith_status st = KITH_OK;

    *out = (kith__quest){.task = task, .features = features, .val = val};
    TRY_NEW(out->fold, kith__alloc(task->n_train, sizeof(*out->fold)));
    TRY_NEW(out->half, kith__alloc(val->n, sizeof(*out->half)));
    TRY(kith__deal(task, &train, KITH__FOLDS, out->fold, err));
    TRY(kith__deal(task, val, 2, out->half, err));
out:
    return st; /* the caller releases what there is */
}

void kith__quest_release(kith__quest *q)
{
    kith__free(q->fold);
    kith__free(q->half);
}
