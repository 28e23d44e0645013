#include "data/split_hash.h"

#include <xxhash.h>

uint64_t kith__split_hash(const kith_split *s)
{
    const uint64_t parts[3] = {
        XXH3_64bits(s->train, (size_t)s->n_train * sizeof(*s->train)),
        XXH3_64bits(s->val, (size_t)s->n_val * sizeof(*s->val)),
        XXH3_64bits(s->test, (size_t)s->n_test * sizeof(*s->test))};

    return XXH3_64bits(parts, sizeof(parts));
}
