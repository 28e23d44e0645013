/*
 * mutate.h: mutate a file of sections where it means something.  Nine bytes in
 * ten lie between its sections, and mend() clears those again.  To be included
 * by the target itself.
 */
#ifndef KITH_FUZZ_MUTATE_H
#define KITH_FUZZ_MUTATE_H

#include "mend.h"

/* Of libFuzzer; not there where a corpus is replayed. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
    __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed)
{
    uint64_t offset = 0, length = 0;
    uint32_t sections = 0, which;

    if (size < MEND_PAGE)
        return LLVMFuzzerMutate(data, size, most);
    memcpy(&sections, data + MEND_COUNT_AT, 4);
    sections = sections < MEND_MOST ? sections : MEND_MOST;
    which = seed % (sections + 1);
    if (which < sections &&
        !mend_range(data + MEND_HEADER + MEND_SECTION * which, size, &offset,
                    &length))
        length = 0;
    if (length == 0) {
        offset = 0;
        length = MEND_HEADER + MEND_SECTION * sections;
    }
    (void)LLVMFuzzerMutate(data + offset, length, length);
    return size;
}

#endif
