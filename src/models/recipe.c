#include "models/recipe.h"

#include <string.h>

kith__score kith__score_of(const float *P, int classes,
                           const kith__known_nodes *val)
{
    const double t = kith__fit_temperature(P, classes, val);

    return (kith__score){kith__accuracy(P, classes, val),
                         kith__log_loss(P, classes, val, t)};
}

bool kith__better(const kith__score *a, const kith__score *b)
{
    return a->accuracy > b->accuracy ||
           (a->accuracy == b->accuracy && a->log_loss < b->log_loss);
}

void kith__offer(kith__found *f, const kith__recipe *r, const kith__score *s,
                 int order, const float *P, int64_t cells)
{
#pragma omp critical(kith_offer)
    if (!f->any || kith__better(s, &f->score) ||
        (!kith__better(&f->score, s) && order < f->order)) {
        f->any = true;
        f->recipe = *r;
        f->score = *s;
        f->order = order;
        memcpy(f->P, P, (size_t)cells * sizeof(*P));
    }
}
