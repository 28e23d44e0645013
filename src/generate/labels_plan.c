#include "generate/labels_plan.h"

#include <math.h>

#include "core/alloc.h"
#include "core/job.h"

/* Equal shares of the places; `rare` fixes the last class's share first. */
static void cut_places(kith__label_plan *p, double rare)
{
    const int32_t K = p->classes;
    int32_t equal = K, rest = p->nodes;

    if (rare > 0) {
        const double wish = round(rare * p->nodes);
        const int32_t most = p->nodes - (K - 1);

        equal = K - 1;
        rest -= wish < 1 ? 1 : wish > most ? most : (int32_t)wish;
    }
    for (int32_t c = 0; c <= equal; c++)
        p->start[c] = (int32_t)((int64_t)rest * c / equal);
    p->start[K] = p->nodes;
}

/*
 * An edge drawn at a node of class c leaves the class with probability
 *
 *     1 - own_c = min(1, g (1 - p_c)),      p_c the class's share of the nodes,
 *
 * and then goes to a uniform node of the others: a flow g p_c p_d from c to d
 * that is the same from d to c, so every class gets as many edge ends as it
 * gives.  The factor g solves  sum_c p_c (1 - own_c) = 1 - h.  With classes
 * alike, own_c = h.  g = 1 is no preference at all, h = sum p_c^2; below that
 * h the graph is heterophilous, and where the minimum is 1 the smaller classes
 * have more edges than others, as there is no other way.
 *
 * The sum grows with g from 0 to 1, so g is found by halving.
 */
void kith__mixing(const double *share, int32_t classes, double h, double *own)
{
    double low = 0, high = 1;

    for (int32_t c = 0; c < classes; c++)
        high = fmax(high, share[c] < 1 ? 1 / (1 - share[c]) : 1);
    for (int step = 0; step < 200; step++) {
        const double g = (low + high) / 2;
        double leaving = 0;

        for (int32_t c = 0; c < classes; c++)
            leaving += share[c] * fmin(1, g * (1 - share[c]));
        if (leaving < 1 - h)
            low = g;
        else
            high = g;
    }
    for (int32_t c = 0; c < classes; c++)
        own[c] = 1 - fmin(1, high * (1 - share[c]));
}

static kith_status plan_mixing(kith__label_plan *p, double h, kith_error *err)
{
    kith_status st = KITH_OK;
    double *share = NULL;

    TRY_NEW(share, kith__alloc(p->classes, sizeof(*share)));
    for (int32_t c = 0; c < p->classes; c++)
        share[c] = (double)kith__class_size(p, c) / p->nodes;
    kith__mixing(share, p->classes, h, p->own);
out:
    kith__free(share);
    return st;
}

static kith_status name_classes(kith_labels *labels, kith_error *err)
{
    kith_status st = KITH_OK;
    char text[16];

    TRY_NEW(labels->names,
            kith__alloc_zeroed(labels->classes, sizeof(*labels->names)));
    for (int32_t c = 0; c < labels->classes; c++) {
        const int length = snprintf(text, sizeof(text), "%d", c);

        TRY_NEW(labels->names[c], kith__copy_string(text, (size_t)length));
    }
out:
    return st;
}

static void deal_classes(kith__label_plan *p, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t u = 0; u < p->nodes; u++) {
        const uint32_t place = kith__permute(&p->places, (uint32_t)u);

        p->labels.of[u] = kith__class_at(p, (int32_t)place);
    }
}

kith_status kith__label_plan_init(kith__label_plan *p,
                                  const kith_generate_options *o,
                                  kith_error *err)
{
    kith_status st = KITH_OK;

    *p = (kith__label_plan){
        .nodes = o->nodes, .classes = o->classes, .seed = o->seed};
    p->labels = (kith_labels){
        .nodes = o->nodes, .classes = o->classes, .labelled = o->nodes};
    kith__permutation_init(&p->places, (uint32_t)o->nodes, o->seed,
                           kith__file_stream(KITH__FOR_CLASSES, 0));
    TRY_NEW(p->start, kith__alloc((int64_t)o->classes + 1, sizeof(*p->start)));
    TRY_NEW(p->own, kith__alloc(o->classes, sizeof(*p->own)));
    TRY_NEW(p->labels.of, kith__alloc(o->nodes, sizeof(*p->labels.of)));
    TRY(name_classes(&p->labels, err));
    cut_places(p, o->rare);
    TRY(plan_mixing(p, o->homophily, err));
    deal_classes(p, kith__threads(&o->job));
out:
    return st; /* the caller releases p in any case */
}

void kith__label_plan_release(kith__label_plan *p)
{
    if (p->labels.names)
        for (int32_t c = 0; c < p->classes; c++)
            kith__free(p->labels.names[c]);
    kith__free(p->labels.names);
    kith__free(p->labels.of);
    kith__free(p->start);
    kith__free(p->own);
    *p = (kith__label_plan){0};
}
