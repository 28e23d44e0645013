/*
 * solution_file.c: keeping a run, so that it is not made again;
 * docs/formats/solution.md has the layout, sections.h the container.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "data/features.h"
#include "io/sections.h"
#include "models/explain/logits.h"
#include "models/lcm_em/lcm_em.h"
#include "models/model_object.h"
#include "models/solution.h"

static const kith__sections_format format = {
    .magic = {0x89, 'K', 'I', 'T', 'H', 'S', 13, 10},
    .version = 2,
    .newest = 3, /* of one that was updated: it has labels of its own */
    .noun = "solution",
    .remedy = "make it again"};

/* Bytes 24 to 55 of the header: what the solution belongs to. */
typedef struct bond {
    uint64_t graph, model, features;
    int32_t n, classes;
} bond;

_Static_assert(sizeof(bond) == KITH__SECTIONS_OWN, "as documented");

/* Section "facts". */
typedef struct facts {
    int64_t linear, roots, has_coupling, iterations, converged;
    double rho, residual;
} facts;

static bond bond_of(const kith_model *m, const kith_dataset *d)
{
    return (bond){.graph = kith_graph_hash(d->graph),
                  .model = kith__model_hash(m),
                  .features = kith__features_hash(d->features),
                  .n = kith_graph_nodes(d->graph),
                  .classes = m->classes};
}

static facts facts_of(const kith__beliefs *b)
{
    return (facts){.linear = b->linear,
                   .roots = b->roots,
                   .has_coupling = b->has_coupling,
                   .iterations = b->certificate.iterations,
                   .converged = b->certificate.converged,
                   .rho = b->certificate.rho,
                   .residual = b->certificate.residual};
}

/* Q is filled by methods that say how beliefs hang on it. */
static bool keeps_Q(const kith__beliefs *b)
{
    return b->Q && b->linear != KITH__NOT_LINEAR;
}

/* Numbers in B: one fit of all training nodes, and one of each fold. */
static int64_t logits_size(const kith__logits *l, int classes)
{
    return (1 + l->folds) * (l->map.columns + 1) * classes;
}

/* ---- saving -------------------------------------------------------------- */

static kith_status put(const kith_solution *s, kith__sections_writer *w,
                       kith_error *err)
{
    const kith__beliefs *b = &s->b;
    const kith__task *t = &s->storage.task;
    const int64_t cells = (int64_t)t->n * t->classes;
    const facts f = facts_of(b);
    kith_status st = KITH_OK;

    TRY(kith__sections_put(w, "facts", 8, &f, sizeof(f) / 8, err));
    TRY(kith__sections_put(w, "beliefs", 4, b->P, cells, err));
    TRY(kith__sections_put(w, "mass", 4, b->evidence.mass, t->n, err));
    if (b->has_coupling)
        TRY(kith__sections_put(w, "coupling", 4, b->coupling,
                               (int64_t)t->classes * t->classes, err));
    if (keeps_Q(b))
        TRY(kith__sections_put(w, "potent", 4, b->Q, cells, err));
    if (b->self_term)
        TRY(kith__sections_put(w, "selfterm", 4, b->self_term, cells, err));
    if (b->weights)
        TRY(kith__sections_put(w, "weights", 4, b->weights, t->W.rows[t->n],
                               err));
    if (b->logits)
        TRY(kith__sections_put(w, "logits", 4, b->logits->B,
                               logits_size(b->logits, t->classes), err));
    if (s->updated)
        TRY(kith__sections_put(w, "trained", 4, s->trained, t->n, err));
out:
    return st;
}

kith_status kith_solution_save(const kith_solution *s, const char *path,
                               kith_outputs *with, kith_error *err)
{
    const bond own = bond_of(s->model, s->data);
    kith__sections_writer *w = NULL;
    kith_status st = KITH_OK;

    TRY(kith__sections_create(&format, path, &w, err));
    if (s->updated)
        kith__sections_set_version(w, format.newest);
    TRY(put(s, w, err));
    st = kith__sections_add(w, &own, with, err);
    w = NULL;
out:
    kith__sections_abort(w);
    return st;
}

/* ---- opening ------------------------------------------------------------- */

static kith_status refuse(const kith__sections *f, const char *part,
                          kith_error *err)
{
    char what[64];

    snprintf(what, sizeof(what), "'%s' is missing or does not fit", part);
    return kith__sections_corrupt(f, err, what);
}

static kith_status check_bond(const char *path, const bond *has,
                              const bond *expected, kith_error *err)
{
    const char *of = has->graph != expected->graph || has->n != expected->n
                         ? "graph"
                     : has->features != expected->features ? "features"
                     : has->model != expected->model ||
                             has->classes != expected->classes
                         ? "model"
                         : NULL;

    if (!of)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                      "is the solution of %s%s, expected that of this model on "
                      "this data",
                      strcmp(of, "features") == 0 ? "other " : "another ", of);
}

/* A copy of `count` finite floats. */
static kith_status copy_floats(const kith__sections *f, const char *tag,
                               int64_t count, float **out, kith_error *err)
{
    const float *from = kith__sections_get(f, tag, 4, count, NULL);
    kith_status st = KITH_OK;

    if (!from)
        return refuse(f, tag, err);
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(from[i]))
            return refuse(f, tag, err);
    if (!*out)
        TRY_NEW(*out, kith__alloc_big(count, sizeof(**out)));
    memcpy(*out, from, (size_t)count * sizeof(**out));
out:
    return st;
}

static bool facts_fit(const facts *f)
{
    const bool steps = f->linear == KITH__SUM || f->linear == KITH__FIXED_POINT;

    return f->linear >= KITH__NOT_LINEAR && f->linear <= KITH__LOGITS &&
           (f->roots == 0 || f->roots == 1) &&
           (f->has_coupling == 0 || f->has_coupling == 1) &&
           f->iterations >= 0 && f->iterations <= INT32_MAX &&
           (f->converged == 0 || f->converged == 1) && !(f->rho < 0) &&
           !(f->residual < 0) && (f->has_coupling || !steps);
}

static kith_status get_facts(const kith__sections *file, kith__beliefs *b,
                             kith_error *err)
{
    const facts *f = kith__sections_get(file, "facts", 8, sizeof(*f) / 8, NULL);

    if (!f || !facts_fit(f))
        return refuse(file, "facts", err);
    b->linear = (kith__linearity)f->linear;
    b->roots = f->roots;
    b->has_coupling = f->has_coupling;
    b->certificate = (kith_certificate){.rho = f->rho,
                                        .residual = f->residual,
                                        .iterations = (int32_t)f->iterations,
                                        .converged = f->converged};
    return KITH_OK;
}

/* The labels of an updated solution are its own. */
static kith_status get_trained(const kith__sections *file,
                               kith__task_storage *s, bool *updated,
                               kith_error *err)
{
    const int32_t n = s->task.n;
    const int32_t *trained = kith__sections_get(file, "trained", 4, n, NULL);
    kith_status st = KITH_OK;

    *updated = kith__sections_find(file, "trained") != NULL;
    if (!*updated)
        return KITH_OK;
    if (!trained)
        return refuse(file, "trained", err);
    kith__free(s->train);
    kith__free(s->truth);
    s->truth = NULL;
    s->task.n_train = 0;
    TRY_NEW(s->train, kith__alloc(n, sizeof(*s->train)));
    TRY_NEW(s->truth, kith__alloc(n, sizeof(*s->truth)));
    for (int32_t u = 0; u < n; u++) {
        if (trained[u] < -1 || trained[u] >= s->task.classes)
            TRY(refuse(file, "trained", err));
        if (trained[u] < 0)
            continue;
        s->train[s->task.n_train] = u;
        s->truth[s->task.n_train++] = trained[u];
    }
    if (s->task.n_train == 0)
        TRY(refuse(file, "trained", err));
    s->task.train = s->train;
    s->task.truth = s->truth;
out:
    return st;
}

/* The model says what its logits are made of, the file their B. */
static kith_status get_logits(const kith__sections *file, const kith_model *m,
                              const kith_dataset *d, const kith__task *t,
                              kith__beliefs *b, kith_error *err)
{
    const bool has = kith__sections_find(file, "logits") != NULL;
    kith_status st = KITH_OK;

    if (strcmp(m->method, "lcm-em") == 0)
        TRY(kith__lcm_em_logits(t, d->features, &m->state, &b->logits, err));
    if (has != (b->logits != NULL))
        TRY(refuse(file, "logits", err));
    if (b->logits)
        TRY(copy_floats(file, "logits", logits_size(b->logits, t->classes),
                        &b->logits->B, err));
out:
    return st;
}

static kith_status get(const kith__sections *file, const kith_model *m,
                       const kith_dataset *d, const kith__task *t,
                       kith__beliefs *b, kith_error *err)
{
    const int64_t cells = (int64_t)t->n * t->classes;
    kith_status st = KITH_OK;

    TRY(kith__sections_verify(file, t->job, err));
    if (!kith__sections_packed(file))
        TRY(kith__sections_corrupt(file, err, "there is more than sections"));
    b->validation = (double)NAN;
    TRY(get_facts(file, b, err));
    TRY(copy_floats(file, "beliefs", cells, &b->P, err));
    TRY(kith__evidence_new(t, &b->evidence, err));
    TRY(copy_floats(file, "mass", t->n, &b->evidence.mass, err));
    b->evidence.told = true;
    TRY_NEW(b->coupling,
            kith__alloc_zeroed((int64_t)t->classes * t->classes, 4));
    if (b->has_coupling)
        TRY(copy_floats(file, "coupling", (int64_t)t->classes * t->classes,
                        &b->coupling, err));
    if (b->linear != KITH__NOT_LINEAR)
        TRY(copy_floats(file, "potent", cells, &b->Q, err));
    if (kith__sections_find(file, "selfterm"))
        TRY(copy_floats(file, "selfterm", cells, &b->self_term, err));
    if (kith__sections_find(file, "weights"))
        TRY(copy_floats(file, "weights", t->W.rows[t->n], &b->weights, err));
    TRY(get_logits(file, m, d, t, b, err));
    if (b->linear == KITH__LOGITS && !b->logits)
        TRY(refuse(file, "logits", err));
out:
    return st;
}

kith_status kith_solution_open(const char *path, const kith_model *m,
                               const kith_dataset *d, const kith_job *job,
                               kith_solution **out, kith_error *err)
{
    const bond expected = bond_of(m, d);
    kith__sections file = {0};
    kith_status st = KITH_OK;
    kith__task_storage s = {0};
    kith__beliefs b = {0};
    bool updated;
    bond has;

    *out = NULL;
    TRY(kith__sections_open(&format, path, &file, err));
    memcpy(&has, file.own, sizeof(has));
    TRY(check_bond(path, &has, &expected, err));
    TRY(kith__task_of_model(m, d->graph, job, &s, err));
    TRY(get_trained(&file, &s, &updated, err));
    TRY(get(&file, m, d, &s.task, &b, err));
    TRY(kith__evidence_of(m, &s.task, d->features, &b, err));
    TRY(kith__solution_make(m, d, job, &s, &b, out, err));
    (*out)->updated = updated;
out:
    kith__map_release(file.map);
    kith__beliefs_release(&b);
    kith__task_storage_release(&s);
    return st;
}
