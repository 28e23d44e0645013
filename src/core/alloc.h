/*
 * alloc.h: every allocation of the library, so that sizes are checked once
 * and a test can make each one fail.
 */
#ifndef KITH_CORE_ALLOC_H
#define KITH_CORE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* count * size bytes, or NULL if that overflows or there is no memory.  A
 * count of 0 gives a pointer that can be freed. */
void *kith__alloc(int64_t count, size_t size);
void *kith__alloc_zeroed(int64_t count, size_t size);

/* The same for a big array that is about to be filled all over: huge pages
 * where the system has them, so that first touching it costs less. */
void *kith__alloc_big(int64_t count, size_t size);

/* As realloc: on failure NULL, and the old block stays. */
void *kith__resize(void *block, int64_t count, size_t size);

void kith__free(void *block); /* NULL is fine */

char *kith__copy_string(const char *text, size_t length);
char *kith__join(const char *a, const char *b, const char *c); /* a + b + c */

/*
 * Make room for `need` elements in a growing array by doubling; false if there
 * is no memory, the array then being as it was.
 */
bool kith__grow(void **array, int64_t *capacity, int64_t need, size_t size);

/* a + b and a * b of sizes; false if the result does not fit. */
static inline bool kith__add(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool kith__multiply(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

#endif
