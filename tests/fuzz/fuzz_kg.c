/*
 * Built files: any bytes.  Checksums are made to match first, else nothing
 * behind them would ever be reached; opening must then notice whatever would
 * be unsafe to use, verifying whatever is not as it was written.
 */
#include "fuzz.h"
#include "kith/kith.h"
#include "mutate.h"

/* What opens must be safe to walk, verified or not. */
static void walk(const kith_dataset *d)
{
    const int64_t *rows = kith_graph_rows(d->graph);
    volatile int64_t sum = 0;

    for (int32_t u = 0; u < kith_graph_nodes(d->graph); u++) {
        char buffer[KITH_ID_BUFFER];
        size_t length;

        (void)kith_graph_id(d->graph, u, buffer, &length);
        for (int64_t p = rows[u]; p < rows[u + 1]; p++)
            sum = sum + rows[kith_graph_neighbours(d->graph)[p]];
    }
    if (d->labels)
        (void)kith_homophily(d->graph, d->labels, NULL);
}

/* Touch everything a user could after verifying. */
static void use(const kith_dataset *d)
{
    const kith_graph *g = d->graph;
    kith_graph_stats stats;

    (void)kith_graph_stats_compute(g, NULL, &stats, NULL);
    (void)kith_graph_hash(g);
    for (int32_t u = 0; u < kith_graph_nodes(g); u++) {
        char buffer[KITH_ID_BUFFER];
        size_t length;
        const char *id = kith_graph_id(g, u, buffer, &length);

        if (kith_graph_find(g, id, length) != u ||
            kith_graph_listed(g, kith_graph_place(g, u)) != u)
            __builtin_trap();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[1 << 17];
    const kith_build_options o = {.job.threads = 1};
    kith_dataset *d;
    kith_error err;

    if (size > sizeof(bytes))
        return 0;
    memcpy(bytes, data, size);
    mend(bytes, size);
    if (kith_dataset_open(kith_fuzz_file(bytes, size), &o, &d, &err) != KITH_OK)
        return 0;
    walk(d);
    if (kith_graph_verify(d->graph, &o.job, &err) == KITH_OK) {
        kith_fuzz_opened = true;
        use(d);
    }
    kith_dataset_free(d);
    return 0;
}
