/* Edge lists: any bytes, alone and with a list of nodes. */
#include "fuzz.h"
#include "kith/kith.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kith_build_options o = {.job = {.threads = 1}};
    kith_error err;
    kith_graph *g;

    if (kith_graph_read(kith_fuzz_file(data, size), &o, &g, NULL, &err) ==
        KITH_OK) {
        kith_fuzz_opened = true;
        kith_graph_free(g);
    }
    o.job.memory = 1; /* the same through the spilling builder */
    o.spill_to = "/tmp";
    o.merge = KITH_MERGE_SUM;
    if (kith_graph_read(kith_fuzz_file(data, size), &o, &g, NULL, &err) ==
        KITH_OK)
        kith_graph_free(g);
    return 0;
}
