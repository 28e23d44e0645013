#include "models/lcm_em/candidate.h"

void kith__consider(kith__best_candidate *f, const kith__candidate *r,
                    const kith__score *s, int order)
{
#pragma omp critical(kith_consider)
    if (!f->any || kith__better(s, &f->score) ||
        (!kith__better(&f->score, s) && order < f->order))
        *f = (kith__best_candidate){*r, *s, order, true};
}
