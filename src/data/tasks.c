/*
 * tasks.c: labels of which a node may have several, as one task each.
 */
#include "data/tasks.h"

#include <math.h>

#include "core/alloc.h"
#include "data/arrays.h"
#include "graph/draw.h"
#include "graph/ids.h"

enum { STREAM = 61 };

/* ---- made ---------------------------------------------------------------- */

static kith_status tasks_new(int32_t nodes, int32_t count, kith_tasks **out,
                             kith_error *err)
{
    kith_status st = KITH_OK;
    kith_tasks *t = NULL;

    *out = NULL;
    TRY_NEW(t, kith__alloc_zeroed(1, sizeof(*t)));
    TRY_NEW(t->names, kith__alloc_zeroed(count, sizeof(*t->names)));
    TRY_NEW(t->of, kith__alloc_zeroed(count, sizeof(*t->of)));
    t->nodes = nodes;
    t->count = count;
    *out = t;
    t = NULL;
out:
    kith_tasks_free(t);
    return st;
}

void kith_tasks_free(kith_tasks *t)
{
    if (!t)
        return;
    for (int32_t c = 0; c < t->count; c++) {
        kith__free(t->names[c]);
        kith__free(t->of[c].node);
        kith__free(t->of[c].is);
    }
    kith__free(t->names);
    kith__free(t->of);
    kith_labels_free(t->strata);
    kith__free(t);
}

/* What is known of one task: says[u] is 1, 0, or negative for nothing. */
static kith_status take_known(const int8_t *says, int32_t n, kith__known *k,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t count = 0;

    for (int32_t u = 0; u < n; u++)
        count += says[u] >= 0;
    TRY_NEW(k->node, kith__alloc(count, sizeof(*k->node)));
    TRY_NEW(k->is, kith__alloc(count, sizeof(*k->is)));
    for (int32_t u = 0; u < n; u++) {
        if (says[u] < 0)
            continue;
        k->node[k->n] = u;
        k->is[k->n++] = (uint8_t)says[u];
        k->positives += says[u];
    }
out:
    return st;
}

/* Of each node the rarest of its classes, and a class of those that are known
 * to be of none, where there are any. */
static kith_status make_strata(kith_tasks *t, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_labels *l;
    bool none = false;

    TRY_NEW(l, t->strata = kith__alloc_zeroed(1, sizeof(*l)));
    l->nodes = t->nodes;
    TRY_NEW(l->names,
            kith__alloc_zeroed((int64_t)t->count + 1, sizeof(*l->names)));
    TRY_NEW(l->of, kith__alloc(t->nodes, sizeof(*l->of)));
    memset(l->of, -1, (size_t)t->nodes * sizeof(*l->of));
    for (int32_t c = 0; c < t->count; c++)
        for (int32_t i = 0; i < t->of[c].n; i++) {
            int32_t *of = &l->of[t->of[c].node[i]];

            if (t->of[c].is[i] && (*of < 0 || *of == t->count ||
                                   t->of[c].positives < t->of[*of].positives))
                *of = c;
            else if (*of < 0)
                *of = t->count;
        }
    for (int32_t u = 0; u < t->nodes; u++) {
        l->labelled += l->of[u] >= 0;
        none |= l->of[u] == t->count;
    }
    for (int32_t c = 0; c < t->count; c++, l->classes++)
        TRY_NEW(l->names[c],
                kith__copy_string(t->names[c], strlen(t->names[c])));
    if (none || t->count == 1) {
        TRY_NEW(l->names[t->count], kith__copy_string("(none)", 6));
        l->classes++;
    }
    if (l->labelled == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "nothing is known of any task, expected a label"));
out:
    return st;
}

/* ---- of labels ----------------------------------------------------------- */

/* Pairs of labels by class: of class c, member[start[c]] to member[start[c + 1]
 * - 1], ascending. */
typedef struct members {
    int64_t *start;
    int32_t *member;
} members;

static kith_status group(const kith_labels *l, members *out, kith_error *err)
{
    const int64_t n = l->pairs > 0 ? l->pairs : l->nodes;
    kith_status st = KITH_OK;

    TRY_NEW(out->start,
            kith__alloc_zeroed((int64_t)l->classes + 2, sizeof(*out->start)));
    TRY_NEW(out->member, kith__alloc(n, sizeof(*out->member)));
    for (int64_t i = 0; i < n; i++) {
        const int32_t c = l->pairs > 0 ? l->pair_class[i] : l->of[i];

        if (c >= 0)
            out->start[c + 2]++;
    }
    for (int32_t c = 0; c < l->classes; c++)
        out->start[c + 2] += out->start[c + 1];
    for (int64_t i = 0; i < n; i++) {
        const int32_t c = l->pairs > 0 ? l->pair_class[i] : l->of[i];

        if (c >= 0)
            out->member[out->start[c + 1]++] = l->pairs > 0 ? l->pair_node[i]
                                                            : (int32_t)i;
    }
out:
    return st;
}

/* Task `at` of `count`: the next nodes of the order, from a place of its own,
 * that are not of the class. */
static void draw_negatives(const int32_t *order, int32_t n, int32_t at,
                           int32_t count, int32_t negatives, int8_t *says)
{
    int64_t place = (int64_t)n * at / count;

    for (int32_t i = 0; i < n && negatives > 0; i++, place++) {
        const int32_t u = order[place < n ? place : place - n];

        if (says[u] < 0) {
            says[u] = 0;
            negatives--;
        }
    }
}

static kith_status take_task(const kith_labels *l, const members *m, int32_t c,
                             int32_t at, int32_t negatives,
                             const int32_t *order, int8_t *says, kith_tasks *t,
                             kith_error *err)
{
    kith_status st = KITH_OK;

    for (int32_t u = 0; u < l->nodes; u++)
        says[u] = l->of[u] >= 0 && !order ? 0 : -1;
    for (int64_t i = m->start[c]; i < m->start[c + 1]; i++)
        says[m->member[i]] = 1;
    if (order)
        draw_negatives(order, l->nodes, at, t->count, negatives, says);
    TRY_NEW(t->names[at], kith__copy_string(l->names[c], strlen(l->names[c])));
    TRY(take_known(says, l->nodes, &t->of[at], err));
out:
    return st;
}

/* All nodes in a random order. */
static kith_status draw_all(const kith_graph *g, int32_t n, uint64_t seed,
                            int32_t **out, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(*out, kith__alloc(n, sizeof(**out)));
    for (int32_t u = 0; u < n; u++)
        (*out)[u] = u;
    TRY(kith__draw_order(g, seed, STREAM, *out, n, err));
out:
    return st;
}

kith_status kith_tasks_from_labels(const kith_graph *graph,
                                   const kith_labels *labels, int32_t negatives,
                                   uint64_t seed, kith_tasks **out,
                                   kith_error *err)
{
    kith_status st = KITH_OK;
    kith_tasks *t = NULL;
    members m = {0};
    int32_t *order = NULL, count = 0, at = 0;
    int8_t *says = NULL;

    *out = NULL;
    if (negatives < 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "%d negatives, expected 0 or more", (int)negatives));
    TRY(group(labels, &m, err));
    for (int32_t c = 0; c < labels->classes; c++)
        count += m.start[c + 1] > m.start[c];
    TRY(tasks_new(labels->nodes, count, &t, err));
    TRY_NEW(says, kith__alloc(labels->nodes, sizeof(*says)));
    if (negatives > 0)
        TRY(draw_all(graph, labels->nodes, seed, &order, err));
    for (int32_t c = 0; c < labels->classes; c++)
        if (m.start[c + 1] > m.start[c])
            TRY(take_task(labels, &m, c, at++, negatives, order, says, t, err));
    TRY(make_strata(t, err));
    *out = t;
    t = NULL;
out:
    kith_tasks_free(t);
    kith__free(m.start);
    kith__free(m.member);
    kith__free(order);
    kith__free(says);
    return st;
}

/* ---- of an array --------------------------------------------------------- */

/* 1, 0, -1; another number is refused. */
static kith_status cell_of(const kith_array *known, int64_t at, int8_t *out,
                           kith_error *err)
{
    const bool whole = known->type == KITH_I32 || known->type == KITH_I64;
    const double x = whole ? (double)kith__array_integer(known, at)
                           : (double)kith__array_float(known, at);

    if (!isnan(x) && x != 0 && x != 1 && x != -1)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "known[%lld] is %g, expected 1, 0, or -1 or NaN for "
                          "unknown",
                          (long long)at, x);
    *out = (int8_t)(isnan(x) ? -1 : x);
    return KITH_OK;
}

/* The names of the tasks: as given, or their numbers. */
static kith_status take_names(kith_tasks *t, const char *const *names,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    kith__id_set set = {0};

    for (int32_t c = 0; c < t->count; c++) {
        char number[KITH_ID_BUFFER];
        const char *name = names ? names[c] : number;
        bool added;

        snprintf(number, sizeof(number), "%d", (int)c);
        if (!name || !name[0])
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                           "task %d has no name, expected one", (int)c));
        TRY_NEW(t->names[c], kith__copy_string(name, strlen(name)));
        if (kith__id_set_add(&set, name, strlen(name), &added) < 0)
            TRY(kith__no_memory(err));
        if (!added)
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                           "task %d is called '%.60s' like another, expected "
                           "each name once",
                           (int)c, name));
    }
out:
    kith__id_set_release(&set);
    return st;
}

kith_status kith_tasks_from_array(const kith_array *known, int32_t tasks,
                                  const char *const *names, kith_tasks **out,
                                  kith_error *err)
{
    kith_status st = KITH_OK;
    kith_tasks *t = NULL;
    int8_t *says = NULL;
    int32_t nodes;

    *out = NULL;
    TRY(kith__array_check(known, "known", false, err));
    if (tasks < 1 || known->count % tasks || known->count / tasks >= INT32_MAX)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "known has %lld numbers, expected a row of %d for each "
                       "node",
                       (long long)known->count, (int)tasks));
    nodes = (int32_t)(known->count / tasks);
    TRY(tasks_new(nodes, tasks, &t, err));
    TRY(take_names(t, names, err));
    TRY_NEW(says, kith__alloc(nodes, sizeof(*says)));
    for (int32_t c = 0; c < tasks; c++) {
        for (int32_t u = 0; u < nodes; u++)
            TRY(cell_of(known, (int64_t)u * tasks + c, &says[u], err));
        TRY(take_known(says, nodes, &t->of[c], err));
    }
    TRY(make_strata(t, err));
    *out = t;
    t = NULL;
out:
    kith_tasks_free(t);
    kith__free(says);
    return st;
}

/* ---- asked --------------------------------------------------------------- */

int32_t kith_tasks_count(const kith_tasks *t)
{
    return t->count;
}

int32_t kith_tasks_nodes(const kith_tasks *t)
{
    return t->nodes;
}

const char *kith_tasks_name(const kith_tasks *t, int32_t task)
{
    return t->names[task];
}

int32_t kith_tasks_find(const kith_tasks *t, const char *name)
{
    for (int32_t c = 0; c < t->count; c++)
        if (strcmp(t->names[c], name) == 0)
            return c;
    return -1;
}

int32_t kith_tasks_positives(const kith_tasks *t, int32_t task)
{
    return t->of[task].positives;
}

int32_t kith_tasks_negatives(const kith_tasks *t, int32_t task)
{
    return t->of[task].n - t->of[task].positives;
}

const kith_labels *kith_tasks_strata(const kith_tasks *t)
{
    return t->strata;
}

kith_status kith_tasks_labels(const kith_tasks *t, int32_t task,
                              kith_labels **out, kith_error *err)
{
    const kith__known *k = &t->of[task];
    kith_status st = KITH_OK;
    kith_labels *l = NULL;

    *out = NULL;
    TRY_NEW(l, kith__alloc_zeroed(1, sizeof(*l)));
    l->nodes = t->nodes;
    l->labelled = k->n;
    TRY_NEW(l->names, kith__alloc_zeroed(2, sizeof(*l->names)));
    l->classes = 2;
    TRY_NEW(l->names[0], kith__join("not ", t->names[task], ""));
    TRY_NEW(l->names[1],
            kith__copy_string(t->names[task], strlen(t->names[task])));
    TRY_NEW(l->of, kith__alloc(t->nodes, sizeof(*l->of)));
    memset(l->of, -1, (size_t)t->nodes * sizeof(*l->of));
    for (int32_t i = 0; i < k->n; i++)
        l->of[k->node[i]] = k->is[i];
    *out = l;
    l = NULL;
out:
    kith_labels_free(l);
    return st;
}
