#include "models/recipe.h"

void kith__offer(kith__found *f, const kith__recipe *r, const kith__score *s,
                 int order)
{
#pragma omp critical(kith_offer)
    if (!f->any || kith__better(s, &f->score) ||
        (!kith__better(&f->score, s) && order < f->order))
        *f = (kith__found){*r, *s, order, true};
}
