#include "data/split_hash.h"

#include <xxhash.h>

#include "core/alloc.h"
#include "core/rng.h"
#include "graph/draw.h"

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

/* Of the keys of nodes in any order: what is added up does not mind. */
static uint64_t hash_nodes(const int32_t *nodes, int32_t n, const kith_graph *g)
{
    uint64_t sum = (uint64_t)n;

    for (int32_t i = 0; i < n; i++)
        sum += kith__mix(kith__node_key(g, nodes[i]));
    return sum;
}

void kith__split_hash(kith_split *s, const kith_graph *g)
{
    const uint64_t parts[3] = {hash_nodes(s->train, s->n_train, g),
                               hash_nodes(s->val, s->n_val, g),
                               hash_nodes(s->test, s->n_test, g)};

    s->hash = XXH3_64bits(parts, sizeof(parts));
}
