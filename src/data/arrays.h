/*
 * arrays.h: numbers of any type in arrays of the caller's.
 */
#ifndef KITH_DATA_ARRAYS_H
#define KITH_DATA_ARRAYS_H

#include <string.h>

#include "core/status.h"
#include "graph/ids.h"
#include "kith/arrays.h"

/* Refuse what is no array of numbers, or (integers) none of integers.  `name`
 * is for messages. */
kith_status kith__array_check(const kith_array *a, const char *name,
                              bool integers, kith_error *err);

/* The same of an array of indices, all of which must be in [least, below). */
kith_status kith__indices_check(const kith_array *a, const char *name,
                                int64_t least, int64_t below, kith_error *err);

/* Offsets of a matrix: from 0 up to `entries`, never falling; at least one. */
kith_status kith__offsets_check(const kith_array *a, const char *name,
                                int64_t entries, kith_error *err);

/* Values, as floats: finite, and (least 0) not negative. */
kith_status kith__values_check(const kith_array *a, const char *name,
                               bool negative_too, kith_error *err);

/* The ids inside; NULL of NULL. */
const kith__ids *kith__ids_inside(const kith_ids *ids);

/* Are these elements of C's type, at an address for them? */
static inline bool kith__array_is(const kith_array *a, kith_number type)
{
    return a->type == type && (uintptr_t)a->data % 4 == 0;
}

/* Element i of an array of integers; it may lie at any address. */
static inline int64_t kith__array_integer(const kith_array *a, int64_t i)
{
    const char *at = a->data;
    int64_t wide;
    int32_t narrow;

    if (a->type == KITH_I32) {
        memcpy(&narrow, at + i * 4, 4);
        return narrow;
    }
    memcpy(&wide, at + i * 8, 8);
    return wide;
}

/* Element i of an array of any type, as a float; never minus zero. */
static inline float kith__array_float(const kith_array *a, int64_t i)
{
    const char *at = a->data;
    float narrow;
    double wide;

    if (a->type == KITH_I32 || a->type == KITH_I64)
        return (float)kith__array_integer(a, i);
    if (a->type == KITH_F32) {
        memcpy(&narrow, at + i * 4, 4);
        return narrow + 0.0f;
    }
    memcpy(&wide, at + i * 8, 8);
    return (float)wide + 0.0f;
}

#endif
