/*
 * net.h: a network on the nodes of a graph.  A type declares its weights and
 * rooms (matrices for its own use) and gives a forward and a backward pass;
 * everything else is the same for all: see models/baselines/net_method.h for
 * training.
 *
 *     forward:   net->Z (n x classes) from the inputs and the weights
 *     backward:  every weight's gradient from net->dZ, after forward
 */
#ifndef KITH_NN_NET_H
#define KITH_NN_NET_H

#include "nn/inputs.h"
#include "nn/layers.h"
#include "nn/smoother.h"

/* Numbers that are chosen, not learnt. */
typedef struct kith__net_settings {
    int hidden;
    int heads;      /* of attention */
    int hops;       /* of propagation; the polynomial's degree */
    int layers;     /* of a residual network; 0: the type's own shape */
    bool shared;    /* sage: one matrix for a node and its neighbours */
    double alpha;   /* weight of a node's own prediction, or of a penalty */
    double dropout; /* [0, 1) */
    double rate;    /* Adam's */
    double decay;   /* L2 penalty of the weights that have one */
} kith__net_settings;

typedef struct kith__weights {
    const char *name; /* b... if they are biases, which start at 0 */
    int64_t rows, columns;
    bool decays;
    bool fixed; /* set before training, not by it: there is no gradient */
    float *value, *gradient, *m, *v; /* the last two are Adam's */
} kith__weights;

enum { KITH__NET_WEIGHTS = 32, KITH__NET_ROOMS = 32 };

struct kith__net;

typedef struct kith__net_type {
    const char *name;
    bool self_loops; /* of net->A */
    bool linear;     /* so weights start at 0: nothing breaks a tie later */
    int grid;        /* settings that are tried, the first without tuning */
    const kith__net_settings *settings;
    kith_status (*build)(struct kith__net *net, kith_error *err);
    /* set fixed weights, before training; NULL if there are none.  They belong
     * to the nodes of this graph; `vectors` are the first of them that a model
     * of the same type learnt on the same graph, or NULL */
    kith_status (*prepare)(struct kith__net *net, const float *vectors,
                           const kith_job *job, kith_error *err);
    void (*forward)(struct kith__net *net);
    void (*backward)(struct kith__net *net);
    /* how a residual network of this type gathers from neighbours, which
     * settings with `layers` ask for; NULL: there is none */
    const struct kith__gather *gather;
    /* what it adds to the loss, of a training pass; NULL: nothing.  Training
     * needs its gradient alone, so this is for who checks that. */
    double (*penalty)(const struct kith__net *net);
} kith__net_type;

typedef struct kith__net {
    const kith__net_type *type;
    const kith_graph *graph;
    int32_t n;
    int classes, threads;
    kith__inputs x;
    kith__smoother A;
    kith__net_settings how;
    int n_weights, n_rooms;
    kith__weights weights[KITH__NET_WEIGHTS];
    float *room[KITH__NET_ROOMS];
    float *partial; /* of sums over rows: see kernels/gemm.h */
    bool learns;    /* there are gradients */
    float *Z, *dZ;  /* n x classes; Z is the caller's; dZ is 0 between steps */
    bool training;  /* this pass: with dropout */
    uint64_t step;  /* passes so far, for dropout */
    const kith__near *near; /* rows this pass needs; NULL: all */
} kith__net;

/*
 * Z has room for n x classes.  Without `learns` there are no gradients, and
 * backward cannot be called.  The features (NULL: none) stay the caller's.
 */
kith_status kith__net_new(const kith__net_type *type,
                          const kith__net_settings *how, const kith_graph *g,
                          const kith_features *features, int classes,
                          int threads, bool learns, float *Z, kith__net *out,
                          kith_error *err);
void kith__net_release(kith__net *net); /* a zeroed one is fine */

/* For `build`: declare weights (as net->weights[0], [1], ...) and rooms. */
kith_status kith__net_weights(kith__net *net, const char *name, int64_t rows,
                              int64_t columns, bool decays, kith_error *err);
kith_status kith__net_fixed(kith__net *net, const char *name, int64_t rows,
                            int64_t columns, kith_error *err);
kith_status kith__net_room(kith__net *net, int64_t columns, kith_error *err);

/* Weights as they start: Glorot's, or 0 if they are biases or
 * the net is linear; Adam's memory 0. */
void kith__net_start(kith__net *net);

/* The passes of the shape that the settings ask for. */
void kith__net_forward(kith__net *net);
void kith__net_backward(kith__net *net);

/* One step: forward, loss on the nodes, backward, Adam.  `near` is of them. */
void kith__net_step(kith__net *net, const int32_t *nodes, const int32_t *truth,
                    int32_t count, const kith__near *near);

/* Z without dropout in the rows that `near` is of; NULL: in all. */
void kith__net_predict(kith__net *net, const kith__near *near);

/* The rows that are at most so many hops from those this pass is about. */
const kith__row_set *kith__net_near(const kith__net *net, int hops);

/* Dropout of a layer in this pass. */
kith__dropout kith__net_dropout(const kith__net *net, uint64_t layer);

/* ---- passes of a dense layer, for the types ------------------------------ */

/* Y = X w in the rows that are near. */
void kith__dense_forward(const kith__net *net, const float *X, int w,
                         const kith__row_set *near, float *restrict Y);
/* Y += X w */
void kith__dense_add(const kith__net *net, const float *X, int w,
                     const kith__row_set *near, float *restrict Y);
/* dw = X'dY over the rows that are near; there dX = dY w' unless it is NULL. */
void kith__dense_backward(kith__net *net, const float *X, const float *dY,
                          int w, const kith__row_set *near, float *restrict dX);
/* dX += dY w' */
void kith__dense_add_turned(const kith__net *net, const float *dY, int w,
                            const kith__row_set *near, float *restrict dX);
/* The gradient of biases that were added to rows. */
void kith__bias_backward(kith__net *net, const float *dY,
                         const kith__row_set *near, int w);

#endif
