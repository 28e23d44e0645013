#include "core/secret_hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

kith__secret kith__secret_new(void)
{
    kith__secret key;
    struct timespec now = {0};

    if (getrandom(&key, sizeof(key), GRND_NONBLOCK) != sizeof(key)) {
        /* early at boot: where we lie in memory and when is hard to guess */
        clock_gettime(CLOCK_MONOTONIC, &now);
        key.low = (uint64_t)(uintptr_t)&key;
        key.high = (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec;
    }
    key.high |= 1; /* all zero means "no key" to its users */
    return key;
}

static uint64_t turn(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4], int rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turn(v[1], 13) ^ v[0];
        v[3] = turn(v[3], 16) ^ v[2];
        v[0] = turn(v[0], 32) + v[3];
        v[2] += v[1];
        v[1] = turn(v[1], 17) ^ v[2];
        v[3] = turn(v[3], 21) ^ v[0];
        v[2] = turn(v[2], 32);
    }
}

/* Up to eight bytes as a little-endian number. */
static uint64_t word(const char *bytes, size_t n)
{
    uint64_t x = 0;

    while (n-- > 0)
        x = x << 8 | (unsigned char)bytes[n];
    return x;
}

static void absorb(uint64_t v[4], uint64_t x)
{
    v[3] ^= x;
    mix(v, 2);
    v[0] ^= x;
}

uint64_t kith__secret_hash(kith__secret key, const char *bytes, size_t length)
{
    uint64_t v[4] = {
        key.low ^ 0x736f6d6570736575, key.high ^ 0x646f72616e646f6d,
        key.low ^ 0x6c7967656e657261, key.high ^ 0x7465646279746573};
    size_t at = 0;

    for (; at + 8 <= length; at += 8)
        absorb(v, word(bytes + at, 8));
    absorb(v, word(bytes + at, length - at) | (uint64_t)length << 56);
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
