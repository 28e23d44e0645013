/*
 * mend.h: make the checksums of a file of sections match, else nothing behind
 * them would ever be reached.  Offsets as docs/formats/kg.md gives them.
 */
#ifndef KITH_FUZZ_MEND_H
#define KITH_FUZZ_MEND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xxhash.h>

enum {
    MEND_PAGE = 4096,
    MEND_HEADER = 64,
    MEND_HASHED = 56, /* of the header; its checksum follows */
    MEND_COUNT_AT = 12,
    MEND_SIZE_AT = 16,
    MEND_SECTION = 40,
    MEND_MOST = 64
};

/* Zeros from `at` to the next page. */
static inline void mend_gap(uint8_t *bytes, size_t size, size_t at)
{
    const size_t gap = (MEND_PAGE - at % MEND_PAGE) % MEND_PAGE;

    memset(bytes + at, 0, gap < size - at ? gap : size - at);
}

/* The range of a section; 0 if it does not lie in the file. */
static inline int mend_range(const uint8_t *section, size_t size,
                             uint64_t *offset, uint64_t *length)
{
    memcpy(offset, section + 8, 8);
    memcpy(length, section + 16, 8);
    return *offset <= size && *length <= size - *offset;
}

static inline void mend(uint8_t *bytes, size_t size)
{
    const int64_t whole = (int64_t)size;
    uint8_t hashed[MEND_HASHED + MEND_SECTION * MEND_MOST];
    uint32_t sections;
    uint64_t sum, offset, length;

    if (size < MEND_PAGE)
        return;
    memcpy(bytes + MEND_SIZE_AT, &whole, 8);
    memcpy(&sections, bytes + MEND_COUNT_AT, 4);
    if (sections > MEND_MOST)
        return;
    mend_gap(bytes, size, MEND_HEADER + MEND_SECTION * sections);
    for (uint32_t i = 0; i < sections; i++) {
        const uint8_t *s = bytes + MEND_HEADER + MEND_SECTION * i;

        if (mend_range(s, size, &offset, &length) && offset >= MEND_PAGE)
            mend_gap(bytes, size, offset + length);
    }
    for (uint32_t i = 0; i < sections; i++) {
        uint8_t *s = bytes + MEND_HEADER + MEND_SECTION * i;

        if (!mend_range(s, size, &offset, &length))
            continue;
        sum = XXH3_64bits(bytes + offset, length);
        memcpy(s + 24, &sum, 8);
    }
    memcpy(hashed, bytes, MEND_HASHED);
    memcpy(hashed + MEND_HASHED, bytes + MEND_HEADER, MEND_SECTION * sections);
    sum = XXH3_64bits(hashed, MEND_HASHED + MEND_SECTION * sections);
    memcpy(bytes + MEND_HASHED, &sum, 8);
}

#endif
