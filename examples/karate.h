/*
 * karate.h: what the examples share: Zachary's karate club as arrays, and from
 * arrays a data set.  34 members, 78 friendships, and whom each member followed
 * when the club split: Mr. Hi (0) or the officer (1).
 */
#ifndef KARATE_H
#define KARATE_H

#include <stdio.h>

#include <kith/kith.h>

enum { MEMBERS = 34, FRIENDSHIPS = 78 };

static const int32_t friend_a[FRIENDSHIPS] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
    1,  1,  1,  1,  1,  1,  1,  1,  2,  2,  2,  2,  2,  2,  2,  2,
    3,  3,  3,  4,  4,  5,  5,  5,  6,  8,  8,  8,  9,  13, 14, 14,
    15, 15, 18, 18, 19, 20, 20, 22, 22, 23, 23, 23, 23, 23, 24, 24,
    24, 25, 26, 26, 27, 28, 28, 29, 29, 30, 30, 31, 31, 32};
static const int32_t friend_b[FRIENDSHIPS] = {
    1,  2,  3,  4,  5,  6,  7,  8,  10, 11, 12, 13, 17, 19, 21, 31,
    2,  3,  7,  13, 17, 19, 21, 30, 3,  7,  8,  9,  13, 27, 28, 32,
    7,  12, 13, 6,  10, 6,  10, 16, 16, 30, 32, 33, 33, 33, 32, 33,
    32, 33, 32, 33, 33, 32, 33, 32, 33, 25, 27, 29, 32, 33, 25, 27,
    31, 31, 29, 33, 33, 31, 33, 32, 33, 32, 33, 32, 33, 33};
static const int32_t followed[MEMBERS] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
                                          0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1,
                                          1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const char *const leaders[] = {"Mr. Hi", "Officer"};

/* The club, and a split whose training nodes are `known`. */
static inline kith_status club(const int32_t *known, int64_t n,
                               kith_dataset **out, kith_split *split,
                               kith_error *err)
{
    const kith_coo edges = {.u = {friend_a, KITH_I32, FRIENDSHIPS},
                            .v = {friend_b, KITH_I32, FRIENDSHIPS}};
    const kith_array classes = {followed, KITH_I32, MEMBERS};
    const kith_array train = {known, KITH_I32, n};
    kith_graph *g = NULL;
    kith_labels *labels = NULL;
    kith_status st;

    st = kith_graph_from_coo(&edges, NULL, NULL, &g, NULL, err);
    if (st == KITH_OK)
        st = kith_labels_from_array(&classes, 2, leaders, &labels, err);
    if (st == KITH_OK)
        st = kith_split_from_arrays(g, &train, NULL, NULL, "known", split, err);
    if (st == KITH_OK)
        st = kith_dataset_new(g, labels, NULL, NULL, out, err);
    if (st != KITH_OK) { /* else the data set owns them */
        kith_labels_free(labels);
        kith_graph_free(g);
    }
    return st;
}

/* Say what went wrong; the answer of main(). */
static inline int failed(const kith_error *err)
{
    char why[2048];

    fprintf(stderr, "%s\n", kith_error_format(err, why, sizeof(why)));
    return 1;
}

#endif
