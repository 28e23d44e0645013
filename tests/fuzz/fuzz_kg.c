/*
 * Built files: any bytes.  Checksums are made to match first, else nothing
 * behind them would ever be reached; verifying must then notice whatever would
 * be unsafe to use.
 */
#include "fuzz.h"
#include "kith/kith.h"
#include "mend.h"

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
    if (d->labels)
        (void)kith_homophily(g, d->labels, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[1 << 17];
    kith_job job = {.threads = 1};
    kith_dataset *d;
    kith_error err;

    if (size > sizeof(bytes))
        return 0;
    memcpy(bytes, data, size);
    mend(bytes, size);
    if (kith_dataset_open(kith_fuzz_file(bytes, size), NULL, &d, &err) !=
        KITH_OK)
        return 0;
    if (kith_graph_verify(d->graph, &job, &err) == KITH_OK)
        use(d);
    kith_dataset_free(d);
    return 0;
}
