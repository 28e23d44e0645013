/*
 * model.c: what a model can be asked, and its end.
 */
#include <string.h>

#include "core/alloc.h"
#include "models/lcm_em/lcm_em.h"
#include "models/method.h"
#include "models/model_object.h"

void kith_model_free(kith_model *m)
{
    if (!m)
        return;
    for (int32_t c = 0; m->names && c < m->classes; c++)
        kith__free(m->names[c]);
    kith__free(m->names);
    kith__free(m->method);
    kith__free(m->coupling);
    kith__free(m->weights);
    kith__free(m->idf);
    kith__free(m->why);
    kith__free(m->record);
    kith__free(m->note);
    kith__calibration_release(&m->calibration);
    kith__fit_state_release(&m->state);
    kith__conformal_release(&m->conformal);
    kith__ids_release(&m->train);
    kith__free(m->train_class);
    kith__free(m);
}

const char *kith_model_method(const kith_model *m)
{
    return m->method;
}

const kith_params *kith_model_params(const kith_model *m)
{
    return &m->params;
}

const kith_certificate *kith_model_certificate(const kith_model *m)
{
    return &m->certificate;
}

const kith_features *kith__model_features(const kith_model *m,
                                          const kith_features *features)
{
    const kith__method *how = kith__method_find(m->method);
    bool judged = how && !how->no_features;

    if (judged && how->run)
        judged = m->weights != NULL;
    if (judged && how->fit == kith__lcm_em_fit)
        judged = kith__lcm_em_judges_features(&m->state);
    return judged ? features : NULL;
}

bool kith_model_balanced(const kith_model *m)
{
    const kith__method *how = kith__method_find(m->method);

    /* labels that bp clamps are certain, whatever their weight */
    return m->params.balance && how && how->run &&
           (m->weights || how->run != kith__bp_run);
}

int32_t kith_model_classes(const kith_model *m)
{
    return m->classes;
}

const char *kith_model_class_name(const kith_model *m, int32_t c)
{
    return m->names[c];
}

const float *kith_model_coupling(const kith_model *m)
{
    return m->coupling;
}

const char *kith_model_why(const kith_model *m)
{
    return m->why;
}

double kith_model_temperature(const kith_model *m)
{
    return m->temperature;
}

double kith_model_validation(const kith_model *m)
{
    return m->validation;
}

uint64_t kith_model_graph_hash(const kith_model *m)
{
    return m->graph_hash;
}

int32_t kith_model_trained(const kith_model *m)
{
    return m->train.n;
}

int32_t kith__model_node(const kith_model *m, int32_t l, const kith_graph *g)
{
    char buffer[KITH_ID_BUFFER];
    size_t length;
    const char *id = kith__ids_get(&m->train, l, buffer, &length);

    return kith_graph_find(g, id, length);
}

int32_t kith_model_found(const kith_model *m, const kith_graph *g)
{
    int32_t found = 0;

    for (int32_t l = 0; l < m->train.n; l++)
        found += kith__model_node(m, l, g) >= 0;
    return found;
}

int32_t kith_model_settings(const kith_model *m)
{
    int32_t n = 0;

    for (int64_t i = 0; i < m->state.n; i++)
        n += !m->state.entries[i].values;
    return n;
}

kith_setting kith_model_setting(const kith_model *m, int32_t i)
{
    const kith__entry *e = m->state.entries;

    for (;; e++)
        if (!e->values && i-- == 0)
            return (kith_setting){e->name, e->text, e->number};
}

/* ---- labels with the model's classes ------------------------------------- */

static int32_t class_named(const kith_model *m, const char *name)
{
    int32_t c = 0;

    while (c < m->classes && strcmp(m->names[c], name) != 0)
        c++;
    return c < m->classes ? c : -1;
}

/* Labels of n nodes, all unknown yet, of the model's classes. */
static kith_status new_labels(const kith_model *m, const kith_labels *like,
                              kith_labels **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_labels *l = NULL;

    TRY_NEW(l, kith__alloc_zeroed(1, sizeof(*l)));
    *out = l;
    l->nodes = like->nodes;
    l->labelled = like->labelled;
    TRY_NEW(l->of, kith__alloc(like->nodes, sizeof(*l->of)));
    TRY_NEW(l->names, kith__alloc_zeroed(m->classes, sizeof(*l->names)));
    l->classes = m->classes;
    for (int32_t c = 0; c < m->classes; c++)
        TRY_NEW(l->names[c],
                kith__copy_string(m->names[c], strlen(m->names[c])));
out:
    return st;
}

kith_status kith_model_labels(const kith_model *m, const kith_labels *labels,
                              kith_labels **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_labels *made = NULL;
    int32_t *to = NULL; /* the model's number of each class */

    *out = NULL;
    TRY_NEW(to, kith__alloc(labels->classes, sizeof(*to)));
    for (int32_t c = 0; c < labels->classes; c++)
        to[c] = class_named(m, labels->names[c]);
    TRY(new_labels(m, labels, &made, err));
    for (int32_t u = 0; u < labels->nodes; u++) {
        const int32_t c = labels->of[u];

        if (c >= 0 && to[c] < 0)
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                           "class '%.60s' of the labels is none of the model's "
                           "%d",
                           labels->names[c], (int)m->classes));
        made->of[u] = c < 0 ? -1 : to[c];
    }
    *out = made;
    made = NULL;
out:
    kith_labels_free(made);
    kith__free(to);
    return st;
}

const char *kith_evidence_name(kith_evidence e)
{
    static const char *const names[] = {"none", "weak", "some", "strong"};

    return names[e];
}
