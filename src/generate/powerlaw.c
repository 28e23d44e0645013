/*
 * powerlaw.c: a growth model with exactly m edges and a power-law tail.
 *
 * Nodes arrive one after the other; node t = 0 .. n - 1 attaches to k_t
 * different earlier ones.  So there are no self-loops and no repeats, and with
 * k_t >= 1 for t > 0 the graph is connected.
 *
 * How many.  Let k be the largest number with  sum_t min(t, k) <= m,  and
 * r < n - 1 - k what is then left of m.  The first k + 1 nodes are all joined;
 * every later one attaches to k nodes, and r of them, evenly spread, to one
 * more.  The edges before node t > k are
 *
 *     E(t) = k (k + 1) / 2 + j k + floor(j r / (n - 1 - k)),    j = t - k - 1.
 *
 * To whom.  The class is drawn as kith__mixing() says, then the rank x among
 * the N nodes of that class so far, in order of arrival, from the density
 *
 *     f(x) ~ (x + 1)^-s  on [0, N),    s = 1 / (exponent - 1) < 1,
 *     x = (1 + u ((N + 1)^(1-s) - 1))^(1/(1-s)) - 1,    u uniform in [0, 1).
 *
 * Summed over later arrivals, rank x gets about  k (1-s)/s ((N/x)^s - 1)
 * edges: a degree d has  x ~ N d^(-1/s)  nodes above it, which is a density
 * d^-(1 + 1/s) = d^-exponent.
 *
 * A node drawn twice is drawn again; where that does not help, the next unused
 * arrival from a random one on is taken.
 *
 * Memory: 4 bytes a node for `members`, and the class counts at the start of
 * each part.  Cost: one pow and about one cache miss an edge.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/job.h"
#include "generate/edge_source.h"

enum { TRIES = 6, TRIES_PER_CLASS = 8, MOST_PART_NODES = 4096, AHEAD = 64 };

static const uint32_t NOWHERE = UINT32_MAX;

/* What a thread needs to draw a part. */
typedef struct scratch {
    int32_t *count; /* per class: nodes that arrived before t */
    double *reach;  /* per class: (count + 1)^(1-s) - 1 */
    uint32_t *seen; /* set of partners of t, as id + 1; 0 = free */
} scratch;

typedef struct powerlaw {
    int32_t n;
    int64_t k, left;       /* k and r above */
    double power, inverse; /* 1 - s, 1 / (1 - s) */
    kith__permutation ids; /* arrival -> id */
    int32_t *members;      /* ids of each class by arrival, from start[c] on */
    int32_t part_nodes;
    int32_t *counts; /* parts x classes: arrived before the part */
    int set_bits;
    int threads;
    scratch *scratch;
} powerlaw;

/* ---- how many edges ------------------------------------------------------ */

/* sum over t < n of min(t, k), for 0 <= k < n */
static int64_t edges_with(int64_t n, int64_t k)
{
    return k * (k + 1) / 2 + (n - 1 - k) * k;
}

static void plan_edges(powerlaw *m, int64_t n, int64_t edges)
{
    int64_t low = 0, high = n - 1;

    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;

        if (edges_with(n, middle) <= edges)
            low = middle;
        else
            high = middle - 1;
    }
    m->k = low;
    m->left = edges - edges_with(n, low);
}

/* E(t) */
static int64_t edges_before(const powerlaw *m, int64_t t)
{
    const int64_t k = m->k, j = t - k - 1;

    if (t <= k + 1)
        return t * (t - 1) / 2;
    /* j r < n^2 < 2^62 */
    return k * (k + 1) / 2 + j * k + j * m->left / (m->n - 1 - k);
}

static int64_t first_of_part(const kith__edge_source *s, int64_t part)
{
    const powerlaw *m = s->model;

    return part < s->parts ? part * m->part_nodes : m->n;
}

static int64_t before(const kith__edge_source *s, int64_t part)
{
    return edges_before(s->model, first_of_part(s, part));
}

/* ---- to whom ------------------------------------------------------------- */

static inline bool add_seen(const powerlaw *m, uint32_t *seen, uint32_t id)
{
    const uint32_t mask = (1u << m->set_bits) - 1;
    uint32_t at = id * 2654435769u >> (32 - m->set_bits);

    for (; seen[at]; at = (at + 1) & mask)
        if (seen[at] == id + 1)
            return false;
    seen[at] = id + 1;
    return true;
}

static inline int32_t draw_class(const kith__label_plan *p, int32_t c,
                                 kith__rng *rng)
{
    if (kith__rng_real(rng) < p->own[c])
        return c;
    return kith__class_at(p, kith__place_outside(p, c, rng));
}

static inline int32_t draw_rank(const powerlaw *m, const scratch *w, int32_t c,
                                kith__rng *rng)
{
    const double x = pow(1 + kith__rng_real(rng) * w->reach[c], m->inverse) - 1;
    const int32_t last = w->count[c] - 1;

    return x < last ? (int32_t)x : last; /* rounding may reach N */
}

/* Any earlier node not attached to yet: there is one, as k_t < t. */
static uint32_t next_unused(const powerlaw *m, scratch *w, uint32_t t,
                            kith__rng *rng)
{
    uint32_t arrival = (uint32_t)kith__rng_below(rng, t), id;

    do {
        arrival = arrival + 1 < t ? arrival + 1 : 0;
        id = kith__permute(&m->ids, arrival);
    } while (!add_seen(m, w->seen, id));
    return id;
}

/* An unused node of class d, in a few tries. */
static bool draw_within(const powerlaw *m, const kith__label_plan *p,
                        scratch *w, int32_t d, kith__rng *rng, uint32_t *id)
{
    for (int i = 0; i < TRIES_PER_CLASS && w->count[d] > 0; i++) {
        *id = (uint32_t)m->members[p->start[d] + draw_rank(m, w, d, rng)];
        if (add_seen(m, w->seen, *id))
            return true;
    }
    return false;
}

static uint32_t draw_again(const powerlaw *m, const kith__label_plan *p,
                           scratch *w, uint32_t t, int32_t c, kith__rng *rng)
{
    uint32_t id;

    for (int tries = 0; tries < TRIES; tries++)
        if (draw_within(m, p, w, draw_class(p, c, rng), rng, &id))
            return id;
    return next_unused(m, w, t, rng);
}

/*
 * The k partners of node t, class c, to to[0], to[2], ...  First all are drawn
 * as places in `members`, which are fetched ahead; then they are read, and
 * those that repeat are drawn again, if possible in the same class.
 */
static void draw_partners(const powerlaw *m, const kith__label_plan *p,
                          scratch *w, uint32_t t, int32_t c, int64_t k,
                          uint32_t *to)
{
    kith__rng rng = kith__rng_start(p->seed,
                                    kith__file_stream(KITH__FOR_EDGES, t));

    for (int64_t i = 0; i < k; i++) {
        const int32_t d = draw_class(p, c, &rng);

        to[2 * i] = NOWHERE;
        if (w->count[d] == 0)
            continue;
        to[2 * i] = (uint32_t)(p->start[d] + draw_rank(m, w, d, &rng));
        __builtin_prefetch(&m->members[to[2 * i]]);
    }
    memset(w->seen, 0, sizeof(*w->seen) << m->set_bits);
    for (int64_t i = 0; i < k; i++) {
        const uint32_t place = to[2 * i];

        if (place != NOWHERE) {
            to[2 * i] = (uint32_t)m->members[place];
            if (add_seen(m, w->seen, to[2 * i]) ||
                draw_within(m, p, w, kith__class_at(p, (int32_t)place), &rng,
                            &to[2 * i]))
                continue;
        }
        to[2 * i] = draw_again(m, p, w, t, c, &rng);
    }
}

/* The first k + 1 nodes are joined to all before them. */
static void join_all(const powerlaw *m, uint32_t t, uint32_t *to)
{
    for (uint32_t arrival = 0; arrival < t; arrival++)
        to[2 * (int64_t)arrival] = kith__permute(&m->ids, arrival);
}

static void set_count(const powerlaw *m, scratch *w, int32_t c, int32_t count)
{
    w->count[c] = count;
    w->reach[c] = pow((double)count + 1, m->power) - 1;
}

static void draw(const kith__edge_source *s, int64_t part, int thread,
                 uint32_t *ends)
{
    const kith__label_plan *p = s->plan;
    const powerlaw *m = s->model;
    const int64_t end = first_of_part(s, part + 1);
    scratch *w = &m->scratch[thread];

    for (int32_t c = 0; c < p->classes; c++)
        set_count(m, w, c, m->counts[part * p->classes + c]);
    for (int64_t t = first_of_part(s, part); t < end; t++) {
        const uint32_t id = kith__permute(&m->ids, (uint32_t)t);
        const int32_t c = p->labels.of[id];
        const int64_t k = edges_before(m, t + 1) - edges_before(m, t);

        if (k == t)
            join_all(m, (uint32_t)t, ends + 1);
        else
            draw_partners(m, p, w, (uint32_t)t, c, k, ends + 1);
        for (int64_t i = 0; i < k; i++, ends += 2)
            ends[0] = id;
        set_count(m, w, c, w->count[c] + 1);
    }
}

/* ---- setting up ---------------------------------------------------------- */

/* Append nodes first .. end - 1 to the lists of their classes, whose lengths
 * are in count.  Labels lie at random places: fetched a few dozen ahead. */
static void list_part(powerlaw *m, const kith__label_plan *p, int64_t first,
                      int64_t end, int32_t *count)
{
    uint32_t id[AHEAD];

    while (first < end) {
        const int n = end - first < AHEAD ? (int)(end - first) : AHEAD;

        for (int i = 0; i < n; i++) {
            id[i] = kith__permute(&m->ids, (uint32_t)(first + i));
            __builtin_prefetch(&p->labels.of[id[i]]);
        }
        for (int i = 0; i < n; i++) {
            const int32_t c = p->labels.of[id[i]];

            m->members[p->start[c] + count[c]++] = (int32_t)id[i];
        }
        first += n;
    }
}

/* Ids of each class by arrival, and how many arrived before each part. */
static kith_status list_members(const kith__edge_source *s, kith_error *err)
{
    const kith__label_plan *p = s->plan;
    powerlaw *m = s->model;
    kith_status st = KITH_OK;
    int32_t *count = NULL;

    TRY_NEW(count, kith__alloc_zeroed(p->classes, sizeof(*count)));
    for (int64_t part = 0; part < s->parts; part++) {
        memcpy(m->counts + part * p->classes, count,
               (size_t)p->classes * sizeof(*count));
        list_part(m, p, first_of_part(s, part), first_of_part(s, part + 1),
                  count);
    }
out:
    kith__free(count);
    return st;
}

/* A set of at most k + 1 ids, half full. */
static int bits_for(int64_t k)
{
    int bits = 4;

    while (bits < 31 && ((int64_t)1 << bits) < 2 * (k + 1))
        bits++;
    return bits;
}

static kith_status reserve_scratch(powerlaw *m, int32_t classes,
                                   kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(m->scratch, kith__alloc_zeroed(m->threads, sizeof(*m->scratch)));
    for (int t = 0; t < m->threads; t++) {
        scratch *w = &m->scratch[t];

        TRY_NEW(w->count, kith__alloc(classes, sizeof(*w->count)));
        TRY_NEW(w->reach, kith__alloc(classes, sizeof(*w->reach)));
        TRY_NEW(w->seen,
                kith__alloc((int64_t)1 << m->set_bits, sizeof(*w->seen)));
    }
out:
    return st;
}

static void release(kith__edge_source *s)
{
    powerlaw *m = s->model;

    if (!m)
        return;
    for (int t = 0; m->scratch && t < m->threads; t++) {
        kith__free(m->scratch[t].count);
        kith__free(m->scratch[t].reach);
        kith__free(m->scratch[t].seen);
    }
    kith__free(m->scratch);
    kith__free(m->members);
    kith__free(m->counts);
    kith__free(m);
    s->model = NULL;
}

/* Nodes in a part: about 2^17 edges, so that a round has many parts. */
static int32_t nodes_in_part(int64_t k)
{
    const int64_t wish = (1 << 17) / (k + 1);

    return wish < 1                 ? 1
           : wish > MOST_PART_NODES ? MOST_PART_NODES
                                    : (int32_t)wish;
}

kith_status kith__powerlaw_start(kith__edge_source *s,
                                 const kith__label_plan *plan,
                                 const kith_generate_options *o,
                                 kith_error *err)
{
    kith_status st = KITH_OK;
    powerlaw *m = NULL;

    *s = (kith__edge_source){.plan = plan,
                             .edges = o->edges,
                             .before = before,
                             .draw = draw,
                             .release = release};
    TRY_NEW(m, kith__alloc_zeroed(1, sizeof(*m)));
    s->model = m;
    m->n = o->nodes;
    plan_edges(m, o->nodes, o->edges);
    m->power = 1 - 1 / (o->exponent - 1);
    m->inverse = 1 / m->power;
    kith__permutation_init(&m->ids, (uint32_t)o->nodes, o->seed,
                           kith__file_stream(KITH__FOR_ARRIVAL, 0));
    m->part_nodes = nodes_in_part(m->k);
    s->parts = ((int64_t)o->nodes + m->part_nodes - 1) / m->part_nodes;
    m->set_bits = bits_for(m->k);
    m->threads = kith__threads(&o->job);
    TRY(reserve_scratch(m, o->classes, err));
    TRY_NEW(m->members, kith__alloc(o->nodes, sizeof(*m->members)));
    TRY_NEW(m->counts, kith__alloc(s->parts * o->classes, sizeof(*m->counts)));
    TRY(list_members(s, err));
out:
    if (st != KITH_OK)
        release(s);
    return st;
}
