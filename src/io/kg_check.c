#include "io/kg_check.h"

#include <float.h>

#include "core/job.h"
#include "graph/rows.h"

/* Offsets ascend from 0 to the end, as CSR needs. */
static bool offsets_valid(const int64_t *rows, int32_t n, int64_t entries)
{
    int back = rows[0] != 0 || rows[n] != entries;

    for (int32_t u = 0; u < n; u++)
        back |= rows[u] > rows[u + 1];
    return !back;
}

/* Entries of a row ascend and stay below `columns`. */
static bool row_valid(const int32_t *column, int64_t from, int64_t to,
                      int32_t columns)
{
    int64_t before = -1;
    int bad = 0;

    for (int64_t p = from; p < to; p++) {
        bad |= column[p] <= before;
        before = column[p];
    }
    return !bad && before < columns;
}

/* ---- the graph ----------------------------------------------------------- */

/* A number for an edge from a to b > a with this weight. */
static inline uint64_t edge_hash(int32_t a, int32_t b, uint32_t weight)
{
    uint64_t x = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) *
                 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 32 ^ weight) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

/* What the entries of row u, in order, add to the sum of one way less the
 * other; *self if one is u. */
static uint64_t row_sum(const kith_graph *g, int32_t u, int *self)
{
    const int64_t end = g->rows[u + 1];
    int64_t p = g->rows[u];
    uint64_t sum = 0;

    for (; p < end && g->neighbours[p] < u; p++)
        sum -= edge_hash(g->neighbours[p], u,
                         g->weights ? kith__float_bits(g->weights[p]) : 0);
    *self |= p < end && g->neighbours[p] == u;
    for (; p < end; p++)
        sum += edge_hash(u, g->neighbours[p],
                         g->weights ? kith__float_bits(g->weights[p]) : 0);
    return sum;
}

static bool weights_valid(const float *w, int64_t from, int64_t to)
{
    int bad = 0;

    for (int64_t p = from; p < to; p++)
        bad |= !(w[p] >= 0 && w[p] <= FLT_MAX);
    return !bad;
}

/* What is found in rows that threads share. */
typedef struct findings {
    int rows, weights;
    uint64_t sum;
} findings;

static void look_at_rows(const kith_graph *g, int32_t from, int32_t to,
                         int threads, findings *f)
{
    int rows = 0, weights = 0;
    uint64_t sum = 0;

#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024) \
    reduction(| : rows, weights) reduction(+ : sum)
    for (int32_t u = from; u < to; u++) {
        const int64_t begin = g->rows[u], end = g->rows[u + 1];

        if (!row_valid(g->neighbours, begin, end, g->n))
            rows = 1;
        else
            sum += row_sum(g, u, &rows);
        weights |= g->weights && !weights_valid(g->weights, begin, end);
    }
    f->rows |= rows;
    f->weights |= weights;
    f->sum += sum;
}

/* place and listed undo each other, so that both are permutations. */
static bool order_valid(const kith_graph *g)
{
    for (int32_t u = 0; g->place && u < g->n; u++)
        if (g->place[u] < 0 || g->place[u] >= g->n ||
            g->listed[g->place[u]] != u)
            return false;
    return true;
}

kith_status kith__kg_graph_fault(const kith_graph *g, const kith_job *job,
                                 const char **fault, kith_error *err)
{
    const int threads = kith__threads(job);
    const int32_t most = 1 << 20; /* rows between two looks at progress */
    findings f = {0};
    kith_status st = KITH_OK;

    *fault = "a row is out of order or out of range";
    if (!offsets_valid(g->rows, g->n, g->entries))
        return KITH_OK;
    for (int32_t u = 0; u < g->n && !f.rows;) {
        const int32_t to = g->n - u < most ? g->n : u + most;

        TRY(kith__progress(job, "checking", g->rows[u], g->entries,
                           "neighbours", err));
        look_at_rows(g, u, to, threads, &f);
        u = to;
    }
    *fault = f.rows      ? "a row is out of order or out of range"
             : f.weights ? "a weight is negative or not finite"
             : f.sum     ? "an edge does not stand in both rows alike"
             : !kith__ids_sound(&g->ids)
                 ? "node ids are out of order or out of range"
             : !order_valid(g) ? "the order of the nodes is not one"
                               : NULL;
out:
    return st;
}

/* ---- what hangs on the nodes --------------------------------------------- */

const char *kith__kg_labels_fault(const kith_labels *labels)
{
    int64_t labelled = 0;
    int bad = 0;

    for (int32_t u = 0; u < labels->nodes; u++) {
        bad |= labels->of[u] < -1 || labels->of[u] >= labels->classes;
        labelled += labels->of[u] >= 0;
    }
    return bad ? "a label is out of range"
           : labelled != labels->labelled
               ? "there are not as many labels as it says"
               : NULL;
}

/* Room to hash words into: so many columns always, so many for each entry. */
enum { FEW_COLUMNS = 1 << 20, COLUMNS_OF_ENTRY = 16 };

bool kith__features_too_wide(const kith_features *f)
{
    return f->row && f->columns > FEW_COLUMNS &&
           f->columns / COLUMNS_OF_ENTRY > f->entries;
}

kith_status kith__features_check_width(const kith_features *f, const char *path,
                                       kith_error *err)
{
    if (!kith__features_too_wide(f))
        return KITH_OK;
    return kith__fail(err, KITH_ERR_RANGE, path, 0,
                      "has %d feature columns and %lld entries, expected at "
                      "most %d columns, or %d for each entry",
                      (int)f->columns, (long long)f->entries, FEW_COLUMNS,
                      COLUMNS_OF_ENTRY);
}

const char *kith__kg_features_fault(const kith_features *f)
{
    int bad = 0;

    if (kith__features_too_wide(f))
        return "there are more columns of features than entries account for";
    if (f->row && !offsets_valid(f->row, f->nodes, f->entries))
        return "a row of features is out of order or out of range";
    for (int32_t u = 0; f->row && u < f->nodes; u++)
        bad |= !row_valid(f->column, f->row[u], f->row[u + 1], f->columns);
    if (bad)
        return "a row of features is out of order or out of range";
    for (int64_t p = 0; f->value && p < f->entries; p++)
        bad |= !(f->value[p] >= -FLT_MAX && f->value[p] <= FLT_MAX);
    return bad ? "a feature is not finite" : NULL;
}

const char *kith__kg_cleaning_fault(const kith_cleaning *c)
{
    const int64_t *count = (const int64_t *)c;

    for (size_t i = 0; i < sizeof(*c) / sizeof(*count); i++)
        if (count[i] < 0)
            return "a count of what was cleaned is negative";
    return NULL;
}
