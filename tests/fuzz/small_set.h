/*
 * small_set.h: small data sets that seeds are made of, and on which mutated
 * models are run.
 */
#ifndef KITH_SMALL_SET_H
#define KITH_SMALL_SET_H

#include "kith/kith.h"

/*
 * 24 nodes, all labelled:
 *   0  ids 0, 1, ...; three classes, sparse features without values
 *   1  text ids and weights; two classes, dense features
 *   2  ids with gaps; two classes, no features
 * NULL if there is no memory.  Free with kith_dataset_free().
 */
enum { SMALL_SETS = 3, SMALL_NODES = 24 };
kith_dataset *small_set(int which);

/* The same half of them to learn from and a quarter to tune on; free with
 * kith_split_release(). */
kith_status small_split(const kith_dataset *d, kith_split *out);

/* Models of set 0 whose solutions are seeds, of several kinds; and the
 * solution, if it is not NULL. */
enum { SMALL_SOLUTIONS = 4 };
kith_status small_model(const kith_dataset *d, int i, kith_model **out,
                        kith_solution **solution);

/* The byte of a built graph's header that says which method fuzz_commands
 * runs: it is reserved, and no reader looks at it. */
enum { METHOD_AT = 44 };

#endif
