#include "nn/skipgram.h"

#include <math.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/rng.h"
#include "kernels/simd.h"
#include "nn/alias.h"

enum { BLOCKS = 8, NEGATIVES = 5, TERMS = 1 + NEGATIVES, CHUNK = 4096 };

/* Eight floats; the size of a vector is a multiple of it. */
enum { LANES = 8 };
typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));

#define v8_load(x)     (*(const v8 *)(x))
#define v8_store(x, v) (*(v8 *)(x) = (v))

typedef struct node_pair {
    int32_t i, j;
} node_pair;

typedef struct skipgram {
    const kith_graph *graph;
    const kith__walks *how;
    int threads;
    int32_t n;
    float *E, *context; /* n x size */
    kith__alias *share; /* n, of each block */
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
    kith__free(s->share);
    kith__free(s->walk);
    kith__free(s->pairs);
}

static int block_of(const skipgram *s, int32_t u)
{
    return (int)((int64_t)u * BLOCKS / s->n);
}

static int32_t first_of(const skipgram *s, int b)
{
    return (int32_t)(((int64_t)b * s->n + BLOCKS - 1) / BLOCKS);
}

static kith_status share_out(skipgram *s, kith_error *err)
{
    const int64_t *rows = kith_graph_rows(s->graph);
    kith_status st = KITH_OK;
    int32_t *queue = NULL;
    double *w = NULL;

    TRY_NEW(s->share, kith__alloc(s->n, sizeof(*s->share)));
    TRY_NEW(queue, kith__alloc(s->n, sizeof(*queue)));
    TRY_NEW(w, kith__alloc(s->n, sizeof(*w)));
    for (int32_t u = 0; u < s->n; u++)
        w[u] = pow((double)(rows[u + 1] - rows[u]) + .01, .75);
    for (int b = 0; b < BLOCKS; b++) {
        const int32_t first = first_of(s, b);

        kith__alias_fill(w + first, first_of(s, b + 1) - first, queue,
                         s->share + first);
    }
out:
    kith__free(queue);
    kith__free(w);
    return st;
}

static kith_status prepare(skipgram *s, kith_error *err)
{
    const int size = s->how->size;
    kith_status st = KITH_OK;

    TRY_NEW(s->context,
            kith__alloc_zeroed((int64_t)s->n * size, sizeof(float)));
    TRY_NEW(s->walk,
            kith__alloc((int64_t)CHUNK * s->how->length, sizeof(int32_t)));
    TRY(share_out(s, err));
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
    const int32_t first = first_of(s, b), count = first_of(s, b + 1) - first;

    return first + kith__alias_draw(s->share + first, count, r);
}

/*
 * One pair and its negatives: with g_k = rate (target - s(e . c_k)),
 *
 *     e += sum_k g_k c_k,    c_k += g_k e
 *
 * 2 x 4 size bytes read and written per term; all terms at once, since each
 * alone would wait for its row and for its sum.
 */
KITH__ALWAYS_INLINE void pull(float *restrict e, float *const *c, int terms,
                              int size, float rate)
{
    v8 sum[TERMS] = {{0}};
    float g[TERMS];

    for (int i = 0; i < size; i += LANES)
        for (int k = 0; k < terms; k++)
            sum[k] += v8_load(e + i) * v8_load(c[k] + i);
    for (int k = 0; k < terms; k++) {
        float x = 0;

        for (int l = 0; l < LANES; l++)
            x += sum[k][l];
        g[k] = rate * ((float)(k == 0) - 1 / (1 + expf(-x)));
    }
    for (int i = 0; i < size; i += LANES) {
        const v8 was = v8_load(e + i);
        v8 now = was;

        for (int k = 0; k < terms; k++) {
            const v8 row = v8_load(c[k] + i);

            now += g[k] * row;
            v8_store(c[k] + i, row + g[k] * was);
        }
        v8_store(e + i, now);
    }
}

/* All pairs of one block, in their order. */
KITH__ALWAYS_INLINE void train_pairs(const skipgram *s, int b)
{
    const int to = b % BLOCKS, size = s->how->size;
    kith__rng r = kith__rng_start(s->serial * BLOCKS * BLOCKS + (uint64_t)b,
                                  400);

    for (int64_t p = s->begin[b]; p < s->begin[b + 1]; p++) {
        const node_pair at = s->pairs[p];
        float *c[TERMS] = {s->context + (int64_t)at.j * size};
        int terms = 1;

        for (int k = 0; k < NEGATIVES; k++) {
            const int32_t other = draw(s, to, &r);

            if (other != at.j)
                c[terms++] = s->context + (int64_t)other * size;
        }
        if (terms == TERMS) /* all but always: its loops unroll */
            pull(s->E + (int64_t)at.i * size, c, TERMS, size, s->rate);
        else
            pull(s->E + (int64_t)at.i * size, c, terms, size, s->rate);
    }
}

static void train_portable(const skipgram *s, int b)
{
    train_pairs(s, b);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void train_avx2(const skipgram *s, int b)
{
    train_pairs(s, b);
}
#endif

/* Both do the same in the same order, without fused products. */
static void train_block(const skipgram *s, int b)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        train_avx2(s, b);
        return;
    }
#endif
    train_portable(s, b);
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
