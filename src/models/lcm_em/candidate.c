#include "models/lcm_em/candidate.h"

#include <string.h>

static void keep(kith__best_candidate *f, const kith__offer *o)
{
    f->candidate = *o->candidate;
    f->score = o->score;
    f->order = o->order;
    f->any = true;
    if (f->P && o->P)
        memcpy(f->P, o->P, (size_t)o->cells * sizeof(*f->P));
    if (f->Q && o->Q)
        memcpy(f->Q, o->Q, (size_t)o->cells * sizeof(*f->Q));
    if (f->loss && o->loss)
        memcpy(f->loss, o->loss, (size_t)o->nodes * sizeof(*f->loss));
}

void kith__consider(kith__best_candidate *f, const kith__offer *o)
{
#pragma omp critical(kith_consider)
    if (!f->any || kith__better(&o->score, &f->score) ||
        (!kith__better(&f->score, &o->score) && o->order < f->order))
        keep(f, o);
}
