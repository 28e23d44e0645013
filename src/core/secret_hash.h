/*
 * secret_hash.h: a hash whose key nobody outside can know, for tables that
 * someone has filled to collide.  SipHash-2-4 (Aumasson, Bernstein, 2012): a
 * slow hash beside XXH3, but one for which no collisions can be prepared.
 */
#ifndef KITH_CORE_SECRET_HASH_H
#define KITH_CORE_SECRET_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct kith__secret {
    uint64_t low, high;
} kith__secret;

/* A new key, never all zero; from the kernel, where it gives one. */
kith__secret kith__secret_new(void);

uint64_t kith__secret_hash(kith__secret key, const char *bytes, size_t length);

#endif
