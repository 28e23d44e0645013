/*
 * node_features.c: class c owns the columns  floor(F c / K)  to
 * floor(F (c + 1) / K) - 1  of F.  Each word of a node of class c is uniform
 * in those with probability `signal`, else uniform in all.  A word that the
 * row has already is drawn again; after TRIES the next free column is taken,
 * so a class with few columns of its own gets what there is.
 */
#include "generate/node_features.h"

#include "core/alloc.h"
#include "core/job.h"

enum { TRIES = 64 };

/* Put a column into an ascending list of n; false if it is there. */
static bool insert(int32_t *list, int32_t n, int32_t column)
{
    int32_t at = n;

    while (at > 0 && list[at - 1] > column)
        at--;
    if (at > 0 && list[at - 1] == column)
        return false;
    memmove(list + at + 1, list + at, (size_t)(n - at) * sizeof(*list));
    list[at] = column;
    return true;
}

/* One more word to a row of n. */
static void add_word(const kith_generate_options *o, int32_t c, kith__rng *rng,
                     int32_t *row, int32_t n)
{
    const int64_t F = o->features, K = o->classes;
    int64_t first = 0, columns = F;
    int32_t column = 0;

    if (kith__rng_real(rng) < o->signal && F >= K) {
        first = F * c / K;
        columns = F * (c + 1) / K - first;
    }
    for (int tries = 0; tries < TRIES; tries++) {
        column =
            (int32_t)(first + (int64_t)kith__rng_below(rng, (uint64_t)columns));
        if (insert(row, n, column))
            return;
    }
    do
        column = column + 1 < o->features ? column + 1 : 0;
    while (!insert(row, n, column));
}

kith_status kith__node_features_draw(const kith__label_plan *plan,
                                     const kith_generate_options *o,
                                     kith_features *out, kith_error *err)
{
    const int32_t n = plan->nodes, words = o->words;
    kith_status st = KITH_OK;

    *out = (kith_features){
        .nodes = n, .columns = o->features, .entries = (int64_t)n * words};
    TRY_NEW(out->row, kith__alloc((int64_t)n + 1, sizeof(*out->row)));
    TRY_NEW(out->column, kith__alloc(out->entries, sizeof(*out->column)));
#pragma omp parallel for num_threads(kith__threads(&o->job)) schedule(static)
    for (int32_t u = 0; u < n; u++) {
        kith__rng rng =
            kith__rng_start(o->seed, kith__file_stream(KITH__FOR_FEATURES, u));

        out->row[u] = (int64_t)u * words;
        for (int32_t i = 0; i < words; i++)
            add_word(o, plan->labels.of[u], &rng, out->column + out->row[u], i);
    }
    out->row[n] = out->entries;
out:
    return st;
}

void kith__node_features_release(kith_features *f)
{
    kith__free(f->row);
    kith__free(f->column);
    *f = (kith_features){0};
}
