#include "kernels/column_blocks.h"

enum {
    COLUMNS = 1 << KITH__COLUMNS_BITS,
    LEAST = 1 << 22, /* neighbours: a smaller graph is in the cache anyway */
    EACH = 4         /* neighbours in a block, for each row that has any */
};

static int64_t first_of_block(const kith_graph *g, int b)
{
    const int64_t n = kith_graph_nodes(g), first = (int64_t)b * COLUMNS;

    return kith_graph_rows(g)[first < n ? first : n];
}

int kith__column_blocks_wanted(const kith_graph *g)
{
    const int64_t *rows = kith_graph_rows(g);
    const int32_t n = kith_graph_nodes(g);
    int64_t with = 0;
    int b = 0;

    if (n <= COLUMNS || rows[n] < LEAST || rows[n] > UINT32_MAX)
        return 0;
    for (int32_t u = 0; u < n; u++)
        with += rows[u + 1] > rows[u];
    while (b < KITH__COLUMN_BLOCKS &&
           first_of_block(g, b + 1) - first_of_block(g, b) >= EACH * with)
        b++;
    return b;
}

static int64_t round_up(int64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

int64_t kith__column_blocks_bytes(const kith_graph *g, int count)
{
    const int64_t n = kith_graph_nodes(g), near = first_of_block(g, count);
    const int64_t beyond = kith_graph_rows(g)[n] - near;

    return round_up((n + 1) * (count + 1) * 4) + round_up(beyond * 4) +
           near * 2 + count * 8;
}

/* Where each row of each block begins. */
static void fill_begin(const kith_graph *g, kith__column_blocks *out)
{
    const int64_t *rows = kith_graph_rows(g);
    const int32_t *neighbours = kith_graph_neighbours(g);
    const int B = out->count;
    uint32_t *at = out->begin;

    for (int b = 0; b <= B; b++)
        at[b] = 0;
    for (int32_t u = 0; u < kith_graph_nodes(g); u++, at += B + 1) {
        int64_t p = rows[u];

        for (int b = 0; b <= B; b++) {
            const int64_t from = p;

            if (b == B)
                p = rows[u + 1];
            while (p < rows[u + 1] && neighbours[p] < (b + 1) * COLUMNS)
                p++;
            at[B + 1 + b] = at[b] + (uint32_t)(p - from);
        }
    }
}

static void fill_row(const kith_graph *g, const kith__column_blocks *out,
                     int32_t u)
{
    const int B = out->count;
    const uint32_t *at = out->begin + (int64_t)u * (B + 1), *end = at + B + 1;
    const int32_t *v = kith_graph_neighbours(g) + kith_graph_rows(g)[u];

    for (int b = 0; b < B; b++)
        for (uint32_t p = at[b]; p < end[b]; p++)
            out->near[b][p] = (uint16_t)(*v++ % COLUMNS);
    for (uint32_t p = at[B]; p < end[B]; p++)
        out->beyond[p] = *v++;
}

void kith__column_blocks_fill(const kith_graph *g, int count, int threads,
                              void *memory, kith__column_blocks *out)
{
    const int32_t n = kith_graph_nodes(g);
    char *at = memory;

    out->count = count;
    out->begin = (uint32_t *)(void *)at;
    at += round_up(((int64_t)n + 1) * (count + 1) * 4);
    fill_begin(g, out);
    for (int b = 0; b <= count; b++)
        out->entries[b] = out->begin[(int64_t)n * (count + 1) + b];
    out->beyond = (int32_t *)(void *)at;
    at += round_up(out->entries[count] * 4);
    for (int b = 0; b < count; b++) {
        out->near[b] = (uint16_t *)(void *)at;
        at += round_up(out->entries[b] * 2);
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
    for (int32_t u = 0; u < n; u++)
        fill_row(g, out, u);
}
