/*
 * random_splits.c: labelled nodes dealt into parts at random.
 *
 * Every node carries the part it is in, and parts are read off in the order of
 * nodes: so lists ascend without sorting, and a node is in one part only.
 *
 * Draws go by the ids of nodes (graph/draw.h).  Each class has a stream of
 * random numbers of its own, and the first of its nodes in a random order are
 * taken.  Hence the training nodes of 5 a class are among those of 20 a class
 * of the same seed and trial, and other classes do not change what one class
 * gives.
 */
#include <inttypes.h>

#include "core/alloc.h"
#include "core/status.h"
#include "data/split_hash.h"
#include "graph/draw.h"
#include "kith/eval.h"

typedef enum part { OUTSIDE, REST, FIRST, SECOND } part;

/* What random numbers are for; a trial is below 2^31, as is a class. */
static uint64_t stream_of_trial(int32_t trial, int32_t c)
{
    return (uint64_t)trial << 32 | (uint32_t)(c + 1); /* c = -1: all classes */
}

/* One for all classes: their nodes are others, and their numbers, which hang on
 * their names, have no say. */
static const uint64_t HOLD_OUT = UINT64_C(1) << 63;

/* What is drawn of which graph. */
typedef struct draws {
    const kith_graph *graph;
    uint64_t seed;
} draws;

/* Put `take` of n nodes, at random, into part `to`. */
static kith_status draw(const draws *d, uint64_t stream, int32_t *nodes,
                        int32_t n, int32_t take, uint8_t *part_of, part to,
                        kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__draw_order(d->graph, d->seed, stream, nodes, n, err));
    for (int32_t i = 0; i < take; i++)
        part_of[nodes[i]] = (uint8_t)to;
out:
    return st;
}

/* The nodes of a part, ascending. */
static kith_status list_part(const uint8_t *part_of, int32_t n, part which,
                             int32_t **list, int32_t *n_list, kith_error *err)
{
    int32_t count = 0;

    for (int32_t v = 0; v < n; v++)
        count += part_of[v] == which;
    *list = kith__alloc(count, sizeof(**list));
    if (!*list)
        return kith__no_memory(err);
    *n_list = count;
    count = 0;
    for (int32_t v = 0; v < n; v++)
        if (part_of[v] == which)
            (*list)[count++] = v;
    return KITH_OK;
}

/* The labelled nodes of part REST by class: those of class
 * c are member[start[c]] to member[start[c + 1] - 1]. */
typedef struct by_class {
    int32_t *start, *member;
} by_class;

static kith_status group(const kith_labels *labels, const uint8_t *part_of,
                         by_class *out, kith_error *err)
{
    kith_status st = KITH_OK;
    const int32_t classes = labels->classes;

    /* start[c + 2] counts class c, then start[c + 1] is where its next goes */
    TRY_NEW(out->start,
            kith__alloc_zeroed((int64_t)classes + 2, sizeof(*out->start)));
    for (int32_t v = 0; v < labels->nodes; v++)
        if (part_of[v] == REST && labels->of[v] >= 0)
            out->start[labels->of[v] + 2]++;
    for (int32_t c = 0; c < classes; c++)
        out->start[c + 2] += out->start[c + 1];
    TRY_NEW(out->member,
            kith__alloc(out->start[classes + 1], sizeof(*out->member)));
    for (int32_t v = 0; v < labels->nodes; v++)
        if (part_of[v] == REST && labels->of[v] >= 0)
            out->member[out->start[labels->of[v] + 1]++] = v;
out:
    return st; /* the caller releases what there is */
}

static void release(by_class *g)
{
    kith__free(g->start);
    kith__free(g->member);
}

/* ---- training, validation, test ------------------------------------------ */

/* All but one of a class that is too small, so that it can be tested; but a
 * class of one is taught. */
static int32_t train_size(int32_t size, int32_t per_class)
{
    const int32_t scratch = size > 1 ? size - 1 : size;

    return per_class < scratch ? per_class : scratch;
}

static kith_status draw_train(const draws *d, const kith_labels *labels,
                              int32_t per_class, int32_t trial,
                              uint8_t *part_of, kith_error *err)
{
    kith_status st = KITH_OK;
    by_class g = {0};

    TRY(group(labels, part_of, &g, err));
    for (int32_t c = 0; c < labels->classes; c++) {
        const int32_t size = g.start[c + 1] - g.start[c];

        TRY(draw(d, stream_of_trial(trial, c), g.member + g.start[c], size,
                 train_size(size, per_class), part_of, FIRST, err));
    }
out:
    release(&g);
    return st;
}

static kith_status draw_val(const draws *d, const kith_labels *labels,
                            int32_t val, int32_t trial, uint8_t *part_of,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t *rest = NULL, n_rest;

    TRY(list_part(part_of, labels->nodes, REST, &rest, &n_rest, err));
    if (val >= n_rest)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "no node is left to test on: %d labelled nodes beyond "
                       "those for training, %d for validation",
                       (int)n_rest, (int)val));
    TRY(draw(d, stream_of_trial(trial, -1), rest, n_rest, val, part_of, SECOND,
             err));
out:
    kith__free(rest);
    return st;
}

static kith_status check_wishes(int32_t per_class, int32_t val, int32_t trial,
                                kith_error *err)
{
    if (per_class >= 1 && val >= 0 && trial >= 0)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "a split with %d nodes per class, %d for validation, "
                      "trial %d, expected at least 1, 0 and 0",
                      (int)per_class, (int)val, (int)trial);
}

kith_status kith_split_random(const kith_graph *graph,
                              const kith_labels *labels, int32_t per_class,
                              int32_t val, uint64_t seed, int32_t trial,
                              kith_split *out, kith_error *err)
{
    const draws d = {graph, seed};
    kith_status st = KITH_OK;
    const int32_t n = labels->nodes;
    uint8_t *part_of = NULL;
    kith_split s = {0};
    char name[64];

    *out = s;
    TRY(check_wishes(per_class, val, trial, err));
    TRY_NEW(part_of, kith__alloc(n, sizeof(*part_of)));
    for (int32_t v = 0; v < n; v++)
        part_of[v] = labels->of[v] >= 0 ? REST : OUTSIDE;
    TRY(draw_train(&d, labels, per_class, trial, part_of, err));
    TRY(draw_val(&d, labels, val, trial, part_of, err));
    TRY(list_part(part_of, n, FIRST, &s.train, &s.n_train, err));
    TRY(list_part(part_of, n, SECOND, &s.val, &s.n_val, err));
    TRY(list_part(part_of, n, REST, &s.test, &s.n_test, err));
    snprintf(name, sizeof(name), "seed-%" PRIu64 "-%d", seed, (int)trial);
    TRY_NEW(s.name, kith__copy_string(name, strlen(name)));
    kith__split_hash(&s, graph);
    *out = s;
    s = (kith_split){0};
out:
    kith_split_release(&s);
    kith__free(part_of);
    return st;
}

/* ---- a part held out ----------------------------------------------------- */

/* Rounded, but of two or more at least one is held and one kept. */
static int32_t held_size(int32_t size, double share)
{
    const int32_t held = (int32_t)(share * size + 0.5);

    if (size < 2)
        return 0;
    return held < 1 ? 1 : held > size - 1 ? size - 1 : held;
}

static kith_status draw_held(const draws *d, const kith_labels *labels,
                             double share, uint8_t *part_of, kith_error *err)
{
    kith_status st = KITH_OK;
    by_class g = {0};

    TRY(group(labels, part_of, &g, err));
    for (int32_t c = 0; c < labels->classes; c++) {
        const int32_t size = g.start[c + 1] - g.start[c];

        TRY(draw(d, HOLD_OUT, g.member + g.start[c], size,
                 held_size(size, share), part_of, FIRST, err));
    }
out:
    release(&g);
    return st;
}

/* Mark the nodes of a list as REST. */
static kith_status mark(const int32_t *nodes, int32_t n_nodes, int32_t n,
                        uint8_t *part_of, kith_error *err)
{
    for (int32_t i = 0; i < n_nodes; i++) {
        if (nodes[i] < 0 || nodes[i] >= n)
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "node %d to hold out, expected one of %d nodes",
                              (int)nodes[i], (int)n);
        part_of[nodes[i]] = REST;
    }
    return KITH_OK;
}

kith_status kith_hold_out(const kith_graph *graph, const kith_labels *labels,
                          const int32_t *nodes, int32_t n_nodes, double share,
                          uint64_t seed, int32_t **kept, int32_t *n_kept,
                          int32_t **held, int32_t *n_held, kith_error *err)
{
    const draws d = {graph, seed};
    kith_status st = KITH_OK;
    const int32_t n = labels->nodes;
    uint8_t *part_of = NULL;
    int32_t *others = NULL, n_others = 0;

    *kept = *held = NULL;
    *n_kept = *n_held = 0;
    if (!(share > 0 && share < 1))
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "share %g to hold out, expected one between 0 and 1",
                       share));
    TRY_NEW(part_of, kith__alloc_zeroed(n, sizeof(*part_of)));
    TRY(mark(nodes, n_nodes, n, part_of, err));
    TRY(draw_held(&d, labels, share, part_of, err));
    TRY(list_part(part_of, n, REST, &others, &n_others, err));
    TRY(list_part(part_of, n, FIRST, held, n_held, err));
    *kept = others;
    *n_kept = n_others;
    others = NULL;
out:
    kith__free(others);
    kith__free(part_of);
    return st;
}
