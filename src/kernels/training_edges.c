#include "kernels/training_edges.h"

#include "core/alloc.h"
#include "core/sort.h"

int64_t kith__training_edges_count(const kith__operator *W,
                                   const int32_t *train, int32_t n_train)
{
    int64_t sum = 0;

    for (int32_t l = 0; l < n_train; l++)
        sum += W->rows[train[l] + 1] - W->rows[train[l]];
    return sum;
}

/* ---- building ------------------------------------------------------------ */

/* A key sorts by node, then by entry; a training node itself comes last. */
static const uint64_t ITSELF = UINT32_MAX;

static void list_keys(kith__training_edges *b, uint64_t *keys)
{
    int64_t e = 0;

    for (int32_t l = 0; l < b->n_train; l++) {
        const int32_t u = b->train[l];
        const int32_t *v = kith__training_edges_neighbours(b, l);
        const int64_t degree = b->rows[u + 1] - b->rows[u];

        b->row[l] = e;
        for (int64_t i = 0; i < degree; i++, e++) {
            b->owner[e] = l;
            keys[e] = (uint64_t)v[i] << 32 | (uint64_t)e;
        }
        keys[b->entries + l] = (uint64_t)u << 32 | ITSELF;
    }
    b->row[b->n_train] = e;
}

static int32_t count_nodes(const uint64_t *keys, int64_t n)
{
    int32_t count = 0;

    for (int64_t i = 0; i < n; i++)
        count += i == 0 || keys[i] >> 32 != keys[i - 1] >> 32;
    return count;
}

static void list_nodes(kith__training_edges *b, const uint64_t *keys, int64_t n)
{
    int64_t entry = 0;
    int32_t i = -1, l = 0;

    for (int64_t k = 0; k < n; k++) {
        if (k == 0 || keys[k] >> 32 != keys[k - 1] >> 32) {
            i++;
            b->node[i] = (int32_t)(keys[k] >> 32);
            b->trained[i] = -1;
            b->begin[i] = entry;
            b->marks[b->node[i] / 64] |= (uint64_t)1 << (b->node[i] % 64);
        }
        if ((keys[k] & UINT32_MAX) == ITSELF) {
            b->trained[i] = l;
            b->at[l++] = i; /* training nodes ascend, as the keys do */
        } else {
            b->by_node[entry++] = (int32_t)(keys[k] & UINT32_MAX);
        }
    }
    b->begin[b->touched] = entry;
}

kith_status kith__training_edges_new(const kith__operator *W,
                                     const int32_t *train, int32_t n_train,
                                     kith__training_edges *b, kith_error *err)
{
    const int64_t L = n_train;
    const int64_t entries = kith__training_edges_count(W, train, n_train);
    uint64_t *keys = NULL, *scratch = NULL;
    kith_status st = KITH_OK;

    *b = (kith__training_edges){.rows = W->rows,
                                .neighbours = W->neighbours,
                                .train = train,
                                .n_train = n_train,
                                .entries = entries};
    if (entries >= INT32_MAX)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "training nodes have too many edges"));
    TRY_NEW(b->row, kith__alloc(L + 1, sizeof(*b->row)));
    TRY_NEW(b->owner, kith__alloc(entries, sizeof(*b->owner)));
    TRY_NEW(b->by_node, kith__alloc(entries, sizeof(*b->by_node)));
    TRY_NEW(b->at, kith__alloc(L, sizeof(*b->at)));
    TRY_NEW(b->marks, kith__alloc_zeroed(W->n / 64 + 1, sizeof(*b->marks)));
    TRY_NEW(keys, kith__alloc(entries + L, sizeof(*keys)));
    TRY_NEW(scratch, kith__alloc(entries + L, sizeof(*scratch)));
    list_keys(b, keys);
    kith__radix_sort_u64(keys, scratch, entries + L, 64);
    b->touched = count_nodes(keys, entries + L);
    TRY_NEW(b->node, kith__alloc(b->touched, sizeof(*b->node)));
    TRY_NEW(b->trained, kith__alloc(b->touched, sizeof(*b->trained)));
    TRY_NEW(b->begin, kith__alloc((int64_t)b->touched + 1, sizeof(*b->begin)));
    list_nodes(b, keys, entries + L);
    kith__free(scratch);
    scratch = NULL;
    TRY_NEW(b->pushed, kith__alloc_zeroed(entries, sizeof(*b->pushed)));
out:
    kith__free(keys);
    kith__free(scratch);
    return st;
}

void kith__training_edges_release(kith__training_edges *b)
{
    kith__free(b->row);
    kith__free(b->owner);
    kith__free(b->pushed);
    kith__free(b->node);
    kith__free(b->trained);
    kith__free(b->begin);
    kith__free(b->by_node);
    kith__free(b->at);
    kith__free(b->marks);
    *b = (kith__training_edges){0};
}

/* ---- uses ---------------------------------------------------------------- */

/* What training node v pushed on its edge to touched node i; 0 if v is none. */
static float pushed_by(const kith__training_edges *b, int64_t i, int32_t v)
{
    int64_t low = b->begin[i], high = b->begin[i + 1];

    while (low < high) { /* entries of one node ascend with their owners */
        const int64_t middle = low + (high - low) / 2;

        if (b->train[b->owner[b->by_node[middle]]] < v)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == b->begin[i + 1] || b->train[b->owner[b->by_node[low]]] != v)
        return 0;
    return b->pushed[b->by_node[low]];
}

float kith__training_edges_weight(const kith__training_edges *b,
                                  int64_t touched, int64_t p)
{
    const int32_t l = b->trained[touched];
    const float D = pushed_by(b, touched, b->neighbours[p]);

    return l < 0 ? D : D + b->pushed[b->row[l] + p - b->rows[b->train[l]]];
}

void kith__training_edges_add(const kith__training_edges *b, int64_t touched,
                              float *weights)
{
    const int32_t u = b->node[touched], l = b->trained[touched];
    int64_t p = b->rows[u];
    const int64_t end = b->rows[u + 1];

    for (int64_t k = b->begin[touched]; k < b->begin[touched + 1]; k++) {
        const int32_t v = b->train[b->owner[b->by_node[k]]];

        while (p < end && b->neighbours[p] < v) /* both ascend */
            p++;
        if (p < end) /* of a graph that is not symmetric after all */
            weights[p] += b->pushed[b->by_node[k]];
    }
    for (int64_t e = l < 0 ? 0 : b->row[l]; l >= 0 && e < b->row[l + 1]; e++)
        weights[b->rows[u] + e - b->row[l]] += b->pushed[e];
}
