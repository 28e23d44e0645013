/*
 * edge_source.h: what a model of random graphs offers to the driver.
 *
 * The edges come in parts that are drawn independently of each other, each
 * from its own random numbers, so any thread may draw any part.  How many
 * edges come before a part is known without drawing them.
 */
#ifndef KITH_GENERATE_EDGE_SOURCE_H
#define KITH_GENERATE_EDGE_SOURCE_H

#include "generate/labels_plan.h"

typedef struct kith__edge_source kith__edge_source;

struct kith__edge_source {
    const kith__label_plan *plan;
    int64_t edges, parts;
    void *model;

    /* Edges in all parts before this one; part == parts gives all. */
    int64_t (*before)(const kith__edge_source *s, int64_t part);

    /* Draw a part: ends u, v, u, v, ...; thread < the number given to start. */
    void (*draw)(const kith__edge_source *s, int64_t part, int thread,
                 uint32_t *ends);

    void (*release)(kith__edge_source *s);
};

/* Set up a model from checked options.  On failure nothing is held. */
kith_status kith__sbm_start(kith__edge_source *s, const kith__label_plan *plan,
                            const kith_generate_options *o, kith_error *err);
kith_status kith__rmat_start(kith__edge_source *s, const kith__label_plan *plan,
                             const kith_generate_options *o, kith_error *err);
kith_status kith__powerlaw_start(kith__edge_source *s,
                                 const kith__label_plan *plan,
                                 const kith_generate_options *o,
                                 kith_error *err);

/* Parts of equal size, for models that draw edge by edge. */
enum { KITH__PART_EDGES = 1 << 14 };

static inline int64_t kith__equal_parts(int64_t edges)
{
    return edges / KITH__PART_EDGES + (edges % KITH__PART_EDGES != 0);
}

static inline int64_t kith__before_equal(const kith__edge_source *s,
                                         int64_t part)
{
    return part < s->parts ? part * KITH__PART_EDGES : s->edges;
}

#endif
