#include "data/split_hash.h"

#include <xxhash.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "core/status.h"

bool kith__sort_as_listed(int32_t *nodes, int32_t n, const int32_t *place)
{
    uint64_t *key;

    if (!place) {
        kith__sort_u32((uint32_t *)nodes, n);
        return true;
    }
    key = kith__alloc(n, sizeof(*key));
    if (!key)
        return false;
    for (int32_t i = 0; i < n; i++)
        key[i] = (uint64_t)(uint32_t)place[nodes[i]] << 32 | (uint32_t)nodes[i];
    kith__sort_u64(key, n);
    for (int32_t i = 0; i < n; i++)
        nodes[i] = (int32_t)(uint32_t)key[i];
    kith__free(key);
    return true;
}

/* XXH3-64 of the places of n nodes, ascending. */
static bool hash_places(const int32_t *nodes, int32_t n, const int32_t *place,
                        uint64_t *hash)
{
    int32_t *at = kith__alloc(n, sizeof(*at));

    for (int32_t i = 0; at && i < n; i++)
        at[i] = place ? place[nodes[i]] : nodes[i];
    if (!at || !kith__sort_as_listed(at, n, NULL)) {
        kith__free(at);
        return false;
    }
    *hash = XXH3_64bits(at, (size_t)n * sizeof(*at));
    kith__free(at);
    return true;
}

kith_status kith__split_hash(kith_split *s, const int32_t *place,
                             kith_error *err)
{
    uint64_t parts[3];

    if (!hash_places(s->train, s->n_train, place, &parts[0]) ||
        !hash_places(s->val, s->n_val, place, &parts[1]) ||
        !hash_places(s->test, s->n_test, place, &parts[2]))
        return kith__no_memory(err);
    s->hash = XXH3_64bits(parts, sizeof(parts));
    return KITH_OK;
}
