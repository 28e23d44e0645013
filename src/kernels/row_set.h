/*
 * row_set.h: some of the rows of a tall matrix.  Who is asked about a few nodes
 * passes over the rows that matter to them, and leaves the others as they are.
 */
#ifndef KITH_KERNELS_ROW_SET_H
#define KITH_KERNELS_ROW_SET_H

#include <stdbool.h>
#include <stdint.h>

/* A pointer to such a set may be NULL: all rows. */
typedef struct kith__row_set {
    int32_t count;
    int32_t *node; /* which ones, ascending */
    uint8_t *mark; /* of every row of the matrix: is it one of them? */
} kith__row_set;

/* How many of a matrix of n rows. */
static inline int64_t kith__row_count(const kith__row_set *r, int64_t n)
{
    return r ? r->count : n;
}

/* The i-th of them. */
static inline int64_t kith__nth_row(const kith__row_set *r, int64_t i)
{
    return r ? r->node[i] : i;
}

static inline bool kith__has_row(const kith__row_set *r, int64_t u)
{
    return !r || r->mark[u];
}

#endif
