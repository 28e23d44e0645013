#include "models/lcm/training_edges.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"

int64_t kith__training_edges_count(const kith__task *task)
{
    int64_t sum = 0;

    for (int32_t l = 0; l < task->n_train; l++)
        sum += task->W.rows[task->train[l] + 1] - task->W.rows[task->train[l]];
    return sum;
}

/* ---- building ------------------------------------------------------------ */

/* A key sorts by node, then by entry; a training node itself comes last. */
static const uint64_t ITSELF = UINT32_MAX;

static void list_keys(kith__training_edges *b, uint64_t *keys)
{
    const kith__task *t = b->task;
    int64_t e = 0;

    for (int32_t l = 0; l < t->n_train; l++) {
        const int32_t u = t->train[l],
                      *v = kith__training_edges_neighbours(b, l);
        const int64_t degree = t->W.rows[u + 1] - t->W.rows[u];

        b->row[l] = e;
        for (int64_t i = 0; i < degree; i++, e++) {
            b->owner[e] = l;
            keys[e] = (uint64_t)v[i] << 32 | (uint64_t)e;
        }
        keys[b->entries + l] = (uint64_t)u << 32 | ITSELF;
    }
    b->row[t->n_train] = e;
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

kith_status kith__training_edges_new(const kith__task *task,
                                     kith__training_edges *b, kith_error *err)
{
    const int64_t entries = kith__training_edges_count(task), L = task->n_train;
    uint64_t *keys = NULL, *scratch = NULL;
    kith_status st = KITH_OK;

    *b = (kith__training_edges){.task = task, .entries = entries};
    if (entries >= INT32_MAX)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "training nodes have too many edges"));
    TRY_NEW(b->row, kith__alloc(L + 1, sizeof(*b->row)));
    TRY_NEW(b->owner, kith__alloc(entries, sizeof(*b->owner)));
    TRY_NEW(b->by_node, kith__alloc(entries, sizeof(*b->by_node)));
    TRY_NEW(b->at, kith__alloc(L, sizeof(*b->at)));
    TRY_NEW(b->marks, kith__alloc_zeroed(task->n / 64 + 1, sizeof(*b->marks)));
    TRY_NEW(keys, kith__alloc(entries + L, sizeof(*keys)));
    TRY_NEW(scratch, kith__alloc(entries + L, sizeof(*scratch)));
    list_keys(b, keys);
    kith__radix_sort_u64(keys, scratch, entries + L, 64);
    b->touched = count_nodes(keys, entries + L);
    TRY_NEW(b->node, kith__alloc(b->touched, sizeof(*b->node)));
    TRY_NEW(b->trained, kith__alloc(b->touched, sizeof(*b->trained)));
    TRY_NEW(b->begin, kith__alloc((int64_t)b->touched + 1, sizeof(*b->begin)));
    list_nodes(b, keys, entries + L);
out:
    kith__free(keys);
    kith__free(scratch);
    return st;
}

void kith__training_edges_release(kith__training_edges *b)
{
    kith__free(b->row);
    kith__free(b->owner);
    kith__free(b->node);
    kith__free(b->trained);
    kith__free(b->begin);
    kith__free(b->by_node);
    kith__free(b->at);
    kith__free(b->marks);
    *b = (kith__training_edges){0};
}

/* ---- uses ---------------------------------------------------------------- */

void kith__training_edges_apply(const kith__training_edges *b, const float *own,
                                const kith__lowrank *I, int point, float *out)
{
    const int at = kith__lowrank_p_at(I, point), carried = I->carried;
    const int32_t *train = b->task->train;

#pragma omp parallel for num_threads(b->task->threads) schedule(dynamic, 256)
    for (int32_t i = 0; i < b->touched; i++) {
        double sum[KITH__LOWRANK_CLASSES] = {0};
        const int32_t l = b->trained[i];

        for (int64_t k = b->begin[i]; k < b->begin[i + 1]; k++) {
            const int32_t e = b->by_node[k];
            const float *p = kith__lowrank_record(I, train[b->owner[e]]) + at;

            for (int c = 0; c < carried; c++)
                sum[c] += (double)(own[e] * p[c]);
        }
        for (int64_t e = l < 0 ? 0 : b->row[l]; l >= 0 && e < b->row[l + 1];
             e++) {
            const int32_t v = kith__training_edges_neighbours(b,
                                                              l)[e - b->row[l]];
            const float *p = kith__lowrank_record(I, v) + at;

            for (int c = 0; c < carried; c++)
                sum[c] += (double)(own[e] * p[c]);
        }
        for (int c = 0; c < carried; c++)
            out[(int64_t)i * carried + c] = (float)sum[c];
    }
}

void kith__training_edges_consistency(const kith__training_edges *b,
                                      const float *own, const kith__lowrank *I,
                                      int point, int t, double *K)
{
    const int C = I->C;

    memset(K, 0, (size_t)(C * C) * sizeof(*K));
    for (int32_t l = 0; l < b->task->n_train; l++) {
        const int32_t *v = kith__training_edges_neighbours(b, l);
        float x[KITH__LOWRANK_CLASSES], xv[KITH__LOWRANK_CLASSES];
        double sum[KITH__LOWRANK_CLASSES] = {0};

        for (int64_t e = b->row[l]; e < b->row[l + 1]; e++) {
            kith__lowrank_x(I, v[e - b->row[l]], point, t, xv);
            for (int c = 0; c < C; c++)
                sum[c] += (double)(own[e] * xv[c]);
        }
        kith__lowrank_x(I, b->task->train[l], point, t, x);
        for (int i = 0; i < C; i++)
            for (int j = 0; j < C; j++)
                K[i * C + j] += (double)x[i] * sum[j] + sum[i] * (double)x[j];
    }
}

/* What the other end pushed on the edge between training node l, which stands
 * at i among the touched, and v; 0 if v is no training node. */
static float pushed_back(const kith__training_edges *b, const float *own,
                         int64_t i, int32_t v)
{
    int64_t low = b->begin[i], high = b->begin[i + 1];

    while (low < high) { /* entries of one node ascend with their owners */
        const int64_t middle = low + (high - low) / 2;

        if (b->task->train[b->owner[b->by_node[middle]]] < v)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == b->begin[i + 1] ||
        b->task->train[b->owner[b->by_node[low]]] != v)
        return 0;
    return own[b->by_node[low]];
}

static double more(float w, float D)
{
    return fabs((double)w + (double)D) - fabs((double)w);
}

double kith__training_edges_norm(const kith__training_edges *b,
                                 const float *own, const kith__lowrank *I,
                                 int point, int64_t i, const float *y)
{
    const int32_t l = b->trained[i], u = b->node[i];
    double sum = 0;

    if (l < 0) {
        for (int64_t k = b->begin[i]; k < b->begin[i + 1]; k++) {
            const int32_t e = b->by_node[k], v = b->task->train[b->owner[e]];

            sum += more(kith__lowrank_weight(I, point, u, v), own[e]) *
                   (double)y[(int64_t)v * I->points + point];
        }
        return sum;
    }
    for (int64_t e = b->row[l]; e < b->row[l + 1]; e++) {
        const int32_t v = kith__training_edges_neighbours(b, l)[e - b->row[l]];

        sum += more(kith__lowrank_weight(I, point, u, v),
                    own[e] + pushed_back(b, own, i, v)) *
               (double)y[(int64_t)v * I->points + point];
    }
    return sum;
}

void kith__training_edges_add(const kith__training_edges *b, const float *own,
                              int points, int point, float *weights)
{
    const kith__operator *W = &b->task->W;
    float *w = weights + point;

    for (int32_t l = 0; l < b->task->n_train; l++) {
        const int32_t u = b->task->train[l];

        for (int64_t e = b->row[l]; e < b->row[l + 1]; e++) {
            const int64_t p = W->rows[u] + e - b->row[l];

            w[p * points] += own[e];
            w[kith__reverse_of(W, u, W->neighbours[p]) * points] += own[e];
        }
    }
}
