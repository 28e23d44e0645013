/*
 * tasks_evaluate.c: scores of tasks, and methods measured on all of them.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/sort.h"
#include "data/tasks.h"
#include "eval/scores.h"

/* Of a split with nothing to tune on, what is held out for it. */
static const double HELD_SHARE = .2;

/* ---- scores -------------------------------------------------------------- */

/* What is counted of a list cut at .5. */
typedef struct cut {
    int64_t said, hits, is;
} cut;

typedef struct scorer {
    const kith_tasks *t;
    const float *p;
    const int32_t *node;
    int32_t n;
    int8_t *says; /* of each node, for one task */
    uint64_t *key, *scratch;
} scorer;

static kith_status check_scored(const scorer *s, kith_error *err)
{
    for (int32_t i = 0; i < s->n; i++)
        if (s->node[i] < 0 || s->node[i] >= s->t->nodes)
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "node %d to score, expected one of %d nodes",
                              (int)s->node[i], (int)s->t->nodes);
    return KITH_OK;
}

/* The known nodes of the list: keys for kith__score_order(), and the cut. */
static kith_status gather(scorer *s, int32_t task, kith_task_scores *out,
                          cut *c, kith_error *err)
{
    const kith__known *k = &s->t->of[task];
    int32_t right = 0;

    memset(s->says, -1, (size_t)s->t->nodes);
    for (int32_t i = 0; i < k->n; i++)
        s->says[k->node[i]] = (int8_t)k->is[i];
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t u = s->node[i];
        const float p = s->p[(int64_t)u * s->t->count + task];
        const int8_t is = s->says[u];

        if (is < 0)
            continue;
        if (!(p >= 0 && p <= 1.0001f))
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "node %d has %g in task %d, expected a "
                              "probability from 0 to 1",
                              (int)u, (double)p, (int)task);
        s->key[out->nodes++] = (uint64_t)kith__order_of(p) << 1 | (uint64_t)is;
        out->positives += is;
        c->said += p >= .5f;
        c->hits += p >= .5f && is;
        right += (p >= .5f) == is;
    }
    c->is = out->positives;
    if (out->nodes > 0)
        out->accuracy = (double)right / out->nodes;
    return KITH_OK;
}

static double f1_of(const cut *c)
{
    return c->said + c->is > 0 ? 2 * (double)c->hits / (double)(c->said + c->is)
                               : (double)NAN;
}

static const kith_task_scores unscored = {0, 0, NAN, NAN, NAN, NAN};

static kith_status score_task(scorer *s, int32_t task, kith_task_scores *out,
                              cut *c, kith_error *err)
{
    kith_status st = KITH_OK;

    *out = unscored;
    *c = (cut){0};
    TRY(gather(s, task, out, c, err));
    out->f1 = f1_of(c);
    if (out->positives > 0 && out->positives < out->nodes) {
        kith__order o;

        kith__radix_sort_u64(s->key, s->scratch, out->nodes,
                             KITH__ORDER_BITS + 1);
        o = kith__score_order(s->key, out->nodes, NULL, NULL, out->positives,
                              out->nodes - out->positives);
        out->auc = o.auc;
        out->average_precision = o.precision;
    }
out:
    return st;
}

/* Fields of the scores that are averaged. */
static const size_t fields[] = {offsetof(kith_task_scores, accuracy),
                                offsetof(kith_task_scores, auc),
                                offsetof(kith_task_scores, average_precision),
                                offsetof(kith_task_scores, f1)};

enum { FIELDS = sizeof(fields) / sizeof(*fields) };

static double *field(kith_task_scores *s, int f)
{
    return (double *)(void *)((char *)s + fields[f]);
}

static void average(kith_tasks_scores *s)
{
    s->mean = unscored;
    for (int32_t t = 0; t < s->tasks; t++) {
        s->mean.nodes += s->of[t].nodes;
        s->mean.positives += s->of[t].positives;
    }
    for (int f = 0; f < FIELDS; f++) {
        double sum = 0;
        int32_t n = 0;

        for (int32_t t = 0; t < s->tasks; t++) {
            const double x = *field(&s->of[t], f);

            sum += isnan(x) ? 0 : x;
            n += !isnan(x);
        }
        *field(&s->mean, f) = n ? sum / n : (double)NAN;
    }
}

kith_status kith_tasks_score(const kith_tasks *t, const float *probabilities,
                             const int32_t *nodes, int32_t n_nodes,
                             kith_tasks_scores *out, kith_error *err)
{
    scorer s = {.t = t, .p = probabilities, .node = nodes, .n = n_nodes};
    kith_task_scores *of = NULL;
    kith_status st = KITH_OK;
    cut all = {0};

    *out = (kith_tasks_scores){.mean = unscored, .micro_f1 = (double)NAN};
    TRY(check_scored(&s, err));
    TRY_NEW(s.says, kith__alloc(t->nodes, 1));
    TRY_NEW(s.key, kith__alloc(n_nodes, sizeof(*s.key)));
    TRY_NEW(s.scratch, kith__alloc(n_nodes, sizeof(*s.scratch)));
    TRY_NEW(of, kith__alloc(t->count, sizeof(*of)));
    for (int32_t c = 0; c < t->count; c++) {
        cut here;

        TRY(score_task(&s, c, &of[c], &here, err));
        all.said += here.said;
        all.hits += here.hits;
        all.is += here.is;
    }
    out->of = of;
    of = NULL;
    out->tasks = t->count;
    out->micro_f1 = f1_of(&all);
    average(out);
out:
    kith__free(of);
    kith__free(s.says);
    kith__free(s.key);
    kith__free(s.scratch);
    return st;
}

/* ---- methods on splits --------------------------------------------------- */

static kith_status try_one(kith_tasks_evaluation *e, int m, int s,
                           const kith_train_options *o, kith_error *err)
{
    const bool tunes = o->fixed != KITH_FIX_ALL && !o->like;
    const int at = m * e->splits + s;
    const kith_split *split = &e->split[s];
    const double begun = kith__now();
    kith_tasks_run *r = NULL;
    kith_status st = KITH_OK;

    TRY(kith_tasks_classify(e->data, e->tasks, e->method[m], split,
                            tunes ? HELD_SHARE : 0, 1, o, &r, err));
    e->seconds[at] = kith__now() - begun;
    TRY(kith_tasks_score(e->tasks, r->probabilities, split->test, split->n_test,
                         &e->result[at], err));
    if (e->result[at].mean.nodes == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "split '%.200s' leaves no labelled node to test on",
                       split->name ? split->name : ""));
out:
    kith_tasks_run_free(r);
    return st;
}

kith_status kith_tasks_evaluate(const kith_dataset *d, const kith_tasks *t,
                                const char *const *methods, int n_methods,
                                const kith_split *splits, int n_splits,
                                const kith_train_options *options,
                                kith_tasks_evaluation **out, kith_error *err)
{
    const int64_t runs = (int64_t)n_methods * n_splits;
    kith_tasks_evaluation *e = NULL;
    kith_status st = KITH_OK;

    *out = NULL;
    TRY_NEW(e, kith__alloc_zeroed(1, sizeof(*e)));
    *e = (kith_tasks_evaluation){.data = d,
                                 .tasks = t,
                                 .method = methods,
                                 .methods = n_methods,
                                 .split = splits};
    TRY_NEW(e->result, kith__alloc_zeroed(runs, sizeof(*e->result)));
    e->splits = n_splits;
    TRY_NEW(e->seconds, kith__alloc_zeroed(runs, sizeof(*e->seconds)));
    for (int m = 0; m < n_methods; m++)
        for (int s = 0; s < n_splits; s++)
            TRY(try_one(e, m, s, options, err));
    *out = e;
    e = NULL;
out:
    kith_tasks_evaluation_free(e);
    return st;
}

void kith_tasks_evaluation_free(kith_tasks_evaluation *e)
{
    if (!e)
        return;
    for (int i = 0; i < e->methods * e->splits; i++)
        kith__free(e->result[i].of);
    kith__free(e->result);
    kith__free(e->seconds);
    kith__free(e);
}

static double value_of(const kith_tasks_evaluation *e, int at, int32_t task,
                       kith_tasks_measure which)
{
    const kith_tasks_scores *r = &e->result[at];
    const kith_task_scores *s = task < 0 ? &r->mean : &r->of[task];

    switch (which) {
    case KITH_TASKS_ACCURACY:
        return s->accuracy;
    case KITH_TASKS_AUC:
        return s->auc;
    case KITH_TASKS_AVERAGE_PRECISION:
        return s->average_precision;
    case KITH_TASKS_MICRO_F1:
        return task < 0 ? r->micro_f1 : s->f1;
    case KITH_TASKS_MACRO_F1:
        return s->f1;
    case KITH_TASKS_SECONDS:
        return e->seconds[at];
    case KITH_TASKS_MEASURES:
        break;
    }
    return (double)NAN;
}

/* mean and std as kith_spread_of(), without an array. */
kith_spread kith_tasks_spread(const kith_tasks_evaluation *e, int method,
                              int32_t task, kith_tasks_measure which)
{
    kith_spread s = {(double)NAN, (double)NAN, 0};
    double sum = 0, squares = 0;

    for (int i = 0; i < e->splits; i++) {
        const double x = value_of(e, method * e->splits + i, task, which);

        sum += isnan(x) ? 0 : x;
        s.n += !isnan(x);
    }
    if (s.n == 0)
        return s;
    s.mean = sum / s.n;
    for (int i = 0; i < e->splits; i++) {
        const double x = value_of(e, method * e->splits + i, task, which);

        squares += isnan(x) ? 0 : (x - s.mean) * (x - s.mean);
    }
    s.std = s.n > 1 ? sqrt(squares / (s.n - 1)) : 0;
    return s;
}
