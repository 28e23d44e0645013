/*
 * calibrate.h: one temperature, fitted on validation nodes.
 */
#ifndef KITH_MODELS_CALIBRATE_H
#define KITH_MODELS_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

/* Nodes with a known class, to tune and calibrate on. */
typedef struct kith__labelled_nodes {
    const int32_t *node, *truth;
    int32_t n;
} kith__labelled_nodes;

/* Mean of -log softmax(P / T)(truth). */
double kith__log_loss(const float *P, int classes,
                      const kith__labelled_nodes *at, double temperature);

/* The temperature that fits best, in [1e-3, 1e3]; 1 if n is 0.  Never certain:
 * see calibrate.c. */
double kith__fit_temperature(const float *P, int classes,
                             const kith__labelled_nodes *at);

/* Share of nodes whose largest belief is the truth; ties go to the smaller
 * class number. */
double kith__accuracy(const float *P, int classes,
                      const kith__labelled_nodes *at);

/* How good beliefs are: accuracy, and log-loss at the best temperature. */
typedef struct kith__score {
    double accuracy, log_loss;
} kith__score;

kith__score kith__score_of(const float *P, int classes,
                           const kith__labelled_nodes *at);

/* More accurate, or as accurate at less loss. */
bool kith__better(const kith__score *a, const kith__score *b);

/* More accurate by more than the standard error on so many nodes, else of less
 * loss: between methods, where a node or two mean nothing. */
bool kith__clearly_better(const kith__score *a, const kith__score *b,
                          int32_t nodes);

#endif
