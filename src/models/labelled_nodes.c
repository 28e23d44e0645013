#include "models/labelled_nodes.h"

#include "core/alloc.h"
#include "core/sort.h"

bool kith__ascend(int32_t *node, int32_t *truth, int32_t *n)
{
    uint64_t *by = kith__alloc(*n, sizeof(*by));
    int32_t kept = 0;

    if (!by)
        return false;
    for (int32_t i = 0; i < *n; i++)
        by[i] = (uint64_t)(uint32_t)node[i] << 32 | (uint32_t)truth[i];
    kith__sort_u64(by, *n);
    for (int32_t i = 0; i < *n; i++) {
        if (i > 0 && by[i] >> 32 == by[i - 1] >> 32)
            continue;
        node[kept] = (int32_t)(by[i] >> 32);
        truth[kept++] = (int32_t)(uint32_t)by[i];
    }
    *n = kept;
    kith__free(by);
    return true;
}
