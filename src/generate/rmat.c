/*
 * rmat.c: recursive quadrants (Chakrabarti, Zhan, Faloutsos, SDM 2004), as in
 * Graph 500, with labels on top.
 *
 * At each of k levels an edge of 2^k nodes falls into one quadrant of the
 * adjacency matrix, with probabilities
 *
 *     a b      u's bit 0       In each level noise m, uniform in [-.1, .1],
 *     c d      u's bit 1       is added to b and c and taken from a and d in
 *                              proportion, which smooths the degrees
 *     (Seshadhri, Pinar, Kolda, J. ACM 60(2), 2013).
 *
 * The bits of u are drawn first (1 with probability c + d), then those of v
 * given u's (1 with probability b / (a + b) or d / (c + d)): the same law, and
 * v can be drawn again.  That is done while its class is not of the wished
 * kind, at most TRIES times; then v is uniform among the nodes of that kind.
 *
 * Ids are shuffled; repeats and u = v are left to the builder.
 */
#include <math.h>

#include "core/alloc.h"
#include "generate/edge_source.h"

enum { TRIES = 16 };

/* Probabilities of a 1, in units of 2^-32. */
typedef struct level {
    uint64_t u, v[2];
} level;

typedef struct rmat {
    int levels;
    level level[32];
    kith__permutation ids;
} rmat;

static uint64_t threshold(double part, double whole)
{
    return whole > 0 ? (uint64_t)(part / whole * 0x1p32) : 0;
}

static void plan_levels(rmat *m, const kith_generate_options *o)
{
    kith__rng rng = kith__rng_start(o->seed,
                                    kith__file_stream(KITH__FOR_NOISE, 0));
    const double a = o->rmat[0], b = o->rmat[1], c = o->rmat[2];
    const double d = fmax(0, 1 - a - b - c);
    const double most = fmin(.1, fmin(fmin(b, c), (a + d) / 2));

    for (int i = 0; i < m->levels; i++) {
        const double noise = (2 * kith__rng_real(&rng) - 1) * most;
        const double keep = a + d > 0 ? 1 - 2 * noise / (a + d) : 1;

        m->level[i].u = threshold(c + noise + d * keep, 1);
        m->level[i].v[0] = threshold(b + noise, a * keep + b + noise);
        m->level[i].v[1] = threshold(d * keep, c + noise + d * keep);
    }
}

/* 32 random bits, two at a time from one 64-bit number. */
typedef struct halves {
    kith__rng rng;
    uint64_t scratch;
    bool has_spare;
} halves;

static inline uint64_t next_half(halves *h)
{
    if (!h->has_spare)
        h->scratch = kith__rng_next(&h->rng);
    else
        h->scratch >>= 32;
    h->has_spare = !h->has_spare;
    return h->scratch & UINT32_MAX;
}

static uint32_t draw_u(const rmat *m, halves *random)
{
    uint32_t u = 0;

    for (int i = 0; i < m->levels; i++)
        u = u << 1 | (next_half(random) < m->level[i].u);
    return u;
}

static uint32_t draw_v(const rmat *m, uint32_t u, halves *random)
{
    uint32_t v = 0;

    for (int i = 0; i < m->levels; i++) {
        const uint32_t bit = u >> (m->levels - 1 - i) & 1;

        v = v << 1 | (next_half(random) < m->level[i].v[bit]);
    }
    return v;
}

/* The id of the other end of an edge that begins at `from`, id `u`. */
static uint32_t draw_partner(const rmat *m, const kith__label_plan *p,
                             uint32_t from, uint32_t u, halves *random)
{
    const int32_t c = p->labels.of[u];
    const bool same = kith__rng_real(&random->rng) < p->own[c];

    for (int tries = 0; tries < TRIES; tries++) {
        const uint32_t v = kith__permute(&m->ids, draw_v(m, from, random));

        if ((p->labels.of[v] == c) == same)
            return v;
    }
    return kith__permute_back(
        &p->places, (uint32_t)(same ? kith__place_within(p, c, &random->rng)
                                    : kith__place_outside(p, c, &random->rng)));
}

static void draw(const kith__edge_source *s, int64_t part, int thread,
                 uint32_t *ends)
{
    const kith__label_plan *p = s->plan;
    const rmat *m = s->model;
    const int64_t n = s->before(s, part + 1) - s->before(s, part);
    halves random = {.rng = kith__rng_start(
                         p->seed, kith__file_stream(KITH__FOR_EDGES, part))};

    (void)thread;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t from = draw_u(m, &random);
        const uint32_t u = kith__permute(&m->ids, from);

        ends[2 * i] = u;
        ends[2 * i + 1] = draw_partner(m, p, from, u, &random);
    }
}

static void release(kith__edge_source *s)
{
    kith__free(s->model);
    s->model = NULL;
}

kith_status kith__rmat_start(kith__edge_source *s, const kith__label_plan *plan,
                             const kith_generate_options *o, kith_error *err)
{
    rmat *m = kith__alloc_zeroed(1, sizeof(*m));

    if (!m)
        return kith__no_memory(err);
    m->levels = __builtin_ctz((unsigned)o->nodes);
    plan_levels(m, o);
    kith__permutation_init(&m->ids, (uint32_t)o->nodes, o->seed,
                           kith__file_stream(KITH__FOR_ARRIVAL, 0));
    *s = (kith__edge_source){.plan = plan,
                             .edges = o->edges,
                             .parts = kith__equal_parts(o->edges),
                             .model = m,
                             .before = kith__before_equal,
                             .draw = draw,
                             .release = release};
    return KITH_OK;
}
