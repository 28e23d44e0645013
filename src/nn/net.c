#include "nn/net.h"

#include <string.h>

#include "core/alloc.h"
#include "kernels/gemm.h"
#include "nn/residual.h"

void kith__net_release(kith__net *net)
{
    for (int i = 0; i < net->n_weights; i++) {
        kith__free(net->weights[i].value);
        kith__free(net->weights[i].gradient);
        kith__free(net->weights[i].m);
        kith__free(net->weights[i].v);
    }
    for (int i = 0; i < net->n_rooms; i++)
        kith__free(net->room[i]);
    kith__free(net->partial);
    kith__free(net->dZ);
    kith__inputs_release(&net->x);
    kith__smoother_release(&net->A);
    *net = (kith__net){0};
}

kith_status kith__net_weights(kith__net *net, const char *name, int64_t rows,
                              int64_t columns, bool decays, kith_error *err)
{
    kith__weights *w = &net->weights[net->n_weights++];
    kith_status st = KITH_OK;
    int64_t cells;

    *w = (kith__weights){
        .name = name, .rows = rows, .columns = columns, .decays = decays};
    if (!kith__multiply(rows, columns, &cells))
        TRY(kith__no_memory(err));
    TRY_NEW(w->value, kith__alloc_zeroed(cells, sizeof(float)));
    if (!net->learns)
        goto out;
    TRY_NEW(w->gradient, kith__alloc_zeroed(cells, sizeof(float)));
    TRY_NEW(w->m, kith__alloc_zeroed(cells, sizeof(float)));
    TRY_NEW(w->v, kith__alloc_zeroed(cells, sizeof(float)));
out:
    return st;
}

kith_status kith__net_fixed(kith__net *net, const char *name, int64_t rows,
                            int64_t columns, kith_error *err)
{
    const bool learns = net->learns;
    kith_status st;

    net->learns = false; /* so there are no arrays for gradients */
    st = kith__net_weights(net, name, rows, columns, false, err);
    net->learns = learns;
    net->weights[net->n_weights - 1].fixed = true;
    return st;
}

kith_status kith__net_room(kith__net *net, int64_t columns, kith_error *err)
{
    kith_status st = KITH_OK;

    /* zeros, as a pass may skip rows that it multiplies by 0 later */
    TRY_NEW(net->room[net->n_rooms],
            kith__alloc_zeroed(net->n * columns, sizeof(float)));
    net->n_rooms++;
out:
    return st;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Layers between hidden ones have at most this many rows. */
enum { ROWS_MOST = 256 };

/* Room for sums over rows; the inputs, which may have many columns, have sums
 * of their own. */
static kith_status make_partial(kith__net *net, int64_t most, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t cells = 1;

    for (int i = 0; i < net->n_weights; i++) {
        const kith__weights *w = &net->weights[i];
        const int64_t need = w->rows <= most || w->rows <= ROWS_MOST
                                 ? w->rows * w->columns
                                 : w->columns;

        cells = need > cells ? need : cells;
    }
    TRY_NEW(net->partial, kith__alloc(KITH__GEMM_PARTS * cells, sizeof(float)));
out:
    return st;
}

static bool is_residual(const kith__net *net)
{
    return net->how.layers > 0 && net->type->gather != NULL;
}

kith_status kith__net_new(const kith__net_type *type,
                          const kith__net_settings *how, const kith_graph *g,
                          const kith_features *features, int classes,
                          int threads, bool learns, float *Z, kith__net *out,
                          kith_error *err)
{
    const int most = larger(how->hidden * larger(how->heads, 1), classes);
    kith_status st = KITH_OK;

    *out = (kith__net){.type = type,
                       .graph = g,
                       .n = kith_graph_nodes(g),
                       .classes = classes,
                       .threads = threads,
                       .how = *how,
                       .learns = learns,
                       .Z = Z};
    TRY(kith__inputs_new(features, is_residual(out), out->n, threads,
                         learns ? most : 0, &out->x, err));
    TRY(kith__smoother_new(g, type->self_loops, threads, &out->A, err));
    TRY(is_residual(out) ? kith__residual_build(out, type->gather, err)
                         : type->build(out, err));
    if (!learns)
        goto out;
    TRY_NEW(out->dZ,
            kith__alloc_zeroed((int64_t)out->n * classes, sizeof(float)));
    TRY(make_partial(out, most, err));
out:
    if (st != KITH_OK)
        kith__net_release(out);
    return st;
}

void kith__net_start(kith__net *net)
{
    for (int i = 0; i < net->n_weights; i++) {
        kith__weights *w = &net->weights[i];
        const size_t bytes = (size_t)(w->rows * w->columns) * sizeof(float);

        if (w->fixed)
            continue;
        memset(w->value, 0, bytes);
        if (w->name[0] != 'b' && !net->type->linear)
            kith__glorot(w->value, w->rows, w->columns, (uint64_t)i + 1,
                         net->threads);
        memset(w->m, 0, bytes);
        memset(w->v, 0, bytes);
    }
    net->step = 0;
}

void kith__net_forward(kith__net *net)
{
    if (is_residual(net))
        kith__residual_forward(net, net->type->gather);
    else
        net->type->forward(net);
}

void kith__net_backward(kith__net *net)
{
    if (is_residual(net))
        kith__residual_backward(net, net->type->gather);
    else
        net->type->backward(net);
}

void kith__net_step(kith__net *net, const int32_t *nodes, const int32_t *truth,
                    int32_t count, const kith__near *near)
{
    const int C = net->classes;

    net->step++;
    net->near = near;
    net->training = true;
    kith__net_forward(net);
    kith__cross_entropy(net->Z, C, nodes, truth, count, net->dZ);
    kith__net_backward(net);
    for (int32_t i = 0; i < count; i++)
        memset(net->dZ + (int64_t)nodes[i] * C, 0, (size_t)C * sizeof(float));
    for (int i = 0; i < net->n_weights; i++) {
        kith__weights *w = &net->weights[i];

        if (w->fixed)
            continue;
        kith__adam(w->value, w->gradient, w->m, w->v, w->rows * w->columns,
                   net->how.rate, w->decays ? net->how.decay : 0,
                   (int64_t)net->step, net->threads);
    }
}

void kith__net_predict(kith__net *net, const kith__near *near)
{
    net->near = near;
    net->training = false;
    kith__net_forward(net);
}

const kith__row_set *kith__net_near(const kith__net *net, int hops)
{
    return net->near && hops < KITH__HOPS ? &net->near->hop[hops] : NULL;
}

kith__dropout kith__net_dropout(const kith__net *net, uint64_t layer)
{
    return kith__dropout_at(net->training ? net->how.dropout : 0, net->step,
                            layer);
}

void kith__dense_forward(const kith__net *net, const float *X, int w,
                         const kith__row_set *near, float *restrict Y)
{
    const kith__weights *to = &net->weights[w];

    kith__gemm(X, to->value, net->n, near, (int)to->rows, (int)to->columns,
               false, Y, net->threads);
}

void kith__dense_add(const kith__net *net, const float *X, int w,
                     const kith__row_set *near, float *restrict Y)
{
    const kith__weights *to = &net->weights[w];

    kith__gemm(X, to->value, net->n, near, (int)to->rows, (int)to->columns,
               true, Y, net->threads);
}

void kith__dense_backward(kith__net *net, const float *X, const float *dY,
                          int w, const kith__row_set *near, float *restrict dX)
{
    kith__weights *to = &net->weights[w];

    kith__gemm_over_rows(X, dY, net->n, near, (int)to->rows, (int)to->columns,
                         to->gradient, net->partial, net->threads);
    if (dX)
        kith__gemm_turned(dY, to->value, net->n, near, (int)to->rows,
                          (int)to->columns, false, dX, net->threads);
}

void kith__dense_add_turned(const kith__net *net, const float *dY, int w,
                            const kith__row_set *near, float *restrict dX)
{
    const kith__weights *of = &net->weights[w];

    kith__gemm_turned(dY, of->value, net->n, near, (int)of->rows,
                      (int)of->columns, true, dX, net->threads);
}

void kith__bias_backward(kith__net *net, const float *dY,
                         const kith__row_set *near, int w)
{
    kith__column_sums(dY, net->n, near, (int)net->weights[w].columns,
                      net->weights[w].gradient, net->partial, net->threads);
}
