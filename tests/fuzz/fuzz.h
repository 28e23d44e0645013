/*
 * fuzz.h: what the fuzz targets share.
 */
#ifndef KITH_FUZZ_H
#define KITH_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Set by a target whose reader took the input; cleared by replay.c. */
extern bool kith_fuzz_opened;

/*
 * A path at which a reader finds these bytes.  They are in memory, not on
 * disk; the next call overwrites them.
 */
const char *kith_fuzz_file(const uint8_t *data, size_t size);

#endif
