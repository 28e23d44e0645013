#include "generate/splits_plan.h"

#include "core/alloc.h"

/* The part to take one from: the largest, the least needed of equals. */
static int spare_part(const int32_t part[KITH__SPLIT_PARTS])
{
    int scratch = KITH__VAL;

    if (part[KITH__TEST] > part[scratch])
        scratch = KITH__TEST;
    if (part[KITH__TRAIN] > part[scratch])
        scratch = KITH__TRAIN;
    return scratch;
}

void kith__split_sizes(int32_t size, const int32_t wish[KITH__SPLIT_PARTS],
                       int32_t out[KITH__SPLIT_PARTS])
{
    int64_t wished = 0, sum = 0;

    for (int i = 0; i < KITH__SPLIT_PARTS; i++)
        wished += wish[i];
    for (int i = 0; i < KITH__SPLIT_PARTS; i++) {
        out[i] = wish[i];
        if (wished > size)
            out[i] = (int32_t)((int64_t)wish[i] * size / wished);
        if (out[i] == 0 && wish[i] > 0)
            out[i] = 1;
        sum += out[i];
    }
    for (; sum > size; sum--)
        out[spare_part(out)]--;
}

/* Each class lists its members in a random order: the first of them train,
 * the next ones tune, the next ones test. */
kith_status kith__split_nodes(const kith__label_plan *plan,
                              const kith_generate_options *o, int part,
                              uint32_t **nodes, int64_t *n, kith_error *err)
{
    const int32_t wish[KITH__SPLIT_PARTS] = {o->train, o->val, o->test};
    kith_status st = KITH_OK;
    uint32_t *list = NULL;
    int64_t cap = 0;

    *n = 0;
    for (int32_t c = 0; c < plan->classes; c++) {
        int32_t size[KITH__SPLIT_PARTS] = {0}, place = plan->start[c];

        kith__split_sizes(kith__class_size(plan, c), wish, size);
        if (!kith__grow((void **)&list, &cap, *n + size[part], sizeof(*list)))
            TRY(kith__no_memory(err));
        for (int i = 0; i < part; i++)
            place += size[i];
        for (int32_t i = 0; i < size[part]; i++)
            list[(*n)++] = kith__permute_back(&plan->places,
                                              (uint32_t)(place + i));
    }
    kith__sort_u32(list, *n);
    *nodes = list;
    list = NULL;
out:
    kith__free(list);
    return st;
}
