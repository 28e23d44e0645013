/*
 * banned.h: C library calls that have a safer sibling become compile errors.
 * Included by core/status.h, so by every source file of the library.  Those
 * that depend on the locale have theirs in core/number.h.
 */
#ifndef KITH_CORE_BANNED_H
#define KITH_CORE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Macros, to some compilers, where _FORTIFY_SOURCE is on. */
#undef sprintf
#undef vsprintf

#pragma GCC poison atoi atol atof strcpy strcat sprintf vsprintf strtok rand \
    srand gets strtod strtof strtold vsnprintf

#endif
