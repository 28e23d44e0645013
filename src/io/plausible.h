/*
 * plausible.h: how far a header is believed before the data behind it were
 * read.
 *
 * A few bytes can claim billions of rows.  A row without entries costs its
 * file nothing, but 8 bytes of memory, so a claim is taken up to a million,
 * and above that up to 1000 for each byte of the file as it is stored.  True
 * files have at least one entry in a few hundred rows, and gzip packs at most
 * 1032 to 1; a false one costs at most 8000 times its size.
 */
#ifndef KITH_IO_PLAUSIBLE_H
#define KITH_IO_PLAUSIBLE_H

#include <stdbool.h>
#include <stdint.h>

static inline bool kith__plausible(int64_t count, int64_t file_bytes)
{
    return count <= 1000000 || count / 1000 <= file_bytes;
}

#endif
