/*
 * tasks_classify.c: every node in every task.
 *
 * A task is fitted as kith_classify() fits labels of two classes.  What tasks
 * share is taken off its hands where it can be: of linbp on labels alone the
 * passes over the edges, eight tasks in each (linbp_together.h), and the mass
 * of the labels, which is the same wherever the same nodes are learnt from.
 */
#include <math.h>

#include "core/alloc.h"
#include "data/tasks.h"
#include "eval/protocol.h"
#include "models/model_object.h"
#include "models/task_storage.h"
#include "models/train.h"

enum { BLOCK = KITH__TOGETHER_MOST };

/* The labels' mass of nodes that are learnt from. */
typedef struct mass {
    int32_t *node, n;
    float *S; /* NULL: not found yet */
} mass;

/* Beliefs of a block of tasks by one split. */
typedef struct shared {
    const kith_split *split;
    float *P; /* n x BLOCK */
    kith_certificate certificate;
    kith__column_labels labels[BLOCK];
    int32_t *node[BLOCK];
    uint8_t *is[BLOCK];
    mass mass;
    bool same[BLOCK]; /* is that the mass of the task? */
} shared;

typedef struct work {
    const kith_dataset *d;
    const kith_tasks *t;
    const char *method;
    const kith_train_options *o;
    kith_protocol p;
    kith__task_storage storage; /* for W, where passes are shared */
    bool together, tunes;
    shared first, last; /* tunes: the fit that is tuned; the one kept */
    float *two;         /* n x 2: of the task at hand */
    float *block;       /* n x BLOCK: probabilities of the block at hand */
    uint8_t *evidence;
    kith_tasks_run *r;
} work;

/* ---- what is learnt from ------------------------------------------------- */

/* The nodes of a list, which ascends, that the task knows. */
static kith_status learn_from(const kith__known *k, const kith_split *s,
                              shared *h, int at, kith_error *err)
{
    kith__column_labels *out = &h->labels[at];
    kith_status st = KITH_OK;
    int32_t i = 0;

    *out = (kith__column_labels){.weight = {1, 1}};
    TRY_NEW(h->node[at], kith__alloc(k->n, sizeof(int32_t)));
    TRY_NEW(h->is[at], kith__alloc(k->n, 1));
    for (int32_t j = 0; j < s->n_train; j++) {
        while (i < k->n && k->node[i] < s->train[j])
            i++;
        if (i == k->n || k->node[i] != s->train[j])
            continue;
        h->node[at][out->n] = k->node[i];
        h->is[at][out->n++] = k->is[i];
    }
    out->node = h->node[at];
    out->is = h->is[at];
out:
    return st;
}

/* As kith__task_balance(). */
static void balance(kith__column_labels *l)
{
    int32_t count[2] = {0};

    for (int32_t i = 0; i < l->n; i++)
        count[l->is[i]]++;
    for (int c = 0; c < 2; c++)
        if (count[c] > 0)
            l->weight[c] = sqrtf((float)l->n / (2 * (float)count[c]));
}

/* ---- shared -------------------------------------------------------------- */

static void shared_empty(shared *h)
{
    for (int i = 0; i < BLOCK; i++) {
        kith__free(h->node[i]);
        kith__free(h->is[i]);
        h->node[i] = NULL;
        h->is[i] = NULL;
    }
}

static void shared_release(shared *h)
{
    shared_empty(h);
    kith__free(h->P);
    kith__free(h->mass.node);
    kith__free(h->mass.S);
}

static bool same_nodes(const mass *m, const kith__column_labels *l)
{
    return m->S && m->n == l->n &&
           memcmp(m->node, l->node, (size_t)l->n * sizeof(*l->node)) == 0;
}

/* The mass of the first task's nodes, which those of others often are. */
static kith_status find_mass(work *w, shared *h, const kith__stopping *stopping,
                             kith_error *err)
{
    const kith__column_labels *l = &h->labels[0];
    kith_status st = KITH_OK;

    if (w->o->params.balance || h->mass.S)
        return KITH_OK;
    TRY_NEW(h->mass.node, kith__alloc(l->n, sizeof(int32_t)));
    memcpy(h->mass.node, l->node, (size_t)l->n * sizeof(int32_t));
    h->mass.n = l->n;
    TRY_NEW(h->mass.S, kith__alloc_big(w->t->nodes, sizeof(float)));
    TRY(kith__linbp_mass(&w->storage.task.W, l->node, l->n, stopping, h->mass.S,
                         err));
out:
    return st;
}

/* Tasks first .. first + count - 1 in shared passes. */
static kith_status share(work *w, shared *h, int32_t first, int count,
                         kith_error *err)
{
    const int most = w->o->params.iterations ? w->o->params.iterations : 100;
    /* a single run looks at what is not centred, twice as large */
    const kith__stopping stopping =
        kith__stopping_of(&w->storage.task, most, w->o->params.tolerance / 2);
    kith_status st = KITH_OK;

    shared_empty(h);
    for (int i = 0; i < count; i++) {
        TRY(learn_from(&w->t->of[first + i], h->split, h, i, err));
        if (w->o->params.balance)
            balance(&h->labels[i]);
    }
    TRY(find_mass(w, h, &stopping, err));
    for (int i = 0; i < count; i++)
        h->same[i] = same_nodes(&h->mass, &h->labels[i]);
    if (!h->P)
        TRY_NEW(h->P,
                kith__alloc_big((int64_t)w->t->nodes * BLOCK, sizeof(float)));
    TRY(kith__linbp_together(&w->storage.task.W, h->labels, count, &stopping,
                             h->P, &h->certificate, err));
out:
    return st;
}

/* ---- one task ------------------------------------------------------------ */

static kith__given given_of(const shared *h, int at, int count)
{
    return (kith__given){.column = h->P + at,
                         .stride = count,
                         .mass = h->same[at] ? h->mass.S : NULL,
                         .certificate = h->certificate};
}

static void describe(const kith_model *m, const kith_model *tuned,
                     kith_task_fit *fit)
{
    fit->validation = kith_model_validation(tuned ? tuned : m);
    fit->temperature = kith_model_temperature(m);
    fit->certificate = *kith_model_certificate(m);
}

/* Bits: does the list name nodes that are not of the class, that are? */
static int kinds_of(const kith_labels *l, const kith_split *s)
{
    int kinds = 0;

    for (int32_t i = 0; i < s->n_train; i++)
        if (l->of[s->train[i]] >= 0)
            kinds |= 1 << l->of[s->train[i]];
    return kinds;
}

/* As kith__fit_by(); a task so small that what is left after holding out lacks
 * a kind of node is not tuned. */
static kith_status fit_task(work *w, const kith_dataset *d, int at, int count,
                            kith_task_fit *fit, kith_error *err)
{
    const kith__given last = given_of(&w->last, at, count);
    const kith__given first = given_of(&w->first, at, count);
    kith_train_options o = *w->o;
    kith_model *tuned = NULL, *m = NULL;
    kith_status st = KITH_OK;

    if (w->tunes &&
        kinds_of(d->labels, &w->p.tuning) == kinds_of(d->labels, &w->p.whole)) {
        TRY(kith__train(d, w->method, &w->p.tuning, &o, &tuned,
                        (kith__outcome){.given = w->together ? &first : NULL},
                        err));
        o = kith_options_like(&o, tuned);
    }
    TRY(kith__train(d, w->method, &w->p.whole, &o, &m,
                    (kith__outcome){.probabilities = w->two,
                                    .evidence = w->evidence,
                                    .given = w->together ? &last : NULL,
                                    .cross_fit = kith__cross_fits(w->o)},
                    err));
    describe(m, tuned, fit);
out:
    kith_model_free(tuned);
    kith_model_free(m);
    return st;
}

static void count_learnt(const work *w, const kith_labels *l,
                         kith_task_fit *fit)
{
    for (int32_t i = 0; i < w->p.whole.n_train; i++) {
        const int32_t c = l->of[w->p.whole.train[i]];

        fit->positives += c == 1;
        fit->negatives += c == 0;
    }
}

/* Probabilities of the task go beside those of its block. */
static void keep(work *w, int at, int count)
{
#pragma omp parallel for num_threads(kith__threads(&w->o->job)) schedule(static)
    for (int64_t u = 0; u < w->t->nodes; u++) {
        w->block[u * count + at] = w->two[2 * u + 1];
        if (w->evidence[u] > w->r->evidence[u])
            w->r->evidence[u] = w->evidence[u];
    }
}

static kith_status do_task(work *w, int32_t task, int at, int count,
                           kith_error *err)
{
    kith_task_fit *fit = &w->r->fit[task];
    const size_t n = (size_t)w->t->nodes;
    kith_dataset d = *w->d;
    kith_labels *l = NULL;
    kith_status st = KITH_OK;

    *fit = (kith_task_fit){.validation = (double)NAN,
                           .temperature = (double)NAN};
    TRY(kith_tasks_labels(w->t, task, &l, err));
    d.labels = l;
    count_learnt(w, l, fit);
    if (fit->positives > 0) {
        TRY(fit_task(w, &d, at, count, fit, err));
    } else { /* nothing says what the class is like */
        memset(w->two, 0, 2 * n * sizeof(*w->two));
        memset(w->evidence, 0, n);
    }
    keep(w, at, count);
out:
    kith_labels_free(l);
    return st;
}

/* ---- all of them --------------------------------------------------------- */

static kith_status do_block(work *w, int32_t first, int count, kith_error *err)
{
    const int64_t T = w->t->count;
    kith_status st = KITH_OK;

    if (w->together) {
        TRY(share(w, &w->last, first, count, err));
        if (w->tunes)
            TRY(share(w, &w->first, first, count, err));
    }
    for (int i = 0; i < count; i++)
        TRY(do_task(w, first + i, i, count, err));
#pragma omp parallel for num_threads(kith__threads(&w->o->job)) schedule(static)
    for (int64_t u = 0; u < w->t->nodes; u++)
        memcpy(w->r->probabilities + u * T + first, w->block + u * count,
               (size_t)count * sizeof(float));
out:
    return st;
}

static bool can_share(const work *w)
{
    const bool tunes = w->tunes || w->p.whole.n_val > 0;

    return strcmp(w->method, "linbp") == 0 && !w->d->features && !w->o->like &&
           !w->o->checkpoint && (!tunes || (w->o->fixed & KITH_FIX_ITERATIONS));
}

static kith_status prepare(work *w, const kith_split *split, double hold_out,
                           uint64_t seed, kith_error *err)
{
    const int64_t n = w->t->nodes, T = w->t->count;
    kith_dataset d = *w->d;
    kith_status st = KITH_OK;

    if (kith_graph_nodes(d.graph) != n)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "tasks on %d nodes, the graph has %d", (int)n,
                       (int)kith_graph_nodes(d.graph)));
    d.labels = w->t->strata;
    TRY(kith_protocol_make(&d, split, hold_out, seed, &w->p, err));
    w->tunes = w->p.tuning.n_val > 0;
    w->together = can_share(w);
    w->first.split = &w->p.tuning;
    w->last.split = &w->p.whole;
    TRY_NEW(w->r, kith__alloc_zeroed(1, sizeof(*w->r)));
    w->r->nodes = (int32_t)n;
    w->r->tasks = (int32_t)T;
    w->r->together = w->together ? (int32_t)(T < BLOCK ? T : BLOCK) : 1;
    TRY_NEW(w->r->fit, kith__alloc_zeroed(T, sizeof(*w->r->fit)));
    TRY_NEW(w->r->probabilities, kith__alloc_big(n * T, sizeof(float)));
    TRY_NEW(w->r->evidence, kith__alloc_zeroed(n, 1));
    TRY_NEW(w->two, kith__alloc_big(2 * n, sizeof(float)));
    TRY_NEW(w->evidence, kith__alloc_zeroed(n, 1));
    TRY_NEW(w->block, kith__alloc_big(n * BLOCK, sizeof(float)));
    if (w->together)
        TRY(kith__task_set_up(&w->storage, d.graph, 2, &w->o->job, err));
out:
    return st;
}

/* Progress tells which task. */
typedef struct teller {
    const kith_job *to;
    char stage[64];
    int32_t at, of;
} teller;

static int tell(void *user, const kith_progress *from)
{
    teller *t = user;
    kith_progress with = *from;

    snprintf(t->stage, sizeof(t->stage), "task %d/%d %.20s", (int)t->at,
             (int)t->of, from->stage ? from->stage : "");
    with.stage = t->stage;
    return t->to->progress(t->to->user, &with);
}

kith_status kith_tasks_classify(const kith_dataset *d, const kith_tasks *t,
                                const char *method, const kith_split *split,
                                double hold_out, uint64_t seed,
                                const kith_train_options *options,
                                kith_tasks_run **out, kith_error *err)
{
    kith_train_options o = *options;
    teller told = {.to = &options->job, .of = t->count};
    work w = {.d = d, .t = t, .method = method, .o = &o};
    kith_status st = KITH_OK;

    *out = NULL;
    if (o.job.progress) {
        o.job.progress = tell;
        o.job.user = &told;
    }
    TRY(prepare(&w, split, hold_out, seed, err));
    for (int32_t c = 0; c < t->count; c += BLOCK) {
        told.at = c + 1;
        TRY(do_block(&w, c, t->count - c < BLOCK ? t->count - c : BLOCK, err));
    }
    *out = w.r;
    w.r = NULL;
out:
    kith_tasks_run_free(w.r);
    kith_protocol_release(&w.p);
    kith__task_storage_release(&w.storage);
    shared_release(&w.first);
    shared_release(&w.last);
    kith__free(w.two);
    kith__free(w.block);
    kith__free(w.evidence);
    return st;
}

void kith_tasks_run_free(kith_tasks_run *r)
{
    if (!r)
        return;
    kith__free(r->probabilities);
    kith__free(r->evidence);
    kith__free(r->fit);
    kith__free(r);
}
