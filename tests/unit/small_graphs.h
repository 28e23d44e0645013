/*
 * small_graphs.h: graphs small enough for the slow, literal way of things.
 */
#ifndef KITH_SMALL_GRAPHS_H
#define KITH_SMALL_GRAPHS_H

#include "check.h"
#include "core/rng.h"
#include "models/method.h"

enum { SMALL_MOST = 64 };

/* A random graph with n nodes and about `edges` edges, weighted or not; all
 * nodes 0 .. n-1 exist. */
static inline kith_graph *small_graph(int n, int edges, bool weighted,
                                      uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 1);
    char nodes[SMALL_MOST * 12], *text = malloc((size_t)edges * 40 + 1);
    kith_build_options o = {0};
    kith_graph *g = NULL;
    kith_error err;
    size_t at = 0;

    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(nodes + at, 12, "%d\n", i);
    at = 0;
    text[0] = '\0';
    for (int i = 0; i < edges; i++) {
        at += (size_t)snprintf(text + at, 40, "%d\t%d",
                               (int)kith__rng_below(&r, (uint64_t)n),
                               (int)kith__rng_below(&r, (uint64_t)n));
        at += weighted ? (size_t)snprintf(text + at, 20, "\t%.3f\n",
                                          0.1 + kith__rng_real(&r))
                       : (size_t)snprintf(text + at, 20, "\n");
    }
    o.nodes = check_file("small.nodes", nodes);
    CHECK_OK(
        kith_graph_read(check_file("small.tsv", text), &o, &g, NULL, &err));
    free(text);
    return g;
}

/* A task on it: node i is a training node of class i mod classes, i < train. */
typedef struct small_task {
    kith__task task;
    float *scale, *weights;
    int32_t nodes[SMALL_MOST], truth[SMALL_MOST];
} small_task;

static inline void small_task_new(small_task *s, const kith_graph *g,
                                  int classes, int train, int threads)
{
    for (int i = 0; i < train; i++) {
        s->nodes[i] = i;
        s->truth[i] = i % classes;
    }
    s->task = (kith__task){.graph = g,
                           .n = kith_graph_nodes(g),
                           .classes = classes,
                           .train = s->nodes,
                           .truth = s->truth,
                           .n_train = train,
                           .threads = threads};
    CHECK(kith__operator_start(g, threads, &s->task.W, &s->scale, &s->weights));
}

static inline void small_task_release(small_task *s)
{
    free(s->scale);
    free(s->weights);
}

/* W as a dense matrix. */
static inline void dense_weights(const kith__operator *W, double *out)
{
    memset(out, 0, (size_t)W->n * (size_t)W->n * sizeof(*out));
    for (int32_t u = 0; u < W->n; u++)
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
            out[u * W->n + W->neighbours[p]] = kith__operator_weight(W, u, p);
}

/* A step of k columns over all rows. */
static inline float apply_all(const kith__operator *W, const float *X, int k,
                              const float *H, const float *Q, float *Y)
{
    const kith__operator op = kith__coupled(W, k, H);

    return kith__operator_apply(&op, 0, op.n, X, Q, Y);
}

/* Random rows that are distributions. */
static inline void random_potentials(float *Q, int n, int classes,
                                     uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 2);

    for (int u = 0; u < n; u++) {
        double sum = 0, row[SMALL_MOST];

        for (int c = 0; c < classes; c++)
            sum += row[c] = 0.05 + kith__rng_real(&r);
        for (int c = 0; c < classes; c++)
            Q[u * classes + c] = (float)(row[c] / sum);
    }
}

#endif
