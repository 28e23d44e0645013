#include "fuzz.h"
#include "readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = kith_fuzz_file(data, size);

    fuzz_graph(kith__mtx_graph_read, path);
    fuzz_features(kith__mtx_features_read, path);
    return 0;
}
