/*
 * explain_logits.c: a logit as a sum over the nodes whose features it sees.
 *
 * Features F = diag(r) poly(O) diag(c) X - q mu' come through the graph
 * (feature_operator.h), so with B_c less its mean over the classes and
 * y_v = c_v x_v . B_c the centred logit is
 *
 *     z_uc = sum_v r_u poly(O)_uv y_v  +  b_c - q_u mu . B_c
 *
 * O is symmetric: one smoothing from node u gives poly(O)_u. of all nodes.  The
 * classes do not mix, so that all is done on one column.
 *
 * The last of the hops, y <- (1 - a) O y + a x, tells what arrives through each
 * neighbour; a path of j < hops edges, taken without a pause at the loops of O,
 * adds r_u a (1 - a)^j  o .. o  y_v.
 */
#include <string.h>

#include "core/alloc.h"
#include "models/explain/explain_lists.h"
#include "models/explain/logits.h"
#include "models/explain/paths.h"

/* B_c less the mean over the classes, as one column; the last row is b. */
static float *centred_column(const kith_solution *s, const kith_explanation *e)
{
    const float *B = kith__logits_of(s->b.logits, &s->storage.task, e->node);
    const int64_t rows = s->b.logits->map.columns + 1;
    float *out = kith__alloc(rows, sizeof(*out));

    for (int64_t j = 0; out && j < rows; j++)
        out[j] = (float)kith__centred_weight(B, j, e->classes, e->of_class);
    return out;
}

/* b_c - q_u mu . B_c */
static double constant_of(const kith__logits *l, const float *B, int32_t u)
{
    const kith__feature_block *b = &l->map.block[0];
    const double q = b->q ? (double)b->q[u] : 1;
    double sum = (double)B[l->map.columns];

    for (int64_t j = 0; b->mu && j < l->map.columns; j++)
        sum -= q * (double)b->mu[j] * (double)B[j];
    return sum;
}

/* Neighbours and paths: O's rows, and one class. */
static kith_status find_ways(const kith__logits *l, const float *y, double r,
                             kith__feature_workspace *room, int32_t most,
                             kith_explanation *e, kith_error *err)
{
    const kith__feature_block *b = &l->map.block[0];
    const size_t bytes = (size_t)e->nodes * sizeof(float);
    const float H = 1 - b->a;
    const double last = r, first = r * (double)b->a;
    const bool far = b->hops > KITH_PATH_MOST;
    kith__feature_block shorter = *b;
    kith__walk walk = {.W = b->O, .classes = 1, .Q = y, .H = &H, .to = &last};
    kith_status st = KITH_OK;

    if (b->hops == 0)
        return KITH_OK;
    shorter.hops--;
    memcpy(room->now, y, bytes);
    kith__feature_block_smooth(&shorter, e->nodes, 1, room, l->map.threads);
    TRY(kith__find_neighbours(&walk, room->now, most, e, err));
    walk.to = &first;
    walk.longest = far ? KITH_PATH_MOST : b->hops - 1;
    walk.longer = true;
    TRY(kith__find_paths(&walk, most, e, err));
out:
    return st;
}

kith_status kith__explain_logits(const kith_solution *s, int32_t most,
                                 kith_explanation *e, kith_error *err)
{
    const kith__logits *l = s->b.logits;
    const kith__feature_block *b = &l->map.block[0];
    const size_t bytes = (size_t)e->nodes * sizeof(float);
    const double r = b->r ? (double)b->r[e->node] : 1;
    kith_status st = KITH_OK;
    kith__feature_workspace room = {0};
    float *B = NULL, *y = NULL;

    TRY(kith__new_parts(e, most, err));
    TRY(kith__feature_workspace_new(&l->map, 1, &room, err));
    TRY_NEW(y, kith__alloc(e->nodes, sizeof(*y)));
    TRY_NEW(B, centred_column(s, e));
    kith__feature_block_times(b, B, 1, &room, l->map.threads);
    memcpy(y, room.now, bytes);
    memset(room.now, 0, bytes);
    room.now[e->node] = 1;
    kith__feature_block_smooth(b, e->nodes, 1, &room, l->map.threads);
    for (int32_t v = 0; v < e->nodes; v++)
        e->contribution[v] = r * (double)room.now[v] * (double)y[v];
    e->own = r * (b->hops > 0 ? (double)b->a : 1) * (double)y[e->node];
    e->constant = constant_of(l, B, e->node);
    e->belief = kith__centred_weight(s->b.P, e->node, e->classes, e->of_class);
    e->iterations = b->hops;
    kith__sum_parts(s, most, e);
    TRY(find_ways(l, y, r, &room, most, e, err));
out:
    kith__free(B);
    kith__free(y);
    kith__feature_workspace_release(&room);
    return st;
}

/* Those of one block; how many there were. */
static int64_t keep_columns(const kith__feature_block *b,
                            const kith_features *features, const float *row,
                            const float *B, int32_t most, kith_explanation *e)
{
    const int32_t columns = b->x->x.columns, each = b->each > 0 ? b->each : 1;
    const char *of = b->what       ? b->what
                     : b->hops > 0 ? "seen through the graph"
                                   : "own";

    for (int32_t j = 0; j < columns; j++)
        kith__keep_feature(
            e, most,
            (kith_feature_part){
                j / each, (double)row[j], (double)B[j],
                (double)row[j] * (double)B[j], of,
                b->structural ? NULL : kith__feature_name(features, j / each),
                b->structural});
    return columns;
}

double kith__logit_bias(const kith_solution *s, const kith_explanation *e)
{
    const kith__logits *l = s->b.logits;

    return kith__centred_weight(kith__logits_of(l, &s->storage.task, e->node),
                                l->map.columns, e->classes, e->of_class);
}

kith_status kith__find_columns(const kith_solution *s, int32_t most,
                               kith_explanation *e, kith_error *err)
{
    const kith__logits *l = s->b.logits;
    const int64_t columns = l->map.columns;
    kith_status st = KITH_OK;
    kith__feature_workspace room = {0};
    float *E = NULL, *B = NULL, *row = NULL;
    int64_t at = 0;

    TRY(kith__feature_workspace_new(&l->map, 1, &room, err));
    TRY_NEW(e->features, kith__alloc(most, sizeof(*e->features)));
    TRY_NEW(E, kith__alloc_zeroed(e->nodes, sizeof(*E)));
    TRY_NEW(row, kith__alloc(columns + 1, sizeof(*row)));
    TRY_NEW(B, centred_column(s, e));
    E[e->node] = 1;
    kith__feature_transpose(&l->map, E, 1, &room,
                            row); /* the node's row of F */
    for (int i = 0; i < l->map.blocks; i++)
        at += keep_columns(&l->map.block[i], s->data->features, row + at,
                           B + at, most, e);
    e->bias = (double)B[columns];
    e->feature_sum += e->bias;
out:
    kith__free(E);
    kith__free(B);
    kith__free(row);
    kith__feature_workspace_release(&room);
    return st;
}
