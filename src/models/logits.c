#include "models/logits.h"

#include "core/alloc.h"

void kith__logits_release(kith__logits *l)
{
    kith__feature_map_release(&l->map);
    kith__table_release(&l->x);
    kith__smoother_release(&l->smoother);
    kith__free(l->has);
    kith__free(l->B);
    *l = (kith__logits){0};
}

void kith__logits_free(kith__logits *l)
{
    if (l)
        kith__logits_release(l);
    kith__free(l);
}
