#include "core/alloc.h"
#include "models/lcm_em/candidate.h"
#include "models/potentials/out_of_fold.h"

kith_status kith__search_context_new(const kith__task *task,
                                     const kith_features *features,
                                     const kith__labelled_nodes *val,
                                     kith_fit fit, kith__search_context *out,
                                     kith_error *err)
{
    const kith__labelled_nodes train = {task->train, task->truth,
                                        task->n_train};
    kith_status st = KITH_OK;

    *out = (kith__search_context){
        .task = task, .features = features, .val = val, .fit = fit};
    TRY_NEW(out->fold, kith__alloc(task->n_train, sizeof(*out->fold)));
    TRY_NEW(out->half, kith__alloc(val->n, sizeof(*out->half)));
    TRY(kith__deal(task, &train, KITH__FOLDS, out->fold, err));
    TRY(kith__deal(task, val, 2, out->half, err));
out:
    return st; /* the caller releases what there is */
}

void kith__search_context_release(kith__search_context *q)
{
    kith__free(q->fold);
    kith__free(q->half);
}
