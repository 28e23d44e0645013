/*
 * labels_plan.h: which node has which class, and how classes mix.
 *
 * All n nodes stand in a shuffled order; class c holds the places start[c] ..
 * start[c + 1] - 1 of it.  So class sizes are exact, members of a class are
 * found by number, and any first few of them are a random sample.
 */
#ifndef KITH_GENERATE_LABELS_PLAN_H
#define KITH_GENERATE_LABELS_PLAN_H

#include "core/status.h"
#include "generate/permutation.h"
#include "kith/generate.h"

/* What a random number is for: the high byte of its stream. */
enum {
    KITH__FOR_CLASSES = 1,
    KITH__FOR_ARRIVAL,
    KITH__FOR_EDGES,
    KITH__FOR_FEATURES,
    KITH__FOR_NOISE
};

static inline uint64_t kith__file_stream(int purpose, int64_t item)
{
    return (uint64_t)purpose << 56 | (uint64_t)item;
}

typedef struct kith__label_plan {
    int32_t nodes, classes;
    uint64_t seed;
    kith__permutation places; /* node -> place */
    int32_t *start;           /* classes + 1 */
    double *own;              /* see kith__mixing() */
    kith_labels labels;       /* every node, names "0", "1", ... */
} kith__label_plan;

/* From checked options. */
kith_status kith__label_plan_init(kith__label_plan *p,
                                  const kith_generate_options *o,
                                  kith_error *err);
void kith__label_plan_release(kith__label_plan *p);

/*
 * The probability own[c] that an edge drawn at a node of class c stays in the
 * class, so that a share h of all edges does and nodes of all classes have the
 * same expected degree; share[c] is the class's share of the nodes.
 */
void kith__mixing(const double *share, int32_t classes, double h, double *own);

/* The class that holds a place. */
static inline int32_t kith__class_at(const kith__label_plan *p, int32_t place)
{
    int32_t low = 0, high = p->classes - 1;

    while (low < high) {
        const int32_t middle = (low + high + 1) / 2;

        if (p->start[middle] <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static inline int32_t kith__class_size(const kith__label_plan *p, int32_t c)
{
    return p->start[c + 1] - p->start[c];
}

/* A uniform place in class c, or in any of the others. */
static inline int32_t kith__place_within(const kith__label_plan *p, int32_t c,
                                         kith__rng *rng)
{
    const uint64_t size = (uint64_t)kith__class_size(p, c);

    return p->start[c] + (int32_t)kith__rng_below(rng, size);
}

static inline int32_t kith__place_outside(const kith__label_plan *p, int32_t c,
                                          kith__rng *rng)
{
    const int32_t size = kith__class_size(p, c);
    const int32_t place = (int32_t)kith__rng_below(rng,
                                                   (uint64_t)(p->nodes - size));

    return place < p->start[c] ? place : place + size;
}

#endif
