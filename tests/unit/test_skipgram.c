/*
 * test_skipgram.c: vectors of nodes against plain loops in double: the walks,
 * then for each block of rows and columns, in order, its pairs of the walks.
 */
#include <math.h>

#include "nn/alias.h"
#include "nn/skipgram.h"
#include "small_graphs.h"

enum { BLOCKS = 8, CHUNK = 4096, NEGATIVES = 5 };

typedef struct twin {
    const kith_graph *g;
    const kith__walks *how;
    int n, size;
    double *E, *context;
    kith__alias *share;
    int *walk; /* of all nodes, -1 after the end */
    uint64_t serial;
    double rate;
} twin;

/* Block b has the nodes u with 8 u / n = b, rounded down. */
static int first_of(const twin *t, int b)
{
    int u = 0;

    while (u < t->n && (int64_t)u * BLOCKS / t->n < b)
        u++;
    return u;
}

static void start_twin(twin *t)
{
    const int64_t *rows = kith_graph_rows(t->g);
    double *w = malloc(sizeof(double) * (size_t)t->n);
    int32_t *queue = malloc(sizeof(int32_t) * (size_t)t->n);

    for (int u = 0; u < t->n; u++) {
        kith__rng r = kith__rng_start((uint64_t)u, 101);

        w[u] = pow((double)(rows[u + 1] - rows[u]) + .01, .75);
        for (int c = 0; c < t->size; c++)
            t->E[u * t->size + c] = (kith__rng_real(&r) - .5) / t->size;
    }
    for (int b = 0; b < BLOCKS; b++) {
        const int first = first_of(t, b);

        kith__alias_fill(w + first, first_of(t, b + 1) - first, queue,
                         t->share + first);
    }
    free(w);
    free(queue);
}

static void walk_all(twin *t, int round)
{
    const int64_t *rows = kith_graph_rows(t->g);
    const int length = t->how->length;

    for (int u = 0; u < t->n; u++) {
        kith__rng r = kith__rng_start((uint64_t)u, 200 + (uint64_t)round);
        int at = u;

        for (int k = 0; k < length; k++) {
            const int64_t degree = at < 0 ? 0 : rows[at + 1] - rows[at];

            t->walk[u * length + k] = at;
            if (k < length - 1 && degree > 0)
                at = kith_graph_neighbours(
                    t->g)[rows[at] +
                          (int64_t)kith__rng_below(&r, (uint64_t)degree)];
            else
                at = -1;
        }
    }
}

/* e_i and the contexts of j and of what is drawn beside it. */
static void learn(twin *t, int i, int j, const int *drawn)
{
    double *e = t->E + i * t->size, *c[1 + NEGATIVES], g[1 + NEGATIVES];
    int terms = 0;

    for (int k = 0; k <= NEGATIVES; k++) {
        const int other = k == 0 ? j : drawn[k - 1];

        if (k == 0 || other != j)
            c[terms++] = t->context + other * t->size;
    }
    for (int k = 0; k < terms; k++) {
        double x = 0;

        for (int l = 0; l < t->size; l++)
            x += e[l] * c[k][l];
        g[k] = t->rate * ((k == 0) - 1 / (1 + exp(-x)));
    }
    for (int l = 0; l < t->size; l++) {
        const double was = e[l];

        for (int k = 0; k < terms; k++) {
            e[l] += g[k] * c[k][l];
            c[k][l] += g[k] * was;
        }
    }
}

/* The pairs of a chunk's walks, in order; how many there are. */
static int list_pairs(const twin *t, int from, int to, int (*pair)[2])
{
    const int length = t->how->length;
    int n = 0;

    for (int u = from; u < to; u++) {
        const int *w = t->walk + u * length;
        kith__rng r = kith__rng_start(t->serial * CHUNK + (uint64_t)(u - from),
                                      300);

        for (int a = 0; a < length && w[a] >= 0; a++) {
            const int reach =
                1 + (int)kith__rng_below(&r, (uint64_t)t->how->window);

            for (int b = 0; b < length; b++)
                if (w[b] >= 0 && w[a] != w[b] && abs(a - b) <= reach) {
                    pair[n][0] = w[a];
                    pair[n++][1] = w[b];
                }
        }
    }
    return n;
}

/* Those of nodes in blocks `row` and `column`. */
static void learn_block(twin *t, int (*pair)[2], int n, int row, int column)
{
    const int first = first_of(t, column);
    const int count = first_of(t, column + 1) - first;
    kith__rng r = kith__rng_start(
        t->serial * BLOCKS * BLOCKS + (uint64_t)(row * BLOCKS + column), 400);

    for (int p = 0; p < n; p++) {
        int drawn[NEGATIVES];

        if ((int64_t)pair[p][0] * BLOCKS / t->n != row ||
            (int64_t)pair[p][1] * BLOCKS / t->n != column)
            continue;
        for (int k = 0; k < NEGATIVES; k++)
            drawn[k] = first + kith__alias_draw(t->share + first, count, &r);
        learn(t, pair[p][0], pair[p][1], drawn);
    }
}

static void learn_chunk(twin *t, int from, int to)
{
    const int length = t->how->length;
    int(*pair)[2] =
        malloc(sizeof(*pair) * (size_t)((to - from) * length * length));
    const int n = list_pairs(t, from, to, pair);

    for (int shift = 0; shift < BLOCKS; shift++)
        for (int b = 0; b < BLOCKS; b++)
            learn_block(t, pair, n, b, (b + shift) % BLOCKS);
    t->serial++;
    free(pair);
}

static void literal(twin *t)
{
    start_twin(t);
    for (int round = 0; round < t->how->walks; round++) {
        t->rate = t->how->rate * (1 - .99 * round / t->how->walks);
        walk_all(t, round);
        for (int from = 0; from < t->n; from += CHUNK)
            learn_chunk(t, from, from + CHUNK < t->n ? from + CHUNK : t->n);
    }
}

static void check_vectors(const kith_graph *g, const kith__walks *how)
{
    const int n = kith_graph_nodes(g), cells = n * how->size;
    twin t = {.g = g, .how = how, .n = n, .size = how->size};
    float *E = malloc(sizeof(float) * (size_t)cells);
    double apart = 0, largest = 0;
    kith_error err;

    t.E = malloc(sizeof(double) * (size_t)cells);
    t.context = calloc((size_t)cells, sizeof(double));
    t.share = malloc(sizeof(kith__alias) * (size_t)n);
    t.walk = malloc(sizeof(int) * (size_t)(n * how->length));
    CHECK_OK(kith__skipgram(g, how, NULL, 2, E, &err));
    literal(&t);
    for (int i = 0; i < cells; i++) {
        apart = fmax(apart, fabs((double)E[i] - t.E[i]));
        largest = fmax(largest, fabs(t.E[i]));
    }
    if (!(apart < 1e-5 * largest))
        check_failed(__FILE__, __LINE__, "%d nodes: %g apart, of %g", n, apart,
                     largest);
    free(E);
    free(t.E);
    free(t.context);
    free(t.share);
    free(t.walk);
}

/* With isolated nodes; with fewer nodes than there are blocks. */
TEST(vectors_equal_plain_loops)
{
    const kith__walks few = {8, 3, 6, 2, .4}, more = {24, 4, 9, 5, .3};
    kith_graph *five = small_graph(5, 5, false, 2),
               *thirty = small_graph(30, 40, false, 3);

    check_vectors(five, &few);
    check_vectors(thirty, &more);
    kith_graph_free(five);
    kith_graph_free(thirty);
}

/* Walks of more than 4096 nodes are learnt in two portions. */
TEST(vectors_of_more_nodes_than_a_portion_equal_plain_loops)
{
    enum { MANY = CHUNK + 60 };
    const kith__walks how = {8, 2, 3, 2, .4};
    char *text = malloc(MANY * 24);
    size_t at = 0;
    kith_graph *g = NULL;
    kith_error err;

    for (int u = 0; u < MANY; u++)
        at += (size_t)snprintf(text + at, 24, "%d\t%d\n", u,
                               (u * 7 + 1) % MANY);
    CHECK_OK(
        kith_graph_read(check_file("many.tsv", text), NULL, &g, NULL, &err));
    CHECK_INT(kith_graph_nodes(g), MANY);
    check_vectors(g, &how);
    kith_graph_free(g);
    free(text);
}
