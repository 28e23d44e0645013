/*
 * refit.c: a model fitted again with labels that have arrived since.
 *
 * Nothing is chosen anew: parameters, temperature and what a method keeps
 * beside them are the old model's; what is fitted is fitted to the old training
 * nodes that are still there and the new ones.
 */
#include <string.h>

#include "core/alloc.h"
#include "core/status.h"
#include "models/conformal.h"
#include "models/model_object.h"
#include "models/one_class.h"

/* Add the model's training nodes that are in the graph to the new labels, which
 * stand where both speak. */
static void join(const kith_model *m, const kith_graph *g, kith_labels *l,
                 kith_refit *told)
{
    for (int32_t t = 0; t < m->train.n; t++) {
        const int32_t u = kith__model_node(m, t, g);

        if (u < 0) {
            told->gone++;
        } else if (l->of[u] < 0) {
            l->of[u] = m->train_class[t];
            l->labelled++;
            told->kept++;
        } else {
            told->added--; /* it was counted as new */
            told->kept += l->of[u] == m->train_class[t];
            told->changed += l->of[u] != m->train_class[t];
        }
    }
}

static kith_status list_labelled(const kith_labels *l, kith_split *all,
                                 kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(all->train, kith__alloc(l->nodes, sizeof(*all->train)));
    for (int32_t u = 0; u < l->nodes; u++)
        if (l->of[u] >= 0)
            all->train[all->n_train++] = u;
out:
    return st;
}

/* What sets of classes are chosen by is the old model's: its scores are of
 * nodes that neither was taught, by one that knows a little less. */
static kith_status keep_scores(const kith_model *from, kith_model *to,
                               kith_error *err)
{
    kith__conformal own = from->conformal;
    kith_status st = KITH_OK;

    if (own.coverage == 0)
        return KITH_OK;
    TRY_NEW(own.score, kith__alloc(own.n, sizeof(*own.score)));
    if (own.n > 0)
        memcpy(own.score, from->conformal.score,
               (size_t)own.n * sizeof(*own.score));
    kith__conformal_keep(to, &own);
out:
    return st;
}

kith_status kith_model_refit(const kith_model *m, const kith_dataset *d,
                             const kith_job *job, kith_model **out,
                             kith_refit *told, kith_error *err)
{
    kith_dataset data = *d;
    kith_labels *l = NULL;
    kith_split all = {0};
    kith_model *made = NULL;
    kith_train_options o;
    kith_refit own = {0};
    kith_status st = KITH_OK;

    *out = NULL;
    if (!d->labels)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "no labels to learn from"));
    if (strcmp(m->method, KITH__ONE_CLASS) == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "the model knows one class only and cannot take new "
                       "labels: train it again"));
    TRY(kith_model_labels(m, d->labels, &l, err));
    for (int32_t u = 0; u < l->nodes; u++)
        own.added += l->of[u] >= 0;
    l->labelled = own.added;
    join(m, d->graph, l, &own);
    TRY(list_labelled(l, &all, err));
    data.labels = l;
    kith_train_options_init(&o);
    o = kith_options_like(&o, m);
    if (job)
        o.job = *job;
    TRY(kith_model_train(&data, m->method, &all, &o, &made, NULL, err));
    made->validation = m->validation;
    TRY(keep_scores(m, made, err));
    if (told)
        *told = own;
    *out = made;
    made = NULL;
out:
    kith_model_free(made);
    kith__free(all.train);
    kith_labels_free(l);
    return st;
}
