#include "models/potentials/out_of_fold.h"

#include "core/alloc.h"
#include "graph/draw.h"
#include "models/potentials/node_potentials.h"

enum { FOLDS = 5 };

bool kith__uses_out_of_fold(const kith__method *method, const kith_params *p)
{
    return method->learns && p->gradient == KITH_GRADIENT_EXACT;
}

void kith__out_of_fold_release(kith__out_of_fold *l)
{
    kith__free(l->fold);
    kith__free(l->potentials);
    *l = (kith__out_of_fold){0};
}

kith_status kith__deal(const kith__task *t, const kith__labelled_nodes *nodes,
                       int parts, int *part, kith_error *err)
{
    return kith__draw_parts(t->graph, nodes->node, nodes->truth, nodes->n,
                            parts, (uint64_t)parts, part, err);
}

/* Folds of all training nodes but those that are alone in their class. */
static kith_status deal(const kith__task *t, kith__out_of_fold *out,
                        kith_error *err)
{
    const kith__labelled_nodes train = {t->train, t->truth, t->n_train};
    kith_status st = KITH_OK;
    int32_t *count = NULL;

    TRY(kith__deal(t, &train, FOLDS, out->fold, err));
    TRY_NEW(count, kith__alloc_zeroed(t->classes, sizeof(*count)));
    for (int32_t l = 0; l < t->n_train; l++)
        count[t->truth[l]]++;
    for (int32_t l = 0; l < t->n_train; l++) {
        if (count[t->truth[l]] == 1)
            out->fold[l] = -1;
        out->judged += out->fold[l] >= 0;
        if (out->fold[l] >= out->folds)
            out->folds = out->fold[l] + 1;
    }
out:
    kith__free(count);
    return st;
}

/* The task without the labels of one fold; train and truth are room. */
static kith__task task_without(const kith__task *t, const int *fold, int f,
                               int32_t *train, int32_t *truth)
{
    kith__task out = *t;

    out.train = train;
    out.truth = truth;
    out.n_train = 0;
    for (int32_t l = 0; l < t->n_train; l++) {
        if (fold[l] == f)
            continue;
        train[out.n_train] = t->train[l];
        truth[out.n_train++] = t->truth[l];
    }
    return out;
}

static kith_status potentials_without(const kith__task *t,
                                      const kith__feature_matrix *design,
                                      const kith_params *p, float *out,
                                      kith_error *err)
{
    kith_status st = KITH_OK;
    float *weights = NULL;

    TRY(kith__potentials_fit(t, design, p, &weights, err));
    TRY(kith__potentials_of_features(t, design, weights, out, err));
out:
    kith__free(weights);
    return st;
}

kith_status kith__out_of_fold_new(const kith__task *t,
                                  const kith_features *features,
                                  const kith_params *p, kith__out_of_fold *out,
                                  kith_error *err)
{
    const int64_t cells = (int64_t)t->n * t->classes;
    int32_t *train = NULL, *truth = NULL;
    kith_status st = KITH_OK;
    kith__feature_matrix design = {0};

    *out = (kith__out_of_fold){0};
    TRY_NEW(out->fold, kith__alloc(t->n_train, sizeof(*out->fold)));
    TRY(deal(t, out, err));
    TRY_NEW(out->potentials,
            kith__alloc_big(cells * out->folds, sizeof(float)));
    TRY_NEW(train, kith__alloc(t->n_train, sizeof(*train)));
    TRY_NEW(truth, kith__alloc(t->n_train, sizeof(*truth)));
    if (features)
        TRY(kith__feature_matrix_new(t->graph, features, p->prep, p->smooth,
                                     NULL, t->job, &design, err));
    for (int f = 0; f < out->folds; f++) {
        const kith__task rest = task_without(t, out->fold, f, train, truth);
        float *Q = out->potentials + f * cells;

        if (features)
            TRY(potentials_without(&rest, &design, p, Q, err));
        else
            kith__potentials_of_labels(&rest, Q);
        TRY(kith__progress(t->job, "leaving out", f + 1, out->folds, "folds",
                           err));
    }
out:
    kith__free(train);
    kith__free(truth);
    kith__feature_matrix_release(&design);
    if (st != KITH_OK)
        kith__out_of_fold_release(out);
    return st;
}
