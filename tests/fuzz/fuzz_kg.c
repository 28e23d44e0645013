/*
 * Built files: any bytes.  Checksums are made to match first, else nothing
 * behind them would ever be reached; verifying must then notice whatever would
 * be unsafe to use.
 */
#include <string.h>
#include <xxhash.h>

#include "fuzz.h"
#include "kith/kith.h"

/* Offsets as docs/formats/kg.md gives them. */
enum { HEADER = 64, SECTION = 40, COUNT_AT = 12, SIZE_AT = 16, SUM_AT = 56 };

static void mend(uint8_t *bytes, size_t size)
{
    const int64_t whole = (int64_t)size;
    uint8_t hashed[56 + SECTION * 64];
    uint32_t sections;
    uint64_t sum;

    if (size < 4096)
        return;
    memcpy(bytes + SIZE_AT, &whole, 8);
    memcpy(&sections, bytes + COUNT_AT, 4);
    if (sections > 64)
        return;
    for (uint32_t i = 0; i < sections; i++) {
        uint8_t *s = bytes + HEADER + SECTION * i;
        uint64_t offset, length;

        memcpy(&offset, s + 8, 8);
        memcpy(&length, s + 16, 8);
        if (offset > size || length > size - offset)
            continue;
        sum = XXH3_64bits(bytes + offset, length);
        memcpy(s + 24, &sum, 8);
    }
    memcpy(hashed, bytes, 56);
    memcpy(hashed + 56, bytes + HEADER, SECTION * sections);
    sum = XXH3_64bits(hashed, 56 + SECTION * sections);
    memcpy(bytes + SUM_AT, &sum, 8);
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

        if (kith_graph_find(g, id, length) != u)
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
