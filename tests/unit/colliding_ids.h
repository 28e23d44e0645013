/*
 * colliding_ids.h: ids of eight bytes with a chosen XXH3 hash.
 *
 * Of eight bytes XXH3 makes a number x, flips the bits of a constant and mixes
 * (its len_4to8 and rrmxmx); every step can be undone.
 */
#ifndef KITH_COLLIDING_IDS_H
#define KITH_COLLIDING_IDS_H

#include <stdint.h>
#include <string.h>
#include <xxhash.h>

#define COLLIDING_MX2 0x9FB21C651E98DF25u

static uint64_t colliding_turn(uint64_t x)
{
    return x ^ (x << 49 | x >> 15) ^ (x << 24 | x >> 40);
}

/* Mixing undone: the number that has this hash, bits still flipped. */
static uint64_t colliding_unmix(uint64_t h)
{
    uint64_t inverse = COLLIDING_MX2;

    for (int i = 0; i < 5; i++) /* Newton: twice as many bits are right */
        inverse *= 2 - COLLIDING_MX2 * inverse;
    h ^= h >> 28 ^ h >> 56;
    h *= inverse;
    h ^= (h >> 35) + 8;
    h *= inverse;
    for (int i = 0; i < 63; i++) /* 64 turns are none */
        h = colliding_turn(h);
    return h;
}

/* The id of eight bytes with this hash. */
static void colliding_bytes(uint64_t hash, char id[8])
{
    const uint64_t flips = colliding_unmix(XXH3_64bits("\0\0\0\0\0\0\0", 8));
    const uint64_t x = colliding_unmix(hash) ^ flips;
    const uint32_t parts[2] = {(uint32_t)(x >> 32), (uint32_t)x};

    memcpy(id, parts, 8);
}

/*
 * The next id, counted up in *count, that collides with all others in tables
 * of up to 2^18 slots, be they chosen by the low bits of the hash or by those
 * of its high half; without bytes that mean something in a text file.
 */
static void colliding_next(uint64_t *count, char id[8])
{
    for (;;) {
        const uint64_t c = (*count)++;

        /* 14 bits below the high half, 13 at the top */
        colliding_bytes((c & 0x3fff) << 18 | (c >> 14) << 51, id);
        if (!memchr(id, '\t', 8) && !memchr(id, '\n', 8) &&
            !memchr(id, '\r', 8) && !memchr(id, ' ', 8) &&
            !memchr(id, ',', 8) && !memchr(id, ';', 8) && !memchr(id, '"', 8) &&
            !memchr(id, '#', 8) && !memchr(id, '%', 8) && !memchr(id, 0, 8))
            return;
    }
}

#endif
