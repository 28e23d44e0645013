#include "graph/rank.h"

#include <string.h>

#include "core/alloc.h"

bool kith__rank_reserve(kith__rank *r, uint32_t largest)
{
    const int64_t need = (int64_t)largest / 64 + 1;
    const int64_t old = r->words;

    if (!kith__grow((void **)&r->seen, &r->words, need, sizeof(*r->seen)))
        return false;
    memset(r->seen + old, 0, (size_t)(r->words - old) * sizeof(*r->seen));
    return true;
}

bool kith__rank_merge(kith__rank *r, const kith__rank *other)
{
    if (other->words == 0)
        return true;
    if (!kith__rank_reserve(r, (uint32_t)(other->words * 64 - 1)))
        return false;
    for (int64_t i = 0; i < other->words; i++)
        r->seen[i] |= other->seen[i];
    return true;
}

bool kith__rank_count(kith__rank *r)
{
    kith__free(r->below);
    r->below = kith__alloc(r->words, sizeof(*r->below));
    if (!r->below)
        return false;
    r->n = 0;
    for (int64_t i = 0; i < r->words; i++) {
        r->below[i] = (int32_t)r->n;
        r->n += __builtin_popcountll(r->seen[i]);
    }
    return true;
}

void kith__rank_release(kith__rank *r)
{
    kith__free(r->seen);
    kith__free(r->below);
    *r = (kith__rank){0};
}
