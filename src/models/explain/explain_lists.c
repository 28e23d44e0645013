#include "models/explain/explain_lists.h"

#include <math.h>

#include "core/alloc.h"
#include "models/explain/paths.h"

kith_status kith__new_parts(kith_explanation *e, int32_t most, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(e->contribution, kith__alloc(e->nodes, sizeof(double)));
    TRY_NEW(e->by_class, kith__alloc_zeroed(e->classes, sizeof(double)));
    TRY_NEW(e->top_labelled, kith__alloc(most, sizeof(*e->top_labelled)));
    TRY_NEW(e->top_others, kith__alloc(most, sizeof(*e->top_others)));
out:
    return st;
}

/* Put a part where it belongs among the `most` largest; ties stay in order. */
static void keep_part(kith_part *list, int32_t *n, int32_t most, kith_part p)
{
    int32_t i;

    if (p.value == 0 ||
        (*n == most && fabs(p.value) <= fabs(list[*n - 1].value)))
        return;
    i = *n < most ? (*n)++ : *n - 1;
    for (; i > 0 && fabs(list[i - 1].value) < fabs(p.value); i--)
        list[i] = list[i - 1];
    list[i] = p;
}

void kith__sum_parts(const kith_solution *s, int32_t most, kith_explanation *e)
{
    for (int32_t v = 0; v < e->nodes; v++) {
        const kith_part p = {v, s->trained[v], e->contribution[v]};

        if (p.label >= 0)
            e->by_class[p.label] += p.value;
        if (v == e->node) {
            e->echo = p.value - e->own;
        } else if (p.label >= 0) {
            e->labelled += p.value;
            keep_part(e->top_labelled, &e->n_labelled, most, p);
        } else {
            e->others += p.value;
            keep_part(e->top_others, &e->n_others, most, p);
        }
    }
}

void kith__keep_feature(kith_explanation *e, int32_t most, kith_feature_part p)
{
    int32_t i;

    e->feature_sum += p.value;
    if (p.value == 0 || (e->n_features == most &&
                         fabs(p.value) <= fabs(e->features[most - 1].value)))
        return;
    i = e->n_features < most ? e->n_features++ : most - 1;
    for (; i > 0 && fabs(e->features[i - 1].value) < fabs(p.value); i--)
        e->features[i] = e->features[i - 1];
    e->features[i] = p;
}

double kith__centred_weight(const float *B, int64_t j, int C, int c)
{
    double mean = 0;

    for (int k = 0; k < C; k++)
        mean += (double)B[j * C + k] / C;
    return (double)B[j * C + c] - mean;
}

static void keep_via(kith_explanation *e, int32_t most, kith_via via)
{
    int32_t i;

    if (e->n_neighbours == most &&
        fabs(via.value) <= fabs(e->neighbours[most - 1].value))
        return;
    i = e->n_neighbours < most ? e->n_neighbours++ : most - 1;
    for (; i > 0 && fabs(e->neighbours[i - 1].value) < fabs(via.value); i--)
        e->neighbours[i] = e->neighbours[i - 1];
    e->neighbours[i] = via;
}

kith_status kith__find_neighbours(const kith__walk *walk, const float *X,
                                  int32_t most, kith_explanation *e,
                                  kith_error *err)
{
    const kith__operator *W = walk->W;
    const int C = walk->classes;
    kith_status st = KITH_OK;
    double *h = NULL; /* H t */

    TRY_NEW(h, kith__alloc_zeroed(C, sizeof(*h)));
    TRY_NEW(e->neighbours, kith__alloc(most, sizeof(*e->neighbours)));
    for (int i = 0; i < C; i++)
        for (int c = 0; c < C; c++)
            h[i] += (double)walk->H[i * C + c] * walk->to[c];
    for (int64_t p = W->rows[e->node]; p < W->rows[e->node + 1]; p++) {
        kith_via via = {.node = W->neighbours[p],
                        .weight = kith__operator_weight(W, e->node, p)};

        for (int c = 0; c < C; c++)
            via.value += via.weight * h[c] *
                         (double)X[(int64_t)via.node * C + c];
        e->through_neighbours += via.value;
        keep_via(e, most, via);
    }
out:
    kith__free(h);
    return st;
}
