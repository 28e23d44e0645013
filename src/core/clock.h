/*
 * clock.h: seconds on the wall, from some start.
 */
#ifndef KITH_CORE_CLOCK_H
#define KITH_CORE_CLOCK_H

#include <time.h>

static inline double kith__now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
