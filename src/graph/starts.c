#include "graph/starts.h"

#include <stddef.h>

/* Entries of the rows [from, to), all threads and `extra` together. */
static int64_t count_range(const uint32_t *cursor, int threads, int32_t n,
                           const uint32_t *extra, int32_t from, int32_t to)
{
    int64_t sum = 0;

    for (int t = 0; t < threads; t++)
        for (int32_t u = from; u < to; u++)
            sum += cursor[(int64_t)t * n + u];
    for (int32_t u = from; extra && u < to; u++)
        sum += extra[u];
    return sum;
}

/* The starts of the rows [from, to), of which the first begins at `sum`. */
static void starts_in_range(uint32_t *cursor, int threads, int32_t n,
                            const uint32_t *extra, int64_t *starts,
                            int32_t from, int32_t to, int64_t sum)
{
    for (int32_t u = from; u < to; u++) {
        starts[u] = sum;
        for (int t = 0; t < threads; t++) {
            uint32_t *mine = &cursor[(int64_t)t * n + u];
            const uint32_t count = *mine;

            *mine = (uint32_t)sum;
            sum += count;
        }
        sum += extra ? extra[u] : 0;
    }
}

int64_t kith__counts_to_starts(uint32_t *cursor, int threads, int32_t n,
                               const uint32_t *extra, int64_t *starts)
{
    int64_t before = 0;

#pragma omp parallel for num_threads(threads) schedule(static, 1) ordered
    for (int t = 0; t < threads; t++) {
        const int32_t from = (int32_t)((int64_t)n * t / threads);
        const int32_t to = (int32_t)((int64_t)n * (t + 1) / threads);
        const int64_t mine = count_range(cursor, threads, n, extra, from, to);
        int64_t start;

#pragma omp ordered
        {
            start = before;
            before += mine;
        }
        starts_in_range(cursor, threads, n, extra, starts, from, to, start);
    }
    starts[n] = before;
    return before;
}
