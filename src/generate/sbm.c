/*
 * sbm.c: a stochastic block model.
 *
 *     u uniform in all nodes, c its class
 *     v uniform in c with probability own_c, else uniform in the other classes
 *
 * With K classes alike own_c = h, and the probability of an edge is
 * proportional to  h K  within a class and  (1 - h) K / (K - 1)  between two.
 * Edges are drawn with replacement: repeats and u = v are left to the builder.
 */
#include "generate/edge_source.h"

static void draw(const kith__edge_source *s, int64_t part, int thread,
                 uint32_t *ends)
{
    const kith__label_plan *p = s->plan;
    const int64_t n = s->before(s, part + 1) - s->before(s, part);
    kith__rng rng = kith__rng_start(p->seed,
                                    kith__file_stream(KITH__FOR_EDGES, part));

    (void)thread;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t u = kith__rng_below(&rng, (uint64_t)p->nodes);
        const int32_t c = kith__class_at(p, (int32_t)u);
        const int32_t v = kith__rng_real(&rng) < p->own[c]
                              ? kith__place_within(p, c, &rng)
                              : kith__place_outside(p, c, &rng);

        ends[2 * i] = kith__permute_back(&p->places, (uint32_t)u);
        ends[2 * i + 1] = kith__permute_back(&p->places, (uint32_t)v);
    }
}

static void release(kith__edge_source *s)
{
    (void)s;
}

kith_status kith__sbm_start(kith__edge_source *s, const kith__label_plan *plan,
                            const kith_generate_options *o, kith_error *err)
{
    (void)err;
    *s = (kith__edge_source){.plan = plan,
                             .edges = o->edges,
                             .parts = kith__equal_parts(o->edges),
                             .before = kith__before_equal,
                             .draw = draw,
                             .release = release};
    return KITH_OK;
}
