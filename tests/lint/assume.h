/*
 * assume.h: what clang-tidy cannot see from one file alone: a call that reports
 * a failure never answers KITH_OK.  Included before each file of src/ that it
 * checks; not compiled.
 */
#ifndef KITH_ASSUME_H
#define KITH_ASSUME_H

#include "core/status.h"

static inline kith_status assume_failed(kith_status st)
{
    return st == KITH_OK ? KITH_ERR_IO : st;
}

#define kith__fail(...)       assume_failed(kith__fail(__VA_ARGS__))
#define kith__fail_errno(...) assume_failed(kith__fail_errno(__VA_ARGS__))
#define kith__no_memory(err)  assume_failed(kith__no_memory(err))

#endif
