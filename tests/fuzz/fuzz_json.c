#include "fuzz.h"
#include "readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = kith_fuzz_file(data, size);

    fuzz_graph(kith__json_graph_read, path);
    return 0;
}
