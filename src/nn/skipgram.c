#include "nn/skipgram.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/rng.h"

enum { BLOCKS = 8, NEGATIVES = 5, CHUNK = 4096, SIZE_MOST = 1024 };

typedef struct node_pair {
    int32_t i, j;
} node_pair;

typedef struct skipgram {
    const kith_graph *graph;
    const kith__walks *how;
    int threads;
    int32_t n;
    float *E, *context; /* n x size */
    double *below;      /* n + 1: sums of degree^3/4 */
    int32_t *walk;      /* CHUNK x length, -1 after the end */
    node_pair *pairs;   /* of a chunk, by blocks */
    int64_t capacity;
    int64_t begin[BLOCKS * BLOCKS + 1];
    uint64_t serial; /* of the chunk */
    float rate;
} skipgram;

static void release(skipgram *s)
{
    kith__free(s->context);
    kith__free(s->below);
    kith__free(s->walk);
    kith__free(s->pairs);
}

static kith_status prepare(skipgram *s, kith_error *err)
{
    const int64_t *rows = kith_graph_rows(s->graph);
    const int size = s->how->size;
    kith_status st = KITH_OK;

    TRY_NEW(s->context,
            kith__alloc_zeroed((int64_t)s->n * size, sizeof(float)));
    TRY_NEW(s->below, kith__alloc((int64_t)s->n + 1, sizeof(double)));
    TRY_NEW(s->walk,
            kith__alloc((int64_t)CHUNK * s->how->length, sizeof(int32_t)));
    s->below[0] = 0;
    for (int32_t u = 0; u < s->n; u++)
        s->below[u + 1] = s->below[u] +
                          pow((double)(rows[u + 1] - rows[u]) + .01, .75);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int32_t u = 0; u < s->n; u++) {
        kith__rng r = kith__rng_start((uint64_t)u, 101);

        for (int c = 0; c < size; c++)
            s->E[(int64_t)u * size + c] =
                (float)((kith__rng_real(&r) - .5) / size);
    }
out:
    return st;
}

static int block_of(const skipgram *s, int32_t u)
{
    return (int)((int64_t)u * BLOCKS / s->n);
}

static int32_t first_of(const skipgram *s, int b)
{
    return (int32_t)(((int64_t)b * s->n + BLOCKS - 1) / BLOCKS);
}

/* One step from u: a neighbour, all alike; -1 if there is none. */
static int32_t step_from(const skipgram *s, int32_t u, kith__rng *r)
{
    const int64_t *rows = kith_graph_rows(s->graph);
    const int64_t degree = rows[u + 1] - rows[u];

    if (degree == 0)
        return -1;
    return kith_graph_neighbours(
        s->graph)[rows[u] + (int64_t)kith__rng_below(r, (uint64_t)degree)];
}

/* Walks from nodes [from, to), in round `round`. */
static void walk_from(skipgram *s, int32_t from, int32_t to, int round)
{
    const int length = s->how->length;

#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int32_t u = from; u < to; u++) {
        kith__rng r = kith__rng_start((uint64_t)u, 200 + (uint64_t)round);
        int32_t *w = s->walk + (int64_t)(u - from) * length;

        w[0] = u;
        for (int k = 1; k < length; k++)
            w[k] = w[k - 1] < 0 ? -1 : step_from(s, w[k - 1], &r);
    }
}

/* Call for each pair of a walk: the window is 1 .. window, at random. */
#define FOR_PAIRS(s, w, serial, i, j, BODY)                                   \
    do {                                                                      \
        kith__rng r_ = kith__rng_start((serial), 300);                        \
        for (int a_ = 0; a_ < (s)->how->length && (w)[a_] >= 0; a_++) {       \
            const int reach_ =                                                \
                1 + (int)kith__rng_below(&r_, (uint64_t)(s)->how->window);    \
            const int first_ = a_ > reach_ ? a_ - reach_ : 0;                 \
            for (int b_ = first_; b_ <= a_ + reach_ && b_ < (s)->how->length; \
                 b_++) {                                                      \
                const int32_t i = (w)[a_], j = (w)[b_];                       \
                if (j < 0)                                                    \
                    break;                                                    \
                if (i == j)                                                   \
                    continue;                                                 \
                BODY;                                                         \
            }                                                                 \
        }                                                                     \
    } while (0)

/* The pairs of the walks, sorted by blocks. */
static kith_status sort_pairs(skipgram *s, int32_t walks, kith_error *err)
{
    int64_t place[BLOCKS * BLOCKS] = {0}, all = 0;
    const int length = s->how->length;

    for (int32_t k = 0; k < walks; k++) {
        const int32_t *w = s->walk + (int64_t)k * length;

        FOR_PAIRS(s, w, s->serial * CHUNK + (uint64_t)k, i, j,
                  place[block_of(s, i) * BLOCKS + block_of(s, j)]++);
    }
    for (int b = 0; b < BLOCKS * BLOCKS; b++) {
        const int64_t count = place[b];

        s->begin[b] = place[b] = all;
        all += count;
    }
    s->begin[BLOCKS * BLOCKS] = all;
    if (!kith__grow((void **)&s->pairs, &s->capacity, all + 1,
                    sizeof(*s->pairs)))
        return kith__no_memory(err);
    for (int32_t k = 0; k < walks; k++) {
        const int32_t *w = s->walk + (int64_t)k * length;

        FOR_PAIRS(s, w, s->serial * CHUNK + (uint64_t)k, i, j,
                  (s->pairs[place[block_of(s, i) * BLOCKS + block_of(s, j)]++] =
                       (node_pair){i, j}));
    }
    return KITH_OK;
}

/* A node of block b, by degree^3/4. */
static int32_t draw(const skipgram *s, int b, kith__rng *r)
{
    int32_t low = first_of(s, b), high = first_of(s, b + 1) - 1;
    const double x = s->below[low] +
                     kith__rng_real(r) * (s->below[high + 1] - s->below[low]);

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;

        if (s->below[middle + 1] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* One term: c moves by what e is, and de gathers what c was. */
static inline void pull(const float *e, float *restrict c, float *restrict de,
                        int size, float target, float rate)
{
    float x = 0, g;

#pragma omp simd reduction(+ : x)
    for (int k = 0; k < size; k++)
        x += e[k] * c[k];
    g = rate * (target - 1 / (1 + expf(-x)));
#pragma omp simd
    for (int k = 0; k < size; k++) {
        de[k] += g * c[k];
        c[k] += g * e[k];
    }
}

/* All pairs of one block, in their order. */
static void train_block(const skipgram *s, int b)
{
    const int size = s->how->size, to = b % BLOCKS;
    kith__rng r = kith__rng_start(s->serial * BLOCKS * BLOCKS + (uint64_t)b,
                                  400);

    for (int64_t p = s->begin[b]; p < s->begin[b + 1]; p++) {
        const node_pair at = s->pairs[p];
        float *e = s->E + (int64_t)at.i * size, de[SIZE_MOST];

        memset(de, 0, (size_t)size * sizeof(*de));
        pull(e, s->context + (int64_t)at.j * size, de, size, 1, s->rate);
        for (int k = 0; k < NEGATIVES; k++) {
            const int32_t other = draw(s, to, &r);

            if (other != at.j)
                pull(e, s->context + (int64_t)other * size, de, size, 0,
                     s->rate);
        }
        for (int k = 0; k < size; k++)
            e[k] += de[k];
    }
}

static void train_chunk(skipgram *s)
{
    for (int shift = 0; shift < BLOCKS; shift++)
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 1)
        for (int b = 0; b < BLOCKS; b++)
            train_block(s, b * BLOCKS + (b + shift) % BLOCKS);
    s->serial++;
}

/* One round of walks from all nodes. */
static kith_status train_round(skipgram *s, int round, kith_error *err)
{
    const int32_t n = s->n;
    kith_status st = KITH_OK;

    for (int64_t from = 0; from < n; from += CHUNK) {
        const int32_t to = (int32_t)(n - from < CHUNK ? n : from + CHUNK);

        walk_from(s, (int32_t)from, to, round);
        TRY(sort_pairs(s, to - (int32_t)from, err));
        train_chunk(s);
    }
out:
    return st;
}

kith_status kith__skipgram(const kith_graph *g, const kith__walks *how,
                           const kith_job *job, int threads, float *E,
                           kith_error *err)
{
    skipgram s = {.graph = g,
                  .how = how,
                  .threads = threads,
                  .n = kith_graph_nodes(g),
                  .E = E};
    kith_status st = KITH_OK;

    TRY(prepare(&s, err));
    for (int round = 0; round < how->walks; round++) {
        TRY(kith__progress(job, "walking", round, how->walks, "walks", err));
        s.rate = (float)(how->rate * (1 - .99 * round / how->walks));
        TRY(train_round(&s, round, err));
    }
out:
    release(&s);
    return st;
}
